// The operations of the table as functions: `exp(x)`, `maximum(x, 0)`, `sub(1, x)`. A test compares this list with the
// table, and the sentences with those of the rows.
import { functionsOf } from "./methods.ts";
import { Tensor } from "./tensor.ts";

const functions = functionsOf((value) => value instanceof Tensor);

/** −x. Integers wrap around. */
export const neg = functions.neg;
/** |x|. */
export const abs = functions.abs;
/** x itself, as a copy. */
export const positive = functions.positive;
/** −1, 0 or 1; NaN for NaN. */
export const sign = functions.sign;
/** Whether the sign is −, also that of −0 and NaN. */
export const signbit = functions.signbit;
/** x². */
export const square = functions.square;
/** 1/x. */
export const reciprocal = functions.reciprocal;
/** e^x. */
export const exp = functions.exp;
/** 2^x. */
export const exp2 = functions.exp2;
/** e^x − 1, accurate near 0. */
export const expm1 = functions.expm1;
/** Natural logarithm. */
export const log = functions.log;
/** Logarithm to base 2. */
export const log2 = functions.log2;
/** Logarithm to base 10. */
export const log10 = functions.log10;
/** log(1 + x), accurate near 0. */
export const log1p = functions.log1p;
/** √x. */
export const sqrt = functions.sqrt;
/** 1/√x. */
export const rsqrt = functions.rsqrt;
/** Cube root. */
export const cbrt = functions.cbrt;
/** Sine, of radians. */
export const sin = functions.sin;
/** Cosine, of radians. */
export const cos = functions.cos;
/** Tangent, of radians. */
export const tan = functions.tan;
/** sin(πx)/(πx), and 1 at 0. */
export const sinc = functions.sinc;
/** Arc sine, in radians. */
export const asin = functions.asin;
/** Arc cosine, in radians. */
export const acos = functions.acos;
/** Arc tangent, in radians. */
export const atan = functions.atan;
/** Hyperbolic sine. */
export const sinh = functions.sinh;
/** Hyperbolic cosine. */
export const cosh = functions.cosh;
/** Hyperbolic tangent. */
export const tanh = functions.tanh;
/** Inverse hyperbolic sine. */
export const asinh = functions.asinh;
/** Inverse hyperbolic cosine; NaN below 1. */
export const acosh = functions.acosh;
/** Inverse hyperbolic tangent; NaN beyond ±1. */
export const atanh = functions.atanh;
/** The error function. */
export const erf = functions.erf;
/** 1 − erf(x), accurate for large x. */
export const erfc = functions.erfc;
/** The inverse of {@link erf}. */
export const erfinv = functions.erfinv;
/** log |Γ(x)|. */
export const lgamma = functions.lgamma;
/** The largest integer that is not above x. */
export const floor = functions.floor;
/** The smallest integer that is not below x. */
export const ceil = functions.ceil;
/** To the nearest integer, ties to even. */
export const round = functions.round;
/** Towards zero. */
export const trunc = functions.trunc;
/** x − trunc(x). */
export const frac = functions.frac;
/** True where x is NaN. */
export const isnan = functions.isnan;
/** True where x is ∞ or −∞. */
export const isinf = functions.isinf;
/** True where x is neither infinite nor NaN. */
export const isfinite = functions.isfinite;
/** True where x is 0. */
export const logicalNot = functions.logicalNot;
/** ~x; of bools the opposite. */
export const bitwiseNot = functions.bitwiseNot;
/** max(x, 0). */
export const relu = functions.relu;
/** max(x, 0), at most 6. */
export const relu6 = functions.relu6;
/** 1/(1 + e^−x). */
export const sigmoid = functions.sigmoid;
/** log(sigmoid(x)). */
export const logSigmoid = functions.logSigmoid;
/** x · sigmoid(x). */
export const silu = functions.silu;
/** x/(1 + |x|). */
export const softsign = functions.softsign;
/** 0 below −3, 1 above 3, x/6 + ½ between. */
export const hardsigmoid = functions.hardsigmoid;
/** x · hardsigmoid(x). */
export const hardswish = functions.hardswish;
/** log(1 + e^x). */
export const softplus = functions.softplus;
/** x · tanh(softplus(x)). */
export const mish = functions.mish;
/** x − tanh(x). */
export const tanhshrink = functions.tanhshrink;
/** 1.0507… · x where x > 0, else 1.0507… · 1.6733… · (e^x − 1). */
export const selu = functions.selu;
/** a + b. Integers wrap around. */
export const add = functions.add;
/** a − b. */
export const sub = functions.sub;
/** a · b. */
export const mul = functions.mul;
/** True division: integers give float32. */
export const div = functions.div;
/** Division rounded towards −∞; by 0 an integer gives 0. */
export const floorDivide = functions.floorDivide;
/** What {@link floorDivide} leaves: it has the divisor's sign. */
export const remainder = functions.remainder;
/** What division rounded towards zero leaves: it has the dividend's sign. */
export const fmod = functions.fmod;
/** a^b. Integers to a negative power give 0, or ±1. */
export const pow = functions.pow;
/** The larger one; NaN where either is. */
export const maximum = functions.maximum;
/** The smaller one; NaN where either is. */
export const minimum = functions.minimum;
/** The angle of (b, a), in radians. */
export const atan2 = functions.atan2;
/** √(a² + b²), without overflow between. */
export const hypot = functions.hypot;
/** |a| with the sign of b. */
export const copysign = functions.copysign;
/** log(e^a + e^b), without overflow. */
export const logaddexp = functions.logaddexp;
/** log₂(2^a + 2^b), without overflow. */
export const logaddexp2 = functions.logaddexp2;
/** 0 where a is below 0, 1 where it is above, b where it is 0; NaN where it is NaN. */
export const heaviside = functions.heaviside;
/** a · log b, which is 0 where a is, unless b is NaN. */
export const xlogy = functions.xlogy;
/** The next number from a towards b that the dtype has; of float32 and float64. */
export const nextafter = functions.nextafter;
/** True where a = b; NaN equals nothing. */
export const eq = functions.eq;
/** True where a ≠ b. */
export const ne = functions.ne;
/** True where a < b. */
export const lt = functions.lt;
/** True where a ≤ b. */
export const le = functions.le;
/** True where a > b. */
export const gt = functions.gt;
/** True where a ≥ b. */
export const ge = functions.ge;
/** True where neither is 0. */
export const logicalAnd = functions.logicalAnd;
/** True where not both are 0. */
export const logicalOr = functions.logicalOr;
/** True where exactly one is 0. */
export const logicalXor = functions.logicalXor;
/** The bits that both have; of bools whether both are true. */
export const bitwiseAnd = functions.bitwiseAnd;
/** The bits that either has; of bools whether either is true. */
export const bitwiseOr = functions.bitwiseOr;
/** The bits that exactly one has; of bools whether they differ. */
export const bitwiseXor = functions.bitwiseXor;
/** a · 2^b, in the bits that a has. */
export const bitwiseLeftShift = functions.bitwiseLeftShift;
/** a / 2^b, rounded towards −∞. */
export const bitwiseRightShift = functions.bitwiseRightShift;
