// Makes kernels, devices and profiles for the tests of the extension.
import type { TraceDevice, TraceKernel } from "../../kernel/mime.ts";
import type { KernelFacts } from "../../extension/src/kernels/payload.ts";

export const kernel = (changes: Partial<TraceKernel> = {}): TraceKernel => ({
  name: "axpy",
  operation: null,
  device: "cuda:0",
  calls: 1,
  total: 1000,
  mean: 1000,
  deviation: 0,
  min: 1000,
  max: 1000,
  share: 0.5,
  grid: [64, 1, 1],
  block: [256, 1, 1],
  registers: null,
  shared: null,
  local: null,
  theoreticalOccupancy: null,
  achievedOccupancy: null,
  limiter: null,
  bytes: null,
  flops: null,
  dtype: null,
  counters: {},
  places: [],
  ...changes,
});

export const device = (changes: Partial<TraceDevice> = {}): TraceDevice => ({
  device: "cuda:0",
  name: "NVIDIA H200",
  copy: 4e12,
  product: { float32: 50e12, float16: 800e12 },
  busy: 0.5,
  ...changes,
});

export const facts = (kernels: TraceKernel[], changes: Partial<KernelFacts> = {}): KernelFacts => ({
  kernels,
  devices: [device()],
  advice: [],
  places: [
    { text: "Cell [3]:4", cell: null, count: 3, line: 4 },
    { text: "Cell [5]:1", cell: null, count: 5, line: 1 },
  ],
  ...changes,
});
