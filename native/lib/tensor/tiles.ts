// What a viewer asks of a tensor, or of the difference of two: tiles of any two axes from single elements to an
// overview, statistics of all elements, and the next element that is NaN, infinite, the largest or the least.
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { formatShape, type Shape } from "../memory/shape.ts";
import { bytesOf, cellsOf } from "../ops/reduce/cells.ts";
import { findFirst, type Sought } from "../ops/reduce/finding.ts";
import { statisticsOf, type Statistics } from "../ops/reduce/spread.ts";
import { figuresOf } from "../ops/reduce/statistics.ts";
import type { FoundKind, TilePlace, ViewedTile } from "../payloads.ts";
import { asShown } from "./shown.ts";
import type { Tensor } from "./tensor.ts";

/** Cells of a tile along each axis, at most. */
export const tileSide = 256;
/** No tensor has more elements along an axis than cells of this level cover. */
const mostLevel = 48;

/** A tile as it travels: what it is, and its bytes. */
export interface TileParts {
  readonly tile: ViewedTile;
  /** Of values; or of means, least and greatest values, and a byte of marks for each cell. */
  readonly buffers: Uint8Array[];
}

/** The tile at a place of the tensor, or of what is left of it without `minus`. Throws TensorError where there is none. */
export function tileAt(tensor: Tensor, place: TilePlace, minus: Tensor | null = null): TileParts {
  checkPlace(tensor.shape, place);
  if (minus !== null) checkSameShape(tensor, minus);
  using region = regionOf(tensor, place);
  using without = minus && regionOf(minus, place);
  if (without !== null) {
    using difference = differenceOf(region, without);
    return partsOf(difference, place.level);
  }
  return partsOf(region, place.level);
}

/** Statistics of all elements of the tensor, or of what is left of it without `minus`. */
export function viewedStatistics(tensor: Tensor, minus: Tensor | null = null): Statistics {
  using whole = wholeOf(tensor, minus);
  return statisticsOf(whole.execution, whole);
}

/**
 * The index of the next element of a kind behind `after` in the order of rows, beginning again at the first one; with
 * `null` the first. `null`: there is none.
 */
export function nextFound(
  tensor: Tensor,
  kind: FoundKind,
  after: readonly number[] | null,
  minus: Tensor | null = null,
): number[] | null {
  const start = after === null ? 0 : flatIndex(tensor.shape, after) + 1;
  using whole = wholeOf(tensor, minus);
  const sought = soughtOf(whole, kind);
  if (sought === null) return null;
  const on = whole.execution;
  const found =
    findFirst(on, whole, sought, start, whole.size) ?? findFirst(on, whole, sought, 0, Math.min(start, whole.size));
  return found === null ? null : indexAt(tensor.shape, found);
}

function soughtOf(whole: Tensor, kind: FoundKind): Sought | null {
  if (kind === "nan" || kind === "infinity") return kind;
  const { min, max } = figuresOf(whole.execution, whole);
  const equal = kind === "minimum" ? min : max;
  return equal === null ? null : { equal };
}

function wholeOf(tensor: Tensor, minus: Tensor | null): Tensor {
  if (minus === null) return asShown(tensor);
  checkSameShape(tensor, minus);
  using plain = tensor.detach();
  using other = minus.detach();
  using difference = differenceOf(plain, other);
  return asShown(difference);
}

/** The two axes of a tile as those of a matrix, at the place of the others, and of that what the tile covers. */
function regionOf(tensor: Tensor, { index, rows, columns, level, row, column }: TilePlace): Tensor {
  // Whichever stream has written it.
  tensor.execution.waitForAll();
  using plain = tensor.detach();
  using slice = plain.slice(...index.map((at, axis) => (axis === rows || axis === columns ? null : at)));
  using matrix = matrixOf(slice, rows, columns);
  const [height, width] = matrix.shape as [number, number];
  const side = tileSide * 2 ** level;
  return matrix.slice(
    [row * side, Math.min(height, (row + 1) * side)],
    [column * side, Math.min(width, (column + 1) * side)],
  );
}

function matrixOf(slice: Tensor, rows: number | null, columns: number | null): Tensor {
  if (rows !== null && columns !== null) return rows > columns ? slice.transpose(0, 1) : slice.detach();
  if (rows === null && columns === null) return slice.reshape([1, 1]);
  return slice.unsqueeze(rows === null ? 0 : 1);
}

/** Floats of 32 bits and more are subtracted as they are, all others in floats that have every element. */
function differenceOf(a: Tensor, b: Tensor): Tensor {
  using left = a.to(subtracted(a.dtype));
  using right = b.to(subtracted(b.dtype));
  return left.sub(right);
}

const subtracted = (dtype: DType): DType =>
  factsOf(dtype).kind === "complex" || dtype === "float64"
    ? dtype
    : factsOf(dtype).kind === "float"
      ? "float32"
      : "float64";

/** What elements are told in: the narrowest of these that has every one of them. */
const toldAs = (dtype: DType): ViewedTile["dtype"] =>
  dtype === "int64" || dtype === "uint64"
    ? dtype
    : dtype === "float64" || dtype === "int32" || dtype === "uint32"
      ? "float64"
      : "float32";

function partsOf(region: Tensor, level: number): TileParts {
  if (factsOf(region.dtype).kind === "complex") {
    using sizes = region.abs();
    return partsOf(sizes, level);
  }
  const [height, width] = region.shape as [number, number];
  if (level === 0) {
    const dtype = toldAs(region.dtype);
    using told = region.to(dtype);
    using whole = told.contiguous();
    return {
      tile: { rows: height, columns: width, dtype, parts: ["values"] },
      buffers: [bytesOf(whole.execution, whole)],
    };
  }
  const { rows, columns, dtype, mean, min, max, missing } = cellsOf(region.execution, region, 2 ** level);
  return {
    tile: { rows, columns, dtype, parts: ["mean", "min", "max", "missing"] },
    buffers: [mean, min, max, missing],
  };
}

function checkPlace(shape: Shape, { index, rows, columns, level, row, column }: TilePlace): void {
  const rank = shape.length;
  const ofShape = `of a tensor of shape ${formatShape(shape)}`;
  if (index.length !== rank)
    throw new TensorError(
      "INDEX",
      `A tile ${ofShape} takes an index of ${rank} ${rank === 1 ? "position" : "positions"}, not of ${index.length}.`,
    );
  for (const axis of [rows, columns])
    if (axis !== null && axis >= rank)
      throw new TensorError("INDEX", `There is no axis ${axis} ${ofShape} to lay along a tile.`);
  if (rows !== null && rows === columns)
    throw new TensorError("INDEX", `A tile's rows and columns are two axes, but both are axis ${rows}.`);
  index.forEach((at, axis) => {
    if (axis !== rows && axis !== columns && at >= shape[axis]!)
      throw new TensorError("INDEX", `There is no position ${at} on axis ${axis} ${ofShape}.`);
  });
  if (level > mostLevel) throw new TensorError("INDEX", `A tile's level is at most ${mostLevel}, not ${level}.`);
  const side = tileSide * 2 ** level;
  const isInside = (at: number, axis: number | null) => at * side < (axis === null ? 1 : shape[axis]!);
  if (!isInside(row, rows) || !isInside(column, columns))
    throw new TensorError("INDEX", `There is no tile [${row}, ${column}] of level ${level} ${ofShape}.`);
}

function checkSameShape(tensor: Tensor, minus: Tensor): void {
  if (formatShape(tensor.shape) === formatShape(minus.shape)) return;
  throw new TensorError(
    "SHAPE",
    `A difference is shown of tensors of one shape, but these are of ${formatShape(tensor.shape)} and ${formatShape(minus.shape)}.`,
  );
}

function flatIndex(shape: Shape, index: readonly number[]): number {
  if (index.length !== shape.length || index.some((at, axis) => at >= shape[axis]!))
    throw new TensorError(
      "INDEX",
      `There is no element [${index.join(", ")}] of a tensor of shape ${formatShape(shape)}.`,
    );
  return index.reduce((flat, at, axis) => flat * shape[axis]! + at, 0);
}

function indexAt(shape: Shape, flat: number): number[] {
  const index = shape.map(() => 0);
  for (let axis = shape.length - 1, rest = flat; axis >= 0; axis--) {
    index[axis] = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
  }
  return index;
}
