// Bessel functions of the orders 0 and 1 in float64, as references: by integrals and sums that the library does not use.

/** Jₙ(x) as the mean of cos(nθ − x sin θ) over the circle: of more than |x| + n + 40 equal steps it is exact (10.9.2). */
function besselJ(n: number, x: number): number {
  const steps = 2 * Math.ceil((Math.abs(x) + n + 60) / 2);
  let sum = 0;
  for (let k = 0; k < steps; k++) {
    const angle = (2 * Math.PI * k) / steps;
    sum += Math.cos(n * angle - x * Math.sin(angle));
  }
  return sum / steps;
}

const euler = 0.5772156649015329;

/** Y₀ and Y₁ by Neumann's series in J (10.8.1 and 10.23.16), which ends where the order is far above x. */
function besselY(order: 0 | 1, x: number): number {
  if (Number.isNaN(x) || x < 0) return NaN;
  if (x === 0) return -Infinity;
  if (x < 1e-30) return order === 0 ? (2 / Math.PI) * (Math.log(x / 2) + euler) : -2 / Math.PI / x;
  const last = Math.ceil(x) + 40;
  let sum = 0;
  for (let k = 1; k <= last; k++) {
    const share = order === 0 ? 2 / k : (2 * k + 1) / (k * (k + 1));
    sum += (k % 2 === 0 ? 1 : -1) * share * besselJ(2 * k + order, x);
  }
  const log = Math.log(x / 2) + euler - order;
  return (2 / Math.PI) * (log * besselJ(order, x) - sum - (order === 0 ? 0 : besselJ(0, x) / x));
}

/** eˣ Kₖ(x): its integral over t (10.32.9) in equal steps, which are exact as the integrand falls off doubly fast. */
function besselK(order: 0 | 1, isScaled: boolean, x: number): number {
  if (Number.isNaN(x) || x < 0) return NaN;
  if (x === 0) return Infinity;
  if (x === Infinity) return 0;
  if (x < 1e-30) return order === 0 ? -Math.log(x / 2) - euler : 1 / x;
  if (x > 1e15) return isScaled ? Math.sqrt(Math.PI / 2) / Math.sqrt(x) : 0;
  // Of x large the integrand is e^(−xt²/2).
  const step = Math.min(1 / 32, 1 / (4 * Math.sqrt(x)));
  let sum = 0.5;
  for (let k = 1; ; k++) {
    const t = k * step;
    const fall = 2 * x * Math.sinh(t / 2) ** 2;
    const term = Math.exp(-fall) * (order === 0 ? 1 : Math.cosh(t));
    sum += term;
    if (fall > 60 && term < 1e-20 * sum) break;
  }
  return sum * step * (isScaled ? 1 : Math.exp(-x));
}

const ofLimits = (f: (x: number) => number) => (x: number) =>
  Number.isNaN(x) ? NaN : Math.abs(x) === Infinity ? 0 : f(x);
export const besselJ0 = ofLimits((x) => besselJ(0, x));
export const besselJ1 = ofLimits((x) => (Math.abs(x) < 1e-30 ? x / 2 : besselJ(1, x)));
const positive = (order: 0 | 1) => (x: number) => (x === Infinity ? 0 : besselY(order, x));
export const besselY0 = positive(0);
export const besselY1 = positive(1);
export const modifiedBesselK0 = (x: number): number => besselK(0, false, x);
export const modifiedBesselK1 = (x: number): number => besselK(1, false, x);
export const scaledModifiedBesselK0 = (x: number): number => besselK(0, true, x);
export const scaledModifiedBesselK1 = (x: number): number => besselK(1, true, x);
