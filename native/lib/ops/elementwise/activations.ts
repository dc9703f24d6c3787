// Activation functions, the gradients that one kernel computes, and functions with numbers as parameters.
import type { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { elementwiseIn, type BinaryGradients } from "./elementwise.ts";
import type { Computation } from "../core/operation.ts";
import { add, asFloat, div, mul, of, sub } from "../core/terms.ts";

const { unary, binary, withNumbers } = elementwiseIn("activations");

export const activationRows = {
  /**
   * The rectified linear unit: max(x, 0).
   * @example
   * tensor([-1, 2]).relu(); // → tensor([0, 2], shape [2], float32, cpu)
   */
  relu: unary("relu", "Relu", "number", { gradient: (g, _, y): DeviceArray => call("reluGradient", [g, y]) }),
  /**
   * The rectified linear unit, at most 6: min(max(x, 0), 6).
   * @example
   * tensor([-1, 2, 9]).relu6(); // → tensor([0, 2, 6], shape [3], float32, cpu)
   */
  relu6: unary("relu6", "Relu6", "number", { gradient: (g, x): DeviceArray => mul(g, within(x, 0, 6)) }),
  /**
   * The logistic function: 1/(1 + e^−x).
   * @example
   * tensor([0, 2]).sigmoid(); // → tensor([0.500000, 0.880797], shape [2], float32, cpu)
   */
  sigmoid: unary("sigmoid", "Sigmoid", "float", {
    flops: 13,
    gradient: (g, _, y): DeviceArray => call("sigmoidGradient", [g, y]),
  }),
  /**
   * The logarithm of the logistic function, without overflow: log(1/(1 + e^−x)).
   * @example
   * tensor([0, -100]).logSigmoid(); // → tensor([-0.693147, -100.000000], shape [2], float32, cpu)
   */
  logSigmoid: unary("logSigmoid", "LogSigmoid", "float", {
    flops: 24,
    gradient: (g, x): DeviceArray => mul(g, of("sigmoid", of("neg", x))),
  }),
  /**
   * The sigmoid linear unit (swish): x/(1 + e^−x).
   * @example
   * tensor([-1, 0, 1]).silu(); // → tensor([-0.268941, 0.000000, 0.731059], shape [3], float32, cpu)
   */
  silu: unary("silu", "Silu", "float", { flops: 14, gradient: (g, x): DeviceArray => call("siluGradient", [g, x]) }),
  /**
   * x/(1 + |x|), between −1 and 1.
   * @example
   * tensor([-1, 3]).softsign(); // → tensor([-0.50, 0.75], shape [2], float32, cpu)
   */
  softsign: unary("softsign", "Softsign", "float", {
    flops: 3,
    gradient: (g, x): DeviceArray => div(g, of("square", add(of("abs", x), 1))),
  }),
  /**
   * 0 below −3, 1 above 3, x/6 + ½ between.
   * @example
   * tensor([-4, 0, 1.5]).hardsigmoid(); // → tensor([0.00, 0.50, 0.75], shape [3], float32, cpu)
   */
  hardsigmoid: unary("hardsigmoid", "Hardsigmoid", "float", {
    flops: 4,
    gradient: (g, x): DeviceArray =>
      mul(g, mul(call("convert", [call("lt", [of("abs", x), 3])], { dtype: x.dtype }), 1 / 6)),
  }),
  /**
   * x · hardsigmoid(x).
   * @example
   * tensor([-4, 1, 3]).hardswish(); // → tensor([0.000000, 0.666667, 3.000000], shape [3], float32, cpu)
   */
  hardswish: unary("hardswish", "Hardswish", "float", {
    flops: 5,
    gradient: (g, x): DeviceArray =>
      mul(g, call("where", [call("lt", [of("abs", x), 3]), add(mul(x, 1 / 3), 0.5), asFloat(call("ge", [x, 3]), x)])),
  }),
  /**
   * A smooth {@link Tensor.relu}: log(1 + e^x), without overflow.
   * @example
   * tensor([0, 100]).softplus(); // → tensor([0.693147, 100.000000], shape [2], float32, cpu)
   */
  softplus: unary("softplus", "Softplus", "float", {
    flops: 24,
    gradient: (g, x): DeviceArray => mul(g, of("sigmoid", x)),
  }),
  /**
   * x · tanh(softplus(x)).
   * @example
   * tensor([-1, 0, 1]).mish(); // → tensor([-0.303401, 0.000000, 0.865098], shape [3], float32, cpu)
   */
  mish: unary("mish", "Mish", "float", { flops: 40, gradient: (g, x): DeviceArray => mishGradient(g, x) }),
  /**
   * x − tanh(x).
   * @example
   * tensor([0, 2]).tanhshrink(); // → tensor([0.00000, 1.03597], shape [2], float32, cpu)
   */
  tanhshrink: unary("tanhshrink", "Tanhshrink", "float", {
    flops: 16,
    gradient: (g, x): DeviceArray => mul(g, of("square", of("tanh", x))),
  }),
  /**
   * The scaled exponential unit: 1.0507… · x where x > 0, else 1.0507… · 1.6733… · (e^x − 1).
   * @example
   * tensor([-1, 1]).selu(); // → tensor([-1.11133, 1.05070], shape [2], float32, cpu)
   */
  selu: unary("selu", "Selu", "float", {
    flops: 12,
    gradient: (g, x, y): DeviceArray =>
      mul(g, call("where", [call("gt", [x, 0]), selu.scale, add(y, selu.scale * selu.alpha)])),
  }),
} as const;

/** Klambauer and others, arXiv 1706.02515: the numbers that keep mean 0 and variance 1. */
const selu = { scale: 1.0507009873554805, alpha: 1.6732632423543772 } as const;

/** 1 strictly between `low` and `high`, else 0; NaN lets a gradient pass, as in PyTorch. */
function within(x: DeviceArray, low: number, high: number): DeviceArray {
  return asFloat(of("logicalNot", call("logicalOr", [call("le", [x, low]), call("ge", [x, high])])), x);
}

// y = x·t, t = tanh(softplus(x)): y' = t + x·(1 − t²)·sigmoid(x).
function mishGradient(g: DeviceArray, x: DeviceArray): DeviceArray {
  const t = of("tanh", of("softplus", x));
  return mul(g, add(t, mul(x, mul(sub(1, of("square", t)), of("sigmoid", x)))));
}

/** Activations of two tensors. */
export const gatedRows = {
  /** x where it is > 0, else slope · x, of two tensors that broadcast. */
  prelu: binary("prelu", "Prelu", "float", {
    swapped: "",
    gradient: (g, { a, b }): BinaryGradients => [
      () => call("where", [call("gt", [a, 0]), g, mul(g, b)]),
      () => mul(g, typeof a === "object" ? call("minimum", [a, 0]) : Math.min(Number(a), 0)),
    ],
  }),
  /** a · sigmoid(b). */
  gated: binary("gated", "Gated", "float", {
    swapped: "",
    flops: 14,
    gradient: (g, { a, b }): BinaryGradients => [
      () => call("gated", [g, b]),
      (b) => call("sigmoidGradient", [mul(g, a), of("sigmoid", b)]),
    ],
  }),
} as const;

/**
 * Gradients that one kernel computes; each is differentiable in its first operand, and in the second by what it is made
 * of.
 */
export const gradientRows = {
  reluGradient: binary("reluGradient", "ReluGradient", "number", {
    gradient: (g, { b }): BinaryGradients => [() => call("reluGradient", [g, b]), () => mul(g, 0)],
  }),
  tanhGradient: binary("tanhGradient", "TanhGradient", "float", {
    flops: 3,
    gradient: (g, { a, b }): BinaryGradients => [() => call("tanhGradient", [g, b]), () => mul(mul(g, a), mul(b, -2))],
  }),
  sigmoidGradient: binary("sigmoidGradient", "SigmoidGradient", "float", {
    flops: 3,
    gradient: (g, { a, b }): BinaryGradients => [
      () => call("sigmoidGradient", [g, b]),
      () => mul(mul(g, a), sub(1, mul(b, 2))),
    ],
  }),
  siluGradient: binary("siluGradient", "SiluGradient", "float", {
    flops: 18,
    gradient: (g, { a, b }): BinaryGradients => [
      () => call("siluGradient", [g, b]),
      (b) => mul(mul(g, a), siluCurvature(b)),
    ],
  }),
  geluGradient: binary("geluGradient", "GeluGradient", "float", {
    flops: 30,
    gradient: (g, { a, b }): BinaryGradients => [
      () => call("geluGradient", [g, b]),
      (b) => mul(mul(g, a), geluCurvature(b)),
    ],
  }),
  geluTanhGradient: binary("geluTanhGradient", "GeluTanhGradient", "float", {
    flops: 30,
    gradient: (g, { a, b }): BinaryGradients => [
      () => call("geluTanhGradient", [g, b]),
      (b) => mul(mul(g, a), geluTanhCurvature(b)),
    ],
  }),
} as const;

// s(1 − s)(2 + x(1 − 2s))
function siluCurvature(x: DeviceArray): DeviceArray {
  const s = of("sigmoid", x);
  return mul(mul(s, sub(1, s)), add(mul(x, sub(1, mul(s, 2))), 2));
}

// φ(x)(2 − x²)
function geluCurvature(x: DeviceArray): DeviceArray {
  const square = of("square", x);
  return mul(mul(of("exp", mul(square, -0.5)), 1 / Math.sqrt(2 * Math.PI)), sub(2, square));
}

// With z = c(x + 0.044715x³), t = tanh(z), k = c(1 + 0.134145x²), k' = 0.26829cx: (1 − t²)(k − x·t·k² + ½x·k'). Where t
// is nearly 1 little is left of 1 − t²; 4σ(2z)σ(−2z) is the same without a difference.
function geluTanhCurvature(x: DeviceArray): DeviceArray {
  const c = Math.sqrt(2 / Math.PI);
  const square = of("square", x);
  const z = mul(mul(x, c), add(mul(square, 0.044715), 1));
  const k = add(mul(square, 0.134145 * c), c);
  const steep = mul(mul(of("sigmoid", mul(z, 2)), of("sigmoid", mul(z, -2))), 4);
  return mul(steep, add(sub(k, mul(mul(x, of("tanh", z)), of("square", k))), mul(square, 0.134145 * c)));
}

/** g where |x| is above lambda. */
const shrunk = (g: DeviceArray, x: DeviceArray, { lambda }: { lambda: number }): DeviceArray =>
  mul(g, asFloat(of("logicalNot", call("le", [of("abs", x), lambda])), g));

export interface ClampAttributes {
  readonly min: number;
  readonly max: number;
}

export const parameterRows = {
  clamp: withNumbers<ClampAttributes>(
    "clamp",
    "Clamp",
    "float",
    ({ min, max }) => [min, max],
    (g, x, { min, max }): DeviceArray =>
      mul(g, asFloat(call("logicalAnd", [call("ge", [x, min]), call("le", [x, max])]), g)),
  ),
  /** {@link clamp}, whose gradient is 0 at the ends too. */
  hardtanh: withNumbers<ClampAttributes>(
    "hardtanh",
    "Clamp",
    "float",
    ({ min, max }) => [min, max],
    (g, x, { min, max }): DeviceArray => mul(g, within(x, min, max)),
  ),
  /** x where it is above the threshold, else the value. */
  threshold: withNumbers<{ threshold: number; value: number }>(
    "threshold",
    "Threshold",
    "float",
    ({ threshold, value }) => [threshold, value],
    (g, x, { threshold }): DeviceArray => mul(g, asFloat(of("logicalNot", call("le", [x, threshold])), g)),
  ),
  /** x − lambda above lambda, x + lambda below −lambda, else 0. */
  softshrink: withNumbers<{ lambda: number }>("softshrink", "Softshrink", "float", ({ lambda }) => [lambda, 0], shrunk),
  /** x where |x| is above lambda, else 0. */
  hardshrink: withNumbers<{ lambda: number }>("hardshrink", "Hardshrink", "float", ({ lambda }) => [lambda, 0], shrunk),
  /** x where it is > 0, else alpha · (e^(x/alpha) − 1). */
  celu: withNumbers<{ alpha: number }>(
    "celu",
    "Celu",
    "float",
    ({ alpha }) => [alpha, 1 / alpha],
    (g, x, { alpha }): DeviceArray =>
      mul(g, call("where", [call("gt", [x, 0]), call("fullLike", [x], { value: 1 }), of("exp", div(x, alpha))])),
  ),
  leakyRelu: withNumbers<{ slope: number }>(
    "leakyRelu",
    "LeakyRelu",
    "float",
    ({ slope }) => [slope, 0],
    (g, x, { slope }): DeviceArray => mul(g, add(mul(asFloat(call("ge", [x, 0]), g), 1 - slope), slope)),
  ),
  elu: withNumbers<{ alpha: number }>(
    "elu",
    "Elu",
    "float",
    ({ alpha }) => [alpha, 0],
    (g, x, { alpha }): DeviceArray =>
      mul(g, call("where", [call("gt", [x, 0]), call("fullLike", [x], { value: 1 }), mul(of("exp", x), alpha)])),
  ),
};

export interface GeluAttributes {
  readonly approximate: "none" | "tanh";
}
const gelus = {
  none: unary("gelu", "Gelu", "float", { flops: 20 }),
  /**
   * The hyperbolic tangent: (e^x − e^−x)/(e^x + e^−x).
   * @example
   * tensor([0, 1]).tanh(); // → tensor([0.000000, 0.761594], shape [2], float32, cpu)
   */
  tanh: unary("gelu", "GeluTanh", "float", { flops: 20 }),
} as const;

export const geluRow: Computation<[x: DeviceArray], GeluAttributes> = {
  inPlace: gelus.none.inPlace,
  infer: (inputs) => gelus.none.infer(inputs, {}),
  run: (outputs, inputs, { approximate }, on) => gelus[approximate].run(outputs, inputs, {}, on),
  element: (inputs, { approximate }) => gelus[approximate].element!(inputs, {}),
  gradient: ([g], { inputs: [x], attributes }) => [
    call(attributes.approximate === "tanh" ? "geluTanhGradient" : "geluGradient", [g!, x]),
  ],
  cost: (inputs, outputs) => gelus.none.cost(inputs, outputs, {}),
};
