// NVRTC's logs, as it writes them, into what a user is told: the same as of the compilers that every machine has.
import { expect, test } from "vitest";
import { compileFailure } from "./compile-failure.ts";
import { parseSignatures } from "./signature.ts";

const failure = (source: string, log: string) =>
  compileFailure({ source, name: "Cell [3]", device: "cuda", signatures: parseSignatures(source) }, log);

test("a type that is nowhere declared is the one error", () => {
  const source = "__global__ void k(nowhere_t* p) { p[0] = 1; }";
  const block = (message: string, column: number) =>
    `Cell [3](1): error: ${message}\n  ${source}\n  ${" ".repeat(column - 1)}^\n\n`;
  const log =
    block('attribute "__global__" does not apply here', 1) +
    block('incomplete type "void" is not allowed', 17) +
    block('identifier "nowhere_t" is undefined', 19) +
    block('identifier "p" is undefined', 30) +
    block('expected a ";"', 33) +
    '6 errors detected in the compilation of "Cell [3]".\n';
  const { message, diagnostics } = failure(source, log);
  expect(diagnostics).toEqual([
    { line: 1, column: 19, severity: "error", message: 'identifier "nowhere_t" is undefined' },
  ]);
  expect(message).toBe(
    `Cell [3] does not compile: identifier "nowhere_t" is undefined.\n\nCell [3]:1:19\n> 1 | ${source}\n    | ${" ".repeat(18)}^`,
  );
});

test("a brace that is never closed is shown where it opens", () => {
  const source =
    "__global__ void k(int* p) {\n  if (p) {\n    p[0] = 1;\n}\n__global__ void j(int* p) {\n  p[0] = 2;\n}";
  const log =
    'Cell [3](5): error: expected a ";"\n  __global__ void j(int* p) {\n                            ^\n\nAt end of source: error: expected a "}"\nCell [3](1): note #3196-D: to match this "{"\n  __global__ void k(int* p) {\n                            ^\n\n2 errors detected in the compilation of "Cell [3]".\n';
  expect(failure(source, log).diagnostics).toEqual([
    { line: 2, column: 10, severity: "error", message: "this { is never closed" },
  ]);
});

test("an instance, and a kernel of a name that CUDA has, are shown at the kernel", () => {
  const source = "\ntemplate <class T> __global__ void k(T* p) {}\n__global__ void all(int* p) {}";
  expect(failure(source, 'kernel k<nowhere>(1): error: identifier "nowhere" is undefined\n').message).toMatch(
    /^Cell \[3\] does not compile: in k<nowhere>: identifier "nowhere" is undefined\.\n\nCell \[3\]:2:1\n/,
  );
  expect(
    failure(source, 'kernel all(1): error: cannot determine which instance of overloaded function "all" is intended\n')
      .message,
  ).toMatch(
    /^Cell \[3\] does not compile: a function of CUDA is called all too: give the kernel another name\.\n\nCell \[3\]:3:1\n/,
  );
});

test("an error in a header is said with its place, and a log without any as it is", () => {
  expect(failure("", "/a/bad.h(7): catastrophic error: #error directive: no\n  #error no\n   ^\n").message).toBe(
    "Cell [3] does not compile: /a/bad.h:7:2: #error directive: no.",
  );
  expect(failure("", "ptxas fatal   : Unresolved extern function 'f'\n").message).toBe(
    "Cell [3] does not compile: Unresolved extern function 'f'.",
  );
  expect(failure("", "").message).toBe("Cell [3] does not compile: the compiler gives no reason.");
});
