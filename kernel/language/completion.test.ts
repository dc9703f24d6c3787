// What completion and inspection say of cells that have run and of the one that is written, by a real checker.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { atMark, JudgedNotebook } from "../../test/helpers/judged-notebook.ts";

const notebook = new JudgedNotebook();
afterAll(notebook.remove);

beforeAll(notebook.start);

test("completion of names of earlier cells, of this cell, of members, paths and keywords", async () => {
  await notebook.runAll(
    "function addition(a: number) { return a }\nconst addend = 1\nclass Adder { carry = 1; private secret = 2 }",
  );
  expect(await notebook.matches("add‸")).toEqual(["addend", "addition"]);
  expect(await notebook.matches("const added = 1; adde‸")).toEqual(["added", "addend"]);
  expect(await notebook.matches("new Adder().‸")).toEqual(["carry"]);
  expect(await notebook.matches("addend.toF‸")).toEqual(["toFixed"]);
  expect(await notebook.matches("import { pa‸ } from 'typed'")).toEqual(["pad"]);
  expect(await notebook.matches("import { x } from './lo‸'")).toEqual(["local"]);
  expect(await notebook.matches("contin‸")).toEqual(["continue"]);
  expect(await notebook.matches("no_such_name‸")).toEqual([]);
  expect(await notebook.matches("%%cuda\nadd‸")).toEqual([]);
});

test("optional properties complete by their names", async () => {
  await notebook.runAll("import { mkdirSync } from 'node:fs'; const maybe: { recursive?: number } = {}");
  expect(await notebook.matches("mkdirSync('a', { rec‸")).toEqual(["recursive"]);
  expect(await notebook.matches("mkdirSync('a', { ‸ })")).toEqual(["mode", "recursive"]);
  expect(await notebook.matches("maybe.rec‸")).toEqual(["recursive"]);
});

test("only what has a name here completes, not what could be imported", async () => {
  await notebook.runAll("import * as typed from 'typed'");
  expect(await notebook.matches("pad‸")).toEqual([]);
  expect(await notebook.matches("import { pad } from 'typed'; pad‸")).toEqual(["pad"]);
});

test("names that are no identifiers complete inside quotes, also before anything of them is typed", async () => {
  writeFileSync(join(notebook.directory, "values.json"), "{}");
  writeFileSync(join(notebook.directory, "plain.mjs"), "");
  expect(await notebook.matches("import x from './‸'")).toEqual(
    expect.arrayContaining(["local.ts", "plain.mjs", "values.json"]),
  );
  expect(await notebook.matches("const user = { 'first-name': 1 }; user['‸")).toEqual(["first-name"]);
  expect(await notebook.matches("const user = { 'first-name': 1, name: 2 }; user.‸")).toEqual(["name"]);
});

test("a completion has kind, signature, documentation and the text it replaces, in UTF-16 units", async () => {
  await notebook.runAll("/** Adds one. */\nfunction addition(a: number) { return a + 1 }");
  const [code, offset] = atMark("%types warn\nconst face = '😀'; addi‸");
  expect(await notebook.service.complete(code, offset)).toEqual({
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
  expect(await notebook.matches("%‸")).toEqual([
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
  expect(await notebook.matches("%npm ins‸")).toEqual(["install"]);
  expect(await notebook.matches("%%cuda --he‸")).toEqual(["--help"]);
  expect(await notebook.matches("%%profile --c‸")).toEqual(["--counters"]);
  expect(await notebook.matches("%time [1].leng‸")).toEqual(["length"]);
  expect(await notebook.matches("%%time\n[1].leng‸")).toEqual(["length"]);
  expect(await notebook.matches("// about\n%types s‸")).toEqual(["strict"]);
  expect(await notebook.matches("%%cuda --name a --fa‸\nint a;")).toEqual(["--fast-math"]);
  expect(await notebook.matches("%nope ‸")).toEqual([]);
  expect(await notebook.matches("const modulus = 7; 15\n% modulu‸")).toEqual(["modulus"]);
});

test("what is typed decides: exact case first, any case when there is nothing", async () => {
  await notebook.runAll("const Total = 1, total = 2, other = 3");
  expect(await notebook.matches("tot‸")).toEqual(["total"]);
  expect(await notebook.matches("OTHE‸")).toEqual(["other"]);
});

test("inspection of a name, of a member, of a call from within its arguments and from behind it", async () => {
  await notebook.runAll(
    "/** Adds one. */\nfunction addition(a: number) { return a + 1 }",
    "/** How many. */ const total: number = 1",
  );
  const inspect = async (marked: string): Promise<string> =>
    (await notebook.service.inspect(...atMark(marked), 0)).text;
  expect(await inspect("addit‸ion(1)")).toBe("function addition(a: number): number\n\nAdds one.");
  expect(await inspect("addition(‸")).toBe("addition(a: number): number\n\nAdds one.");
  expect(await inspect("addition(1)‸")).toContain("function addition(a: number): number");
  expect(await inspect("total‸")).toBe("const total: number\n\nHow many.");
  expect(await inspect("'a'.length‸")).toContain("length: number");
  expect(await notebook.service.inspect("nothing_there", 4, 0)).toEqual({ found: false, text: "", markdown: "" });
});

test("inspection of a type that stands alone: of earlier cells, of this one, of the library", async () => {
  await notebook.runAll("/** Where. */ interface Point { x: number } type Pair<T> = [T, T]");
  const inspect = async (marked: string): Promise<string> =>
    (await notebook.service.inspect(...atMark(marked), 0)).text;
  expect(await inspect("Poi‸nt")).toBe("interface Point\n\nWhere.");
  expect(await inspect("Pair‸")).toBe("type Pair<T> = [T, T]");
  expect(await inspect("type Mine = string; Mi‸ne")).toBe("type Mine = string");
  expect(await inspect("Partial‸")).toContain("type Partial<T>");
  expect(await inspect("const value = 1; value‸")).toBe("const value: 1");
});

test("inspection in detail shows the source of what a cell declared", async () => {
  await notebook.runAll("/** Adds one. */\nfunction addition(a: number) {\n  return a + 1;\n}");
  const found = await notebook.service.inspect("addition", 8, 1);
  expect(found.text).toContain("function addition(a: number) {\n  return a + 1;\n}");
  expect(found.markdown).toContain("```typescript\nfunction addition(a: number) {\n  return a + 1;\n}\n```");
});
