// Random tensors: turns seeds into streams of the counter-based generator that runs on the devices.
import { randomBytes } from "node:crypto";
import { checkedDType, checkedOptions, emptyTensor, type CreateOptions } from "./create.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { KernelFamily } from "../ops/library.ts";
import type { Tensor } from "./tensor.ts";
import { worded } from "../wording.ts";

/** `seed`: a whole number ≥ 0; the same seed, shape and dtype give the same numbers on every device. Without one the generator of {@link seed} goes on. */
export interface RandomOptions<D extends DType> extends CreateOptions<D> { readonly seed?: number | bigint; }

const generator = { seed: randomBytes(8).readBigUInt64LE(), stream: 0n };

function checkedSeed(value: number | bigint): bigint {
  const isValid = (typeof value === "bigint" || Number.isSafeInteger(value)) && value >= 0 && BigInt(value) < 2n ** 64n;
  if (!isValid) throw new TensorError("SEED", `Expected a seed that is a whole number from 0 to 2^64 - 1 but got ${worded(value)}.`);
  return BigInt(value);
}

/** Starts the generator of all tensors that name no seed anew. */
export function seed(value: number | bigint): void {
  generator.seed = checkedSeed(value);
  generator.stream = 0n;
}

const threads = 256;
const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const kernels = {
  uniform: new KernelFamily("create", floats, (type) => `uniform<${type}>`, ["out", "i64", "u64", "u64"]),
  normal: new KernelFamily("create", floats, (type) => `normal<${type}>`, ["out", "i64", "u64", "u64"]),
};

function random<D extends DType>(kernel: "uniform" | "normal", shape: number | readonly number[], options: RandomOptions<D>): Tensor<D> {
  const dtype = checkedDType(checkedOptions(options).dtype ?? "float32");
  if (factsOf(dtype).kind !== "float") throw new TensorError("DTYPE", `Expected a float dtype for random numbers but got ${dtype}: convert them, e.g. rand([3]).mul(10).to("int32").`);
  const state = options.seed === undefined ? { seed: generator.seed, stream: (generator.stream += 1n) } : { seed: checkedSeed(options.seed), stream: 0n };
  const out = emptyTensor(shape, options);
  // Two elements a thread.
  if (out.size > 0) kernels[kernel].on(out.living().device, out.dtype).launch(Math.ceil(out.size / 2 / threads), threads, [out, out.size, state.seed, state.stream]);
  return out;
}

/** Uniform in [0, 1), with the resolution of the dtype (24 bits for float32, 53 for float64). */
export function rand<D extends DType = "float32">(shape: number | readonly number[], options: RandomOptions<D> = {}): Tensor<D> {
  return random("uniform", shape, options);
}

/** Normal with mean 0 and variance 1 (Box–Muller). float64 may differ between devices in the last bits; the other dtypes practically never do. */
export function randn<D extends DType = "float32">(shape: number | readonly number[], options: RandomOptions<D> = {}): Tensor<D> {
  return random("normal", shape, options);
}
