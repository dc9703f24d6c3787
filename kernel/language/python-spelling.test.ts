// Python in a TypeScript cell: each spelling says what TypeScript has for it.
import { expect, test } from "vitest";
import { insteadOfMagic, insteadOfPython, pythonSpelling } from "./python-spelling.ts";
import { Scope } from "./scope.ts";
import { transform } from "./transform.ts";

const imports = 'import { tensor, zeros } from "warpcell", or import * as wc from "warpcell"';

test.each([
  ["import numpy as np", "import numpy as np", imports],
  ["from torch import nn", "from torch import nn", imports],
  ["import torch\nx = torch.zeros(3)\nprint(x)", "import torch", imports],
  ["const n = 3;\nimport torch\n\nimport numpy as np", "import torch", imports],
  ["?softmax", "?softmax", "softmax?, behind the name"],
  ["const x = 1;\n# then", "#", "// begins a comment"],
  ["def f(self, x):\n  return x", "def f(self, x)", "function f(x) { … }"],
  ["for i in range(3):\n  console.log(i)", "for i in range(3):", "for (let i = 0; i < 3; i++) { … }"],
  ["for i, x in enumerate(xs):", "for i, x in enumerate(xs):", "for (const [i, x] of enumerate(xs)) { … }"],
  ["with torch.no_grad():", "with torch.no_grad():", "noGrad(() => { … })"],
  ["class Net(nn.Module):\n  pass", "class Net(nn.Module):", "class Net extends nn.Module { … }"],
  ["class Net:", "class Net:", "class Net { … }"],
  [
    "x[:, None]",
    "x[:, None]",
    "x.slice([0, 3], null) takes a part of each axis, null a whole one, and x.unsqueeze(1) adds an axis",
  ],
  ["if x > 3:", "if x > 3:", "if (x > 3) { … }"],
  ["elif (x > 3):", "elif (x > 3):", "else if (x > 3) { … }"],
  ["const y = [x * 2 for x in xs]", "[x * 2 for x in xs]", "xs.map((x) => x * 2)"],
  ["xs.map(lambda x: x + 1)", "lambda x: x + 1", "(x) => x + 1"],
  ["const c = a @ b.T", "a @ b.T", "a.matmul(b.T)"],
  ["x[1:3]", "x[1:3]", "x.slice([1, 3])"],
  ["x[:-1]", "x[:-1]", "x.slice([0, -1])"],
  ['f"loss {loss}"', 'f"loss {loss}"', "`loss ${loss}`"],
  ["print x", "print x", "console.log(x)"],
])("%s", (source, spelt, wanted) => {
  expect(() => transform(source, new Scope(), 0, "/")).toThrow(`${spelt} is Python. In TypeScript: ${wanted}.`);
});

test("a magic below code", () => {
  for (const source of ["const x = 1;\n%help x", "f()\n  %%time g()"])
    expect(() => transform(source, new Scope(), 0, "/")).toThrow(
      /^%{1,2}\w+ stands below code: magics come first in a cell, so move the line up, or into a cell of its own\.$/,
    );
});

test("TypeScript that does not parse keeps the parser's words", () => {
  for (const source of ["let x = ;", "class A { #x = ; }", "const y = { a: x[b ? 1 : };", "if (x { y: 1 }"])
    expect(pythonSpelling(source, source.length - 1)).toBeNull();
});

test.each([
  ["print", "console.log(x) prints, and the value of a cell's last line is shown by itself"],
  ["True", "it is true or false here"],
  ["None", "it is null here"],
  ["len", "x.length is that of a list, x.shape[0] that of a tensor"],
  ["range", "for (let i = 0; i < n; i++) counts, and arange(n) makes a tensor"],
  ["enumerate", "for (const [i, x] of list.entries()) has both"],
  [
    "int",
    'Math.trunc(x) and Number(x) make numbers, x.item() that of a tensor; a type of C++ is a text, kernel.as("float")',
  ],
  ["zip", "a.map((x, i) => [x, b[i]]) goes through two lists"],
  ["sleep", "await new Promise((done) => setTimeout(done, 1000)) waits, and performance.now() tells time"],
  ["tqdm", 'import { progress } from "warpcell": progress(list) tells how far a loop is'],
  ["HTML", "html`…`, md`…` and svg`…` make markup, and plot.image(x) shows an image"],
  ["cuda", "await synchronize() waits for the device, and %%cuda begins a cell of CUDA C++"],
  ["str", "String(x) or `${x}` makes a text"],
  ["help", "%help NAME says what a name means"],
  ["np", 'its functions are imported: import * as wc from "warpcell"'],
  ["plt", 'charts are drawn by plot: import { plot } from "warpcell"'],
])("%s is not defined", (name, advice) => {
  expect(insteadOfPython(`${name} is not defined`)).toBe(`, because it belongs to Python: ${advice}.`);
});

test("any other name that is missing", () => {
  expect(insteadOfPython("printer is not defined")).toBe("");
  expect(insteadOfPython("x is not a function")).toBe("");
});

test("magics of IPython", () => {
  expect(insteadOfMagic("%timeit")).toBe(
    "await benchmark(() => …) runs code many times, and %time says how long a cell took",
  );
  expect(insteadOfMagic("%%bash")).toBe('import { execFileSync } from "node:child_process" runs a program');
  expect(insteadOfMagic("%constructor")).toBeUndefined();
});
