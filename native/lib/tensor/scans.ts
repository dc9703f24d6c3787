// Cumulative operations as methods and functions: each element becomes the sum, product, largest or smallest of those
// up to it.
import { apply, applyAll } from "../ops/core/apply.ts";
import type { AttributesOf } from "../ops/core/table.ts";
import type { DType } from "../memory/dtype.ts";
import type { FloatOf, SumOf } from "../memory/promotion.ts";
import { TensorError } from "../errors.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { axis, define, dtype, flag, install, type FunctionOf } from "./arguments.ts";
import { full } from "./create.ts";
import { cat } from "./joining.ts";
import { Tensor } from "./tensor.ts";

/** Along one axis; negative ones count from the end, and a list needs none. `dim` is PyTorch's name for it. */
export interface AxisOptions {
  readonly axis?: number;
  readonly dim?: number;
}

/**
 * `dtype`: what the elements become first, and the dtype of the result. `includeInitial`: the sum or product of no
 * elements, 0 or 1, stands in front, and the axis has one more.
 */
export interface CumulativeOptions<E extends DType = DType> extends AxisOptions {
  readonly dtype?: E;
  readonly includeInitial?: boolean;
}

/** Elements with their positions along the axis that was worked on. */
export interface Selected<D extends DType = DType> {
  readonly values: Tensor<D>;
  readonly indices: Tensor<"int64">;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The running sum along an axis, which a list need not name. Floats and uint64 stay, other integers and bool give
     * int64.
     * @example
     * tensor([1, 2, 3]).cumsum(); // → tensor([1, 3, 6], shape [3], float32, cpu)
     */
    cumsum<E extends DType = SumOf<D>>(axis?: number | CumulativeOptions<E>): Tensor<E>;
    /**
     * The running product along an axis, which a list need not name. Floats and uint64 stay, other integers and bool
     * give int64.
     * @example
     * tensor([1, 2, 3]).cumprod(); // → tensor([1, 2, 6], shape [3], float32, cpu)
     */
    cumprod<E extends DType = SumOf<D>>(axis?: number | CumulativeOptions<E>): Tensor<E>;
    /**
     * The logarithm of the running sum of e^x along an axis, which a list need not name, without leaving the range that
     * floats have: log Σ e^x of all up to an element.
     * @example
     * tensor([1000, 1000]).logcumsumexp(); // → tensor([1000.00, 1000.69], shape [2], float32, cpu)
     */
    logcumsumexp(axis?: number | AxisOptions): Tensor<FloatOf<D>>;
    /**
     * The largest element so far along an axis, and where it is: of equal ones the last. From a NaN on it is NaN.
     * @example
     * tensor([1, 3, 2]).cummax().values; // → tensor([1, 3, 3], shape [3], float32, cpu)
     */
    cummax(axis?: number | AxisOptions): Selected<D>;
    /**
     * The smallest element so far along an axis, and where it is: of equal ones the last. From a NaN on it is NaN.
     * @example
     * tensor([3, 1, 2]).cummin().indices; // → tensor([0, 1, 1], shape [3], int64, cpu)
     */
    cummin(axis?: number | AxisOptions): Selected<D>;
  }
}

/** The axis that was named, from the front; a tensor without axes has axis 0 and −1. Throws TensorError. */
export function axisOf(name: string, { shape }: Tensor, named: number | undefined): number {
  if (named === undefined && shape.length > 1)
    throw new TensorError(
      "AXIS",
      `${name} of a tensor of shape ${formatShape(shape)} needs an axis: write { axis: 0 }, for example.`,
    );
  return checkedAxis(named ?? 0, Math.max(1, shape.length));
}

/** The two results of an operation that selects elements. */
export function selected<N extends "sort" | "topk" | "cummax" | "cummin">(
  name: N,
  x: Tensor,
  attributes: AttributesOf<N>,
): Selected {
  const [values, indices] = applyAll(name, [x], attributes);
  return { values: values as Tensor, indices: indices as Tensor<"int64"> };
}

const total = <F extends (x: never, ...args: never[]) => unknown>(name: "cumsum" | "cumprod", initial: 0 | 1): F =>
  define(name, { options: { axis, dtype, includeInitial: flag }, bare: ["axis"] }, (x, given) => {
    const at = axisOf(name, x, given.axis);
    const over = (from: Tensor) => apply(name, [from], { axis: at }) as Tensor;
    const sums = given.dtype === undefined ? over(x) : over(x.to(given.dtype)).to(given.dtype);
    if (given.includeInitial !== true) return sums;
    const row = sums.shape.length === 0 ? sums.reshape([1]) : sums;
    const first = full(row.shape.with(at, 1), initial, { dtype: row.dtype, device: row.device });
    return cat([first, row], { axis: at });
  });

const extreme = <F extends (x: never, ...args: never[]) => unknown>(name: "cummax" | "cummin"): F =>
  define(name, { options: { axis }, bare: ["axis"] }, (x, given) =>
    selected(name, x, { axis: axisOf(name, x, given.axis) }),
  );

type CumulativeFunction = <D extends DType, E extends DType = SumOf<D>>(
  x: Tensor<D>,
  axis?: number | CumulativeOptions<E>,
) => Tensor<E>;

/** {@link Tensor.cumsum} as a function. */
export const cumsum: CumulativeFunction = total("cumsum", 0);
/** {@link Tensor.cumprod} as a function. */
export const cumprod: CumulativeFunction = total("cumprod", 1);
/** {@link Tensor.logcumsumexp} as a function. */
export const logcumsumexp: FunctionOf<"logcumsumexp"> = define(
  "logcumsumexp",
  { options: { axis }, bare: ["axis"] },
  (x, given) => apply("logcumsumexp", [x], { axis: axisOf("logcumsumexp", x, given.axis) }),
);
/** {@link Tensor.cummax} as a function. */
export const cummax: FunctionOf<"cummax"> = extreme("cummax");
/** {@link Tensor.cummin} as a function. */
export const cummin: FunctionOf<"cummin"> = extreme("cummin");

install(Tensor.prototype, { cumsum, cumprod, logcumsumexp, cummax, cummin });
