// A profile of known work, through the library's public surface: it agrees with kernel.time and the wall clock, its
// table with its slices, and its files with both.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  compile,
  FormatError,
  Profile,
  profile,
  range,
  tensor,
  WarpcellError,
  zeros,
  type Kernel,
  type Tensor,
} from "../../native/lib/index.ts";
import { Profiling } from "../../native/lib/profile/profiling.ts";
import { devices } from "./devices.ts";

const source = `
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) for (int k = 0; k < 64; k++) y[i] += a * x[i] + sqrtf(fabsf(y[i]));
}
__global__ void broken(float* nowhere) { nowhere[0] = 1; }`;

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "warpcell-profile-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
};
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

afterEach(() => Profiling.current?.abandon());

test("the function that takes most of the time is the widest of the flame chart, within what called it", async () => {
  const spin = (milliseconds: number): void => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  };
  function long(): void {
    spin(300);
  }
  function short(): void {
    spin(20);
  }
  function step(): void {
    long();
    short();
  }
  const p = await profile(step, { typescript: true });
  const found = p.events().filter(({ track }) => track === "functions");
  const widest = (name: string) => {
    const [first] = found
      .filter((event) => event.name.startsWith(`${name} (profile.test.ts:`))
      .sort((a, b) => b.duration - a.duration);
    return first!;
  };
  const [outer, most, less] = [widest("step"), widest("long"), widest("short")];
  expect(most.duration).toBeGreaterThan(less.duration);
  // Durations are kept in single precision.
  const rounding = outer.duration * 2 ** -23;
  expect(most.start).toBeGreaterThanOrEqual(outer.start);
  expect(less.start).toBeGreaterThanOrEqual(most.start + most.duration - rounding);
  expect(less.start + less.duration).toBeLessThanOrEqual(outer.start + outer.duration + rounding);
  const none = await profile(step);
  expect(none.events().filter(({ track }) => track === "functions")).toEqual([]);
});

describe.each(devices.map((device) => [device.name, device] as const))("on %s", (name, device) => {
  let saxpy: Kernel;
  let broken: Kernel;
  let x: Tensor, y: Tensor;
  // Long enough for what a clock and an event cost, on either.
  const n = device.properties.unifiedMemory ? 1 << 14 : 1 << 22;
  const shape = { grid: n / 256, block: 256 };

  beforeAll(async () => {
    const { kernels } = await compile(source, { device: name, name: "Cell [2]" });
    [saxpy, broken] = [kernels["saxpy"] as Kernel, kernels["broken"] as Kernel];
    [x, y] = [tensor(Float32Array.from({ length: n }, Math.random), { device: name }), zeros([n], { device: name })];
    saxpy.launch(shape, n, 0.5, x, y);
    device.synchronize();
  });

  test("the time of a launch is what kernel.time measures of the same launch", async () => {
    let samples: readonly number[] = [];
    const p = await profile(async () => {
      ({ samples } = await saxpy.time({ ...shape, repeats: 10, warmup: 2 }, n, 0.5, x, y));
    });
    const launches = p
      .events()
      .filter(({ kind }) => kind === "kernel")
      .map(({ duration }) => duration)
      .slice(2);
    expect(launches).toHaveLength(10);
    // Beside the kernel: two looks at a clock, or what two events of CUDA take; and now and then another program's turn
    // between them.
    const [recorded, timed] = [Math.min(...launches), Math.min(...samples)];
    expect(Math.abs(recorded - timed), `${recorded} and ${timed} ms`).toBeLessThan(0.05 * timed + 0.004);
  });

  test("slices lie within the profile, in order, and their sums are the table's", async () => {
    const before = performance.now();
    const p = await profile(async () => {
      for (let i = 0; i < 20; i++) saxpy.launch({ ...shape, bytes: 12 * n, flops: 3 * 64 * n }, n, 0.5, x, y);
      await new Promise((resolve) => setTimeout(resolve, 5));
      x.mul(2).add(y).sum().toArray();
    });
    expect(p.duration).toBeLessThan(performance.now() - before);
    expect(p.duration).toBeGreaterThanOrEqual(5);
    const events = p.events();
    for (const { start, duration } of events) {
      expect(start).toBeGreaterThanOrEqual(0);
      expect(start + duration).toBeLessThan(p.duration * 1.001);
    }
    const kernels = events.filter(({ kind }) => kind === "kernel");
    for (const row of p.table()) {
      const own = kernels.filter(
        (event) => event.name === row.name && (row.operation === null || event.facts["operation"] === row.operation),
      );
      expect(own.length, row.name).toBe(row.calls);
      // Durations of slices are float32.
      expect(sum(own.map(({ duration }) => duration))).toBeCloseTo(row.total, 6 - Math.ceil(Math.log10(1 + row.total)));
      expect(row.min).toBeLessThanOrEqual(row.mean);
      expect(row.mean).toBeLessThanOrEqual(row.max);
    }
    expect(sum(p.table().map(({ share }) => share))).toBeCloseTo(1, 6);
    const [row] = p.table().filter((candidate) => candidate.name === "saxpy");
    expect(row).toMatchObject({
      operation: null,
      device: name,
      calls: 20,
      grid: [n / 256, 1, 1],
      block: [256, 1, 1],
      bytes: 12 * n,
      flops: 192 * n,
      dtype: "float32",
    });
    expect(row!.gbPerSecond).toBeCloseTo((12 * n) / row!.mean / 1e6, 6);
    const streams = kernels.filter(({ device: on }) => on === name).sort((a, b) => a.start - b.start);
    streams.forEach((event, at) => {
      if (at > 0) expect(event.start).toBeGreaterThanOrEqual(streams[at - 1]!.start + streams[at - 1]!.duration - 1e-6);
    });
    const busy = sum(events.filter(({ track }) => track.startsWith("stream")).map(({ duration }) => duration));
    expect(p.busy[name]!).toBeCloseTo(busy / p.duration, 3);
  });

  test("a kernel starts after its launch, which knows its tensors", async () => {
    const p = await profile(() => saxpy.launch(shape, n, 0.5, x, y));
    const launch = p.events().find(({ kind }) => kind === "launch")!;
    const kernel = p.events().find(({ kind }) => kind === "kernel")!;
    expect(launch).toMatchObject({
      track: "TypeScript",
      name: "launch saxpy",
      facts: { x: `float32 [${n}]`, y: `float32 [${n}]` },
    });
    expect(launch.stack.join("\n")).toContain("profile.test.ts");
    expect(kernel).toMatchObject({ track: "stream 0", device: name, name: "saxpy" });
    expect(kernel.start).toBeGreaterThan(launch.start);
  });

  test("operations own the kernels that they launch, copies have bytes, waits have their time", async () => {
    const p = await profile(() => {
      x.mul(2).toArray();
    });
    const events = p.events();
    const operation = events.find(({ kind, name: called }) => kind === "operation" && called === "mul")!;
    expect(operation).toMatchObject({
      facts: { "input 1": `float32 [${n}]`, result: `float32 [${n}]` },
      bytes: 8 * n,
      flops: n,
    });
    const row = p.table().find((candidate) => candidate.operation === "mul")!;
    expect(row).toMatchObject({ calls: 1, bytes: 8 * n, flops: n });
    expect(events.some(({ kind }) => kind === "wait")).toBe(true);
    const copies = events.filter(({ kind, device: on }) => kind === "copy" && on === name);
    // A processor's tensors are read where they lie.
    expect(sum(copies.map(({ bytes }) => bytes!))).toBe(device.properties.unifiedMemory ? 0 : 4 * n);
  });

  test("annotations nest, also of async functions, and cost nothing without a profile", async () => {
    const p = await profile(async () => {
      range("outer", () => {
        range("inner", () => saxpy.launch(shape, n, 0.5, x, y));
      });
      expect(await range("later", async () => Promise.resolve(7))).toBe(7);
      expect(() =>
        range("fails", () => {
          throw new Error("as it should");
        }),
      ).toThrow("as it should");
    });
    const ranges = p.events().filter(({ kind }) => kind === "range");
    expect(ranges.map(({ name: called }) => called).sort()).toEqual(["fails", "inner", "later", "outer"]);
    const [outer, inner] = ["outer", "inner"].map((called) => ranges.find((event) => event.name === called)!);
    expect(inner!.start).toBeGreaterThanOrEqual(outer!.start);
    expect(inner!.start + inner!.duration).toBeLessThanOrEqual(outer!.start + outer!.duration);
    expect(range("alone", () => 3)).toBe(3);
  });

  test("an annotation is on the device, too, where that does what it encloses, and nothing else is", async () => {
    const p = await profile(async () => {
      saxpy.launch(shape, n, 0.5, x, y);
      range("outer", () => {
        range("inner", () => {
          for (let i = 0; i < 2; i++) saxpy.launch(shape, n, 0.5, x, y);
        });
        saxpy.launch(shape, n, 0.5, x, y);
      });
      range("nothing", () => 1);
    });
    const kernels = p.events().filter(({ kind }) => kind === "kernel");
    expect(kernels).toHaveLength(4);
    const spanOf = (first: number, last: number) => ({
      start: kernels[first]!.start,
      end: kernels[last]!.start + kernels[last]!.duration,
    });
    const found = p.events().filter(({ kind }) => kind === "device range");
    expect(found.map(({ name: called }) => called).toSorted()).toEqual(["inner", "outer"]);
    for (const { name: called, start, duration } of found) {
      const wanted = spanOf(1, called === "outer" ? 3 : 2);
      expect(start).toBe(wanted.start);
      // Durations are kept in single precision.
      expect(Math.abs(start + duration - wanted.end)).toBeLessThanOrEqual(2 ** -22 * duration);
    }
  });

  test("a file brings all of it back, and the Chrome trace has the same slices", async () => {
    const p = await profile(() => {
      range("step", () => {
        for (let i = 0; i < 3; i++) saxpy.launch(shape, n, 0.5, x, y);
        x.add(1);
      });
    });
    const file = join(folder(), "step.json");
    p.save(file);
    const again = Profile.load(file);
    expect(again.table()).toEqual(p.table());
    expect(again.events()).toEqual(p.events());
    expect(String(again)).toBe(String(p));
    const chrome = join(folder(), "chrome.json");
    p.exportChromeTrace(chrome);
    const { traceEvents } = JSON.parse(readFileSync(chrome, "utf8")) as ReturnType<Profile["chromeTrace"]>;
    const slices = traceEvents.filter(({ ph }) => ph === "X");
    expect(slices.length).toBe(p.events().length);
    for (const row of p.table())
      expect(slices.filter((slice) => slice.cat === "kernel" && slice.name === row.name).length).toBe(
        sum(
          p
            .table()
            .filter((other) => other.name === row.name)
            .map(({ calls }) => calls),
        ),
      );
  });

  test("a table without the timeline", async () => {
    const p = await profile(() => saxpy.launch(shape, n, 0.5, x, y), { trace: false });
    expect(p.events()).toEqual([]);
    expect(p.table()).toHaveLength(1);
  });

  test("what the function throws is thrown, and the next profile works", async () => {
    await expect(
      profile(() => {
        throw new RangeError("mine");
      }),
    ).rejects.toThrow(new RangeError("mine"));
    await expect(
      profile(async () => {
        saxpy.launch(shape, n, 0.5, x, y);
        throw new RangeError("mine too");
      }),
    ).rejects.toThrow("mine too");
    expect((await profile(() => saxpy.launch(shape, n, 0.5, x, y))).table()[0]!.calls).toBe(1);
  });

  test("a fault of a kernel is thrown, and the next profile works", async () => {
    await expect(profile(() => broken.launch({ grid: 1, block: 1 }, null))).rejects.toMatchObject({
      name: "DeviceFault",
    });
    const p = await profile(() => saxpy.launch(shape, n, 0.5, x, y));
    expect(p.table().map(({ name: called, calls }) => [called, calls])).toEqual([["saxpy", 1]]);
  });

  test("a fault that was caught costs the profile of that device its records, and it says so", async () => {
    const p = await profile(() => {
      broken.launch({ grid: 1, block: 1 }, null);
      expect(() => device.synchronize()).toThrow();
    });
    expect(p.notes).toEqual([`${name} was started again during the profile, which lacks what it did.`]);
    expect(p.table()).toEqual([]);
  });
});

describe("what is refused", () => {
  test("a profile within a profile", async () => {
    await expect(profile(() => profile(() => undefined))).rejects.toThrow(
      new WarpcellError(
        "PROFILING",
        "A profile is already running, and only one can run at a time. Mark parts of it with range(name, fn).",
      ),
    );
  });

  test("what is no function, and options that there are not", async () => {
    await expect(profile(3 as never)).rejects.toThrow(
      "profile takes a function, as in profile(() => step()), but got 3.",
    );
    await expect(profile(() => 1, 2 as never)).rejects.toThrow(
      "The options of a profile must be an object such as { counters: true }, but got 2.",
    );
    await expect(profile(() => 1, { counter: true } as never)).rejects.toThrow(
      'A profile has no option "counter". It has trace, counters, samples and typescript.',
    );
    await expect(profile(() => 1, { trace: 1 } as never)).rejects.toThrow(
      "trace of a profile must be true or false, but got 1.",
    );
    expect(() => range(() => 1 as never, undefined as never)).toThrow(
      'range takes a name and a function, as in range("forward", () => model(x)), but got a function and undefined.',
    );
  });

  test("files that are no profile, or lie about their sizes", async () => {
    const file = join(folder(), "bad.json");
    const p = await profile(() => tensor([1, 2]).add(1));
    p.save(file);
    const good = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown> & {
      slices: Record<string, unknown>;
    };
    const load = (value: unknown): (() => Profile) => {
      writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
      return () => Profile.load(file);
    };
    const says = (what: string) => new FormatError("FORMAT", file, `${file} is not a profile of Warpcell: ${what}.`);
    expect(load("{")).toThrow(says("it is not JSON"));
    expect(load({ version: 2 })).toThrow(says("it has no version 1"));
    expect(load({ ...good, names: 1 })).toThrow(says("it has no list of names"));
    expect(load({ ...good, title: 1 })).toThrow(says("it has no title or duration"));
    expect(load({ ...good, complete: false })).toThrow(says("it is an overview only"));
    expect(load({ ...good, slices: {} })).toThrow(says("it has no slices"));
    expect(load({ ...good, slices: { ...good.slices, length: 1e9 } })).toThrow(
      /it has \d+ slices where it says 1000000000/,
    );
    expect(load({ ...good, slices: { ...good.slices, name: undefined } })).toThrow(says("its slices have no name"));
    expect(load({ ...good, slices: { ...good.slices, start: "" } })).toThrow(
      /column start of its slices has 0 bytes instead of \d+/,
    );
    expect(load({ ...good, tracks: [] })).toThrow(says("slice 0 is on a track that is not there"));
    expect(load({ ...good, names: [] })).toThrow(says("slice 0 has a name that is not there"));
    const length = good.slices["length"] as number;
    const column = (bytes: ArrayBufferView) => Buffer.from(bytes.buffer).toString("base64");
    expect(
      load({ ...good, slices: { ...good.slices, cause: column(new Uint32Array(length).fill(length + 1)) } }),
    ).toThrow(says("slice 0 has a cause that is not there"));
    expect(load({ ...good, slices: { ...good.slices, start: column(new Float64Array(length).fill(NaN)) } })).toThrow(
      says("slice 0 has no time"),
    );
    expect(load({ ...good, counters: [{ name: "m", unit: "bytes", length: 3, time: "", value: "" }] })).toThrow(
      says("counter m does not have 3 values"),
    );
    for (const samples of [
      1,
      [null],
      [{ device: "cpu", name: "k", symbol: "k" }],
      [{ device: "cpu", name: "k", symbol: "k", instructions: [{ offset: -1, samples: {} }] }],
      [{ device: "cpu", name: "k", symbol: "k", instructions: [{ offset: 0, samples: { wait: "2" } }] }],
    ]) {
      expect(load({ ...good, samples })).toThrow(says("its samples are not a list of kernels with instructions"));
    }
    const { samples: _, ...older } = good;
    expect(load(older)().samples()).toEqual([]);
    expect(load(good)().toString()).toBe(p.toString());
  });
});
