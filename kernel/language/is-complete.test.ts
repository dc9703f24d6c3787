// Which texts may run, which need further lines, which are wrong.
import { expect, test } from "vitest";
import { isComplete } from "./is-complete.ts";

test.each([
  "", "1 + 1", "const a = 1;", "await x", "// only a comment", "/* done */", "`a ${1 + 1} \n b`", "'brackets ( [ {'", "/[/(]+/.test('a')", "a / 2 / (3)", "x = a\n/[0]/1", "{ a: 1, b: 2 }", "{ a: 1 };",
  "if (a) { b }", "function f<T>(a: T): T { return a }", "type A = { b: string }", "@mark class A {}", "enum E { A }", "x?", "x??", "%types strict", "%types off\n1", "label: for (;;) break label", "`${'}'}`", "'a\\\nb'", "declare function f(): void", "function f(a: string): void;", "function f(a: string): void\nfunction f(a: any) {}",
  "%%cuda\n__global__ void f() {}", "%%cuda --name a\nconst char* s = \"{\"; // {\n/* { */ char c = '{';", "%%cuda\nconst char* s = R\"x({{{)x\";",
])("complete: %j", (code) => {
  expect(isComplete(code)).toEqual({ status: "complete", indent: "" });
});

test.each([
  ["if (a) {", "  "], ["  if (a) {\n    b(", "      "], ["f(1,", ""], ["const a =", ""], ["a +", ""], ["a.", ""], ["[1, 2", ""], ["({ a: 1", ""], ["`text", ""], ["`text ${a", ""], ["`text ${a} and", ""], ["/* comment", ""], ["function f(", "  "], ["class A {\n  b() {", "    "],
  ["function f()", ""], ["async function f(a: number): Promise<void>", ""], ["export default function f()", ""], ["function* g()", ""], ["1\nexport function f()", ""],
  ["try {}", ""], ["x ? 1", ""], ["for (;;)", ""], ["a =>", ""], ["type A =", ""], ["import { a", ""], ["import { a } from", ""], ["'text \\", ""], ["f(`a`, // comment", ""], ["const f = (a: number,", ""], ["do {}", ""],
  ["%%cuda", ""], ["%%cuda\n__global__ void f() {", "  "], ["%%cuda\n/* comment", ""],
])("incomplete: %j", (code, indent) => {
  expect(isComplete(code)).toEqual({ status: "incomplete", indent });
});

test.each([
  "}", "a b", "const 1a = 2", "'text", "\"text\n\"", "/re", "x = /[/]", "1 +* 2", "else {}", "(1))", "let 1 = 1", "return 1", "%nope", "%types sometimes", "%%nope\n1", "%%cuda --nope\nint a;", "%%cuda\nint a[2);", "%%cuda\n}",
])("invalid: %j", (code) => {
  expect(isComplete(code)).toEqual({ status: "invalid", indent: "" });
});
