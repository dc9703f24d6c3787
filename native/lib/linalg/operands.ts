// What functions of linear algebra check of their operands, and how batches of them go together.
import { TensorError } from "../errors.ts";
import { factsOf, type ComplexDType, type DType } from "../memory/dtype.ts";
import { promoted } from "../memory/promotion.ts";
import { broadcast, formatShape, type Shape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { isRecording } from "../ops/core/hooks.ts";
import { matrixDType, turnedAxes } from "../ops/linalg/matrices.ts";
import { Tensor } from "../tensor/tensor.ts";

/** The dtype of matrices of dtype D: integers and bool become float32; float16 and bfloat16 are refused. */
export type MatrixOf<D extends DType> = D extends "float64" | ComplexDType ? D : "float32";
/** The dtype of what is real of them: eigenvalues of Hermitian ones, singular values. */
export type SizeOf<D extends DType> = D extends "float64" | "complex128" ? "float64" : "float32";

/** Whether a gradient of a result may be asked for. */
export const isTracked = (...operands: readonly Tensor[]): boolean =>
  isRecording() && operands.some(({ track }) => track !== null);

/** A view of the transposed matrices. */
export const transposedOf = (x: Tensor): Tensor =>
  apply("permute", [x], { axes: turnedAxes(x.shape.length) }) as Tensor;

/** Of complex numbers the conjugates, of others the tensor itself. */
export const conjugated = (x: Tensor): Tensor => (factsOf(x.dtype).kind === "complex" ? (x.conj() as Tensor) : x);
/** The adjoint matrices: of real numbers the transposed ones. */
export const adjointOf = (x: Tensor): Tensor => transposedOf(conjugated(x));

/** With its batch broadcast to a larger one. */
export function overBatch(x: Tensor, batch: Shape): Tensor {
  const own = x.shape.slice(0, -2);
  return own.length === batch.length && own.every((size, axis) => size === batch[axis])
    ? x
    : x.expand([...batch, ...x.shape.slice(-2)]);
}

/** The operands of a system of equations, of one dtype and batch. */
export interface System {
  readonly a: Tensor;
  readonly b: Tensor;
  /** The right-hand side was a vector for each matrix: so is the solution. */
  readonly isVector: boolean;
}

/**
 * As NumPy 2 and PyTorch take them: b with one axis is one vector, and one with as many axes as the batch and one more,
 * which has the batch's shape, is a batch of them; else its last two axes are a matrix. Throws TensorError.
 */
export function systemOf(name: string, a: Tensor, b: Tensor): System {
  const lead = a.shape.slice(0, -1);
  const isVector =
    b.shape.length === 1 ||
    (b.shape.length > 0 && b.shape.length === lead.length && b.shape.every((size, axis) => size === lead[axis]));
  const sides = isVector ? b.unsqueeze(-1) : b;
  if (a.shape.length < 2 || sides.shape.length < 2 || sides.shape.at(-2) !== a.shape.at(-2))
    throw new TensorError(
      "SHAPE",
      `${name} takes matrices […, m, n] and right-hand sides […, m, k] or […, m] but got shapes ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
    );
  const dtype = promoted(matrixDType(name, a), matrixDType(name, b));
  const batch = broadcast(a.shape.slice(0, -2), sides.shape.slice(0, -2));
  return { a: overBatch(a.to(dtype), batch), b: overBatch(sides.to(dtype), batch), isVector };
}

/** A solution in the shape that goes with the right-hand side. */
export const solutionOf = (x: Tensor, { isVector }: System): Tensor => (isVector ? x.squeeze(-1) : x);
