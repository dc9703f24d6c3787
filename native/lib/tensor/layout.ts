// A matrix with room around it: shapes rounded up to what a kernel's tiles want, and matrices into that shape and back.
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { checkedShape, formatShape, sizeOf, type Shape } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { checkTensor } from "./check.ts";
import { checkedDType, zeros } from "./create.ts";
import type { Tensor } from "./tensor.ts";

/** Rows and columns are rounded up to multiples of these; 32 and 256 when left out. */
export interface LayoutOptions {
  readonly rowMultiple?: number;
  readonly colMultiple?: number;
}

/**
 * The layout of matrices of one shape and dtype in a padded shape.
 * @example
 * const layout = new TensorLayout([3, 5], "float32", { rowMultiple: 4, colMultiple: 8 });
 * layout.paddedShape; // → [ 4, 8 ]
 * layout.unpad(layout.pad(ones([3, 5]))).shape; // → [ 3, 5 ]
 */
export class TensorLayout<D extends DType = DType> {
  /** The shape of the matrices. */
  readonly shape: Shape;
  /** The dtype of the matrices. */
  readonly dtype: D;
  /** Both sizes rounded up; 0 stays 0. */
  readonly paddedShape: readonly [number, number];

  /** Throws TensorError for a shape that is not that of a matrix, and for multiples that are not whole numbers ≥ 1. */
  constructor(shape: readonly [number, number], dtype: D, { rowMultiple = 32, colMultiple = 256 }: LayoutOptions = {}) {
    const [rows, columns, ...more] = checkedShape(shape);
    if (rows === undefined || columns === undefined || more.length > 0)
      throw new TensorError(
        "SHAPE",
        `A TensorLayout is for matrices, but shape ${formatShape(shape)} has ${(shape as Shape).length} ${(shape as Shape).length === 1 ? "axis" : "axes"}.`,
      );
    for (const multiple of [rowMultiple, colMultiple]) {
      if (!Number.isSafeInteger(multiple) || multiple < 1)
        throw new TensorError(
          "OPTIONS",
          `rowMultiple and colMultiple must be whole numbers ≥ 1, but one is ${worded(multiple)}.`,
        );
    }
    this.shape = [rows, columns];
    this.dtype = checkedDType(dtype) as D;
    this.paddedShape = [Math.ceil(rows / rowMultiple) * rowMultiple, Math.ceil(columns / colMultiple) * colMultiple];
    checkedShape(this.paddedShape);
  }

  /** Bytes of a padded matrix. */
  get paddedBytes(): number {
    return sizeOf(this.paddedShape) * factsOf(this.dtype).bytes;
  }

  /**
   * A new tensor of the padded shape with the matrix in its upper left, zeros around it. Throws TensorCheckError for
   * another shape or dtype.
   */
  pad(matrix: Tensor<D>): Tensor<D> {
    const { device } = checkTensor(matrix, { shape: this.shape, dtype: this.dtype });
    const padded = zeros<D>(this.paddedShape, { dtype: this.dtype, device });
    using part = this.unpad(padded);
    part.copy_(matrix);
    return padded;
  }

  /** The matrix in a padded one: a view. Throws TensorCheckError for another shape or dtype. */
  unpad(padded: Tensor<D>): Tensor<D> {
    checkTensor(padded, { shape: this.paddedShape, dtype: this.dtype });
    return padded.slice([0, this.shape[0]!], [0, this.shape[1]!]);
  }
}
