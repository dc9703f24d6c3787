// What a profile samples: of a GPU made here, in every way that it can go, of the cpu, which has none, and of a real
// GPU.
import "./cache.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LoadedModule } from "../../native/lib/cuda/loaded-module.ts";
import { keepSamples, samplesOf } from "../../native/lib/cuda/samples.ts";
import { compile, profile, Profile, zeros, type Kernel, type KernelTemplate } from "../../native/lib/index.ts";
import { Profiling } from "../../native/lib/profile/profiling.ts";
import type { DeviceProcess } from "../../native/lib/device/process.ts";
import { devices } from "./devices.ts";
import { loadMadeKernels, madeArtifact, openMadeGpu } from "./made-gpu.ts";
import { ofKind, startProfile, stopProfile } from "./profile.ts";
import { launch } from "./records.ts";

const blocks = (count: number): [number, number, number] => [count, 1, 1];

describe("a GPU made here", () => {
  test("samples each kernel by its instructions and by what warps wait for, beside all else", () => {
    const device = openMadeGpu();
    loadMadeKernels(device, ["_Z5twiceIfEvPT_i", "one"]);
    for (let round = 0; round < 2; round++) {
      expect(startProfile(device, false, true)).toEqual([]);
      launch(device, { kernel: 2, grid: blocks(5) });
      launch(device, { kernel: 1, grid: blocks(30) });
      launch(device, { kernel: 1, grid: blocks(40) });
      const profile = stopProfile(device);
      const instructions = (selected: number): object[] => [
        { offset: 0, samples: { selected } },
        { offset: 16, samples: { "long scoreboard": 2 } },
        { offset: 32, samples: { "long scoreboard": 2 } },
      ];
      expect(profile.samples).toEqual([
        { symbol: "_Z5twiceIfEvPT_i", name: "twice<float>", instructions: instructions(70) },
        { symbol: "one", name: "one", instructions: instructions(5) },
      ]);
      expect(profile.notes).toEqual([]);
      expect(ofKind(profile, "kernel").map(({ name }) => name)).toEqual(["one", "twice<float>", "twice<float>"]);
    }
    startProfile(device);
    launch(device, { kernel: 1 });
    expect(stopProfile(device).samples).toEqual([]);
  });

  test("gives all instructions of a large kernel, though not at once", () => {
    const device = openMadeGpu({ FAKE_INSTRUCTIONS: "10000" });
    loadMadeKernels(device, ["one"]);
    startProfile(device, false, true);
    launch(device, { kernel: 1 });
    const [kernel] = stopProfile(device).samples;
    expect(kernel!.instructions.map(({ offset }) => offset)).toEqual(
      Array.from({ length: 10_000 }, (_, index) => 16 * index),
    );
  });

  test("forgets those of a profile that was given up", () => {
    const device = openMadeGpu();
    loadMadeKernels(device, ["one"]);
    for (const count of [3, 8]) {
      startProfile(device, false, true);
      launch(device, { kernel: 1, grid: blocks(count) });
    }
    expect(stopProfile(device).samples.map(({ instructions }) => instructions[0]!.samples)).toEqual([{ selected: 8 }]);
  });

  test.each<[string, Record<string, string>, boolean, RegExp]>([
    [
      "no permission",
      { FAKE_SAMPLES: "35" },
      true,
      /^Nothing is sampled: The driver lets only administrators profile\. Write "options nvidia NVreg_RestrictProfilingToAdminUsers=0" into a file of \/etc\/modprobe\.d and restart the machine, or run with CAP_SYS_ADMIN\.$/,
    ],
    [
      "a virtual GPU that cannot",
      { FAKE_SAMPLES: "33" },
      true,
      /^Nothing is sampled: This virtual GPU cannot be profiled\./,
    ],
    [
      "another program that samples",
      { FAKE_SAMPLES_START: "26" },
      true,
      /^Nothing is sampled: Another program counts or samples on this GPU, which serves one at a time\. Ask for counters or samples when that is done\.$/,
    ],
    [
      "a GPU without reasons",
      { FAKE_REASONS: "1" },
      true,
      /^Nothing is sampled: CUPTI 13\.0 does not know what warps of this GPU wait for\.$/,
    ],
    [
      "a CUPTI without",
      {},
      false,
      /^Nothing is sampled: CUPTI 13\.0 \(.*\) cannot sample\. Get one that can with: pip install nvidia-cuda-cupti /,
    ],
  ])("goes on without samples: %s", (_what, environment, hasProfilers, note) => {
    const device = openMadeGpu(environment, hasProfilers);
    loadMadeKernels(device, ["one"]);
    for (let round = 0; round < 2; round++) {
      expect(startProfile(device, false, true)).toEqual([expect.stringMatching(note)]);
      const sequence = launch(device, { kernel: 1 });
      const profile = stopProfile(device);
      expect(profile).toMatchObject({ samples: [], notes: [] });
      expect(ofKind(profile, "kernel").map((record) => record.sequence)).toEqual([sequence]);
    }
  });

  test.each<[string, Record<string, string>, number, RegExp]>([
    [
      "was dropped",
      { FAKE_SAMPLES_DROPPED: "12" },
      1,
      /^12 samples were dropped: the GPU had no room for them\. Profile less at a time\.$/,
    ],
    [
      "had no room",
      { FAKE_SAMPLES_FULL: "1" },
      0,
      /^The samples are lost: the GPU took more than there was room for\. Profile less at a time\.$/,
    ],
    [
      "failed",
      { FAKE_SAMPLES_STOP: "999" },
      0,
      /^Samples are lost: CUPTI 13\.0 failed at collecting samples \(CUPTI_ERROR_OF_A_TEST\)\./,
    ],
  ])("says what %s, and keeps the rest", (_what, environment, kernels, note) => {
    const device = openMadeGpu(environment);
    loadMadeKernels(device, ["one"]);
    for (let round = 0; round < 2; round++) {
      startProfile(device, false, true);
      launch(device, { kernel: 1 });
      const profile = stopProfile(device);
      expect(profile.notes).toEqual([expect.stringMatching(note)]);
      expect(profile.samples).toHaveLength(kernels);
      expect(ofKind(profile, "kernel")).toHaveLength(1);
    }
  });
});

describe("the samples of a profile", () => {
  /** A module that nobody holds is unloaded. */
  const held: LoadedModule[] = [];
  const load = (device: DeviceProcess, ...symbols: string[]): number => {
    const module = LoadedModule.load(device, madeArtifact, symbols, "Cell [1]", symbols);
    held.push(module);
    // As kernels of cells are.
    symbols.forEach((_, index) => keepSamples(module.firstKernel + index, new Map()));
    return module.firstKernel;
  };
  const profiled = async (device: DeviceProcess, work: () => void): Promise<Profile> => {
    const profiling = Profiling.begin({ samples: true });
    work();
    device.synchronize();
    return new Profile(await profiling.end());
  };

  test("are a row's, each instruction's and a file's", async () => {
    const device = openMadeGpu();
    const kernel = load(device, "_Z5twiceIfEvPT_i");
    const p = await profiled(device, () => launch(device, { kernel, grid: blocks(12) }));
    expect(p.table().find(({ device: on }) => on === device.name)).toMatchObject({
      name: "twice<float>",
      samples: { "long scoreboard": 4, selected: 12 },
    });
    const rows = [
      [0, 12, { selected: 12 }],
      [16, 2, { "long scoreboard": 2 }],
      [32, 2, { "long scoreboard": 2 }],
    ].map(([offset, samples, reasons]) => ({ device: device.name, kernel: "twice<float>", offset, samples, reasons }));
    expect(p.samples()).toEqual(rows);
    expect(String(p)).toMatch(/Most samples[^]*75\.0 % selected/);
    const folder = mkdtempSync(join(tmpdir(), "warpcell-samples-"));
    p.save(join(folder, "p.json"));
    expect(Profile.load(join(folder, "p.json")).samples()).toEqual(rows);
    rmSync(folder, { recursive: true });
  });

  test("are kept for the listing of the kernel that ran, until another profile has some of it", async () => {
    const device = openMadeGpu();
    const first = load(device, "one", "two"),
      second = load(device, "one");
    await profiled(device, () => launch(device, { kernel: first, grid: blocks(7) }));
    expect([...samplesOf(first)]).toEqual([
      [0, 7],
      [16, 2],
      [32, 2],
    ]);
    expect(samplesOf(first + 1).size).toBe(0);
    expect(samplesOf(second).size).toBe(0);
    await profiled(device, () => launch(device, { kernel: second, grid: blocks(9) }));
    await profiled(device, () => launch(device, { kernel: first + 1, grid: blocks(4) }));
    expect([first, first + 1, second].map((kernel) => samplesOf(kernel).get(0))).toEqual([7, 4, 9]);
  });

  test("of two kernels that machine code calls the same are told of", async () => {
    const device = openMadeGpu();
    const [first, second] = [load(device, "one"), load(device, "one")];
    const p = await profiled(device, () => {
      for (const kernel of [first, second]) launch(device, { kernel });
    });
    expect(p.notes).toContain(
      `${device.name}: Several kernels are called one, and samples of them cannot be told apart: kernel.asm shows none of these. Profile one at a time.`,
    );
    expect([first, second].map((kernel) => samplesOf(kernel).size)).toEqual([0, 0]);
  });

  test("are not there beside counters", async () => {
    await expect(profile(() => 1, { counters: true, samples: true })).rejects.toThrow(
      "A profile counts or takes samples, because GPUs do not do both at once: take two profiles, one with counters and one with samples.",
    );
  });

  test("are not there for the cpu, which says so", async () => {
    const p = await profile(() => zeros([16], { device: "cpu" }).add(1), { samples: true });
    expect(p.notes).toContain("cpu: Nothing is sampled: only GPUs can say which instruction a kernel is at.");
    expect(p.samples()).toEqual([]);
  });
});

const source = `template <class T>
__global__ void scattered(const int* index, const T* from, T* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = index[i];
  T value = from[at];
  to[i] = 2 * value + 1;
}
__global__ void numbers(int* index, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) index[i] = int(i * 2654435761u % n);
}`;

describe.each(devices.filter(({ kind }) => kind === "cuda").map(({ name }) => name))("%s", (device) => {
  test("finds the warps of a kernel where they wait for memory, and its times are as without", async () => {
    const n = 1 << 24;
    const { kernels } = await compile(source, { device, name: "Cell [4]" });
    const scattered = (kernels["scattered"] as KernelTemplate).as("float");
    const [index, from, to] = [zeros([n], { device, dtype: "int32" }), zeros([n], { device }), zeros([n], { device })];
    (kernels["numbers"] as Kernel).over(n)(index, n);
    const run = (): void => {
      for (let i = 0; i < 20; i++) scattered.over(n)(index, from, to, n);
    };
    await profile(run);
    const without = (await profile(run)).table().find(({ name }) => name === "scattered<float>")!;
    const p = await profile(run, { samples: true });
    const row = p.table().find(({ name }) => name === "scattered<float>")!;
    for (const each of [index, from, to]) each.dispose();
    if (p.samples().length === 0) {
      expect(p.notes).toContainEqual(expect.stringMatching(/^cuda:\d+: Nothing is sampled: /));
      return;
    }
    expect(row.calls).toBe(20);
    expect(row.mean / without.mean).toBeLessThan(1.1);
    const all = Object.values(row.samples).reduce((sum, count) => sum + count, 0);
    expect(all).toBeGreaterThan(1000);
    expect(row.samples["long scoreboard"]! / all).toBeGreaterThan(0.5);
    expect(p.advice.join("\n")).toContain(
      "wait for global or local memory (long scoreboard): kernel.asm shows at which lines.",
    );
    const sass = scattered.asm.listings.find(({ name }) => name === "SASS");
    if (sass === undefined) return;
    expect(sass.samples.reduce((sum, count) => sum + count, 0)).toBe(all);
    const ofLine = (line: number): number =>
      sass.samples.reduce((sum, count, at) => sum + (sass.source[at] === line ? count : 0), 0);
    expect((ofLine(5) + ofLine(6) + ofLine(7)) / all).toBeGreaterThan(0.8);
  });
});
