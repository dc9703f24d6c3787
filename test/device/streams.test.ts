// Streams on every device: each runs in order, they run side by side, and memory goes from one to another only behind
// what the first did with it. Through the library's own surface: users have stream 0.
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DeviceFault, InterruptedError, LaunchError } from "../../native/lib/errors.ts";
import { clearInterrupt, describeKernels, type DeviceProcess, interrupt } from "../../native/lib/device/process.ts";
import type { Execution } from "../../native/lib/device/execution.ts";
import { Storage } from "../../native/lib/memory/storage.ts";
import { binding, deviceExecutable } from "../../native/lib/wire/binding.ts";
import { headerBytes, headerOffsets, Op } from "../../native/lib/wire/commands.ts";
import { writeCopy, writeFill } from "../../native/lib/wire/copy.ts";
import { writeFence, writeStreamWait } from "../../native/lib/wire/mark.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { launchOn, load, read } from "./records.ts";

const random = seeded(freshSeed());

// What waits gives up after so many looks times 2^20, so that a test that fails ends.
const patience = 20_000;
const source = `
__device__ bool seen(volatile int* flag, int patience) {
  for (long long look = 0; look < (long long)patience << 20; look++) if (*flag != 0) return true;
  return false;
}
extern "C" __global__ void meet(volatile int* mine, volatile int* other, int* met, int patience) {
  *mine = 1;
  __threadfence();
  *met = seen(other, patience);
}
extern "C" __global__ void hold(volatile int* flag, int* met, int patience) { *met = seen(flag, patience); }
extern "C" __global__ void step(unsigned* value, int n) { *value = *value * 1664525u + (unsigned)n; }
extern "C" __global__ void wild(int* p) { p[1ll << 42] = 1; }
extern "C" __global__ void spin(volatile int* p) { while (p[0] != -12345) {} }
`;
const kernels = { meet: 2000, hold: 2001, step: 2002, wild: 2003, spin: 2004 };
const names = Object.keys(kernels) as (keyof typeof kernels)[];
describeKernels((id) => names.find((name) => kernels[name] === id));
afterEach(clearInterrupt);

function caught(action: () => void): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each(devices.map((device) => [device.name, device] as const))("%s", (_name, device) => {
  const streams: Execution[] = [];
  beforeAll(() => {
    load(device, source, names, kernels.meet);
    streams.push(device.execution, device.stream(1), device.stream(2));
  });

  const on = (stream: number) => streams[stream]!;
  const fill = (stream: number, place: number, value: number, bytes = 4) =>
    writeFill(on(stream), place, bytes, BigInt(value), 4);
  const wordAt = (place: number) => new Int32Array(read(device, place, 4).buffer)[0];
  /** Words of 0 on a line each. */
  function words(count: number): number[] {
    const place = device.allocate(count * 256, "device");
    fill(0, place, 0, count * 256);
    device.synchronize();
    return Array.from({ length: count }, (_, word) => place + word * 256);
  }
  /** Keeps a stream from going on until the flag is set; then `met` is 1. */
  const hold = (stream: number, flag: number, met: number) =>
    launchOn(on(stream), { kernel: kernels.hold, pointers: [flag, met], integers: [patience] });
  /** It does not get there before it may. */
  const isHeldUp = (stream: number) => binding.wait(device.client, stream, writeFence(on(stream)), 20) === "timeout";

  test.each([
    [1, 2],
    [0, 1],
    [1, 0],
  ])("kernels of stream %i and %i that wait for each other run at the same time", (first, second) => {
    const [one, other, ...met] = words(4) as [number, number, number, number];
    const integers = [patience];
    launchOn(on(first), { kernel: kernels.meet, pointers: [one, other, met[0]], integers });
    launchOn(on(second), { kernel: kernels.meet, pointers: [other, one, met[1]], integers });
    device.synchronize();
    expect(met.map(wordAt)).toEqual([1, 1]);
    device.free(one);
  });

  test("what is on one stream runs in the order in which it was written", () => {
    const places = words(6);
    const values = [0, 0, 0];
    for (let round = 0; round < 600; round++) {
      const stream = Math.floor(random() * 3);
      const [value, kept] = places.slice(2 * stream) as [number, number];
      const n = Math.floor(random() * 1000);
      const how = random();
      if (how < 0.6) {
        launchOn(on(stream), { kernel: kernels.step, pointers: [value], integers: [n] });
        values[stream] = (Math.imul(values[stream]!, 1664525) + n) | 0;
      } else if (how < 0.8) {
        writeCopy(on(stream), kept, value, 4);
        writeCopy(on(stream), value, kept, 4);
      } else {
        fill(stream, value, n);
        values[stream] = n;
      }
    }
    device.synchronize();
    expect([0, 2, 4].map((at) => wordAt(places[at]!))).toEqual(values);
    device.free(places[0]!);
  });

  test("a wait for one stream ends while another works, and what waits for that one comes after it", () => {
    const [flag, met, value, early, late] = words(5) as [number, number, number, number, number];
    const held = hold(1, flag, met);
    fill(1, value, 7);
    writeCopy(on(2), early, value, 4);
    on(2).synchronize();
    expect(binding.completed(device.client, 1)).toBeLessThan(held);
    expect(binding.progress(device.client, 1)).toBeLessThan(held);
    expect(device.isBusy).toBe(true);

    on(2).waitFor(on(1));
    writeCopy(on(2), late, value, 4);
    expect(isHeldUp(2)).toBe(true);
    fill(0, flag, 1);
    on(2).synchronize();
    device.synchronize();
    expect([met, early, late].map(wordAt)).toEqual([1, 0, 7]);
    expect(device.isBusy).toBe(false);
    device.free(flag);
  });

  test("marks in the midst of a stream are reached in their order, whatever follows them", async () => {
    const [flag, met, value] = words(3) as [number, number, number];
    fill(1, value, 1);
    const first = writeFence(on(1));
    hold(1, flag, met);
    const second = writeFence(on(1));
    launchOn(on(1), { kernel: kernels.step, pointers: [value], integers: [3] });
    expect(await binding.waitAsync(device.client, 1, first)).toBe("done");
    expect(binding.completed(device.client, 1)).toBe(first);
    const waits = binding.waitAsync(device.client, 1, second);
    fill(0, flag, 1);
    expect(await waits).toBe("done");
    await device.synchronizeAsync();
    expect([met, value].map(wordAt)).toEqual([1, 1664528]);
    device.free(flag);
  });

  describe("a block that was freed", () => {
    const bytes = 40 * 2 ** 20;
    const segments = () => binding.memory(device.client).segments;
    const allocated = () => binding.memory(device.client).allocated;

    test("is its stream's at once, and another's when it is known to be done", () => {
      const [flag, met] = words(2) as [number, number];
      const place = device.allocate(bytes, "device", 1);
      hold(1, flag, met);
      fill(1, place, 1, bytes);
      device.free(place);
      const before = segments();
      const other = device.allocate(bytes, "device", 2);
      expect(segments()).toBe(before + 1);
      expect(device.allocate(bytes, "device", 1)).toBe(place);
      device.free(place);

      fill(0, flag, 1);
      device.synchronize();
      expect(device.allocate(bytes, "device", 2)).toBe(place);
      expect(segments()).toBe(before + 1);
      for (const each of [place, other, flag]) device.free(each);
      expect(wordAt(met)).toBe(1);
    });

    test("is nobody's before all streams that used it have done with it", () => {
      const [flag, met] = words(2) as [number, number];
      const storage = new Storage(device, bytes);
      storage.usedOn(0);
      storage.usedOn(1);
      hold(1, flag, met);
      fill(1, storage.place, 1, bytes);
      const before = allocated();
      storage.drop();
      expect(() => device.use(storage.place, 2)).toThrow(/is not allocated/);
      const other = device.allocate(bytes, "device");
      expect(other).not.toBe(storage.place);
      expect(allocated()).toBe(before + bytes);

      fill(0, flag, 1);
      on(1).synchronize();
      device.free(device.allocate(256, "device"));
      expect(allocated()).toBe(before);
      for (const each of [other, flag]) device.free(each);
    });

    test("is another's behind its last use where there is no other memory", () => {
      const [flag, met] = words(2) as [number, number];
      // What reads the words below has its segment before the rest is taken.
      const reserve = device.allocate(4, "host");
      const size = 2 ** 26;
      binding.limitMemory(device.client, binding.memory(device.client).reserved + 2 * size);
      onTestFinished(() => binding.limitMemory(device.client, Number.MAX_SAFE_INTEGER));
      const taken: number[] = [];
      for (let place = 0; place >= 0; ) {
        place = binding.allocate(device.client, 0, 1, size, true);
        if (place >= 0) taken.push(place);
      }
      const place = taken.shift()!;
      const most = segments();
      hold(1, flag, met);
      fill(1, place, 1, 1024);
      device.free(place);
      const found = binding.allocate(device.client, 0, 2, size, true);
      expect([found, segments()]).toEqual([place, most]);
      fill(2, place, 2, 1024);
      expect(isHeldUp(2)).toBe(true);
      fill(0, flag, 1);
      device.synchronize();
      expect([wordAt(met), wordAt(place)]).toEqual([1, 2]);
      for (const each of [...taken, place, flag, reserve]) device.free(each);
      binding.trim(device.client);
    });
  });

  test("a fault of a stream names its kernel, and what others had done is trusted; all streams work again", () => {
    const [flag, met, value] = words(3) as [number, number, number];
    hold(1, flag, met);
    const done = fill(2, value, 5);
    on(2).synchronize();
    const lost = launchOn(on(1), { kernel: kernels.wild, pointers: [value] });
    fill(0, flag, 1);
    const fault = caught(() => on(1).synchronize()) as DeviceFault;
    expect(fault).toBeInstanceOf(DeviceFault);
    expect([fault.code, fault.kernel, fault.sequence]).toEqual(["ILLEGAL_ADDRESS", "wild", lost]);
    expect([device.isSuspect(lost), device.isSuspect(done)]).toEqual([true, false]);

    for (const stream of [0, 1, 2]) {
      launchOn(on(stream), { kernel: kernels.step, pointers: [value], integers: [stream] });
      on(stream).synchronize();
    }
    expect(wordAt(value)).toBe([0, 1, 2].reduce((last, n) => (Math.imul(last, 1664525) + n) | 0, 5));
    device.free(flag);
  });

  test("a launch that is refused is told by the next wait, whichever stream it was for", () => {
    const [value] = words(1) as [number];
    launchOn(on(1), { kernel: kernels.step, block: [2000, 1, 1], pointers: [value], integers: [1] });
    expect(() => on(1).synchronize()).toThrow(LaunchError);
    device.synchronize();
    device.free(value);
  });

  test("an interrupt ends what spins on another stream, and all work again", () => {
    const [value] = words(1) as [number];
    launchOn(on(1), { kernel: kernels.spin, pointers: [value] });
    interrupt();
    const error = caught(() => on(1).synchronize()) as InterruptedError;
    expect(error).toBeInstanceOf(InterruptedError);
    expect(error.message).toMatch(/^Kernel spin was interrupted/);
    clearInterrupt();
    for (const stream of [1, 2, 0]) launchOn(on(stream), { kernel: kernels.step, pointers: [value], integers: [0] });
    device.synchronize();
    device.free(value);
  });

  test("a stream that was not opened takes no work, and can be waited for by nobody", () => {
    expect(() => device.stream(32)).toThrow("A device has streams 0 to 31, not 32.");
    expect(() => binding.wait(device.client, 9, 1, 0)).toThrow("Stream 9 has not been opened.");
    const record = new DataView(binding.room(device.client));
    record.setUint32(headerOffsets.bytes, headerBytes, true);
    record.setUint32(headerOffsets.op, Op.fence | (9 << 16), true);
    expect(() => binding.submit(device.client)).toThrow("Stream 9 has not been opened.");
    writeStreamWait(on(1), 9);
    expect(() => on(1).synchronize()).toThrow("Stream 9 has not been opened.");
  });
});

test("blocks of several streams never overlap, and all come back", () => {
  const client = binding.open("cpu", 0, deviceExecutable);
  for (const stream of [1, 2]) binding.openStream(client, stream);
  const living = new Map<number, number>();
  for (let i = 0; i < 3000; i++) {
    const stream = Math.floor(random() * 3);
    const place = [...living.keys()][Math.floor(random() * living.size)];
    const how = random();
    if (place !== undefined && how < 0.42) {
      binding.free(client, place);
      living.delete(place);
    } else if (place !== undefined && how < 0.5) {
      binding.use(client, place, stream);
    } else {
      const bytes = Math.ceil(2 ** (random() * 22));
      living.set(binding.allocate(client, 0, stream, bytes, true), bytes);
    }
  }
  const sorted = [...living].sort(([a], [b]) => a - b);
  for (let i = 1; i < sorted.length; i++) {
    const [[before, bytes], [place]] = [sorted[i - 1]!, sorted[i]!];
    expect(place).toBeGreaterThanOrEqual(before + bytes);
  }
  for (const place of living.keys()) binding.free(client, place);
  // All marks behind which they are free have been reached.
  for (const stream of [0, 1, 2]) {
    const record = new DataView(binding.room(client));
    record.setUint32(headerOffsets.bytes, headerBytes, true);
    record.setUint32(headerOffsets.op, Op.fence | (stream << 16), true);
    expect(binding.wait(client, stream, binding.submit(client), -1)).toBe("done");
  }
  const { reserved } = binding.memory(client);
  expect(binding.trim(client)).toBe(reserved);
  expect(binding.memory(client)).toMatchObject({ reserved: 0, segments: 0, allocated: 0, blocks: 0 });
  binding.close(client);
});
