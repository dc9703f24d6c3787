// The occupancy of architectures, on every device: by threads, blocks and shared memory, as NVIDIA's tables have them.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { compile, type Kernel } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const source = `extern "C" __global__ void plain(float* p) { p[threadIdx.x] = 1; }
    extern "C" __global__ void tile(float* p) { __shared__ float s[12288]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[255 - threadIdx.x]; }
    extern "C" __global__ void __launch_bounds__(96) bound(float* p) { p[threadIdx.x] = 1; }`;
  const module = compile(source, { device });
  const kernel = async (name: string) => (await module).kernels[name] as Kernel;

  test.each<[string, number, number, string, object]>([
    [
      "plain",
      256,
      0,
      "sm_90",
      { blocksPerMultiprocessor: 8, activeWarps: 64, maxWarps: 64, percent: 100, limiter: "warps" },
    ],
    ["plain", 32, 0, "sm_90a", { blocksPerMultiprocessor: 32, activeWarps: 32, percent: 50, limiter: "blocks" }],
    ["plain", 33, 0, "sm_80", { blocksPerMultiprocessor: 32, activeWarps: 64, percent: 100, limiter: "warps" }],
    [
      "plain",
      1024,
      0,
      "sm_86",
      { blocksPerMultiprocessor: 1, activeWarps: 32, percent: 66, limiter: "warps", suggestedBlock: 768 },
    ],
    [
      "plain",
      256,
      49152,
      "sm_90",
      { blocksPerMultiprocessor: 4, percent: 50, limiter: "shared", suggestedBlock: 1024 },
    ],
    ["plain", 256, 32768, "sm_75", { blocksPerMultiprocessor: 2, percent: 50, limiter: "shared" }],
    ["plain", 256, 102400, "sm_89", { blocksPerMultiprocessor: 0, percent: 0, limiter: "shared" }],
    ["tile", 256, 0, "sm_80", { blocksPerMultiprocessor: 3, activeWarps: 24, percent: 37, limiter: "shared" }],
    ["bound", 128, 0, "sm_120", { blocksPerMultiprocessor: 0, limiter: "block size", suggestedBlock: 96 }],
  ])("%s with %i threads and %i bytes on %s", async (name, block, shared, arch, figures) => {
    expect((await kernel(name)).occupancy(block, shared, arch)).toMatchObject(figures);
  });

  test("what it refuses", async () => {
    const plain = await kernel("plain");
    expect(() => plain.occupancy(256, 0, "sm_42")).toThrow(
      'The occupancy of kernel plain is known for sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_120, but got "sm_42".',
    );
    expect(() => plain.occupancy(0, 0, "sm_90")).toThrow(
      "The occupancy of kernel plain is that of a whole number ≥ 1 of threads and one ≥ 0 of bytes of shared memory, but got 0 and 0.",
    );
  });
});
