// Cells as they behave after the transformation: run one after the other over slots, as a session would, with no
// session.
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { asWritten } from "./inserted.ts";
import { Scope } from "./scope.ts";
import { CellSyntaxError } from "./cell-syntax-error.ts";
import type { CellHelpers } from "./cell-helpers.ts";
import { transform, type Transformed } from "./transform.ts";

/** A notebook without a kernel: what cells share, and the helpers they call. */
class Notebook {
  readonly scope = new Scope();
  readonly slots: Record<string, unknown>[] = [];
  readonly used: unknown[] = [];
  readonly asked: unknown[] = [];
  readonly origin = { current: 0 };
  interrupted = false;
  modules: Record<string, Record<string, unknown>> = {};

  transform(code: string, firstOrigin = 1): Transformed {
    const transformed = transform(code, this.scope, firstOrigin, tmpdir());
    while (this.slots.length < transformed.chunks) this.slots.push({});
    return transformed;
  }

  /** The value of the cell's last expression; a promise of it when the cell awaits. */
  run(code: string): unknown {
    const { code: text, chunks, isAsync } = this.transform(code);
    const helpers: CellHelpers = {
      import: async (specifier) => this.modules[specifier]!,
      dynamic: async (specifier) => this.modules[String(specifier)]!,
      meta: { url: "file:///notebook.ts" } as ImportMeta,
      constant: (name) => {
        throw new TypeError(`Assignment to constant variable ${name}.`);
      },
      uninitialised: (name) => {
        throw new ReferenceError(`Cannot access '${name}' before initialization`);
      },
      expose: () => undefined,
      truth: (value, isCall) => {
        this.asked.push([value, isCall]);
        return value;
      },
      loosely: (left, right, operator) => {
        this.asked.push([left, operator, right]);
        return operator === "==" ? left == right : left != right;
      },
      resumed: <T>(value?: T) => {
        if (this.interrupted) throw new Error("interrupted");
        return value as T;
      },
      using: (value) => {
        this.used.push(value);
        return value;
      },
      origin: this.origin,
    };
    const result = (new Function(`return ${text}`)() as (...given: unknown[]) => unknown)(
      helpers,
      ...this.slots.slice(0, chunks),
    );
    const unbox = (boxed: unknown): unknown => (boxed as { value: unknown } | undefined)?.value;
    return isAsync ? (result as Promise<unknown>).then(unbox) : unbox(result);
  }
}

/** Runs cells in one notebook and returns the value of the last. */
function run(...cells: string[]): unknown {
  const notebook = new Notebook();
  return cells.map((cell) => notebook.run(cell)).at(-1);
}

describe("questions of truth and equality that the session answers", () => {
  const asked = (...cells: string[]) => {
    const notebook = new Notebook();
    const values = cells.map((cell) => notebook.run(cell));
    return [values.at(-1), ...notebook.asked];
  };
  const x = "const x = { gt: (n) => n > 1, get: () => 0, any: () => 7 };";

  test.each<[string, unknown[]]>([
    ["let r = 0; if (x.gt(2)) r = 1; r", [1, [true, true]]],
    ["x.gt(0) ? 1 : 2", [2, [false, true]]],
    ["!x.any()", [false, [7, true]]],
    ["!(x.any())", [false, [7, true]]],
    ["x.gt(2) && x.gt(1)", [false, [true, true]]],
    ["x.gt(1) || x.get()", [0, [false, true]]],
    ["const y = x.gt(2); y ? 3 : 4", [3, [true, false]]],
    ["let n = 3; while (n) n--; n", [0, [3, false], [2, false], [1, false], [0, false]]],
    ["let n = 2; for (; n && x.gt(n); n--); n", [1, [2, false], [true, true], [1, false], [false, true]]],
    ["let n = 1; do n--; while (n); n", [0, [0, false]]],
    ["if (x.get()) 1", [undefined]],
    ["x ?? 1; x.any() ?? 2", [7]],
    ["if (x.gt) 1; if (x.get() > 1) 2", [undefined]],
    ["if (undefined) 1", [undefined]],
  ])("%s", (cell, wanted) => {
    expect(asked(x, cell)).toEqual(wanted);
  });

  test.each<[string, unknown[]]>([
    ["const a = 1, b = '1'; a == b", [true, [1, "==", "1"]]],
    ["const a = 1, b = 2; a != b", [true, [1, "!=", 2]]],
    ["const f = (n) => n; (f(1), f(2)) == (f(3), f(2))", [true, [2, "==", 2]]],
    ["const a = 1; (a == (a)) == (a != a)", [false, [1, "==", 1], [1, "!=", 1], [true, "==", false]]],
    ["const a = null; a == null || 'b' != a || `c` == a || typeof a == a", [true]],
    ["const a = 1; a === a && a !== 2", [true]],
    [
      "const p = [1], q = [1], sum = (x) => x; [(p == q).sum?.(), sum(p) == q]",
      [
        [undefined, false],
        [[1], "==", [1]],
        [[1], "==", [1]],
      ],
    ],
    ["const p = { sum: () => 2 }; (async () => 2)(), p.sum() == p.sum()", [true, [2, "==", 2]]],
  ])("%s", (cell, wanted) => {
    expect(asked(cell)).toEqual(wanted);
  });

  test("what is awaited is asked for once it is there", async () => {
    const notebook = new Notebook();
    const value = await notebook.run(
      "const f = async (n) => n; [await f(1) == await f(1), (await f(2)) != await f(3)]",
    );
    expect([value, ...notebook.asked]).toEqual([
      [true, true],
      [1, "==", 1],
      [2, "!=", 3],
    ]);
  });

  test("functions have the text that was written", () => {
    const text = run(
      "const f = (a, b) => { if (a.gt(1) && !b) return a == b; return (a) != b ? a : b; };",
      "f.toString()",
    );
    expect(asWritten(text as string).replace(/\s+/g, " ")).toBe(
      "(a, b) => { if ((a).gt(1) && !b) return a == b; return a != b ? a : b; }",
    );
  });
});

describe("values", () => {
  test.each<[string, unknown]>([
    ["1 + 1", 2],
    ["1 + 1;", 2],
    ["const a = 1", undefined],
    ["{ a: 1 }", { a: 1 }],
    ["{ a: 1 };", { a: 1 }],
    ["// a comment\n/* and another: { */ { a: '; // }' }; // and one more;\n/* ; */", { a: "; // }" }],
    ["{}", {}],
    ["{ let a = 1; a }", undefined],
    ['"use strict"', "use strict"],
    ["let comma = 1; comma++, comma", 2],
    ["1, 2 // both", 2],
    ["#!/usr/bin/env node\n3", 3],
    ["let x: number = 2; (x as any) satisfies number", 2],
    ["let s = 0; for (let i = 0; i < 4; i++) s += i; s", 6],
    ["// a comment\n7 // another", 7],
    ["import type { Stats } from 'node:fs'\n8", 8],
    ["export type Size = number; export interface Box { size: Size }\nconst box: Box = { size: 9 }; box.size", 9],
    ["typeof unknownName", "undefined"],
    ["[1, 2].map((x) => ({ x }))", [{ x: 1 }, { x: 2 }]],
  ])("%s", (code, value) => {
    expect(run(code)).toEqual(value);
  });

  test("a promise is a value, not awaited", () => {
    expect(run("Promise.resolve(1)")).toBeInstanceOf(Promise);
  });

  test("a cell is asynchronous only when it awaits at its top level", async () => {
    const notebook = new Notebook();
    expect(
      notebook.transform("async function f() { await 1 }\nconst g = async () => { for await (const x of []) x }")
        .isAsync,
    ).toBe(false);
    expect(notebook.transform("for await (const x of [1]) x").isAsync).toBe(true);
    await expect(notebook.run("const a = await Promise.resolve(3); a + 1")).resolves.toBe(4);
  });
});

test("what waits when it is interrupted goes no further, at any depth", async () => {
  const notebook = new Notebook();
  notebook.run("let steps = 0; async function* numbers() { for (;;) yield 1 }");
  const cells = [
    "await 0; steps++",
    "const f = async () => { steps += (await 0, 1) }\nawait f()",
    "for await (const n of numbers()) steps += n",
    "for await (const n of numbers()) { steps += n }",
  ];
  for (const cell of cells) {
    notebook.interrupted = false;
    const result = notebook.run(cell);
    notebook.interrupted = true;
    await expect(result).rejects.toThrow("interrupted");
  }
  expect(notebook.run("steps")).toBe(0);
});

describe("names across cells", () => {
  test.each<[string, string[], unknown]>([
    ["const, again", ["const a = 1", "const a = 2", "a"], 2],
    ["let, then a function", ["let a = 1", "function a() { return 3 }", "a()"], 3],
    ["a class again", ["class A { x = 1 }", "class A { x = 2 }", "new A().x"], 2],
    ["a function sees what is declared again", ["let n = 1; function f() { return n }", "let n = 5", "f()"], 5],
    [
      "a function sees itself declared again",
      ["function f(n) { return n ? f(n - 1) : 'old' }\nconst g = f", "function f() { return 'new' }", "g(1)"],
      "new",
    ],
    ["var in a block", ["for (var i = 0; i < 3; i++) { var j = i }", "[i, j]"], [3, 2]],
    ["for … in with var", ["for (var k in { p: 1 }) {}", "k"], "p"],
    [
      "destructuring",
      ["const { a, b: [c, d = 4], ...rest } = { a: 1, b: [2], e: 5 }", "[a, c, d, rest]"],
      [1, 2, 4, { e: 5 }],
    ],
    [
      "assignment by destructuring",
      ["let a = 1, b = 2", "[a, b] = [b, a]; ({ a } = { a: a + 10 })", "[a, b]"],
      [12, 1],
    ],
    ["shorthand properties", ["const a = 1", "({ a })"], { a: 1 }],
    ["enum", ["enum Color { Red, Green = 'g' }", "[Color.Red, Color[0], Color.Green]"], [0, "Red", "g"]],
    ["an enum again has no old members", ["enum E { A, B }", "enum E { A }", "Object.keys(E)"], ["0", "A"]],
    [
      "namespace",
      ["namespace N { export const x = 1 }\nnamespace N { export const y = N.x + 1 }", "[N.x, N.y]"],
      [1, 2],
    ],
    ["exports", ["export const a = 1; export function f() { return a }\nexport { a as b }", "f()"], 1],
    ["a default export with a name", ["export default function f() { return 1 }", "f()"], 1],
    ["types alone", ["interface A { x: number } type B = A; declare const c: B", "1"], 1],
    ["parameter properties", ["class P { constructor(readonly x: number) {} }", "new P(3).x"], 3],
  ])("%s", (_, cells, value) => {
    expect(run(...cells)).toEqual(value);
  });

  test("more names than one chunk of slots keep their values", () => {
    const notebook = new Notebook();
    notebook.run(Array.from({ length: 200 }, (_, i) => `let v${i} = ${i}`).join("\n"));
    expect(notebook.run("v0 + v63 + v64 + v199")).toBe(0 + 63 + 64 + 199);
    expect(notebook.slots.length).toBe(4);
  });

  test("names that a cell uses for its own helpers are avoided", () => {
    expect(run("const $$ = 1; const $$0 = 2", "$$ + $$0")).toBe(3);
  });
});

describe("inner scopes", () => {
  test.each<[string, string, unknown]>([
    ["a parameter", "((a) => a)(2)", 2],
    ["a default that uses the outer name", "((b = a) => b)()", 1],
    ["a block's let", "{ let a = 2; void a } a", 1],
    ["a hoisted var", "(() => { const before = a; var a = 3; return [before, a] })()", [undefined, 3]],
    ["a hoisted function", "(() => { return a(); function a() { return 4 } })()", 4],
    ["a catch parameter", "(() => { try { throw 5 } catch (a) { return a } })()", 5],
    ["a loop variable", "(() => { for (const a of [6]) return a })()", 6],
    ["a function expression's own name", "(function a() { return typeof a })()", "function"],
    ["a class expression's own name", "new (class a { m() { return typeof a } })().m()", "function"],
    ["a label", "a: for (;;) break a; a", 1],
    ["a property", "({ a: 7 }).a", 7],
    ["a method", "({ a() { return 8 } }).a()", 8],
    ["a computed key", "({ [a]: 9 })[1]", 9],
    ["a switch's let", "(() => { switch (1) { case 1: let a = 10; return a } })()", 10],
    ["a pattern with a default", "(({ a: { c = a } }) => c)({ a: {} })", 1],
    ["a static block", "(class { static v; static { const a = 11; this.v = a } }).v", 11],
    ["a tagged template", "String.raw`${a}`", "1"],
  ])("%s", (_, code, value) => {
    expect(run("const a = 1", code)).toEqual(value);
  });
});

describe("what JavaScript promises", () => {
  test("a call has no this", () => {
    expect(run("function f() { return this }", "f()")).toBeUndefined();
    expect(run("const o = { f() { return this } }", "o.f() === o")).toBe(true);
    expect(run("function t() { return this }", "t``")).toBeUndefined();
  });

  test("functions are hoisted, and named", () => {
    expect(run("f(); function f() { return 1 }\nconst g = () => 2, h = class {}\n;[f.name, g.name, h.name]")).toEqual([
      "f",
      "g",
      "h",
    ]);
  });

  test.each([
    "a = 2",
    "a++",
    "[a] = [2]",
    "({ a } = { a: 2 })",
    "for (a of [2]) ;",
  ])("a constant cannot be assigned: %s", (code) => {
    expect(() => run("const a = 1", code)).toThrow(new TypeError("Assignment to constant variable a."));
  });

  test("a name has no value before its declaration", () => {
    expect(() => run("a; let a = 1")).toThrow(new ReferenceError("Cannot access 'a' before initialization"));
    expect(() => run("const a = 1", "const a = a + 1")).toThrow(ReferenceError);
    expect(run("const f = () => b; const b = 2; f()")).toBe(2);
  });

  test.each<[string, string]>([
    ["a function", "const reads = () => late; String(reads()); const late = 1"],
    ["a function that is hoisted", "reads(); let late = 1; function reads() { return [late] }"],
    ["an initialiser beside it", "const reads = () => late; const first = reads(), late = 1"],
    ["its own initialiser", "const reads = () => late; const late = reads()"],
    ["a class", "const makes = () => new late(); makes(); class late {}"],
    ["a pattern", "const reads = () => late; const [first = reads(), late] = [undefined, 1]"],
    ["its own default", "const reads = () => late; const { late = reads() } = {}"],
    ["another default of its pattern", "const { first = late, late } = { late: 1 }"],
    ["the statement before a pattern", "const first = late; const { late } = { late: 1 }"],
    ["a function that waits", "const reads = async () => late; await reads(); const late = 1"],
    [
      "a function in another statement that is exported",
      "const reads = () => ({ late }); reads(); export const late = 1",
    ],
  ])("a cell that is run again sees no value of its earlier run: %s", async (_, code) => {
    const notebook = new Notebook();
    const old = notebook.run("let late = () => 'old', first; late");
    const again = (async () => notebook.run(code))();
    await expect(again).rejects.toThrow(new ReferenceError("Cannot access 'late' before initialization"));
    // What failed before its declaration took nothing away.
    expect(notebook.run("late")).toBe(old);
  });

  test.each<[string, string, unknown]>([
    ["an initialiser beside it", "const reads = () => late; const late = String(1), first = reads(); first", "1"],
    [
      "another default of its pattern",
      "const reads = () => late; const { late, first = reads() } = { late: 1 }; first",
      1,
    ],
    [
      "a list",
      "const reads = () => late; const [late, first = reads(), ...rest] = [1, undefined, 3]; [first, rest]",
      [1, [3]],
    ],
    ["nothing", "const reads = () => late; String(0); let late; reads()", undefined],
    ["a class", "const makes = () => new late(); String(0); class late { x = 2 } makes().x", 2],
    ["an assignment", "const reads = () => late; String(0); let late = 1; late = 3; reads()", 3],
    ["a name", "const reads = () => late.name; String(0); const late = () => 0; reads()", "late"],
  ])("what may be read too early is read in time: %s", (_, code, value) => {
    const notebook = new Notebook();
    for (let run = 0; run < 2; run++) expect(notebook.run(code)).toEqual(value);
  });

  test("an unknown name cannot be assigned", () => {
    expect(() => run("notDeclaredAnywhere = 1")).toThrow(ReferenceError);
  });

  test("a declaration without a value is undefined, also again", () => {
    expect(run("let a = 1", "let a; a")).toBeUndefined();
    expect(run("var a = 1", "var a; a")).toBe(1);
  });
});

describe("modules", () => {
  const modules = { m: { default: "d", x: 1, "a-b": 2 } };

  async function withModules(...cells: string[]): Promise<unknown> {
    const notebook = new Notebook();
    notebook.modules = modules;
    let value: unknown;
    for (const cell of cells) value = await notebook.run(cell);
    return value;
  }

  test.each<[string, string[], unknown]>([
    ["default, named, renamed", ['import d, { x, "a-b" as ab } from "m"', "[d, x, ab]"], ["d", 1, 2]],
    ["namespace", ['import * as n from "m"', "n.x"], 1],
    ["before the statements above them", ["const y = x; import { x } from 'm'; y"], 1],
    ["dynamic", ["(await import('m')).x"], 1],
    ["types only", ['import type { T } from "nowhere"; import { type U, x } from "m"; x'], 1],
    ["re-exports load the module", ['export * from "m"; export { x } from "m"; 1'], 1],
  ])("%s", async (_, cells, value) => {
    await expect(withModules(...cells)).resolves.toEqual(value);
  });

  test("an import that only a later cell uses stays", async () => {
    await expect(withModules('import { x } from "m"', "x")).resolves.toBe(1);
  });

  test("import.meta is the notebook's", () => {
    expect(run("import.meta.url")).toBe("file:///notebook.ts");
  });
});

test("JSX is refused by its name", () => {
  for (const code of ["<div/>", "const y = <div>hi</div>"])
    expect(() => run(code)).toThrow("JSX is not supported in cells. Write html");
  for (const code of ["const y = <div>hi", "class {}", "const a = 1; const a = 2"])
    expect(() => run(code)).toThrow(/^(?!.*JSX)/);
});

test("using at the top level hands its value over, and later cells see the cell's other names", () => {
  const notebook = new Notebook();
  notebook.run("using a = { [Symbol.dispose]() {} }; const b = 2; enum E { A }");
  expect(notebook.used).toEqual([notebook.run("a")]);
  expect(notebook.run("b + E.A")).toBe(2);
});

describe("launches", () => {
  test.each([
    ["fill.launch(1)", { line: 3, column: 1 }],
    ["  fill.over(8)(1)", { line: 3, column: 3 }],
    ["await0 = fill?.launch(2)", { line: 3, column: 10 }],
    ["fill.as('float').launch(2)", { line: 3, column: 1 }],
  ])("%s knows its place", (code, place) => {
    const notebook = new Notebook();
    notebook.scope.declare("await0", "variable");
    notebook.scope.declare("fill", "constant");
    const { origins, positions } = notebook.transform(`// one\n\n${code}`);
    expect(origins.map((offset) => positions.ofOffset(offset))).toEqual([place]);
  });

  test("the number of the call is stored before it", () => {
    const notebook = new Notebook();
    const seen: number[] = [];
    const kernel = {
      launch: () => seen.push(notebook.origin.current),
      over: () => () => seen.push(notebook.origin.current),
    };
    notebook.run("let kernel");
    notebook.slots[0]!["kernel"] = kernel;
    notebook.run("kernel.launch(); kernel.launch()");
    notebook.run("const every = kernel.over(8)\nevery()");
    expect(seen.length).toBe(3);
    expect(new Set(seen.slice(0, 2)).size).toBe(2);
    expect(seen[2]).not.toBe(0);
  });
});

describe("places", () => {
  test("of running code are those of the cell", () => {
    const { code, positions } = new Notebook().transform(
      "interface Removed {\n  x: number\n}\nconst a: number = 1\n  nowhere.at(a as any)",
    );
    const lines = code.split("\n");
    const line = lines.findIndex((text) => text.includes("nowhere"));
    expect(positions.of(line + 1, lines[line]!.indexOf("nowhere") + 1)).toEqual({ line: 5, column: 3 });
    positions.settle();
    expect(positions.of(line + 1, lines[line]!.indexOf("nowhere") + 1)).toEqual({ line: 5, column: 3 });
    const wide = new Notebook().transform("'é😀'; const a = 1; nowhere(a)");
    expect(wide.origins.map((offset) => wide.positions.ofOffset(offset))).toEqual([{ line: 1, column: 21 }]);
  });

  test("of syntax errors are those of the cell, also behind characters of two units", () => {
    const place = (code: string): unknown => {
      try {
        new Notebook().transform(code);
      } catch (error) {
        return error instanceof CellSyntaxError ? [error.line, error.column] : error;
      }
      return undefined;
    };
    expect(place("let a = ;")).toEqual([1, 9]);
    expect(place("'é😀'; let b: = 2")).toEqual([1, 15]);
    expect(place("const a = 1\nconst a = 2")).toEqual([2, 7]);
    expect(place("return 1")).toEqual([1, 1]);
  });
});
