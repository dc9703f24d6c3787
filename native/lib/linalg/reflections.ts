// Products of Householder's reflections, which QR factors are made of.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { matricesOf, matrixDType } from "../ops/linalg/matrices.ts";
import { define, flag, tensor } from "../tensor/arguments.ts";
import { eye } from "../tensor/joining.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { adjointOf, conjugated, type MatrixOf } from "./operands.ts";

/** What {@link geqrf} gives: x = H₁ · H₂ · … · Hₖ · R with Hᵢ = 1 − scaleᵢ · vᵢ · vᵢᴴ and k = min(m, n). */
export interface PackedReflections<D extends DType = DType> {
  /** R on and above the diagonal, and below it the vectors, whose diagonal is 1. */
  readonly reflections: Tensor<D>;
  readonly scales: Tensor<D>;
}

/**
 * Q · R of matrices [B…, m, n] with Q as the reflections that it is a product of, as LAPACK's geqrf leaves them, for
 * {@link householderProduct} and {@link ormqr}. It has no gradient: {@link qr} has one (Golub and Van Loan, "Matrix
 * Computations", 5.2).
 * @example
 * const { reflections, scales } = linalg.geqrf(tensor([[3, 1], [4, 2]]));
 * const Q = linalg.householderProduct(reflections, scales);
 * Q.matmul(reflections.triu()).round(); // → tensor([[3, 1], [4, 2]], shape [2, 2], float32, cpu)
 */
export const geqrf: <D extends DType>(x: Tensor<D>) => PackedReflections<MatrixOf<D>> = define("geqrf", {}, (x) => {
  const [reflections, scales] = applyAll("reflections", [x], {});
  return { reflections, scales };
});

interface Reflections {
  /** Below the diagonal what was given, on it 1, above it 0. */
  readonly vectors: Tensor;
  readonly scales: Tensor;
}

/** The reflections 1 − scale · v · vᴴ whose vectors stand below the diagonal of x [B…, m, n], n scales for each. */
function reflectionsOf(name: string, x: Tensor, scales: Tensor): Reflections {
  const { batch, rows, columns } = matricesOf(name, x);
  const count = scales.shape.at(-1) ?? 0;
  if (columns > rows || count > columns || scales.shape.slice(0, -1).join() !== batch.join() || scales.ndim === 0)
    throw new TensorError(
      "SHAPE",
      `${name} takes vectors of reflections [B…, m, n] with m ≥ n and up to n scales [B…, k] but got shapes ${formatShape(x.shape)} and ${formatShape(scales.shape)}.`,
    );
  const dtype = matrixDType(name, x);
  const used = x.to(dtype).slice(...batch.map(() => null), null, [0, count]);
  const vectors = used.tril(-1).add(eye(rows, count, { dtype, device: x.device }));
  return { vectors, scales: scales.to(dtype) };
}

/**
 * Q · y or Qᴴ · y, where Q = H₁ · H₂ · … · Hₖ = 1 − V · T · Vᴴ with T⁻¹ · diag(scales) = 1 + diag(scales) · triu(Vᴴ ·
 * V, 1) (Schreiber and Van Loan 1989), so that a scale of 0 is no reflection.
 */
function reflected({ vectors, scales }: Reflections, y: Tensor, isAdjoint: boolean): Tensor {
  const back = adjointOf(vectors);
  const column = scales.unsqueeze(-1) as Tensor;
  const inner = back.matmul(vectors).triu(1).mul(column) as Tensor;
  const solved = (sides: Tensor) =>
    apply("solveTriangular", [inner, sides], { isUpper: true, isTransposed: isAdjoint, isUnit: true }) as Tensor;
  const along = back.matmul(y) as Tensor;
  const inside = isAdjoint
    ? conjugated(solved(conjugated(along))).mul(conjugated(column))
    : solved(along.mul(column) as Tensor);
  return y.sub(vectors.matmul(inside)) as Tensor;
}

/**
 * The first n columns of H₁ · H₂ · … · Hₖ for reflections Hᵢ = 1 − scaleᵢ · vᵢ · vᵢᴴ whose vectors, 1 on the diagonal,
 * stand below the diagonal of x [B…, m, n]; scales [B…, k] with k ≤ n.
 * @example
 * const x = tensor([[1, 0], [1, 1]]);
 * linalg.householderProduct(x, tensor([1, 2])); // → tensor([[0, 1], [-1, 0]], shape [2, 2], float32, cpu)
 */
export const householderProduct: <D extends DType>(x: Tensor<D>, scales: Tensor) => Tensor<MatrixOf<D>> = define(
  "householderProduct",
  { required: { scales: tensor } },
  (x, { scales }) => {
    const reflections = reflectionsOf("householderProduct", x, scales);
    const [rows, columns] = x.shape.slice(-2) as [number, number];
    const { dtype, device } = reflections.vectors;
    const first = eye(rows, columns, { dtype, device }).expand(x.shape);
    return reflected(reflections, first, false);
  },
);

/** `left`: false is y · Q. `transposed`: Qᵀ, of complex numbers Qᴴ, in the place of Q. */
export interface ReflectOptions {
  readonly left?: boolean;
  readonly transposed?: boolean;
}

/**
 * Q · y for the product Q [B…, m, m] of {@link householderProduct}'s reflections, which is not formed, see
 * {@link ReflectOptions}.
 * @example
 * const x = tensor([[1], [1]]);
 * linalg.ormqr(x, tensor([1]), tensor([[3], [4]])); // → tensor([[-4], [-3]], shape [2, 1], float32, cpu)
 */
export const ormqr: <D extends DType>(
  x: Tensor<D>,
  scales: Tensor,
  y: Tensor,
  options?: ReflectOptions,
) => Tensor<MatrixOf<D>> = define(
  "ormqr",
  {
    required: { scales: tensor, y: tensor },
    options: { left: flag, transposed: flag },
    bare: ["left", "transposed"],
    aliases: { transpose: "transposed" },
  },
  (x, { scales, y, left = true, transposed = false }) => {
    const reflections = reflectionsOf("ormqr", x, scales);
    const { batch } = matricesOf("ormqr", y);
    const side = y.shape.at(left ? -2 : -1);
    if (side !== x.shape.at(-2) || batch.join() !== x.shape.slice(0, -2).join())
      throw new TensorError(
        "SHAPE",
        `ormqr takes y with as many ${left ? "rows" : "columns"} as there are in x, and its batch, but got shapes ${formatShape(x.shape)} and ${formatShape(y.shape)}.`,
      );
    const operand = y.to(reflections.vectors.dtype);
    // y · Q = (Qᴴ · yᴴ)ᴴ.
    return left
      ? reflected(reflections, operand, transposed)
      : adjointOf(reflected(reflections, adjointOf(operand), !transposed));
  },
);
