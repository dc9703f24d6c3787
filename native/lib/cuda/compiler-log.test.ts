// Logs as the three compilers write them, into lines and columns of the cell.
import { expect, test } from "vitest";
import { parseDiagnostics } from "./compiler-log.ts";

test("g++ and clang: line, column, severity", () => {
  const log =
    "In file included from <built-in>:1:\nCell [3]: In function 'void k(float*)':\nCell [3]:4:10: error: 'y' was not declared in this scope\n    4 |   p[0] = y;\n      |          ^\nCell [3]:2:5: warning: unused variable 'n' [-Wunused-variable]\nCell [3]:9:1: fatal error: too many errors\nother.h:7:1: note: declared here\n";
  expect(parseDiagnostics(log, "Cell [3]")).toEqual([
    { line: 4, column: 10, severity: "error", message: "'y' was not declared in this scope" },
    { line: 2, column: 5, severity: "warning", message: "unused variable 'n' [-Wunused-variable]" },
    { line: 9, column: 1, severity: "error", message: "too many errors" },
  ]);
});

test("NVRTC: the column from the caret below the line that it shows", () => {
  const log =
    'Cell [3](4): error: identifier "y" is undefined\n    p[0] = y;\n           ^\n\nCell [3](2): warning #177-D: variable "n" was declared but never referenced\n      int n;\n          ^\n\n1 error detected in the compilation of "Cell [3]".\n';
  expect(parseDiagnostics(log, "Cell [3]")).toEqual([
    { line: 4, column: 10, severity: "error", message: 'identifier "y" is undefined' },
    { line: 2, column: 9, severity: "warning", message: 'variable "n" was declared but never referenced' },
  ]);
});

test("a log without messages about the source has none", () => {
  expect(parseDiagnostics("ptxas info    : Used 10 registers\n", "Cell [3]")).toEqual([]);
});
