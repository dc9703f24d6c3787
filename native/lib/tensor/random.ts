// Random tensors: turns seeds into streams of the counter-based generator that runs on the devices.
import { anything, count, device, finite, reader, wholeNumber } from "./arguments.ts";
import { createOptions, emptyTensor, otherOptions, type CreateOptions } from "./create.ts";
import { admits, factsOf, type DType } from "../memory/dtype.ts";
import { elementsWithin, nearestElement } from "../memory/neighbours.ts";
import { TensorError } from "../errors.ts";
import { blocksFor, type Blocks } from "../ops/kernels/blocks.ts";
import { kernelFactsByDType } from "../ops/kernels/kernel-facts.ts";
import { KernelFamily } from "../ops/kernels/library.ts";
import { drawOf, randomSource, type RandomSource } from "./generator.ts";
import { Tensor } from "./tensor.ts";
import { worded } from "../wording.ts";

/** Of a random tensor: what it is made of, see {@link CreateOptions}, and what is drawn, see {@link RandomSource}. */
export interface RandomOptions<D extends DType> extends CreateOptions<D>, RandomSource {}

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const whole: readonly DType[] = ["int64", "int32", "uint8"];
const kernels = {
  uniform: new KernelFamily("create", floats, (type) => `uniform<${type}>`, [
    "out",
    "i64",
    "wide",
    "wide",
    "wide",
    "wide",
    "u64",
    "u64",
  ]),
  normal: new KernelFamily("create", floats, (type) => `normal<${type}>`, ["out", "i64", "wide", "wide", "u64", "u64"]),
};
const integers = new KernelFamily("create", whole, (type) => `integers<${type}>`, [
  "out",
  "i64",
  "i64",
  "u64",
  "u64",
  "u64",
]);

/** Elements that a block of one thread makes. */
const serialElements = 8192;
/** And each of many: those of one counter. */
const facts = kernelFactsByDType("create", [...floats, ...whole], (type) => ({ drawn: `kDrawn<${type}>` }));

const blocksOf = (out: Tensor): Blocks =>
  blocksFor(out.deviceProcess, out.size, { serial: serialElements, each: facts(out.dtype).drawn });

/** Throws TensorError for what is no float. */
export function checkedFloat(dtype: DType): void {
  if (factsOf(dtype).kind !== "float")
    throw new TensorError(
      "DTYPE",
      `Random numbers are drawn as floats, not as ${dtype}: convert them afterwards, e.g. rand([3]).mul(10).to("int32").`,
    );
}

const randomOptions = { ...createOptions, ...randomSource };
const readRand = reader("rand", {
  required: { shape: anything },
  options: { low: finite, high: finite, ...randomOptions },
  spread: true,
  ...otherOptions,
});
const readRandn = reader("randn", {
  required: { shape: anything },
  options: { mean: finite, std: finite, ...randomOptions },
  spread: true,
  ...otherOptions,
});

const readRandint = reader("randint", {
  required: { low: wholeNumber, high: wholeNumber, shape: anything },
  options: randomOptions,
  ...otherOptions,
});
const readPermutation = reader("randperm", { required: { n: count }, options: { device, ...randomSource } });

/** A tensor of elements that a kernel draws with those numbers. */
function random<D extends DType>(
  kernel: "uniform" | "normal",
  shape: number | readonly number[],
  options: RandomOptions<D>,
  numbersFor: (dtype: DType) => readonly number[],
): Tensor<D> {
  const dtype = options.dtype ?? "float32";
  checkedFloat(dtype);
  const numbers = numbersFor(dtype);
  const { seed, stream } = drawOf(options);
  const out = emptyTensor(shape, options);
  if (out.size > 0)
    kernels[kernel].launch(out.execution, dtype, blocksOf(out), [out, out.size, ...numbers, seed, stream]);
  return out;
}

/**
 * Uniform in [0, 1) or [low, high): low + u · (high − low), rounded to the dtype, for u of 24 bits (53 for float64),
 * and never `high`. Equal bounds give that number. Throws TensorError where the dtype has no element within the bounds.
 * @example
 * rand([2], { seed: 1 }); // → tensor([0.890259, 0.894685], shape [2], float32, cpu)
 * rand([2], { low: 5, high: 6, seed: 1 }).ge(5).all().item(); // → true
 */
export function rand(...sizes: number[]): Tensor<"float32">;
/**
 * Uniform in [0, 1), or in [low, high) scaled to it, with the resolution of the dtype (24 bits for float32, 53 for
 * float64).
 */
export function rand<D extends DType = "float32">(
  shape: number | readonly number[],
  options?: RandomOptions<D> & UniformOptions,
): Tensor<D>;
export function rand(...args: unknown[]): Tensor {
  const { shape, low = 0, high = 1, ...options } = readRand(args);
  return random("uniform", shape as number[], options, (dtype) => uniformNumbers(dtype, low, high));
}

/**
 * Normal with that mean and standard deviation, 0 and 1 when left out (Box–Muller from the words that {@link rand} of
 * the same seed takes, so the two are not independent). float64 may differ between devices in the last bits; the other
 * dtypes never do.
 * @example
 * randn([2, 2], { seed: 1 });
 * // → tensor([[0.380401, -0.296278], [-0.249233, -1.003840]], shape [2, 2], float32, cpu)
 */
export function randn(...sizes: number[]): Tensor<"float32">;
/**
 * Normal with that mean and standard deviation, 0 and 1 when left out (Box–Muller). float64 may differ between devices
 * in the last bits; the other dtypes practically never do.
 */
export function randn<D extends DType = "float32">(
  shape: number | readonly number[],
  options?: RandomOptions<D> & NormalOptions,
): Tensor<D>;
export function randn(...args: unknown[]): Tensor {
  const { shape, mean = 0, std = 1, ...options } = readRandn(args);
  if (std < 0) throw new TensorError("VALUE", `randn takes a std ≥ 0 but got ${std}.`);
  return random("normal", shape as number[], options, () => [mean, std]);
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

/** What the kernel takes: `low`, half of the width, and the least and the largest element within the bounds. */
function uniformNumbers(dtype: DType, low: number, high: number): readonly number[] {
  if (high < low)
    throw new TensorError("VALUE", `rand takes bounds with the smaller first but got low ${low} and high ${high}.`);
  for (const bound of [low, high])
    if (!Number.isFinite(nearestElement(dtype, bound)))
      throw new TensorError("VALUE", `${dtype} cannot hold ${worded(bound)}.`);
  if (low === high) return [low, 0, nearestElement(dtype, low), nearestElement(dtype, low)];
  const [first, last] = elementsWithin(dtype, low, high);
  if (first > last)
    throw new TensorError("VALUE", `rand finds no ${dtype} from ${low} to below ${high}: choose wider bounds.`);
  return [low, high / 2 - low / 2, first, last];
}

/**
 * Whole numbers from `low` to below `high`, each as likely: int64 unless `dtype` says otherwise. The same seed gives
 * the same numbers on every device. Throws TensorError for bounds that the dtype does not hold.
 * @example
 * randint(0, 10, [3], { seed: 1 }); // → tensor([8, 5, 6], shape [3], int64, cpu)
 */
export function randint<D extends DType = "int64">(
  low: number,
  high: number,
  shape: number | readonly number[],
  options?: RandomOptions<D>,
): Tensor<D>;
export function randint(...args: unknown[]): Tensor {
  const { low, high, shape, dtype = "int64", ...options } = readRandint(args);
  if (high <= low)
    throw new TensorError("VALUE", `randint takes whole numbers, the smaller first, but got ${low} and ${high}.`);
  if (factsOf(dtype).kind === "bool" || !admits(dtype, low) || !admits(dtype, high - 1))
    throw new TensorError("DTYPE", `${dtype} does not hold all of ${low} to ${high - 1}.`);
  const made = whole.includes(dtype) ? dtype : "int64";
  const state = drawOf(options);
  const out = emptyTensor(shape as number[], { ...options, dtype: made });
  if (out.size > 0)
    integers.launch(out.execution, made, blocksOf(out), [
      out,
      out.size,
      low,
      BigInt(high) - BigInt(low),
      state.seed,
      state.stream,
    ]);
  return made === dtype ? out : out.to(dtype);
}

/**
 * The numbers 0 to n − 1 in random order, as int64. The same seed gives the same order on every device.
 * @example
 * randperm(5, { seed: 1 }); // → tensor([4, 3, 1, 2, 0], shape [5], int64, cpu)
 */
export function randperm(n: number, options?: RandomSource & { readonly device?: string }): Tensor<"int64">;
export function randperm(...args: unknown[]): Tensor<"int64"> {
  const { n, ...options } = readPermutation(args);
  using keys = rand([n], { ...options, dtype: "float64" });
  return keys.argsort();
}
