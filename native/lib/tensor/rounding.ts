// Rounding to decimal places, or to tens and hundreds.
import { factsOf, type DType } from "../memory/dtype.ts";
import { apply } from "../ops/core/apply.ts";
import { define, install, wholeNumber, type FunctionOf } from "./arguments.ts";
import { Tensor } from "./tensor.ts";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The nearest integer; of two equally near, the even one. With `decimals` the nearest number of so many places, as
     * NumPy and PyTorch have it: round(x · 10^decimals) / 10^decimals, whose steps round, too. Negative ones round to
     * tens and hundreds.
     * @example
     * tensor([0.5, 1.5, 2.6]).round(); // → tensor([0, 2, 3], shape [3], float32, cpu)
     * tensor([3.14159, 2.71828]).round({ decimals: 2 }); // → tensor([3.14, 2.72], shape [2], float32, cpu)
     */
    round(decimals?: number | { readonly decimals?: number }): Tensor<D>;
  }
}

/** {@link Tensor.round} as a function. */
export const round: FunctionOf<"round"> = define(
  "round",
  { options: { decimals: wholeNumber }, bare: ["decimals"] },
  (x, { decimals = 0 }) => {
    const { kind, bytes } = factsOf(x.dtype);
    if (decimals === 0 || (kind === "int" && decimals > 0)) return apply("round", [x], {});
    // Powers of ten leave the range of 16 bits, and are not whole numbers below 1.
    const wide = kind === "int" ? x.to("float64") : bytes === 2 ? x.to("float32") : x;
    const step = 10 ** Math.abs(decimals);
    const scaled = decimals > 0 ? wide.mul(step) : wide.div(step);
    const whole = apply("round", [scaled], {}) as Tensor;
    const near = decimals > 0 ? whole.div(step) : whole.mul(step);
    // What is too large to be scaled has no decimals.
    return near.where(scaled.isfinite(), wide.detach()).to(x.dtype);
  },
);

install(Tensor.prototype, { round });
