// Activations that take parameters or a second tensor, as methods and functions.
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { checkedValue } from "../memory/value.ts";
import { apply } from "../ops/core/apply.ts";
import { worded } from "../wording.ts";
import { axis, define, install, number, oneOf, tensor, type FunctionOf, type Kind } from "./arguments.ts";
import { clamped } from "./mixing.ts";
import { Tensor } from "./tensor.ts";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The Gaussian error linear unit: ½x(1 + erf(x/√2)), or with `approximate: "tanh"` ½x(1 + tanh(√(2/π)(x +
     * 0.044715x³))).
     * @example
     * tensor([-1, 0, 1]).gelu(); // → tensor([-0.158655, 0.000000, 0.841345], shape [3], float32, cpu)
     */
    gelu(approximate?: "none" | "tanh" | { readonly approximate?: "none" | "tanh" }): Tensor<FloatOf<D>>;
    /**
     * A {@link Tensor.relu} that lets a little of each negative number through: x where it is ≥ 0, else slope · x;
     * slope is 0.01 when left out. Integers give float32.
     * @example
     * tensor([-1, 2]).leakyRelu(0.1); // → tensor([-0.1, 2.0], shape [2], float32, cpu)
     */
    leakyRelu(slope?: number | { readonly slope?: number }): Tensor<FloatOf<D>>;
    /**
     * The exponential linear unit: x where it is > 0, else alpha · (e^x − 1); alpha is 1 when left out. Integers give
     * float32.
     * @example
     * tensor([-1, 2]).elu(); // → tensor([-0.632121, 2.000000], shape [2], float32, cpu)
     */
    elu(alpha?: number | { readonly alpha?: number }): Tensor<FloatOf<D>>;
    /**
     * The continuously differentiable exponential linear unit: x where it is > 0, else alpha · (e^(x/alpha) − 1); alpha
     * is 1 when left out, and never 0. Integers give float32.
     * @example
     * tensor([-1, 2]).celu(2); // → tensor([-0.786939, 2.000000], shape [2], float32, cpu)
     */
    celu(alpha?: number | { readonly alpha?: number }): Tensor<FloatOf<D>>;
    /**
     * Half of the tensor along an axis, the last when left out, times the sigmoid of the other half. Throws TensorError
     * for a size that is odd.
     * @example
     * tensor([1, 2, 0, 0]).glu(); // → tensor([0.5, 1.0], shape [2], float32, cpu)
     */
    glu(axis?: number | { readonly axis?: number; readonly dim?: number }): Tensor<FloatOf<D>>;
    /**
     * A {@link Tensor.relu} with a trained slope: x where it is > 0, else x times the weight, which has one element, or
     * one for each index along axis 1.
     * @example
     * tensor([-2, 3]).prelu(tensor([0.25])); // → tensor([-0.5, 3.0], shape [2], float32, cpu)
     */
    prelu(weight: Tensor): Tensor<FloatOf<D>>;
    /**
     * Numbers limited to two bounds: at least `min` and at most `max`, −1 and 1 when left out. Unlike for {@link
     * Tensor.clamp}, the gradient is 0 at the bounds, too. Integers stay integers, between whole bounds.
     * @example
     * tensor([-3, 0.5, 3]).hardtanh(); // → tensor([-1.0, 0.5, 1.0], shape [3], float32, cpu)
     */
    hardtanh(
      min?:
        | number
        | { readonly min?: number; readonly max?: number; readonly minVal?: number; readonly maxVal?: number },
      max?: number,
    ): Tensor<D>;
    /**
     * A smooth {@link Tensor.relu}: log(1 + e^x), without overflow. With `beta` it is log(1 + e^(beta · x)) / beta, and
     * with `threshold` x itself where beta · x is above that (PyTorch's is 20, from where float32 shows no difference).
     * Integers and bool give float32. Throws TensorError for a beta of 0.
     * @example
     * tensor([0, 100]).softplus(); // → tensor([0.693147, 100.000000], shape [2], float32, cpu)
     * tensor([0, 1]).softplus({ beta: 2 }); // → tensor([0.346574, 1.063460], shape [2], float32, cpu)
     */
    softplus(
      beta?: number | { readonly beta?: number; readonly threshold?: number },
      threshold?: number,
    ): Tensor<FloatOf<D>>;
    /**
     * Numbers above a threshold, others replaced: x where it is above the threshold, else the value. Integers stay
     * integers. Throws TensorError for a value that the dtype does not hold.
     * @example
     * tensor([0.5, 2]).threshold(1, -1); // → tensor([-1, 2], shape [2], float32, cpu)
     */
    threshold(threshold: number, value: number): Tensor<D>;
    /**
     * Numbers moved towards 0: x − lambda above lambda, x + lambda below −lambda, else 0; lambda ≥ 0 is 0.5 when left
     * out.
     * @example
     * tensor([-2, 0.3, 2]).softshrink(); // → tensor([-1.5, 0.0, 1.5], shape [3], float32, cpu)
     */
    softshrink(lambda?: number | { readonly lambda?: number }): Tensor<FloatOf<D>>;
    /**
     * Small numbers set to 0: x where |x| is above lambda, else 0; lambda ≥ 0 is 0.5 when left out.
     * @example
     * tensor([-2, 0.3, 2]).hardshrink(); // → tensor([-2, 0, 2], shape [3], float32, cpu)
     */
    hardshrink(lambda?: number | { readonly lambda?: number }): Tensor<FloatOf<D>>;
  }
}

const atLeastZero: Kind<number> = {
  wanted: "a number of at least 0",
  has: (value) => number.has(value) && (value as number) >= 0,
};
const nonzero: Kind<number> = { wanted: "a number other than 0", has: (value) => number.has(value) && value !== 0 };

/** {@link Tensor.gelu} as a function. */
export const gelu: FunctionOf<"gelu"> = define(
  "gelu",
  { options: { approximate: oneOf("none", "tanh") }, bare: ["approximate"] },
  (x, { approximate }) => apply("gelu", [x], { approximate: approximate ?? "none" }),
);

/** {@link Tensor.leakyRelu} as a function. */
export const leakyRelu: FunctionOf<"leakyRelu"> = define(
  "leakyRelu",
  { options: { slope: number }, bare: ["slope"], aliases: { negativeSlope: "slope" } },
  (x, { slope = 0.01 }) => apply("leakyRelu", [x], { slope }),
);

/** {@link Tensor.elu} as a function. */
export const elu: FunctionOf<"elu"> = define(
  "elu",
  { options: { alpha: number }, bare: ["alpha"] },
  (x, { alpha = 1 }) => apply("elu", [x], { alpha }),
);

/** {@link Tensor.celu} as a function. */
export const celu: FunctionOf<"celu"> = define(
  "celu",
  { options: { alpha: nonzero }, bare: ["alpha"] },
  (x, { alpha = 1 }) => apply("celu", [x], { alpha }),
);

/** {@link Tensor.glu} as a function. */
export const glu: FunctionOf<"glu"> = define("glu", { options: { axis }, bare: ["axis"] }, (x, { axis = -1 }) => {
  const at = checkedAxis(axis, x.shape.length);
  const size = x.shape[at]!;
  if (size % 2 !== 0)
    throw new TensorError(
      "SHAPE",
      `glu halves an axis, but axis ${at} of shape ${formatShape(x.shape)} has ${size} elements.`,
    );
  const [values, gates] = x.split(size / 2, { axis: at });
  return apply("gated", [values!, gates!], {});
});

/** {@link Tensor.prelu} as a function. */
export const prelu: FunctionOf<"prelu"> = define("prelu", { required: { weight: tensor } }, (x, { weight }) => {
  const channels = x.shape[1] ?? 1;
  if (weight.shape.length > 1 || (weight.size !== 1 && weight.size !== channels))
    throw new TensorError(
      "SHAPE",
      `prelu of a tensor of shape ${formatShape(x.shape)} takes a weight of one element or of ${channels} but got shape ${formatShape(weight.shape)}.`,
    );
  const shape = weight.size === 1 ? [] : [weight.size, ...x.shape.slice(2).map(() => 1)];
  return apply("prelu", [x, weight.reshape(shape)], {});
});

/** Whether the elements are whole numbers, which stay whole numbers. Throws TensorError for bool. */
function isOfIntegers(name: string, { dtype }: Tensor): boolean {
  const { kind } = factsOf(dtype);
  if (kind === "bool")
    throw new TensorError("DTYPE", `${name} takes numbers but got bool: convert it, e.g. with .to("int32").`);
  return kind === "int";
}

/** {@link Tensor.hardtanh} as a function. */
export const hardtanh: FunctionOf<"hardtanh"> = define(
  "hardtanh",
  { options: { min: number, max: number }, bare: ["min", "max"], aliases: { minVal: "min", maxVal: "max" } },
  (x, { min = -1, max = 1 }) => {
    if (max <= min)
      throw new TensorError("VALUE", `hardtanh takes a number above ${min} as max but got ${worded(max)}.`);
    if (!isOfIntegers("hardtanh", x)) return apply("hardtanh", [x], { min, max });
    const fraction = [min, max].find((each) => Number.isFinite(each) && !Number.isInteger(each));
    if (fraction !== undefined)
      throw new TensorError("VALUE", `hardtanh of ${x.dtype} takes whole numbers as bounds but got ${fraction}.`);
    return clamped("hardtanh", x, min, max);
  },
);

/** {@link Tensor.softplus} as a function. */
export const softplus: FunctionOf<"softplus"> = define(
  "softplus",
  { options: { beta: nonzero, threshold: number }, bare: ["beta", "threshold"] },
  (x, { beta = 1, threshold = Infinity }) => {
    const scaled = beta === 1 ? x : x.mul(beta);
    const smooth = apply("softplus", [scaled], {}) as Tensor;
    const result = beta === 1 ? smooth : smooth.div(beta);
    return threshold === Infinity ? result : result.where(scaled.le(threshold), x.to(result.dtype));
  },
);

/** {@link Tensor.threshold} as a function. */
export const threshold: FunctionOf<"threshold"> = define(
  "threshold",
  { required: { threshold: number, value: number } },
  (x, { threshold, value }) => {
    if (!isOfIntegers("threshold", x)) return apply("threshold", [x], { threshold, value });
    const { bytes, range } = factsOf(x.dtype);
    checkedValue("threshold gives", x.dtype, value);
    if (threshold < range![0]) return x.clone();
    // Of integers those are above a number that are above the whole one below it.
    const below = Math.floor(threshold);
    const isAbove = threshold >= range![1] ? x.ne(x) : x.gt(bytes === 8 ? BigInt(below) : below);
    return x.where(isAbove, value);
  },
);

const shrink = <F extends (x: never, ...args: never[]) => unknown>(name: "softshrink" | "hardshrink"): F =>
  define(
    name,
    { options: { lambda: atLeastZero }, bare: ["lambda"], aliases: { lambd: "lambda" } },
    (x, { lambda = 0.5 }) => apply(name, [x], { lambda }),
  );

/** {@link Tensor.softshrink} as a function. */
export const softshrink: FunctionOf<"softshrink"> = shrink("softshrink");
/** {@link Tensor.hardshrink} as a function. */
export const hardshrink: FunctionOf<"hardshrink"> = shrink("hardshrink");

install(Tensor.prototype, {
  gelu,
  leakyRelu,
  elu,
  celu,
  glu,
  prelu,
  hardtanh,
  softplus,
  threshold,
  softshrink,
  hardshrink,
});
