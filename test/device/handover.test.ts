// Threads of a block that hand over by flags in volatile memory, without a barrier: each that waits lets the others
// run.
import "./cache.ts";
import { afterAll, describe, expect, test } from "vitest";
import { compile, tensor, zeros, type Kernel } from "../../native/lib/index.ts";
import { compilers, use } from "./cpu-cell.ts";
import { devices } from "./devices.ts";

const loops = {
  "an empty loop": "while (ready[warp] == 0);",
  "a loop with a body": "int tries = 0; while (true) { tries++; if (ready[warp] != 0) break; }",
  "a loop that tests at its end": "int seen; do { seen = ready[warp]; } while (seen == 0);",
  "a loop without a condition": "for (;;) { if (ready[warp]) break; }",
  "a loop that counts, and stops early": "for (int i = 0; i < 2000000000; i++) if (ready[warp]) break;",
  "a loop that counts, with the flag in its condition": "for (int i = 0; i < 2000000000 && !ready[warp]; i++);",
  "a loop that counts, with the flag in a function": "for (int i = 0; !seen(&ready[warp]) && i < 2000000000; i++);",
  "a loop that compares with the flag": "volatile int* flag = ready + warp; for (int i = 0; i == *flag; ) { }",
  "a loop over a list, and one that counts in it":
    "const int turns[3] = {1, 2, 3}; for (int turn : turns) for (int i = 0; i < 700000000 * turn; ++i) if (ready[warp] == 1) goto seen; seen:;",
};
const choices = devices.flatMap((device) =>
  device.kind === "cpu" ? compilers.map((compiler) => ({ device, compiler })) : [{ device, compiler: "nvrtc" }],
);

describe.each(choices)("on $device.name by $compiler", ({ device, compiler }) => {
  test.each(Object.entries(loops))("%s", async (_name, wait) => {
    if (device.kind === "cpu") use(compiler);
    // The last warp begins; each waits for the one above it.
    const source = `__device__ int seen(volatile int* flag) { return *flag; }
    __global__ void relay(int* out, const int* in) {
      __shared__ volatile int ready[9];
      __shared__ volatile int value[9];
      int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
      if (threadIdx.x < 9) { ready[threadIdx.x] = threadIdx.x == 8; value[threadIdx.x] = 1000; }
      __syncthreads();
      if (lane == 0) {
        int up = warp + 1;
        { int warp = up; ${wait} }
        value[warp] = value[up] + in[warp];
        __threadfence_block();
        ready[warp] = 1;
        out[warp] = value[warp];
      }
    }`;
    const { relay } = (await compile(source, { device: device.name })).kernels as Record<string, Kernel>;
    const input = Int32Array.from({ length: 8 }, () => Math.floor(Math.random() * 1000));
    const out = zeros([8], { dtype: "int32", device: device.name });
    relay!.launch({ grid: 1, block: 256 }, out, tensor(input, { device: device.name }));
    expect(out.toArray()).toEqual([...input].map((_, warp) => input.slice(warp).reduce((sum, v) => sum + v, 1000)));
  });
});

afterAll(() => {
  delete process.env["WARPCELL_CXX"];
});
