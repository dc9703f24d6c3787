// Whether tensors are equal, or nearly: element by element, or as a whole.
import { factsOf, type DType } from "../memory/dtype.ts";
import { promoted, promotedWith } from "../memory/promotion.ts";
import { define, flag, install, number, operand, tensor, type FunctionOf } from "./arguments.ts";
import { full } from "./create.ts";
import { Tensor } from "./tensor.ts";

type Scalar = number | bigint | boolean;

/**
 * Two are close where |a − b| ≤ `atol` + `rtol` · |b|: 1e-8 and 1e-5 when left out. `equalNan`: NaN is close to NaN.
 */
export interface CloseOptions {
  readonly rtol?: number;
  readonly atol?: number;
  readonly equalNan?: boolean;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * Whether each element is close to that of another, see {@link CloseOptions}; infinities to themselves only.
     * @example
     * tensor([1, 2]).isclose(tensor([1.000001, 2.1])); // → tensor([true, false], shape [2], bool, cpu)
     */
    isclose(other: Tensor | Scalar, options?: CloseOptions): Tensor<"bool">;
    /**
     * Whether all elements are close, see {@link Tensor.isclose}. Waits for the device.
     * @example
     * tensor([1, 2]).allclose(tensor([1.000001, 2])); // → true
     */
    allclose(other: Tensor | Scalar, options?: CloseOptions): boolean;
    /**
     * Whether the other tensor has the same shape and the same elements. Waits for the device.
     * @example
     * tensor([1, 2]).arrayEqual(tensor([1, 2])); // → true
     */
    arrayEqual(other: Tensor, options?: { readonly equalNan?: boolean }): boolean;
  }
}

const asTensor = (value: Tensor | Scalar, like: Tensor): Tensor =>
  value instanceof Tensor ? value : full([], value, { dtype: promotedWith(like.dtype, value), device: like.device });

/** |a − b| and |b|, in floats that hold them well. */
export function distances(a: Tensor, b: Tensor): readonly [distance: Tensor, size: Tensor] {
  const common = promoted(a.dtype, b.dtype);
  if (factsOf(common).kind === "complex") return [a.sub(b).abs(), b.abs()];
  if (factsOf(common).kind === "float") {
    const wide = common === "float64" ? "float64" : "float32";
    return [a.to(wide).sub(b.to(wide)).abs(), b.to(wide).abs()];
  }
  const wide = common === "uint64" ? "uint64" : "int64";
  const [left, right] = [a.to(wide), b.to(wide)];
  // Of int64 it may be beyond int64, and then wraps around to the right bits of uint64.
  const distance = left.maximum(right).sub(left.minimum(right)).to("uint64");
  return [distance.to("float64"), right.to("float64").abs()];
}

function bothNaN(a: Tensor, b: Tensor): Tensor {
  return a.isnan().logicalAnd(b.isnan());
}

/** {@link Tensor.isclose} as a function. */
export const isclose: FunctionOf<"isclose"> = define(
  "isclose",
  { required: { other: operand }, options: { rtol: number, atol: number, equalNan: flag } },
  (x, { other, rtol = 1e-5, atol = 1e-8, equalNan = false }) => {
    const b = asTensor(other, x);
    const [distance, size] = distances(x, b);
    const isNear = distance.le(size.mul(rtol).add(atol)).logicalAnd(size.isfinite());
    const isClose = x.eq(b).logicalOr(isNear);
    return equalNan ? isClose.logicalOr(bothNaN(x, b)) : isClose;
  },
);

/** {@link Tensor.allclose} as a function. */
export const allclose: FunctionOf<"allclose"> = define(
  "allclose",
  { required: { other: operand }, options: { rtol: number, atol: number, equalNan: flag } },
  (x, { other, ...options }) => isclose(x, other, options).all().item(),
);

/** {@link Tensor.arrayEqual} as a function. */
export const arrayEqual: FunctionOf<"arrayEqual"> = define(
  "arrayEqual",
  { required: { other: tensor }, options: { equalNan: flag } },
  (x, { other, equalNan = false }) => {
    if (x.shape.length !== other.shape.length || x.shape.some((size, axis) => size !== other.shape[axis])) return false;
    const isEqual = x.eq(other);
    return (equalNan ? isEqual.logicalOr(bothNaN(x, other)) : isEqual).all().item();
  },
);

/** PyTorch's name of {@link Tensor.arrayEqual}: `equal(x, y)`; element by element it is `eq`.
 * @example
 * equal(tensor([1, 2]), tensor([1, 2])); // → true
 */
export const equal: (x: Tensor, other: Tensor) => boolean = define(
  "equal",
  { required: { other: tensor } },
  (x, { other }) => arrayEqual(x, other),
);

install(Tensor.prototype, { isclose, allclose, arrayEqual });
