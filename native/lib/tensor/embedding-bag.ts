// Rows of a table of vectors, added up in bags.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { anything, flag, oneOf, reader, tensor, wholeNumber } from "./arguments.ts";
import { arange, full, zeros } from "./create.ts";
import { embedding } from "./embedding.ts";
import { indicesOf } from "./index-entries.ts";
import type { Indices } from "./indexing.ts";
import type { Tensor } from "./tensor.ts";

/**
 * `mode`: what becomes of a bag's rows, "mean" when left out. `offsets`: where the bags of a list of indices begin;
 * `includeLastOffset`: the last one is the end. `perSampleWeights`: factors of the rows, of the indices' shape, for
 * sums. `paddingIndex`: a row that counts for nothing; a negative one counts from the end.
 */
export interface EmbeddingBagOptions {
  readonly mode?: "sum" | "mean" | "max";
  readonly offsets?: Indices;
  readonly includeLastOffset?: boolean;
  readonly perSampleWeights?: Tensor;
  readonly paddingIndex?: number;
}

const read = reader("embeddingBag", {
  required: { indices: anything, weight: tensor },
  options: {
    mode: oneOf("sum", "mean", "max"),
    offsets: anything,
    includeLastOffset: flag,
    perSampleWeights: tensor,
    paddingIndex: wholeNumber,
  },
});

/**
 * The rows of `weight` [count, width] of each bag added up, see {@link EmbeddingBagOptions}: [bags, width] of indices
 * [bags, each], or of a list with `offsets`. An empty bag is 0. Sums are the same from run to run. Throws TensorError
 * for shapes that do not fit, and as {@link embedding} does for an index outside.
 * @example
 * const weight = tensor([[1, 2], [3, 4], [5, 6]]);
 * embeddingBag(tensor([[0, 2]], { dtype: "int64" }), weight, { mode: "sum" }); // → tensor([[6, 8]], shape [1, 2], float32, cpu)
 * embeddingBag(tensor([0, 2, 1], { dtype: "int64" }), weight, { offsets: [0, 2] });
 * // → tensor([[3, 4], [3, 4]], shape [2, 2], float32, cpu)
 */
export function embeddingBag<D extends DType>(
  indices: Indices,
  weight: Tensor<D>,
  options?: EmbeddingBagOptions,
): Tensor<D>;
export function embeddingBag(...args: unknown[]): Tensor {
  const { indices, weight, mode = "mean", offsets, includeLastOffset = false, ...given } = read(args);
  const { perSampleWeights, paddingIndex } = given;
  const at = indicesOf(indices, weight, "embeddingBag").indices as Tensor<"int64">;
  if (at.shape.length !== (offsets === undefined ? 2 : 1))
    throw new TensorError(
      "SHAPE",
      `embeddingBag takes indices of shape [bags, each], or a list of them with offsets, but got ${formatShape(at.shape)}${offsets === undefined ? "" : " and offsets"}.`,
    );
  if (perSampleWeights !== undefined && mode !== "sum")
    throw new TensorError("OPTIONS", `embeddingBag takes perSampleWeights with mode "sum" but got "${mode}".`);
  if (perSampleWeights !== undefined && formatShape(perSampleWeights.shape) !== formatShape(at.shape))
    throw new TensorError(
      "SHAPE",
      `embeddingBag takes perSampleWeights of the indices' shape ${formatShape(at.shape)} but got ${formatShape(perSampleWeights.shape)}.`,
    );
  const rows = embedding(at, weight, paddingIndex === undefined ? {} : { paddingIndex });
  const [count, width] = weight.shape as [number, number];
  const padding = paddingIndex === undefined || paddingIndex >= 0 ? paddingIndex : paddingIndex + count;
  const on = { device: weight.device };
  const isCounted = padding === undefined ? null : at.ne(padding).unsqueeze(-1);
  const empty = mode === "max" ? -Infinity : 0;
  const weighted = perSampleWeights === undefined ? rows : rows.mul(perSampleWeights.unsqueeze(-1).to(rows.dtype));
  const counted = (isCounted === null ? weighted : weighted.where(isCounted, empty)) as Tensor;
  const ones = (isCounted === null ? full([...at.shape, 1], 1, on) : isCounted.to("float32")) as Tensor;
  if (offsets === undefined) {
    if (mode === "sum") return counted.sum(1) as Tensor;
    const many = ones.sum(1) as Tensor;
    return finished(mode, mode === "mean" ? (counted.sum(1) as Tensor) : largest(counted, width, on), many);
  }
  const starts = indicesOf(offsets, weight, "embeddingBag").indices as Tensor<"int64">;
  const begins = includeLastOffset ? starts.slice([0, -1]) : starts;
  const bags = begins.shape[0]!;
  const bag = begins
    .contiguous()
    .searchsorted(arange(at.size, { dtype: "int64", ...on }), { right: true })
    .sub(1);
  const total = zeros([bags, width], { dtype: weight.dtype, ...on });
  if (mode === "sum") return total.indexAdd(0, bag as Tensor<"int64">, counted) as Tensor;
  const many = zeros([bags, 1], on).indexAdd(0, bag as Tensor<"int64">, ones) as Tensor;
  const wide = bag.unsqueeze(-1).broadcastTo([at.size, width]) as Tensor<"int64">;
  const options = { reduce: "max", includeSelf: false } as const;
  return finished(
    mode,
    (mode === "mean"
      ? total.indexAdd(0, bag as Tensor<"int64">, counted)
      : total.scatter(0, wide, counted, options)) as Tensor,
    many,
  );
}

/** The largest of each bag; bags without rows have none. */
function largest(rows: Tensor, width: number, on: { readonly device: string }): Tensor {
  const [bags, each] = rows.shape as [number, number];
  return each === 0 ? zeros([bags, width], { dtype: rows.dtype as DType, ...on }) : (rows.max({ axis: 1 }) as Tensor);
}

/** Divided by how many there were, and 0 where there were none. */
function finished(mode: "mean" | "max", bags: Tensor, many: Tensor): Tensor {
  if (mode === "max") return bags.where(many.gt(0), 0) as Tensor;
  return bags.div(many.clamp({ min: 1 }).to(bags.dtype)) as Tensor;
}
