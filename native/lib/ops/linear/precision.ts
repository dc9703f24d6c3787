// How exactly products of float32 are made: as they are, or of factors that tensor cores take.
import { Scoped } from "../../scoped.ts";
import { TensorError } from "../../errors.ts";
import { worded } from "../../wording.ts";

/** "float32": factors as they are. "tf32": factors with 10 bits of mantissa where the device has tensor cores. */
export type Float32Precision = "float32" | "tf32";

const precisions: readonly unknown[] = ["float32", "tf32"] satisfies Float32Precision[];
const precision = new Scoped<Float32Precision>("float32");

/**
 * How exactly matrix products and convolutions of float32 are made now, see {@link setFloat32Precision}.
 * @example
 * float32Precision(); // → 'float32'
 */
export const float32Precision = (): Float32Precision => precision.current;

/**
 * Sets how exactly matrix products, linear layers, convolutions, attention and their gradients of float32 are made from
 * now on:
 * "float32", as it is at first, or "tf32", which keeps 10 bits of the factors' mantissas and adds up in float32: up to
 * 8 times as fast on a GPU of compute capability 8.0 or newer, with an error below 2^-9 of each product.
 * The CPU and older GPUs compute in float32 all the same. It holds until what is returned is disposed of, which `using`
 * does at the end of a block. Throws TensorError for anything else.
 * @example
 * const narrow = setFloat32Precision("tf32");
 * ones([2, 2]).matmul(ones([2, 2])); // → tensor([[2, 2], [2, 2]], shape [2, 2], float32, cpu)
 * narrow[Symbol.dispose]();
 * float32Precision(); // → 'float32'
 */
export function setFloat32Precision(value: Float32Precision): Disposable {
  if (!precisions.includes(value))
    throw new TensorError("ARGUMENTS", `setFloat32Precision takes "float32" or "tf32" but got ${worded(value)}.`);
  return precision.begin(value);
}

/** Runs `fn`, which is not async, with exact products of float32. */
export const exactly = <T>(fn: () => T): T => precision.run("float32", fn);
