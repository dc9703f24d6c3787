// Kernels that break their device: the call that launched is named, arrays and kernels come back. On every device.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { binding, deviceExecutable } from "../../native/lib/wire/binding.ts";
import { CompileError, DeviceFault, InterruptedError } from "../../native/lib/errors.ts";
import {
  clearInterrupt,
  describeKernels,
  describeOrigins,
  type DeviceProcess,
  origin,
} from "../../native/lib/device/process.ts";
import { LibraryPlan } from "../../native/lib/device/library-plan.ts";
import { devices } from "./devices.ts";
import { compiled, launch, load, read, recordOf, write } from "./records.ts";

const source = `
extern "C" __global__ void add(int* p, int n, int value) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += value; }
extern "C" __global__ void wild(int* p, int n) { if (threadIdx.x == 7 && blockIdx.x == 3) p[(1ll << 42) + n] = 1; }
extern "C" __global__ void spin(volatile int* p) { while (p[0] != -12345) {} }
extern "C" __global__ void trap(int* p) { if (threadIdx.x == 2) __trap(); }
`;
const kernels = { add: 100, wild: 101, spin: 102, trap: 103 };
const names = Object.keys(kernels) as (keyof typeof kernels)[];

describeKernels((id) => names.find((name) => kernels[name] === id));
describeOrigins((number) => {
  const count = Math.floor(number / 100);
  return { label: `Cell [${count}]`, cell: null, count, line: number % 100 };
});
afterEach(() => {
  clearInterrupt();
  origin.current = 0;
});

function caught(action: () => void): DeviceFault {
  try {
    action();
  } catch (error) {
    if (error instanceof DeviceFault) return error;
    throw error;
  }
  throw new Error("Expected a DeviceFault but nothing was thrown.");
}

function words(bytes: Uint8Array): Int32Array {
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** An array of random numbers on the device, with the same numbers here. */
function randomArray(device: DeviceProcess, length: number): { place: number; values: Int32Array } {
  const bytes = new Uint8Array(randomBytes(length * 4));
  const place = device.allocate(bytes.length, "device");
  write(device, place, bytes);
  return { place, values: words(bytes) };
}

describe.each(devices.map((device) => [device.name, device] as const))("%s", (_name, device) => {
  beforeAll(() => load(device, source, names, kernels.add));

  /** The next cell: an earlier array is right, an earlier kernel works on it. */
  function expectWhole({ place, values }: { place: number; values: Int32Array }): void {
    expect(Buffer.compare(read(device, place, values.byteLength), new Uint8Array(values.buffer))).toBe(0);
    launch(device, {
      kernel: kernels.add,
      grid: [Math.ceil(values.length / 256), 1, 1],
      block: [256, 1, 1],
      pointers: [place],
      integers: [values.length, 3],
    });
    values.forEach((value, i) => (values[i] = (value + 3) | 0));
    expect(Buffer.compare(read(device, place, values.byteLength), new Uint8Array(values.buffer))).toBe(0);
    device.free(place);
  }

  test("a write outside of all arrays names kernel, cell, line, block and thread", () => {
    const array = randomArray(device, 100_000);
    origin.current = 204;
    const good = launch(device, { kernel: kernels.add, pointers: [array.place], integers: [0, 1] });
    device.synchronize();
    origin.current = 307;
    const sequence = launch(device, {
      kernel: kernels.wild,
      grid: [8, 1, 1],
      block: [32, 1, 1],
      pointers: [array.place],
      integers: [5],
    });
    const fault = caught(() => device.synchronize());

    expect(fault).toMatchObject({
      code: "ILLEGAL_ADDRESS",
      device: device.name,
      kernel: "wild",
      where: "Cell [3]:7",
      sequence,
    });
    expect(fault.message).toMatch(
      /^Kernel wild accessed an illegal address \(.*launched at Cell \[3\]:7\)\..* The arrays are kept; those that a kernel may have been writing are marked\.$/,
    );
    if (fault.block !== undefined)
      expect([fault.block, fault.thread]).toEqual([
        [3, 0, 0],
        [7, 0, 0],
      ]);
    expect([good, sequence].map((number) => device.isSuspect(number))).toEqual([false, true]);
    expectWhole(array);
  });

  test("a null pointer is a fault of the kernel that was given it", () => {
    const array = randomArray(device, 1000);
    launch(device, { kernel: kernels.add, block: [32, 1, 1], pointers: [null], integers: [32, 1] });
    expect(caught(() => device.synchronize())).toMatchObject({ code: "ILLEGAL_ADDRESS", kernel: "add" });
    expectWhole(array);
  });

  test("a kernel that faults between products of a library is named, and they are not", () => {
    const [a, b, out] = [0, 1, 2].map(() => device.allocate(64 * 64 * 4, "device")) as [number, number, number];
    const plan = LibraryPlan.obtain(device, "matmul m=64 n=64 k=64 compute=float32 type=float32", {
      places: [out, a, b],
      scalars: [1, 0],
    });
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 5; i++) plan.run(device.execution, [out, a, b], [1, 0]);
      origin.current = 410 + round;
      const sequence = launch(device, {
        kernel: kernels.wild,
        grid: [8, 1, 1],
        block: [32, 1, 1],
        pointers: [a],
        integers: [0],
      });
      origin.current = 500;
      expect(
        caught(() => {
          for (let i = 0; i < 5; i++) plan.run(device.execution, [out, a, b], [1, 0]);
          device.synchronize();
        }),
      ).toMatchObject({ kernel: "wild", where: `Cell [4]:${10 + round}`, sequence });
    }
    for (const place of [a, b, out]) device.free(place);
  });

  test("a fault is found by whatever comes next: an allocation, a request, a launch or the end of the cell", async () => {
    const array = randomArray(device, 1000);
    const wild = (): number =>
      launch(device, {
        kernel: kernels.wild,
        grid: [8, 1, 1],
        block: [32, 1, 1],
        pointers: [array.place],
        integers: [0],
      });
    wild();
    // A GPU may still be at it when it answers.
    expect(
      caught(() => {
        device.request("hello", {});
        device.synchronize();
      }),
    ).toMatchObject({ kernel: "wild" });
    wild();
    await expect(device.synchronizeAsync()).rejects.toMatchObject({ kernel: "wild" });
    wild();
    await expect((device.constructor as typeof DeviceProcess).settle()).rejects.toMatchObject({ kernel: "wild" });
    expectWhole(array);
  });

  test("a trap is told from other faults", () => {
    const array = randomArray(device, 1000);
    launch(device, { kernel: kernels.trap, block: [32, 1, 1], pointers: [array.place] });
    expect(caught(() => device.synchronize()).message).toMatch(/^Kernel trap [^(]+ \(/);
    expectWhole(array);
  });

  test("a kernel that never ends is interrupted and named", async () => {
    const array = randomArray(device, 100_000);
    origin.current = 502;
    launch(device, { kernel: kernels.spin, pointers: [array.place] });
    const addon = deviceExecutable.replace("warpcell-device", "addon.node");
    const worker = new Worker(
      `const { interrupt } = require(${JSON.stringify(addon)}); require("node:worker_threads").parentPort.postMessage(0); setTimeout(interrupt, 50);`,
      { eval: true },
    );
    await once(worker, "message");

    expect(() => device.synchronize()).toThrow(InterruptedError);
    await worker.terminate();
    expectWhole(array);
  });

  test("an endless kernel does not keep its device process when that is killed from outside", () => {
    const array = randomArray(device, 1000);
    origin.current = 601;
    launch(device, { kernel: kernels.spin, pointers: [array.place] });
    process.kill(binding.processId(device.client), "SIGKILL");
    expect(caught(() => device.synchronize())).toMatchObject({ code: "DIED", kernel: "spin", where: "Cell [6]:1" });
    expectWhole(array);
  });

  test("launches are timed on the device", () => {
    const array = randomArray(device, 1000);
    const record = recordOf({ kernel: kernels.add, block: [32, 1, 1], pointers: [array.place], integers: [0, 1] });
    const milliseconds = device.request("time", { repeats: 5, warmup: 2, launch: record }).milliseconds.map(Number);
    expect(milliseconds).toHaveLength(5);
    expect(milliseconds.every((time) => time > 0 && time < 1000)).toBe(true);
    expectWhole(array);
  });

  test("source that does not compile is a CompileError with the compiler's own words", () => {
    try {
      compiled(device, "__global__ void broken( { }", ["broken"]);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(CompileError);
      expect((error as CompileError).log).toMatch(/test\.cu/);
    }
  });

  test("a fault loses no segment of a gigabyte of arrays, and the next answer is right", () => {
    const gigabytes = Array.from({ length: 4 }, () => device.allocate(256 << 20, "device"));
    const array = randomArray(device, 1 << 20);
    const { segments } = binding.memory(device.client);
    launch(device, {
      kernel: kernels.wild,
      grid: [8, 1, 1],
      block: [32, 1, 1],
      pointers: [array.place],
      integers: [0],
    });
    expect(caught(() => device.synchronize())).toMatchObject({ kernel: "wild" });
    expectWhole(array);
    expect(binding.memory(device.client).segments).toBe(segments);
    for (const place of gigabytes) device.free(place);
    binding.trim(device.client);
  });
});
