// Systems of equations, inverses and triangular factors.
import type { DType } from "../memory/dtype.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { squaresOf } from "../ops/linalg/matrices.ts";
import { define, flag, tensor } from "../tensor/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { complex, isComplex } from "../tensor/complex.ts";
import {
  adjointOf,
  conjugated,
  isTracked,
  solutionOf,
  systemOf,
  transposedOf,
  type MatrixOf,
  type SizeOf,
} from "./operands.ts";

/** `upper`: the factor is upper, x = Uᵀ · U, and the upper triangle is looked at. */
export interface CholeskyOptions {
  readonly upper?: boolean;
}

/**
 * The Cholesky factor of symmetric, or Hermitian, positive definite matrices [B…, n, n]: x = L · Lᴴ with a lower L,
 * whose diagonal is positive. Only the lower triangle is looked at. Floats and complex numbers; integers give float32.
 * The next wait for the device throws TensorError NOT_POSITIVE_DEFINITE for a matrix that is not (Golub and Van Loan,
 * "Matrix Computations", 4.2).
 * @example
 * linalg.cholesky(tensor([[4, 2], [2, 5]])); // → tensor([[2, 0], [1, 2]], shape [2, 2], float32, cpu)
 */
export const cholesky: <D extends DType>(x: Tensor<D>, options?: CholeskyOptions) => Tensor<MatrixOf<D>> = define(
  "cholesky",
  { options: { upper: flag } },
  (x, { upper = false }) =>
    upper && x.shape.length >= 2
      ? transposedOf(apply("cholesky", [transposedOf(x)], {}) as Tensor)
      : apply("cholesky", [x], {}),
);

/**
 * x of a · x = b by the Cholesky factor of a, l with a = l · lᴴ, for l [B…, n, n] and b [B…, n, k] or [B…, n]; with
 * `upper` by u with a = uᴴ · u. Batches broadcast, and the other triangle is not looked at.
 * @example
 * linalg.choleskySolve(tensor([[2, 0], [1, 2]]), tensor([8, 12])); // → tensor([1, 2], shape [2], float32, cpu)
 */
export const choleskySolve: <D extends DType>(
  l: Tensor<D>,
  b: Tensor,
  options?: CholeskyOptions,
) => Tensor<MatrixOf<D>> = define(
  "choleskySolve",
  { required: { b: tensor }, options: { upper: flag } },
  (l, { b, upper = false }) => {
    squaresOf("choleskySolve", l);
    const system = systemOf("choleskySolve", l, b);
    const solved = (sides: Tensor, isTransposed: boolean): Tensor => {
      const given = isTransposed ? conjugated(sides) : sides;
      const x = apply("solveTriangular", [system.a, given], { isUpper: upper, isTransposed, isUnit: false }) as Tensor;
      return isTransposed ? conjugated(x) : x;
    };
    return solutionOf(solved(solved(system.b, upper), !upper), system);
  },
);

/**
 * The inverse of a by its Cholesky factor, l with a = l · lᴴ, for l [B…, n, n]; with `upper` by u with a = uᴴ · u. The
 * other triangle is not looked at, and the inverse is symmetric, or Hermitian, to the bit. Integers give float32.
 * The next wait for the device throws TensorError SINGULAR for a factor with 0 on its diagonal.
 * @example
 * linalg.choleskyInverse(tensor([[2, 0], [0, 4]])); // → tensor([[0.2500, 0.0000], [0.0000, 0.0625]], shape [2, 2], float32, cpu)
 */
export const choleskyInverse: <D extends DType>(l: Tensor<D>, options?: CholeskyOptions) => Tensor<MatrixOf<D>> =
  define("choleskyInverse", { options: { upper: flag }, bare: ["upper"] }, (l, { upper = false }) => {
    const lower = apply("choleskyInverse", [upper && l.shape.length >= 2 ? transposedOf(l) : l], {}) as Tensor;
    const whole = lower.add(adjointOf(lower.tril(-1) as Tensor)) as Tensor;
    return upper ? conjugated(whole) : whole;
  });

/**
 * x of a · x = b by LU factors with pivots, for matrices a [B…, n, n] and b [B…, n, k] or [B…, n]; batches broadcast.
 * An error of some n · ε · cond(a). The next wait for the device throws TensorError SINGULAR where a pivot is 0.
 * @example
 * linalg.solve(tensor([[3, 1], [1, 2]]), tensor([9, 8])); // → tensor([2, 3], shape [2], float32, cpu)
 */
export const solve: <D extends DType>(a: Tensor<D>, b: Tensor) => Tensor<MatrixOf<D>> = define(
  "solve",
  { required: { b: tensor } },
  (a, { b }) => {
    const system = systemOf("solve", a, b);
    const [x] = applyAll("solve", [system.a, system.b], { keep: isTracked(system.a) });
    return solutionOf(x as Tensor, system);
  },
);

/**
 * `upper`: the triangle that is looked at, the lower one when left out. `transposed`: aᵀ · x = b. `unitriangular`: the
 * diagonal counts as 1. `left`: false solves x · a = b.
 */
export interface TriangularOptions {
  readonly upper?: boolean;
  readonly transposed?: boolean;
  readonly unitriangular?: boolean;
  readonly left?: boolean;
}

/**
 * x of a · x = b for triangular matrices a [B…, n, n] and b [B…, n, k] or [B…, n], see {@link TriangularOptions};
 * batches broadcast, and the other triangle is not looked at. A diagonal with a 0 gives Infinity and NaN.
 * @example
 * linalg.solveTriangular(tensor([[2, 0], [1, 4]]), tensor([2, 9])); // → tensor([1, 2], shape [2], float32, cpu)
 */
export const solveTriangular: <D extends DType>(
  a: Tensor<D>,
  b: Tensor,
  options?: TriangularOptions,
) => Tensor<MatrixOf<D>> = define(
  "solveTriangular",
  {
    required: { b: tensor },
    options: { upper: flag, transposed: flag, unitriangular: flag, left: flag },
    aliases: {
      lower: (value) => ({ upper: value !== true }),
      trans: (value) => ({ transposed: value === "T" || value === 1 }),
      unit_diagonal: "unitriangular",
      unitDiagonal: "unitriangular",
    },
  },
  (a, { b, upper = false, transposed = false, unitriangular = false, left = true }) => {
    const system = systemOf("solveTriangular", a, left || b.shape.length < 2 ? b : transposedOf(b));
    const isTransposed = transposed !== !left;
    const attributes = { isUpper: upper, isTransposed, isUnit: unitriangular };
    const x = solutionOf(apply("solveTriangular", [system.a, system.b], attributes) as Tensor, system);
    return left || b.shape.length < 2 ? x : transposedOf(x);
  },
);

/**
 * The inverse of square matrices [B…, n, n]. Systems of equations are sooner and better solved by {@link solve}. The
 * next wait for the device throws TensorError SINGULAR for a matrix that has none.
 * @example
 * linalg.inv(tensor([[1, 0], [0, 0.5]])); // → tensor([[1, 0], [0, 2]], shape [2, 2], float32, cpu)
 */
export const inv: <D extends DType>(x: Tensor<D>) => Tensor<MatrixOf<D>> = define("inv", {}, (x) =>
  apply("inverse", [x], {}),
);

/**
 * The determinants of square matrices [B…, n, n], from their LU factors; 1 of those without rows. The gradient is that
 * of all matrices, also singular ones; a second gradient needs an inverse.
 * @example
 * linalg.det(tensor([[1, 2], [3, 4]], { dtype: "float64" })); // → tensor(-2, shape [], float64, cpu)
 */
export const det: <D extends DType>(x: Tensor<D>) => Tensor<MatrixOf<D>> = define(
  "det",
  {},
  (x) => applyAll("det", [x], { keep: isTracked(x) })[0],
);

/** What {@link slogdet} gives: det = sign · exp(logabsdet). */
export interface SignedLogarithm<D extends DType = DType> {
  readonly sign: Tensor<D>;
  readonly logabsdet: Tensor<SizeOf<D>>;
}

/**
 * The sign of determinants, of complex ones a number of size 1, and the logarithm of their magnitude, which neither
 * overflows nor underflows; 0 and −Infinity of a singular matrix.
 * @example
 * linalg.slogdet(tensor([[0, 1], [1, 0]]));
 * // → { sign: tensor(-1, shape [], float32, cpu), logabsdet: tensor(0, shape [], float32, cpu) }
 */
export const slogdet: <D extends DType>(x: Tensor<D>) => SignedLogarithm<MatrixOf<D>> = define("slogdet", {}, (x) => {
  const [sign, logabsdet] = applyAll("slogdet", [x], { keep: isTracked(x) });
  return { sign, logabsdet };
});

/**
 * The logarithm of determinants: −Infinity of a singular matrix, NaN where the determinant is below 0; of complex ones
 * the one whose imaginary part is from −π to π.
 * @example
 * linalg.logdet(tensor([[2, 0], [0, 4]])); // → tensor(2.07944, shape [], float32, cpu)
 */
export const logdet: <D extends DType>(x: Tensor<D>) => Tensor<MatrixOf<D>> = define("logdet", {}, (x) => {
  const { sign, logabsdet } = slogdet(x);
  if (isComplex(sign)) return complex(logabsdet, sign.angle());
  return logabsdet.where(sign.ge(0), NaN);
});
