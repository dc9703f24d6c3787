// Whole programs with headers of their own: kernels in them, what they include, and where errors and launches say that
// they are.
import "./cache.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runProgram, type ProgramResult } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

const places: string[] = [];
afterAll(() => places.forEach((place) => rmSync(place, { recursive: true, force: true })));

/** Runs `main` with headers beside it. */
function run(main: string, headers: Readonly<Record<string, string>>, device: string): Promise<ProgramResult> {
  const place = mkdtempSync(join(tmpdir(), "warpcell-headers-"));
  places.push(place);
  for (const [name, text] of Object.entries(headers)) writeFileSync(join(place, name), text);
  return runProgram(main, { name: "main.cu", device, includes: [place] });
}

const scale = `#ifndef SCALE_CUH
#define SCALE_CUH
#include "pair.h"
__constant__ int factor = 3;
__device__ int scaled(int x) { return x * factor; }
__global__ void scale(Pair* pairs) {
  pairs[threadIdx.x].second = scaled(pairs[threadIdx.x].first);
}
static void launch(Pair* pairs, int n, cudaStream_t stream) {
  scale<<<1, n, 0, stream>>>(pairs);
}
#endif
`;
const pair = `#pragma once
#include <cuda_runtime.h>
struct Pair { int first, second; };
struct Plan { cudaStream_t stream; Pair* pairs; };
`;
const main = `#include <cstdio>
#include "pair.h"
#include "scale.cuh"
#include "scale.cuh"
int main() {
  Plan plan;
  Pair host[4] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}};
  cudaStreamCreate(&plan.stream);
  cudaMalloc(&plan.pairs, sizeof host);
  cudaMemcpy(plan.pairs, host, sizeof host, cudaMemcpyHostToDevice);
  launch(plan.pairs, 4, plan.stream);
  cudaStreamSynchronize(plan.stream);
  cudaMemcpy(host, plan.pairs, sizeof host, cudaMemcpyDeviceToHost);
  for (Pair each : host) printf("%d ", each.second);
}
`;

describe.each(devices)("programs with headers of their own on $name", ({ name: device }) => {
  test("kernels, variables and launches may stand in them, once", async () => {
    const { stdout, exitCode } = await run(main, { "scale.cuh": scale, "pair.h": pair }, device);
    expect({ stdout, exitCode }).toEqual({ stdout: "3 6 9 12 ", exitCode: 0 });
  });

  test("a header without a guard is taken each time", async () => {
    const headers = { "kernel.inl": "__global__ void put(int* x) { *x = VALUE; }\n" };
    const source = `#include <cstdio>
namespace first {
#define VALUE 1
#include "kernel.inl"
#undef VALUE
}
namespace second {
#define VALUE 2
#include "kernel.inl"
}
int main() {
  int *x, host[2];
  cudaMalloc(&x, 2 * sizeof(int));
  first::put<<<1, 1>>>(x);
  second::put<<<1, 1>>>(x + 1);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d", host[0], host[1]);
}
`;
    expect((await run(source, headers, device)).stdout).toBe("1 2");
  });

  test("errors below a header are of the program's own lines, and those in it of its", async () => {
    const wrong = main.replace("launch(plan.pairs", "launch(plan.wrong");
    await expect(run(wrong, { "scale.cuh": scale, "pair.h": pair }, device)).rejects.toThrow(
      /main\.cu:11:15[^]*> 11 \| {3}launch\(plan\.wrong/,
    );
    const inHeader = scale.replace("return x * factor", "return x * factors");
    await expect(run(main, { "scale.cuh": inHeader, "pair.h": pair }, device)).rejects.toThrow(
      /scale\.cuh:5:\d+: .*factors/,
    );
    const kernel = main.replace(
      "int main() {",
      "__global__ void mine(int* x) { *x = unknown; }\nint main() {\n  mine<<<1, 1>>>(nullptr);",
    );
    await expect(run(kernel, { "scale.cuh": scale, "pair.h": pair }, device)).rejects.toThrow(
      /main\.cu:5:\d+[^]*> 5 \| __global__ void mine/,
    );
  });

  test("a launch that fails tells the line of its own file", async () => {
    const failing = main.replace("launch(plan.pairs, 4, plan.stream);", "scale<<<1, 5000>>>(plan.pairs);");
    const { unchecked } = await run(failing, { "scale.cuh": scale, "pair.h": pair }, device);
    expect(unchecked.join()).toContain("line 11");
  });
});
