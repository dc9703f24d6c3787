// What constructors of layers take, as tensor/arguments.ts reads it.
import { device, oneOf, type Kind } from "../tensor/arguments.ts";

/** A size of a layer. */
export const size: Kind<number> = {
  wanted: "a whole number of at least 1",
  has: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};
/** {@link ParameterOptions}. */
export const parameterOptions = { device, dtype: oneOf("float32", "float64", "float16", "bfloat16") };
