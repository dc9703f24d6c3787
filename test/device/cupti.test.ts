// How a profile of a GPU is taken: with a driver, a CUPTI and a cuBLASLt made here.
import { describe, expect, test } from "vitest";
import { LibraryPlan } from "../../native/lib/device/library-plan.ts";
import type { DeviceProcess } from "../../native/lib/device/process.ts";
import { loadMadeKernels, openMadeGpu } from "./made-gpu.ts";
import { ofKind, type RawProfile, startProfile, stopProfile } from "./profile.ts";
import { copy, fill, launch, recordOf } from "./records.ts";

function errorOf(body: () => unknown): { code: string; message: string } {
  try {
    body();
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error("Expected an error but there was none.");
}

/** Work of a profile: its kind, name and command, counted from `first`. */
const workOf = ({ records }: RawProfile, first: number): unknown[] =>
  records
    .filter(({ kind }) => kind === "kernel" || kind === "copy" || kind === "fill")
    .map(({ kind, name, sequence }) => [kind, name, sequence - first]);

const matmul = "matmul m=4 n=4 k=4 type=float32 compute=float32";

/** Times a kernel; returns the sequence. */
function time(device: DeviceProcess, kernel: number, repeats: number): number {
  device.request("time", { repeats, warmup: 1, launch: recordOf({ kernel }) });
  return device.lastSequence;
}

describe("a profile", () => {
  test("has every kernel, copy and fill with the command that caused it, and the calls and waits around them", () => {
    const device = openMadeGpu();
    loadMadeKernels(device, ["fill", "_Z5twiceIfEvPT_i"]);
    launch(device, { kernel: 1 });
    for (let round = 0; round < 3; round++) {
      expect(startProfile(device)).toEqual([]);
      const first = launch(device, { kernel: 1, grid: [3, 2, 1], block: [64, 1, 1], shared: 256 });
      launch(device, { kernel: 2 });
      device.synchronize();
      launch(device, { kernel: 1 });
      const profile = stopProfile(device);
      launch(device, { kernel: 1 });

      expect(workOf(profile, first)).toEqual([
        ["kernel", "fill", 0],
        ["kernel", "twice<float>", 1],
        ["kernel", "fill", 3],
      ]);
      expect(ofKind(profile, "kernel")[0]).toMatchObject({
        grid: [3, 2, 1],
        block: [64, 1, 1],
        staticShared: 1024,
        dynamicShared: 256,
        local: 16,
        registers: 40,
        lane: 0,
      });
      expect(ofKind(profile, "call").map(({ name, sequence }) => [name, sequence - first])).toEqual([
        ["cuLaunchKernel", 0],
        ["cuLaunchKernel", 1],
        ["cuLaunchKernel", 3],
      ]);
      expect(ofKind(profile, "wait").map(({ sequence }) => sequence - first)).toEqual([2, 4]);
      expect(profile.records.every(({ start, end }) => start <= end && start > 0)).toBe(true);
      expect(profile).toMatchObject({ dropped: 0, notes: [], counters: [] });
    }
  });

  test("knows what a library, a measurement and a module put on the stream, between work of its own", () => {
    const device = openMadeGpu();
    startProfile(device);
    const loaded = loadMadeKernels(device, ["one", "two"]);
    const place = device.allocate(4096, "device");
    const first = launch(device, { kernel: 1 });
    const plan = LibraryPlan.obtain(device, matmul);
    const planned = device.lastSequence;
    const run = plan.run(device.execution, [place, place, place], [1, 0]);
    const filled = fill(device, place, 16, 0x0102030405060708n, 8);
    const second = launch(device, { kernel: 2 });
    const timed = time(device, 2, 2);
    const copied = copy(device, place, place + 64, 32);
    const again = plan.run(device.execution, [place, place, place], [1, 0]);
    const last = launch(device, { kernel: 1 });
    const profile = stopProfile(device);
    const product = ["lib::other::gemm<4>", "fill", "reduce"];
    expect(workOf(profile, 0).map((work) => (work as unknown[]).slice(1))).toEqual([
      ["copy on the device", loaded],
      ["one", first],
      ["fill", planned],
      ...product.map((name) => [name, run]),
      ["fill", filled],
      ["fill", filled],
      ["two", second],
      ...["two", "two", "two"].map((name) => [name, timed]),
      ["copy on the device", copied],
      ...product.map((name) => [name, again]),
      ["one", last],
    ]);
    expect(ofKind(profile, "call").find(({ sequence }) => sequence === run)!.name).toBe("cuBLASLt matmul");
    expect(profile.notes).toEqual([]);
  });

  test("blames no line where the records do not match the launches", () => {
    const device = openMadeGpu();
    loadMadeKernels(device, ["seen", "lost"]);
    startProfile(device);
    launch(device, { kernel: 1 });
    launch(device, { kernel: 2 });
    launch(device, { kernel: 1 });
    const profile = stopProfile(device);
    expect(workOf(profile, 0)).toEqual([
      ["kernel", "seen", 0],
      ["kernel", "seen", 0],
    ]);
    expect(profile.notes).toEqual([
      "The GPU's records do not match what it was given, so they stand without the lines that launched them.",
    ]);
  });

  test("goes on over many buffers, and the next one starts anew", () => {
    const device = openMadeGpu();
    loadMadeKernels(device, ["empty"]);
    for (const count of [200_000, 10]) {
      startProfile(device);
      const first = launch(device, { kernel: 1 });
      for (let i = 1; i < count; i++) launch(device, { kernel: 1 });
      const profile = stopProfile(device);
      const kernels = ofKind(profile, "kernel");
      expect(kernels).toHaveLength(count);
      expect(kernels.every(({ sequence }, index) => sequence === first + index)).toBe(true);
    }
  });

  test("says how many records were dropped", () => {
    const device = openMadeGpu({ FAKE_CUPTI_DROPPED: "41" });
    for (let round = 0; round < 2; round++) {
      startProfile(device);
      expect(stopProfile(device).dropped).toBe(41);
    }
  });

  test("of a plain fill", () => {
    const device = openMadeGpu();
    const place = device.allocate(4096, "device");
    startProfile(device);
    const sequence = fill(device, place, 4096, 1n, 1);
    const [record, ...others] = ofKind(stopProfile(device), "fill");
    expect(record).toMatchObject({ sequence, bytes: 4096, name: "fill", lane: 77 });
    expect(others).toEqual([]);
  });
});

describe("what keeps a profile from being taken", () => {
  test.each<[string, Record<string, string>, string, string | RegExp]>([
    [
      "no CUPTI",
      { WARPCELL_CUPTI: "off" },
      "NO_LIBRARY",
      'CUPTI is switched off (WARPCELL_CUPTI is "off"), and without it a GPU cannot be profiled.',
    ],
    [
      "a file that is none",
      { WARPCELL_CUPTI: "libm.so.6" },
      "OPTION",
      'WARPCELL_CUPTI names libm.so.6, which cannot be used (libm.so.6 lacks functions). Name another file, "off", or none.',
    ],
    [
      "a CUPTI newer than the driver",
      { FAKE_CUPTI_VERSION: "140000" },
      "OPTION",
      /\(.*libcuda\.so\.1 is of CUDA 14, newer than the driver\)/,
    ],
    [
      "another profiler",
      { FAKE_CUPTI_SUBSCRIBE: "39" },
      "PROFILER_BUSY",
      /^Another profiler or debugger has this device process already .*\. Start Warpcell without it, or look at the profile there\.$/,
    ],
    [
      "a driver that lets only administrators",
      { FAKE_CUPTI_ENABLE: "35" },
      "NOT_PERMITTED",
      /^The driver lets only administrators profile\. .*"options nvidia NVreg_RestrictProfilingToAdminUsers=0" .* CAP_SYS_ADMIN\.$/,
    ],
    ["a virtual GPU", { FAKE_CUPTI_ENABLE: "33" }, "UNSUPPORTED", /^This virtual GPU cannot be profiled\. /],
    [
      "a failure of CUPTI",
      { FAKE_CUPTI_ENABLE: "999" },
      "LIBRARY",
      /^CUPTI 13\.0 failed at starting \(CUPTI_ERROR_OF_A_TEST\)\. /,
    ],
    [
      "a failure of an older CUPTI",
      { FAKE_CUPTI_ENABLE: "7", FAKE_CUPTI_VERSION: "26" },
      "LIBRARY",
      /^CUPTI 12 \(API 26\) failed at starting /,
    ],
  ])("%s", (_what, environment, code, sentence) => {
    const device = openMadeGpu(environment);
    for (let again = 0; again < 2; again++) {
      const error = errorOf(() => startProfile(device));
      expect(error.code).toBe(code);
      expect(error.message).toMatch(sentence);
    }
    expect(errorOf(() => stopProfile(device)).code).toBe("NOT_PROFILING");
    device.synchronize();
  });
});
