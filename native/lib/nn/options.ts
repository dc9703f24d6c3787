// What constructors of layers take, as tensor/arguments.ts reads it.
import type { PerAxis } from "../tensor/per-axis.ts";
import { device, oneOf, type Kind } from "../tensor/arguments.ts";

/** A size of a layer. */
export const size: Kind<number> = {
  wanted: "a whole number of at least 1",
  has: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};
/** Stride and padding may stand before the options, without their names, as PyTorch's. */
export type SlidingArguments<O> =
  | readonly [options?: O]
  | readonly [stride: PerAxis, options?: O]
  | readonly [stride: PerAxis, padding: PerAxis, options?: O];
/** {@link ParameterOptions}. */
export const parameterOptions = { device, dtype: oneOf("float32", "float64", "float16", "bfloat16") };
