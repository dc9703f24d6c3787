// Makes profiles as a kernel would store them: a training step on an H200 and on the processor, with rates as they were
// measured there.

export const mime = "application/vnd.warpcell.trace.v1+json";

const copy = 3.91e12;
const product = { float32: 51e12, tf32: 395e12, float16: 760e12 };

interface Facts {
  name: string;
  operation?: string;
  device?: string;
  calls?: number;
  mean: number;
  bytes?: number | null;
  flops?: number | null;
  dtype?: string | null;
  grid?: number[];
  block?: number[];
  places?: number[];
  [field: string]: unknown;
}

export function kernel({ mean, calls = 1, ...facts }: Facts): Record<string, unknown> & { total: number } {
  const spread = calls > 1 ? mean * 0.04 : 0;
  return {
    operation: null,
    device: "cuda:0",
    grid: [4096, 1, 1],
    block: [256, 1, 1],
    registers: 24,
    shared: 0,
    local: 0,
    theoreticalOccupancy: 100,
    achievedOccupancy: 88,
    limiter: null,
    bytes: null,
    flops: null,
    dtype: "float32",
    counters: {},
    places: [0],
    share: 0,
    calls,
    total: mean * calls,
    mean,
    deviation: spread,
    min: mean - spread,
    max: mean + 3 * spread,
    ...facts,
  };
}

const step = [
  kernel({
    name: "sgemm_128x128x16_nt",
    operation: "matmul",
    calls: 120,
    mean: 368_000,
    bytes: 201e6,
    flops: 137.4e9,
    dtype: "tf32",
    grid: [32, 32, 1],
    registers: 168,
    shared: 98_304,
    achievedOccupancy: 18,
    theoreticalOccupancy: 19,
    limiter: "registers",
    places: [1, 2],
  }),
  kernel({
    name: "axpy<float>(int, float, const float *, float *)",
    calls: 400,
    mean: 68_400,
    bytes: 252e6,
    flops: 42e6,
    places: [0],
  }),
  kernel({
    name: "reduce_naive",
    calls: 8,
    mean: 2_310_000,
    bytes: 268e6,
    flops: 67e6,
    registers: 12,
    achievedOccupancy: 24,
    theoreticalOccupancy: 100,
    limiter: "grid",
    places: [3],
    counters: { "warp stalls": 61.2 },
  }),
  kernel({
    name: "reduce_warp",
    calls: 8,
    mean: 76_000,
    bytes: 268e6,
    flops: 67e6,
    registers: 18,
    places: [4],
    counters: { "warp stalls": 8.4 },
  }),
  kernel({
    name: "softmax_rows_kernel<float, 1024>",
    operation: "softmax",
    calls: 120,
    mean: 42_000,
    bytes: 134e6,
    flops: 168e6,
    shared: 4224,
    limiter: "shared memory",
    theoreticalOccupancy: 75,
    achievedOccupancy: 71,
    places: [2],
  }),
  kernel({
    name: "gelu_elementwise",
    operation: "gelu",
    calls: 120,
    mean: 31_000,
    bytes: 109e6,
    flops: 272e6,
    places: [2],
  }),
  kernel({
    name: "hgemm_64x256_tn",
    operation: "matmul",
    calls: 40,
    mean: 260_000,
    bytes: 100e6,
    flops: 137.4e9,
    dtype: "float16",
    registers: 232,
    shared: 196_608,
    achievedOccupancy: 12,
    theoreticalOccupancy: 13,
    limiter: "registers",
    places: [5],
  }),
  kernel({ name: "transpose_tile", calls: 12, mean: 41_000, bytes: 134e6, dtype: null, shared: 4224, places: [5] }),
  kernel({ name: "mandelbrot", calls: 1, mean: 9_400_000, flops: 286e9, registers: 22, places: [6] }),
  kernel({ name: "hash_rounds(unsigned int *)", calls: 3, mean: 640, dtype: null, places: [6, 0, 1, 2, 3] }),
  kernel({
    name: "axpy<float>(int, float, const float *, float *)",
    device: "cpu",
    calls: 20,
    mean: 8_100_000,
    bytes: 252e6,
    flops: 42e6,
    registers: null,
    achievedOccupancy: null,
    theoreticalOccupancy: null,
    places: [0],
  }),
];

export function profile(kernels: (Record<string, unknown> & { total: number })[] = step, changes: object = {}): object {
  const all = kernels.reduce((sum, { total }) => sum + total, 0);
  return {
    version: 1,
    title: "Cell [7]",
    duration: 250e6,
    devices: [
      { device: "cuda:0", name: "NVIDIA H200", copy, product, busy: 0.62 },
      { device: "cpu", name: "2 cores", copy: 31e9, product: { float32: 0.21e12 }, busy: 0.4 },
    ],
    tracks: [],
    names: [],
    details: [],
    complete: true,
    count: 0,
    counters: [],
    notes: [],
    slices: {
      length: 0,
      start: "",
      duration: "",
      track: "",
      depth: "",
      name: "",
      place: "",
      detail: "",
      cause: "",
      kernel: "",
    },
    places: [
      [3, 4],
      [5, 2],
      [5, 9],
      [6, 3],
      [6, 11],
      [7, 1],
      [7, 8],
    ].map(([count, line]) => ({ text: `Cell [${count}]:${line}`, cell: `cell-${count}`, count, line })),
    kernels: kernels.map((one) => ({ ...one, share: all === 0 ? 0 : one.total / all })),
    advice: [
      {
        text: "cuda:0 was idle for 38 % of the time: 21 % of it waited for the copy of x at Cell [3]:4.",
        place: 0,
        start: 12e6,
        end: 64e6,
      },
      {
        text: "reduce_naive reaches 3 % of the bandwidth of a copy. Its 8 blocks fill 6 % of the device.",
        place: 3,
        start: 80e6,
        end: 99e6,
      },
      {
        text: "400 launches of axpy were 3.1 µs apart, longer than it takes to launch one: capture them in a graph.",
        place: null,
        start: 100e6,
        end: 132e6,
      },
    ],
    ...changes,
  };
}
