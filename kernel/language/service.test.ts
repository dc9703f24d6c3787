// The type service as the supervisor uses it: a real checker, a notebook in a temporary folder, cells in the order they
// run.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { TypeService, type Diagnostic } from "./service.ts";

let directory: string;
let service: TypeService;
let count = 0;

beforeAll(() => {
  // A space, an accent and a configuration of the user's own must not matter.
  directory = join(realpathSync(mkdtempSync(join(tmpdir(), "warpcell-types-"))), "my nötebook");
  mkdirSync(join(directory, "node_modules/typed/"), { recursive: true });
  writeFileSync(
    join(directory, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { strict: false, noLib: true, types: [] } }),
  );
  writeFileSync(
    join(directory, "node_modules/typed/package.json"),
    JSON.stringify({ name: "typed", type: "module", exports: { types: "./types.d.ts", default: "./main.js" } }),
  );
  writeFileSync(
    join(directory, "node_modules/typed/types.d.ts"),
    "/** Pads. */ export declare function pad(text: string, width: number): string;\n",
  );
  writeFileSync(join(directory, "local.ts"), 'export { inner } from "./inner.ts";\nexport const local = 1;\n');
  writeFileSync(join(directory, "inner.ts"), "export const inner = 1;\n");
});

function startService(): () => void {
  // What it answers is tested here, not how soon: a machine that does something else may take longer than a user should
  // wait.
  service = new TypeService({ directory, bound: 30_000 });
  service.start();
  count = 0;
  return () => service.stop();
}

afterAll(() => rmSync(join(directory, ".."), { recursive: true, force: true }));

/** Checks and commits a cell. */
async function run(code: string): Promise<Diagnostic[]> {
  const found = await service.diagnose(++count, code);
  service.commit(count, code);
  return found;
}

async function runAll(...cells: string[]): Promise<void> {
  for (const code of cells) expect(await run(code), code).toEqual([]);
}

/** The code without the mark, and the place of the mark. */
function at(marked: string): [string, number] {
  const offset = marked.indexOf("‸");
  return [marked.replace("‸", ""), offset];
}

async function matches(marked: string): Promise<string[]> {
  return (await service.complete(...at(marked))).matches.map((match) => match.text);
}

describe("plain JavaScript", () => {
  beforeAll(startService);

  test.each([
    ["let list = []; list.push(1); list.push('a')", "list.length"],
    ["const options = {}; options.rate = 1", "options.more = 2; options.more"],
    ["function joined(a, b) { return a + b }", "joined(1)"],
    [
      "class Box { constructor(v) { this.v = v } }",
      "const box = new Box(1); box.v; box.label = 'a'",
      "box.label.length",
    ],
    ["let current = null", "current = 5", "current.toFixed()"],
    ["'a1'.match(/\\d/)[0]; new Map().get(1).name; ({ ...'ab' })"],
    ["const start = new Date(); new Date() - start", "const spent = new Date() - start"],
    ["const { readFileSync } = require('fs'); readFileSync('x')"],
    ["await new Promise((resolve) => resolve())", "function count() { return arguments.length }", "count(1, 2)"],
    ["try { later() } catch (error) { error.message }; function later() {}"],
    ["const use = () => defined_later()", "function defined_later() { return 1 }", "use()"],
    ["typeof nothing_of_this_name"],
    ["(async () => (await (await fetch('http://localhost')).json()).items)"],
  ])("that runs gets no warning: %s", async (...cells) => {
    await runAll(...cells);
  });

  test.each([
    ["const five = 5; five.toUpperCase()", "TS2339"],
    ["Math.flor(1.5)", "TS2551"],
    ["undefined_name + 1", "TS2304"],
    ["consle.log(1)", "TS2552"],
    ["const fixed = 1; fixed = 2", "TS2588"],
    ["JSON.parse(5)", "TS2345"],
    ["import { readFileSink } from 'node:fs'", "TS2724"],
    ["import 'no-such-package'; import x from 'no-such-package'", "TS2307"],
  ])("that does not run gets one: %s", async (code, expected) => {
    expect((await run(code)).map((found) => found.code)).toContain(expected);
  });
});

describe("a notebook", () => {
  beforeAll(startService);

  test("a type error has its place in the cell, its number and its sentence", async () => {
    await runAll("const width: number = 5");
    expect(await service.diagnose(7, "// above\nconst 𝒙 = 1, label: string =\n  width")).toEqual([
      {
        cell: 7,
        line: 2,
        column: 15,
        code: "TS2322",
        severity: "error",
        message: "Type 'number' is not assignable to type 'string'.",
      },
    ]);
  });

  test("the newest declaration of a name counts, whatever it was before", async () => {
    await runAll(
      "const x = 1",
      "x.toFixed()",
      "const x = 'text'",
      "x.toUpperCase()",
      "function x(n: number) { return n }",
      "x(1)",
      "class x { field = 1 }",
      "new x().field",
    );
    expect((await run("x(1)"))[0]?.code).toBe("TS2348");
    await runAll("let x = [1]", "x = [2]");
    expect((await run("x = 'text'"))[0]?.message).toBe("Type 'string' is not assignable to type 'number[]'.");
  });

  test("types, interfaces, enums and namespaces are redeclared too, and named by their cell in messages", async () => {
    const first = count + 1;
    await runAll(
      "interface Point { x: number }",
      "const p: Point = { x: 1 }",
      "interface Point { y: string }",
      "const q: Point = { y: 'a' }",
      "enum Colour { Red }",
      "Colour.Red",
      "namespace Space { export const size = 1 }",
      "Space.size.toFixed()",
    );
    const [found] = await run("const r: Point = p");
    expect(found?.message).toContain(
      `Property 'y' is missing in type 'Point of Cell [${first}]' but required in type 'Point of Cell [${first + 2}]'`,
    );
  });

  test("a value and a type of one name are redeclared each on its own, a class as a whole", async () => {
    await runAll(
      "const Id = { parse: (text: string) => Number(text) }; type Id = ReturnType<typeof Id.parse>",
      "const id: Id = Id.parse('1')",
    );
    await runAll(
      "type Id = string",
      "const text: Id = 'a'; Id.parse(text)",
      "let Id = 5",
      "const other: Id = 'a'; Id = 6",
      "type Id<T> = T[]",
      "const list: Id<number> = [Id]",
    );
    await runAll(
      "class Id { field = 1 }",
      "const made: Id = new Id()",
      "const Id = 1",
      "interface Id { y: number }",
      "const both: Id = { y: Id }",
    );
    await runAll(
      "class Kind { field = 1 }",
      "type Kind = { other: number }",
      "const own: Kind = { other: new Kind().field }",
      "interface Kind<T> { item: T }",
      "const more: Kind<number> = { item: new Kind().field }",
    );
  });

  test("what a cell declares for all of the program stays, whether it has a name or not", async () => {
    await runAll(
      "declare global { interface Array<T> { last(): T } }",
      "[1].last().toFixed()",
      "const unrelated = 1",
      "const final: number = [1].last()",
    );
  });

  test("a cell that is run again takes the newest names, and its own names are replaced", async () => {
    await runAll("const a = 1", "const b = a", "const a = 'text'");
    expect(await service.diagnose(4, "const n: number = b")).toEqual([]);
    await runAll("const b = a");
    expect((await run("const n: number = b"))[0]?.code).toBe("TS2322");
  });

  test("a name may take its next value from another that takes it from the first, for ever", async () => {
    await runAll("let a = 1", "let b = 1");
    for (let i = 0; i < 80; i++) {
      service.commit(++count, i % 2 === 0 ? "let a = b" : "let b = a");
      if (i % 10 === 0) await runAll("a + b");
    }
    await runAll("a + b");
    expect((await run("a + no_such_name"))[0]?.code).toBe("TS2304");
  });

  test("what a later cell assigned is known: no more null, and null again", async () => {
    await runAll("let model: { rate: number } | null = null", "model = { rate: 1 }", "const rate: number = model.rate");
    await runAll("model = null as { rate: number } | null");
    expect((await run("const again: number = model.rate"))[0]?.code).toBe("TS18047");
  });

  test("top-level await, using, loops and an object literal that is all of a cell", async () => {
    await runAll(
      "const text = await Promise.resolve('a'); for await (const n of [1]) n",
      "text.length",
      "using handle = { [Symbol.dispose]() {} }",
      "var sum = 0; for (var i = 0; i < 3; i++) sum += i",
      "sum + i",
      "{ a: 1, b: text };",
    );
  });

  test("imports keep their types in later cells: packages, relative files, Node", async () => {
    await runAll(
      "import { pad } from 'typed'; import { local } from './local.ts'; import fs from 'node:fs'; import type { Stats } from 'node:fs'",
      "pad('a', 2); local.toFixed(); let stats: Stats | undefined",
    );
    expect((await run("pad(1, 2)"))[0]?.code).toBe("TS2345");
    expect((await run("const text: string = local"))[0]?.code).toBe("TS2322");
    expect((await run("const size: string = fs.statSync('.').size"))[0]?.code).toBe("TS2322");
  });

  test("a relative file that was edited is read again, also behind another one", async () => {
    await runAll("import { inner } from './local.ts'; inner.toFixed()");
    writeFileSync(join(directory, "inner.ts"), "export const inner = 'text';\n");
    utimesSync(join(directory, "inner.ts"), 1, 1);
    await runAll("import { inner } from './local.ts'; inner.toUpperCase()");
  });

  test("a package that is installed while the notebook is open is found", async () => {
    expect((await run("import { late } from 'late'"))[0]?.code).toBe("TS2307");
    mkdirSync(join(directory, "node_modules/late"));
    writeFileSync(
      join(directory, "node_modules/late/package.json"),
      JSON.stringify({ name: "late", types: "index.d.ts" }),
    );
    writeFileSync(join(directory, "node_modules/late/index.d.ts"), "");
    expect((await run("import { late } from 'late'"))[0]?.code).toBe("TS2306");
    writeFileSync(join(directory, "node_modules/late/index.d.ts"), "export declare const late: number;\n");
    await runAll("import { late } from 'late'; late.toFixed()");
  });

  test("kernels of a CUDA cell are typed, and typed anew when it is run again", async () => {
    const declare = (parameter: string): void =>
      service.declare(++count, [
        { name: "fill", text: `declare const fill: { launch(shape: { grid: number }, value: ${parameter}): void };` },
      ]);
    declare("number");
    await runAll("fill.launch({ grid: 1 }, 1)");
    expect((await run("fill.launch({ grid: 1 }, 'a')"))[0]).toMatchObject({ line: 1, column: 26, code: "TS2345" });
    expect(await matches("fill.la‸")).toEqual(["launch"]);
    declare("string");
    await runAll("fill.launch({ grid: 1 }, 'a')");
  });

  test("the library's own types: kernels and tensors, without an import, from this installation", async () => {
    await runAll('import { ones, zeros } from "warpcell"; const n = 1 << 20, x = ones([n]), y = zeros([n]);');
    const tensor = 'import("warpcell").Tensor<"float32">';
    service.declare(++count, [
      {
        name: "fill",
        text: `declare const fill: import("warpcell").Kernel<[p: ${tensor} | null, n: number, value: number]>`,
      },
    ]);
    await runAll("fill.launch({ grid: 64, block: 256 }, y, n, 1.5)", "fill.over(n)(x, n, 1)", "y");

    const found = await run(
      'fill.launch({ grid: 64, block: 256 }, y, "n", 1.5)\nfill.over(n)(y, n)\nfill.over(n)(x.to("float64"), n, 1)',
    );
    expect(found.map(({ line, column, code }) => [line, column, code])).toEqual([
      [1, 42, "TS2345"],
      [2, 1, "TS2554"],
      [3, 14, "TS2345"],
    ]);
    expect(found[2]?.message.split("\n")[0]).toBe(
      `Argument of type 'Tensor<"float64">' is not assignable to parameter of type 'Tensor<"float32">'.`,
    );
    expect((await service.complete("fill.lau", 8)).matches[0]).toMatchObject({
      text: "launch",
      type: "method",
      signature: 'launch(config: LaunchConfig, p: Tensor<"float32"> | null, n: number, value: number): void',
    });
    expect((await service.inspect("y", 1, 0)).text).toBe('const y: Tensor<"float32">');
  });

  test("a list in parentheses, as Python has it, is marked; what cannot be reached is not", async () => {
    await runAll('import { ones } from "warpcell"; const rows = 3;');
    const parentheses = {
      code: "TS2695",
      message: "A comma in parentheses drops what stands before it: a list is written in brackets, such as [3, 4].",
    };
    expect(await run("ones((3, 4))")).toMatchObject([parentheses]);
    expect(await run("ones((rows, 4))")).toMatchObject([parentheses]);
    expect(await run("let at = 1; ones((at++, at)); (() => { return 1; at = 2; })(); (0, eval)('1')")).toEqual([]);
  });

  test("brackets behind a tensor are marked, and say what to write; other implicit any is not", async () => {
    await runAll('import { zeros } from "warpcell"; let x = zeros([2, 2]), i = 0; const other = { a: 1 };', "other[i]");
    const brackets = {
      code: "TS7053",
      message: "Brackets do not index a tensor: write x.get(0) for x[0], and x.set([0], value) for x[0] = value.",
    };
    expect(await run("x[0]")).toMatchObject([brackets]);
    expect(await run("x[i] = 1;\nx[-1]")).toMatchObject([
      { ...brackets, line: 1 },
      { ...brackets, line: 2 },
    ]);
    await runAll("for (const row of x) row.sum(); const [first, second] = x.toArray(); first.length");
  });

  test("operators between tensors are marked, and say what to write", async () => {
    await runAll('import { ones } from "warpcell"; let x = ones([2]);');
    const messages = async (code: string) => (await run(code)).map(({ message }) => message);
    expect(await messages("x + 1")).toEqual([
      "JavaScript's operators do not compute with tensors: write x.add(y) for x + y, and x.item() for the number in a tensor of one element.",
    ]);
    expect(await messages("x < 1")).toEqual([expect.stringContaining("write x.lt(y) for x < y,")]);
    expect(await messages("x === 5")).toEqual([
      "A tensor never equals a number or a text: write x.item() === 1 for the element of a tensor of one, and x.eq(1) for each element.",
    ]);
    expect(await messages("const text = 'a'; text + { a: 1 }; x === ones([2])")).toEqual([]);
  });

  test("a bare Tensor prints short, and documentation of the library's functions and methods shows", async () => {
    await runAll('import { type Tensor, exp, zeros } from "warpcell"; let bare = (x: Tensor) => x;');
    expect((await service.inspect("bare", 1, 0)).text).toBe("let bare: (x: Tensor) => Tensor<any>");
    expect((await service.inspect("exp", 1, 0)).text).toContain("e^x.");
    expect((await service.inspect("zeros([1]).sqrt_()", 13, 0)).text).toContain("In place: the square root: √x;");
    expect((await service.inspect("zeros([1]).add", 13, 0)).text).toContain("a + b.");
    const names = await matches("zeros([1]).‸");
    expect(names).toContain("exp_");
    for (const own of ["storage", "living", "placeLow", "view", "index_select"]) expect(names).not.toContain(own);
  });

  test("what documentation says comes with its signature and its example", async () => {
    await runAll('import { exp, max, mseLoss, zeros, nn } from "warpcell"; const x = zeros([2, 3]);');
    const inspect = async (code: string): Promise<string> => (await service.inspect(code, code.length, 0)).text;
    expect(await inspect("exp")).toBe(
      "function exp<D extends DType>(x: Tensor<D>): Tensor<FloatOf<D>>\n\n" +
        "The exponential function: e^x.\nIntegers and bool give float32.\n\n" +
        "Example:\nexp(tensor([0, 1])); // → tensor([1.00000, 2.71828], shape [2], float32, cpu)",
    );
    expect(await inspect("x.exp_")).toContain(
      "In place: the exponential function: e^x.\n\nExample:\ntensor([0, 1]).exp_()",
    );
    expect(await inspect("zeros")).toMatch(
      /^function zeros\(\.\.\.sizes[^]*A tensor of zeros[^]*Example:\nzeros\(\[2, 3\]\); \/\/ → /,
    );
    expect(await inspect("x.softmax")).toMatch(/softmax\(axis\?[^]*e\^x \/ Σe\^x[^]*Example:\ntensor\(/);
    expect(await inspect("nn.Linear")).toMatch(/class Linear[^]*weightᵀ[^]*Example:\nconst layer = new nn\.Linear\(/);
    for (const name of ["max", "mseLoss"])
      expect(await inspect(name)).toMatch(new RegExp(`^function ${name}<D extends`));
    const { markdown } = await service.inspect("exp", 1, 0);
    expect(markdown).toContain("Example:\n```typescript\nexp(tensor([0, 1]))");
  });

  test("a file that a cell reads by require may be written before it comes to that", async () => {
    await runAll(
      'import fs from "node:fs"; fs.writeFileSync("./later.json", "{}"); const later = require("./later.json");',
    );
    expect(await run('import later from "./missing.json"; require("nowhere")')).toMatchObject([
      { code: "TS2307" },
      { code: "TS2307" },
    ]);
  });

  test("the kernel's own globals are known", async () => {
    await runAll(
      "display({ 'text/plain': 'a' }, { raw: true }); display.clear(true); display.update('id', html`<b>${1}</b>`); md`# a`; svg`<svg/>`; const sure: boolean = confirm('?')",
      "const name = prompt('?') ?? 'none'; name.length; (await input('?', { password: true }))?.length",
      "new Comm('target').send({ a: 1 }); Comm.register('target', (comm, message) => { comm.onMessage = ({ data }) => data.x; message.buffers })",
      "_.anything; _error; require('fs'); process.argv",
    );
  });

  test("code that does not parse has no type errors: running it says what is wrong", async () => {
    expect(await run("const = 1")).toEqual([]);
  });
});

describe("completion and inspection", () => {
  beforeAll(startService);

  test("completion of names of earlier cells, of this cell, of members, paths and keywords", async () => {
    await runAll(
      "function addition(a: number) { return a }\nconst addend = 1\nclass Adder { carry = 1; private secret = 2 }",
    );
    expect(await matches("add‸")).toEqual(["addend", "addition"]);
    expect(await matches("const added = 1; adde‸")).toEqual(["added", "addend"]);
    expect(await matches("new Adder().‸")).toEqual(["carry"]);
    expect(await matches("addend.toF‸")).toEqual(["toFixed"]);
    expect(await matches("import { pa‸ } from 'typed'")).toEqual(["pad"]);
    expect(await matches("import { x } from './lo‸'")).toEqual(["local"]);
    expect(await matches("contin‸")).toEqual(["continue"]);
    expect(await matches("no_such_name‸")).toEqual([]);
    expect(await matches("%%cuda\nadd‸")).toEqual([]);
  });

  test("optional properties complete by their names", async () => {
    await runAll("import { mkdirSync } from 'node:fs'; const maybe: { recursive?: number } = {}");
    expect(await matches("mkdirSync('a', { rec‸")).toEqual(["recursive"]);
    expect(await matches("mkdirSync('a', { ‸ })")).toEqual(["mode", "recursive"]);
    expect(await matches("maybe.rec‸")).toEqual(["recursive"]);
  });

  test("only what has a name here completes, not what could be imported", async () => {
    await runAll("import * as typed from 'typed'");
    expect(await matches("pad‸")).toEqual([]);
    expect(await matches("import { pad } from 'typed'; pad‸")).toEqual(["pad"]);
  });

  test("names that are no identifiers complete inside quotes, also before anything of them is typed", async () => {
    writeFileSync(join(directory, "values.json"), "{}");
    writeFileSync(join(directory, "plain.mjs"), "");
    expect(await matches("import x from './‸'")).toEqual(
      expect.arrayContaining(["local.ts", "plain.mjs", "values.json"]),
    );
    expect(await matches("const user = { 'first-name': 1 }; user['‸")).toEqual(["first-name"]);
    expect(await matches("const user = { 'first-name': 1, name: 2 }; user.‸")).toEqual(["name"]);
  });

  test("a completion has kind, signature, documentation and the text it replaces, in UTF-16 units", async () => {
    await runAll("/** Adds one. */\nfunction addition(a: number) { return a + 1 }");
    const [code, offset] = at("%types warn\nconst face = '😀'; addi‸");
    expect(await service.complete(code, offset)).toEqual({
      start: offset - 4,
      end: offset,
      matches: [
        {
          text: "addition",
          type: "function",
          signature: "function addition(a: number): number",
          documentation: "Adds one.",
          start: offset - 4,
          end: offset,
        },
      ],
    });
  });

  test("completion of magics and their options", async () => {
    expect(await matches("%‸")).toEqual([
      "%%cuda",
      "%%writefile",
      "%%profile",
      "%%time",
      "%help",
      "%lsmagic",
      "%npm",
      "%profile",
      "%time",
      "%types",
      "%whos",
    ]);
    expect(await matches("%npm ins‸")).toEqual(["install"]);
    expect(await matches("%%cuda --he‸")).toEqual(["--help"]);
    expect(await matches("%%profile --c‸")).toEqual(["--counters"]);
    expect(await matches("%time [1].leng‸")).toEqual(["length"]);
    expect(await matches("%%time\n[1].leng‸")).toEqual(["length"]);
    expect(await matches("// about\n%types s‸")).toEqual(["strict"]);
    expect(await matches("%%cuda --name a --fa‸\nint a;")).toEqual(["--fast-math"]);
    expect(await matches("%nope ‸")).toEqual([]);
    expect(await matches("const modulus = 7; 15\n% modulu‸")).toEqual(["modulus"]);
  });

  test("what is typed decides: exact case first, any case when there is nothing", async () => {
    await runAll("const Total = 1, total = 2, other = 3");
    expect(await matches("tot‸")).toEqual(["total"]);
    expect(await matches("OTHE‸")).toEqual(["other"]);
  });

  test("inspection of a name, of a member, of a call from within its arguments and from behind it", async () => {
    await runAll(
      "/** Adds one. */\nfunction addition(a: number) { return a + 1 }",
      "/** How many. */ const total: number = 1",
    );
    const inspect = async (marked: string): Promise<string> => (await service.inspect(...at(marked), 0)).text;
    expect(await inspect("addit‸ion(1)")).toBe("function addition(a: number): number\n\nAdds one.");
    expect(await inspect("addition(‸")).toBe("addition(a: number): number\n\nAdds one.");
    expect(await inspect("addition(1)‸")).toContain("function addition(a: number): number");
    expect(await inspect("total‸")).toBe("const total: number\n\nHow many.");
    expect(await inspect("'a'.length‸")).toContain("length: number");
    expect(await service.inspect("nothing_there", 4, 0)).toEqual({ found: false, text: "", markdown: "" });
  });

  test("inspection of a type that stands alone: of earlier cells, of this one, of the library", async () => {
    await runAll("/** Where. */ interface Point { x: number } type Pair<T> = [T, T]");
    const inspect = async (marked: string): Promise<string> => (await service.inspect(...at(marked), 0)).text;
    expect(await inspect("Poi‸nt")).toBe("interface Point\n\nWhere.");
    expect(await inspect("Pair‸")).toBe("type Pair<T> = [T, T]");
    expect(await inspect("type Mine = string; Mi‸ne")).toBe("type Mine = string");
    expect(await inspect("Partial‸")).toContain("type Partial<T>");
    expect(await inspect("const value = 1; value‸")).toBe("const value: 1");
  });

  test("inspection in detail shows the source of what a cell declared", async () => {
    await runAll("/** Adds one. */\nfunction addition(a: number) {\n  return a + 1;\n}");
    const found = await service.inspect("addition", 8, 1);
    expect(found.text).toContain("function addition(a: number) {\n  return a + 1;\n}");
    expect(found.markdown).toContain("```typescript\nfunction addition(a: number) {\n  return a + 1;\n}\n```");
  });
});

describe("the checker's life", () => {
  beforeEach(startService);

  test("a checker that dies comes back with all it knew", async () => {
    await runAll("const known: number = 1");
    const first = service.processId;
    expect(service.warm).toBe(true);
    const asked = service.diagnose(9, "const text: string = known");
    process.kill(first!, "SIGKILL");
    await asked;
    expect((await run("const text: string = known"))[0]?.code).toBe("TS2322");
    expect(service.processId).not.toBe(first);
  });

  test("a cell is judged by what was there when it was asked for, even if later cells came meanwhile", async () => {
    await runAll("let value = 1");
    const asked = [service.diagnose(2, "value.toFixed()"), service.diagnose(3, "value.toFixed()")];
    service.commit(3, "let value = 'text'");
    expect(await Promise.all(asked)).toEqual([[], []]);
  });

  test("questions may come at the same time", async () => {
    await runAll("const known = 1");
    const [found, completed, inspected, foundToo] = await Promise.all([
      service.diagnose(1, "known.nope"),
      service.complete("know", 4),
      service.inspect("known", 5, 0),
      service.diagnose(2, "known.neither"),
    ]);
    expect(found[0]?.message).toBe("Property 'nope' does not exist on type '1'.");
    expect(foundToo[0]?.message).toBe("Property 'neither' does not exist on type '1'.");
    expect(completed.matches[0]?.text).toBe("known");
    expect(inspected.text).toBe("const known: 1");
  });

  test("after stop, answers are empty", async () => {
    service.stop();
    expect(await service.diagnose(1, "1 + 'a'.nope")).toEqual([]);
    expect(await service.complete("pro", 3)).toEqual({ matches: [], start: 0, end: 3 });
    expect(await service.inspect("process", 3, 0)).toEqual({ found: false, text: "", markdown: "" });
  });
});
