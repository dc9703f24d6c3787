// Functions of one tensor, element by element. A new one is a functor in device/include/warpcell/functors.cuh and a row
// here.
import type { DeviceArray } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { copy } from "../shape/copy.ts";
import { unary, withNumbers, type Unary } from "./elementwise.ts";
import type { Operand } from "../core/operation.ts";
import { add, div, mul, of, sub } from "../core/terms.ts";
import { call } from "../core/calls.ts";

/** log(2), log(10), 2/√π, 1/√2π. */
const constants = {
  ln2: Math.LN2,
  ln10: Math.LN10,
  erf: 2 / Math.sqrt(Math.PI),
  normal: 1 / Math.sqrt(2 * Math.PI),
} as const;

/** To whole numbers: integers are themselves. */
function rounding(name: string, functor: string): Unary<"number", "same"> {
  const floats = unary(name, functor, "float", { gradient: (g): DeviceArray => mul(g, 0) });
  const isWhole = (x: DeviceArray) => factsOf(x.dtype).kind === "int";
  return {
    ...floats,
    domain: "number",
    infer: (inputs, attributes) => {
      const { shape, dtype } = inputs[0];
      return isWhole(inputs[0]) ? [{ shape, dtype }] : floats.infer(inputs, attributes);
    },
    run: (outputs, inputs, attributes, on) =>
      isWhole(inputs[0]) ? copy(on, outputs[0]!, inputs[0]) : floats.run(outputs, inputs, attributes, on),
    element: (inputs, attributes) => {
      const { dtype } = inputs[0];
      return isWhole(inputs[0])
        ? { functor: "Same", operands: [[inputs[0]!, dtype]], dtype }
        : floats.element!(inputs, attributes);
    },
  };
}

export const functionRows = {
  /** −x. Integers wrap around. */
  neg: unary("neg", "Neg", "number", { gradient: (g): DeviceArray => of("neg", g) }),
  /** |x|. */
  abs: unary("abs", "Abs", "number", { gradient: (g, x): DeviceArray => mul(g, of("sign", x)) }),
  /** x itself, as a copy. */
  positive: unary("positive", "Same", "number", { gradient: (g): DeviceArray => g }),
  /** −1, 0 or 1; NaN for NaN. */
  sign: unary("sign", "Sign", "number", { gradient: (g): DeviceArray => mul(g, 0) }),
  /** Whether the sign is −, including that of −0 and NaN. */
  signbit: unary("signbit", "Signbit", "number", { result: "bool" }),
  /** x². */
  square: unary("square", "Square", "number", { gradient: (g, x): DeviceArray => mul(g, mul(x, 2)) }),
  /** 1/x. */
  reciprocal: unary("reciprocal", "Reciprocal", "float", {
    gradient: (g, _, y): DeviceArray => of("neg", mul(g, of("square", y))),
  }),
  /** e^x. */
  exp: unary("exp", "Exp", "float", { flops: 10, gradient: (g, _, y): DeviceArray => mul(g, y) }),
  /** 2^x. */
  exp2: unary("exp2", "Exp2", "float", {
    flops: 10,
    gradient: (g, _, y): DeviceArray => mul(g, mul(y, constants.ln2)),
  }),
  /** e^x − 1, accurate near 0. */
  expm1: unary("expm1", "Expm1", "float", { flops: 10, gradient: (g, _, y): DeviceArray => mul(g, add(y, 1)) }),
  /** Natural logarithm. */
  log: unary("log", "Log", "float", { flops: 10, gradient: (g, x): DeviceArray => div(g, x) }),
  /** Logarithm to base 2. */
  log2: unary("log2", "Log2", "float", { flops: 10, gradient: (g, x): DeviceArray => div(g, mul(x, constants.ln2)) }),
  /** Logarithm to base 10. */
  log10: unary("log10", "Log10", "float", {
    flops: 10,
    gradient: (g, x): DeviceArray => div(g, mul(x, constants.ln10)),
  }),
  /** log(1 + x), accurate near 0. */
  log1p: unary("log1p", "Log1p", "float", { flops: 10, gradient: (g, x): DeviceArray => div(g, add(x, 1)) }),
  /** √x. */
  sqrt: unary("sqrt", "Sqrt", "float", { gradient: (g, _, y): DeviceArray => div(g, mul(y, 2)) }),
  /** 1/√x. */
  rsqrt: unary("rsqrt", "Rsqrt", "float", {
    flops: 2,
    gradient: (g, _, y): DeviceArray => mul(g, mul(mul(of("square", y), y), -0.5)),
  }),
  /** Cube root. */
  cbrt: unary("cbrt", "Cbrt", "float", {
    flops: 10,
    gradient: (g, _, y): DeviceArray => div(g, mul(of("square", y), 3)),
  }),
  /** Sine, of radians. */
  sin: unary("sin", "Sin", "float", { flops: 15, gradient: (g, x): DeviceArray => mul(g, of("cos", x)) }),
  /** Cosine, of radians. */
  cos: unary("cos", "Cos", "float", { flops: 15, gradient: (g, x): DeviceArray => of("neg", mul(g, of("sin", x))) }),
  /** Tangent, of radians. */
  tan: unary("tan", "Tan", "float", { flops: 20, gradient: (g, _, y): DeviceArray => mul(g, add(of("square", y), 1)) }),
  /** sin(πx)/(πx), and 1 at 0. */
  sinc: unary("sinc", "Sinc", "float", {
    flops: 20,
    gradient: (g, x, y): DeviceArray => {
      const isZero = call("eq", [x, 0]);
      const slope = div(sub(of("cos", mul(x, Math.PI)), y), call("where", [isZero, 1, x]));
      return mul(g, call("where", [isZero, 0, slope]));
    },
  }),
  /** Arc sine, in radians. */
  asin: unary("asin", "Asin", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, of("rsqrt", sub(1, of("square", x)))),
  }),
  /** Arc cosine, in radians. */
  acos: unary("acos", "Acos", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => of("neg", mul(g, of("rsqrt", sub(1, of("square", x))))),
  }),
  /** Arc tangent, in radians. */
  atan: unary("atan", "Atan", "float", { flops: 15, gradient: (g, x): DeviceArray => div(g, add(of("square", x), 1)) }),
  /** Hyperbolic sine. */
  sinh: unary("sinh", "Sinh", "float", { flops: 15, gradient: (g, x): DeviceArray => mul(g, of("cosh", x)) }),
  /** Hyperbolic cosine. */
  cosh: unary("cosh", "Cosh", "float", { flops: 15, gradient: (g, x): DeviceArray => mul(g, of("sinh", x)) }),
  /** Hyperbolic tangent. */
  tanh: unary("tanh", "Tanh", "float", { flops: 15, gradient: (g, _, y): DeviceArray => call("tanhGradient", [g, y]) }),
  /** Inverse hyperbolic sine. */
  asinh: unary("asinh", "Asinh", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, of("rsqrt", add(of("square", x), 1))),
  }),
  /** Inverse hyperbolic cosine; NaN below 1. */
  acosh: unary("acosh", "Acosh", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, of("rsqrt", sub(of("square", x), 1))),
  }),
  /** Inverse hyperbolic tangent; NaN beyond ±1. */
  atanh: unary("atanh", "Atanh", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => div(g, sub(1, of("square", x))),
  }),
  /** The error function. */
  erf: unary("erf", "Erf", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, mul(of("exp", of("neg", of("square", x))), constants.erf)),
  }),
  /** 1 − erf(x), accurate for large x. */
  erfc: unary("erfc", "Erfc", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, mul(of("exp", of("neg", of("square", x))), -constants.erf)),
  }),
  /** e^(x²) · erfc(x), where neither overflows nor is 0. */
  erfcx: unary("erfcx", "Erfcx", "float", {
    flops: 40,
    gradient: (g, x, y): DeviceArray => mul(g, sub(mul(mul(x, y), 2), constants.erf)),
  }),
  /** Φ(x), the share of the normal distribution below x. */
  ndtr: unary("ndtr", "Ndtr", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, mul(of("exp", mul(of("square", x), -0.5)), constants.normal)),
  }),
  /** log Φ(x), also where Φ(x) is 0. */
  logNdtr: unary("logNdtr", "LogNdtr", "float", {
    flops: 60,
    // The density beside Φ, without what cancels between their logarithms.
    gradient: (g, x): DeviceArray => div(mul(g, 2 * constants.normal), of("erfcx", mul(x, -Math.SQRT1_2))),
  }),
  /** The inverse of {@link erf}. */
  erfinv: unary("erfinv", "Erfinv", "float", {
    flops: 20,
    gradient: (g, _, y): DeviceArray => mul(g, mul(of("exp", of("square", y)), 1 / constants.erf)),
  }),
  /** log |Γ(x)|. */
  lgamma: unary("lgamma", "Lgamma", "float", { flops: 30, gradient: (g, x): DeviceArray => mul(g, of("digamma", x)) }),
  /** ψ(x) = Γ′(x)/Γ(x), the slope of {@link lgamma}; NaN at its poles, 0, −1, −2, …. */
  digamma: unary("digamma", "Digamma", "float", {
    flops: 80,
    gradient: (g, x): DeviceArray => mul(g, call("polygamma", [x], { n: 1 })),
  }),
  /** I₀(x), the modified Bessel function. */
  i0: unary("i0", "I0", "float", { flops: 60, gradient: (g, x): DeviceArray => mul(g, of("i1", x)) }),
  /** e^−|x| I₀(x). */
  i0e: unary("i0e", "I0e", "float", {
    flops: 60,
    gradient: (g, x, y): DeviceArray => mul(g, sub(of("i1e", x), mul(of("sign", x), y))),
  }),
  /** I₁(x), the modified Bessel function. */
  i1: unary("i1", "I1", "float", {
    flops: 60,
    gradient: (g, x, y): DeviceArray => mul(g, sub(of("i0", x), shareOf(y, x))),
  }),
  /** e^−|x| I₁(x). */
  i1e: unary("i1e", "I1e", "float", {
    flops: 60,
    gradient: (g, x, y): DeviceArray => mul(g, sub(sub(of("i0e", x), shareOf(y, x)), mul(of("sign", x), y))),
  }),
  /** The largest integer that is not above x. */
  floor: rounding("floor", "Floor"),
  /** The smallest integer that is not below x. */
  ceil: rounding("ceil", "Ceil"),
  /** To the nearest integer, ties to even. */
  round: rounding("round", "Round"),
  /** Towards zero. */
  trunc: rounding("trunc", "Trunc"),
  /** x − trunc(x). */
  frac: unary("frac", "Frac", "float", { gradient: (g): DeviceArray => g }),
  /** True where x is NaN. */
  isnan: unary("isnan", "Isnan", "float", { result: "bool" }),
  /** True where x is ∞ or −∞. */
  isinf: unary("isinf", "Isinf", "float", { result: "bool" }),
  /** True where x is neither infinite nor NaN. */
  isfinite: unary("isfinite", "Isfinite", "float", { result: "bool" }),
  /** True where x is 0. */
  logicalNot: unary("logicalNot", "LogicalNot", "logical", { result: "bool" }),
  /** ~x; of bools the opposite. */
  bitwiseNot: unary("bitwiseNot", "BitwiseNot", "integer", { ofBools: "LogicalNot" }),
} as const;

/** The n-th slope of digamma. */
export const polygammaRow = withNumbers<{ n: number }>(
  "polygamma",
  "Polygamma",
  "float",
  ({ n }) => [n, 0],
  (g, x, { n }): DeviceArray => mul(g, call("polygamma", [x], { n: n + 1 })),
  80,
);

/** What frexp makes of x = mantissa · 2^exponent; the exponent is a whole number in the dtype of x. */
export const frexpRows = {
  frexpMantissa: unary("frexp", "FrexpMantissa", "float", {
    flops: 4,
    gradient: (g, x): DeviceArray => call("ldexp", [g, of("neg", call("frexpExponent", [x], {}))]),
  }),
  frexpExponent: unary("frexp", "FrexpExponent", "float", { flops: 4 }),
} as const;

/** I₁(x)/x, which is ½ at 0. */
function shareOf(y: DeviceArray, x: DeviceArray): DeviceArray {
  const isZero = call("eq", [x, 0]);
  return call("where", [isZero, 0.5, div(y, call("where", [isZero, 1, x]))]);
}
