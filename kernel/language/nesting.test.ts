// Code that is nested too deeply is found before a parser's stack overflows; good code never is, however long.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { tooDeepAt } from "./nesting.ts";

/** A level, and what closes it. */
const levels: [name: string, open: string, close?: string][] = [
  ["parentheses", "(", ")"],
  ["lists", "[", "]"],
  ["objects", "({a:", "})"],
  ["blocks", "{", "}"],
  ["functions", "function f(){", "}"],
  ["functions on lines of their own", "function f() {\n", "\n}"],
  ["classes", "class A { m() {", "}}"],
  ["templates", "`x ${", "}`"],
  ["else if", "if(a){}else "],
  ["else if without braces", "if(a) b(); else\n"],
  ["if", "if (/[)]/.test(a))\n"],
  ["for await", "for await (const a of b)\n"],
  ["while", "while(a) "],
  ["do", "do\n"],
  ["arrows", "a=>"],
  ["arrows on lines of their own", "(a) =>\n"],
  ["assignments", "a =\n"],
  ["assignments with an operator", "a += "],
  ["conditions", "a\n? b\n: "],
  ["labels", "a:\n"],
  ["new", "new\n"],
  ["classes of classes", "class extends\n"],
  ["type arguments", "A<", ">"],
  ["keyof", "keyof\n"],
  ["brackets behind what looks like a regular expression", "({}) / (/ 1"],
];

test.each(
  levels,
)("%s 5,000 levels deep, closed or not, are found near the level that is one too many", (_name, open, close = "") => {
  for (const code of [
    open.repeat(5000),
    `${open.repeat(5000)}1${close.repeat(5000)}`,
    `const s = "{";\n/* { */ // {\nx = ${open.repeat(5000)}`,
  ]) {
    expect(tooDeepAt(code)).toBeGreaterThan(300);
    expect(tooDeepAt(code)).toBeLessThan(1100 * open.length);
  }
});

describe("none is found in", () => {
  const long: [name: string, unit: string][] = [
    ["statements", "a = b ? c : { d: [e] };\n"],
    ["statements without semicolons", "a = b ? c : { d: [e] }\nf(a)\n"],
    ["statements that end in ++ or !", "a = b++\nc = d!\n"],
    ["declarations without semicolons", "const a: A<B> = 1\nlet b\n"],
    ["conditions", "if (a < b) { c = d } else if (e) { f() } else { g = h }\n"],
    ["conditions without braces", "if (a) b = c; else d = e;\n"],
    ["loops", "for (const a of b) c = d;\nwhile (a) b = c\ndo { a = b } while (c)\n"],
    ["functions", "function f<T>(a: T): A { return a }\nconst g = (a: T): A => a\n"],
    ["fields", "class A { readonly a: B = 1\n #c: D = 2\n @e f = 3\n static g<T>() { return 1 } }\n"],
    ["cases", "switch (a) { case 1: case 2: b = c\n case 3:\n default: d = e\n break }\n"],
    ["properties", "x = { a: 1, b: c ? d : e, f: [{}], g() {}, ...h };\n"],
    ["strings", "a('({[', \"({[\", `({[ ${b} \\` \\${ $({[`)\n"],
    ["strings that go on in the next line", "a = '{ \\\n {'\n"],
    ["regular expressions", "a.test(b) && /[({/]+\\((?:x|\\[)/.exec(c)\nif (a) /[{(]/.test(b)\n"],
    ["divisions", "a = (b) / c / d[0] / (e)\n"],
    ["comments", "// ({[\n/* ({[\n ({[ */ a()\n"],
    ["markup", "html`<a href='${b}'>${c.map((d) => html`<i>${d}</i>`)}</a>`\n"],
    ["types", "type A<B> = B extends C ? { d: E } : keyof F | readonly G[]\ninterface H { i: J\n k?: L }\n"],
    ["chains", "a.b(c => d)?.e?.[f] ?? g!\n"],
  ];

  test.each(long)("3,000 %s", (_name, unit) => {
    expect(tooDeepAt(unit.repeat(3000))).toBeNull();
  });

  test("one expression of 10,000 terms, a list of 100,000 and a table of 10,000 rows", () => {
    expect(tooDeepAt(`x = 1${" + a.b(c)".repeat(10_000)}`)).toBeNull();
    expect(tooDeepAt(`x = [${"1, ".repeat(100_000)}]`)).toBeNull();
    expect(tooDeepAt(`x = [${'{ "a": [1, 2], "b": { "c": "{" } },\n'.repeat(10_000)}]`)).toBeNull();
    expect(tooDeepAt(`x${"\n  .map((a) => ({ b: a ? 1 : 2 }))".repeat(10_000)}`)).toBeNull();
  });

  test("this project's own sources, one after the other", () => {
    const folders = ["../language/", "../session/", "../supervisor/"].map((folder) => new URL(folder, import.meta.url));
    const sources = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(new URL(name, folder), "utf8")),
    );
    expect(sources.length).toBeGreaterThan(50);
    expect(tooDeepAt(sources.join("\n"))).toBeNull();
  });
});
