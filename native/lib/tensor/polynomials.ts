// Orthogonal polynomials of one degree, element by element, by the recurrences that define them.
import type { DType } from "../memory/dtype.ts";
import { floatOf, type FloatOf } from "../memory/promotion.ts";
import { count, define } from "./arguments.ts";
import { onesLike } from "./joining.ts";
import type { Tensor } from "./tensor.ts";

/** Values of the polynomial of degree n at x; the time grows with n. */
type Polynomial = <D extends DType>(x: Tensor<D>, n: number) => Tensor<FloatOf<D>>;

/** p₁(x) = a · x + b, and pₙ₊₁(x) = (a · x + b) · pₙ(x) − c · pₙ₋₁(x), where a, b and c depend on n. */
interface Recurrence {
  readonly first: readonly [a: number, b: number];
  readonly next: (n: number) => readonly [a: number, b: number, c: number];
}

function polynomial(name: string, { first, next }: Recurrence, shift = false): Polynomial {
  return define(name, { required: { n: count } }, (given, { n }) => {
    const float = given.to(floatOf(given.dtype));
    const x = shift ? float.mul(2).sub(1) : float;
    if (n === 0) return onesLike(x);
    const line = (a: number, b: number) => (b === 0 ? x.mul(a) : x.mul(a).add(b));
    let [before, now]: Tensor[] = [onesLike(x), line(...first)];
    for (let degree = 1; degree < n; degree++) {
      const [a, b, c] = next(degree);
      [before, now] = [now, line(a, b).mul(now!).sub(before!.mul(c))];
    }
    return now!;
  });
}

const chebyshev = (...first: [number, number]): Recurrence => ({ first, next: () => [2, 0, 1] });
const first = chebyshev(1, 0);
const second = chebyshev(2, 0);
const third = chebyshev(2, -1);
const fourth = chebyshev(2, 1);

/**
 * Chebyshev's polynomial of the first kind, Tₙ(cos θ) = cos nθ; the time grows with n.
 * @example
 * chebyshevPolynomialT(tensor([0.5, 2]), 2); // → tensor([-0.5,  7.0], shape [2], float32, cpu)
 */
export const chebyshevPolynomialT: Polynomial = polynomial("chebyshevPolynomialT", first);
/**
 * Chebyshev's polynomial of the second kind, Uₙ(cos θ) = sin (n + 1)θ / sin θ.
 * @example
 * chebyshevPolynomialU(tensor([0.5, 2]), 2); // → tensor([ 0, 15], shape [2], float32, cpu)
 */
export const chebyshevPolynomialU: Polynomial = polynomial("chebyshevPolynomialU", second);
/**
 * Chebyshev's polynomial of the third kind, Vₙ(cos θ) = cos (n + ½)θ / cos ½θ.
 * @example
 * chebyshevPolynomialV(tensor([0.5, 2]), 2); // → tensor([-1, 11], shape [2], float32, cpu)
 */
export const chebyshevPolynomialV: Polynomial = polynomial("chebyshevPolynomialV", third);
/**
 * Chebyshev's polynomial of the fourth kind, Wₙ(cos θ) = sin (n + ½)θ / sin ½θ.
 * @example
 * chebyshevPolynomialW(tensor([0.5, 2]), 2); // → tensor([ 1, 19], shape [2], float32, cpu)
 */
export const chebyshevPolynomialW: Polynomial = polynomial("chebyshevPolynomialW", fourth);
/**
 * {@link chebyshevPolynomialT} of 2x − 1, for x from 0 to 1.
 * @example
 * shiftedChebyshevPolynomialT(tensor([0.75]), 2); // → tensor([-0.5], shape [1], float32, cpu)
 */
export const shiftedChebyshevPolynomialT: Polynomial = polynomial("shiftedChebyshevPolynomialT", first, true);
/**
 * {@link chebyshevPolynomialU} of 2x − 1, for x from 0 to 1.
 * @example
 * shiftedChebyshevPolynomialU(tensor([1]), 2); // → tensor([3], shape [1], float32, cpu)
 */
export const shiftedChebyshevPolynomialU: Polynomial = polynomial("shiftedChebyshevPolynomialU", second, true);
/**
 * {@link chebyshevPolynomialV} of 2x − 1, for x from 0 to 1.
 * @example
 * shiftedChebyshevPolynomialV(tensor([1]), 2); // → tensor([1], shape [1], float32, cpu)
 */
export const shiftedChebyshevPolynomialV: Polynomial = polynomial("shiftedChebyshevPolynomialV", third, true);
/**
 * {@link chebyshevPolynomialW} of 2x − 1, for x from 0 to 1.
 * @example
 * shiftedChebyshevPolynomialW(tensor([1]), 2); // → tensor([5], shape [1], float32, cpu)
 */
export const shiftedChebyshevPolynomialW: Polynomial = polynomial("shiftedChebyshevPolynomialW", fourth, true);
/**
 * Hermite's polynomial of physicists, Hₙ: orthogonal under e^(−x²).
 * @example
 * hermitePolynomialH(tensor([1, 2]), 3); // → tensor([-4, 40], shape [2], float32, cpu)
 */
export const hermitePolynomialH: Polynomial = polynomial("hermitePolynomialH", {
  first: [2, 0],
  next: (n) => [2, 0, 2 * n],
});
/**
 * Hermite's polynomial of statisticians, Heₙ: orthogonal under e^(−x²/2).
 * @example
 * hermitePolynomialHe(tensor([1, 2]), 3); // → tensor([-2,  2], shape [2], float32, cpu)
 */
export const hermitePolynomialHe: Polynomial = polynomial("hermitePolynomialHe", {
  first: [1, 0],
  next: (n) => [1, 0, n],
});
/**
 * Laguerre's polynomial Lₙ: orthogonal under e^(−x) above 0.
 * @example
 * laguerrePolynomialL(tensor([0, 2]), 2); // → tensor([ 1, -1], shape [2], float32, cpu)
 */
export const laguerrePolynomialL: Polynomial = polynomial("laguerrePolynomialL", {
  first: [-1, 1],
  next: (n) => [-1 / (n + 1), (2 * n + 1) / (n + 1), n / (n + 1)],
});
/**
 * Legendre's polynomial Pₙ: orthogonal from −1 to 1.
 * @example
 * legendrePolynomialP(tensor([0, 1]), 2); // → tensor([-0.5,  1.0], shape [2], float32, cpu)
 */
export const legendrePolynomialP: Polynomial = polynomial("legendrePolynomialP", {
  first: [1, 0],
  next: (n) => [(2 * n + 1) / (n + 1), 0, n / (n + 1)],
});
