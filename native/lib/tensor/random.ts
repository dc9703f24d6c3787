// Random tensors: turns seeds into streams of the counter-based generator that runs on the devices.
import { randomBytes } from "node:crypto";
import { checkedDType, checkedOptions, emptyTensor, type CreateOptions } from "./create.ts";
import { admits, factsOf, type DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { KernelFamily } from "../ops/library.ts";
import { Tensor } from "./tensor.ts";
import { worded } from "../wording.ts";

/** `seed`: a whole number ≥ 0; the same seed, shape and dtype give the same numbers on every device. Without one the generator of {@link seed} goes on. */
export interface RandomOptions<D extends DType> extends CreateOptions<D> {
  readonly seed?: number | bigint;
}

const generator = { seed: randomBytes(8).readBigUInt64LE(), stream: 0n };

function checkedSeed(value: number | bigint): bigint {
  const isValid = (typeof value === "bigint" || Number.isSafeInteger(value)) && value >= 0 && BigInt(value) < 2n ** 64n;
  if (!isValid) throw new TensorError("SEED", `A seed is a whole number from 0 to 2^64 - 1, but got ${worded(value)}.`);
  return BigInt(value);
}

/** Starts the generator of all tensors that name no seed anew. */
export function seed(value: number | bigint): void {
  generator.seed = checkedSeed(value);
  generator.stream = 0n;
}

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const whole: readonly DType[] = ["int64", "int32", "uint8"];
const kernels = {
  uniform: new KernelFamily("create", floats, (type) => `uniform<${type}>`, ["out", "i64", "u64", "u64"]),
  normal: new KernelFamily("create", floats, (type) => `normal<${type}>`, ["out", "i64", "u64", "u64"]),
};
const integers = new KernelFamily("create", whole, (type) => `integers<${type}>`, [
  "out",
  "i64",
  "i64",
  "u64",
  "u64",
  "u64",
]);

/** Elements that a block makes on a processor's core; a thread of a GPU makes two. */
const serialElements = 8192;

function blocksFor(out: Tensor): readonly [number, number] {
  const { libraryBlock } = out.deviceProcess.properties;
  return [Math.ceil(out.size / (libraryBlock === 1 ? serialElements : 2 * libraryBlock)), libraryBlock];
}

/** The seed and stream of the next random operation. */
export function stateOf(options: { readonly seed?: number | bigint }): { seed: bigint; stream: bigint } {
  return options.seed === undefined
    ? { seed: generator.seed, stream: (generator.stream += 1n) }
    : { seed: checkedSeed(options.seed), stream: 0n };
}

function draw(kernel: "uniform" | "normal", out: Tensor, state: { seed: bigint; stream: bigint }): void {
  if (out.size > 0)
    kernels[kernel]
      .on(out.living().device, out.dtype)
      .launch(...blocksFor(out), [out, out.size, state.seed, state.stream]);
}

function checkedFloat(dtype: DType): void {
  if (factsOf(dtype).kind !== "float")
    throw new TensorError(
      "DTYPE",
      `Random numbers are drawn as floats, not as ${dtype}: convert them afterwards, e.g. rand([3]).mul(10).to("int32").`,
    );
}

function random<D extends DType>(
  kernel: "uniform" | "normal",
  shape: number | readonly number[],
  options: RandomOptions<D>,
): Tensor<D> {
  checkedFloat(checkedDType(checkedOptions(options).dtype ?? "float32"));
  const state = stateOf(options);
  const out = emptyTensor(shape, options);
  draw(kernel, out, state);
  return out;
}

function checkedNumber(name: string, what: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new TensorError("VALUE", `${name} takes a number as ${what} but got ${worded(value)}.`);
}

/** Uniform in [0, 1), or in [low, high) scaled to it, with the resolution of the dtype (24 bits for float32, 53 for float64). */
export function rand<D extends DType = "float32">(
  shape: number | readonly number[],
  options: RandomOptions<D> & UniformOptions = {},
): Tensor<D> {
  return scaledTo(random("uniform", shape, options), "rand", options.low ?? 0, options.high ?? 1);
}

/** Normal with that mean and standard deviation, 0 and 1 when left out (Box–Muller). float64 may differ between devices in the last bits; the other dtypes practically never do. */
export function randn<D extends DType = "float32">(
  shape: number | readonly number[],
  options: RandomOptions<D> & NormalOptions = {},
): Tensor<D> {
  return moved(random("normal", shape, options), "randn", options.mean ?? 0, options.std ?? 1);
}

/** Bounds of uniform numbers: 0 and 1 when left out. */
export interface UniformOptions {
  readonly low?: number;
  readonly high?: number;
}
/** Mean and standard deviation of normal numbers: 0 and 1 when left out. */
export interface NormalOptions {
  readonly mean?: number;
  readonly std?: number;
}

function scaledTo<T extends Tensor>(x: T, name: string, low: number, high: number): T {
  checkedNumber(name, "low", low);
  if (!(checkedNumber(name, "high", high) >= low))
    throw new TensorError("VALUE", `${name} takes bounds with the smaller first but got low ${low} and high ${high}.`);
  return low === 0 && high === 1 ? x : (x.mul_(high - low).add_(low) as T);
}

function moved<T extends Tensor>(x: T, name: string, mean: number, std: number): T {
  checkedNumber(name, "mean", mean);
  if (checkedNumber(name, "std", std) < 0) throw new TensorError("VALUE", `${name} takes a std ≥ 0 but got ${std}.`);
  return mean === 0 && std === 1 ? x : (x.mul_(std).add_(mean) as T);
}

/** Whole numbers from `low` to below `high`, int64 unless `dtype` says otherwise. */
export function randint<D extends DType = "int64">(
  low: number,
  high: number,
  shape: number | readonly number[],
  options: RandomOptions<D> = {},
): Tensor<D> {
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || high <= low)
    throw new TensorError(
      "VALUE",
      `randint takes whole numbers, the smaller first, but got ${worded(low)} and ${worded(high)}.`,
    );
  const dtype = checkedDType(checkedOptions(options).dtype ?? "int64");
  if (factsOf(dtype).kind === "bool" || !admits(dtype, low) || !admits(dtype, high - 1))
    throw new TensorError("DTYPE", `${dtype} does not hold all of ${low} to ${high - 1}.`);
  const made = whole.includes(dtype) ? dtype : "int64";
  const state = stateOf(options);
  const out = emptyTensor(shape, { ...options, dtype: made });
  if (out.size > 0)
    integers
      .on(out.living().device, made)
      .launch(...blocksFor(out), [out, out.size, low, BigInt(high) - BigInt(low), state.seed, state.stream]);
  return (made === dtype ? out : out.to(dtype)) as Tensor<D>;
}

/** 1 with the probability that each element says, else 0, in the dtype of the probabilities. */
export function bernoulli<D extends DType>(
  probabilities: Tensor<D>,
  options: { readonly seed?: number | bigint } = {},
): Tensor<D> {
  checkedFloat(probabilities.dtype);
  const drawn = rand(probabilities.shape, {
    ...options,
    device: probabilities.device,
    dtype: probabilities.dtype === "float64" ? "float64" : "float32",
  });
  return drawn.lt(probabilities.detach()).to(probabilities.dtype) as Tensor<D>;
}

/** The numbers 0 to n − 1 in random order, as int64. */
export function randperm(
  n: number,
  options: { readonly seed?: number | bigint; readonly device?: string } = {},
): Tensor<"int64"> {
  if (!Number.isSafeInteger(n) || n < 0)
    throw new TensorError("VALUE", `randperm takes a whole number ≥ 0 but got ${worded(n)}.`);
  using keys = rand([n], { ...options, dtype: "float64" });
  return keys.argsort();
}

/**
 * `count` positions along the last axis of rows of weights ≥ 0, each with a probability in proportion to its weight; int64 of shape […, count]. Without `replacement` no
 * position comes twice. Weights need not add up to 1.
 */
export function multinomial(
  weights: Tensor,
  count: number,
  options: { readonly replacement?: boolean; readonly seed?: number | bigint } = {},
): Tensor<"int64"> {
  checkedFloat(weights.dtype);
  const length = weights.shape.at(-1);
  const { replacement = false, ...random } = options;
  if (length === undefined || !Number.isSafeInteger(count) || count < 0 || (!replacement && count > length)) {
    throw new TensorError(
      "VALUE",
      `multinomial takes a count from 0${length === undefined || replacement ? "" : ` to ${length}, the number of weights in a row`}, but got ${worded(count)} for weights of shape [${weights.shape.join(", ")}].`,
    );
  }
  const wide = weights.detach().to("float64");
  if (!replacement) {
    // The first of exponential waiting times, each at the rate of its weight.
    const times = rand(weights.shape, { ...random, device: weights.device, dtype: "float64" })
      .neg()
      .log1p()
      .neg()
      .div(wide) as Tensor;
    return times.topk(count, { largest: false }).indices;
  }
  const sums = wide.cumsum({ axis: -1 }) as Tensor<"float64">;
  const totals = sums.slice(...Array<null>(weights.shape.length - 1).fill(null), [length - 1]);
  const at = rand([...weights.shape.slice(0, -1), count], { ...random, device: weights.device, dtype: "float64" }).mul(
    totals,
  ) as Tensor<"float64">;
  return sums.searchsorted(at, { right: true });
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /** Replaces the elements by uniform ones of [low, high). Returns this tensor. */
    uniform_(options?: UniformOptions & { readonly seed?: number | bigint }): this;
    /** Replaces the elements by normal ones. Returns this tensor. */
    normal_(options?: NormalOptions & { readonly seed?: number | bigint }): this;
  }
}

function refill(
  target: Tensor,
  make: (shape: readonly number[], options: RandomOptions<DType>) => Tensor,
  options: object,
): Tensor {
  checkedFloat(target.dtype);
  using drawn = make(target.shape, { ...options, dtype: target.dtype, device: target.device });
  return target.copy_(drawn);
}

Object.defineProperties(Tensor.prototype, {
  uniform_: {
    value(this: Tensor, options: object = {}) {
      return refill(this, rand, options);
    },
    writable: true,
    configurable: true,
  },
  normal_: {
    value(this: Tensor, options: object = {}) {
      return refill(this, randn, options);
    },
    writable: true,
    configurable: true,
  },
});
