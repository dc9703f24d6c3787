// Order as methods: sorting, the largest elements, searches and counts. All are stable, and
// NaN comes last in both directions.
import { apply, applyAll } from "../ops/core/apply.ts";
import { extremesOf } from "../ops/reduce/counting.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { adviceToCompute, admits, factsOf, type DType } from "../memory/dtype.ts";
import { promoted } from "../memory/promotion.ts";
import { TensorError } from "../errors.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { tensor as createTensor, zeros } from "./create.ts";
import { selected, type AxisOptions, type Selected } from "./scans.ts";
import {
  axis,
  define,
  either,
  flag,
  install,
  number,
  numbers,
  oneOf,
  operand,
  tensor,
  type FunctionOf,
} from "./arguments.ts";
import { Tensor } from "./tensor.ts";

/**
 * `axis`: the last when left out; `dim` is PyTorch's name for it. `descending`: largest first. Every sort is stable.
 */
export interface SortOptions {
  readonly axis?: number;
  readonly dim?: number;
  readonly stable?: boolean;
  readonly descending?: boolean;
}
/** `axis`: the last when left out. `largest`: false for the smallest. */
export interface TopOptions {
  readonly axis?: number;
  readonly dim?: number;
  readonly largest?: boolean;
}
/** `right`, or NumPy's `side: "right"`: after equal elements. */
export interface SearchOptions {
  readonly right?: boolean;
  readonly side?: "left" | "right";
  readonly sorter?: Tensor;
}
/** How many bins a histogram has, or the edges of them, one more. */
export type Bins = number | Tensor | readonly number[];

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The elements in order along an axis, the last when left out, and where they were; equal ones keep their order,
     * NaN is last.
     * @example
     * const { values, indices } = tensor([3, 1, 2]).sort();
     * values; // → tensor([1, 2, 3], shape [3], float32, cpu)
     * indices; // → tensor([1, 2, 0], shape [3], int64, cpu)
     */
    sort(axis?: number | SortOptions, descending?: boolean): Selected<D>;
    /**
     * The positions of the elements in sorted order along an axis, the last when left out; equal ones keep their order,
     * NaN is last.
     * @example
     * tensor([3, 1, 2]).argsort({ descending: true }); // → tensor([0, 2, 1], shape [3], int64, cpu)
     */
    argsort(axis?: number | SortOptions, descending?: boolean): Tensor<"int64">;
    /**
     * The `k` largest elements along an axis, largest first, and where they were; or the smallest. Throws TensorError
     * for more than there are.
     * @example
     * tensor([3, 1, 4, 1, 5]).topk(2);
     * // → { values: tensor([5, 4], shape [2], float32, cpu), indices: tensor([4, 2], shape [2], int64, cpu) }
     */
    topk(k: number, axis?: number | TopOptions, largest?: boolean): Selected<D>;
    /**
     * The `k`-th smallest element along an axis, counted from 1, and where it is; the last axis when left out. Throws
     * TensorError for a `k` that is not there.
     * @example
     * tensor([3, 1, 2]).kthvalue(2).values; // → tensor(2, shape [], float32, cpu)
     */
    kthvalue(k: number, axis?: number | AxisOptions): Selected<D>;
    /**
     * Where each value goes in this tensor's sorted last axis: before equal elements, or with `right` after them. One
     * row serves values of any shape. `sorter`: the positions that sort the axis, as {@link Tensor.argsort} gives them.
     * @example
     * tensor([1, 3, 5]).searchsorted(tensor([3, 4])); // → tensor([1, 2], shape [2], int64, cpu)
     */
    searchsorted(values: Tensor | number | bigint, options?: SearchOptions): Tensor<"int64">;
    /**
     * How often each of 0, 1, 2, … occurs in a tensor of integers ≥ 0, up to the largest, at least `minlength` of them;
     * with `weights`, a tensor of the same shape, the sums of what stands there at each, floats in their dtype and
     * integers in int64. Sums are the same from run to run. Waits for the largest.
     * @example
     * tensor([0, 2, 2], { dtype: "int64" }).bincount(); // → tensor([1, 0, 2], shape [3], int64, cpu)
     */
    bincount(options?: { readonly minlength?: number }): Tensor<"int64">;
    bincount(options: { readonly minlength?: number; readonly weights: Tensor }): Tensor;
    /**
     * How many elements fall in each of `bins` even steps of `range`, 10 when left out, and the edges. The range is
     * from the least element to the greatest when left out; half on either side where these are equal. A step
     * has its lower edge, the last one both; what is outside `range`, or NaN, is in none. `bins` may be the edges
     * themselves, a tensor or a list that rises, which are given back. With `weights`, a tensor of
     * the same shape, the sums of what stands there as {@link Tensor.bincount}. Edges are float32, of float64 and of
     * integers float64. Waits for the range unless it is given. Throws TensorError for one that is not finite.
     * @example
     * tensor([1, 2, 2.5, 4]).histogram({ bins: 3, range: [1, 4] }).counts;
     * // → tensor([1, 2, 1], shape [3], int64, cpu)
     * tensor([1, 2, 2.5, 4]).histogram({ bins: [0, 2, 5] }).counts; // → tensor([1, 3], shape [2], int64, cpu)
     */
    histogram(options?: { readonly bins?: Bins; readonly range?: readonly [number, number] }): {
      counts: Tensor<"int64">;
      edges: Tensor;
    };
    histogram(options: {
      readonly bins?: Bins;
      readonly range?: readonly [number, number];
      readonly weights?: Tensor;
      readonly weight?: Tensor;
      readonly density?: boolean;
    }): { counts: Tensor; edges: Tensor };
  }
}

/** The axis, the last when left out; a tensor without axes counts as one of one. */
export const axisIn = ({ shape }: Tensor, axis = -1) => checkedAxis(axis, Math.max(1, shape.length));

/** Throws TensorError for a number that an axis does not have. */
export function checkedCount(name: string, k: number, x: Tensor, axis: number, least: number): void {
  const length = x.shape[axis] ?? 1;
  if (!Number.isInteger(k) || k < least || k > length)
    throw new TensorError(
      "VALUE",
      `${name} takes a whole number from ${least} to the size of the axis, ${length}, but got ${worded(k)}.`,
    );
}

/** The k-th smallest element along an axis, counted from 0. */
export function kth(x: Tensor, k: number, axis: number): Selected {
  if (x.shape.length === 0) return selected("sort", x, { axis, descending: false });
  const { values, indices } = selected("topk", x, { axis, k: k + 1, descending: false, isAlone: true });
  return { values: values.squeeze(axis), indices: indices.squeeze(axis) };
}

/** Both in the dtype that holds both; a number takes that of the tensor where it fits. */
function together(sorted: Tensor, values: Tensor): [Tensor, Tensor] {
  if (sorted.dtype === values.dtype) return [sorted, values];
  const dtype =
    values.shape.length === 0 && values.dtype === "float32" && admits(sorted.dtype, Number(values.item()))
      ? sorted.dtype
      : promoted(sorted.dtype, values.dtype);
  return [sorted.to(dtype), values.to(dtype)];
}

function checkedRange(range: unknown): void {
  const [low, high] = Array.isArray(range) && range.length === 2 ? range : [NaN, NaN];
  if (typeof low === "number" && typeof high === "number" && low <= high && Number.isFinite(high - low)) return;
  throw new TensorError(
    "VALUE",
    `histogram takes a range of two finite numbers, the smaller first, such as [0, 1], but got ${worded(range)}.`,
  );
}

/** The sums of the weights at each of `length` places. */
function summed(name: string, places: Tensor, weights: Tensor, length: number): Tensor {
  if (!(weights instanceof Tensor) || !sameShape(weights.shape, places.shape))
    throw new TensorError(
      "SHAPE",
      `${name} takes weights of the tensor's own shape, ${formatShape(places.shape)}, but got ${weights instanceof Tensor ? formatShape(weights.shape) : worded(weights)}.`,
    );
  const dtype = factsOf(weights.dtype).kind === "float" ? weights.dtype : "int64";
  const values = (weights.dtype === dtype ? weights : weights.to(dtype)).reshape([-1]);
  return zeros([length], { dtype, device: weights.device }).scatterAdd(0, places.reshape([-1]), values);
}

/** {@link Tensor.sort} as a function. */
export const sort: FunctionOf<"sort"> = define(
  "sort",
  { options: { axis, descending: flag, stable: flag }, bare: ["axis", "descending"] },
  (x, { axis, descending = false }) => selected("sort", x, { axis: axisIn(x, axis), descending }),
);

/** {@link Tensor.argsort} as a function. */
export const argsort: FunctionOf<"argsort"> = define(
  "argsort",
  { options: { axis, descending: flag, stable: flag }, bare: ["axis", "descending"] },
  (x, { axis, descending = false }) => apply("argsort", [x], { axis: axisIn(x, axis), descending }),
);

/** {@link Tensor.topk} as a function. */
export const topk: FunctionOf<"topk"> = define(
  "topk",
  {
    required: { k: number },
    options: { axis, largest: flag },
    bare: ["axis", "largest"],
    aliases: { sorted: () => ({}) },
  },
  (x, { k, axis, largest = true }) => {
    const along = axisIn(x, axis);
    checkedCount("topk", k, x, along, 0);
    if (x.shape.length === 0) return selected("sort", x, { axis: along, descending: largest });
    return selected("topk", x, { axis: along, k, descending: largest, isAlone: false });
  },
);

/** {@link Tensor.kthvalue} as a function. */
export const kthvalue: FunctionOf<"kthvalue"> = define(
  "kthvalue",
  { required: { k: number }, options: { axis }, bare: ["axis"] },
  (x, { k, axis }) => {
    const along = axisIn(x, axis);
    checkedCount("kthvalue", k, x, along, 1);
    return kth(x, k - 1, along);
  },
);

/** {@link Tensor.searchsorted} as a function. */
export const searchsorted: FunctionOf<"searchsorted"> = define(
  "searchsorted",
  { required: { values: operand }, options: { right: flag, sorter: tensor, side: oneOf("left", "right") } },
  (x, { values, right, side, sorter }) => {
    const sorted = sorter === undefined ? x : x.takeAlongAxis(sorter, -1);
    const wanted = values instanceof Tensor ? values : createTensor(values as number, { device: x.device });
    return apply("searchsorted", together(sorted, wanted), { right: right ?? side === "right" });
  },
);

/** {@link Tensor.bincount} as a function. */
export const bincount: FunctionOf<"bincount"> = define(
  "bincount",
  { options: { minlength: number, weights: tensor } },
  (x, { minlength = 0, weights }) => {
    if (factsOf(x.dtype).kind !== "int")
      throw new TensorError("DTYPE", `bincount takes integers but got ${x.dtype}: convert it, e.g. with .to("int64").`);
    if (!Number.isSafeInteger(minlength) || minlength < 0)
      throw new TensorError("VALUE", `bincount takes a whole number ≥ 0 as minlength but got ${worded(minlength)}.`);
    const [least, greatest] = x.size === 0 ? [0n, -1n] : extremesOf(x.execution, x);
    if (least < 0n) throw new TensorError("VALUE", `bincount takes integers ≥ 0 but got ${least}.`);
    const length = Math.max(minlength, Number(greatest) + 1);
    return weights === undefined
      ? apply("bincount", [x], { length })
      : summed("bincount", x.to("int64") as Tensor, weights, length);
  },
);

/** Counts by their sum and the widths of the bins: their area is 1. */
function densityOf(counts: Tensor, edges: Tensor): Tensor {
  const shares = counts.to(edges.dtype);
  return shares.div(shares.sum().mul(edges.slice([1, null]).sub(edges.slice([0, -1]))));
}

/** The histogram between edges of one's own. */
function betweenEdges(
  x: Tensor,
  given: Tensor | readonly number[],
  { range, weights, density }: { range: unknown; weights: Tensor | undefined; density: boolean },
): { counts: Tensor; edges: Tensor } {
  if (range !== undefined)
    throw new TensorError("OPTIONS", "histogram takes a range or edges, not both: the edges have their own.");
  const isList = !(given instanceof Tensor);
  const listed = isList
    ? (createTensor([...given], { device: x.device, dtype: x.dtype === "float32" ? "float32" : "float64" }) as Tensor)
    : given;
  if (
    listed.shape.length !== 1 ||
    listed.size < 2 ||
    (isList && !given.every((each, at) => at === 0 || each > given[at - 1]!))
  )
    throw new TensorError(
      "VALUE",
      `histogram takes at least two edges that rise, as a list, but got ${isList ? `[${given.join(", ")}]` : formatShape(listed.shape)}.`,
    );
  const [edges, values] = together(listed.detach() as Tensor, x.detach() as Tensor);
  const bins = edges.size - 1;
  const at = edges
    .searchsorted(values, { right: true })
    .sub(1)
    .clamp({ max: bins - 1 }) as Tensor;
  // Behind the last bin is what is in none.
  const isIn = values.ge(edges.get(0)).logicalAnd(values.le(edges.get(-1)));
  const places = at.where(isIn, bins) as Tensor;
  const counted = weights ?? (apply("fullLike", [places], { value: 1 }) as Tensor);
  const counts = summed("histogram", places, counted, bins + 1).slice([0, bins]) as Tensor;
  return { counts: density ? densityOf(counts, edges) : counts, edges: listed };
}

/** {@link Tensor.histogram} as a function. */
export const histogram: FunctionOf<"histogram"> = define(
  "histogram",
  {
    options: { bins: either(either(number, numbers), tensor), range: numbers, weights: tensor, density: flag },
    bare: ["bins"],
    aliases: { weight: "weights" },
    instead: {
      min: "Write { range: [min, max] }.",
      max: "Write { range: [min, max] }.",
      title: "It counts; plot.histogram(x, { title }) draws.",
      logY: "It counts; plot.histogram(x, { logY }) draws.",
    },
  },
  (x, { bins = 10, range: bounds, weights, density = false }) => {
    if (typeof bins !== "number") return betweenEdges(x, bins, { range: bounds, weights, density });
    if (!Number.isSafeInteger(bins) || bins < 1 || bins >= 2 ** 31)
      throw new TensorError(
        "VALUE",
        `histogram takes a whole number of bins from 1 to 2147483647 but got ${worded(bins)}.`,
      );
    if (factsOf(x.dtype).isStorage)
      throw new TensorError(
        "DTYPE",
        `histogram takes numbers that compute but got ${x.dtype}: ${adviceToCompute(x.dtype)}.`,
      );
    if (bounds !== undefined) checkedRange(bounds);
    const range = bounds as readonly [number, number] | undefined;
    const stepping = { bins, range: range ?? null };
    const source = x.detach();
    const [found, edges] = applyAll(weights === undefined ? "histogram" : "histogramPlaces", [source], stepping);
    // Behind the last bin is what is in none.
    const counts =
      weights === undefined
        ? (found as Tensor)
        : (summed("histogram", found as Tensor, weights, bins + 1).slice([0, bins]) as Tensor);
    return { counts: density ? densityOf(counts, edges as Tensor) : counts, edges };
  },
);

install(Tensor.prototype, { sort, argsort, topk, kthvalue, searchsorted, bincount, histogram });
