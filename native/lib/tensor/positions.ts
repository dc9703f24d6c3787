// Positions in a whole tensor as indices of its axes, and back.
import { TensorError } from "../errors.ts";
import { stridesOf } from "../memory/shape.ts";
import { define, free, tensors, wholeNumbers } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

/**
 * Positions in the row-major order of a shape as indices of each axis, of the dtype of the positions, which are not
 * checked.
 * @example
 * unravelIndex(tensor([5, 2], { dtype: "int64" }), [2, 3]).map((each) => each.toArray());
 * // → [ [ 1n, 0n ], [ 2n, 2n ] ]
 */
export const unravelIndex: (positions: Tensor, shape: readonly number[]) => Tensor[] = define(
  "unravelIndex",
  { required: { shape: wholeNumbers } },
  (positions, { shape }) => {
    const strides = stridesOf(shape);
    return shape.map((size, axis) => positions.floorDivide(strides[axis]!).remainder(size));
  },
);

/**
 * The positions in the row-major order of a shape of what has these indices along its axes, which are not checked.
 * @example
 * ravelMultiIndex([tensor([1, 0], { dtype: "int64" }), tensor([2, 2], { dtype: "int64" })], [2, 3]).toArray();
 * // → [ 5n, 2n ]
 */
export const ravelMultiIndex: (indices: readonly Tensor[], shape: readonly number[]) => Tensor = free(
  "ravelMultiIndex",
  { required: { indices: tensors, shape: wholeNumbers } },
  ({ indices, shape }) => {
    if (indices.length !== shape.length)
      throw new TensorError(
        "SHAPE",
        `ravelMultiIndex takes indices for each of the ${shape.length} axes but got ${indices.length}.`,
      );
    const strides = stridesOf(shape);
    return indices.map((each, axis) => each.mul(strides[axis]!)).reduce((sum, each) => sum.add(each));
  },
);
