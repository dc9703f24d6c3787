// The elements of a tensor that differ, or its rows along an axis: with where each is first, where each of the tensor's
// went, and how often each occurs.
import { apply, readOperand } from "../ops/core/apply.ts";
import { groupsOf } from "../ops/order/groups.ts";
import type { DeviceArray } from "../memory/array.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis } from "../memory/shape.ts";
import { axis, define, install, type FunctionOf } from "./arguments.ts";
import { isComplex, viewAsReal } from "./complex.ts";
import { arange, ones, tensor, zeros } from "./create.ts";
import { selected } from "./scans.ts";
import { Tensor } from "./tensor.ts";

/**
 * What {@link Tensor.unique} finds: the elements, sorted; the position of the first of each among the tensor's; the
 * position of each of the tensor's among them; how often each occurs. With an axis it is rows along it, by their first
 * elements, then the second …
 */
export interface Unique<D extends DType = DType> {
  readonly values: Tensor<D>;
  readonly indices: Tensor<"int64">;
  readonly inverse: Tensor<"int64">;
  readonly counts: Tensor<"int64">;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The elements that differ, sorted, or the rows along an axis, see {@link Unique}. NaN differs from NaN; complex
     * numbers are sorted by their real parts, then by the imaginary ones. Waits for their number.
     * @example
     * const { values, counts } = tensor([3, 1, 3]).unique();
     * values; // → tensor([1, 3], shape [2], float32, cpu)
     * counts; // → tensor([1, 2], shape [2], int64, cpu)
     */
    unique(axis?: number | { readonly axis?: number; readonly dim?: number }): Unique<D>;
    /**
     * {@link Tensor.unique} of all elements, by the array API's name.
     * @example
     * tensor([3, 1, 3]).uniqueAll().inverse; // → tensor([1, 0, 1], shape [3], int64, cpu)
     */
    uniqueAll(): Unique<D>;
    /**
     * The first of each run of equal elements, or of equal rows along an axis, in the order in which they stand: of
     * {@link Unique} the values, where each run begins, in which one each element is, and how long they are. NaN
     * differs from NaN. Waits for their number.
     * @example
     * const { values, counts } = tensor([1, 1, 3, 1]).uniqueConsecutive();
     * values; // → tensor([1, 3, 1], shape [3], float32, cpu)
     * counts; // → tensor([2, 1, 1], shape [3], int64, cpu)
     */
    uniqueConsecutive(axis?: number | { readonly axis?: number; readonly dim?: number }): Unique<D>;
  }
}

type Places = Tensor<"int64">;

/** Along axis 0: the order of the elements, and for each in it whether it differs from the one before; the first does not. */
function stepsOf(x: Tensor): { order: Places; steps: Places } {
  const { values, indices } = selected("sort", x.detach(), { axis: 0, descending: false });
  const steps = values
    .slice([1, null])
    .ne(values.slice([0, -1]))
    .to("int64");
  const none = zeros([1, ...x.shape.slice(1)], { dtype: "int64", device: x.device });
  return { order: indices, steps: apply("cat", [none, steps], { axis: 0 }) as Places };
}

/** Along axis 0: the order of the elements, and in it the number of the elements before that differ. */
function ranked(x: Tensor): { order: Places; ranks: Places } {
  const { order, steps } = stepsOf(x);
  return { order, ranks: apply("cumsum", [steps], { axis: 0 }) as Places };
}

const backInOrder = (ranks: Places, order: Places): Places =>
  apply("putAlong", [ranks, order], { axis: 0, length: order.shape[0]! }) as Places;

const asTensor = (array: DeviceArray<"int64">): Places => new Tensor(array.living().hold(), "int64", array);

/** The groups of equal elements of a list that is not empty. */
function grouped(list: Tensor): { first: Places; inverse: Places; counts: Places } {
  readOperand("unique", list);
  const groups = groupsOf(list.execution, list);
  using first = groups.first;
  using inverse = groups.inverse;
  using counts = groups.counts;
  return { first: asTensor(first), inverse: asTensor(inverse), counts: asTensor(counts) };
}

/** A number for each row that is in the order of rows: columns are joined two by two, and counted anew. */
function keysOf(rows: Tensor): Tensor {
  const [length, columns] = rows.shape as [number, number];
  let keys = rows;
  for (let left = columns; left > 1; left = Math.ceil(left / 2)) {
    const { order, ranks } = ranked(keys);
    const dense = backInOrder(ranks, order);
    const pairs = Math.floor(left / 2);
    const [high, low] = [dense.slice(null, [0, 2 * pairs, 2]), dense.slice(null, [1, 2 * pairs, 2])];
    const joined = high.mul(length).add(low);
    keys = left % 2 === 0 ? joined : (apply("cat", [joined, dense.slice(null, [-1, null])], { axis: 1 }) as Tensor);
  }
  return keys.reshape([length]);
}

function nothing(x: Tensor, values: Tensor, inverse: readonly number[]): Unique {
  const none = arange(0, { dtype: "int64", device: x.device });
  return { values, indices: none, inverse: none.reshape(inverse), counts: none };
}

/** [length, …] as rows of numbers that are compared one after the other: of complex ones the real part comes first. */
function rowsOf(x: Tensor): Tensor {
  const length = x.shape[0]!;
  return (isComplex(x) ? viewAsReal(x as Tensor<"complex64">) : x).reshape([length, -1]) as Tensor;
}

function uniqueElements(x: Tensor): Unique {
  using plain = x.detach();
  using flat = plain.reshape([-1]);
  if (flat.size === 0) return nothing(x, flat.clone(), x.shape);
  const { first, inverse: line, counts } = grouped(isComplex(x) ? keysOf(rowsOf(flat as Tensor)) : (flat as Tensor));
  using inverse = line;
  const values = apply("takeAlong", [flat as Tensor, first], { axis: 0 }) as Tensor;
  return { values, indices: first, inverse: inverse.reshape(x.shape), counts };
}

function uniqueRows(x: Tensor, at: number): Unique {
  const length = x.shape[at]!;
  if (length === 0) return nothing(x, x.clone(), [0]);
  // Rows of nothing are all the same.
  const keys =
    x.size === 0
      ? arange(1, { dtype: "int64", device: x.device }).expand([length])
      : keysOf(rowsOf(x.detach().moveAxis(at, 0) as Tensor));
  const { first, inverse, counts } = grouped(keys);
  return { values: x.detach().indexSelect(at, first), indices: first, inverse, counts };
}

/** Of rows [length, …]: the runs of those that are equal. */
function runsOf(rows: Tensor): Pick<Unique, "indices" | "inverse" | "counts"> {
  const { device } = rows;
  const length = rows.shape[0]!;
  const differs = rows.slice([1, null]).ne(rows.slice([0, -1]));
  const begins = apply("cat", [ones([1], { dtype: "bool", device }), differs.any({ axis: 1 })], { axis: 0 }) as Tensor;
  const indices = begins.nonzero().reshape([-1]) as Places;
  const ends = apply("cat", [indices.slice([1, null]), tensor([length], { dtype: "int64", device })], { axis: 0 });
  return {
    indices,
    inverse: begins.to("int64").cumsum(0).sub(1) as Places,
    counts: (ends as Places).sub(indices) as Places,
  };
}

function consecutive(x: Tensor, axis: number | undefined): Unique {
  const given = x.detach() as Tensor;
  const at = axis === undefined ? 0 : checkedAxis(axis, x.shape.length);
  const whole = axis === undefined ? given.reshape([-1]) : given;
  const length = whole.shape[at]!;
  if (length === 0) return nothing(x, whole.clone(), axis === undefined ? x.shape : [0]);
  const found = runsOf(whole.moveAxis(at, 0).reshape([length, whole.size / length]) as Tensor);
  const inverse = axis === undefined ? found.inverse.reshape(x.shape) : found.inverse;
  return { ...found, inverse, values: whole.indexSelect(at, found.indices) };
}

/** {@link Tensor.unique} as a function. */
export const unique: FunctionOf<"unique"> = define("unique", { options: { axis }, bare: ["axis"] }, (x, given) =>
  given.axis === undefined ? uniqueElements(x) : uniqueRows(x, checkedAxis(given.axis, x.shape.length)),
);
/** {@link Tensor.uniqueAll} as a function. */
export const uniqueAll: FunctionOf<"uniqueAll"> = define("uniqueAll", {}, uniqueElements);
/** {@link Tensor.uniqueConsecutive} as a function. */
export const uniqueConsecutive: FunctionOf<"uniqueConsecutive"> = define(
  "uniqueConsecutive",
  { options: { axis }, bare: ["axis"] },
  (x, given) => consecutive(x, given.axis),
);

install(Tensor.prototype, { unique, uniqueAll, uniqueConsecutive });
