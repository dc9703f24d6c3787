// What a device process records of its work while a profile is on, on every device: completeness, order, sums, names,
// and what comes of mistakes and faults.
import { afterEach, describe, expect, test } from "vitest";
import { DeviceFault } from "../../native/lib/errors.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { devices } from "./devices.ts";
import { ofKind, type RawProfile, startProfile, stopProfile } from "./profile.ts";
import { copy, fill, launch, load, read } from "./records.ts";

const source = `
extern "C" __global__ void nothing() {}
template <class T> __global__ void twice(T* values, int n) {
  __shared__ T part[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? values[i] : 0;
  __syncthreads();
  if (i < n) values[i] = 2 * part[threadIdx.x];
}
namespace ns { __global__ void burn(long long cycles) { long long start = clock64(); while (clock64() - start < cycles) ; } }
__global__ void fall(int* nowhere) { *nowhere = 1; }`;
const [nothing, twice, burn, fall] = [100, 101, 102, 103];
const names = ["nothing", "twice<float>", "ns::burn", "fall"];

const of = (device: DeviceProcess): void => load(device, source, names, nothing);
const loaded = new Set<DeviceProcess>();
function ready(device: DeviceProcess): void {
  if (!loaded.has(device)) of(device);
  loaded.add(device);
}

const isSorted = (numbers: number[]): boolean =>
  numbers.every((number, index) => index === 0 || number >= numbers[index - 1]!);
const now = (): number => Number(process.hrtime.bigint());

describe.each(devices.map((device) => [device.name, device] as const))("%s", (_name, device) => {
  const give: number[] = [];
  const take = (bytes: number): number => {
    const place = device.allocate(bytes, "device");
    give.push(place);
    return place;
  };
  afterEach(() => give.splice(0).forEach((place) => device.free(place)));

  test("every launch, copy and fill has its record, in the order of the commands and inside the wall clock", () => {
    ready(device);
    const bytes = 1 << 20,
      [a, b] = [take(bytes), take(bytes)];
    device.synchronize();
    expect(startProfile(device)).toEqual([]);
    const before = now();
    const filled = fill(device, a, bytes, 0x3f800000n, 4);
    const doubled = launch(device, {
      kernel: twice,
      grid: [4096, 1, 1],
      block: [64, 1, 1],
      shared: 128,
      pointers: [a],
      integers: [bytes / 4],
    });
    const copied = copy(device, b, a, bytes / 2);
    const empty = launch(device, { kernel: nothing, grid: [3, 2, 1], block: [8, 4, 1] });
    device.synchronize();
    const after = now();
    const profile = stopProfile(device);

    expect(ofKind(profile, "kernel").map(({ name, sequence, grid, block }) => [name, sequence, grid, block])).toEqual([
      ["twice<float>", doubled, [4096, 1, 1], [64, 1, 1]],
      ["nothing", empty, [3, 2, 1], [8, 4, 1]],
    ]);
    expect(ofKind(profile, "kernel")[0]).toMatchObject({ staticShared: 256, dynamicShared: 128, lane: 0 });
    expect(ofKind(profile, "fill").map((record) => [record.sequence, record.bytes])).toEqual([[filled, bytes]]);
    expect(ofKind(profile, "copy").map((record) => [record.sequence, record.bytes])).toEqual([[copied, bytes / 2]]);
    expect(profile).toMatchObject({ dropped: 0, notes: [], counters: [] });

    expect(isSorted(profile.records.map(({ sequence }) => sequence))).toBe(true);
    const work = profile.records.filter(({ kind }) => kind === "kernel" || kind === "copy" || kind === "fill");
    const slack = device.kind === "cpu" ? 0 : 50_000; // between two clocks
    expect(work.every(({ start, end }) => start <= end && start >= before - slack && end <= after + slack)).toBe(true);
    expect(isSorted(work.map(({ start }) => start))).toBe(true);
    expect(new Float32Array(read(device, b, 16).buffer)).toEqual(Float32Array.of(2, 2, 2, 2));
  });

  test("durations are no less than the kernels' own clock says, and no more than the wall clock", () => {
    ready(device);
    const cycles = 20_000_000;
    // Nanoseconds on the CPU; no GPU runs through 4 in one.
    const least = device.kind === "cpu" ? cycles : cycles / 4;
    startProfile(device);
    const before = now();
    for (let i = 0; i < 3; i++) launch(device, { kernel: burn, integers: [cycles, 0] });
    device.synchronize();
    const wall = now() - before;
    const burned = ofKind(stopProfile(device), "kernel");
    expect(burned.map(({ name }) => name)).toEqual(["ns::burn", "ns::burn", "ns::burn"]);
    for (const { start, end } of burned) expect(end - start).toBeGreaterThanOrEqual(least);
    const total = burned.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(total).toBeLessThan(1.01 * wall);
  });

  test("none of many launches is lost, and the next profile starts anew", () => {
    ready(device);
    for (const count of [20_000, 5]) {
      startProfile(device);
      const first = launch(device, { kernel: nothing });
      for (let i = 1; i < count; i++) launch(device, { kernel: nothing });
      device.synchronize();
      const profile = stopProfile(device);
      expect(profile.dropped).toBe(0);
      const kernels = ofKind(profile, "kernel");
      expect(kernels).toHaveLength(count);
      expect(kernels.every(({ sequence }, index) => sequence === first + index)).toBe(true);
    }
  });

  test("work before the start and after the end is in no profile", () => {
    ready(device);
    launch(device, { kernel: nothing });
    startProfile(device);
    const inside = launch(device, { kernel: nothing });
    const profile = stopProfile(device);
    launch(device, { kernel: nothing });
    expect(ofKind(profile, "kernel").map(({ sequence }) => sequence)).toEqual([inside]);
    startProfile(device);
    expect(ofKind(stopProfile(device), "kernel")).toEqual([]);
  });

  test("a launch that was refused has no record", () => {
    ready(device);
    startProfile(device);
    launch(device, { kernel: 4711 });
    expect(() => device.synchronize()).toThrow("Kernel 4711 is not loaded");
    expect(stopProfile(device).records.filter(({ kind }) => kind !== "wait")).toEqual([]);
  });

  test("a start while one is on gives the first up", () => {
    ready(device);
    startProfile(device);
    launch(device, { kernel: nothing });
    startProfile(device);
    const second = launch(device, { kernel: nothing });
    expect(ofKind(stopProfile(device), "kernel").map(({ sequence }) => sequence)).toEqual([second]);
  });

  test("a stop without a start is an error", () => {
    expect(() => stopProfile(device)).toThrow(
      expect.objectContaining({
        code: "NOT_PROFILING",
        message: "There is no profile to stop: none was started since this device process began. Start one first.",
      }) as Error,
    );
  });

  test("a fault ends the profile with the process", () => {
    ready(device);
    startProfile(device);
    launch(device, { kernel: fall, pointers: [null] });
    expect(() => device.synchronize()).toThrow(DeviceFault);
    expect(() => stopProfile(device)).toThrow(expect.objectContaining({ code: "NOT_PROFILING" }) as Error);
    startProfile(device);
    const sequence = launch(device, { kernel: nothing });
    expect(ofKind(stopProfile(device), "kernel").map((record) => record.sequence)).toEqual([sequence]);
  });
});

describe("the cpu", () => {
  const device = devices.find(({ kind }) => kind === "cpu");
  const workersOf = (profile: RawProfile, sequence: number): RawProfile["records"] =>
    ofKind(profile, "worker").filter((record) => record.sequence === sequence);

  test.runIf(device !== undefined)(
    "shows what each core did of a launch: together all of its blocks, inside its time",
    () => {
      ready(device!);
      const bytes = 1 << 22,
        place = device!.allocate(bytes, "device");
      const sizes: [number, number, number][] = [
        [1, 1, 1],
        [7, 3, 2],
        [16384, 1, 1],
        [16384, 1, 1],
        [16384, 1, 1],
      ];
      startProfile(device!);
      const sequences = sizes.map((grid) =>
        launch(device!, { kernel: twice, grid, block: [64, 1, 1], pointers: [place], integers: [bytes / 4] }),
      );
      const profile = stopProfile(device!);
      device!.free(place);
      sequences.forEach((sequence, index) => {
        const [kernel] = ofKind(profile, "kernel").filter((record) => record.sequence === sequence);
        const workers = workersOf(profile, sequence);
        expect(workers.reduce((sum, { blocks }) => sum + blocks, 0)).toBe(
          sizes[index]!.reduce((product, size) => product * size),
        );
        expect(new Set(workers.map(({ lane }) => lane)).size).toBe(workers.length);
        expect(
          workers.every(
            ({ name, blocks, start, end }) =>
              name === "twice<float>" && blocks > 0 && start >= kernel!.start && end <= kernel!.end,
          ),
        ).toBe(true);
      });
    },
  );
});
