// Tensors made of others and of shapes: joined, stacked, spread over grids, like another, empty, or with ones on a diagonal.
import { deviceNamed } from "../device/choice.ts";
import { TensorError } from "../errors.ts";
import { admits, type DType } from "../memory/dtype.ts";
import { checkedAxis, checkedShape } from "../memory/shape.ts";
import { apply } from "../ops/apply.ts";
import { fill } from "../ops/copy.ts";
import { worded } from "../wording.ts";
import { checkedDType, checkedOptions, emptyTensor, zeros, type CreateOptions } from "./create.ts";
import { Tensor } from "./tensor.ts";

function checkedTensors(tensors: unknown, use: string): readonly Tensor[] {
  if (!Array.isArray(tensors) || tensors.length === 0 || !tensors.every((each) => each instanceof Tensor)) {
    throw new TensorError(
      "OPERANDS",
      `${use} takes an array of at least one tensor but got ${Array.isArray(tensors) ? `[${tensors.map(worded).join(", ")}]` : worded(tensors)}.`,
    );
  }
  return tensors as readonly Tensor[];
}

/** The tensors one after the other along an axis. Dtypes are promoted. Throws TensorError unless they agree in all other axes. */
export function cat<D extends DType>(
  tensors: readonly Tensor<D>[],
  { axis = 0 }: { readonly axis?: number } = {},
): Tensor<D> {
  const list = checkedTensors(tensors, "cat");
  return apply("cat", list, { axis: checkedAxis(axis, list[0]!.shape.length) }) as Tensor<D>;
}

/** The tensors, of one shape, along a new axis. */
export function stack<D extends DType>(
  tensors: readonly Tensor<D>[],
  { axis = 0 }: { readonly axis?: number } = {},
): Tensor<D> {
  const list = checkedTensors(tensors, "stack");
  const at = checkedAxis(axis, list[0]!.shape.length + 1);
  return cat(list.map((each) => each.unsqueeze(at)) as Tensor<D>[], { axis: at });
}

/** Views over the grid that lists of coordinates span: result n varies along axis n; with `indexing: "xy"` the first two axes change places. */
export function meshgrid<D extends DType>(
  tensors: readonly Tensor<D>[],
  { indexing = "ij" }: { readonly indexing?: "ij" | "xy" } = {},
): Tensor<D>[] {
  const list = checkedTensors(tensors, "meshgrid") as readonly Tensor<D>[];
  if (indexing !== "ij" && indexing !== "xy")
    throw new TensorError("OPTIONS", `meshgrid takes indexing: "ij" or "xy" but got ${worded(indexing)}.`);
  const rank = list.length;
  const axisOf = (at: number) => (indexing === "xy" && at < 2 && rank > 1 ? 1 - at : at);
  list.forEach(({ shape }, at) => {
    if (shape.length > 1)
      throw new TensorError("SHAPE", `meshgrid takes lists of coordinates, but tensor ${at} has ${shape.length} axes.`);
  });
  const shape = Array.from({ length: rank }, (_, axis) => list[axisOf(axis)]!.size);
  return list.map((each, at) =>
    each.reshape(shape.map((_, axis) => (axis === axisOf(at) ? each.size : 1))).expand(shape),
  );
}

/** A square matrix with ones on the diagonal, or one of `rows` and `columns`. */
export function eye<D extends DType = "float32">(
  rows: number,
  columns: number | CreateOptions<D> = rows,
  options: CreateOptions<D> = {},
): Tensor<D> {
  if (typeof columns !== "number") return eye(rows, rows, columns);
  const out = zeros([rows, columns], options);
  using line = out.diagonal();
  fill(line, out.dtype === "bool" ? true : 1);
  return out;
}

/** A list as a diagonal of a square matrix of zeros, or a diagonal of a matrix as a view; `offset` > 0 lies above the main one. */
export function diag<D extends DType>(x: Tensor<D>, offset = 0): Tensor<D> {
  if (!(x instanceof Tensor) || x.shape.length === 0 || x.shape.length > 2)
    throw new TensorError(
      "SHAPE",
      `diag takes a list or a matrix but got ${x instanceof Tensor ? `${x.shape.length} axes` : worded(x)}.`,
    );
  if (x.shape.length === 2) return x.diagonal({ offset });
  const length = x.size + Math.abs(offset);
  return apply("onDiagonal", [x], { diagonal: { offset, axes: [0, 1] }, shape: [length, length] }) as Tensor<D>;
}

/** A tensor of that shape with undefined contents. */
export function empty<D extends DType = "float32">(
  shape: number | readonly number[],
  options: CreateOptions<D> = {},
): Tensor<D> {
  return emptyTensor(shape, options);
}

/** A tensor of the shape of `x`, and of its dtype and on its device unless others are named, with undefined contents. */
export function emptyLike<D extends DType>(x: Tensor<D>, options: CreateOptions<D> = {}): Tensor<D> {
  const { dtype = x.dtype, device } = checkedOptions(options);
  return Tensor.empty(
    device === undefined ? x.deviceProcess : deviceNamed(device),
    checkedDType(dtype) as D,
    checkedShape([...x.shape]),
  );
}

/** {@link emptyLike} with every element `value`. */
export function fullLike<D extends DType>(
  x: Tensor<D>,
  value: number | bigint | boolean,
  options: CreateOptions<D> = {},
): Tensor<D> {
  const out = emptyLike(x, options);
  if (!admits(out.dtype, value))
    throw new TensorError("VALUE", `fullLike makes ${out.dtype}, which does not hold ${worded(value)}.`);
  fill(out, value);
  return out;
}

export function zerosLike<D extends DType>(x: Tensor<D>, options: CreateOptions<D> = {}): Tensor<D> {
  return fullLike(x, (options.dtype ?? x.dtype) === "bool" ? false : 0, options);
}

export function onesLike<D extends DType>(x: Tensor<D>, options: CreateOptions<D> = {}): Tensor<D> {
  return fullLike(x, (options.dtype ?? x.dtype) === "bool" ? true : 1, options);
}
