// Overlapping parts of an axis as rows.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { axis, count, define, install, type FunctionOf } from "./arguments.ts";
import { Tensor } from "./tensor.ts";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * A view of the parts of `size` along an axis, `step` apart (1), as rows of a new last axis; they may overlap.
     * @example
     * arange(5).unfold(0, 3, 1); // → tensor([[0, 1, 2], [1, 2, 3], [2, 3, 4]], shape [3, 3], float32, cpu)
     */
    unfold(axis: number, size: number, step?: number | { readonly step?: number }): Tensor<D>;
  }
}

/** {@link Tensor.unfold} as a function. */
export const unfold: FunctionOf<"unfold"> = define(
  "unfold",
  { required: { axis, size: count }, options: { step: count }, bare: ["step"], withoutAxes: "any" },
  (x, { axis: named, size, step = 1 }) => {
    const at = checkedAxis(named, x.shape.length);
    if (size > x.shape[at]! || step === 0)
      throw new TensorError(
        "SHAPE",
        `unfold takes parts of at most ${x.shape[at]} elements, the size of axis ${named}, at least 1 apart, but got size ${size} and step ${step}.`,
      );
    return apply("unfold", [x], { axis: at, size, step });
  },
);

install(Tensor.prototype, { unfold });
