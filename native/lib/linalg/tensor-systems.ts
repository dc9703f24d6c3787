// Inverses and systems of equations of tensors whose first and last axes, taken together, are those of a square matrix.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape, sizeOf } from "../memory/shape.ts";
import { axes as axisList, count, define, tensor } from "../tensor/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { MatrixOf } from "./operands.ts";
import { inv, solve } from "./solving.ts";

/** `ind`: how many axes in front are the rows, 2 when left out. */
export interface TensorInverseOptions {
  readonly ind?: number;
}

/**
 * The inverse for {@link tensordot}: tensordot(tensorinv(x, { ind }), x, ind) is a unit matrix. The product of the
 * first `ind` sizes must be that of the others.
 * @example
 * linalg.tensorinv(tensor([[[2, 0]], [[0, 4]]]), { ind: 1 }).shape; // → [ 1, 2, 2 ]
 */
export const tensorinv: <D extends DType>(
  x: Tensor<D>,
  options?: TensorInverseOptions | number,
) => Tensor<MatrixOf<D>> = define("tensorinv", { options: { ind: count }, bare: ["ind"] }, (x, { ind = 2 }) => {
  const [rows, columns] = [x.shape.slice(0, ind), x.shape.slice(ind)];
  if (ind === 0 || sizeOf(rows) !== sizeOf(columns))
    throw new TensorError(
      "SHAPE",
      `tensorinv takes a tensor whose first ${ind} sizes have the product of the others but got shape ${formatShape(x.shape)}.`,
    );
  return inv(x.reshape([sizeOf(rows), sizeOf(columns)])).reshape([...columns, ...rows]);
});

/** `axes`: those of a that come last before it is solved. */
export interface TensorSolveOptions {
  readonly axes?: readonly number[];
}

/**
 * x of tensordot(a, x, x.ndim) = b: the first axes of a are those of b, and the others, whose sizes must have the same
 * product, are those of x.
 * @example
 * linalg.tensorsolve(tensor([[[2, 0]], [[0, 4]]]), tensor([[2], [8]])); // → tensor([1, 2], shape [2], float32, cpu)
 */
export const tensorsolve: <D extends DType>(
  a: Tensor<D>,
  b: Tensor,
  options?: TensorSolveOptions,
) => Tensor<MatrixOf<D>> = define(
  "tensorsolve",
  { required: { b: tensor }, options: { axes: axisList }, aliases: { dims: "axes" } },
  (a, { b, axes = [] }) => {
    const last = [axes].flat().map((each) => checkedAxis(each, a.ndim));
    const first = [...a.shape.keys()].filter((each) => !last.includes(each));
    const turned = a.permute([...first, ...last]);
    const sizes = turned.shape.slice(b.ndim);
    if (turned.shape.slice(0, b.ndim).join() !== b.shape.join() || sizeOf(sizes) !== b.size)
      throw new TensorError(
        "SHAPE",
        `tensorsolve takes a tensor that begins with the axes of b and goes on with as many elements, but got shapes ${formatShape(turned.shape)} and ${formatShape(b.shape)}.`,
      );
    return solve(turned.reshape([b.size, b.size]), b.flatten()).reshape(sizes);
  },
);
