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

/** The continued fraction (Abramowitz and Stegun, 7.1.14), for x ≥ ½. */
function erfcFraction(x: number): number {
  let tail = x;
  for (let n = Math.ceil(40 + 250 / (x * x)); n > 0; n--) tail = x + n / 2 / tail;
  return gauss(x) / (Math.sqrt(Math.PI) * tail);
}

export function erfc(x: number): number {
  if (Number.isNaN(x)) return NaN;
  if (x > 30) return 0;
  if (x < -6) return 2;
  return x < 0.5 ? 1 - erf(x) : erfcFraction(x);
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
