// What a profile counts: of a GPU made here, in every way that it can go, of a real one and of the cpu.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { compile, ones, profile, type Kernel } from "../../native/lib/index.ts";
import { LibraryPlan } from "../../native/lib/device/library-plan.ts";
import { devices } from "./devices.ts";
import { loadMadeKernels, openMadeGpu } from "./made-gpu.ts";
import { ofKind, startProfile, stopProfile } from "./profile.ts";
import { copy, fill, launch, load } from "./records.ts";

const matmul = "matmul m=4 n=4 k=4 type=float32 compute=float32";
const distance =
  "Between kernels that are counted pass about two milliseconds: the time of a kernel is right, the time from one to the next is not. For that, profile without counters.";

describe("a GPU made here", () => {
  test("counts each kernel once, however many there are, and keeps their records", () => {
    const device = openMadeGpu();
    loadMadeKernels(device, ["one"]);
    expect(startProfile(device, true)).toEqual([distance]);
    const sequences = Array.from({ length: 100 }, (_, index) => launch(device, { kernel: 1, grid: [index + 1, 1, 1] }));
    const { counters, notes, ...profile } = stopProfile(device);
    expect(notes).toEqual([]);
    expect(counters).toHaveLength(100);
    expect(counters[41]).toEqual({
      sequence: sequences[41],
      // What is no number is left out.
      metrics: {
        "dram bytes": 42,
        "dram bytes read": 42.01,
        "l2 bytes": 42.02,
        "sm busy %": 42.03,
        "warps active %": 42.05,
        "warps waiting for memory %": 42.06,
        "instructions of warps": 42.07,
      },
    });
    expect(counters.map(({ sequence }) => sequence)).toEqual(sequences);
    expect(ofKind({ counters, notes, ...profile }, "kernel").map(({ name, sequence }) => [name, sequence])).toEqual(
      sequences.map((sequence) => ["one", sequence]),
    );

    startProfile(device);
    launch(device, { kernel: 1 });
    expect(stopProfile(device)).toMatchObject({ counters: [], notes: [] });
  });

  test("counts the kernels of a library for its call, and none that is measured", () => {
    const device = openMadeGpu();
    loadMadeKernels(device, ["one"]);
    const place = device.allocate(4096, "device");
    startProfile(device, true);
    const first = launch(device, { kernel: 1 });
    const plan = LibraryPlan.obtain(device, matmul, { places: [place, place, place], scalars: [1, 0] });
    const runs = Array.from({ length: 20 }, () => plan.run(device.execution, [place, place, place], [1, 0]));
    fill(device, place, 64, 1n, 4);
    const last = launch(device, { kernel: 1 });
    const { counters, notes } = stopProfile(device);
    expect(notes).toEqual([]);
    expect(counters.map(({ sequence, metrics }) => [sequence, metrics["dram bytes"]])).toEqual([
      [first, 1],
      ...runs.flatMap((run) => [
        [run, 70],
        [run, 80],
      ]),
      [last, 1],
    ]);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ["it lacks", { FAKE_LACKS: "dram__" }, ["dram bytes", "dram bytes read"]],
    ["would take another pass", { FAKE_NEEDS_A_PASS: "long_scoreboard" }, ["warps waiting for memory %"]],
  ])("leaves out what %s", (_what, environment, missing) => {
    const device = openMadeGpu(environment);
    loadMadeKernels(device, ["one"]);
    startProfile(device, true);
    launch(device, { kernel: 1 });
    const names = Object.keys(stopProfile(device).counters[0]!.metrics);
    expect(names).toContain("l2 bytes");
    for (const name of missing) expect(names).not.toContain(name);
  });

  test.each<[string, Record<string, string>, boolean, RegExp]>([
    [
      "no permission",
      { FAKE_COUNTERS: "35" },
      true,
      /^Nothing is counted: The driver lets only administrators profile\. Write "options nvidia NVreg_RestrictProfilingToAdminUsers=0" into a file of \/etc\/modprobe\.d and restart the machine, or run with CAP_SYS_ADMIN\.$/,
    ],
    [
      "a virtual GPU",
      { FAKE_COUNTERS: "40" },
      true,
      /^Nothing is counted: The driver lets only administrators profile\./,
    ],
    [
      "a virtual GPU that cannot",
      { FAKE_COUNTERS: "33" },
      true,
      /^Nothing is counted: This virtual GPU cannot be profiled\. Ask whoever runs the machine to allow profiling of it\.$/,
    ],
    [
      "another program that counts",
      { FAKE_COUNTERS: "26" },
      true,
      /^Nothing is counted: Another program counts or samples on this GPU, which serves one at a time\. Ask for counters or samples when that is done\.$/,
    ],
    [
      "an old CUPTI",
      { FAKE_CUPTI_VERSION: "23" },
      false,
      /^Nothing is counted: CUPTI 12 \(API 23\) \(.*\) cannot count kernel by kernel, which takes CUDA 12\.6 or newer\. Get one that can with: pip install nvidia-cuda-cupti /,
    ],
    [
      "a chip without counters",
      { FAKE_LACKS: "_" },
      true,
      /^Nothing is counted: CUPTI 13\.0 has no counter for this GPU \(GH100\) that one pass reads\.$/,
    ],
  ])("goes on without counters: %s", (_what, environment, hasProfilers, note) => {
    const device = openMadeGpu(environment, hasProfilers);
    loadMadeKernels(device, ["one"]);
    for (let round = 0; round < 2; round++) {
      expect(startProfile(device, true)).toEqual([expect.stringMatching(note)]);
      const sequence = launch(device, { kernel: 1 });
      const profile = stopProfile(device);
      expect(profile).toMatchObject({ counters: [], notes: [] });
      expect(ofKind(profile, "kernel").map((record) => record.sequence)).toEqual([sequence]);
    }
  });

  test("says what it could not count", () => {
    const losing = openMadeGpu({ FAKE_LOSES: "1" });
    loadMadeKernels(losing, ["one"]);
    startProfile(losing, true);
    for (let i = 0; i < 40; i++) launch(losing, { kernel: 1 });
    expect(stopProfile(losing)).toMatchObject({
      counters: [],
      notes: ["40 launches were not counted: the GPU's counts do not match what it was given."],
    });

    const ending = openMadeGpu({ FAKE_STARTS: "1" });
    loadMadeKernels(ending, ["one"]);
    startProfile(ending, true);
    for (let i = 0; i < 40; i++) launch(ending, { kernel: 1 });
    const { counters, notes, ...profile } = stopProfile(ending);
    expect(counters).toHaveLength(32);
    expect(notes).toEqual([
      expect.stringMatching(
        /^Counting ended early: CUPTI 13\.0 failed at starting to count \(CUPTI_ERROR_OF_A_TEST\)\./,
      ),
      "8 launches were not counted.",
    ]);
    expect(ofKind({ counters, notes, ...profile }, "kernel")).toHaveLength(40);
  });
});

const source = `
__global__ void plain(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 2 * x[i]; }
__global__ void rounds(int* out, int n) {
  __shared__ int part[128];
  part[threadIdx.x] = threadIdx.x;
  for (int i = 0; i < n; i++) __syncthreads();
  if (threadIdx.x >= 96) return;
  int sum = part[threadIdx.x ^ 1];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 < 8) sum = __shfl_sync(0xff, sum, 3);
  if (out != nullptr) out[threadIdx.x] = sum;
}`;

describe.each(
  devices.filter(({ kind }) => kind === "cpu").map((device) => [device.name, device] as const),
)("%s", (_name, device) => {
  test("counts threads, barriers and collectives, and what they come to is the same", () => {
    load(device, source, ["plain", "rounds"], 700);
    const place = device.allocate(4096, "device");
    expect(startProfile(device, true)).toEqual([
      "Threads that are counted switch more slowly: kernels with barriers or warp intrinsics take longer. For their times, profile without counters.",
    ]);
    const simple = launch(device, {
      kernel: 700,
      grid: [3, 2, 1],
      block: [64, 1, 1],
      pointers: [place],
      integers: [192],
    });
    const blocks = 400;
    const waiting = launch(device, {
      kernel: 701,
      grid: [blocks, 1, 1],
      block: [128, 1, 1],
      pointers: [null],
      integers: [10],
    });
    const one = launch(device, {
      kernel: 701,
      grid: [1, 1, 1],
      block: [128, 1, 1],
      pointers: [place],
      integers: [2],
    });
    const { counters, notes } = stopProfile(device);
    expect(notes).toEqual([]);
    const of = (count: number, barriers: number): Record<string, number> => ({
      threads: 128 * count,
      "threads that waited": 128 * count,
      barriers: barriers * count,
      "warp collectives": 3 * 6 * count,
      "divergent warp collectives": 3 * count,
    });
    expect(counters).toEqual([
      {
        sequence: simple,
        metrics: {
          threads: 384,
          "threads that waited": 0,
          barriers: 0,
          "warp collectives": 0,
          "divergent warp collectives": 0,
        },
      },
      { sequence: waiting, metrics: of(blocks, 10) },
      { sequence: one, metrics: of(1, 2) },
    ]);

    const counted = new Uint32Array(96);
    const host = device.allocate(384, "host");
    for (const isCounted of [true, false]) {
      if (!isCounted)
        launch(device, { kernel: 701, grid: [1, 1, 1], block: [128, 1, 1], pointers: [place], integers: [2] });
      copy(device, host, place, 384);
      device.synchronize();
      const values = new Uint32Array(device.part(host, 384).slice(0));
      if (isCounted) counted.set(values);
      else expect(values).toEqual(counted);
    }
    device.free(host);
    device.free(place);
  });
});

// Once, on an H200 on which other test files provoked faults at the same time, a kernel that was counted failed, too.
const beside = { retry: devices.some(({ kind }) => kind === "cuda") ? 2 : 0 };

test.each(devices.map(({ name }) => name))(
  "%s: a profile says of each kernel what was counted",
  beside,
  async (device) => {
    const { kernels } = await compile(source, { device, name: "Cell [2]" });
    const x = ones([1 << 16], { device });
    const p = await profile(
      () => {
        for (let i = 0; i < 3; i++) (kernels["plain"] as Kernel).launch({ grid: 256, block: 256 }, x, 1 << 16);
      },
      { counters: true },
    );
    const row = p.table().find(({ name }) => name === "plain")!;
    x.dispose();
    expect(row.calls).toBe(3);
    if (device === "cpu")
      expect(row.counters).toEqual({
        threads: 1 << 16,
        "threads that waited": 0,
        barriers: 0,
        "warp collectives": 0,
        "divergent warp collectives": 0,
      });
    else if (Object.keys(row.counters).length === 0)
      expect(p.notes).toContainEqual(expect.stringMatching(/^cuda:\d+: Nothing is counted/));
    else expect(row.counters["l2 bytes"]).toBeGreaterThan(2 ** 18);
  },
);

describe.each(
  devices.filter(({ kind }) => kind === "cuda").map((device) => [device.name, device] as const),
)("%s", (_name, device) => {
  test("counts what a kernel moves, and times it as without", beside, () => {
    load(device, source, ["plain", "rounds"], 700);
    const n = 1 << 26,
      bytes = 4 * n,
      place = device.allocate(bytes, "device");
    const run = (hasCounters: boolean): { notes: string[]; profile: ReturnType<typeof stopProfile>; mean: number } => {
      const notes = startProfile(device, hasCounters);
      for (let i = 0; i < 70; i++)
        launch(device, { kernel: 700, grid: [n / 256, 1, 1], block: [256, 1, 1], pointers: [place], integers: [n] });
      const profile = stopProfile(device);
      const kernels = ofKind(profile, "kernel");
      expect(kernels.map(({ name, sequence }) => [name, sequence - kernels[0]!.sequence])).toEqual(
        Array.from({ length: 70 }, (_, index) => ["plain", index]),
      );
      return { notes, profile, mean: kernels.reduce((sum, { start, end }) => sum + end - start, 0) / kernels.length };
    };
    run(false);
    const without = run(false);
    const { notes, profile, mean } = run(true);
    device.free(place);
    // Not every driver permits it.
    if (notes[0] !== distance) {
      expect(notes).toEqual([expect.stringMatching(/^Nothing is counted: /)]);
      return;
    }
    expect(profile.notes).toEqual([]);
    expect(profile.counters.map(({ sequence }) => sequence)).toEqual(
      ofKind(profile, "kernel").map(({ sequence }) => sequence),
    );
    for (const { metrics } of profile.counters) {
      expect(metrics["l2 bytes"]).toBeGreaterThan(2 * bytes);
      expect(metrics["sm busy %"]).toBeGreaterThan(50);
      expect(metrics["tensor pipe %"] ?? 0).toBe(0);
      if (metrics["dram bytes"] === undefined) continue;
      expect(metrics["dram bytes read"]! / bytes).toBeCloseTo(1, 1);
      expect(metrics["dram bytes"] / bytes).toBeGreaterThan(1.5);
      expect(metrics["dram bytes"] / bytes).toBeLessThan(2.2);
    }
    expect(mean / without.mean).toBeGreaterThan(0.9);
    expect(mean / without.mean).toBeLessThan(1.1);
  });
});
