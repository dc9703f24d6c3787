// Sparse matrices in compressed rows, and their products with dense ones.
import { TensorError } from "../errors.ts";
import { sizeText } from "../figures.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { isRecording } from "../ops/core/hooks.ts";
import type { Pattern } from "../ops/sparse/sparse.ts";
import { worded } from "../wording.ts";
import { reader, tensor } from "./arguments.ts";
import { arange, zeros } from "./create.ts";
import { Tensor } from "./tensor.ts";

/**
 * A sparse matrix by its parts: row r has the elements indptr[r] to indptr[r + 1] of `values`, in the columns that
 * `indices` names.
 */
export interface CsrParts {
  readonly indptr: Tensor;
  readonly indices: Tensor;
  readonly values: Tensor;
  readonly shape: readonly [rows: number, columns: number];
}

const readMatmul = reader("matmul", { required: { dense: tensor } });

/**
 * A sparse matrix in compressed rows, see {@link csr}. Its values may be trained: products have gradients of values and
 * of the dense matrix.
 * @example
 * const a = sparse.csr(tensor([[0, 2, 0], [1, 0, 3]]));
 * a; // → CsrMatrix(shape [2, 3], 3 elements, float32, 36 bytes, cpu)
 * a.matmul(ones([3, 2])); // → tensor([[2, 2], [4, 4]], shape [2, 2], float32, cpu)
 */
export class CsrMatrix implements Disposable {
  /** int32 [rows + 1]: where each row begins among the elements, and the last ends. */
  readonly indptr: Tensor<"int32">;
  /** int32: the column of each element. */
  readonly indices: Tensor<"int32">;
  /** The elements, row by row. */
  readonly values: Tensor;
  /** Rows and columns. */
  readonly shape: readonly [rows: number, columns: number];
  #turned: readonly Tensor[] | null;

  /** @internal Of parts that go together. */
  constructor({ indptr, indices, values, shape }: CsrParts, turned: readonly Tensor[] | null = null) {
    this.indptr = indptr as Tensor<"int32">;
    this.indices = indices as Tensor<"int32">;
    this.values = values;
    this.shape = shape;
    this.#turned = turned;
  }

  /** The number of elements that it keeps. */
  get size(): number {
    return this.values.size;
  }
  /** The dtype of its values. */
  get dtype(): DType {
    return this.values.dtype;
  }
  /** The name of its device. */
  get device(): string {
    return this.values.device;
  }
  /** What values, indices and indptr take. */
  get bytes(): number {
    return this.values.bytes + this.indices.bytes + this.indptr.bytes;
  }

  /** The row of each element. */
  #rows(): Tensor<"int64"> {
    const elements = arange(this.size, { dtype: "int32", device: this.device });
    return this.indptr.searchsorted(elements, { right: true }).sub(1) as Tensor<"int64">;
  }

  /** What {@link Pattern} has of the transpose: made once. */
  #turn(): readonly Tensor[] {
    if (this.#turned !== null) return this.#turned;
    const places = this.indices.argsort({ stable: true });
    const columns = this.indices.indexSelect(0, places);
    const ends = arange(this.shape[1] + 1, { dtype: "int32", device: this.device });
    const indptr = columns.searchsorted(ends).to("int32");
    const indices = this.#rows().indexSelect(0, places).to("int32");
    return (this.#turned = [indptr, indices, places, places.argsort()]);
  }

  /** The transpose, of the same values in another order. */
  get T(): CsrMatrix {
    const [indptr, indices, places, back] = this.#turn() as [Tensor, Tensor, Tensor, Tensor];
    const values = this.values.indexSelect(0, places as Tensor<"int64">) as Tensor;
    return new CsrMatrix({ indptr, indices, values, shape: [this.shape[1], this.shape[0]] }, [
      this.indptr,
      this.indices,
      back,
      places,
    ]);
  }

  /**
   * The product with a dense matrix [columns, n], or a vector [columns]; of 16-bit floats summed in float32. On a GPU a
   * warp takes a row; the transpose that a gradient of the dense matrix needs is worked out once. Throws TensorError.
   * @example
   * sparse.csr(tensor([[0, 2], [3, 0]])).matmul(tensor([1, 10])); // → tensor([20, 3], shape [2], float32, cpu)
   */
  matmul(dense: Tensor): Tensor {
    readMatmul([dense]);
    if (dense.shape.length < 1 || dense.shape.length > 2 || dense.shape[0] !== this.shape[1])
      throw new TensorError(
        "SHAPE",
        `A sparse matrix of shape ${formatShape(this.shape)} multiplies [${this.shape[1]}, n] or [${this.shape[1]}] but got ${formatShape(dense.shape)}.`,
      );
    const matrix = dense.shape.length === 1 ? dense.reshape([-1, 1]) : dense;
    const wantsTranspose = isRecording() && (this.values.track !== null || matrix.track !== null);
    const pattern = [this.indptr, this.indices, ...(wantsTranspose ? this.#turn() : [])] as unknown as Pattern;
    const found = apply("sparseMatmul", [this.values, matrix, ...pattern], {}) as Tensor;
    return dense.shape.length === 1 ? found.reshape([-1]) : found;
  }

  /**
   * The matrix with its zeros; of elements at one place the sum.
   * @example
   * sparse.csr(tensor([[0, 2], [3, 0]])).toDense(); // → tensor([[0, 2], [3, 0]], shape [2, 2], float32, cpu)
   */
  toDense(): Tensor {
    const [rows, columns] = this.shape;
    const places = this.#rows().mul(columns).add(this.indices) as Tensor<"int64">;
    const flat = zeros([rows * columns], { dtype: this.dtype, device: this.device });
    return flat.indexAdd(0, places, this.values).reshape([rows, columns]) as Tensor;
  }

  /** What a cell shows. */
  toString(): string {
    return `CsrMatrix(shape ${formatShape(this.shape)}, ${this.size} elements, ${this.dtype}, ${sizeText(this.bytes)}, ${this.device})`;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  /** Frees its memory. */
  dispose(): void {
    for (const part of [this.values, this.indices, this.indptr, ...(this.#turned ?? [])]) part.dispose();
  }
  [Symbol.dispose](): void {
    this.dispose();
  }
}

function checkedValues(name: string, dtype: DType): void {
  if (factsOf(dtype).kind !== "float" || factsOf(dtype).isStorage)
    throw new TensorError("DTYPE", `${name} takes floats that compute but got ${dtype}: convert them first.`);
}

/** Throws TensorError for parts that are no matrix. */
function checkParts({ indptr, indices, values, shape }: CsrParts): void {
  const wrong = (what: string) => {
    throw new TensorError("VALUE", `sparse.csr takes parts of a matrix, but ${what}.`);
  };
  const tensors = { indptr, indices, values };
  for (const [name, part] of Object.entries(tensors))
    if (!(part instanceof Tensor) || part.shape.length !== 1) wrong(`${name} is no tensor with one axis`);
  if (!Array.isArray(shape) || shape.length !== 2 || shape.some((size) => !Number.isSafeInteger(size) || size < 0))
    wrong(`shape is ${worded(shape)}, not [rows, columns]`);
  checkedValues("sparse.csr", values.dtype);
  for (const [name, { dtype }] of Object.entries({ indptr, indices }))
    if (factsOf(dtype).kind !== "int") wrong(`${name} is ${dtype}, not integers`);
  if (indptr.size !== shape[0] + 1)
    wrong(`indptr has ${indptr.size} elements for ${shape[0]} rows, not ${shape[0] + 1}`);
  if (indices.size !== values.size) wrong(`there are ${indices.size} indices for ${values.size} values`);
  const list = indptr.toArray().map(Number) as number[];
  if (list[0] !== 0 || list.at(-1) !== values.size || list.some((each, at) => at > 0 && each < list[at - 1]!))
    wrong(`indptr does not go from 0 up to ${values.size}, the number of values`);
  if (indices.size > 0 && !(Number(indices.min().item()) >= 0 && Number(indices.max().item()) < shape[1]))
    wrong(`indices are not all from 0 to ${shape[1] - 1}`);
}

/**
 * A sparse matrix in compressed rows: of a dense one its elements that are not 0, for which it waits for the device, or
 * of parts as SciPy and PyTorch have them, which are checked and of which indices become int32. Values keep their
 * dtype, a float, and gradients reach them. Throws TensorError.
 * @example
 * const a = sparse.csr({
 *   indptr: tensor([0, 1, 3], { dtype: "int64" }),
 *   indices: tensor([1, 0, 2], { dtype: "int64" }),
 *   values: tensor([2, 1, 3]),
 *   shape: [2, 3],
 * });
 * a.toDense(); // → tensor([[0, 2, 0], [1, 0, 3]], shape [2, 3], float32, cpu)
 */
export function csr(given: Tensor | CsrParts): CsrMatrix {
  if (!(given instanceof Tensor)) {
    if (typeof given !== "object" || given === null)
      throw new TensorError("OPERANDS", `sparse.csr takes a matrix or parts of one but got ${worded(given)}.`);
    checkParts(given);
    const [indptr, indices] = [given.indptr, given.indices].map((part) => part.to("int32") as Tensor) as [
      Tensor,
      Tensor,
    ];
    return new CsrMatrix({ indptr, indices, values: given.values, shape: [given.shape[0], given.shape[1]] });
  }
  if (given.shape.length !== 2)
    throw new TensorError("SHAPE", `sparse.csr takes a matrix but got shape ${formatShape(given.shape)}.`);
  checkedValues("sparse.csr", given.dtype);
  const mask = given.detach().ne(0);
  const places = mask.nonzero();
  const ends = arange(given.shape[0]! + 1, { dtype: "int64", device: given.device });
  const rows = (places.slice(null, 0) as Tensor).contiguous();
  return new CsrMatrix({
    indptr: rows.searchsorted(ends).to("int32"),
    indices: (places.slice(null, 1) as Tensor).to("int32") as Tensor,
    values: given.maskedSelect(mask) as Tensor,
    shape: [given.shape[0]!, given.shape[1]!],
  });
}
