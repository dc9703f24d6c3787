// Activations that take parameters or a second tensor, as methods and functions.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { apply } from "../ops/apply.ts";
import { worded } from "../wording.ts";
import { Tensor } from "./tensor.ts";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /** Half of the tensor along an axis, the last when left out, times the sigmoid of the other half. */
    glu(options?: { readonly axis?: number }): Tensor;
    /** x where it is > 0, else x times the weight: one element, or one for each index along axis 1. */
    prelu(weight: Tensor): Tensor;
    /** x where it is > 0, else alpha · (e^(x/alpha) − 1). */
    celu(alpha?: number): Tensor;
    /** Each element, at least `min` and at most `max`, −1 and 1 when left out; the gradient is 0 there too. */
    hardtanh(options?: { readonly min?: number; readonly max?: number }): Tensor;
    /** x where it is above the threshold, else the value. */
    threshold(threshold: number, value: number): Tensor;
    /** x − lambda above lambda, x + lambda below −lambda, else 0. */
    softshrink(lambda?: number): Tensor;
    /** x where |x| is above lambda, else 0. */
    hardshrink(lambda?: number): Tensor;
  }
}

function checkedNumber(
  name: string,
  what: string,
  value: unknown,
  isRight: (value: number) => boolean = () => true,
  rule = "a number",
): number {
  if (typeof value === "number" && !Number.isNaN(value) && isRight(value)) return value;
  throw new TensorError("VALUE", `${name} takes ${rule} as ${what} but got ${worded(value)}.`);
}

/** Half of `x` along an axis, the last when left out, times the sigmoid of the other half. Throws TensorError for a size that is odd. */
export function glu(x: Tensor, { axis = -1 }: { readonly axis?: number } = {}): Tensor {
  const at = checkedAxis(axis, x.shape.length);
  const size = x.shape[at]!;
  if (size % 2 !== 0)
    throw new TensorError(
      "SHAPE",
      `glu halves an axis, but axis ${at} of shape ${formatShape(x.shape)} has ${size} elements.`,
    );
  const half = (from: number) =>
    x.slice(
      ...x.shape.map((length, each) => (each === at ? [from, from + size / 2] : [0, length]) as [number, number]),
    );
  return apply("gated", [half(0), half(size / 2)], {}) as Tensor;
}

/** x where it is > 0, else x times the weight: one element, or one for each index along axis 1. Throws TensorError. */
export function prelu(x: Tensor, weight: Tensor): Tensor {
  const channels = x.shape[1] ?? 1;
  if (weight.shape.length > 1 || (weight.size !== 1 && weight.size !== channels)) {
    throw new TensorError(
      "SHAPE",
      `prelu of a tensor of shape ${formatShape(x.shape)} takes a weight of one element or of ${channels} but got shape ${formatShape(weight.shape)}.`,
    );
  }
  const shape = weight.size === 1 ? [] : [weight.size, ...x.shape.slice(2).map(() => 1)];
  return apply("prelu", [x, weight.reshape(shape)], {}) as Tensor;
}

/** x where it is > 0, else alpha · (e^(x/alpha) − 1). Throws TensorError for an alpha of 0. */
export function celu(x: Tensor, alpha = 1): Tensor {
  return apply("celu", [x], {
    alpha: checkedNumber("celu", "alpha", alpha, (value) => value !== 0, "a number other than 0"),
  }) as Tensor;
}

/** Each element, at least `min` and at most `max`, −1 and 1 when left out; the gradient is 0 there too. Throws TensorError. */
export function hardtanh(
  x: Tensor,
  { min = -1, max = 1 }: { readonly min?: number; readonly max?: number } = {},
): Tensor {
  checkedNumber("hardtanh", "min", min);
  return apply("hardtanh", [x], {
    min,
    max: checkedNumber("hardtanh", "max", max, (value) => value > min, `a number above ${min}`),
  }) as Tensor;
}

/** x where it is above the threshold, else the value. Throws TensorError. */
export function threshold(x: Tensor, threshold: number, value: number): Tensor {
  return apply("threshold", [x], {
    threshold: checkedNumber("threshold", "threshold", threshold),
    value: checkedNumber("threshold", "value", value),
  }) as Tensor;
}

const checkedLambda = (name: string, lambda: number) =>
  checkedNumber(name, "lambda", lambda, (value) => value >= 0, "a number of at least 0");

/** x − lambda above lambda, x + lambda below −lambda, else 0. Throws TensorError for a negative lambda. */
export function softshrink(x: Tensor, lambda = 0.5): Tensor {
  return apply("softshrink", [x], { lambda: checkedLambda("softshrink", lambda) }) as Tensor;
}
/** x where |x| is above lambda, else 0. Throws TensorError for a negative lambda. */
export function hardshrink(x: Tensor, lambda = 0.5): Tensor {
  return apply("hardshrink", [x], { lambda: checkedLambda("hardshrink", lambda) }) as Tensor;
}

const methods = { glu, prelu, celu, hardtanh, threshold, softshrink, hardshrink };
for (const [name, method] of Object.entries(methods) as [string, (x: Tensor, ...args: never[]) => Tensor][]) {
  Object.defineProperty(Tensor.prototype, name, {
    value(this: Tensor, ...args: never[]) {
      return method(this, ...args);
    },
    writable: true,
    configurable: true,
  });
}
