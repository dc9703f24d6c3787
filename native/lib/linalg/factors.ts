// LU factors of matrices, and what is solved with them.
import type { DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { matricesOf, squaresOf } from "../ops/linalg/matrices.ts";
import { define, flag, tensor } from "../tensor/arguments.ts";
import { eye } from "../tensor/joining.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { conjugated, solutionOf, systemOf, type MatrixOf } from "./operands.ts";

/** What {@link luFactor} gives. */
export interface PackedFactors<D extends DType = DType> {
  /** L below the diagonal, whose own diagonal is 1, and U on and above it. */
  readonly LU: Tensor<D>;
  /** Row i was exchanged with row pivots[i] − 1, one after the other. */
  readonly pivots: Tensor<"int32">;
}

/**
 * LU factors of matrices [B…, m, n] in one matrix, with the exchanges of rows that were made, for {@link luSolve}:
 * Gaussian elimination with partial pivots. A singular matrix has a 0 on the diagonal of U (Golub and Van Loan, "Matrix
 * Computations", 3.4).
 * @example
 * linalg.luFactor(tensor([[0, 2], [4, 1]])).LU; // → tensor([[4, 1], [0, 2]], shape [2, 2], float32, cpu)
 */
export const luFactor: <D extends DType>(x: Tensor<D>) => PackedFactors<MatrixOf<D>> = define("luFactor", {}, (x) => {
  const [LU, pivots] = applyAll("luFactors", [x], {});
  return { LU, pivots };
});

/** What {@link lu} gives: x = P · L · U. */
export interface TriangularFactors<D extends DType = DType> {
  /** Of 0 and 1: it puts the rows of L · U where they were. */
  readonly P: Tensor<D>;
  /** Lower triangular, with ones on its diagonal. */
  readonly L: Tensor<D>;
  /** Upper triangular. */
  readonly U: Tensor<D>;
}

/** The order of rows that pivots make, or its inverse, for each column of `like`. */
const placesOf = (pivots: Tensor, like: Tensor, isInverse: boolean): Tensor =>
  (apply("rowOrder", [pivots], { rows: like.shape.at(-2)!, isInverse }) as Tensor).unsqueeze(-1).expand(like.shape);
const inOrder = (x: Tensor, pivots: Tensor, isInverse: boolean): Tensor =>
  apply("takeAlong", [x, placesOf(pivots, x, isInverse)], { axis: x.shape.length - 2 }) as Tensor;

/**
 * Matrices [B…, m, n] as P · L · U, with P [B…, m, m], L [B…, m, min(m, n)] and U [B…, min(m, n), n]: Gaussian
 * elimination with partial pivots. For systems of equations use {@link solve}, or {@link luFactor} and {@link luSolve}.
 * @example
 * const { P, L, U } = linalg.lu(tensor([[0, 2], [4, 1]]));
 * P.matmul(L).matmul(U); // → tensor([[0, 2], [4, 1]], shape [2, 2], float32, cpu)
 */
export const lu: <D extends DType>(x: Tensor<D>) => TriangularFactors<MatrixOf<D>> = define("lu", {}, (x) => {
  const { batch, rows, columns } = matricesOf("lu", x);
  const { LU, pivots } = luFactor(x);
  const all = batch.map(() => null);
  const count = Math.min(rows, columns);
  const { dtype, device } = LU;
  const ones = eye(rows, count, { dtype, device });
  return {
    P: inOrder(eye(rows, { dtype, device }).expand([...batch, rows, rows]), pivots, true),
    L: LU.slice(...all, null, [0, count])
      .tril(-1)
      .add(ones),
    U: LU.slice(...all, [0, count]).triu(),
  };
});

/** `transposed`: aᵀ · x = b. `adjoint`: aᴴ · x = b. */
export interface LuSolveOptions {
  readonly transposed?: boolean;
  readonly adjoint?: boolean;
}

/**
 * x of a · x = b by the factors that {@link luFactor} made of a [B…, n, n], for b [B…, n, k] or [B…, n]; batches
 * broadcast. Gradients flow to the factors and to b.
 * @example
 * const { LU, pivots } = linalg.luFactor(tensor([[3, 1], [1, 2]]));
 * linalg.luSolve(LU, pivots, tensor([9, 8])); // → tensor([2, 3], shape [2], float32, cpu)
 */
export const luSolve: <D extends DType>(
  LU: Tensor<D>,
  pivots: Tensor,
  b: Tensor,
  options?: LuSolveOptions,
) => Tensor<MatrixOf<D>> = define(
  "luSolve",
  {
    required: { pivots: tensor, b: tensor },
    options: { transposed: flag, adjoint: flag },
    aliases: {
      trans: (value) => ({ transposed: value === 1 || value === "T", adjoint: value === 2 || value === "C" }),
    },
  },
  (LU, { pivots, b, adjoint = false, transposed = adjoint }) => {
    const { rows, batch } = squaresOf("luSolve", LU);
    const isMade = pivots.dtype === "int32" && pivots.shape.join() === [...batch, rows].join();
    if (!isMade)
      throw new TensorError(
        "SHAPE",
        `luSolve takes LU and pivots as linalg.luFactor gives them, int32 of shape ${formatShape([...batch, rows])}, but got ${pivots.dtype} of shape ${formatShape(pivots.shape)}.`,
      );
    const system = systemOf("luSolve", LU, b);
    const exchanges = pivots.expand(system.a.shape.slice(0, -1));
    const solved = (sides: Tensor, isUpper: boolean) =>
      apply("solveTriangular", [system.a, sides], { isUpper, isTransposed: transposed, isUnit: !isUpper }) as Tensor;
    const sides = adjoint ? conjugated(system.b) : system.b;
    const x = transposed
      ? inOrder(solved(solved(sides, true), false), exchanges, true)
      : solved(solved(inOrder(sides, exchanges, false), false), true);
    return solutionOf(adjoint ? conjugated(x) : x, system);
  },
);
