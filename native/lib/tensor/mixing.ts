// Elementwise operations of three operands: choices, bounds and mixtures.
import { TensorError } from "../errors.ts";
import { admits, factsOf, type DType } from "../memory/dtype.ts";
import { promotedWith, type FloatOf } from "../memory/promotion.ts";
import { checkedValue } from "../memory/value.ts";
import { apply } from "../ops/core/apply.ts";
import { define, either, install, number, operand, scalar, tensor, type FunctionOf } from "./arguments.ts";
import type { Scalar } from "./create.ts";
import type { CommonOf } from "./elementwise.ts";
import { Tensor } from "./tensor.ts";

/** Bounds: numbers, or tensors that broadcast. One of them may be left out. */
export interface Bounds {
  readonly min?: number | bigint | Tensor;
  readonly max?: number | bigint | Tensor;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The elements of x where `condition` is true, else those of `other`, a tensor or a number. All broadcast. Throws
     * TensorError for a condition that is not bool.
     * @example
     * const x = tensor([-1, 2]);
     * x.where(x.gt(0), 0); // → tensor([0, 2], shape [2], float32, cpu)
     */
    where<Other extends Tensor | Scalar>(condition: Tensor<"bool">, other: Other): Tensor<CommonOf<D, Other>>;
    /**
     * Each element, at least `min` and at most `max`: numbers, or tensors that broadcast. Integers stay integers
     * between whole bounds; beside a fraction they become float32. A bound that is NaN gives NaN. The gradient is 1 at
     * the bounds, too.
     * @example
     * tensor([-5, 0.5, 5]).clamp(0, 1); // → tensor([0.0, 0.5, 1.0], shape [3], float32, cpu)
     * tensor([-5, 5]).clamp({ max: 3 }); // → tensor([-5, 3], shape [2], float32, cpu)
     */
    clamp(min: number | bigint | Tensor | Bounds, max?: number | bigint | Tensor): Tensor<D>;
    /**
     * From x towards `end`, in proportion: x + weight · (end − x). The weight is a number, or a tensor; all broadcast.
     * @example
     * tensor([0, 10]).lerp(tensor([10, 20]), 0.25); // → tensor([2.5, 12.5], shape [2], float32, cpu)
     */
    lerp(end: Tensor, weight: number | Tensor): Tensor<FloatOf<D>>;
    /**
     * A product added: x + value · a · b; all broadcast, and `value` is 1 when left out.
     * @example
     * tensor([1, 1]).addcmul(tensor([2, 3]), tensor([4, 5]), { value: 0.5 });
     * // → tensor([5.0, 8.5], shape [2], float32, cpu)
     */
    addcmul(a: Tensor, b: Tensor, options?: { readonly value?: number }): Tensor<D>;
    /**
     * A quotient added: x + value · a / b; all broadcast, and `value` is 1 when left out.
     * @example
     * tensor([1, 1]).addcdiv(tensor([2, 3]), tensor([4, 5])); // → tensor([1.5, 1.6], shape [2], float32, cpu)
     */
    addcdiv(a: Tensor, b: Tensor, options?: { readonly value?: number }): Tensor<FloatOf<D>>;
  }
}

/** A number beside a tensor, in the dtype of both. */
function besides(name: string, { dtype }: Tensor, value: Tensor | Scalar): Tensor | Scalar {
  if (!(value instanceof Tensor)) checkedValue(`${name} gives`, promotedWith(dtype, value), value);
  return value;
}

const otherwise = "x.nonzero() says where a tensor is true.";

const chosen: FunctionOf<"where"> = define(
  "where",
  { required: { condition: tensor, other: operand } },
  (x, { condition, other }) => apply("where", [condition, x, besides("where", x, other)], {}),
);

/**
 * The elements of `x` where `condition` is true, else those of `other`; either may be a number. All broadcast. Throws
 * TensorError for a number that the dtype of the tensor beside it does not hold.
 * @example
 * const x = tensor([-1, 2]);
 * where(x.gt(0), x, 0); // → tensor([0, 2], shape [2], float32, cpu)
 */
export const where: <A extends Tensor | Scalar, B extends Tensor | Scalar>(
  condition: Tensor<"bool">,
  x: A,
  other: B,
) => A extends Tensor<infer D> ? Tensor<CommonOf<D, B>> : B extends Tensor<infer D> ? Tensor<CommonOf<D, A>> : Tensor =
  define("where", { required: { x: operand, other: operand }, otherwise }, (condition, { x, other }) => {
    const like = x instanceof Tensor ? x : other;
    if (!(like instanceof Tensor))
      throw new TensorError(
        "OPERANDS",
        'where of two numbers has no dtype: make a tensor of one, such as tensor(1, { dtype: "int32" }).',
      );
    return apply("where", [condition, besides("where", like, x), besides("where", like, other)], {});
  });

/** Each element within bounds, of which one beyond all integers of the dtype bounds nothing. */
export function clamped(
  name: string,
  x: Tensor,
  min: Scalar | Tensor | undefined,
  max: Scalar | Tensor | undefined,
): Tensor {
  const { kind, range } = factsOf(x.dtype);
  const isNone = (each: Scalar | Tensor, isBeyond: (each: number | bigint) => boolean) =>
    !(each instanceof Tensor) && kind === "int" && range !== null && !admits(x.dtype, each) && isBeyond(each as number);
  const floored =
    min === undefined || isNone(min, (each) => each < range![0]) ? x : x.maximum(besides(name, x, min) as number);
  if (max !== undefined && !isNone(max, (each) => each > range![1]))
    return floored.minimum(besides(name, floored, max) as number) as Tensor;
  return (floored === x ? x.clone() : floored) as Tensor;
}

const bound = either(scalar, tensor);

/** {@link Tensor.clamp} as a function. */
export const clamp: FunctionOf<"clamp"> = define(
  "clamp",
  {
    options: { min: bound, max: bound },
    bare: ["min", "max"],
    aliases: { lo: "min", hi: "max", low: "min", high: "max" },
  },
  (x, { min, max }) => {
    if (min === undefined && max === undefined)
      throw new TensorError("OPTIONS", "clamp takes a min, a max or both, such as { min: 0 }.");
    // A comparison with NaN bounds nothing, as maximum and minimum do.
    const isNumber = (each: unknown) => each === undefined || (typeof each === "number" && !Number.isNaN(each));
    if (factsOf(x.dtype).kind === "float" && isNumber(min) && isNumber(max))
      return apply("clamp", [x], { min: (min as number) ?? -Infinity, max: (max as number) ?? Infinity });
    return clamped("clamp", x, min, max);
  },
);

/** {@link Tensor.lerp} as a function. */
export const lerp: FunctionOf<"lerp"> = define(
  "lerp",
  { required: { end: tensor, weight: either(number, tensor) } },
  (x, { end, weight }) => apply("lerp", [x, end, weight], {}),
);

const combined = { required: { a: tensor, b: tensor }, options: { value: number } };

/** {@link Tensor.addcmul} as a function. */
export const addcmul: FunctionOf<"addcmul"> = define("addcmul", combined, (x, { a, b, value = 1 }) =>
  x.add(value === 1 ? a.mul(b) : a.mul(b).mul(value)),
);
/** {@link Tensor.addcdiv} as a function. */
export const addcdiv: FunctionOf<"addcdiv"> = define("addcdiv", combined, (x, { a, b, value = 1 }) =>
  x.add(value === 1 ? a.div(b) : a.div(b).mul(value)),
);

install(Tensor.prototype, { where: chosen, clamp, lerp, addcmul, addcdiv });
