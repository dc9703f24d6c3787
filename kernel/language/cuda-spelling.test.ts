// CUDA's host side in a TypeScript cell: each spelling says what a notebook has for it.
import { expect, test } from "vitest";
import { cudaSpelling, insteadOfMissing } from "./cuda-spelling.ts";
import { Scope } from "./scope.ts";
import { transform } from "./transform.ts";

test.each([
  ["add<<<1, 256>>>(a, b, c, 3)", "add.launch({ grid: 1, block: 256 }, a, b, c, 3)"],
  [
    "const n = 4;\nadd<<<(n + 255) / 256, 256, 64>>>(a);",
    "add.launch({ grid: (n + 255) / 256, block: 256, shared: 64 }, a)",
  ],
  ["axpy<<<dim3(2, 2), dim3(16, 16)>>>()", "axpy.launch({ grid: dim3(2, 2), block: dim3(16, 16) })"],
])("%s", (source, wanted) => {
  const name = /\w+(?=<<<)/.exec(source)![0];
  expect(() => transform(source, new Scope(), 0, "/")).toThrow(
    `In TypeScript a launch is ${wanted}, not ${name}<<<…>>>(…).`,
  );
  expect(cudaSpelling(source)?.offset).toBe(source.indexOf(name));
});

test("a template with its arguments in C++", () => {
  expect(() => transform("scale<float, 4>.over(n)(x)", new Scope(), 0, "/")).toThrow(
    'In TypeScript the arguments of a template are chosen by scale.as("float", 4), not scale<float, 4>.',
  );
});

test("a kernel in a TypeScript cell", () => {
  expect(() => transform("__global__ void k(float* p) { p[0] = 1; }", new Scope(), 0, "/")).toThrow(
    "__global__ is CUDA C++, which has cells of its own: begin the cell with the line %%cuda.",
  );
});

test("other mistakes keep their own words", () => {
  expect(cudaSpelling("let x = ;")).toBeNull();
  expect(cudaSpelling("const y = 1 << 2 >> 1; f(")).toBeNull();
});

test.each([
  ["cudaMalloc", "zeros([n]) and tensor(data) make arrays on the device"],
  ["cudaMemcpy", "tensor(data) copies to the device, x.data() and x.toArray() copy back"],
  ["cudaFree", "x.dispose() frees an array at once; one that is no longer used is freed by itself"],
  ["cudaDeviceSynchronize", "await synchronize() waits for the device"],
  ["cudaEventRecord", "await kernel.time({ grid, block }, …) and profile(() => …) measure"],
  ["cudaGetLastError", "errors are reported by themselves, with the kernel and the line that launched it"],
  ["threadIdx", "a kernel is written in a cell that begins with %%cuda"],
  ["double", 'a type of C++ is a text, kernel.as("double")'],
  ["cudaGraphCreate", "%help shows what a notebook has instead"],
])("%s is not defined", (name, advice) => {
  expect(insteadOfMissing(`${name} is not defined`)).toBe(`, because it belongs to CUDA C++: ${advice}.`);
});

test("any other name that is missing", () => {
  expect(insteadOfMissing("cudas is not defined")).toBe("");
  expect(insteadOfMissing("x is not a function")).toBe("");
});
