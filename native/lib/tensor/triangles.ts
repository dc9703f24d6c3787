// Triangles and diagonals of matrices, and the indices of the elements of triangles.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { listed } from "../wording.ts";
import { count, define, device, free, install, wholeNumber, wholeNumbers, type FunctionOf } from "./arguments.ts";
import { ones } from "./create.ts";
import { Tensor } from "./tensor.ts";

/** `columns`: as many as rows when left out. `offset` > 0 moves the diagonal up. */
export interface TriangleOptions {
  readonly columns?: number;
  readonly offset?: number;
  readonly device?: string;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * A view of a diagonal of two axes, the first and second when left out, as the last axis; `offset` > 0 lies above
     * the main one.
     * @example
     * tensor([[1, 2], [3, 4]]).diagonal(); // → tensor([1, 4], shape [2], float32, cpu)
     */
    diagonal(options?: { readonly offset?: number; readonly axes?: readonly [number, number] }): Tensor<D>;
    /**
     * The last axis as diagonals of matrices of zeros, whose axes are the last two unless `axes` says which of the
     * result's; `offset` > 0 lies above the main diagonal.
     * @example
     * tensor([[1, 2]]).diagEmbed(); // → tensor([[[1, 0], [0, 2]]], shape [1, 2, 2], float32, cpu)
     */
    diagEmbed(
      offset?: number | { readonly offset?: number; readonly axes?: readonly [number, number] },
      axes?: readonly [number, number],
    ): Tensor<D>;
    /**
     * The lower triangle of matrices, the last two axes: elements above the diagonal are 0. `offset` > 0 moves the
     * diagonal up.
     * @example
     * ones([2, 3]).tril(); // → tensor([[1, 0, 0], [1, 1, 0]], shape [2, 3], float32, cpu)
     */
    tril(offset?: number): Tensor<D>;
    /**
     * The upper triangle of matrices, the last two axes: elements below the diagonal are 0. `offset` > 0 moves the
     * diagonal up.
     * @example
     * ones([2, 3]).triu(1); // → tensor([[0, 1, 1], [0, 0, 1]], shape [2, 3], float32, cpu)
     */
    triu(offset?: number): Tensor<D>;
  }
}

function triangle(x: Tensor, offset: number, isLower: boolean): Tensor {
  const rank = x.shape.length;
  if (rank < 2)
    throw new TensorError(
      "SHAPE",
      `${isLower ? "tril" : "triu"} takes at least two axes but got shape ${formatShape(x.shape)}.`,
    );
  return apply("triangle", [x], { isLower, offset }) as Tensor;
}

/** {@link Tensor.diagonal} as a function. */
export const diagonal: FunctionOf<"diagonal"> = define(
  "diagonal",
  {
    options: { offset: wholeNumber, axes: wholeNumbers },
    bare: ["offset"],
    instead: { axis1: "axes: [0, 1]", axis2: "axes: [0, 1]", dim1: "axes: [0, 1]", dim2: "axes: [0, 1]" },
  },
  (x, { offset = 0, axes = [0, 1] }) => {
    const [first, second] = axes.map((each) => checkedAxis(each, x.shape.length));
    if (axes.length !== 2 || first === second)
      throw new TensorError("AXIS", `diagonal takes two different axes but got ${listed(axes)}.`);
    return apply("diagonal", [x], { offset, axes: [first!, second!] });
  },
);

/** {@link Tensor.diagEmbed} as a function. */
export const diagEmbed: FunctionOf<"diagEmbed"> = define(
  "diagEmbed",
  { options: { offset: wholeNumber, axes: wholeNumbers }, bare: ["offset", "axes"] },
  (x, { offset = 0, axes = [-2, -1] }) => {
    const rank = x.shape.length + 1;
    if (rank === 1) throw new TensorError("AXIS", "diagEmbed takes a tensor with axes but got one without.");
    const [first, second] = axes.map((each) => checkedAxis(each, rank));
    if (axes.length !== 2 || first === second)
      throw new TensorError("AXIS", `diagEmbed takes two different axes but got ${listed(axes)}.`);
    const side = x.shape.at(-1)! + Math.abs(offset);
    const shape = x.shape.slice(0, -1);
    for (const each of [first!, second!].sort((a, b) => a - b)) shape.splice(each, 0, side);
    return apply("onDiagonal", [x], { diagonal: { offset, axes: [first!, second!] }, shape });
  },
);

/** {@link Tensor.tril} as a function. */
export const tril: FunctionOf<"tril"> = define(
  "tril",
  { options: { offset: wholeNumber }, bare: ["offset"], aliases: { k: "offset", diagonal: "offset" } },
  (x, { offset = 0 }) => triangle(x, offset, true),
);

/** {@link Tensor.triu} as a function. */
export const triu: FunctionOf<"triu"> = define(
  "triu",
  { options: { offset: wholeNumber }, bare: ["offset"], aliases: { k: "offset", diagonal: "offset" } },
  (x, { offset = 0 }) => triangle(x, offset, false),
);

type Triangle = (rows: number, columns?: number | TriangleOptions, options?: TriangleOptions) => Tensor<"int64">;
const indicesOf = (name: "trilIndices" | "triuIndices"): Triangle =>
  free(
    name,
    {
      required: { rows: count },
      options: { columns: count, offset: wholeNumber, device },
      bare: ["columns", "offset"],
    },
    ({ rows, columns = rows, offset = 0, device: on }) => {
      const all = ones([rows, columns], { dtype: "bool", ...(on !== undefined && { device: on }) });
      return (name === "trilIndices" ? all.tril(offset) : all.triu(offset)).nonzero().T;
    },
  );
/**
 * Rows and columns of the elements below and on a diagonal, in row-major order: [2, count].
 * @example
 * trilIndices(2); // → tensor([[0, 1, 1], [0, 0, 1]], shape [2, 3], int64, cpu)
 */
export const trilIndices: Triangle = indicesOf("trilIndices");
/**
 * Rows and columns of the elements above and on a diagonal, in row-major order: [2, count].
 * @example
 * triuIndices(2); // → tensor([[0, 0, 1], [0, 1, 1]], shape [2, 3], int64, cpu)
 */
export const triuIndices: Triangle = indicesOf("triuIndices");

install(Tensor.prototype, { diagonal, diagEmbed, tril, triu });
