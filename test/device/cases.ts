// The table of cases: for every operation random input, what float64 says, and how far a device may be from it. An
// operation more is a row more.
import type { OperationName } from "../../native/lib/ops/core/table.ts";
import type { Random } from "../helpers/random.ts";
import * as bessel from "./bessel.ts";
import {
  erf,
  erfc,
  erfcx,
  erfinv,
  i0,
  i0e,
  i1,
  i1e,
  igamma,
  lgamma,
  logNdtr,
  ndtr,
  ndtri,
  polygamma,
  polygammaSize,
  zeta,
} from "./special.ts";

/**
 * The most that a result may be off before it is rounded to a dtype narrower than the one that it is computed in. A
 * number: units in the last place. A function: the difference itself, from the unit roundoff `u` of the computing type,
 * the right result and the operands.
 */
export type Allowed = number | ((u: number, wanted: number, operands: readonly number[]) => number);

export interface ElementwiseCase {
  readonly name: OperationName;
  readonly attributes?: object;
  /** One range of random numbers for each operand. */
  readonly ranges: readonly (readonly [number, number])[];
  /** The function of floats. */
  readonly of?: (...values: number[]) => number | boolean;
  /** The function of integers, before it wraps around. */
  readonly ofIntegers?: (...values: bigint[]) => bigint | boolean;
  /** The function of bools. */
  readonly ofBools?: (...values: boolean[]) => boolean;
  readonly allowed?: Allowed;
  /** The same for 16-bit dtypes with the kernels of a GPU, where what their rounding hides is not worked out. */
  readonly allowedBrief?: Allowed;
}

/**
 * Units in the last place that a function may be off: what NVIDIA says of float32 and float64 in the CUDA C++
 * Programming Guide, "Mathematical Functions Appendix" (≤ 4 for all that are not listed), and 4 at least, which is what
 * vector functions on processors promise.
 */
const libraryUlps: Record<string, number> = { lgamma: 6, erfc: 5, erfinv: 5 };
const library = (name: string): number => libraryUlps[name] ?? 4;

/** How far from 0 on, at |x| ≥ 8, Bessel functions of float64 may be off (the same appendix). */
const besselFar = 5e-12;

const wide = [-30, 30] as const;
const unit = [-1, 1] as const;
const positive = [0.01, 50] as const;
/** Shapes of gamma distributions, and of what the share below them is. */
const shares = [
  [0.1, 40],
  [0.05, 60],
] as const;

const one = (
  name: OperationName,
  of: (x: number) => number | boolean,
  allowed: Allowed = 0,
  range: readonly [number, number] = wide,
  more: Partial<ElementwiseCase> = {},
): ElementwiseCase => ({ name, ranges: [range], of, allowed, ...more });
const two = (
  name: OperationName,
  of: (x: number, y: number) => number | boolean,
  allowed: Allowed = 0,
  more: Partial<ElementwiseCase> = {},
): ElementwiseCase => ({ name, ranges: [wide, wide], of, allowed, ...more });

/** Some units, and what e^−|x| is off when its exponent is rounded: __expf, CUDA C++ Programming Guide. */
const briefly =
  (units: number): Allowed =>
  (u, wanted, [x]) =>
    2 * u * Math.abs(wanted) * (units + 2 + 1.173 * Math.min(104, Math.abs(x!)));

/**
 * Functions of brief.cuh: an error beside the result, of a polynomial, some units, and `times` what a power is off when
 * its exponent, which is up to |x|, is rounded.
 */
const shortened =
  (beside: number, units: number, times = 0): Allowed =>
  (u, wanted, [x]) =>
    Math.abs(wanted) * (beside + 2 * u * (units + times * 1.173 * Math.min(104, Math.abs(x!))));
/** log(1 + x) where lg2.approx, 2⁻²² off, is least beside it: at 2⁻⁷. */
const shortenedLog = 2 ** -15.3;

/** A sine of |r| ≤ π/2 in few terms, 2⁻¹⁹·⁷, and roundings of what is left of the argument. */
const brieflyTurned: Allowed = (u, wanted) => 32 * u * Math.abs(wanted);

/**
 * lg2.approx, 2⁻²² of itself and near 1 of 1 (PTX ISA), times the exponent, and the rounding of that; and ex2.approx,
 * 2⁻²².
 */
const brieflyPowered: Allowed = (u, wanted, [x, y]) => {
  const log = Math.min(1024, Math.abs(Math.log2(Math.abs(x!))));
  return u * Math.abs(wanted) * (4 + Math.LN2 * Math.abs(y!) * (4 * Math.max(1, log) + log));
};

/** To the nearest integer, ties to even. */
function round(x: number): number {
  const down = Math.floor(x);
  const rest = x - down;
  const nearest = rest < 0.5 || (rest === 0.5 && down % 2 === 0) ? down : down + 1;
  return nearest === 0 ? (x < 0 || Object.is(x, -0) ? -0 : 0) : nearest;
}

const sigmoid = (x: number) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));
const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
const gelu = (x: number) => (x === -Infinity ? -0 : 0.5 * x * erfc(-x * Math.SQRT1_2));
const density = (x: number) => Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
const inner = (x: number) => Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3);
/** f(−∞) is its limit, where the formula has −∞ · 0. */
const limit = (value: number, f: (x: number) => number) => (x: number) => (x === -Infinity ? value : f(x));

/** The remainder of the divisor's sign. JavaScript's % is exact, as fmod is. */
function remainder(x: number, y: number): number {
  const rest = x % y;
  if (rest === 0) return y < 0 || Object.is(y, -0) ? -0 : 0;
  return rest < 0 !== y < 0 ? rest + y : rest;
}
function floorDivide(x: number, y: number): number {
  if (y === 0) return x / y;
  const rest = x % y;
  const quotient = round((x - rest) / y - (rest !== 0 && rest < 0 !== y < 0 ? 1 : 0));
  return quotient === 0 ? (x / y < 0 || Object.is(x / y, -0) ? -0 : 0) : quotient;
}
const floorDivideIntegers = (x: bigint, y: bigint) =>
  y === 0n ? 0n : x / y - (x % y !== 0n && x < 0n !== y < 0n ? 1n : 0n);
/** As in C: 1 to any power, and anything to the power 0, is 1; −1 to ±∞ is 1. */
const pow = (x: number, y: number) => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y);
function powIntegers(x: bigint, y: bigint): bigint {
  if (y < 0n) return x === 1n ? 1n : x === -1n ? (y % 2n === 0n ? 1n : -1n) : 0n;
  let [result, base] = [1n, x];
  // All integers of 64 bits and fewer wrap around at a power of two.
  for (let left = y; left > 0n; left >>= 1n, base = BigInt.asUintN(64, base * base))
    if (left & 1n) result = BigInt.asUintN(64, result * base);
  return result;
}
const larger = (x: number, y: number) => (Number.isNaN(x) || Number.isNaN(y) ? NaN : x >= y ? x : y);
const smaller = (x: number, y: number) => (Number.isNaN(x) || Number.isNaN(y) ? NaN : x <= y ? x : y);
function logaddexp(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  return x === y && !Number.isFinite(x) ? x : Math.max(x, y) + Math.log1p(Math.exp(-Math.abs(x - y)));
}

function logaddexp2(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  return x === y && !Number.isFinite(x) ? x : Math.max(x, y) + Math.log1p(2 ** -Math.abs(x - y)) / Math.LN2;
}
const isNegative = (x: number) => x < 0 || Object.is(x, -0);
function sinc(x: number): number {
  const whole = round(x);
  const sine = Math.sin(Math.PI * (x - whole));
  return x === 0 ? 1 : (whole % 2 === 0 ? sine : -sine) / (Math.PI * x);
}
const compare = (name: OperationName, test: (x: number | bigint, y: number | bigint) => boolean): ElementwiseCase =>
  two(name, test, 0, { ofIntegers: test, ofBools: (x, y) => test(Number(x), Number(y)) });
const logical = (name: OperationName, test: (x: boolean, y: boolean) => boolean): ElementwiseCase =>
  two(name, (x, y) => test(x !== 0, y !== 0), 0, { ofIntegers: (x, y) => test(x !== 0n, y !== 0n), ofBools: test });
const bitwise = (
  name: OperationName,
  ofIntegers: (x: bigint, y: bigint) => bigint,
  ofBools: (x: boolean, y: boolean) => boolean,
): ElementwiseCase => ({ name, ranges: [wide, wide], ofIntegers, ofBools });
const slope = (name: OperationName, n: number, more: Partial<ElementwiseCase> = {}): ElementwiseCase =>
  one(
    name,
    (x) => polygamma(n, x),
    (u, wanted, [x]) => 2 * u * Math.abs(wanted) + 2 ** -53 * (4 * n + 32) * polygammaSize(n, x!),
    [-5, 30],
    more,
  );
function gcd(x: bigint, y: bigint): bigint {
  return y === 0n ? (x < 0n ? -x : x) : gcd(y, x % y);
}
const math = (
  name:
    | "exp"
    | "expm1"
    | "log"
    | "log2"
    | "log10"
    | "log1p"
    | "cbrt"
    | "sin"
    | "cos"
    | "tan"
    | "asin"
    | "acos"
    | "atan"
    | "sinh"
    | "cosh"
    | "tanh"
    | "asinh"
    | "acosh"
    | "atanh",
  range: readonly [number, number] = wide,
  more: Partial<ElementwiseCase> = {},
) => one(name, Math[name], library(name), range, more);

export const elementwiseCases: readonly ElementwiseCase[] = [
  one("neg", (x) => -x, 0, wide, { ofIntegers: (x) => -x }),
  one("abs", Math.abs, 0, wide, { ofIntegers: (x) => (x < 0n ? -x : x) }),
  one("sign", (x) => (x === 0 ? 0 : Math.sign(x)), 0, wide, { ofIntegers: (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n) }),
  one("positive", (x) => x, 0, wide, { ofIntegers: (x) => x }),
  one("signbit", isNegative, 0, wide, { ofIntegers: (x) => x < 0n }),
  one("square", (x) => x * x, 0.5, wide, { ofIntegers: (x) => x * x }),
  one("reciprocal", (x) => 1 / x, 0.5),
  math("exp", wide, { allowedBrief: shortened(0, 4, 1) }),
  one("exp2", (x) => 2 ** x, library("exp2")),
  // Behind a half, where its power is 2.6 times what is left.
  math("expm1", wide, { allowedBrief: shortened(2 ** -18.4, 12, 3) }),
  math("log", positive),
  math("log2", positive),
  math("log10", positive),
  math("log1p", [-0.9, 20], { allowedBrief: shortened(shortenedLog, 4) }),
  one("sqrt", Math.sqrt, 0.5, positive),
  // A root and a division, each rounded.
  one("rsqrt", (x) => 1 / Math.sqrt(x), 2, positive),
  math("cbrt"),
  math("sin", wide, { allowedBrief: brieflyTurned }),
  math("cos", wide, { allowedBrief: brieflyTurned }),
  // A sine and a cosine.
  math("tan", wide, { allowedBrief: (u, wanted) => 68 * u * Math.abs(wanted) }),
  // sin (4), π, its product with a number that is exact, and the quotient by another.
  one("sinc", sinc, 8),
  math("asin", unit),
  math("acos", unit),
  math("atan"),
  math("sinh", wide, { allowedBrief: shortened(2 ** -18, 8, 1.4) }),
  math("cosh", wide, { allowedBrief: shortened(0, 6, 1.4) }),
  math("tanh", wide, { allowedBrief: shortened(2 ** -17.1, 8) }),
  math("asinh"),
  math("acosh", [1, 100]),
  math("atanh", unit),
  // The tail of gelu: its polynomial, and a power whose exponent is rounded twice.
  one("erf", erf, library("erf"), [-5, 5], { allowedBrief: shortened(2 ** -17, 16) }),
  one("erfc", erfc, library("erfc"), [-5, 9], {
    allowedBrief: (u, wanted, [x]) => Math.abs(wanted) * (2 ** -16.7 + 2 * u * (16 + 4 * x! * x!)),
  }),
  one("erfinv", erfinv, library("erfinv"), unit),
  // In float64 for all: what CUDA's own is off, 9 units here and the square's rounding put back.
  one("erfcx", erfcx, (u, wanted) => Math.abs(wanted) * (2 * u + 18 * 2 ** -53), [-5, 40]),
  // erfc (5) of an argument that is rounded, as the reference's is: 2z² of z = x/√2.
  one("ndtr", ndtr, (u, wanted, [x]) => 2 * u * Math.abs(wanted) * (6 + Math.min(x! * x!, 2000)), [-9, 9]),
  one(
    "logNdtr",
    logNdtr,
    (u, wanted, [x]) => Math.abs(wanted) * (2 * u + 2 ** -52 * (12 + (x! > 0 ? x! * x! : 0))),
    [-40, 6],
  ),
  // A logarithm (4) and a product.
  one(
    "entr",
    (x) => (x > 0 ? (x === Infinity ? -x : -x * Math.log(x)) : x === 0 ? 0 : x < 0 ? -Infinity : NaN),
    5,
    [0.01, 3],
  ),
  // In float64 for all. Φ near ½ is as exact as 1, and so is where the reference finds it.
  one("ndtri", ndtri, (u, wanted) => 2 * u * Math.abs(wanted) + 2 ** -50 * (1 + Math.abs(wanted)), [1e-6, 1]),
  ...(["besselJ0", "besselJ1", "besselY0", "besselY1"] as const).map((name) =>
    one(
      name,
      bessel[name],
      // CUDA's and the reference's mean, whose angles are off in proportion to x, times the sum of Neumann's shares.
      (u, wanted, [x]) =>
        2 * u * Math.abs(wanted) +
        (Math.abs(x!) < 8 ? 2 ** -53 * (16 + 3 * Math.abs(x!)) * 10 * (1 + Math.abs(wanted)) : besselFar),
      name.includes("J") ? [-30, 30] : [0.01, 30],
    ),
  ),
  // Sums of 32 terms here and hundreds there, all positive, and a power of −x.
  ...(["modifiedBesselK0", "modifiedBesselK1", "scaledModifiedBesselK0", "scaledModifiedBesselK1"] as const).map(
    (name) =>
      one(
        name,
        bessel[name],
        (u, wanted, [x]) => Math.abs(wanted) * (2 * u + 2 ** -53 * (100 + 3 * Math.min(1000, Math.abs(x!)))),
        [0.001, 40],
      ),
  ),
  // Near its zeros at 1 and 2 the reference is the one that is less exact.
  one("lgamma", lgamma, (u, wanted) => library("lgamma") * 2 * u * Math.abs(wanted) + 2e-14, positive),
  // Digits of float64 that its sums lose, the powers of n + 1 factors and the reference's integral; then one rounding.
  slope("digamma", 0),
  ...[1, 2, 5].map((n) => slope("polygamma", n, { attributes: { n } })),
  // A polynomial of x² (7), or of 1/x beside a root and two powers (4 each).
  ...Object.entries({ i0, i0e, i1, i1e }).map(([name, of]) => one(name as OperationName, of, 12)),
  one("floor", Math.floor),
  one("ceil", Math.ceil),
  one("round", round),
  one("trunc", Math.trunc),
  one("frac", (x) => x - Math.trunc(x)),
  one("isnan", Number.isNaN),
  one("isinf", (x) => Math.abs(x) === Infinity),
  one("isfinite", Number.isFinite),
  one("logicalNot", (x) => x === 0, 0, wide, { ofIntegers: (x) => x === 0n, ofBools: (x) => !x }),
  { name: "bitwiseNot", ranges: [wide], ofIntegers: (x) => ~x, ofBools: (x) => !x },

  one("relu", (x) => (Number.isNaN(x) ? NaN : x > 0 ? x : 0), 0, wide, { ofIntegers: (x) => (x > 0n ? x : 0n) }),
  one("relu6", (x) => (Number.isNaN(x) ? NaN : x > 0 ? Math.min(x, 6) : 0)),
  // exp (4), a sum, a quotient and a product.
  one("sigmoid", sigmoid, 8, wide, { allowedBrief: briefly(4) }),
  // log1p (4) of exp (4), which is as well conditioned, and a sum without cancellation.
  one("logSigmoid", (x) => (Number.isNaN(x) ? NaN : Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)))), 9, wide, {
    allowedBrief: shortened(shortenedLog, 6, 1),
  }),
  one(
    "silu",
    limit(-0, (x) => x * sigmoid(x)),
    9,
    wide,
    { allowedBrief: briefly(5) },
  ),
  one("softsign", (x) => (Math.abs(x) === Infinity ? Math.sign(x) : x / (1 + Math.abs(x))), 1.5),
  // x/6 and ½ cancel: two roundings of numbers up to 1.
  one(
    "hardsigmoid",
    (x) => (x <= -3 ? 0 : x >= 3 ? 1 : x / 6 + 0.5),
    (u) => 2 * u,
    [-5, 5],
  ),
  one("hardswish", (x) => (x <= -3 ? 0 : x >= 3 ? x : (x * (x + 3)) / 6), 2, [-5, 5]),
  one("softplus", softplus, 9, wide, { allowedBrief: shortened(shortenedLog, 6, 1) }),
  one(
    "mish",
    limit(-0, (x) => x * Math.tanh(softplus(x))),
    14,
    wide,
    { allowedBrief: shortened(0, 16, 1) },
  ),
  // x and tanh (4) cancel near 0.
  one(
    "tanhshrink",
    (x) => x - Math.tanh(x),
    (u, wanted, [x]) => 2 * u * (4 * Math.min(1, Math.abs(x!)) + Math.abs(wanted)),
    wide,
    // Where they cancel a polynomial, more exact than the reference; behind it a seventh of tanh is left at least.
    { allowedBrief: (u, wanted, [x]) => Math.abs(wanted) * (2 ** -16.8 + 120 * u) + 2 ** -51 * Math.abs(x!) },
  ),
  // expm1 (4), two products and two constants.
  one("selu", (x) => 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * Math.expm1(x)), 6, wide, {
    allowedBrief: shortened(2 ** -18.4, 16, 3),
  }),
  // erfc of an argument with two roundings, which its slope 2z² magnifies (z² = x²/2).
  one("gelu", gelu, (u, wanted, [x]) => 2 * u * Math.abs(wanted) * (8 + x! * x!), [-8, 8], {
    attributes: { approximate: "none" },
    // Φ: a polynomial (2⁻¹⁶·⁸), a quotient and e^(−x²/2), whose exponent is rounded: x² is exact in 22 bits.
    allowedBrief: (u, wanted, [x]) => Math.abs(wanted) * (2 ** -16.8 + 2 * u * (12 + x! * x!)),
  }),
  // 1 + tanh cancels: tanh (4) and the five roundings of its argument, whose slope is below 1.
  one(
    "gelu",
    // ½(1 + tanh(z)) = σ(2z), which does not cancel.
    limit(-0, (x) => x * sigmoid(2 * inner(x))),
    (u, _, [x]) => 9 * u * Math.abs(x!),
    [-8, 8],
    {
      attributes: { approximate: "tanh" },
      // x · σ(2z): its power has the roundings of the exponent.
      allowedBrief: (u, wanted, [x]) => 2 * u * Math.abs(wanted) * (10 + 8 * Math.abs(inner(x!))),
    },
  ),
  one("clamp", (x) => (Number.isNaN(x) ? NaN : x < -1.5 ? -1.5 : x > 2.5 ? 2.5 : x), 0, wide, {
    attributes: { min: -1.5, max: 2.5 },
  }),
  one("hardtanh", (x) => (Number.isNaN(x) ? NaN : x < -1.5 ? -1.5 : x > 2.5 ? 2.5 : x), 0, wide, {
    attributes: { min: -1.5, max: 2.5 },
  }),
  one("threshold", (x) => (x <= 1.25 ? -0.5 : x), 0, wide, { attributes: { threshold: 1.25, value: -0.5 } }),
  one("softshrink", (x) => (x > 0.5 ? x - 0.5 : x < -0.5 ? x + 0.5 : Number.isNaN(x) ? NaN : 0), 0.5, [-3, 3], {
    attributes: { lambda: 0.5 },
  }),
  one("hardshrink", (x) => (Math.abs(x) <= 0.5 ? 0 : x), 0, [-3, 3], { attributes: { lambda: 0.5 } }),
  // expm1 (4) of a quotient with two roundings, which it does not magnify below 0, and a product.
  one("celu", (x) => (x > 0 ? x : 1.5 * Math.expm1(x / 1.5)), 6, wide, {
    attributes: { alpha: 1.5 },
    allowedBrief: shortened(2 ** -18.4, 20, 3),
  }),
  one("leakyRelu", (x) => (x >= 0 ? x : x * 0.125), 0.5, wide, { attributes: { slope: 0.125 } }),
  one("elu", (x) => (x > 0 ? x : 1.5 * Math.expm1(x)), 5, wide, {
    attributes: { alpha: 1.5 },
    allowedBrief: shortened(2 ** -18.4, 16, 3),
  }),

  two("add", (x, y) => x + y, 0.5, { ofIntegers: (x, y) => x + y }),
  two("sub", (x, y) => x - y, 0.5, { ofIntegers: (x, y) => x - y }),
  two("mul", (x, y) => x * y, 0.5, { ofIntegers: (x, y) => x * y }),
  two("div", (x, y) => x / y, 0.5),
  two("floorDivide", floorDivide, 0.5, { ofIntegers: floorDivideIntegers }),
  two("remainder", remainder, 0.5, { ofIntegers: (x, y) => (y === 0n ? 0n : x - floorDivideIntegers(x, y) * y) }),
  two("fmod", (x, y) => x % y, 0, { ofIntegers: (x, y) => (y === 0n ? 0n : x % y) }),
  two("pow", pow, library("pow"), {
    ranges: [
      [0.1, 9],
      [-9, 9],
    ],
    ofIntegers: powIntegers,
    allowedBrief: brieflyPowered,
  }),
  two("maximum", larger, 0, { ofIntegers: (x, y) => (x > y ? x : y) }),
  two("minimum", smaller, 0, { ofIntegers: (x, y) => (x < y ? x : y) }),
  two("fmax", (x, y) => (Number.isNaN(y) || x >= y ? x : y), 0, { ofIntegers: (x, y) => (x > y ? x : y) }),
  two("fmin", (x, y) => (Number.isNaN(y) || x <= y ? x : y), 0, { ofIntegers: (x, y) => (x < y ? x : y) }),
  // In float64 for all: powers (4) of up to s + 8 terms, which are positive, and as much of the reference.
  two("zeta", zeta, (u, wanted, [s]) => Math.abs(wanted) * (2 * u + 2 ** -53 * (240 + 2 * Math.min(s!, 1000))), {
    ranges: [
      [1.05, 20],
      [0.1, 30],
    ],
  }),
  two("atan2", Math.atan2, library("atan2")),
  two("hypot", Math.hypot, library("hypot")),
  two("copysign", (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x))),
  // The larger operand may cancel against the logarithm, which is at most log 2.
  two("logaddexp", logaddexp, (u, wanted) => 2 * u * (Math.abs(wanted) + 9 * Math.LN2)),
  two("logaddexp2", logaddexp2, (u, wanted) => 2 * u * (Math.abs(wanted) + 10)),
  two("heaviside", (x, y) => (Number.isNaN(x) ? NaN : x < 0 ? 0 : x > 0 ? 1 : y), 0, {
    ofIntegers: (x, y) => (x < 0n ? 0n : x > 0n ? 1n : y),
  }),
  // A logarithm (4) and a product.
  two("xlogy", (x, y) => (x === 0 && !Number.isNaN(y) ? 0 : x * Math.log(y)), 5, { ranges: [wide, positive] }),
  two("xlog1py", (x, y) => (x === 0 && !Number.isNaN(y) ? 0 : x * Math.log1p(y)), 5, { ranges: [wide, [-0.9, 20]] }),
  // In float64 for all; the reference's power and Γ are right to 2 · 10⁻¹³.
  two("igamma", igamma, (u, wanted) => 2 * u * Math.abs(wanted) + 2e-13, { ranges: shares }),
  two(
    "igammac",
    (a, x) => 1 - igamma(a, x),
    (u, wanted) => 2 * u * Math.abs(wanted) + 2e-13,
    { ranges: shares },
  ),
  two("prelu", (x, y) => (x > 0 ? x : x * y), 0.5),
  // sigmoid (8) and a product.
  two("gated", (x, y) => x * sigmoid(y), 9, {
    allowedBrief: (u, wanted, [, y]) => 2 * u * Math.abs(wanted) * (8 + 1.173 * Math.min(104, Math.abs(y!))),
  }),
  compare("eq", (x, y) => x === y),
  compare("ne", (x, y) => x !== y),
  compare("lt", (x, y) => x < y),
  compare("le", (x, y) => x <= y),
  compare("gt", (x, y) => x > y),
  compare("ge", (x, y) => x >= y),
  logical("logicalAnd", (x, y) => x && y),
  logical("logicalOr", (x, y) => x || y),
  logical("logicalXor", (x, y) => x !== y),
  bitwise(
    "bitwiseAnd",
    (x, y) => x & y,
    (x, y) => x && y,
  ),
  bitwise(
    "bitwiseOr",
    (x, y) => x | y,
    (x, y) => x || y,
  ),
  bitwise(
    "bitwiseXor",
    (x, y) => x ^ y,
    (x, y) => x !== y,
  ),
  { name: "gcd", ranges: [wide, wide], ofIntegers: gcd },
  {
    name: "lcm",
    ranges: [wide, wide],
    ofIntegers: (x, y) => (x === 0n || y === 0n ? 0n : (x * y < 0n ? -x * y : x * y) / gcd(x, y)),
  },
  {
    name: "bitwiseLeftShift",
    ranges: [wide, wide],
    ofIntegers: (x, y) => (y >= 0n && y < 64n ? x << y : 0n),
  },
  {
    name: "bitwiseRightShift",
    ranges: [wide, wide],
    ofIntegers: (x, y) => (y >= 0n && y < 64n ? x >> y : x < 0n ? -1n : 0n),
  },

  two("reluGradient", (g, y) => (Number.isNaN(y) ? NaN : y > 0 ? g : 0)),
  two("sigmoidGradient", (g, y) => g * y * (1 - y), 2, { ranges: [wide, [0, 1]] }),
  two(
    "tanhGradient",
    (g, y) => g * (1 - y * y),
    (u, _, [g]) => 3 * u * Math.abs(g!),
    { ranges: [wide, unit] },
  ),
  // σ (8) in the product, and its error once more where 1 − σ meets y.
  two(
    "siluGradient",
    (g, y) => g * (y === -Infinity ? 0 : y === Infinity ? 1 : sigmoid(y) * (1 + y * (1 - sigmoid(y)))),
    (u, _, [g, y]) => 20 * u * Math.abs(g!) * sigmoid(y!) * (1 + Math.abs(y!)),
    {
      ranges: [wide, wide],
      allowedBrief: (u, _, [g, y]) =>
        2 * u * Math.abs(g!) * sigmoid(y!) * (1 + Math.abs(y!)) * (16 + 2.4 * Math.min(104, Math.abs(y!))),
    },
  ),
  two(
    "geluGradient",
    (g, y) => g * (0.5 * erfc(-y * Math.SQRT1_2) + (density(y) === 0 ? 0 : y * density(y))),
    (u, _, [g, y]) =>
      2 * u * Math.abs(g!) * (8 + y! * y!) * (0.5 * erfc(-y! * Math.SQRT1_2) + Math.abs(y!) * density(y!)),
    {
      ranges: [wide, [-8, 8]],
      // Φ as in gelu, and φ by the same power; where they cancel, each keeps its error.
      allowedBrief: (u, _, [g, y]) =>
        Math.abs(g!) *
        (2 ** -16.8 + 2 * u * (12 + y! * y!)) *
        (0.5 * erfc(-y! * Math.SQRT1_2) + Math.abs(y!) * density(y!)),
    },
  ),
  two(
    "geluTanhGradient",
    (g, y) => {
      const t = Math.tanh(inner(y));
      return (
        g *
        (0.5 * (1 + t) + (t * t === 1 ? 0 : 0.5 * y * (1 - t * t) * Math.sqrt(2 / Math.PI) * (1 + 0.134145 * y * y)))
      );
    },
    (u, _, [g, y]) => u * Math.abs(g!) * (16 + 20 * Math.abs(y!) * (1 + 0.134145 * y! * y!)),
    {
      ranges: [wide, [-6, 6]],
      // σ(2z) and its slope: each has its power, where they cancel, too.
      allowedBrief: (u, _, [g, y]) => {
        const [share, slope] = [sigmoid(2 * inner(y!)), 1.6 * Math.abs(y!) * (1 + 0.134145 * y! * y!)];
        return 2 * u * Math.abs(g!) * share * (1 + slope) * (16 + 16 * Math.abs(inner(y!)));
      },
    },
  ),
];

/** Numbers of a shape, row-major. */
export interface Numbers {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

export interface ReductionCase {
  readonly name: OperationName;
  readonly attributes?: object;
  readonly range: readonly [number, number];
  readonly of: (values: readonly number[]) => number | boolean;
  /** The most that a result may be off; `depth`: roundings that one element passes through (roundingsOf). */
  readonly allowed: (u: number, wanted: number, values: readonly number[], depth: number) => number;
  /** Integers go the same way, and this is the sum that they give exactly. */
  readonly ofIntegers?: (values: readonly bigint[]) => bigint | boolean | number;
}

const exactly = () => 0;
const total = (values: readonly number[], each: (x: number) => number = (x) => x) =>
  values.reduce((sum, x) => sum + each(x), 0);
const variance = (values: readonly number[], correction: number) => {
  const mean = total(values) / values.length;
  return total(values, (x) => (x - mean) ** 2) / (values.length - correction);
};
// Deviations from a mean that is itself rounded: each square passes through the sum, and the mean's error is of the
// size of the numbers.
const varianceAllowed = (u: number, _: number, values: readonly number[], depth: number) =>
  (8 * (depth + 8) * u * total(values, (x) => x * x)) / Math.max(1, values.length - 1);
const extreme = (values: readonly number[], isBetter: (x: number, y: number) => boolean) => {
  const nan = values.findIndex(Number.isNaN);
  return nan >= 0 ? nan : values.reduce((best, x, index) => (isBetter(x, values[best]!) ? index : best), 0);
};
const largest = (values: readonly bigint[]) => values.reduce((best, x) => (x > best ? x : best));
const smallest = (values: readonly bigint[]) => values.reduce((best, x) => (x < best ? x : best));

export const reductionCases: readonly ReductionCase[] = [
  {
    name: "sum",
    range: wide,
    of: (values) => total(values),
    allowed: (u, _, values, depth) => total(values, Math.abs) * (depth * u * 1.01 + values.length * 2 ** -53),
    ofIntegers: (values) => values.reduce((sum, x) => sum + x, 0n),
  },
  {
    name: "mean",
    range: wide,
    of: (values) => total(values) / values.length,
    allowed: (u, wanted, values, depth) =>
      (total(values, Math.abs) * (depth * u * 1.01 + values.length * 2 ** -53)) / values.length + Math.abs(wanted) * u,
  },
  {
    name: "prod",
    range: [0.95, 1.05],
    of: (values) => values.reduce((product, x) => product * x, 1),
    allowed: (u, wanted, values) => values.length * 1.01 * u * Math.abs(wanted),
    ofIntegers: (values) => values.reduce((product, x) => BigInt.asIntN(64, product * x), 1n),
  },
  // The sum's error, halved by the root, the squares' and the root's.
  {
    name: "norm",
    range: wide,
    of: (values) => Math.sqrt(total(values, (x) => x * x)),
    allowed: (u, wanted, _, depth) => (depth + 3) * u * wanted,
  },
  {
    name: "max",
    range: wide,
    of: (values) => values[extreme(values, (x, y) => x > y)]!,
    allowed: exactly,
    ofIntegers: largest,
  },
  {
    name: "min",
    range: wide,
    of: (values) => values[extreme(values, (x, y) => x < y)]!,
    allowed: exactly,
    ofIntegers: smallest,
  },
  {
    name: "any",
    range: [0, 1],
    of: (values) => values.some((x) => x !== 0),
    allowed: exactly,
    ofIntegers: (values) => values.some((x) => x !== 0n),
  },
  {
    name: "all",
    range: [0, 1],
    of: (values) => values.every((x) => x !== 0),
    allowed: exactly,
    ofIntegers: (values) => values.every((x) => x !== 0n),
  },
  {
    name: "argmax",
    range: wide,
    of: (values) => extreme(values, (x, y) => x > y),
    allowed: exactly,
    ofIntegers: (values) => BigInt(values.indexOf(largest(values))),
  },
  {
    name: "argmin",
    range: wide,
    of: (values) => extreme(values, (x, y) => x < y),
    allowed: exactly,
    ofIntegers: (values) => BigInt(values.indexOf(smallest(values))),
  },
  // exp (4) of a difference that is rounded, once more where parts meet, and log (4).
  {
    name: "logsumexp",
    range: wide,
    of: (values) => {
      const most = Math.max(...values);
      return Number.isFinite(most) ? most + Math.log(total(values, (x) => Math.exp(x - most))) : most;
    },
    allowed: (u, wanted, _, depth) => u * (9 * depth + 64) + 9 * u * Math.abs(wanted),
  },
  {
    name: "variance",
    attributes: { correction: 1 },
    range: wide,
    of: (values) => variance(values, 1),
    allowed: varianceAllowed,
  },
  {
    name: "std",
    attributes: { correction: 0 },
    range: wide,
    of: (values) => Math.sqrt(variance(values, 0)),
    allowed: (u, wanted, values, depth) =>
      (wanted === 0 ? 0 : varianceAllowed(u, wanted, values, depth) / (2 * wanted)) + u * wanted,
  },
];

/** A whole operation: inputs of given shapes, attributes, and the result that float64 gives. */
export interface WholeCase {
  readonly name: OperationName;
  readonly shapes: readonly (readonly number[])[];
  readonly attributes?: object;
  readonly of: (...inputs: Numbers[]) => Numbers;
  readonly allowed?: (u: number, index: number, ...inputs: Numbers[]) => number;
  /** The first input is a mask. */
  readonly isMasked?: boolean;
}

const sizeOf = (shape: readonly number[]) => shape.reduce((size, length) => size * length, 1);
/** The result whose element at each index is a number of `f`. */
export function made(shape: readonly number[], f: (index: readonly number[]) => number): Numbers {
  return { shape, values: Array.from({ length: sizeOf(shape) }, (_, flat) => f(placeOf(flat, shape))) };
}
/** The index along each axis of an element in row-major order. */
function placeOf(flat: number, shape: readonly number[]): number[] {
  const index = [...shape];
  for (let axis = shape.length - 1, rest = flat; axis >= 0; rest = Math.floor(rest / shape[axis--]!))
    index[axis] = rest % shape[axis]!;
  return index;
}
/** The element at an index; axes of size 1 broadcast, and missing ones come first. */
export function at({ shape, values }: Numbers, index: readonly number[]): number {
  return values[
    shape.reduce(
      (flat, length, axis) => flat * length + (length === 1 ? 0 : index[index.length - shape.length + axis]!),
      0,
    )
  ]!;
}
const dot = (a: Numbers, b: Numbers, index: readonly number[], each: (x: number) => number) => {
  const [batch, row, column] = [index.slice(0, -2), index.at(-2)!, index.at(-1)!];
  return total(
    Array.from({ length: a.shape.at(-1)! }, (_, k) => each(at(a, [...batch, row, k]) * at(b, [...batch, k, column]))),
  );
};
const matmul = (shapes: readonly [readonly number[], readonly number[]], shape: readonly number[]): WholeCase => ({
  name: "matmul",
  shapes,
  of: (a, b) => made(shape, (index) => dot(a, b, index, (x) => x)),
  // Two roundings for each of k products; float64 sums in another order itself.
  allowed: (u, flat, a, b) => (a.shape.at(-1)! + 1) * (u + 2 ** -53) * 1.01 * dot(a, b, placeOf(flat, shape), Math.abs),
});
const sizes: readonly number[] = [0, 1, 65, 768, 1000, 1025];

export const wholeCases: readonly WholeCase[] = [
  ...[
    [1, 1, 1],
    [5, 0, 4],
    [65, 17, 33],
    [64, 64, 64],
    [70, 129, 66],
  ].map(([m, k, n]) =>
    matmul(
      [
        [m!, k!],
        [k!, n!],
      ],
      [m!, n!],
    ),
  ),
  ...sizes.map((k) =>
    matmul(
      [
        [2, k],
        [k, 3],
      ],
      [2, 3],
    ),
  ),
  matmul(
    [
      [3, 1, 4, 5],
      [2, 5, 6],
    ],
    [3, 2, 4, 6],
  ),
  ...sizes.flatMap<WholeCase>((n) => [
    {
      name: "where",
      shapes: [[n], [n], [n]],
      isMasked: true,
      of: (mask, x, y) => made([n], (index) => (at(mask, index) === 1 ? at(x, index) : at(y, index))),
    },
    {
      name: "reshapeTo",
      shapes: [[n, 6]],
      attributes: { shape: [3, n, 2] },
      of: ({ values }) => ({ shape: [3, n, 2], values }),
    },
    {
      name: "permute",
      shapes: [[n, 2, 3]],
      attributes: { axes: [2, 0, 1] },
      of: (x) => made([3, n, 2], ([k, i, j]) => at(x, [i!, j!, k!])),
    },
    {
      name: "slice",
      shapes: [[3, n]],
      attributes: { slices: [-1, [0, null, 2]] },
      of: (x) => made([Math.ceil(n / 2)], ([i]) => at(x, [2, 2 * i!])),
    },
    {
      name: "sliceGradient",
      shapes: [[Math.ceil(n / 2)]],
      attributes: { window: { slices: [-1, [0, null, 2]] }, shape: [3, n] },
      of: (x) => made([3, n], ([row, i]) => (row === 2 && i! % 2 === 0 ? x.values[i! / 2]! : 0)),
    },
    {
      name: "expand",
      shapes: [[n, 1]],
      attributes: { shape: [2, n, 5] },
      of: (x) => made([2, n, 5], ([, i]) => x.values[i!]!),
    },
    { name: "fullLike", shapes: [[n]], attributes: { value: 0.75 }, of: () => made([n], () => 0.75) },
    {
      name: "sumTo",
      shapes: [[3, n, 2]],
      attributes: { shape: [n, 1] },
      of: (x) => made([n, 1], ([i]) => total([0, 1, 2].flatMap((k) => [at(x, [k, i!, 0]), at(x, [k, i!, 1])]))),
      allowed: (u, flat, x) =>
        6 *
        (u + 2 ** -53) *
        total(
          [0, 1, 2].flatMap((k) => [at(x, [k, flat, 0]), at(x, [k, flat, 1])]),
          Math.abs,
        ),
    },
  ]),
  {
    name: "reshape",
    shapes: [[4, 6]],
    attributes: { shape: [3, 8], strides: [8, 1] },
    of: ({ values }) => ({ shape: [3, 8], values }),
  },
  {
    name: "where",
    shapes: [[4, 1], [3], [1]],
    isMasked: true,
    of: (mask, x, y) => made([4, 3], (index) => (at(mask, index) === 1 ? at(x, index) : at(y, index))),
  },
];

/** Operations whose cases are in a file of their own. */
export const elsewhere: Partial<Record<OperationName, string>> = {
  viewAsReal: "test/device/complex.test.ts",
  viewAsComplex: "test/device/complex.test.ts",
  complex: "test/device/complex.test.ts",
  reflections: "test/device/factors.test.ts",
  complexFunction: "test/device/complex-functions.test.ts",
  complexPower: "test/device/complex-functions.test.ts",
  fourier: "test/device/fft.test.ts",
  triangle: "test/device/linalg-gradients.test.ts",
  cholesky: "test/device/linalg-gradients.test.ts",
  choleskyInverse: "test/device/linalg-functions.test.ts",
  solve: "test/device/linalg-gradients.test.ts",
  solveFactored: "test/device/linalg-gradients.test.ts",
  inverse: "test/device/linalg-gradients.test.ts",
  solveTriangular: "test/device/linalg-gradients.test.ts",
  det: "test/device/linalg-gradients.test.ts",
  slogdet: "test/device/linalg-gradients.test.ts",
  factoredDeterminant: "test/device/linalg-gradients.test.ts",
  eigh: "test/device/linalg-gradients.test.ts",
  eigenParts: "test/device/eig.test.ts",
  svd: "test/device/linalg-gradients.test.ts",
  qr: "test/device/linalg-gradients.test.ts",
  pseudoInverse: "test/device/linalg-gradients.test.ts",
  leastSquares: "test/device/linalg-gradients.test.ts",
  luFactors: "test/device/factors.test.ts",
  rowOrder: "test/device/factors.test.ts",
  attention: "test/device/attention.test.ts",
  attentionGradient: "test/device/attention.test.ts",
  packedAttention: "test/device/attention.test.ts",
  packedAttentionGradient: "test/device/attention.test.ts",
  sequencesAttention: "test/device/attention-sequences.test.ts",
  sequencesAttentionGradient: "test/device/attention-sequences.test.ts",
  convolution: "test/device/convolution.test.ts",
  convolutionInput: "test/device/convolution.test.ts",
  convolutionWeight: "test/device/convolution.test.ts",
  patches: "test/device/convolution.test.ts",
  fromPatches: "test/device/convolution.test.ts",
  maxPool: "test/device/pooling.test.ts",
  maxPoolGradient: "test/device/pooling.test.ts",
  takePooled: "test/device/pooling.test.ts",
  averagePool: "test/device/pooling.test.ts",
  averagePoolGradient: "test/device/pooling.test.ts",
  batchNorm: "test/device/channel-norms.test.ts",
  batchNormGradient: "test/device/channel-norms.test.ts",
  normalizeChannels: "test/device/channel-norms.test.ts",
  lstm: "test/device/recurrent.test.ts",
  lstmGradient: "test/device/recurrent.test.ts",
  gru: "test/device/recurrent.test.ts",
  gruGradient: "test/device/recurrent.test.ts",
  nextafter: "test/device/float-functions.test.ts",
  ldexp: "test/device/rare-functions.test.ts",
  frexpMantissa: "test/device/rare-functions.test.ts",
  frexpExponent: "test/device/rare-functions.test.ts",
  unfold: "test/device/unfold.test.ts",
  clone: "test/device/axis-order.test.ts",
  convert: "test/device/conversion.test.ts",
  lerp: "test/device/mixing.test.ts",
  mseLoss: "test/device/losses.test.ts",
  l1Loss: "test/device/losses.test.ts",
  smoothL1Loss: "test/device/losses.test.ts",
  huberLoss: "test/device/losses.test.ts",
  bceWithLogitsLoss: "test/device/losses.test.ts",
  lossGradient: "test/device/losses.test.ts",
  linear: "test/device/linear.test.ts",
  linearWeightGradient: "test/device/linear.test.ts",
  quantize: "test/device/quantized.test.ts",
  dequantize: "test/device/quantized.test.ts",
  quantizedMatmul: "test/device/quantized.test.ts",
  scaledMatmul: "test/device/float8.test.ts",
  float8Linear: "test/device/float8-linear.test.ts",
  float8LinearGradient: "test/device/float8-linear.test.ts",
  sparseMatmul: "test/device/sparse.test.ts",
  sparseSampled: "test/device/sparse.test.ts",
  expandPairs: "test/device/sparse.test.ts",
  embedding: "test/device/embedding.test.ts",
  embeddingGradient: "test/device/embedding.test.ts",
  set: "test/device/indexing.test.ts",
  takeAt: "test/device/indexing.test.ts",
  cleared: "test/device/views.test.ts",
  takeAtGradient: "test/device/indexing.test.ts",
  selectTrue: "test/device/indexing.test.ts",
  spreadTrue: "test/device/indexing.test.ts",
  put: "test/device/indexing.test.ts",
  countFrom: "test/device/indexing.test.ts",
  takeAxis: "test/device/indexing.test.ts",
  takeAxisGradient: "test/device/indexing.test.ts",
  putAxis: "test/device/indexing.test.ts",
  softmax: "test/device/normalization.test.ts",
  logSoftmax: "test/device/normalization.test.ts",
  softmaxGradient: "test/device/normalization.test.ts",
  logSoftmaxGradient: "test/device/normalization.test.ts",
  layerNorm: "test/device/normalization.test.ts",
  rmsNorm: "test/device/normalization.test.ts",
  layerNormGradient: "test/device/normalization.test.ts",
  rmsNormGradient: "test/device/normalization.test.ts",
  classPlaces: "test/device/losses.test.ts",
  crossEntropyMean: "test/device/losses.test.ts",
  ctcLoss: "test/device/ctc.test.ts",
  ctcLossGradient: "test/device/ctc.test.ts",
  crossEntropyRows: "test/device/losses.test.ts",
  crossEntropyGradient: "test/device/losses.test.ts",
  dropout: "test/device/normalization.test.ts",
  cumsum: "test/device/scans.test.ts",
  cumprod: "test/device/scans.test.ts",
  logcumsumexp: "test/device/scans.test.ts",
  cummax: "test/device/scans.test.ts",
  cummin: "test/device/scans.test.ts",
  sort: "test/device/sorting.test.ts",
  argsort: "test/device/sorting.test.ts",
  searchsorted: "test/device/sorting.test.ts",
  takeAlong: "test/device/sorting.test.ts",
  putAlong: "test/device/sorting.test.ts",
  sumRuns: "test/device/sorting.test.ts",
  topk: "test/device/sorting.test.ts",
  histogram: "test/device/sorting.test.ts",
  histogramPlaces: "test/device/sorting.test.ts",
  bincount: "test/device/sorting.test.ts",
  cat: "test/device/shaping.test.ts",
  stack: "test/device/shaping.test.ts",
  roll: "test/device/shaping.test.ts",
  padConstant: "test/device/shaping.test.ts",
  diagonal: "test/device/shaping.test.ts",
  onDiagonal: "test/device/shaping.test.ts",
};
