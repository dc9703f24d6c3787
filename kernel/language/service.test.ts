// The type service as the supervisor uses it: a real checker, a notebook in a temporary folder, cells in the order they
// run.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { JudgedNotebook } from "../../test/helpers/judged-notebook.ts";

const notebook = new JudgedNotebook();
afterAll(notebook.remove);

describe("plain JavaScript", () => {
  beforeAll(notebook.start);

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
    await notebook.runAll(...cells);
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
    expect((await notebook.run(code)).map((found) => found.code)).toContain(expected);
  });
});

describe("a notebook", () => {
  beforeAll(notebook.start);

  test("a type error has its place in the cell, its number and its sentence", async () => {
    await notebook.runAll("const width: number = 5");
    expect(await notebook.service.diagnose(7, "// above\nconst 𝒙 = 1, label: string =\n  width")).toEqual([
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
    await notebook.runAll(
      "const x = 1",
      "x.toFixed()",
      "const x = 'text'",
      "x.toUpperCase()",
      "function x(n: number) { return n }",
      "x(1)",
      "class x { field = 1 }",
      "new x().field",
    );
    expect((await notebook.run("x(1)"))[0]?.code).toBe("TS2348");
    await notebook.runAll("let x = [1]", "x = [2]");
    expect((await notebook.run("x = 'text'"))[0]?.message).toBe("Type 'string' is not assignable to type 'number[]'.");
  });

  test("types, interfaces, enums and namespaces are redeclared too, and named by their cell in messages", async () => {
    const first = notebook.count + 1;
    await notebook.runAll(
      "interface Point { x: number }",
      "const p: Point = { x: 1 }",
      "interface Point { y: string }",
      "const q: Point = { y: 'a' }",
      "enum Colour { Red }",
      "Colour.Red",
      "namespace Space { export const size = 1 }",
      "Space.size.toFixed()",
    );
    const [found] = await notebook.run("const r: Point = p");
    expect(found?.message).toContain(
      `Property 'y' is missing in type 'Point of Cell [${first}]' but required in type 'Point of Cell [${first + 2}]'`,
    );
  });

  test("a value and a type of one name are redeclared each on its own, a class as a whole", async () => {
    await notebook.runAll(
      "const Id = { parse: (text: string) => Number(text) }; type Id = ReturnType<typeof Id.parse>",
      "const id: Id = Id.parse('1')",
    );
    await notebook.runAll(
      "type Id = string",
      "const text: Id = 'a'; Id.parse(text)",
      "let Id = 5",
      "const other: Id = 'a'; Id = 6",
      "type Id<T> = T[]",
      "const list: Id<number> = [Id]",
    );
    await notebook.runAll(
      "class Id { field = 1 }",
      "const made: Id = new Id()",
      "const Id = 1",
      "interface Id { y: number }",
      "const both: Id = { y: Id }",
    );
    await notebook.runAll(
      "class Kind { field = 1 }",
      "type Kind = { other: number }",
      "const own: Kind = { other: new Kind().field }",
      "interface Kind<T> { item: T }",
      "const more: Kind<number> = { item: new Kind().field }",
    );
  });

  test("what a cell declares for all of the program stays, whether it has a name or not", async () => {
    await notebook.runAll(
      "declare global { interface Array<T> { last(): T } }",
      "[1].last().toFixed()",
      "const unrelated = 1",
      "const final: number = [1].last()",
    );
  });

  test("a cell that is run again takes the newest names, and its own names are replaced", async () => {
    await notebook.runAll("const a = 1", "const b = a", "const a = 'text'");
    expect(await notebook.service.diagnose(4, "const n: number = b")).toEqual([]);
    await notebook.runAll("const b = a");
    expect((await notebook.run("const n: number = b"))[0]?.code).toBe("TS2322");
  });

  test("a name may take its next value from another that takes it from the first, for ever", async () => {
    await notebook.runAll("let a = 1", "let b = 1");
    for (let i = 0; i < 80; i++) {
      notebook.service.commit(++notebook.count, i % 2 === 0 ? "let a = b" : "let b = a");
      if (i % 10 === 0) await notebook.runAll("a + b");
    }
    await notebook.runAll("a + b");
    expect((await notebook.run("a + no_such_name"))[0]?.code).toBe("TS2304");
  });

  test("what a later cell assigned is known: no more null, and null again", async () => {
    await notebook.runAll(
      "let model: { rate: number } | null = null",
      "model = { rate: 1 }",
      "const rate: number = model.rate",
    );
    await notebook.runAll("model = null as { rate: number } | null");
    expect((await notebook.run("const again: number = model.rate"))[0]?.code).toBe("TS18047");
  });

  test("top-level await, using, loops and an object literal that is all of a cell", async () => {
    await notebook.runAll(
      "const text = await Promise.resolve('a'); for await (const n of [1]) n",
      "text.length",
      "using handle = { [Symbol.dispose]() {} }",
      "var sum = 0; for (var i = 0; i < 3; i++) sum += i",
      "sum + i",
      "{ a: 1, b: text };",
    );
  });

  test("imports keep their types in later cells: packages, relative files, Node", async () => {
    await notebook.runAll(
      "import { pad } from 'typed'; import { local } from './local.ts'; import fs from 'node:fs'; import type { Stats } from 'node:fs'",
      "pad('a', 2); local.toFixed(); let stats: Stats | undefined",
    );
    expect((await notebook.run("pad(1, 2)"))[0]?.code).toBe("TS2345");
    expect((await notebook.run("const text: string = local"))[0]?.code).toBe("TS2322");
    expect((await notebook.run("const size: string = fs.statSync('.').size"))[0]?.code).toBe("TS2322");
  });

  test("a relative file that was edited is read again, also behind another one", async () => {
    await notebook.runAll("import { inner } from './local.ts'; inner.toFixed()");
    writeFileSync(join(notebook.directory, "inner.ts"), "export const inner = 'text';\n");
    utimesSync(join(notebook.directory, "inner.ts"), 1, 1);
    await notebook.runAll("import { inner } from './local.ts'; inner.toUpperCase()");
  });

  test("a package that is installed while the notebook is open is found", async () => {
    expect((await notebook.run("import { late } from 'late'"))[0]?.code).toBe("TS2307");
    mkdirSync(join(notebook.directory, "node_modules/late"));
    writeFileSync(
      join(notebook.directory, "node_modules/late/package.json"),
      JSON.stringify({ name: "late", types: "index.d.ts" }),
    );
    writeFileSync(join(notebook.directory, "node_modules/late/index.d.ts"), "");
    expect((await notebook.run("import { late } from 'late'"))[0]?.code).toBe("TS2306");
    writeFileSync(join(notebook.directory, "node_modules/late/index.d.ts"), "export declare const late: number;\n");
    await notebook.runAll("import { late } from 'late'; late.toFixed()");
  });

  test("kernels of a CUDA cell are typed, and typed anew when it is run again", async () => {
    const declare = (parameter: string): void =>
      notebook.service.declare(++notebook.count, [
        { name: "fill", text: `declare const fill: { launch(shape: { grid: number }, value: ${parameter}): void };` },
      ]);
    declare("number");
    await notebook.runAll("fill.launch({ grid: 1 }, 1)");
    expect((await notebook.run("fill.launch({ grid: 1 }, 'a')"))[0]).toMatchObject({
      line: 1,
      column: 26,
      code: "TS2345",
    });
    expect(await notebook.matches("fill.la‸")).toEqual(["launch"]);
    declare("string");
    await notebook.runAll("fill.launch({ grid: 1 }, 'a')");
  });

  test("the library's own types: kernels and tensors, without an import, from this installation", async () => {
    await notebook.runAll('import { ones, zeros } from "warpcell"; const n = 1 << 20, x = ones([n]), y = zeros([n]);');
    const tensor = 'import("warpcell").Tensor<"float32">';
    notebook.service.declare(++notebook.count, [
      {
        name: "fill",
        text: `declare const fill: import("warpcell").Kernel<[p: ${tensor} | null, n: number, value: number]>`,
      },
    ]);
    await notebook.runAll("fill.launch({ grid: 64, block: 256 }, y, n, 1.5)", "fill.over(n)(x, n, 1)", "y");

    const found = await notebook.run(
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
    expect((await notebook.service.complete("fill.lau", 8)).matches[0]).toMatchObject({
      text: "launch",
      type: "method",
      signature: 'launch(config: LaunchConfig, p: Tensor<"float32"> | null, n: number, value: number): void',
    });
    expect((await notebook.service.inspect("y", 1, 0)).text).toBe('const y: Tensor<"float32">');
  });

  test("a list in parentheses, as Python has it, is marked; what cannot be reached is not", async () => {
    await notebook.runAll('import { ones } from "warpcell"; const rows = 3;');
    const parentheses = {
      code: "TS2695",
      message: "A comma in parentheses drops what stands before it: a list is written in brackets, such as [3, 4].",
    };
    expect(await notebook.run("ones((3, 4))")).toMatchObject([parentheses]);
    expect(await notebook.run("ones((rows, 4))")).toMatchObject([parentheses]);
    expect(await notebook.run("let at = 1; ones((at++, at)); (() => { return 1; at = 2; })(); (0, eval)('1')")).toEqual(
      [],
    );
  });

  test("brackets behind a tensor are marked, and say what to write; other implicit any is not", async () => {
    await notebook.runAll(
      'import { zeros } from "warpcell"; let x = zeros([2, 2]), i = 0; const other = { a: 1 };',
      "other[i]",
    );
    const brackets = {
      code: "TS7053",
      message: "Brackets do not index a tensor: write x.get(0) for x[0], and x.set([0], value) for x[0] = value.",
    };
    expect(await notebook.run("x[0]")).toMatchObject([brackets]);
    expect(await notebook.run("x[i] = 1;\nx[-1]")).toMatchObject([
      { ...brackets, line: 1 },
      { ...brackets, line: 2 },
    ]);
    await notebook.runAll("for (const row of x) row.sum(); const [first, second] = x.toArray(); first.length");
  });

  test("operators between tensors are marked, and say what to write", async () => {
    await notebook.runAll('import { ones } from "warpcell"; let x = ones([2]);');
    const messages = async (code: string) => (await notebook.run(code)).map(({ message }) => message);
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
    await notebook.runAll('import { type Tensor, exp, zeros } from "warpcell"; let bare = (x: Tensor) => x;');
    expect((await notebook.service.inspect("bare", 1, 0)).text).toBe("let bare: (x: Tensor) => Tensor<any>");
    expect((await notebook.service.inspect("exp", 1, 0)).text).toContain("e^x.");
    expect((await notebook.service.inspect("zeros([1]).sqrt_()", 13, 0)).text).toContain(
      "In place: the square root: √x;",
    );
    expect((await notebook.service.inspect("zeros([1]).add", 13, 0)).text).toContain("a + b.");
    const names = await notebook.matches("zeros([1]).‸");
    expect(names).toContain("exp_");
    for (const own of ["storage", "living", "placeLow", "view", "index_select"]) expect(names).not.toContain(own);
  });

  test("what documentation says comes with its signature and its example", async () => {
    await notebook.runAll('import { exp, max, mseLoss, zeros, nn } from "warpcell"; const x = zeros([2, 3]);');
    const inspect = async (code: string): Promise<string> =>
      (await notebook.service.inspect(code, code.length, 0)).text;
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
    expect(await inspect("x.softmax")).toMatch(/softmax<E[^]*\(axis\?[^]*e\^x \/ Σe\^x[^]*Example:\ntensor\(/);
    expect(await inspect("nn.Linear")).toMatch(/class Linear[^]*weightᵀ[^]*Example:\nconst layer = new nn\.Linear\(/);
    for (const name of ["max", "mseLoss"])
      expect(await inspect(name)).toMatch(new RegExp(`^function ${name}<D extends`));
    const { markdown } = await notebook.service.inspect("exp", 1, 0);
    expect(markdown).toContain("Example:\n```typescript\nexp(tensor([0, 1]))");
  });

  test("a file that a cell reads by require may be written before it comes to that", async () => {
    await notebook.runAll(
      'import fs from "node:fs"; fs.writeFileSync("./later.json", "{}"); const later = require("./later.json");',
    );
    expect(await notebook.run('import later from "./missing.json"; require("nowhere")')).toMatchObject([
      { code: "TS2307" },
      { code: "TS2307" },
    ]);
  });

  test("the kernel's own globals are known", async () => {
    await notebook.runAll(
      "display({ 'text/plain': 'a' }, { raw: true }); display.clear(true); display.update('id', html`<b>${1}</b>`); md`# a`; svg`<svg/>`; const sure: boolean = confirm('?')",
      "const name = prompt('?') ?? 'none'; name.length; (await input('?', { password: true }))?.length",
      "new Comm('target').send({ a: 1 }); Comm.register('target', (comm, message) => { comm.onMessage = ({ data }) => data.x; message.buffers })",
      "_.anything; _error; require('fs'); process.argv",
    );
  });

  test("code that does not parse has no type errors: running it says what is wrong", async () => {
    expect(await notebook.run("const = 1")).toEqual([]);
  });
});

describe("the checker's life", () => {
  beforeEach(notebook.start);

  test("a checker that dies comes back with all it knew", async () => {
    await notebook.runAll("const known: number = 1");
    const first = notebook.service.processId;
    expect(notebook.service.warm).toBe(true);
    const asked = notebook.service.diagnose(9, "const text: string = known");
    process.kill(first!, "SIGKILL");
    await asked;
    expect((await notebook.run("const text: string = known"))[0]?.code).toBe("TS2322");
    expect(notebook.service.processId).not.toBe(first);
  });

  test("a cell is judged by what was there when it was asked for, even if later cells came meanwhile", async () => {
    await notebook.runAll("let value = 1");
    const asked = [notebook.service.diagnose(2, "value.toFixed()"), notebook.service.diagnose(3, "value.toFixed()")];
    notebook.service.commit(3, "let value = 'text'");
    expect(await Promise.all(asked)).toEqual([[], []]);
  });

  test("questions may come at the same time", async () => {
    await notebook.runAll("const known = 1");
    const [found, completed, inspected, foundToo] = await Promise.all([
      notebook.service.diagnose(1, "known.nope"),
      notebook.service.complete("know", 4),
      notebook.service.inspect("known", 5, 0),
      notebook.service.diagnose(2, "known.neither"),
    ]);
    expect(found[0]?.message).toBe("Property 'nope' does not exist on type '1'.");
    expect(foundToo[0]?.message).toBe("Property 'neither' does not exist on type '1'.");
    expect(completed.matches[0]?.text).toBe("known");
    expect(inspected.text).toBe("const known: 1");
  });

  test("after stop, answers are empty", async () => {
    notebook.service.stop();
    expect(await notebook.service.diagnose(1, "1 + 'a'.nope")).toEqual([]);
    expect(await notebook.service.complete("pro", 3)).toEqual({ matches: [], start: 0, end: 3 });
    expect(await notebook.service.inspect("process", 3, 0)).toEqual({ found: false, text: "", markdown: "" });
  });
});
