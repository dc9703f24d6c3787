// 500 faults of each kind on the cpu device, mixed with good launches: each is named, no answer is wrong, and neither
// memory, descriptors, mappings nor processes are left over.
import "../device/cache.ts";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DeviceFault, InterruptedError, LaunchError, CheckError, type WarpcellError } from "../../native/lib/errors.ts";
import { compile, memory, tensor, zeros, type Kernel, type LaunchConfig, type Tensor } from "../../native/lib/index.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { binding, deviceExecutable } from "../../native/lib/wire/binding.ts";
import { freshSeed } from "../helpers/random.ts";

const rounds = 500;
const on = { device: "cpu" } as const;
const cpu = DeviceProcess.get("cpu");
const size = 4096;

const source = `#include <cassert>
extern "C" __global__ void good(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = x[i];
  __syncthreads();
  y[i] = 3 * s[(t + 1) % 256] + n;
}
extern "C" __global__ void wild(int* p, int n) { p[(1ll << 40) + threadIdx.x] = n; }
extern "C" __global__ void nowhere(int* p, int n) { int* nothing = nullptr; *nothing = n; p[0] = n; }
extern "C" __global__ void misaligned(int* p, int n) { *(float4*)(p + 1) = make_float4(1, 2, 3, n); }
extern "C" __global__ void failed(int* p, int n) { assert(threadIdx.x != n); p[threadIdx.x] = n; }
extern "C" __global__ void trapped(int* p, int n) { __syncthreads(); if (threadIdx.x == n) __trap(); }
extern "C" __global__ void divided(int* p, int n) { p[threadIdx.x] = 100 / (n - (int)threadIdx.x); }
__device__ __noinline__ int deep(int* p, int n) {
  volatile int here[32];
  here[n & 31] = p[0];
  return n == 0 ? here[0] : deep(p, n - 1) + here[n & 31];
}
extern "C" __global__ void recursive(int* p, int n) { p[0] = deep(p, 100000 + n); }
extern "C" __global__ void halfway(int* p, int n) {
  if (threadIdx.x < n) __syncthreads();
  else __shfl_sync(0xffffffff, n, 0);
}
extern "C" __global__ void masked(int* p, int n) { p[threadIdx.x] = __shfl_sync(0xfffffffe, n, 1); }
extern "C" __global__ void endless(int* p, int n) { while (1) p[threadIdx.x] += n; }
extern "C" __global__ void beyond(int* p, int n) { extern __shared__ int s[]; s[251 + n] = n; p[0] = s[0]; }
extern "C" __global__ void talking(int* p, int n) { for (int i = 0; i < 50; i++) printf("%d of %d\\n", i, n); }
`;

interface Kind {
  readonly name: string;
  readonly kernel: string;
  readonly code: string;
  readonly kindOf?: new (...args: never[]) => WarpcellError;
  readonly config?: LaunchConfig;
  /** Something that has to happen while it runs. */
  readonly beside?: () => void;
}
const kinds: readonly Kind[] = [
  { name: "a far address", kernel: "wild", code: "ILLEGAL_ADDRESS" },
  { name: "a null pointer", kernel: "nowhere", code: "ILLEGAL_ADDRESS" },
  { name: "a misaligned vector", kernel: "misaligned", code: "ILLEGAL_ADDRESS" },
  { name: "a failed assertion", kernel: "failed", code: "ASSERT" },
  { name: "a trap", kernel: "trapped", code: "TRAP" },
  { name: "a division by zero", kernel: "divided", code: "DIVISION_BY_ZERO" },
  { name: "a stack that overflows", kernel: "recursive", code: "STACK_OVERFLOW" },
  { name: "a barrier that some do not reach", kernel: "halfway", code: "DEADLOCK" },
  { name: "a mask without the caller", kernel: "masked", code: "WARP_MASK" },
  {
    name: "an index beyond shared memory",
    kernel: "beyond",
    code: "ILLEGAL_ADDRESS",
    config: { grid: 1, block: 64, shared: 1024 },
  },
  {
    name: "a loop without end, interrupted",
    kernel: "endless",
    code: "INTERRUPTED",
    kindOf: InterruptedError,
    beside: () => interrupter.postMessage(0),
  },
  {
    name: "too much shared memory",
    kernel: "good",
    code: "SHARED",
    kindOf: LaunchError,
    config: { grid: 1, block: 256, shared: 1 << 30 },
  },
];

let interrupter: Worker;
let kernels: Record<string, Kernel>;
beforeAll(async () => {
  const addon = deviceExecutable.replace("warpcell-device", "addon.node");
  interrupter = new Worker(
    `const { interrupt } = require(${JSON.stringify(addon)}); require("node:worker_threads").parentPort.on("message", interrupt);`,
    { eval: true },
  );
  kernels = (await compile(source, { ...on, name: "faults.cu" })).kernels as Record<string, Kernel>;
});
afterAll(() => interrupter.terminate());

let seed = freshSeed();
const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 12;

/** A launch on numbers that no other one had, whose every answer is looked at. */
function isRight(x: Tensor, values: Int32Array, y: Tensor): void {
  const n = random();
  y.fill_(-1);
  kernels["good"]!.launch({ grid: size / 256, block: 256 }, x, y, n);
  const wanted = Int32Array.from(values, (_, i) => 3 * values[i - (i % 256) + (((i % 256) + 1) % 256)]! + n);
  expect(Buffer.compare(Buffer.from((y.data() as Int32Array).slice().buffer), Buffer.from(wanted.buffer))).toBe(0);
}

const tensorsOf = (values: Int32Array): [x: Tensor, y: Tensor, spoiled: Tensor] => {
  const none = () => zeros([size], { dtype: "int32", ...on });
  return [tensor(values, on), none(), none()];
};

/** What may be left over. */
const held = () => ({
  descriptors: readdirSync("/proc/self/fd").length,
  mappings: readFileSync("/proc/self/maps", "utf8").split("\n").length,
  processes: readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ").length,
  allocated: memory()["cpu"]!.allocated,
  ofDevice: readdirSync(`/proc/${binding.processId(cpu.client)}/fd`).length,
});

function faultOf({ kernel, config = { grid: 1, block: 64 }, beside }: Kind, y: Tensor): unknown {
  try {
    if (kernel === "good") kernels[kernel]!.launch(config, y, y, 5);
    else kernels[kernel]!.launch(config, y, 5);
    beside?.();
    cpu.synchronize();
  } catch (error) {
    return error;
  }
  return undefined;
}

test.each(kinds)("$name", (kind) => {
  const values = Int32Array.from({ length: size }, random);
  const [x, y, spoiled] = tensorsOf(values);
  const round = () => {
    const fault = faultOf(kind, spoiled);
    expect(fault).toBeInstanceOf(kind.kindOf ?? DeviceFault);
    expect((fault as WarpcellError).code, String(fault)).toBe(kind.code);
    isRight(x, values, y);
  };
  for (let i = 0; i < 20; i++) round();
  const before = held();
  for (let i = 20; i < rounds; i++) {
    isRight(x, values, y);
    round();
  }
  const after = held();
  expect(after.processes).toBe(before.processes);
  expect(after.allocated).toBe(before.allocated);
  expect(after.descriptors).toBeLessThanOrEqual(before.descriptors);
  expect(after.ofDevice).toBeLessThanOrEqual(before.ofDevice);
  // What the collector and the allocator of JavaScript map comes and goes.
  expect(after.mappings).toBeLessThan(before.mappings + 100);
  for (const each of [x, y, spoiled]) each.dispose();
});

test("all kinds in turns, with checked launches that find something", async () => {
  const { kernels: followed } = await compile(
    `extern "C" __global__ void past(int* p, int n) { p[n + threadIdx.x] = 1; }`,
    { ...on, check: true, name: "past.cu" },
  );
  const values = Int32Array.from({ length: size }, random);
  const [x, y, spoiled] = tensorsOf(values);
  for (let i = 0; i < rounds; i++) {
    const kind = kinds[random() % kinds.length]!;
    expect((faultOf(kind, spoiled) as WarpcellError).code).toBe(kind.code);
    (followed["past"] as Kernel).launch({ grid: 1, block: 32 }, y, size - 16);
    expect(() => cpu.synchronize()).toThrow(CheckError);
    isRight(x, values, y);
  }
});

test("floods of output between faults: every line arrives", () => {
  const library = new URL("../../native/dist/index.js", import.meta.url).href;
  const program = `import { compile, synchronize, zeros } from ${JSON.stringify(library)};
    const { kernels } = await compile(${JSON.stringify(source)}, { device: "cpu", name: "faults.cu" });
    const p = zeros([64], { dtype: "int32", device: "cpu" });
    for (let i = 0; i < ${rounds}; i++) {
      kernels.talking.launch({ grid: 10, block: 8 }, p, i);
      await synchronize();
      kernels.trapped.launch({ grid: 1, block: 64 }, p, 5);
      await synchronize().catch((error) => console.log(error.code));
    }`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  expect([status, stderr]).toEqual([0, ""]);
  const wanted = Array.from({ length: rounds }, (_, i) => [...Array<string>(80 * 50).fill(`of ${i}`), "TRAP"]).flat();
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/^\d+ /, "")),
  ).toEqual(wanted);
});
