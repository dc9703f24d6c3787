// Functions of one tensor or two that are seldom wanted, element by element.
import { GradientError } from "../../errors.ts";
import { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { add, div, mul, of, sub } from "../core/terms.ts";
import { asArray } from "./pairwise.ts";
import { elementwiseIn, type BinaryGradient, type BinaryGradients } from "./elementwise.ts";

const { unary, binary } = elementwiseIn("rare");

/** 2/√π, 1/√2π. */
const constants = { erf: 2 / Math.sqrt(Math.PI), normal: 1 / Math.sqrt(2 * Math.PI) } as const;

export const rareRows = {
  /**
   * The scaled complement of the error function, e^(x²) · erfc(x), which is a number where erfc(x) is 0.
   * @example
   * tensor([0, 100]).erfcx(); // → tensor([1.000000, 0.005642], shape [2], float32, cpu)
   */
  erfcx: unary("erfcx", "Erfcx", "float", {
    flops: 40,
    gradient: (g, x, y): DeviceArray => mul(g, sub(mul(mul(x, y), 2), constants.erf)),
  }),
  /**
   * −x log x, what an event of probability x adds to the entropy: 0 at 0, −∞ below.
   * @example
   * tensor([0.5, 0.5]).entr().sum().item(); // → 0.6931471824645996
   */
  entr: unary("entr", "Entr", "float", {
    flops: 10,
    gradient: (g, x): DeviceArray => mul(g, sub(-1, of("log", x))),
  }),
  /**
   * Φ(x) = ½ erfc(−x/√2), the share of the normal distribution below x.
   * @example
   * tensor([0, 1]).ndtr(); // → tensor([0.500000, 0.841345], shape [2], float32, cpu)
   */
  ndtr: unary("ndtr", "Ndtr", "float", {
    flops: 15,
    gradient: (g, x): DeviceArray => mul(g, mul(of("exp", mul(of("square", x), -0.5)), constants.normal)),
  }),
  /**
   * log Φ(x), the logarithm of {@link Tensor.ndtr}, also where that is 0.
   * @example
   * tensor([0, -20]).logNdtr(); // → tensor([  -0.693147, -203.917000], shape [2], float32, cpu)
   */
  logNdtr: unary("logNdtr", "LogNdtr", "float", {
    flops: 60,
    // The density beside Φ, without what cancels between their logarithms.
    gradient: (g, x): DeviceArray => div(mul(g, 2 * constants.normal), of("erfcx", mul(x, -Math.SQRT1_2))),
  }),
  /**
   * The inverse of {@link Tensor.ndtr}: below which x the share y of the normal distribution lies. −∞ of 0, ∞ of 1, NaN
   * beyond.
   * @example
   * tensor([0.5, 0.975]).ndtri(); // → tensor([0.00000, 1.95996], shape [2], float32, cpu)
   */
  ndtri: unary("ndtri", "Ndtri", "float", {
    flops: 200,
    gradient: (g, _, y): DeviceArray => mul(g, div(of("exp", mul(of("square", y), 0.5)), constants.normal)),
  }),
} as const;

// Of equal elements all of the gradient goes to a, as in PyTorch.
function otherGradient(name: "ge" | "le"): BinaryGradient {
  return (g, { a, b }) => {
    const isNan = b instanceof DeviceArray ? call("ne", [b, b]) : Number(Number.isNaN(Number(b)));
    const takesA = () => call("logicalOr", [call(name, [a, b]), isNan]);
    return [() => call("where", [takesA(), g, 0]), () => call("where", [takesA(), 0, g])];
  };
}

// The slope of the gamma distribution's share below b, whose shape a has no gradient.
const gammaGradient =
  (name: string, sign: 1 | -1): BinaryGradient =>
  (g, { a, b }) => [
    () => {
      throw new GradientError("NO_GRADIENT", `${name} has no gradient of its shape, its first operand.`);
    },
    (x) => {
      const shape = asArray(a, x);
      const exponent = sub(sub(call("xlogy", [sub(shape, 1), b]), b), of("lgamma", shape));
      return mul(g, mul(of("exp", exponent), sign));
    },
  ];

export const rarePairRows = {
  /**
   * The larger of two elements; where one is NaN the other. Of equal elements all of the gradient goes to the first.
   * @example
   * tensor([1, NaN]).fmax(tensor([4, 2])); // → tensor([4, 2], shape [2], float32, cpu)
   */
  fmax: binary("fmax", "Fmax", "number", { gradient: otherGradient("ge") }),
  /**
   * The smaller of two elements; where one is NaN the other. Of equal elements all of the gradient goes to the first.
   * @example
   * tensor([1, NaN]).fmin(3); // → tensor([1, 3], shape [2], float32, cpu)
   */
  fmin: binary("fmin", "Fmin", "number", { gradient: otherGradient("le") }),
  /**
   * a · log(1 + b), which is 0 where a is 0, unless b is NaN.
   * @example
   * tensor([0, 2]).xlog1py(tensor([-1, 1e-10])); // → tensor([0e+00, 2e-10], shape [2], float32, cpu)
   */
  xlog1py: binary("xlog1py", "Xlog1py", "float", {
    swapped: "",
    flops: 12,
    gradient: (g, { a, b }): BinaryGradients => {
      const isNothing = call("eq", [asArray(a, g), 0]);
      return [
        () => {
          const y = asArray(b, g);
          const isBelow = call("logicalAnd", [isNothing, call("le", [y, -1])]);
          return mul(g, call("where", [isBelow, 0, of("log1p", y)]));
        },
        () => call("where", [isNothing, 0, mul(g, div(a, add(b, 1)))]),
      ];
    },
  }),
  /**
   * The regularised lower incomplete gamma function P(a, x) = 1/Γ(a) ∫₀ˣ tᵃ⁻¹ e⁻ᵗ dt, the share of the gamma
   * distribution of shape a below x. It has a gradient in x only; about √a terms are summed where x is near a.
   * @example
   * tensor([1, 2.5]).igamma(1); // → tensor([0.632121, 0.150855], shape [2], float32, cpu)
   */
  igamma: binary("igamma", "Igamma", "float", { swapped: "", flops: 400, gradient: gammaGradient("igamma", 1) }),
  /**
   * The regularised upper incomplete gamma function Q(a, x) = 1 − {@link Tensor.igamma}, exact also where it is small.
   * @example
   * tensor([1, 2.5]).igammac(50); // → tensor([1.92875e-22, 5.28515e-20], shape [2], float32, cpu)
   */
  igammac: binary("igammac", "Igammac", "float", { swapped: "", flops: 400, gradient: gammaGradient("igammac", -1) }),
  /**
   * a · 2^b, rounded once: right where 2^b alone would overflow. 16-bit floats throw TensorError.
   * @example
   * tensor([1, 3]).ldexp(tensor([4, -1], { dtype: "int32" })); // → tensor([16.0,  1.5], shape [2], float32, cpu)
   */
  ldexp: binary("ldexp", "Ldexp", "wide", {
    swapped: "",
    flops: 10,
    gradient: (g, { b, y }): BinaryGradients => [() => call("ldexp", [g, b]), () => mul(g, mul(y, Math.LN2))],
  }),
  /**
   * Hurwitz' zeta function ζ(a, b) = Σ 1/(b + k)^a over all k ≥ 0, of a > 1: ∞ at a = 1 and at b = 0, −1, −2, …, NaN
   * for a smaller a, and for b < 0 unless a is a whole number. It has a gradient in b only.
   * @example
   * tensor([2, 4]).zeta(1); // → tensor([1.64493, 1.08232], shape [2], float32, cpu)
   */
  zeta: binary("zeta", "Zeta", "float", {
    swapped: "",
    flops: 400,
    gradient: (g, { a, b }): BinaryGradients => [
      () => {
        throw new GradientError("NO_GRADIENT", "zeta has no gradient of its exponent, its first operand.");
      },
      () => of("neg", mul(g, mul(call("zeta", [typeof a === "object" ? add(a, 1) : Number(a) + 1, b]), a))),
    ],
  }),
} as const;

/** What frexp makes of x = mantissa · 2^exponent; the exponent is a whole number in the dtype of x. */
export const frexpRows = {
  frexpMantissa: unary("frexp", "FrexpMantissa", "float", {
    flops: 4,
    gradient: (g, x): DeviceArray => call("ldexp", [g, of("neg", call("frexpExponent", [x], {}))]),
  }),
  frexpExponent: unary("frexp", "FrexpExponent", "float", { flops: 4 }),
} as const;
