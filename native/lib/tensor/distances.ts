// Lengths of vectors, and how far they are from each other.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { floatOf, promoted, type FloatOf } from "../memory/promotion.ts";
import { broadcast, checkedAxis, formatShape } from "../memory/shape.ts";
import { atLeast, axis, define, flag, free, number, tensor } from "./arguments.ts";
import { cat } from "./joining.ts";
import { triuIndices } from "./triangles.ts";
import type { Tensor } from "./tensor.ts";

/** `axis`: that of the vectors: 1 when left out, the only one of a list. `eps`: lengths below it count as it. */
export interface LengthOptions {
  readonly axis?: number;
  readonly dim?: number;
  readonly eps?: number;
}

/** The axis of vectors. */
const axisOf = (rank: number, named: number | undefined): number => checkedAxis(named ?? (rank === 1 ? 0 : 1), rank);

/** In float32 at least: the usual `eps` is 0 in float16. */
function unit(x: Tensor, at: number, p: number, eps: number): Tensor {
  const floats = x.to(x.dtype === "float64" ? "float64" : "float32");
  return floats.div(floats.norm({ ord: p, axis: at, keepdims: true }).maximum(eps));
}

/**
 * x / max(‖x‖ₚ, eps) along an axis; `p` is 2 and `eps` 1e-12 when left out.
 * @example
 * normalize(tensor([[3, 4]])); // → tensor([[0.6, 0.8]], shape [1, 2], float32, cpu)
 */
export const normalize: (x: Tensor, options?: LengthOptions & { readonly p?: number }) => Tensor = define(
  "normalize",
  { options: { p: number, axis, eps: number }, withoutAxes: "own" },
  (x, { p = 2, axis: named, eps = 1e-12 }) => unit(x, axisOf(x.shape.length, named), p, eps).to(floatOf(x.dtype)),
);

/**
 * The tensor with each of its parts along an axis whose p-norm is above `maxNorm` scaled down to it, as rows of an
 * embedding are kept short. Throws TensorError.
 * @example
 * renorm(tensor([[3, 4], [0.3, 0.4]]), 2, 0, 1);
 * // → tensor([[0.6, 0.8], [0.3, 0.4]], shape [2, 2], float32, cpu)
 */
export const renorm: <D extends DType>(x: Tensor<D>, p: number, axis: number, maxNorm: number) => Tensor<FloatOf<D>> =
  define("renorm", { required: { p: number, axis, maxNorm: atLeast(0) } }, (x, { p, axis: named, maxNorm }) => {
    const rank = x.shape.length;
    const at = checkedAxis(named, rank);
    if (!(p > 0)) throw new TensorError("VALUE", `renorm takes a p above 0 but got ${p}.`);
    const floats = x.to(x.dtype === "float64" ? "float64" : "float32");
    const others = [...Array(rank).keys()].filter((each) => each !== at);
    const length = floats.norm({ ord: p, axis: others, keepdims: true });
    const isLong = length.gt(maxNorm);
    return floats
      .where(isLong.logicalNot(), floats.mul(length.where(isLong, 1).reciprocal().mul(maxNorm)))
      .to(floatOf(x.dtype));
  });

/**
 * a · b / (‖a‖ ‖b‖) along an axis; a and b broadcast, and `eps` is 1e-8 when left out.
 * @example
 * cosineSimilarity(tensor([1, 0]), tensor([1, 1])); // → tensor(0.707107, shape [], float32, cpu)
 */
export const cosineSimilarity: (a: Tensor, b: Tensor, options?: LengthOptions) => Tensor = free(
  "cosineSimilarity",
  { required: { a: tensor, b: tensor }, options: { axis, eps: number } },
  ({ a, b, axis: named, eps = 1e-8 }) => {
    const shape = broadcast(a.shape, b.shape);
    const at = axisOf(shape.length, named);
    const [left, right] = [a, b].map((each) => unit(each.expand(shape), at, 2, eps));
    return left!
      .mul(right!)
      .sum(at)
      .to(floatOf(promoted(a.dtype, b.dtype)));
  },
);

/**
 * ‖a − b + eps‖ₚ of vectors along the last axis; `p` is 2 and `eps` 1e-6 when left out.
 * @example
 * pairwiseDistance(tensor([[0, 0]]), tensor([[3, 4]]), { eps: 0 }); // → tensor([5], shape [1], float32, cpu)
 */
export const pairwiseDistance: (
  a: Tensor,
  b: Tensor,
  options?: { readonly p?: number; readonly eps?: number; readonly keepdims?: boolean },
) => Tensor = free(
  "pairwiseDistance",
  { required: { a: tensor, b: tensor }, options: { p: number, eps: number, keepdims: flag } },
  ({ a, b, p = 2, eps = 1e-6, keepdims = false }) => a.sub(b).add(eps).norm({ ord: p, axis: -1, keepdims }),
);

/** Differences that are held at a time. */
const mostDifferences = 2 ** 24;

/**
 * The p-norm of the difference of each row of a [B…, P, M] and each of b [B…, R, M]: [B…, P, R]; `p` is 2 when left
 * out, or any number from 0 to Infinity. Throws TensorError.
 * @example
 * cdist(tensor([[0, 0]]), tensor([[3, 4], [0, 1]])); // → tensor([[5, 1]], shape [1, 2], float32, cpu)
 */
export const cdist: (a: Tensor, b: Tensor, options?: number | { readonly p?: number }) => Tensor = free(
  "cdist",
  { required: { a: tensor, b: tensor }, options: { p: number }, bare: ["p"] },
  ({ a, b, p = 2 }) => {
    if (a.shape.length < 2 || b.shape.length < 2 || a.shape.at(-1) !== b.shape.at(-1))
      throw new TensorError(
        "SHAPE",
        `cdist takes rows of one length, […, P, M] and […, R, M], but got shapes ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
      );
    if (p < 0) throw new TensorError("VALUE", `cdist takes a p of at least 0 but got ${p}.`);
    const dtype = floatOf(promoted(a.dtype, b.dtype));
    const [left, right] = [a.to(dtype).unsqueeze(-2), b.to(dtype).unsqueeze(-3)];
    const rows = a.shape.at(-2)!;
    const each = broadcast(left.shape, right.shape).reduce((product, size) => product * size, 1) / Math.max(1, rows);
    const part = Math.max(1, Math.floor(mostDifferences / Math.max(1, each)));
    const at = left.shape.length - 3;
    const parts = rows <= part ? [left] : left.split(part, { axis: at });
    const distances = parts.map((some) => some.sub(right).norm({ ord: p, axis: -1 }));
    return distances.length === 1 ? distances[0]! : cat(distances, { axis: -2 });
  },
);

/**
 * The p-norm of the difference of each two rows of an [N, M], as {@link cdist} above the diagonal: of rows 0 and 1, 0
 * and 2, … in a list of N(N − 1)/2; `p` is 2 when left out, or any number from 0 to Infinity. Throws TensorError.
 * @example
 * pdist(tensor([[0, 0], [3, 4], [0, 1]])); // → tensor([5.00000, 1.00000, 4.24264], shape [3], float32, cpu)
 */
export const pdist: <D extends DType>(x: Tensor<D>, options?: number | { readonly p?: number }) => Tensor<FloatOf<D>> =
  define("pdist", { options: { p: atLeast(0) }, bare: ["p"] }, (x, { p = 2 }) => {
    if (x.shape.length !== 2)
      throw new TensorError("SHAPE", `pdist takes rows, [N, M], but got shape ${formatShape(x.shape)}.`);
    const count = x.shape[0]!;
    const pairs = triuIndices(count, { offset: 1, device: x.device });
    const places = pairs.get(0).mul(count).add(pairs.get(1));
    return cdist(x, x, { p }).flatten().indexSelect(0, places) as Tensor;
  });
