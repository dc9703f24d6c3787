// Elements by their positions along an axis, where tensor and positions broadcast along the others.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { broadcast, checkedAxis, formatShape, type Shape } from "../memory/shape.ts";
import { anything, axis, define, install, type FunctionOf } from "./arguments.ts";
import { indicesOf } from "./index-entries.ts";
import type { Indices } from "./indexing.ts";
import { Tensor } from "./tensor.ts";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * {@link Tensor.gather} where index and tensor broadcast along the other axes; the last axis when left out.
     * @example
     * const x = tensor([[3, 1, 2]]);
     * x.takeAlongAxis(x.argsort()); // → tensor([[1, 2, 3]], shape [1, 3], float32, cpu)
     */
    takeAlongAxis(index: Indices, axis?: number | { readonly axis?: number; readonly dim?: number }): Tensor<D>;
  }
}

/** {@link Tensor.takeAlongAxis} as a function. */
export const takeAlongAxis: FunctionOf<"takeAlongAxis"> = define(
  "takeAlongAxis",
  { required: { index: anything }, options: { axis }, bare: ["axis"], withoutAxes: "indices" },
  (x, { index, axis: named = -1 }) => {
    const { indices } = indicesOf(index, x, "takeAlongAxis");
    const at = checkedAxis(named, x.shape.length);
    if (indices.shape.length !== x.shape.length)
      throw new TensorError(
        "SHAPE",
        `takeAlongAxis takes indices of as many axes as the tensor, ${formatShape(x.shape)}, but got ${formatShape(indices.shape)}.`,
      );
    const both = broadcast(
      x.shape.map((size, each) => (each === at ? 1 : size)),
      indices.shape.map((size, each) => (each === at ? 1 : size)),
    );
    const over = (shape: Shape) => both.map((size, each) => (each === at ? shape[each]! : size));
    return x.expand(over(x.shape)).gather(at, indices.expand(over(indices.shape)));
  },
);
install(Tensor.prototype, { takeAlongAxis });
