// How fast a function or a kernel is: timed on the device, counted in bytes and operations, and set beside what the
// device can do at best.
import { tidy } from "../autograd/tidy.ts";
import { Kernel, type LaunchConfig } from "../cuda/kernel.ts";
import { summarize, type Timing } from "../cuda/timing.ts";
import { deviceNamed } from "../device/choice.ts";
import type { DeviceProcess } from "../device/process.ts";
import { TensorError } from "../errors.ts";
import { DeviceArray } from "../memory/array.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { observing, type Observer } from "../ops/core/hooks.ts";
import { displayKey } from "../tensor/display.ts";
import { worded } from "../wording.ts";
import { copyRate, productRate } from "./rates.ts";
import { timeBatches } from "./stopwatch.ts";

/**
 * `repeats`: samples, 20 when left out; `warmup`: calls before them, 3. `bytes`, `flops`: what one call moves and
 * computes, instead of what its operations count; a kernel's are not known otherwise. `device`: whose rates count, for
 * a function that launches kernels only.
 */
export interface BenchmarkOptions {
  readonly repeats?: number;
  readonly warmup?: number;
  readonly bytes?: number;
  readonly flops?: number;
  readonly device?: string;
}
/** Of a kernel: how it is launched, too. */
export interface KernelBenchmarkOptions extends Omit<BenchmarkOptions, "device">, LaunchConfig {}

interface Work {
  readonly device: DeviceProcess;
  readonly bytes: number;
  /** Operations of one call; 0: not known. */
  readonly flops: number;
  readonly dtype: DType;
}

/**
 * What {@link benchmark} measured. Times are milliseconds of one call.
 * @example
 * const measured = await benchmark(() => ones([8]).sum(), { repeats: 5 });
 * measured.samples.length; // → 5
 */
export class Benchmark implements Timing {
  /** The name of the function or the kernel. */
  readonly name: string;
  /** The device whose rates the figures are compared with. */
  readonly device: string;
  /** The shortest sample. */
  readonly min: number;
  /** The sample in the middle: half took longer. */
  readonly median: number;
  /** The mean of the samples. */
  readonly mean: number;
  /** The longest sample. */
  readonly max: number;
  /** The standard deviation of the samples. */
  readonly deviation: number;
  /** Between the first and the third quarter of the samples. */
  readonly spread: number;
  /** Every sample, in the order in which they were taken. */
  readonly samples: readonly number[];
  /** Calls in each sample. */
  readonly calls: number;
  /** Of one call; 0: not known. */
  readonly bytes: number;
  /** Operations of one call; 0: not known. */
  readonly flops: number;
  /** GB/s at the median, and of what the device copies; `null`: no bytes are known. */
  readonly bandwidth: { readonly gbPerSecond: number; readonly ofCopy: number; readonly copy: number } | null;
  /**
   * TFLOP/s at the median, and of what the device's matrix product makes in the dtype with the most operations; `null`:
   * no operations are known.
   */
  readonly arithmetic: {
    readonly tflopPerSecond: number;
    readonly ofProduct: number;
    readonly product: number;
    readonly dtype: DType;
  } | null;

  /** For the library. */
  constructor(name: string, samples: readonly number[], calls: number, { device, bytes, flops, dtype }: Work) {
    const { min, median, mean, max, deviation } = summarize(samples);
    const sorted = [...samples].sort((a, b) => a - b);
    this.name = name;
    this.device = device.name;
    [this.min, this.median, this.mean, this.max, this.deviation, this.samples, this.calls] = [
      min,
      median,
      mean,
      max,
      deviation,
      samples,
      calls,
    ];
    this.spread = sorted[Math.floor(0.75 * (sorted.length - 1))]! - sorted[Math.floor(0.25 * (sorted.length - 1))]!;
    [this.bytes, this.flops] = [bytes, flops];
    const seconds = median / 1000;
    const [copy, product] = [bytes > 0 ? copyRate(device) : 0, flops > 0 ? productRate(device, dtype) : 0];
    this.bandwidth =
      bytes > 0 ? { gbPerSecond: bytes / seconds / 1e9, ofCopy: bytes / seconds / copy, copy: copy / 1e9 } : null;
    this.arithmetic =
      flops > 0
        ? {
            tflopPerSecond: flops / seconds / 1e12,
            ofProduct: flops / seconds / product,
            product: product / 1e12,
            dtype,
          }
        : null;
  }

  /** The figures on one line. */
  toString(): string {
    const many = this.calls === 1 ? "" : ` of ${this.calls} calls`;
    const lines = [
      `${this.name} on ${this.device}: ${duration(this.median)} (least ${duration(this.min)}, spread ${percent(this.spread / this.median)}; ${this.samples.length} samples${many})`,
    ];
    if (this.bandwidth !== null)
      lines.push(
        `  ${digits(this.bandwidth.gbPerSecond)} GB/s, ${percent(this.bandwidth.ofCopy)} of a copy's ${digits(this.bandwidth.copy)}`,
      );
    if (this.arithmetic !== null)
      lines.push(
        `  ${digits(this.arithmetic.tflopPerSecond)} TFLOP/s, ${percent(this.arithmetic.ofProduct)} of a ${this.arithmetic.dtype} matrix product's ${digits(this.arithmetic.product)}`,
      );
    return lines.join("\n");
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  [displayKey](): Record<string, unknown> {
    return { "text/plain": this.toString() };
  }
}

const digits = (value: number): string => (value >= 1000 ? value.toFixed(0) : value.toPrecision(3));
const percent = (part: number): string => `${digits(100 * part)} %`;
const duration = (milliseconds: number): string =>
  milliseconds >= 1000
    ? `${digits(milliseconds / 1000)} s`
    : milliseconds >= 1
      ? `${digits(milliseconds)} ms`
      : `${digits(milliseconds * 1000)} µs`;

function checkCount(name: string, value: unknown, least: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < least)
    throw new TensorError(
      "OPTIONS",
      `${name} of a benchmark must be a whole number ≥ ${least}, but got ${worded(value)}.`,
    );
}

/** Runs `fn` once and adds up what its operations cost. */
function workOf(fn: () => unknown, { device, bytes, flops }: BenchmarkOptions): Work {
  const counted = { bytes: 0, flops: 0 };
  const byDevice = new Map<DeviceProcess, number>();
  const byDtype = new Map<DType, number>();
  const add = <K>(map: Map<K, number>, key: K, value: number) => map.set(key, (map.get(key) ?? 0) + value);
  const counting: Observer = {
    before: () => 0,
    after: ({ operation, inputs, outputs, attributes }) => {
      const cost = operation.cost(inputs, outputs, attributes);
      counted.bytes += cost.bytes;
      counted.flops += cost.flops;
      add(byDevice, outputs[0]!.deviceProcess, cost.bytes);
      const first = inputs.find((input) => input instanceof DeviceArray)!;
      if (factsOf(first.dtype).kind === "float" && factsOf(first.dtype).isStorage !== true)
        add(byDtype, first.dtype, cost.flops);
    },
  };
  observing.run(counting, () =>
    tidy(() => {
      checkResult(fn());
    }),
  );
  const most = <K>(map: Map<K, number>): K | undefined => [...map].sort(([, a], [, b]) => b - a)[0]?.[0];
  return {
    device: device !== undefined ? deviceNamed(device) : (most(byDevice) ?? deviceNamed()),
    bytes: bytes ?? counted.bytes,
    flops: flops ?? counted.flops,
    dtype: most(byDtype) ?? "float32",
  };
}

function checkResult(result: unknown): void {
  if (typeof (result as { then?: unknown } | null | undefined)?.then === "function")
    throw new TensorError("ASYNC", "benchmark takes a function that is not async: it waits for the devices by itself.");
}

/**
 * Times a function, with all the work that it gives the devices, or a kernel, by the device's own events: `await
 * benchmark(() => x.mul(2).sum())`, `await benchmark(fill, { grid, block }, p, n, 1.5)`. Tensors that the function
 * makes are disposed of after each call. Throws TensorError for an async function and for options out of range, and
 * what the function or the launch throws.
 * @example
 * const x = ones([1024]);
 * const measured = await benchmark(() => x.mul(2).sum(), { repeats: 5 });
 * measured.median > 0; // → true
 */
export function benchmark(fn: () => unknown, options?: BenchmarkOptions): Promise<Benchmark>;
export function benchmark<A extends readonly unknown[]>(
  kernel: Kernel<A>,
  options: KernelBenchmarkOptions,
  ...args: A
): Promise<Benchmark>;
export async function benchmark(
  subject: unknown,
  options: BenchmarkOptions | KernelBenchmarkOptions = {},
  ...args: unknown[]
): Promise<Benchmark> {
  const { repeats = 20, warmup = 3, bytes, flops, ...rest } = options;
  checkCount("repeats", repeats, 1);
  checkCount("warmup", warmup, 0);
  for (const [name, value] of Object.entries({ bytes, flops })) {
    if (value !== undefined && !(typeof value === "number" && value >= 0 && value < Infinity))
      throw new TensorError("OPTIONS", `${name} of a benchmark must be a number ≥ 0, but got ${worded(value)}.`);
  }
  if (subject instanceof Kernel) {
    const { samples } = await subject.time({ ...(rest as LaunchConfig), repeats, warmup }, ...args);
    const dtype = args.find(
      (argument) => argument instanceof DeviceArray && factsOf(argument.dtype).kind === "float",
    ) as DeviceArray | undefined;
    return new Benchmark(subject.name, samples, 1, {
      device: deviceNamed(subject.info.device),
      bytes: bytes ?? 0,
      flops: flops ?? 0,
      dtype: dtype?.dtype ?? "float32",
    });
  }
  if (typeof subject !== "function")
    throw new TensorError("OPERANDS", `benchmark takes a function or a kernel but got ${worded(subject)}.`);
  const fn = subject as () => unknown;
  const work = workOf(fn, options);
  const { samples, calls } = timeBatches(
    () => {
      tidy(() => {
        fn();
      });
    },
    () => {
      tidy(() => {});
    },
    repeats,
    warmup,
  );
  return new Benchmark(fn.name === "" ? "function" : fn.name, samples, calls, work);
}
