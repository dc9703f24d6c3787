// Tensors made of others: joined, stacked, spread over grids, like another, or with numbers on a diagonal.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis } from "../memory/shape.ts";
import { checkedValue } from "../memory/value.ts";
import { apply } from "../ops/core/apply.ts";
import { fill } from "../ops/shape/copy.ts";
import {
  axis,
  count,
  define,
  oneOf,
  orNull,
  reader,
  scalar,
  tensors,
  wholeNumber,
  install,
  type FunctionOf,
} from "./arguments.ts";
import { createOptions, emptyTensor, otherOptions, zeros, type CreateOptions, type Scalar } from "./create.ts";
import { Tensor } from "./tensor.ts";

/** Along one axis, the first when left out; negative ones count from the end. `dim` is PyTorch's name for it. */
export interface JoinOptions {
  readonly axis?: number;
  readonly dim?: number;
}

const readCat = reader("cat", { required: { tensors }, options: { axis: orNull(axis) }, bare: ["axis"] });
const readStack = reader("stack", { required: { tensors }, options: { axis }, bare: ["axis"] });

/**
 * The tensors one after the other along an axis, the first when left out; with `null` all their elements in one row.
 * Dtypes are promoted. Throws TensorError unless they agree in all other axes.
 * @example
 * cat([tensor([1, 2]), tensor([3])]); // → tensor([1, 2, 3], shape [3], float32, cpu)
 * cat([zeros([2, 1]), ones([2, 2])], 1).shape; // → [ 2, 3 ]
 */
export function cat<D extends DType>(
  tensors: readonly Tensor<D>[],
  axis?: number | null | { readonly axis?: number | null; readonly dim?: number | null },
): Tensor<D>;
export function cat(...args: unknown[]): Tensor {
  const { tensors, axis = 0 } = readCat(args);
  if (axis === null)
    return apply(
      "cat",
      tensors.map((each) => each.reshape([-1])),
      { axis: 0 },
    ) as Tensor;
  return apply("cat", tensors, { axis: checkedAxis(axis, tensors[0]!.shape.length) }) as Tensor;
}

/**
 * The tensors, of one shape, side by side along a new axis, the first when left out. Dtypes are promoted. Throws
 * TensorError unless the shapes agree.
 * @example
 * stack([tensor([1, 2]), tensor([3, 4])]); // → tensor([[1, 2], [3, 4]], shape [2, 2], float32, cpu)
 */
export function stack<D extends DType>(tensors: readonly Tensor<D>[], axis?: number | JoinOptions): Tensor<D>;
export function stack(...args: unknown[]): Tensor {
  const { tensors, axis = 0 } = readStack(args);
  return apply("stack", tensors, { axis: checkedAxis(axis, tensors[0]!.shape.length + 1) }) as Tensor;
}

const readGrid = reader("meshgrid", { required: { tensors }, options: { indexing: oneOf("ij", "xy") } });

/** `indexing`: NumPy's matrices ("ij"), as when left out, or pictures ("xy"). */
export interface GridOptions {
  readonly indexing?: "ij" | "xy";
}

/**
 * Views over the grid that lists of coordinates span, which come as one list or one after the other: result n varies
 * along axis n; with `indexing: "xy"` the first two axes change places.
 * @example
 * const [x, y] = meshgrid([tensor([1, 2]), tensor([3, 4, 5])]);
 * y; // → tensor([[3, 4, 5], [3, 4, 5]], shape [2, 3], float32, cpu)
 */
export function meshgrid<D extends DType>(tensors: readonly Tensor<D>[], options?: GridOptions): Tensor<D>[];
export function meshgrid<D extends DType>(
  ...tensors: [Tensor<D>, ...Tensor<D>[]] | [Tensor<D>, ...Tensor<D>[], GridOptions]
): Tensor<D>[];
export function meshgrid(...args: unknown[]): Tensor[] {
  const lists = args.findIndex((each) => !(each instanceof Tensor));
  const listed = lists < 0 ? [args] : lists === 0 ? args : [args.slice(0, lists), ...args.slice(lists)];
  const { tensors, indexing = "ij" } = readGrid(listed);
  const rank = tensors.length;
  const axisOf = (at: number) => (indexing === "xy" && at < 2 && rank > 1 ? 1 - at : at);
  tensors.forEach(({ shape }, at) => {
    if (shape.length > 1)
      throw new TensorError("SHAPE", `meshgrid takes lists of coordinates, but tensor ${at} has ${shape.length} axes.`);
  });
  const shape = Array.from({ length: rank }, (_, axis) => tensors[axisOf(axis)]!.size);
  return tensors.map((each, at) =>
    each.reshape(shape.map((_, axis) => (axis === axisOf(at) ? each.size : 1))).expand(shape),
  );
}

const readEye = reader("eye", {
  required: { rows: count },
  options: { columns: count, k: wholeNumber, ...createOptions },
  bare: ["columns"],
  aliases: { type: "dtype", offset: "k" },
  instead: otherOptions.instead,
});

/**
 * A square matrix with ones on the diagonal, or one of `rows` and `columns`; `k` > 0: a diagonal above the main one.
 * @example
 * eye(2); // → tensor([[1, 0], [0, 1]], shape [2, 2], float32, cpu)
 */
export function eye<D extends DType = "float32">(
  rows: number,
  options?: CreateOptions<D> & { readonly columns?: number; readonly k?: number },
): Tensor<D>;
export function eye<D extends DType = "float32">(
  rows: number,
  columns: number,
  options?: CreateOptions<D> & { readonly k?: number },
): Tensor<D>;
export function eye(...args: unknown[]): Tensor {
  const { rows, columns = rows, k = 0, ...options } = readEye(args);
  const out: Tensor = zeros([rows, columns], options);
  if (k >= columns || -k >= rows) return out;
  using line = out.diagonal({ offset: k });
  fill(line.execution, line, out.dtype === "bool" ? true : 1);
  return out;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * A list as a diagonal of a square matrix of zeros, or a diagonal of a matrix as a view; `offset` > 0 lies above the
     * main one.
     * @example
     * tensor([1, 2]).diag(); // → tensor([[1, 0], [0, 2]], shape [2, 2], float32, cpu)
     */
    diag(offset?: number | { readonly offset?: number }): Tensor<D>;
  }
}

/** {@link Tensor.diag} as a function. */
export const diag: FunctionOf<"diag"> = define(
  "diag",
  { options: { offset: wholeNumber }, bare: ["offset"], aliases: { k: "offset", diagonal: "offset" } },
  (x, { offset = 0 }) => {
    if (x.shape.length === 0 || x.shape.length > 2)
      throw new TensorError("SHAPE", `diag takes a list or a matrix but got ${x.shape.length} axes.`);
    if (x.shape.length === 2) return x.diagonal({ offset });
    const length = x.size + Math.abs(offset);
    return apply("onDiagonal", [x], { diagonal: { offset, axes: [0, 1] }, shape: [length, length] });
  },
);

function emptyAs(x: Tensor, { dtype = x.dtype, device = x.device }: CreateOptions): Tensor {
  return emptyTensor(x.shape, { dtype, device });
}

function filledAs(x: Tensor, value: Scalar, options: CreateOptions): Tensor {
  const out = emptyAs(x, options);
  fill(out.execution, out, value);
  return out;
}

/** A function of a tensor that makes another of its shape. */
type Like = <D extends DType, E extends DType = D>(x: Tensor<D>, options?: CreateOptions<E>) => Tensor<E>;
const like = (name: string, make: (x: Tensor, options: CreateOptions) => Tensor): Like =>
  define(name, { options: createOptions, ...otherOptions }, make);

/**
 * A tensor of the shape of `x`, and of its dtype and on its device unless others are named, with undefined contents.
 * @example
 * emptyLike(zeros([2, 3])).shape; // → [ 2, 3 ]
 */
export const emptyLike: Like = like("emptyLike", emptyAs);

/**
 * A tensor of zeros of the shape of `x`, of its dtype and on its device unless others are named.
 * @example
 * zerosLike(tensor([5, 6])); // → tensor([0, 0], shape [2], float32, cpu)
 */
export const zerosLike: Like = like("zerosLike", (x, options) =>
  filledAs(x, (options.dtype ?? x.dtype) === "bool" ? false : 0, options),
);

/**
 * A tensor of ones of the shape of `x`, of its dtype and on its device unless others are named.
 * @example
 * onesLike(tensor([5, 6])); // → tensor([1, 1], shape [2], float32, cpu)
 */
export const onesLike: Like = like("onesLike", (x, options) =>
  filledAs(x, (options.dtype ?? x.dtype) === "bool" ? true : 1, options),
);

/**
 * A tensor of the shape of `x` with every element `value`, of its dtype and on its device unless others are named.
 * Throws TensorError for a value that the dtype does not hold.
 * @example
 * fullLike(zeros([2]), 7); // → tensor([7, 7], shape [2], float32, cpu)
 */
export const fullLike: <D extends DType, E extends DType = D>(
  x: Tensor<D>,
  value: Scalar,
  options?: CreateOptions<E>,
) => Tensor<E> = define(
  "fullLike",
  { required: { value: scalar }, options: createOptions, ...otherOptions },
  (x, { value, ...options }) => {
    checkedValue("fullLike makes", options.dtype ?? x.dtype, value);
    return filledAs(x, value, options);
  },
);

install(Tensor.prototype, { diag });
