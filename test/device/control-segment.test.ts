// What a device process leaves in the memory that it shares with the session: nonsense there costs the process, never
// the session, a wait or an array.
import { randomBytes } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readFileSync, readSync, statSync, writeSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { binding } from "../../native/lib/wire/binding.ts";
import { DeviceFault } from "../../native/lib/errors.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { layout, printed } from "../helpers/host-cpp.ts";
import { devices } from "./devices.ts";
import { fill, launch, load, read, write } from "./records.ts";

const controlBytes = 1 << 20;
const overwritten = "the memory that it shares with the session was overwritten";

// As protocol/commands.h lays `Control` out: each word on a cache line of its own.
const words = {
  stop: 4,
  head: 64,
  tail: 128,
  engine_sleeping: 192,
  wake: 256,
  waiters: 260,
  error_count: 320,
  completed: 36864,
  progress: 36928,
};

/** The others have 32 bits. */
const longs = ["head", "tail", "completed", "progress"];

/** The control segment of a device's process, open for writing. */
function withControl<Result>(device: DeviceProcess, use: (file: number) => Result): Result {
  const file = openSync(`/proc/${binding.processId(device.client)}/fd/3`, "r+");
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

function scribble(device: DeviceProcess, at: number, bytes: Uint8Array): void {
  withControl(device, (file) => writeSync(file, bytes, 0, bytes.length, at));
}

function peek(device: DeviceProcess, at: number): number {
  const word = Buffer.alloc(4);
  withControl(device, (file) => readSync(file, word, 0, word.length, at));
  return word.readUInt32LE();
}

/** What a body throws. */
function faultOf(body: () => void): unknown {
  try {
    body();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Bytes that follow from a seed (xorshift). */
function noise(seed: number, count: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  });
}

test("the words are where the header has them", () => {
  const { completed, progress, ...ofControl } = words;
  const { control, state } = printed(["protocol/commands.h"], {
    control: layout("Control", [...Object.keys(ofControl), "streams"]),
    state: layout("StreamState", ["completed", "progress"]),
  });
  const { streams, ...fields } = control!.fields as Record<string, number>;
  expect(fields).toEqual(ofControl);
  // Of stream 0.
  expect(state!.fields).toEqual({ completed: completed - streams!, progress: progress - streams! });
});

describe.each(devices.map((device) => [device.name, device] as const))("%s", (_name, device) => {
  /**
   * Runs `body` with an array on the device; afterwards that is as it was and the device works, with no fault that
   * comes late.
   */
  async function survives(body: () => Promise<void> | void): Promise<void> {
    const bytes = randomBytes(1 << 16);
    const place = device.allocate(bytes.length, "device");
    write(device, place, bytes);
    await body();
    expect(Buffer.compare(read(device, place, bytes.length), bytes)).toBe(0);
    fill(device, place, 64, 7n, 1);
    device.synchronize();
    expect(read(device, place, 64)).toEqual(new Uint8Array(64).fill(7));
    device.free(place);
  }

  test.each([
    ["zeros", new Uint8Array(controlBytes)],
    ["ones", new Uint8Array(controlBytes).fill(0xff)],
    ["noise of seed 1", noise(1, controlBytes)],
    ["noise of seed 2", noise(2, controlBytes)],
    ["noise of seed 3", noise(3, controlBytes)],
  ])("a segment full of %s is a fault that says so, and the next process has a new one", async (_what, bytes) => {
    await survives(() => {
      scribble(device, 0, bytes);
      const fault = faultOf(() => device.synchronize()) as DeviceFault;
      expect(fault).toBeInstanceOf(DeviceFault);
      expect(fault.message).toContain(overwritten);
    });
  });

  test.each(
    Object.entries(words).flatMap(
      ([name, at]) =>
        [
          [name, at, 0],
          [name, at, 0xff],
          [name, at, 0x01],
        ] as const,
    ),
  )("%s (at %i) full of %i leaves nobody waiting", async (word, at, value) => {
    await survives(async () => {
      await expect.poll(() => peek(device, words.engine_sleeping)).toBe(1);
      scribble(device, at, new Uint8Array(longs.includes(word) ? 8 : 4).fill(value));
      for (let i = 0; i < 3; i++) {
        const fault = faultOf(() => device.synchronize());
        if (fault !== undefined) expect(fault).toBeInstanceOf(DeviceFault);
      }
    });
  });

  test.each([
    ["completed", words.completed],
    ["progress", words.progress],
  ])("more %s than was submitted is not believed", async (_word, at) => {
    await survives(() => {
      const place = device.allocate(1024, "device");
      process.kill(binding.processId(device.client), "SIGSTOP");
      const sequence = fill(device, place, 1024, 1n, 1);
      const many = new Uint8Array(8);
      new DataView(many.buffer).setBigUint64(0, BigInt(sequence) + 1000n, true);
      scribble(device, at, many);

      expect(binding.completed(device.client, 0)).toBeLessThan(sequence);
      expect(binding.progress(device.client, 0)).toBeLessThan(sequence);
      expect(binding.state(device.client)).toBe(overwritten);
      expect(faultOf(() => device.synchronize())).toBeInstanceOf(DeviceFault);
      expect(device.isSuspect(sequence)).toBe(true);
      device.free(place);
    });
  });

  test("a full ring whose process says to have taken more than it was given keeps nobody waiting", async () => {
    await survives(() => {
      const place = device.allocate(1024, "device");
      process.kill(binding.processId(device.client), "SIGSTOP");
      scribble(device, words.tail, new Uint8Array(8).fill(0xff));
      const fault = faultOf(() => {
        for (let i = 0; i < 40_000; i++) fill(device, place, 1024, 1n, 1);
      }) as DeviceFault;
      expect(fault.message).toContain(overwritten);
      device.free(place);
    });
  });

  test("an awaited wait hears of it too", async () => {
    process.kill(binding.processId(device.client), "SIGSTOP");
    const waits = device.synchronizeAsync();
    scribble(device, 0, noise(4, controlBytes));
    await expect(waits).rejects.toThrow(overwritten);
    device.synchronize();
  });

  test("it keeps its size: whoever reads it from the other side does not die", () => {
    expect(() => withControl(device, (file) => ftruncateSync(file, 0))).toThrow(/EPERM/);
    device.synchronize();
  });
});

test.each([
  ["zeros", 0, 950],
  ["ones", -1, 951],
])("a kernel of the CPU that fills the segment with %s is named, and the next launch works", (_what, value, kernel) => {
  const device = DeviceProcess.get("cpu");
  load(
    device,
    `extern "C" __global__ void scribble(int low, int high, int words, int value) {
    int* control = (int*)((unsigned long long)(unsigned)high << 32 | (unsigned)low);
    for (int i = 0; i < words; i++) control[i] = value;
  }`,
    ["scribble"],
    kernel,
  );
  const pid = binding.processId(device.client);
  const { ino } = statSync(`/proc/${pid}/fd/3`);
  const line = readFileSync(`/proc/${pid}/maps`, "utf8")
    .split("\n")
    .find((text) => text.split(/\s+/)[4] === String(ino))!;
  const address = BigInt(`0x${line.split("-")[0]}`);

  const bytes = randomBytes(1 << 16);
  const place = device.allocate(bytes.length, "device");
  write(device, place, bytes);
  const run = (words: number) => {
    launch(device, {
      kernel,
      integers: [Number(BigInt.asIntN(32, address)), Number(BigInt.asIntN(32, address >> 32n)), words, value],
    });
    device.synchronize();
  };
  expect(() => run(controlBytes / 4)).toThrow(new RegExp(`[Kk]ernel number ${kernel} .*${overwritten}`));
  run(0);
  expect(Buffer.compare(read(device, place, bytes.length), bytes)).toBe(0);
  device.free(place);
});
