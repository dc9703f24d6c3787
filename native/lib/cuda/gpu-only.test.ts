// Names that a cell cannot have: what is said in place of a compiler's words, on both devices.
import { expect, test } from "vitest";
import { instead } from "./gpu-only.ts";

const messages = (name: string, isHeader: boolean): string[] =>
  isHeader
    ? [`${name}: No such file or directory`, `'${name}' file not found`, `cannot open source file "${name}"`]
    : [
        `'${name}' was not declared in this scope`,
        `use of undeclared identifier '${name}'`,
        `identifier "${name}" is undefined`,
      ];

test.each<[string, RegExp]>([
  ["mma.h", /or: use a tiled loop/],
  ["cub/cub.cuh", /or: use sum, mean/],
  ["cuda/atomic", /or: use atomicAdd/],
  ["cuda/std/limits", /or: include the header of the C\+\+ library/],
  ["thrust/sort.h", /or: use the methods of tensors/],
  ["cuda_pipeline.h", /or: copy/],
  ["curand_kernel.h", /or: use random/],
  ["cuda_fp8.h", /or: use __half/],
])("%s needs a GPU, and on a GPU the toolkit's headers", (header, advice) => {
  for (const message of messages(header, true)) {
    expect(instead(message, "cpu")).toMatch(
      new RegExp(`^${header.replace(".", "\\.")} needs a GPU \\(${advice.source}`),
    );
    expect(instead(message, "cuda")).toMatch(/comes with the headers of the CUDA toolkit, which are not installed/);
  }
});

test.each<[string, RegExp]>([
  ["nvcuda", /or: use a tiled loop/],
  ["wmma", /or: use a tiled loop/],
  ["cub", /or: use sum/],
  ["tex2D", /or: read the array through a pointer/],
  ["surf2Dwrite", /or: read/],
  ["cudaTextureObject_t", /or: read/],
])("%s needs a GPU", (name, advice) => {
  for (const message of messages(name, false))
    expect(instead(message, "cpu")).toMatch(new RegExp(`^${name} needs a GPU \\(${advice.source}`));
  expect(instead(messages(name, false)[2]!, "cuda")).toBeNull();
});

test.each<[string, RegExp]>([
  ["cudaMalloc", /make arrays in a TypeScript cell/],
  ["cudaFree", /make arrays/],
  ["cudaMemcpy", /copy and fill/],
  ["cudaMemset", /copy and fill/],
  ["cudaDeviceSynchronize", /call synchronize\(\)/],
  ["cudaEventRecord", /kernel\.time/],
  ["cudaLaunchKernel", /kernel\.launch/],
  ["cudaGetLastError", /launch kernels and handle errors/],
  ["cudaError_t", /launch kernels and handle errors/],
])("%s is for host programs on every device", (name, advice) => {
  for (const kind of ["cpu", "cuda"])
    for (const message of messages(name, false))
      expect(instead(message, kind)).toMatch(
        new RegExp(`^${name} is for host programs, and a cell holds device code: .*${advice.source}`),
      );
});

test("any other name keeps the compiler's words", () => {
  for (const name of ["cudaless", "mma", "main2", "tex"])
    for (const message of messages(name, false)) expect(instead(message, "cpu")).toBeNull();
  expect(instead("expected ';' before '}' token", "cpu")).toBeNull();
});
