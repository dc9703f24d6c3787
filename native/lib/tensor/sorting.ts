// Order as methods: sorting, the largest elements, quantiles, unique elements, searches and counts. All are stable, and NaN comes last in both directions.
import { apply } from "../ops/apply.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { checkedAxis } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { arange } from "./create.ts";
import { selected, type Selected } from "./scans.ts";
import { Tensor } from "./tensor.ts";

/** `axis`: the last when left out. `descending`: largest first. */
export interface SortOptions {
  readonly axis?: number;
  readonly descending?: boolean;
}
/** `axis`: the last when left out. `largest`: false for the smallest. */
export interface TopOptions {
  readonly axis?: number;
  readonly largest?: boolean;
}
/** What {@link Tensor.unique} finds: the elements, sorted; the position of each of the tensor's among them; how often each occurs. */
export interface Unique<D extends DType = DType> {
  readonly values: Tensor<D>;
  readonly inverse: Tensor<"int64">;
  readonly counts: Tensor<"int64">;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /** Elements in order along an axis, and where they were; equal ones keep their order, NaN is last. */
    sort(options?: SortOptions): Selected<D>;
    /** Positions of the elements in sorted order along an axis. */
    argsort(options?: SortOptions): Tensor<"int64">;
    /** The `k` largest elements along an axis, largest first, and where they were; or the smallest. Throws TensorError for more than there are. */
    topk(k: number, options?: TopOptions): Selected<D>;
    /** The `k`-th smallest element along an axis, from 1, and where it is. */
    kthvalue(k: number, options?: { readonly axis?: number }): Selected<D>;
    /** The middle element along an axis, the lower of two, and where it is; NaN where there is one. */
    median(options?: { readonly axis?: number }): Selected<D>;
    /** The number below which the part `q` (0 to 1) of the elements along an axis lies, between two elements in proportion. Floats; NaN where there is one. */
    quantile(q: number, options?: { readonly axis?: number }): Tensor<D>;
    /** The elements that differ, sorted. Waits for their number. */
    unique(): Unique<D>;
    /** Where each value goes in this tensor's sorted last axis: before equal elements, or with `right` behind them. One row serves values of any shape. */
    searchsorted(values: Tensor<D>, options?: { readonly right?: boolean }): Tensor<"int64">;
    /** How often each of 0, 1, 2, … occurs in a tensor of integers ≥ 0, up to the largest, at least `minlength` of them. Waits for the largest. */
    bincount(options?: { readonly minlength?: number }): Tensor<"int64">;
    /** How many elements fall in each of `bins` even steps of `range` (least and largest when left out; both ends count), and the edges. Waits for the range. */
    histogram(options?: { readonly bins?: number; readonly range?: readonly [number, number] }): {
      counts: Tensor<"int64">;
      edges: Tensor;
    };
  }
}

const axisIn = ({ shape }: Tensor, axis = -1) => checkedAxis(axis, Math.max(1, shape.length));

/** A part of an axis. */
function part(x: Tensor, axis: number, slice: number | [number, number]): Tensor {
  return x.shape.length === 0 ? x : x.slice(...Array<null>(axis).fill(null), slice);
}

function checkedCount(name: string, k: number, x: Tensor, axis: number, least: number): void {
  const length = x.shape[axis] ?? 1;
  if (!Number.isInteger(k) || k < least || k > length)
    throw new TensorError(
      "VALUE",
      `${name} takes a whole number from ${least} to the size of the axis, ${length}, but got ${worded(k)}.`,
    );
}

function kth(x: Tensor, k: number, axis: number): Selected {
  const { values, indices } = selected("sort", x, { axis, descending: false });
  return { values: part(values, axis, k), indices: part(indices, axis, k) as Tensor<"int64"> };
}

/** NaN where the row has one. */
function orNaN(x: Tensor, axis: number, values: Tensor): Tensor {
  return factsOf(x.dtype).kind === "float"
    ? values.where(x.isnan().any({ axis }).logicalNot() as Tensor<"bool">, NaN)
    : values;
}

const methods: Record<string, (this: Tensor, ...args: never[]) => unknown> = {
  sort({ axis, descending = false }: SortOptions = {}) {
    return selected("sort", this, { axis: axisIn(this, axis), descending });
  },
  argsort({ axis, descending = false }: SortOptions = {}) {
    return apply("argsort", [this], { axis: axisIn(this, axis), descending });
  },
  topk(k: number, { axis, largest = true }: TopOptions = {}) {
    const along = axisIn(this, axis);
    checkedCount("topk", k, this, along, 0);
    const { values, indices } = selected("sort", this, { axis: along, descending: largest });
    return { values: part(values, along, [0, k]).clone(), indices: part(indices, along, [0, k]).clone() };
  },
  kthvalue(k: number, { axis }: { axis?: number } = {}) {
    const along = axisIn(this, axis);
    checkedCount("kthvalue", k, this, along, 1);
    return kth(this, k - 1, along);
  },
  median({ axis }: { axis?: number } = {}) {
    const along = axisIn(this, axis);
    checkedCount("median of an empty axis", Math.min(1, this.shape[along] ?? 1), this, along, 1);
    const { values, indices } = kth(this, Math.floor(((this.shape[along] ?? 1) - 1) / 2), along);
    return { values: this.shape.length === 0 ? values : orNaN(this, along, values), indices };
  },
  quantile(q: number, { axis }: { axis?: number } = {}) {
    if (typeof q !== "number" || !(q >= 0 && q <= 1))
      throw new TensorError("VALUE", `quantile takes a number from 0 to 1 but got ${worded(q)}.`);
    if (factsOf(this.dtype).kind !== "float")
      throw new TensorError(
        "DTYPE",
        `quantile takes floats but got ${this.dtype}: convert it, e.g. with .to("float32").`,
      );
    const along = axisIn(this, axis);
    const length = this.shape[along] ?? 1;
    checkedCount("quantile of an empty axis", Math.min(1, length), this, along, 1);
    if (this.shape.length === 0) return this.clone();
    const at = q * (length - 1);
    const low = Math.floor(at);
    const { values } = selected("sort", this, { axis: along, descending: false });
    const [below, above] = [part(values, along, low), part(values, along, Math.min(low + 1, length - 1))];
    // Between equal infinities there is no difference to take a part of.
    const between = at === low ? below : below.add(above.sub(below).mul(at - low)).where(below.ne(above), below);
    return orNaN(this, along, between);
  },
  unique() {
    const flat = this.reshape([-1]);
    if (flat.size === 0)
      return {
        values: flat.clone(),
        inverse: arange(0, { dtype: "int64", device: this.device }).reshape(this.shape),
        counts: arange(0, { dtype: "int64", device: this.device }),
      };
    const { values, indices } = selected("sort", flat.detach(), { axis: 0, descending: false });
    const steps = values.slice([1]).ne(values.slice([0, -1])) as Tensor;
    const after = arange(1, flat.size, 1, { dtype: "int64", device: this.device });
    const group = apply("cumsum", [apply("putAlong", [steps.to("int64"), after], { axis: 0, length: flat.size })], {
      axis: 0,
    }) as Tensor<"int64">;
    const count = Number(group.slice(-1).item()) + 1;
    const numbers = arange(count, { dtype: "int64", device: this.device });
    const starts = group.searchsorted(numbers);
    return {
      values: apply("takeAlong", [values, starts], { axis: 0 }),
      inverse: (apply("putAlong", [group, indices], { axis: 0, length: flat.size }) as Tensor<"int64">).reshape(
        this.shape,
      ),
      counts: group.searchsorted(numbers, { right: true }).sub(starts),
    };
  },
  searchsorted(values: Tensor, { right = false }: { right?: boolean } = {}) {
    return apply("searchsorted", [this, values], { right });
  },
  bincount({ minlength = 0 }: { minlength?: number } = {}) {
    if (factsOf(this.dtype).kind !== "int")
      throw new TensorError(
        "DTYPE",
        `bincount takes integers but got ${this.dtype}: convert it, e.g. with .to("int64").`,
      );
    if (!Number.isSafeInteger(minlength) || minlength < 0)
      throw new TensorError("VALUE", `bincount takes a whole number ≥ 0 as minlength but got ${worded(minlength)}.`);
    const [least, greatest] = this.size === 0 ? [0, -1] : [this.min().item(), this.max().item()];
    if (Number(least) < 0) throw new TensorError("VALUE", `bincount takes integers ≥ 0 but there is ${least}.`);
    return apply("bincount", [this], { length: Math.max(minlength, Number(greatest) + 1) }) as Tensor<"int64">;
  },
  histogram({ bins = 10, range }: { bins?: number; range?: readonly [number, number] } = {}) {
    if (!Number.isSafeInteger(bins) || bins < 1)
      throw new TensorError("VALUE", `histogram takes a whole number of bins ≥ 1 but got ${worded(bins)}.`);
    const flat = this.reshape([-1]).to(this.dtype === "float64" ? "float64" : "float32") as Tensor;
    let [low, high] = range ?? (flat.size === 0 ? [0, 1] : [Number(flat.min().item()), Number(flat.max().item())]);
    if (!(low <= high) || !Number.isFinite(high - low))
      throw new TensorError(
        "VALUE",
        `histogram takes a range of finite numbers, the smaller first, but got ${low} to ${high}.`,
      );
    if (low === high) [low, high] = [low - 0.5, high + 0.5];
    const edges = arange(bins + 1, { dtype: "float64", device: this.device })
      .mul((high - low) / bins)
      .add(low)
      .to(flat.dtype) as Tensor;
    // 0: before the first edge; bins + 1: from the last one on, which itself is of the last step.
    const steps = edges.searchsorted(flat.detach(), { right: true }).sub(flat.eq(edges.slice(bins)) as Tensor);
    return { counts: (apply("bincount", [steps], { length: bins + 1 }) as Tensor<"int64">).slice([1, null]), edges };
  },
};
for (const [name, value] of Object.entries(methods))
  Object.defineProperty(Tensor.prototype, name, { value, writable: true, configurable: true });
