// Makes a profile as the kernel would send it: five steps of a training loop on one GPU, with launches, copies,
// annotations, workers of the CPU and memory.
type Numbers = Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array;

export interface Slice {
  track: number;
  depth: number;
  start: number;
  duration: number;
  name: string;
  kind: string;
  facts?: [string, string][];
  bytes?: number | undefined;
  flops?: number | undefined;
  stack?: string[];
  /** An index of `places`; none: not of a cell. */
  place?: number;
  cause?: Slice;
  kernel?: number;
}

export const encoded = (values: Numbers): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64");

/** The tables and columns of slices: sorted, causes as indices. */
export function tablesOf(slices: Slice[]) {
  const sorted = [...slices].sort((a, b) => a.track - b.track || a.start - b.start || a.depth - b.depth);
  const index = new Map(sorted.map((slice, at) => [slice, at]));
  const names = [...new Set(sorted.map(({ name }) => name))];
  const detailOf = ({
    kind,
    facts = [],
    bytes = null,
    flops = null,
    stack = [],
  }: {
    kind: string;
    facts?: [string, string][];
    bytes?: number | null;
    flops?: number | null;
    stack?: string[];
  }) => ({ kind, facts, bytes, flops, stack });
  const details = new Map(sorted.map((slice) => [JSON.stringify(detailOf(slice)), detailOf(slice)]));
  const detailKeys = [...details.keys()];
  const nameIndex = new Map(names.map((name, at) => [name, at]));
  const detailIndex = new Map(detailKeys.map((key, at) => [key, at]));
  const columns = {
    start: Float64Array.from(sorted, ({ start }) => start),
    duration: Float32Array.from(sorted, ({ duration }) => duration),
    track: Uint16Array.from(sorted, ({ track }) => track),
    depth: Uint8Array.from(sorted, ({ depth }) => depth),
    name: Uint32Array.from(sorted, ({ name }) => nameIndex.get(name)!),
    place: Uint32Array.from(sorted, ({ place }) => (place === undefined ? 0 : place + 1)),
    detail: Uint32Array.from(sorted, (slice) => detailIndex.get(JSON.stringify(detailOf(slice)))!),
    cause: Uint32Array.from(sorted, ({ cause }) => (cause ? index.get(cause)! + 1 : 0)),
    kernel: Uint32Array.from(sorted, ({ kernel }) => (kernel === undefined ? 0 : kernel + 1)),
  };
  return { names, details: [...details.values()], length: sorted.length, columns };
}

export const tracks = [
  { name: "main thread", kind: "host", device: null, depth: 3 },
  { name: "annotations", kind: "range", device: null, depth: 2 },
  { name: "stream 7", kind: "stream", device: "cuda:0", depth: 1 },
  { name: "stream 13 (copies)", kind: "stream", device: "cuda:0", depth: 1 },
  ...[0, 1, 2, 3].map((worker) => ({ name: `worker ${worker}`, kind: "worker", device: "cpu", depth: 1 })),
];

export const places = [
  { text: "Cell [2]:4", cell: "cell-1", count: 2, line: 4 },
  { text: "Cell [2]:5", cell: "cell-1", count: 2, line: 5 },
  { text: "Cell [2]:6", cell: "cell-1", count: 2, line: 6 },
  { text: "Cell [3]:2", cell: null, count: 3, line: 2 },
];

const us = 1000;

/** Launch on the host, kernel on the device some time later. */
function launched(slices: Slice[], at: number, kernel: Slice, operation: string): number {
  const launch: Slice = {
    track: 0,
    depth: 2,
    start: at + 1.2 * us,
    duration: 2.1 * us,
    name: `launch ${kernel.name}`,
    kind: "launch",
    place: kernel.place,
    bytes: kernel.bytes,
    flops: kernel.flops,
  };
  slices.push(
    {
      track: 0,
      depth: 1,
      start: at,
      duration: 4.1 * us,
      name: operation,
      kind: "operation",
      place: kernel.place,
      facts: [["x", "float32 [4096, 4096]"]],
    },
    launch,
    { ...kernel, cause: launch },
  );
  return at + 5 * us;
}

export function trainingSlices(steps = 5): Slice[] {
  const slices: Slice[] = [];
  const stack = ["train (Cell [2]:5)", "step (Cell [2]:9)", "Cell [2]:12"];
  let host = 20 * us;
  for (let step = 0; step < steps; step++) {
    const begin = host;
    let device = host + 12 * us;
    const copy: Slice = {
      track: 3,
      depth: 0,
      start: device,
      duration: 46 * us,
      name: "copy to device",
      kind: "copy",
      place: 0,
      bytes: 1 << 20,
      facts: [["from", "pinned memory"]],
    };
    slices.push(copy);
    device += 50 * us;
    const forward = host;
    for (let layer = 0; layer < 4; layer++) {
      const product: Slice = {
        track: 2,
        depth: 0,
        start: device,
        duration: (96 + 9 * ((layer * 7 + step) % 5)) * us,
        name: "sm90_gemm_f32f32_tf32",
        kind: "kernel",
        place: 1,
        kernel: 0,
        flops: 4.6e9,
        bytes: 201_326_592,
        stack,
        facts: [
          ["grid", "[32, 32]"],
          ["block", "128"],
          ["registers", "168"],
          ["shared", "96 KiB"],
          ["stream", "7"],
        ],
      };
      host = launched(slices, host, product, "matmul");
      device += product.duration + 1.4 * us;
      const relu: Slice = {
        track: 2,
        depth: 0,
        start: device,
        duration: 23 * us,
        name: "relu<float>",
        kind: "kernel",
        place: 1,
        kernel: 1,
        bytes: 134_217_728,
        stack,
        facts: [
          ["grid", "4096"],
          ["block", "256"],
          ["registers", "24"],
        ],
      };
      host = launched(slices, host, relu, "relu");
      device += relu.duration + 1.1 * us;
    }
    slices.push({
      track: 1,
      depth: 1,
      start: forward,
      duration: host - forward,
      name: "forward",
      kind: "range",
      place: 1,
    });
    const backward = host;
    for (let layer = 0; layer < 6; layer++) {
      const saxpy: Slice = {
        track: 2,
        depth: 0,
        start: device,
        duration: (11 + layer) * us,
        name: "saxpy",
        kind: "kernel",
        place: 2,
        kernel: 2,
        bytes: 50_331_648,
        flops: 8_388_608,
        stack,
        facts: [
          ["grid", "4096"],
          ["block", "256"],
          ["registers", "16"],
        ],
      };
      host = launched(slices, host, saxpy, "add_");
      device += saxpy.duration + 0.9 * us;
    }
    slices.push({
      track: 1,
      depth: 1,
      start: backward,
      duration: host - backward,
      name: "backward",
      kind: "range",
      place: 2,
    });
    slices.push({
      track: 0,
      depth: 1,
      start: host,
      duration: device - host,
      name: "synchronize",
      kind: "wait",
      place: 2,
    });
    for (let worker = 0; worker < 4; worker++) {
      for (let block = 0; block < 6; block++)
        slices.push({
          track: 4 + worker,
          depth: 0,
          start: begin + (block * 60 + worker * 7) * us,
          duration: 44 * us,
          name: block % 3 === 2 ? "waiting" : "augment",
          kind: block % 3 === 2 ? "wait" : "worker",
          place: 3,
        });
    }
    host = device + 8 * us;
    slices.push({
      track: 1,
      depth: 0,
      start: begin,
      duration: host - begin - 2 * us,
      name: `step ${step}`,
      kind: "range",
      place: 0,
    });
    if (step === 2)
      slices.push({
        track: 0,
        depth: 0,
        start: host,
        duration: 90 * us,
        name: "collector: scavenge",
        kind: "collector",
      });
    slices.push({
      track: 0,
      depth: 0,
      start: begin,
      duration: host - begin - 1 * us,
      name: "Cell [2]",
      kind: "cell",
      place: 0,
    });
    host += step === 2 ? 100 * us : 3 * us;
  }
  return slices;
}

const kernelOf = (name: string, operation: string | null, share: number, place: number) => ({
  name,
  operation,
  device: "cuda:0",
  calls: 20,
  total: 2e6,
  mean: 1e5,
  deviation: 4e3,
  min: 9.6e4,
  max: 1.3e5,
  share,
  grid: [32, 32],
  block: [128],
  registers: 168,
  shared: 98304,
  local: 0,
  theoreticalOccupancy: 18.75,
  achievedOccupancy: 17.1,
  limiter: "registers",
  bytes: 201_326_592,
  flops: 4.6e9,
  dtype: "float32",
  counters: {},
  places: [place],
});

export const kernels = [
  kernelOf("sm90_gemm_f32f32_tf32", "matmul", 0.74, 1),
  kernelOf("relu<float>", "relu", 0.16, 1),
  kernelOf("saxpy", null, 0.1, 2),
];

/** Memory that rises with each layer and falls at the end of a step. */
export function memoryOf(duration: number) {
  const points = 240;
  const time = Float64Array.from({ length: points }, (_, at) => (at * duration) / points);
  const value = Float64Array.from({ length: points }, (_, at) => 2 ** 28 + (at % 48) * 2 ** 24);
  return { name: "memory of cuda:0", unit: "bytes", length: points, time: encoded(time), value: encoded(value) };
}

/** A whole payload of these slices; `changes` replace its fields. */
export function payloadOf(slices: Slice[], changes: object = {}) {
  const { names, details, length, columns } = tablesOf(slices);
  const duration = Math.max(1, ...slices.map(({ start, duration: length }) => start + length)) + 10 * us;
  return {
    version: 1,
    title: "five steps of training",
    duration,
    devices: [
      { device: "cuda:0", name: "NVIDIA H200", copy: 4.1e12, product: { float32: 3.9e14 }, busy: 0.81 },
      { device: "cpu", name: "host, 4 cores", copy: 4e10, product: { float32: 2e11 }, busy: 0.42 },
    ],
    tracks,
    names,
    places,
    details,
    slices: { length, ...Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, encoded(values)])) },
    complete: true,
    count: length,
    counters: [memoryOf(duration)],
    kernels,
    advice: [
      {
        text: "81 % of the time the device worked; the longest gap, 100 µs, is the collector of JavaScript.",
        place: 0,
        start: 0,
        end: duration,
      },
    ],
    notes: [
      "Counters of the GPU are not permitted here: NVreg_RestrictProfilingToAdminUsers=0 lets every user read them.",
    ],
    ...changes,
  };
}
