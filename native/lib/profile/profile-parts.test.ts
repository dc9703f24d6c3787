// The parts of a profile on made-up timelines: levels, windows, gaps and their reasons, advice, the Chrome trace's
// format.
import { describe, expect, test } from "vitest";
import { adviceOf } from "./advice.ts";
import { chromeTraceOf } from "./chrome-trace.ts";
import { Drafts, slicesOf } from "./drafts.ts";
import { deviceTimes } from "./idle.ts";
import { LaunchList, type LaunchFacts } from "./launches.ts";
import { occupancyOf } from "./occupancy.ts";
import { withSamples } from "./samples.ts";
import type { Detail, KernelRow, ProfileData, Track } from "./slices.ts";
import { windowOf } from "./window.ts";

const kinds = ["launch", "kernel", "wait", "compile", "copy", "range"];
const detail = (kind: string, bytes: number | null = null): Detail => ({
  kind,
  facts: [["grid", "4"]],
  bytes,
  flops: null,
  stack: [],
});
const details = kinds.map((kind) => detail(kind, kind === "copy" ? 1000 : null));
const tracksOf = (): Track[] => [
  { name: "TypeScript", kind: "host", device: null, depth: 1 },
  { name: "stream 0", kind: "stream", device: "cuda:0", depth: 1 },
  { name: "annotations", kind: "range", device: null, depth: 1 },
];
const places = ["Cell [3]:1", "Cell [3]:2"].map((text, index) => ({ text, cell: null, count: 3, line: index + 1 }));
const rowOf = (facts: Partial<KernelRow>): KernelRow => ({
  name: "k",
  operation: null,
  device: "cuda:0",
  calls: 1,
  total: 100,
  mean: 100,
  deviation: 0,
  min: 100,
  max: 100,
  share: 1,
  grid: [1000, 1, 1],
  block: [256, 1, 1],
  registers: 16,
  shared: 0,
  local: 0,
  theoreticalOccupancy: 100,
  achievedOccupancy: 100,
  limiter: "warps",
  bytes: null,
  flops: null,
  dtype: null,
  counters: {},
  samples: {},
  places: [0],
  ...facts,
});

function dataOf(drafts: Drafts, tracks = tracksOf()): ProfileData {
  const slices = slicesOf(drafts, tracks);
  return {
    title: "Made",
    duration: 1000,
    devices: [{ device: "cuda:0", name: "A GPU", copy: null, product: {}, busy: 0.5 }],
    tracks,
    names: ["first", "<b>second</b>"],
    places,
    details,
    slices,
    counters: [
      { name: "memory of cuda:0", unit: "bytes", time: Float64Array.of(0, 500), value: Float64Array.of(16, 32) },
    ],
    kernels: [],
    operations: [],
    advice: [],
    notes: ["a note"],
    samples: [],
  };
}

describe("levels", () => {
  test("what lies within another slice is a level below it, whatever the order in which slices ended", () => {
    const drafts = new Drafts();
    for (const [start, end] of [
      [10, 20],
      [30, 40],
      [5, 50],
      [60, 70],
      [0, 100],
      [30, 35],
    ])
      drafts.add(0, start!, end!, 0, -1, 0);
    const tracks = tracksOf();
    const { start, depth } = slicesOf(drafts, tracks);
    expect([...start].map((time, at) => [time, depth[at]])).toEqual([
      [0, 0],
      [5, 1],
      [10, 2],
      [30, 2],
      [30, 3],
      [60, 1],
    ]);
    expect(tracks[0]!.depth).toBe(4);
  });

  test("causes follow their slices to where those end up", () => {
    const drafts = new Drafts();
    const late = drafts.add(0, 500, 510, 0, 0, 0);
    const early = drafts.add(0, 100, 110, 0, 0, 0);
    drafts.add(1, 520, 530, 1, 0, 1, late);
    drafts.add(1, 120, 130, 1, 0, 1, early);
    const { start, cause } = slicesOf(drafts, tracksOf());
    for (const at of [2, 3]) expect(start[cause[at]! - 1]).toBe(start[at]! - 20);
  });

  test("100,000 slices in no order are sorted", () => {
    const drafts = new Drafts();
    let seed = 1;
    for (let at = 0; at < 100_000; at++) {
      seed = (seed * 48271) % 2147483647;
      drafts.add(0, seed, seed + 1, 0, -1, 0);
    }
    const { start } = slicesOf(drafts, tracksOf());
    for (let at = 1; at < start.length; at++)
      if (start[at]! < start[at - 1]!) throw new Error(`slice ${at} starts at ${start[at]}, before ${start[at - 1]}`);
  });
});

describe("windows", () => {
  const drafts = new Drafts();
  for (let at = 0; at < 1000; at++) drafts.add(1, at, at + 0.5, at % 2, -1, 1);
  drafts.add(0, 0, 1000, 0, -1, 0);
  const data = dataOf(drafts);

  test("slices narrower than a pixel are merged, and none is lost", () => {
    const { slices, merged, busy, complete } = windowOf(data, 0, 1000, 100);
    expect(slices.length).toBeLessThan(150);
    expect(complete).toBe(false);
    expect(merged.reduce((sum, count) => sum + count, 0)).toBe(1001);
    expect(busy.reduce((sum, time) => sum + time, 0)).toBeCloseTo(500 + 1000, 3);
  });

  test("a narrow window has what it touches, whole", () => {
    const { slices, merged } = windowOf(data, 100, 110, 1000);
    expect(slices.length).toBe(1 + 11);
    expect(merged.every((count) => count === 1)).toBe(true);
    expect(slices.duration[0]).toBe(1000);
  });
});

describe("gaps", () => {
  const reasons = (build: (drafts: Drafts) => void): [string, number, number][] => {
    const drafts = new Drafts();
    build(drafts);
    const [{ gaps }] = deviceTimes(drafts, tracksOf(), kinds, 1000) as [ReturnType<typeof deviceTimes>[number]];
    return gaps.map(({ reason, start, end }) => [reason, start, end]);
  };
  const kernel = (drafts: Drafts, launched: number, start: number, end: number): void => {
    drafts.add(1, start, end, 0, 0, 1, drafts.add(0, launched, launched + 1, 0, 0, 0));
  };

  test("each has the reason that this process gives", () => {
    expect(
      reasons((drafts) => {
        kernel(drafts, 5, 10, 100);
        kernel(drafts, 20, 110, 200); // launched long before: the device's own gap
        kernel(drafts, 250, 260, 300); // launched late
        drafts.add(0, 255, 310, 0, 1, 2); // a wait that ends after its work …
        kernel(drafts, 350, 360, 400); // … and only then the next launch
        drafts.add(0, 405, 480, 0, 1, 3); // compiled meanwhile
        kernel(drafts, 490, 500, 600);
      }),
    ).toEqual([
      ["ends", 0, 10],
      ["latency", 100, 110],
      ["launch", 200, 260],
      ["wait", 300, 360],
      ["compile", 400, 500],
      ["ends", 600, 1000],
    ]);
  });
});

describe("advice", () => {
  const advise = (over: Partial<Parameters<typeof adviceOf>[0]>): string[] =>
    adviceOf({
      duration: 1000,
      times: [],
      kernels: [],
      operations: [],
      devices: [{ device: "cuda:0", name: "", copy: 1e9, product: { float32: 1e12 }, busy: 1 }],
      places,
      drafts: new Drafts(),
      tracks: tracksOf(),
      details,
      multiprocessors: new Map([["cuda:0", 100]]),
      ...over,
    }).map(({ text }) => text);
  const gap = (reason: "launch" | "wait" | "compile" | "collector" | "latency", length: number) => ({
    start: 0,
    end: length,
    reason,
    place: 1,
  });

  test.each([
    [
      "launch",
      "cuda:0 waited 200 ns (20.0 % of the profile) for TypeScript to launch what comes next (1 gap, most before Cell [3]:2). Give each launch more work, fuse operations with fuse(…), or launch fewer.",
    ],
    [
      "wait",
      "cuda:0 stood idle 200 ns (20.0 % of the profile) after waits for it (1 time, most at Cell [3]:2): nothing was queued after the work that was waited for. Launch more before you wait, and read results less often.",
    ],
    [
      "compile",
      "cuda:0 waited 200 ns (20.0 % of the profile) while kernels were compiled, loaded or planned (1 time, most before Cell [3]:2). They will be ready next time.",
    ],
    [
      "collector",
      "cuda:0 waited 200 ns (20.0 % of the profile) while JavaScript collected garbage (1 time). Dispose of tensors with tidy(…) or using, and make fewer of them.",
    ],
    [
      "latency",
      "cuda:0 spent 200 ns (20.0 % of the profile) between kernels that were queued already (1 gap, most before Cell [3]:2). Each kernel costs a start: use fewer, larger ones, or fuse(…).",
    ],
  ] as const)("for gaps by %s", (reason, sentence) => {
    expect(advise({ times: [{ device: "cuda:0", busy: 800, gaps: [gap(reason, 200)] }] })).toEqual([sentence]);
    expect(advise({ times: [{ device: "cuda:0", busy: 960, gaps: [gap(reason, 40)] }] })).toEqual([]);
  });

  test("for copies, with their bytes and rate", () => {
    const drafts = new Drafts();
    drafts.add(1, 0, 250, 0, 1, 4);
    drafts.add(1, 300, 550, 0, 0, 4);
    drafts.add(1, 600, 850, 0, 1, 4);
    expect(advise({ drafts, times: [{ device: "cuda:0", busy: 1000, gaps: [] }] })).toEqual([
      "Copies took 750 ns, 75.0 % of the time in which cuda:0 worked: 2.93 KiB in 3 at 4.00 GB/s, most from Cell [3]:2. Leave data on the device, and read only what you need.",
    ]);
  });

  test("for a user's kernel that is slow, and not for the library's", () => {
    const drafts = new Drafts();
    drafts.add(1, 0, 500, 0, 0, 1, -1, 0);
    const slow = { total: 500, mean: 500, bytes: 50, flops: 500, dtype: "float32" };
    expect(advise({ drafts, kernels: [rowOf(slow)] })).toEqual([
      "Kernel k took 100 % of the time of all kernels at 100 MB/s, 10.0 % of what cuda:0 copies, and 0.10 % of its arithmetic. Read neighbouring addresses with neighbouring threads, and each value once.",
    ]);
    expect(
      advise({ drafts, kernels: [rowOf({ ...slow, theoreticalOccupancy: 25, limiter: "registers" })] })[0],
    ).toContain("Only 25 % of its warps fit a multiprocessor, by registers.");
    expect(advise({ drafts, kernels: [rowOf({ ...slow, grid: [8, 1, 1] })] })).toEqual([
      "Kernel k took 100 % of the time of all kernels with 8 blocks, but cuda:0 runs 100 at once. Cut the work into more blocks.",
    ]);
    expect(advise({ drafts, kernels: [rowOf({ ...slow, bytes: 400 })] })).toEqual([]);
    expect(advise({ drafts, kernels: [rowOf({ ...slow, operation: "add" })] })).toEqual([]);
  });

  test("for a user's kernel whose warps wait for one thing, with what is known of its rate beside", () => {
    const drafts = new Drafts();
    drafts.add(1, 0, 500, 0, 0, 1, -1, 0);
    const slow = { total: 500, mean: 500, samples: { "long scoreboard": 680, selected: 100, barrier: 220 } };
    const waits =
      "68.0 % of its samples wait for global or local memory (long scoreboard): kernel.asm shows at which lines.";
    expect(advise({ drafts, kernels: [rowOf(slow)] })).toEqual([
      `Kernel k took 100 % of the time of all kernels. ${waits}`,
    ]);
    expect(advise({ drafts, kernels: [rowOf({ ...slow, bytes: 50 })] })).toEqual([
      `Kernel k took 100 % of the time of all kernels at 100 MB/s, 10.0 % of what cuda:0 copies. ${waits} Read neighbouring addresses with neighbouring threads, and each value once.`,
    ]);
    expect(advise({ drafts, kernels: [rowOf({ ...slow, bytes: 400 })] })).toEqual([]);
    for (const samples of [
      { "long scoreboard": 49, barrier: 31, wait: 20 },
      { selected: 100 },
      { "not selected": 100 },
      { "a new reason": 9 },
      {},
    ])
      expect(advise({ drafts, kernels: [rowOf({ ...slow, samples })] })).toEqual([]);
    expect(advise({ drafts, kernels: [rowOf({ ...slow, samples: { barrier: 1 } })] })[0]).toContain(
      "100 % of its samples wait at a barrier of their block (barrier)",
    );
  });

  test("three at most, the one with most time first", () => {
    const gaps = [gap("launch", 60), gap("wait", 300), gap("compile", 100), gap("collector", 70)];
    expect(advise({ times: [{ device: "cuda:0", busy: 400, gaps }] }).map((text) => text.slice(0, 20))).toEqual([
      "cuda:0 stood idle 30",
      "cuda:0 waited 100 ns",
      "cuda:0 waited 70.0 n",
    ]);
  });
});

test("a row has the samples of its kernel, unless two operations launch that", () => {
  const sampled = [
    { offset: 0, samples: { wait: 2, selected: 1 } },
    { offset: 16, samples: { wait: 3 } },
  ].map((instruction) => ({ device: "cuda:0", name: "k", symbol: "k", instructions: [instruction] }));
  const rows = [rowOf({}), rowOf({ name: "other" }), rowOf({ device: "cuda:1" })];
  expect(withSamples(rows, sampled).map(({ samples }) => samples)).toEqual([{ wait: 5, selected: 1 }, {}, {}]);
  expect(
    withSamples([rowOf({ operation: "add" }), rowOf({ operation: "mul" })], sampled).map(({ samples }) => samples),
  ).toEqual([{}, {}]);
});

test("rows of kernels have the figures of their launches", () => {
  const launches = new LaunchList();
  const facts = (over: Partial<LaunchFacts>): LaunchFacts => ({
    device: "cuda:0",
    name: "k",
    operation: null,
    grid: [1, 1, 1],
    block: [32, 1, 1],
    registers: 0,
    shared: 0,
    local: 0,
    occupancy: null,
    bytes: 100,
    flops: null,
    dtype: null,
    ...over,
  });
  const drafts = new Drafts();
  for (const [start, end, over] of [
    [0, 10, {}],
    [20, 50, { bytes: 300, grid: [7, 1, 1] }],
    [60, 80, {}],
    [100, 200, { name: "other" }],
  ] as const) {
    const group = launches.groupOf(facts(over));
    drafts.add(1, start, end, 0, 0, 1, -1, group);
    launches.add(group, facts(over), start, end, 0, undefined);
  }
  const [other, k] = launches.rows(drafts);
  expect(other).toMatchObject({ name: "other", calls: 1, total: 100, share: 100 / 160, deviation: 0 });
  expect(k).toMatchObject({
    name: "k",
    calls: 3,
    total: 60,
    mean: 20,
    deviation: 10,
    min: 10,
    max: 30,
    grid: [7, 1, 1],
    bytes: 500 / 3,
    flops: null,
    registers: null,
    places: [0],
  });
  expect([...drafts.kernel.subarray(0, 4)]).toEqual([1, 1, 1, 0]);
  expect(launches.latest().map(({ name, start }) => [name, start])).toEqual([
    ["k", 60],
    ["other", 100],
  ]);
});

// From NVIDIA's occupancy calculator.
test.each([
  ["sm_90a", { registers: 40, threads: 512, shared: 0 }, 75, "registers"],
  ["sm_90a", { registers: 32, threads: 256, shared: 0 }, 100, "warps"],
  ["sm_90a", { registers: 32, threads: 32, shared: 0 }, 50, "blocks"],
  ["sm_90a", { registers: 32, threads: 256, shared: 100 << 10 }, 25, "shared"],
  ["sm_80", { registers: 64, threads: 256, shared: 0 }, 50, "registers"],
  ["sm_86", { registers: 16, threads: 1024, shared: 0 }, 66.7, "warps"],
] as const)("occupancy on %s of %j is %s percent, by %s", (arch, { registers, threads, shared }, percent, limiter) => {
  const found = occupancyOf(arch, 132, { grid: [1e6, 1, 1], block: [threads, 1, 1], registers, shared })!;
  expect(found.theoretical).toBeCloseTo(percent, 0);
  expect(found.limiter).toBe(limiter);
  expect(occupancyOf(arch, 132, { grid: [66, 1, 1], block: [threads, 1, 1], registers, shared })).toMatchObject({
    limiter: "grid",
  });
  expect(occupancyOf("x86-64", 2, { grid: [1, 1, 1], block: [1, 1, 1], registers: 0, shared: 0 })).toBeNull();
});

test("the Chrome trace keeps to its format: phases, nesting, flows, counters and microseconds", () => {
  const drafts = new Drafts();
  const launch = drafts.add(0, 100, 150, 0, 0, 0);
  drafts.add(1, 200, 400, 1, 0, 1, launch);
  // Two annotations of async functions, neither within the other.
  drafts.add(2, 0, 300, 0, -1, 5);
  drafts.add(2, 200, 500, 1, -1, 5);
  const { traceEvents, displayTimeUnit, otherData } = JSON.parse(
    JSON.stringify(chromeTraceOf(dataOf(drafts))),
  ) as ReturnType<typeof chromeTraceOf>;
  expect(displayTimeUnit).toBe("ns");
  expect(otherData).toEqual({ title: "Made", notes: "a note" });
  const required = {
    M: ["name", "pid", "tid", "args"],
    X: ["name", "pid", "tid", "ts", "dur", "cat", "args"],
    s: ["name", "cat", "id", "pid", "tid", "ts"],
    f: ["name", "cat", "id", "pid", "tid", "ts", "bp"],
    C: ["name", "pid", "tid", "ts", "args"],
  } as const;
  for (const event of traceEvents)
    expect(Object.keys(event), JSON.stringify(event)).toEqual(expect.arrayContaining([...required[event.ph]]));
  const slices = traceEvents.filter(({ ph }) => ph === "X");
  expect(slices.map(({ name, ts, dur }) => [name, ts, dur])).toEqual([
    ["first", 0.1, 0.05],
    ["<b>second</b>", 0.2, 0.2],
    ["first", 0, 0.3],
    ["<b>second</b>", 0.2, 0.3],
  ]);
  for (const a of slices)
    for (const b of slices) {
      if (a === b || a.pid !== b.pid || a.tid !== b.tid) continue;
      const [aEnd, bEnd] = [a.ts! + a.dur!, b.ts! + b.dur!];
      expect(
        aEnd <= b.ts! || bEnd <= a.ts! || (a.ts! <= b.ts! && bEnd <= aEnd) || (b.ts! <= a.ts! && aEnd <= bEnd),
      ).toBe(true);
    }
  const [from, to] = [traceEvents.filter(({ ph }) => ph === "s"), traceEvents.filter(({ ph }) => ph === "f")];
  expect(from.map(({ id, ts, tid }) => [id, ts, tid])).toEqual([[to[0]!.id, 0.1, slices[0]!.tid]]);
  expect(to).toEqual([expect.objectContaining({ ts: 0.2, pid: slices[1]!.pid, tid: slices[1]!.tid, bp: "e" })]);
  expect(traceEvents.filter(({ ph }) => ph === "C").map(({ ts, args }) => [ts, args])).toEqual([
    [0, { bytes: 16 }],
    [0.5, { bytes: 32 }],
  ]);
  const named = traceEvents
    .filter(({ ph, name }) => ph === "M" && name === "process_name")
    .map(({ args }) => args!["name"]);
  expect(named).toEqual(["TypeScript", "cuda:0: A GPU"]);
});
