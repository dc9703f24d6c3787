// Special functions in float64 that JavaScript has not, as references: right to a few units in the last place.

const perRootPi = 2 / Math.sqrt(Math.PI);

/** e^(−x²): the square in two parts, so that its rounding is not magnified. */
function gauss(x: number): number {
  const high = Math.round(x * 1024) / 1024;
  return Math.exp(-high * high) * Math.exp(-(x - high) * (x + high));
}

/** The series of positive terms (Abramowitz and Stegun, 7.1.6). */
function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 2 ** -60; n++) sum += term *= (2 * x * x) / (2 * n + 1);
  return perRootPi * gauss(x) * sum;
}

/** The continued fraction (Abramowitz and Stegun, 7.1.14), for x ≥ ½; `power`: what it is multiplied by. */
function erfcFraction(x: number, power = gauss(x)): number {
  let tail = x;
  for (let n = Math.ceil(40 + 250 / (x * x)); n > 0; n--) tail = x + n / 2 / tail;
  return power / (Math.sqrt(Math.PI) * tail);
}

export function erfc(x: number): number {
  if (Number.isNaN(x)) return NaN;
  if (x > 30) return 0;
  if (x < -6) return 2;
  return x < 0.5 ? 1 - erf(x) : erfcFraction(x);
}

/** e^(x²) · erfc(x): by the continued fraction without its power, below by 2e^(x²) less that of −x. */
export function erfcx(x: number): number {
  if (Number.isNaN(x)) return NaN;
  if (x > 1e8) return 1 / Math.sqrt(Math.PI) / x;
  if (x >= 0.5) return erfcFraction(x, 1);
  if (x < -0.5) return x < -27 ? Infinity : 2 / gauss(x) - erfcx(-x);
  return (1 - erf(x)) / gauss(x);
}

export function ndtr(x: number): number {
  return 0.5 * erfc(-x * Math.SQRT1_2);
}

export function logNdtr(x: number): number {
  if (x === -Infinity) return x;
  return x < -1 ? Math.log(0.5 * erfcx(-x * Math.SQRT1_2)) - 0.5 * x * x : Math.log1p(-0.5 * erfc(x * Math.SQRT1_2));
}

/**
 * Hurwitz' ζ(s, q): 200 terms, and the integral of the rest with its first corrections (NIST's handbook, 2.10.1), of
 * which the next is below 10⁻²⁰; below 0 by recurrence.
 */
export function zeta(s: number, q: number): number {
  if (Number.isNaN(s) || Number.isNaN(q)) return NaN;
  if (s <= 1) return s === 1 ? Infinity : NaN;
  if (q <= 0) {
    if (Number.isInteger(q)) return Infinity;
    if (!Number.isInteger(s) || q === -Infinity) return NaN;
    // What lies far below counts as little as what lies far above.
    const above = q - Math.floor(q);
    const sign = s % 2 === 1 ? -1 : 1;
    return zeta(s, above) + sign * (zeta(s, Math.ceil(q) - q) - zeta(s, 1 - q));
  }
  if (s === Infinity) return q < 1 ? Infinity : q === 1 ? 1 : 0;
  if (q === Infinity) return 0;
  let sum = 0;
  for (let k = 199; k >= 0; k--) sum += (q + k) ** -s;
  const z = q + 200;
  const rest = z / (s - 1) + 0.5 + (s / 12) * (1 / z) * (1 - ((s + 1) * (s + 2)) / 60 / z ** 2);
  // 0 · ∞ where the power is nothing.
  const power = z ** -s;
  return power === 0 ? sum : sum + power * rest;
}

export function erf(x: number): number {
  if (x === 0 || Number.isNaN(x)) return x;
  if (Math.abs(x) > 6) return Math.sign(x);
  return Math.abs(x) < 2 ? erfSeries(x) : Math.sign(x) * (1 - erfcFraction(Math.abs(x)));
}

/** By Newton's method on erfc, whose argument 1 − |y| is exact where it matters. */
export function erfinv(y: number): number {
  const size = Math.abs(y);
  if (y === 0 || !(size < 1)) return size === 1 ? y * Infinity : y === 0 ? y : NaN;
  let x = size < 0.9 ? size : Math.sqrt(-Math.log(1 - size));
  for (let step = 0; step < 60; step++) {
    const miss = size < 0.5 ? erf(x) - size : 1 - size - erfc(x);
    const next = x - miss / (perRootPi * gauss(x)) / (1 + (x * miss) / (perRootPi * gauss(x)));
    if (Math.abs(next - x) <= Math.abs(x) * 2 ** -53) break;
    x = next;
  }
  return Math.sign(y) * x;
}

/**
 * log Γ(x) for x > 0: Stirling's series after a shift (Abramowitz and Stegun, 6.1.41), right to 2 · 10⁻¹⁴: the terms
 * are about 30, and cancel.
 */
export function lgamma(x: number): number {
  if (Number.isNaN(x) || x < 0) return NaN;
  if (x === 0 || x === Infinity) return Infinity;
  let shift = 1;
  let z = x;
  for (; z < 12; z += 1) shift *= z;
  const r = 1 / (z * z);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - (r * 691) / 360360))))) / z;
  return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - Math.log(shift);
}

/** By bisection of Φ, of which the smaller side is compared; −38.5 is the last that float64 has a Φ of. */
export function ndtri(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? -Infinity : p === 1 ? Infinity : NaN;
  if (p > 0.5) return -ndtri(1 - p);
  let [low, high] = [-38.5, 0];
  while (true) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (ndtr(middle) < p) low = middle;
    else high = middle;
  }
}

/** Bits behind the point of numbers in fixed point. */
const places = 200n;
const fixed = (x: number): bigint => BigInt(Math.round(x * 2 ** Number(places)));
/** The nearest float64 of a positive number. */
function float(x: bigint): number {
  const rest = Math.max(0, x.toString(2).length - 64);
  return Number(x >> BigInt(rest)) * 2 ** (rest - Number(places));
}
/** 1 + factor/1 · (1 + factor/2 · …) with what divides at each step, until a term is nothing. */
function series(factor: bigint, divisor: (step: bigint) => bigint): bigint {
  let [sum, term] = [1n << places, 1n << places];
  for (let step = 1n; term > 0n; step++) sum += term = ((term * factor) >> places) / divisor(step);
  return sum;
}

/**
 * Iₖ(x) for k = 0 or 1, or e^−|x| Iₖ(x): the power series (NIST's handbook, 10.25.2) in fixed point, beyond 800 the
 * first terms of the one in 1/x (10.40.1), of which the sixth is below 10⁻¹⁷.
 */
function bessel(order: 0 | 1, isScaled: boolean, x: number): number {
  const size = Math.abs(x);
  const sign = order === 1 && (x < 0 || Object.is(x, -0)) ? -1 : 1;
  if (Number.isNaN(x)) return NaN;
  if (size < 2 ** -60) return order === 0 ? 1 : x / 2;
  if (size > 800) {
    if (!isScaled) return sign * Infinity;
    const [a, r] = [4 * order ** 2, 1 / (8 * size)];
    const rest =
      1 -
      (a - 1) *
        r *
        (1 - (((a - 9) * r) / 2) * (1 - (((a - 25) * r) / 3) * (1 - (((a - 49) * r) / 4) * (1 - ((a - 81) * r) / 5))));
    return (sign * rest) / Math.sqrt(2 * Math.PI) / Math.sqrt(size);
  }
  const at = fixed(size);
  const sum = series((at * at) >> (places + 2n), (step) => step * (step + BigInt(order)));
  const whole = order === 0 ? sum : (at * sum) >> (places + 1n);
  return sign * float(isScaled ? (whole << places) / series(at, (step) => step) : whole);
}
export const i0 = (x: number): number => bessel(0, false, x);
export const i0e = (x: number): number => bessel(0, true, x);
export const i1 = (x: number): number => bessel(1, false, x);
export const i1e = (x: number): number => bessel(1, true, x);

/** 1/t − 1/(1 − e^−t), near 0 by the first terms of its series. */
function differenceOfInverses(t: number): number {
  if (t > 0.25) return 1 / t + 1 / Math.expm1(-t);
  const r = t * t;
  return -0.5 - (t / 12) * (1 - (r / 60) * (1 - (r / 42) * (1 - (r / 40) * (1 - (r * 10) / 396))));
}

/**
 * The n-th slope of ψ: its integral (Abramowitz and Stegun, 6.3.21 and 6.4.1) in steps of log t, which sums of equal
 * steps give to e^−(π²/step), above 1; below by recurrence (6.4.6), far above by the first term (6.4.11).
 */
export function polygamma(n: number, x: number): number {
  if (x === Infinity) return n === 0 ? x : 0;
  if (Number.isNaN(x) || x === -Infinity) return NaN;
  if (x <= 0 && Number.isInteger(x)) return n % 2 === 0 ? NaN : Infinity;
  let factorial = 1;
  for (let k = 2; k <= n; k++) factorial *= k;
  const sign = n % 2 === 0 ? -1 : 1;
  if (x > 2 ** 60) return n === 0 ? Math.log(x) : (sign * factorial) / n / x ** n;
  if (x < 1) return (sign * factorial) / x ** (n + 1) + polygamma(n, x + 1);
  const step = 1 / 8;
  let sum = 0;
  for (let k = -50 / step; k < (4 + Math.log(n + 1)) / step; k++) {
    const place = k * step - Math.log(x);
    const t = Math.exp(place);
    sum +=
      n === 0 ? differenceOfInverses(t) * Math.exp(place - x * t) : (Math.exp(n * place - x * t) * t) / -Math.expm1(-t);
  }
  return n === 0 ? Math.log(x) + step * sum : sign * step * sum;
}

/** The sizes of the sums that make up {@link polygamma}, which cancel below 0, and for n = 0 near its zero. */
export function polygammaSize(n: number, x: number): number {
  const above = x - Math.floor(x);
  const parts = x > 0 ? [x] : [above, Math.ceil(x) - x, 1 - x];
  return parts.reduce((sum, y) => sum + (n === 0 ? 1 / y + 3 + Math.log(y + 8) : Math.abs(polygamma(n, y))), 0);
}

/**
 * The share of the gamma distribution of shape a below x: its power series (NIST's handbook, 8.11.4) in fixed point, in
 * front of which a power and Γ are right to 2 · 10⁻¹³ for a < 40 and x < 80.
 */
export function igamma(a: number, x: number): number {
  if (!(a >= 0 && x >= 0)) return NaN;
  if (a === 0) return x === 0 ? NaN : 1;
  if (x === 0) return 0;
  if (a === Infinity) return x === Infinity ? NaN : 0;
  // Beyond what is computed: the distribution is narrow beside a, whose median lies a little below it (8.11.12).
  if (a > 1e3) return x < a ? 0 : x === a ? 0.5 + 1 / 3 / Math.sqrt(2 * Math.PI) / Math.sqrt(a) : 1;
  if (x > 1e3) return 1;
  const [at, shape, one] = [fixed(x), fixed(a), 1n << places];
  let [sum, term] = [one, one];
  for (let n = 1n; term > 0n; n++) sum += term = (term * at) / (shape + n * one);
  return Math.min(1, Math.exp(a * Math.log(x) - x - lgamma(a + 1)) * float(sum));
}
