// Matrices of square blocks most of which are 0, and their products with dense ones.
import { TensorError } from "../errors.ts";
import { sizeText } from "../figures.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { reader, tensor, wholeNumber } from "./arguments.ts";
import { zeros } from "./create.ts";
import type { Tensor } from "./tensor.ts";

const readMatmul = reader("matmul", { required: { dense: tensor } });
const readBsr = reader("sparse.bsr", { required: { dense: tensor }, options: { block: wholeNumber } });

/**
 * A matrix of which only the blocks that are not 0 are kept, see {@link bsr}.
 * @example
 * const a = sparse.bsr(eye(4), { block: 2 });
 * a; // → BlockSparseMatrix(shape [4, 4], 2 blocks of 2 × 2 of 4, float32, 64 bytes, cpu)
 * a.matmul(ones([4, 1])).T; // → tensor([[1, 1, 1, 1]], shape [1, 4], float32, cpu)
 */
export class BlockSparseMatrix implements Disposable {
  /** [blocks, size, size], in row-major order of their places. */
  readonly blocks: Tensor;
  /** int64 [blocks]: the row of blocks that each is in. */
  readonly rows: Tensor<"int64">;
  /** int64 [blocks]: the column of blocks that each is in. */
  readonly columns: Tensor<"int64">;
  /** Rows and columns of elements. */
  readonly shape: readonly [rows: number, columns: number];

  /** @internal Of parts that go together. */
  constructor(
    blocks: Tensor,
    rows: Tensor<"int64">,
    columns: Tensor<"int64">,
    shape: readonly [rows: number, columns: number],
  ) {
    this.blocks = blocks;
    this.rows = rows;
    this.columns = columns;
    this.shape = shape;
  }

  /** Rows and columns of a block. */
  get block(): number {
    return this.blocks.shape[1]!;
  }
  /** The dtype of its elements. */
  get dtype(): DType {
    return this.blocks.dtype;
  }
  /** The name of its device. */
  get device(): string {
    return this.blocks.device;
  }
  /** What blocks and their places take. */
  get bytes(): number {
    return this.blocks.bytes + this.rows.bytes + this.columns.bytes;
  }

  /**
   * The product with a dense matrix [columns, n]: one batch of products of blocks by the device's library, which are
   * then added by rows of blocks. It takes memory for the rows of the dense matrix that each block meets, and for each
   * block's product, which is rounded to the dtype before it is added: on a GPU it is faster than the dense product
   * only where a few blocks in a hundred are kept. Gradients reach the blocks and the dense matrix. Throws TensorError.
   * @example
   * sparse.bsr(eye(4).mul(3), { block: 2 }).matmul(ones([4, 1])).T;
   * // → tensor([[3, 3, 3, 3]], shape [1, 4], float32, cpu)
   */
  matmul(dense: Tensor): Tensor {
    readMatmul([dense]);
    const [rows, columns] = this.shape;
    if (dense.shape.length !== 2 || dense.shape[0] !== columns)
      throw new TensorError(
        "SHAPE",
        `A block-sparse matrix of shape ${formatShape(this.shape)} multiplies [${columns}, n] but got ${formatShape(dense.shape)}.`,
      );
    const { block } = this;
    const n = dense.shape[1]!;
    const met = dense.reshape([columns / block, block, n]).indexSelect(0, this.columns);
    const products = this.blocks.matmul(met) as Tensor;
    const sums = zeros([rows / block, block, n], { dtype: products.dtype, device: this.device });
    return sums.indexAdd(0, this.rows, products).reshape([rows, n]) as Tensor;
  }

  /**
   * The matrix with its zeros.
   * @example
   * sparse.bsr(eye(2), { block: 1 }).toDense(); // → tensor([[1, 0], [0, 1]], shape [2, 2], float32, cpu)
   */
  toDense(): Tensor {
    const { block } = this;
    const [rows, columns] = [this.shape[0] / block, this.shape[1] / block];
    const flat = zeros([rows * columns, block, block], { dtype: this.dtype, device: this.device });
    const places = this.rows.mul(columns).add(this.columns) as Tensor<"int64">;
    return flat
      .indexAdd(0, places, this.blocks)
      .reshape([rows, columns, block, block])
      .transpose([0, 2, 1, 3])
      .reshape([rows * block, columns * block]) as Tensor;
  }

  /** What a cell shows. */
  toString(): string {
    const { block } = this;
    const all = (this.shape[0] / block) * (this.shape[1] / block);
    return `BlockSparseMatrix(shape ${formatShape(this.shape)}, ${this.blocks.shape[0]} blocks of ${block} × ${block} of ${all}, ${this.dtype}, ${sizeText(this.bytes)}, ${this.device})`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  /** Frees its memory. */
  dispose(): void {
    for (const part of [this.blocks, this.rows, this.columns]) part.dispose();
  }
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/**
 * A matrix of blocks, of a dense one: those that have an element that is not 0, for which it waits for the device.
 * `block`: rows and columns of each, 64 when left out; both sizes of the matrix are multiples of it. Gradients reach
 * the dense matrix. Throws TensorError.
 * @example
 * sparse.bsr(eye(8), { block: 4 }).blocks.shape; // → [ 2, 4, 4 ]
 */
export function bsr(dense: Tensor, options?: { readonly block?: number }): BlockSparseMatrix;
export function bsr(...args: unknown[]): BlockSparseMatrix {
  const { dense, block = 64 } = readBsr(args);
  const [rows, columns] = dense.shape as [number, number];
  if (dense.shape.length !== 2 || block < 1 || rows % block !== 0 || columns % block !== 0)
    throw new TensorError(
      "SHAPE",
      `sparse.bsr takes a matrix whose sizes are multiples of block, ${block}, but got shape ${formatShape(dense.shape)}.`,
    );
  const all = dense.reshape([rows / block, block, columns / block, block]).transpose([0, 2, 1, 3]) as Tensor;
  const places = all
    .detach()
    .ne(0)
    .any({ axis: [2, 3] })
    .nonzero();
  const [ofRow, ofColumn] = [0, 1].map((at) => (places.slice(null, at) as Tensor<"int64">).contiguous()) as [
    Tensor<"int64">,
    Tensor<"int64">,
  ];
  const flat = ofRow.mul(columns / block).add(ofColumn) as Tensor<"int64">;
  const blocks = all.reshape([-1, block, block]).indexSelect(0, flat) as Tensor;
  return new BlockSparseMatrix(blocks, ofRow, ofColumn, [rows, columns]);
}
