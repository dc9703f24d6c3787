// Matrices of which two of every four elements of a row are kept.
import { TensorError } from "../errors.ts";
import { sizeText } from "../figures.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { reader, tensor } from "./arguments.ts";
import { tensor as tensorOf } from "./create.ts";
import type { Tensor } from "./tensor.ts";

const readPrune = reader("sparse.prune24", { required: { x: tensor } });
const readCompress = reader("sparse.compress24", { required: { x: tensor } });
const readMatmul = reader("matmul", { required: { dense: tensor } });

/** Of each four its rank, 0 to 3, from the largest down; of equal ones the first comes first. */
const ranks = (fours: Tensor): Tensor<"int64"> =>
  fours.argsort({ axis: -1, descending: true, stable: true }).argsort({ axis: -1 });

function foursOf(name: string, x: Tensor, multiple: number): Tensor {
  const length = x.shape.at(-1);
  if (length === undefined || length % multiple !== 0 || length === 0)
    throw new TensorError(
      "SHAPE",
      `${name} takes rows of a multiple of ${multiple} elements but got shape ${formatShape(x.shape)}.`,
    );
  return x.reshape([...x.shape.slice(0, -1), length / 4, 4]) as Tensor;
}

/**
 * Keeps the two largest of every four neighbours along the last axis by their size, the first of equal ones, and sets
 * the others to 0. Gradients reach what is kept. The last axis is a multiple of 4. Throws TensorError.
 * @example
 * sparse.prune24(tensor([1, -4, 3, 2])); // → tensor([ 0, -4,  3,  0], shape [4], float32, cpu)
 */
export function prune24<D extends DType>(x: Tensor<D>): Tensor<D>;
export function prune24(...args: unknown[]): Tensor {
  const { x } = readPrune(args);
  const fours = foursOf("sparse.prune24", x, 4);
  const isKept = ranks(fours.detach().abs() as Tensor).lt(2);
  return fours.where(isKept, 0).reshape(x.shape) as Tensor;
}

/**
 * A matrix of which two of every four elements of a row are kept, with two bits for where each was, see {@link
 * compress24}.
 * @example
 * sparse.compress24(tensor([[0, 1, 2, 0, 3, 0, 0, 0]])).values;
 * // → tensor([[1, 2, 3, 0]], shape [1, 4], float32, cpu)
 */
export class TwoFourMatrix implements Disposable {
  /** [rows, columns / 2]: of each four the two that are kept, in their order. */
  readonly values: Tensor;
  /** uint8 [rows, columns / 8]: of two fours the places of what is kept, from 0 to 3, two bits each, the first lowest. */
  readonly places: Tensor<"uint8">;
  /** Rows and columns of what it stands for. */
  readonly shape: readonly [rows: number, columns: number];

  /** @internal Of parts that go together. */
  constructor(values: Tensor, places: Tensor<"uint8">) {
    this.values = values;
    this.places = places;
    this.shape = [values.shape[0]!, 2 * values.shape[1]!];
  }

  /** The dtype of its elements. */
  get dtype(): DType {
    return this.values.dtype;
  }
  /** The name of its device. */
  get device(): string {
    return this.values.device;
  }
  /** What values and places take: 9/16 of a dense matrix of 16-bit floats. */
  get bytes(): number {
    return this.values.bytes + this.places.bytes;
  }

  /**
   * The matrix with its zeros.
   * @example
   * sparse.compress24(tensor([[0, 1, 2, 0, 3, 0, 0, 0]])).toDense();
   * // → tensor([[0, 1, 2, 0, 3, 0, 0, 0]], shape [1, 8], float32, cpu)
   */
  toDense(): Tensor {
    return apply("expandPairs", [this.values, this.places], {}) as Tensor;
  }

  /**
   * The product with a dense matrix [columns, n]. It saves memory, not time: the matrix with its zeros is written for
   * the while and multiplied by the device's library; sparse tensor cores are not used. Gradients reach the dense
   * matrix alone. Throws TensorError.
   * @example
   * sparse.compress24(tensor([[0, 1, 2, 0, 3, 0, 0, 0]])).matmul(ones([8, 1]));
   * // → tensor([[6]], shape [1, 1], float32, cpu)
   */
  matmul(dense: Tensor): Tensor {
    readMatmul([dense]);
    return this.toDense().matmul(dense) as Tensor;
  }

  /** What a cell shows. */
  toString(): string {
    return `TwoFourMatrix(shape ${formatShape(this.shape)}, ${this.dtype}, ${sizeText(this.bytes)}, ${this.device})`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  /** Frees its memory. */
  dispose(): void {
    this.values.dispose();
    this.places.dispose();
  }
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/**
 * A matrix of which at most two of every four elements of a row are not 0, without the others: {@link prune24} makes
 * such ones. Columns are a multiple of 8. It waits for the device to check that, and keeps no gradient. Throws
 * TensorError.
 * @example
 * const a = sparse.compress24(sparse.prune24(randn([64, 64], { dtype: "bfloat16" })));
 * a; // → TwoFourMatrix(shape [64, 64], bfloat16, 4.50 KiB, cpu)
 */
export function compress24(x: Tensor): TwoFourMatrix;
export function compress24(...args: unknown[]): TwoFourMatrix {
  const { x: given } = readCompress(args);
  const x = given.detach() as Tensor;
  if (x.shape.length !== 2)
    throw new TensorError("SHAPE", `sparse.compress24 takes a matrix but got shape ${formatShape(x.shape)}.`);
  const fours = foursOf("sparse.compress24", x, 8);
  const isThere = fours.ne(0);
  if (isThere.sum({ axis: -1 }).gt(2).any().item())
    throw new TensorError(
      "VALUE",
      "sparse.compress24 takes rows of which at most two of every four elements are not 0: sparse.prune24 makes them.",
    );
  // Two places of each four, in their order: those of what is there, and others where it is less.
  const isKept = ranks(isThere.to("int8") as Tensor).lt(2);
  const [rows, columns] = x.shape as [number, number];
  const places = isKept
    .reshape([-1])
    .nonzero()
    .reshape([rows, columns / 2])
    .remainder(4) as Tensor;
  const weights = tensorOf([1, 4, 16, 64], { dtype: "int64", device: x.device });
  const bytes = places
    .reshape([rows, columns / 8, 4])
    .mul(weights)
    .sum({ axis: -1 });
  return new TwoFourMatrix(
    fours.maskedSelect(isKept).reshape([rows, columns / 2]) as Tensor,
    bytes.to("uint8") as Tensor<"uint8">,
  );
}
