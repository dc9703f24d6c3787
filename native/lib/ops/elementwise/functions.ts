// Functions of one tensor, element by element.
import type { DeviceArray } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { copy } from "../shape/copy.ts";
import { elementwiseIn, type Unary } from "./elementwise.ts";
import type { Operand } from "../core/operation.ts";
import { add, div, mul, of, sub } from "../core/terms.ts";
import { call } from "../core/calls.ts";

const { unary, withNumbers } = elementwiseIn("functions");

/** log(2), log(10), 2/√π. */
const constants = { ln2: Math.LN2, ln10: Math.LN10, erf: 2 / Math.sqrt(Math.PI) } as const;

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
  /**
   * The negative: −x. Integers wrap around.
   * @example
   * tensor([1, -2]).neg(); // → tensor([-1, 2], shape [2], float32, cpu)
   */
  neg: unary("neg", "Neg", "number", { gradient: (g): DeviceArray => of("neg", g) }),
  /**
   * The absolute value: |x|.
   * @example
   * tensor([-1.5, 2]).abs(); // → tensor([1.5, 2.0], shape [2], float32, cpu)
   */
  abs: unary("abs", "Abs", "number", { gradient: (g, x): DeviceArray => mul(g, of("sign", x)) }),
  /**
   * x itself, as a copy: +x.
   * @example
   * tensor([-1, 2]).positive(); // → tensor([-1, 2], shape [2], float32, cpu)
   */
  positive: unary("positive", "Same", "number", { gradient: (g): DeviceArray => g }),
  /**
   * The sign: −1, 0 or 1; NaN for NaN; of complex numbers x / |x|.
   * @example
   * tensor([-3, 0, 5]).sign(); // → tensor([-1, 0, 1], shape [3], float32, cpu)
   */
  sign: unary("sign", "Sign", "number", { gradient: (g): DeviceArray => mul(g, 0) }),
  /**
   * Whether the sign is −, including that of −0 and NaN.
   * @example
   * tensor([-0, 0, -1]).signbit(); // → tensor([true, false, true], shape [3], bool, cpu)
   */
  signbit: unary("signbit", "Signbit", "number", { result: "bool" }),
  /**
   * The square: x².
   * @example
   * tensor([3, -4]).square(); // → tensor([9, 16], shape [2], float32, cpu)
   */
  square: unary("square", "Square", "number", { gradient: (g, x): DeviceArray => mul(g, mul(x, 2)) }),
  /**
   * The reciprocal: 1/x, which is ∞ for 0.
   * @example
   * tensor([2, 4]).reciprocal(); // → tensor([0.50, 0.25], shape [2], float32, cpu)
   */
  reciprocal: unary("reciprocal", "Reciprocal", "float", {
    gradient: (g, _, y): DeviceArray => of("neg", mul(g, of("square", y))),
  }),
  /**
   * The exponential function: e^x.
   * @example
   * tensor([0, 1]).exp(); // → tensor([1.00000, 2.71828], shape [2], float32, cpu)
   */
  exp: unary("exp", "Exp", "float", { flops: 10, gradient: (g, _, y): DeviceArray => mul(g, y) }),
  /**
   * The power of two: 2^x.
   * @example
   * tensor([3, 0.5]).exp2(); // → tensor([8.00000, 1.41421], shape [2], float32, cpu)
   */
  exp2: unary("exp2", "Exp2", "float", {
    flops: 10,
    gradient: (g, _, y): DeviceArray => mul(g, mul(y, constants.ln2)),
  }),
  /**
   * e^x − 1, accurate near 0.
   * @example
   * tensor([0, 1e-8], { dtype: "float64" }).expm1(); // → tensor([0e+00, 1e-08], shape [2], float64, cpu)
   */
  expm1: unary("expm1", "Expm1", "float", { flops: 10, gradient: (g, _, y): DeviceArray => mul(g, add(y, 1)) }),
  /**
   * The natural logarithm: log x; −∞ for 0, NaN below.
   * @example
   * tensor([1, Math.E]).log(); // → tensor([0, 1], shape [2], float32, cpu)
   */
  log: unary("log", "Log", "float", { flops: 10, gradient: (g, x): DeviceArray => div(g, x) }),
  /**
   * The logarithm to base 2; −∞ for 0, NaN below.
   * @example
   * tensor([1, 8]).log2(); // → tensor([0, 3], shape [2], float32, cpu)
   */
  log2: unary("log2", "Log2", "float", { flops: 10, gradient: (g, x): DeviceArray => div(g, mul(x, constants.ln2)) }),
  /**
   * The logarithm to base 10; −∞ for 0, NaN below.
   * @example
   * tensor([0.01, 1000]).log10(); // → tensor([-2, 3], shape [2], float32, cpu)
   */
  log10: unary("log10", "Log10", "float", {
    flops: 10,
    gradient: (g, x): DeviceArray => div(g, mul(x, constants.ln10)),
  }),
  /**
   * log(1 + x), accurate near 0; NaN below −1.
   * @example
   * tensor([0, 1e-8], { dtype: "float64" }).log1p(); // → tensor([0e+00, 1e-08], shape [2], float64, cpu)
   */
  log1p: unary("log1p", "Log1p", "float", { flops: 10, gradient: (g, x): DeviceArray => div(g, add(x, 1)) }),
  /**
   * The square root: √x; NaN below 0.
   * @example
   * tensor([4, 2]).sqrt(); // → tensor([2.00000, 1.41421], shape [2], float32, cpu)
   */
  sqrt: unary("sqrt", "Sqrt", "float", { gradient: (g, _, y): DeviceArray => div(g, mul(y, 2)) }),
  /**
   * The reciprocal of the square root: 1/√x.
   * @example
   * tensor([4, 0.25]).rsqrt(); // → tensor([0.5, 2.0], shape [2], float32, cpu)
   */
  rsqrt: unary("rsqrt", "Rsqrt", "float", {
    flops: 2,
    gradient: (g, _, y): DeviceArray => mul(g, mul(mul(of("square", y), y), -0.5)),
  }),
  /**
   * The cube root: ∛x, also of negative numbers.
   * @example
   * tensor([27, -8]).cbrt(); // → tensor([3, -2], shape [2], float32, cpu)
   */
  cbrt: unary("cbrt", "Cbrt", "float", {
    flops: 10,
    gradient: (g, _, y): DeviceArray => div(g, mul(of("square", y), 3)),
  }),
  /**
   * The sine of radians: sin x.
   * @example
   * tensor([0, Math.PI / 6]).sin(); // → tensor([0.0, 0.5], shape [2], float32, cpu)
   */
  sin: unary("sin", "Sin", "float", { flops: 15, gradient: (g, x): DeviceArray => mul(g, of("cos", x)) }),
  /**
   * The cosine of radians: cos x.
   * @example
   * tensor([0, Math.PI / 3]).cos(); // → tensor([1.0, 0.5], shape [2], float32, cpu)
   */
  cos: unary("cos", "Cos", "float", { flops: 15, gradient: (g, x): DeviceArray => of("neg", mul(g, of("sin", x))) }),
  /**
   * The tangent of radians: tan x.
   * @example
   * tensor([0, 1]).tan(); // → tensor([0.00000, 1.55741], shape [2], float32, cpu)
   */
  tan: unary("tan", "Tan", "float", { flops: 20, gradient: (g, _, y): DeviceArray => mul(g, add(of("square", y), 1)) }),
  /**
   * sin(πx)/(πx), and 1 at 0.
   * @example
   * tensor([0, 0.5]).sinc(); // → tensor([1.00000, 0.63662], shape [2], float32, cpu)
   */
  sinc: unary("sinc", "Sinc", "float", {
    flops: 20,
    gradient: (g, x, y): DeviceArray => {
      const isZero = call("eq", [x, 0]);
      const slope = div(sub(of("cos", mul(x, Math.PI)), y), call("where", [isZero, 1, x]));
      return mul(g, call("where", [isZero, 0, slope]));
    },
  }),
  /**
   * The arc sine in radians, from −π/2 to π/2; NaN beyond ±1.
   * @example
   * tensor([0, 1]).asin(); // → tensor([0.0000, 1.5708], shape [2], float32, cpu)
   */
  asin: unary("asin", "Asin", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, of("rsqrt", sub(1, of("square", x)))),
  }),
  /**
   * The arc cosine in radians, from 0 to π; NaN beyond ±1.
   * @example
   * tensor([1, 0]).acos(); // → tensor([0.0000, 1.5708], shape [2], float32, cpu)
   */
  acos: unary("acos", "Acos", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => of("neg", mul(g, of("rsqrt", sub(1, of("square", x))))),
  }),
  /**
   * The arc tangent in radians, from −π/2 to π/2.
   * @example
   * tensor([0, 1]).atan(); // → tensor([0.000000, 0.785398], shape [2], float32, cpu)
   */
  atan: unary("atan", "Atan", "float", { flops: 15, gradient: (g, x): DeviceArray => div(g, add(of("square", x), 1)) }),
  /**
   * The hyperbolic sine: (e^x − e^−x)/2.
   * @example
   * tensor([0, 1]).sinh(); // → tensor([0.0000, 1.1752], shape [2], float32, cpu)
   */
  sinh: unary("sinh", "Sinh", "float", { flops: 15, gradient: (g, x): DeviceArray => mul(g, of("cosh", x)) }),
  /**
   * The hyperbolic cosine: (e^x + e^−x)/2.
   * @example
   * tensor([0, 1]).cosh(); // → tensor([1.00000, 1.54308], shape [2], float32, cpu)
   */
  cosh: unary("cosh", "Cosh", "float", { flops: 15, gradient: (g, x): DeviceArray => mul(g, of("sinh", x)) }),
  /**
   * The hyperbolic tangent: (e^x − e^−x)/(e^x + e^−x).
   * @example
   * tensor([0, 1]).tanh(); // → tensor([0.000000, 0.761594], shape [2], float32, cpu)
   */
  tanh: unary("tanh", "Tanh", "float", { flops: 15, gradient: (g, _, y): DeviceArray => call("tanhGradient", [g, y]) }),
  /**
   * The inverse hyperbolic sine: log(x + √(x² + 1)).
   * @example
   * tensor([0, 1]).asinh(); // → tensor([0.000000, 0.881374], shape [2], float32, cpu)
   */
  asinh: unary("asinh", "Asinh", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, of("rsqrt", add(of("square", x), 1))),
  }),
  /**
   * The inverse hyperbolic cosine: log(x + √(x² − 1)); NaN below 1.
   * @example
   * tensor([1, 2]).acosh(); // → tensor([0.00000, 1.31696], shape [2], float32, cpu)
   */
  acosh: unary("acosh", "Acosh", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, of("rsqrt", sub(of("square", x), 1))),
  }),
  /**
   * The inverse hyperbolic tangent: ½ log((1 + x)/(1 − x)); NaN beyond ±1.
   * @example
   * tensor([0, 0.5]).atanh(); // → tensor([0.000000, 0.549306], shape [2], float32, cpu)
   */
  atanh: unary("atanh", "Atanh", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => div(g, sub(1, of("square", x))),
  }),
  /**
   * The error function: 2/√π ∫₀ˣ e^(−t²) dt.
   * @example
   * tensor([0, 1]).erf(); // → tensor([0.000000, 0.842701], shape [2], float32, cpu)
   */
  erf: unary("erf", "Erf", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, mul(of("exp", of("neg", of("square", x))), constants.erf)),
  }),
  /**
   * 1 − erf(x), accurate for large x.
   * @example
   * tensor([0, 3]).erfc(); // → tensor([1.00000e+00, 2.20905e-05], shape [2], float32, cpu)
   */
  erfc: unary("erfc", "Erfc", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, mul(of("exp", of("neg", of("square", x))), -constants.erf)),
  }),
  /**
   * The inverse of {@link Tensor.erf}; ±∞ at ±1, NaN beyond.
   * @example
   * tensor([0, 0.5]).erfinv(); // → tensor([0.000000, 0.476936], shape [2], float32, cpu)
   */
  erfinv: unary("erfinv", "Erfinv", "float", {
    flops: 20,
    gradient: (g, _, y): DeviceArray => mul(g, mul(of("exp", of("square", y)), 1 / constants.erf)),
  }),
  /**
   * The logarithm of the gamma function: log |Γ(x)|.
   * @example
   * tensor([1, 5]).lgamma(); // → tensor([0.00000, 3.17805], shape [2], float32, cpu)
   */
  lgamma: unary("lgamma", "Lgamma", "float", { flops: 30, gradient: (g, x): DeviceArray => mul(g, of("digamma", x)) }),
  /**
   * ψ(x) = Γ′(x)/Γ(x), the slope of {@link Tensor.lgamma}; NaN at 0, −1, −2, …, where Γ has poles.
   * @example
   * tensor([1, 2]).digamma(); // → tensor([-0.577216,  0.422784], shape [2], float32, cpu)
   */
  digamma: unary("digamma", "Digamma", "float", {
    flops: 80,
    gradient: (g, x): DeviceArray => mul(g, call("polygamma", [x], { n: 1 })),
  }),
  /**
   * The modified Bessel function of the first kind and order 0: I₀(x) = Σ (x²/4)ᵏ/(k!)².
   * @example
   * tensor([0, 1]).i0(); // → tensor([1.00000, 1.26607], shape [2], float32, cpu)
   */
  i0: unary("i0", "I0", "float", { flops: 60, gradient: (g, x): DeviceArray => mul(g, of("i1", x)) }),
  /**
   * e^−|x| I₀(x), which does not overflow.
   * @example
   * tensor([0, 100]).i0e(); // → tensor([1.000000, 0.039944], shape [2], float32, cpu)
   */
  i0e: unary("i0e", "I0e", "float", {
    flops: 60,
    gradient: (g, x, y): DeviceArray => mul(g, sub(of("i1e", x), mul(of("sign", x), y))),
  }),
  /**
   * The modified Bessel function of the first kind and order 1, the slope of {@link Tensor.i0}.
   * @example
   * tensor([0, 1]).i1(); // → tensor([0.000000, 0.565159], shape [2], float32, cpu)
   */
  i1: unary("i1", "I1", "float", {
    flops: 60,
    gradient: (g, x, y): DeviceArray => mul(g, sub(of("i0", x), shareOf(y, x))),
  }),
  /**
   * e^−|x| I₁(x), which does not overflow.
   * @example
   * tensor([0, 100]).i1e(); // → tensor([0.000000, 0.039744], shape [2], float32, cpu)
   */
  i1e: unary("i1e", "I1e", "float", {
    flops: 60,
    gradient: (g, x, y): DeviceArray => mul(g, sub(sub(of("i0e", x), shareOf(y, x)), mul(of("sign", x), y))),
  }),
  /**
   * The largest integer that is not above x.
   * @example
   * tensor([1.7, -1.2]).floor(); // → tensor([1, -2], shape [2], float32, cpu)
   */
  floor: rounding("floor", "Floor"),
  /**
   * The smallest integer that is not below x.
   * @example
   * tensor([1.2, -1.7]).ceil(); // → tensor([2, -1], shape [2], float32, cpu)
   */
  ceil: rounding("ceil", "Ceil"),
  /**
   * The nearest integer; of two equally near, the even one.
   * @example
   * tensor([0.5, 1.5, 2.6]).round(); // → tensor([0, 2, 3], shape [3], float32, cpu)
   */
  round: rounding("round", "Round"),
  /**
   * The integer part, rounded towards zero.
   * @example
   * tensor([1.7, -1.7]).trunc(); // → tensor([1, -1], shape [2], float32, cpu)
   */
  trunc: rounding("trunc", "Trunc"),
  /**
   * What {@link Tensor.trunc} takes away, with the sign of x: x − trunc(x).
   * @example
   * tensor([1.75, -1.75]).frac(); // → tensor([0.75, -0.75], shape [2], float32, cpu)
   */
  frac: unary("frac", "Frac", "float", { gradient: (g): DeviceArray => g }),
  /**
   * True where x is NaN.
   * @example
   * tensor([1, NaN]).isnan(); // → tensor([false, true], shape [2], bool, cpu)
   */
  isnan: unary("isnan", "Isnan", "float", { result: "bool" }),
  /**
   * True where x is ∞ or −∞.
   * @example
   * tensor([1, -Infinity, NaN]).isinf(); // → tensor([false, true, false], shape [3], bool, cpu)
   */
  isinf: unary("isinf", "Isinf", "float", { result: "bool" }),
  /**
   * True where x is neither infinite nor NaN.
   * @example
   * tensor([1, Infinity, NaN]).isfinite(); // → tensor([true, false, false], shape [3], bool, cpu)
   */
  isfinite: unary("isfinite", "Isfinite", "float", { result: "bool" }),
  /**
   * True where x is 0.
   * @example
   * tensor([0, 2]).logicalNot(); // → tensor([true, false], shape [2], bool, cpu)
   */
  logicalNot: unary("logicalNot", "LogicalNot", "logical", { result: "bool" }),
  /**
   * The opposite of every bit: ~x; of bools the opposite. Floats throw TensorError.
   * @example
   * tensor([0, 5], { dtype: "int32" }).bitwiseNot(); // → tensor([-1, -6], shape [2], int32, cpu)
   */
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

/** I₁(x)/x or J₁(x)/x, which is ½ at 0. */
export function shareOf(y: DeviceArray, x: DeviceArray): DeviceArray {
  const isZero = call("eq", [x, 0]);
  return call("where", [isZero, 0.5, div(y, call("where", [isZero, 1, x]))]);
}
