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
  ["cub/warp/warp_merge_sort.cuh", /or: use sum, mean/],
  ["cuda/ptx", /or: use atomicAdd/],
  ["cuda/std/mdspan", /or: include the header of the C\+\+ library/],
  ["cuda_pipeline.h", /or: copy/],
  ["curand_mtgp32_kernel.h", /or: use rand and randn/],
  ["cuda_fp4.h", /or: use __half/],
])("%s, where it is not found: it needs a GPU, and on a GPU the toolkit's headers", (header, advice) => {
  for (const message of messages(header, true)) {
    expect(instead(message, "cpu")).toMatch(
      new RegExp(`^${header.replace(".", "\\.")} needs a GPU \\(${advice.source}`),
    );
    expect(instead(message, "cuda")).toMatch(/comes with the headers of the CUDA toolkit, which are not installed/);
  }
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

test("a launch in a kernel says what to write, on every device", () => {
  for (const message of [
    "kernel launch from __device__ or __global__ functions requires separate compilation mode",
    'static assertion failed: "kernel launch from __device__ or __global__ functions"',
  ])
    for (const kind of ["cpu", "cuda"])
      expect(instead(message, kind)).toMatch(
        /^a kernel that launches kernels \(dynamic parallelism\) is not available in a cell, not even on a GPU: launch the next one from a TypeScript cell/,
      );
});

test.each<[string, RegExp]>([
  ["texture", /take a parameter cudaTextureObject_t t, and give it texture\(x\) in the launch/],
  ["texCubemap", /make the faces layers of a texture/],
  ["surfCubemapread", /make the faces layers of a texture/],
  ["tex2Dgather", /read the four texels with tex2D/],
])("%s cannot be had on either device", (name, advice) => {
  for (const kind of ["cpu", "cuda"])
    for (const message of messages(name, false))
      expect(instead(message, kind)).toMatch(
        new RegExp(`^${name} is not available in a cell, not even on a GPU: .*${advice.source}`),
      );
});

test("CUB as a whole, which no cell can compile", () => {
  for (const kind of ["cpu", "cuda"])
    for (const message of messages("cub/cub.cuh", true))
      expect(instead(message, kind)).toMatch(
        /^cub\/cub\.cuh is not available in a cell, not even on a GPU: .*single headers/,
      );
});

test.each<[string, string]>([
  ["half", "write #include <cuda_fp16.h>"],
  ["nvcuda", "write #include <mma.h> and using namespace nvcuda;"],
  ["wmma", "write #include <mma.h> and using namespace nvcuda;"],
  ["cub", "write #include <cub/block/block_reduce.cuh>, or the header of what you use"],
  [
    "cuda",
    "write #include <cuda/atomic>, <cuda/barrier>, <cuda/pipeline> or <cuda/std/…>, whichever has it, and blockIdx.x * blockDim.x + threadIdx.x for Numba's cuda.grid(1)",
  ],
  ["__pipeline_commit", "write #include <cuda_pipeline.h>"],
  ["curand_init", "write #include <curand_kernel.h>"],
  ["curandState", "write #include <curand_kernel.h>"],
  ["__nv_fp8_e4m3", "write #include <cuda_fp8.h>"],
  ["cuCmulf", "write #include <cuComplex.h>"],
  ["__nv_bfloat16", "write #include <cuda_bf16.h>"],
  ["cooperative_groups", "write #include <cooperative_groups.h> and namespace cg = cooperative_groups;"],
  ["cg", "write #include <cooperative_groups.h> and namespace cg = cooperative_groups;"],
  [
    "__shfl_down",
    "CUDA no longer has it; write it with _sync and a mask of lanes, such as __shfl_down_sync(0xffffffff, x, 1)",
  ],
])("%s is there with another line or name", (name, advice) => {
  for (const kind of ["cpu", "cuda"])
    for (const message of messages(name, false))
      expect(instead(message, kind)).toBe(`${name} is not known here: ${advice}`);
});

test.each([
  "helper_cuda.h",
  "cutil.h",
  "thrust/sort.h",
  "iostream",
  "curand.h",
  "cub/device/device_reduce.cuh",
])("%s is for host programs", (header) => {
  for (const kind of ["cpu", "cuda"])
    for (const message of messages(header, true))
      expect(instead(message, kind)).toContain(`${header} is for host programs, and a cell holds device code: `);
});

test("a header that nobody knows: where it is looked for, and how to name its folder", () => {
  for (const kind of ["cpu", "cuda"])
    for (const message of messages("mine/missing.h", true))
      expect(instead(message, kind)).toBe(
        'mine/missing.h was found neither beside the source nor among CUDA\'s headers: put it beside the notebook, or name its folder with %%cuda --include FOLDER or compile(source, { includes: ["FOLDER"] })',
      );
});

test("any other name keeps the compiler's words", () => {
  for (const name of ["cudaless", "mma", "main2", "tex"])
    for (const message of messages(name, false)) expect(instead(message, "cpu")).toBeNull();
  expect(instead("expected ';' before '}' token", "cpu")).toBeNull();
});
