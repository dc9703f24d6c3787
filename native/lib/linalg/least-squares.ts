// Systems of equations without a solution, or with many: least squares and pseudo-inverses.
import type { DType } from "../memory/dtype.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { matricesOf, matrixDType } from "../ops/linalg/matrices.ts";
import { atLeast, define, flag, tensor } from "../tensor/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { solutionOf, systemOf, type MatrixOf } from "./operands.ts";

/** `rcond`, or `rtol`: singular values up to this times the largest count as 0; max(m, n) · ε when left out. */
export interface CutoffOptions {
  readonly rcond?: number;
  readonly rtol?: number;
}
/** `hermitian`: of symmetric matrices, of which the lower triangle is read. */
export interface InverseOptions extends CutoffOptions {
  readonly hermitian?: boolean;
}

/** What {@link lstsq} gives. */
export interface LeastSquares<D extends DType = DType> {
  /** x [B…, n, k], or [B…, n] where b is vectors. */
  readonly solution: Tensor<D>;
  /** Σ (a · x − b)² over the equations: [B…, k], or [B…]. */
  readonly residuals: Tensor<D>;
  /** How many singular values do not count as 0: [B…]. */
  readonly rank: Tensor<"int64">;
  /** The singular values of a, descending: [B…, min(m, n)]. */
  readonly singularValues: Tensor<D>;
}

const cutoff = { options: { rcond: atLeast(0) }, aliases: { rtol: "rcond" }, bare: ["rcond"] } as const;

/** What counts as 0 where nobody says. */
export function defaultCutoff(name: string, x: Tensor): number {
  const { rows, columns } = matricesOf(name, x);
  return Math.max(rows, columns) * (matrixDType(name, x) === "float32" ? 2 ** -23 : 2 ** -52);
}

/** How many of singular values do not count as 0: those above that, or that part of the largest. */
export const rankOf = (values: Tensor, rcond: number, least = 0): Tensor<"int64"> =>
  (values.shape.at(-1) === 0
    ? values.sum(-1)
    : values.gt(values.max({ axis: -1, keepdims: true }).mul(rcond).maximum(least)).sum(-1)
  ).to("int64");

/**
 * x for which |a · x − b| is least, the shortest of several, for a [B…, m, n] of any rank and b [B…, m, k] or [B…, m]:
 * x = V · S⁺ · Uᵀ · b by singular values, see {@link CutoffOptions}. Gradients are those of a constant rank. Throws
 * TensorError NOT_CONVERGED at the next wait, as for NaN (Golub and Van Loan, "Matrix Computations", 5.5).
 * @example
 * const x = tensor([[1, 0], [1, 1], [1, 2]], { dtype: "float64" });
 * linalg.lstsq(x, tensor([1, 3, 5], { dtype: "float64" })).solution.round(); // → tensor([1, 2], shape [2], float64, cpu)
 */
export const lstsq: <D extends DType>(
  a: Tensor<D>,
  b: Tensor,
  options?: number | CutoffOptions,
) => LeastSquares<MatrixOf<D>> = define("lstsq", { required: { b: tensor }, ...cutoff }, (a, { b, rcond }) => {
  const system = systemOf("lstsq", a, b);
  const limit = rcond ?? defaultCutoff("lstsq", system.a);
  const [x, values] = applyAll("leastSquares", [system.a, system.b], { rcond: limit }) as Tensor[];
  const residuals = system.a.matmul(x!).sub(system.b).square().sum(-2);
  return {
    solution: solutionOf(x!, system),
    residuals: system.isVector ? residuals.squeeze(-1) : residuals,
    rank: rankOf(values!, limit),
    singularValues: values,
  };
});

/**
 * The pseudo-inverse x⁺ [B…, n, m] of matrices [B…, m, n] of any rank, V · S⁺ · Uᵀ, see {@link InverseOptions}.
 * Gradients are those of a constant rank (Golub and Pereyra 1973). For systems of equations use {@link lstsq}.
 * @example
 * linalg.pinv(tensor([[0, 0], [1, 0]])); // → tensor([[0, 1], [0, 0]], shape [2, 2], float32, cpu)
 */
export const pinv: <D extends DType>(x: Tensor<D>, options?: number | InverseOptions) => Tensor<MatrixOf<D>> = define(
  "pinv",
  {
    ...cutoff,
    options: { ...cutoff.options, hermitian: flag },
    instead: { atol: "Write rtol, a part of the largest singular value." },
  },
  (x, { rcond = defaultCutoff("pinv", x), hermitian = false }) =>
    apply("pseudoInverse", [hermitian ? x.tril().add(x.tril(-1).swapAxes(-1, -2)) : x], { rcond }),
);
