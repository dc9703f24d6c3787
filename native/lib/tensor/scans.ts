// Cumulative operations as methods: each element becomes the sum, product, largest or smallest of those up to it.
import { apply, applyAll } from "../ops/apply.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis } from "../memory/shape.ts";
import { TensorError } from "../errors.ts";
import { worded } from "../wording.ts";
import { Tensor } from "./tensor.ts";

/** Along one axis; negative ones count from the end. */
export interface AxisOptions {
  readonly axis: number;
}

/** Elements with their positions along the axis that was worked on. */
export interface Selected<D extends DType = DType> {
  readonly values: Tensor<D>;
  readonly indices: Tensor<"int64">;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /** Running sum along an axis. Floats stay, integers and bool give int64. */
    cumsum(options: AxisOptions): Tensor;
    /** Running product along an axis. Floats stay, integers and bool give int64. */
    cumprod(options: AxisOptions): Tensor;
    /** The largest element so far along an axis, and where it is: of equal ones the last. From a NaN on it is NaN. */
    cummax(options: AxisOptions): Selected<D>;
    /** The smallest element so far along an axis, and where it is; as {@link Tensor.cummax}. */
    cummin(options: AxisOptions): Selected<D>;
  }
}

/** The axis that the options name, from the front; a tensor without axes has axis 0 and −1. Throws TensorError. */
export function axisOf(name: string, { shape }: Tensor, options: AxisOptions): number {
  if (typeof options !== "object" || options === null || typeof options.axis !== "number")
    throw new TensorError("OPTIONS", `${name} takes an axis, such as { axis: 0 }, but got ${worded(options)}.`);
  return checkedAxis(options.axis, Math.max(1, shape.length));
}

const methods: Record<string, (this: Tensor, options: AxisOptions) => unknown> = {
  cumsum(options) {
    return apply("cumsum", [this], { axis: axisOf("cumsum", this, options) });
  },
  cumprod(options) {
    return apply("cumprod", [this], { axis: axisOf("cumprod", this, options) });
  },
  cummax(options) {
    return selected("cummax", this, { axis: axisOf("cummax", this, options) });
  },
  cummin(options) {
    return selected("cummin", this, { axis: axisOf("cummin", this, options) });
  },
};

/** The two results of an operation that selects elements. */
export function selected(name: string, x: Tensor, attributes: object): Selected {
  const [values, indices] = applyAll(name, [x], attributes);
  return { values: values as Tensor, indices: indices as Tensor<"int64"> };
}

for (const [name, value] of Object.entries(methods))
  Object.defineProperty(Tensor.prototype, name, { value, writable: true, configurable: true });
