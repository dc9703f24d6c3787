// Kronecker's product of two matrices as an operator, which multiplies and solves without the product being formed.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { define, tensor } from "../tensor/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { kron } from "./powers.ts";
import { solve } from "./solving.ts";

/**
 * a ⊗ b of matrices a [m, n] and b [p, q]: a matrix [m · p, n · q] of which only a and b are kept. By
 * (a ⊗ b) · vec(x) = vec(a · x · bᵀ), with the rows of x one behind the other, a product with a vector takes some
 * m · n · q + m · p · q multiplications in place of m · n · p · q (Golub and Van Loan, "Matrix Computations", 12.3).
 * What it gives has gradients for a and b.
 * @example
 * const product = linalg.kronecker(tensor([[1, 2], [3, 4]]), tensor([[0, 1], [1, 0]]));
 * product.matmul(tensor([1, 2, 3, 4])); // → tensor([10, 7, 22, 15], shape [4], float32, cpu)
 */
export class KroneckerProduct {
  /** The left matrix [m, n]. */
  readonly a: Tensor;
  /** The right matrix [p, q]. */
  readonly b: Tensor;

  constructor(a: Tensor, b: Tensor) {
    if (a.shape.length !== 2 || b.shape.length !== 2)
      throw new TensorError(
        "SHAPE",
        `kronecker takes two matrices but got shapes ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
      );
    this.a = a;
    this.b = b;
  }

  /** [m · p, n · q]. */
  get shape(): readonly [number, number] {
    return [this.a.shape[0]! * this.b.shape[0]!, this.a.shape[1]! * this.b.shape[1]!];
  }

  /** aᵀ ⊗ bᵀ, of views. */
  get T(): KroneckerProduct {
    return new KroneckerProduct(this.a.T as Tensor, this.b.T as Tensor);
  }

  /** (a ⊗ b) · x for a vector [n · q] or a matrix [n · q, k]. Throws TensorError for other shapes. */
  matmul(x: Tensor): Tensor {
    return along(
      "matmul",
      x,
      this,
      (sides) => this.b.matmul(sides),
      (sides) => this.a.matmul(sides),
    );
  }

  /**
   * x of (a ⊗ b) · x = y for a vector [n · q] or a matrix [n · q, k], of square a and b: a⁻¹ ⊗ b⁻¹ by two systems of
   * the size of a and b. The next wait for the device throws TensorError SINGULAR where one of them is.
   */
  solve(y: Tensor): Tensor {
    return along(
      "solve",
      y,
      this,
      (sides) => solve(this.b, sides),
      (sides) => solve(this.a, sides),
    );
  }

  /** The whole matrix, {@link kron} of a and b. */
  toDense(): Tensor {
    return kron(this.a, this.b) as Tensor;
  }

  /** Its name and the shapes of a and b. */
  toString(): string {
    return `KroneckerProduct(${formatShape(this.a.shape)} ⊗ ${formatShape(this.b.shape)})`;
  }
}

/** Applies `first` to the axis of b and `second` to that of a, of the columns of x, which has n · q rows. */
function along(
  name: string,
  x: Tensor,
  { a, b }: KroneckerProduct,
  first: (x: Tensor) => Tensor,
  second: (x: Tensor) => Tensor,
): Tensor {
  const [n, q] = [a.shape[1]!, b.shape[1]!];
  if (x.shape.length < 1 || x.shape.length > 2 || x.shape[0] !== n * q)
    throw new TensorError(
      "SHAPE",
      `${name} of a KroneckerProduct with ${n * q} columns takes a vector or a matrix with as many rows but got shape ${formatShape(x.shape)}.`,
    );
  const k = x.shape[1] ?? 1;
  // b along its axis for all of a's rows and all columns at once.
  const sides = x
    .reshape([n, q, k])
    .permute([1, 0, 2])
    .reshape([q, n * k]);
  const inner = first(sides);
  const p = inner.shape[0]!;
  const outer = second(
    inner
      .reshape([p, n, k])
      .permute([1, 0, 2])
      .reshape([n, p * k]),
  );
  return outer.reshape(x.shape.length === 1 ? [outer.shape[0]! * p] : [outer.shape[0]! * p, k]);
}

/**
 * Kronecker's product of two matrices as an operator that is never formed, see {@link KroneckerProduct}.
 * @example
 * linalg.kronecker(ones([50, 50]), ones([100, 100])).shape; // → [ 5000, 5000 ]
 */
export const kronecker: (a: Tensor, b: Tensor) => KroneckerProduct = define(
  "kronecker",
  { required: { b: tensor } },
  (a, { b }) => new KroneckerProduct(a, b),
);
