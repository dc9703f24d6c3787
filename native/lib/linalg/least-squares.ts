// Systems of equations without a solution, or with many: least squares and pseudo-inverses.
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { formatShape, type Shape } from "../memory/shape.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { matricesOf, matrixDType, sizeDType } from "../ops/linalg/matrices.ts";
import { atLeast, define, either, flag, tensor } from "../tensor/arguments.ts";
import { Tensor } from "../tensor/tensor.ts";
import { isComplex } from "../tensor/complex.ts";
import { adjointOf, solutionOf, systemOf, type MatrixOf, type SizeOf } from "./operands.ts";

/** `rcond`, or `rtol`: singular values up to this times the largest count as 0; max(m, n) · ε when left out. */
export interface CutoffOptions {
  readonly rcond?: number;
  readonly rtol?: number;
}
/**
 * `rcond`, or `rtol`, as of {@link CutoffOptions}; a tensor [B…] has one for each matrix. `hermitian`: of symmetric, or
 * Hermitian, matrices, of which the lower triangle is read.
 */
export interface InverseOptions {
  readonly rcond?: number | Tensor;
  readonly rtol?: number | Tensor;
  readonly hermitian?: boolean;
}

/** What {@link lstsq} gives. */
export interface LeastSquares<D extends DType = DType> {
  /** x [B…, n, k], or [B…, n] where b is vectors. */
  readonly solution: Tensor<D>;
  /** Σ |a · x − b|² over the equations: [B…, k], or [B…]. */
  readonly residuals: Tensor<SizeOf<D>>;
  /** How many singular values do not count as 0: [B…]. */
  readonly rank: Tensor<"int64">;
  /** The singular values of a, descending: [B…, min(m, n)]. */
  readonly singularValues: Tensor<SizeOf<D>>;
}

const cutoff = { options: { rcond: atLeast(0) }, aliases: { rtol: "rcond" }, bare: ["rcond"] } as const;

/** What counts as 0 where nobody says. */
export function defaultCutoff(name: string, x: Tensor): number {
  const { rows, columns } = matricesOf(name, x);
  return Math.max(rows, columns) * (sizeDType(matrixDType(name, x)) === "float32" ? 2 ** -23 : 2 ** -52);
}

/** How many of singular values do not count as 0: those above that, or that part of the largest. */
export const rankOf = (values: Tensor, rcond: number | Tensor, least: number | Tensor = 0): Tensor<"int64"> => {
  if (values.shape.at(-1) === 0) return values.sum(-1).to("int64");
  const [part, floor] = [rcond, least].map((each) => (each instanceof Tensor ? each.unsqueeze(-1) : each));
  return values
    .gt(values.max({ axis: -1, keepdims: true }).mul(part!).maximum(floor!))
    .sum(-1)
    .to("int64");
};

/** A bound for all matrices of x [B…, m, n], or a tensor [B…] of one for each. */
export const bound = either(atLeast(0), tensor);

/** A bound as operands are taken beside sizes of x; of real numbers, and of the batch's shape or one broadcast to it. */
export function boundOf(name: string, x: Tensor, given: number | Tensor): number | Tensor {
  if (typeof given === "number") return given;
  const { batch } = matricesOf(name, x);
  const isReal = factsOf(given.dtype).kind !== "complex";
  if (!isReal || !fits(given.shape, batch))
    throw new TensorError(
      "SHAPE",
      `${name} takes a bound for each matrix, real numbers of shape ${formatShape(batch)}, but got ${given.dtype} of shape ${formatShape(given.shape)}.`,
    );
  return given.to(sizeDType(matrixDType(name, x))) as Tensor;
}

const fits = (shape: Shape, whole: Shape): boolean =>
  shape.length <= whole.length && shape.toReversed().every((size, at) => size === 1 || size === whole.at(-1 - at));

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
  const distance = system.a.matmul(x!).sub(system.b) as Tensor;
  const residuals = (isComplex(distance) ? distance.abs() : distance).square().sum(-2) as Tensor;
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
    options: { rcond: bound, hermitian: flag },
    instead: { atol: "Write rtol, a part of the largest singular value." },
  },
  (x, { rcond = defaultCutoff("pinv", x), hermitian = false }) =>
    apply(
      "pseudoInverse",
      [hermitian ? x.tril().add(adjointOf(x.tril(-1) as Tensor)) : x, boundOf("pinv", x, rcond)],
      {},
    ),
);
