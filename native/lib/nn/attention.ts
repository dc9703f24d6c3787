// Attention, of matrix products and a softmax: the weights of all pairs are in memory at a time.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { ones } from "../tensor/create.ts";
import { anything, flag, number, optionsOf, reader } from "../tensor/arguments.ts";
import { Tensor } from "../tensor/tensor.ts";
import { Dropout, Linear } from "./layers.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";

/**
 * `mask`: bool, true where a query may look at a key, of a shape that broadcasts to […, queries, keys]. `causal`:
 * a query looks at no key after its own place, counted from the end where there are more keys than queries. `scale`:
 * 1/√width when left out.
 */
export interface AttentionOptions {
  readonly mask?: Tensor<"bool">;
  readonly causal?: boolean;
  readonly scale?: number;
}

const attentionOptions = { mask: anything, causal: flag, scale: number };
const checkSelfAttention = reader("SelfAttention", {
  written: "new nn.SelfAttention",
  required: { width: size, heads: size },
  options: { causal: flag, bias: flag, dropout: number, ...parameterOptions },
});

/**
 * softmax(q · kᵀ · scale) · v for q […, queries, width], k […, keys, width] and v […, keys, values]: […, queries,
 * values] (Vaswani and others, arXiv 1706.03762, section 3.2.1). A query that may look at nothing gives 0. Throws
 * TensorError.
 * @example
 * nn.attention(ones([1, 2, 4]), ones([1, 3, 4]), ones([1, 3, 5])).shape; // → [ 1, 2, 5 ]
 */
export function attention(q: Tensor, k: Tensor, v: Tensor, options: AttentionOptions = {}): Tensor {
  optionsOf("attention", attentionOptions, options);
  const { mask, causal = false, scale } = options;
  const [queries, width] = q.shape.slice(-2),
    [keys, other] = k.shape.slice(-2);
  if (q.shape.length < 2 || k.shape.length < 2 || v.shape.length < 2 || width !== other || keys !== v.shape.at(-2)) {
    throw new TensorError(
      "SHAPE",
      `attention takes q […, queries, width], k […, keys, width] and v […, keys, values] but got ${formatShape(q.shape)}, ${formatShape(k.shape)} and ${formatShape(v.shape)}.`,
    );
  }
  if (mask !== undefined && mask.dtype !== "bool")
    throw new TensorError(
      "DTYPE",
      `The mask of attention is of bool, true where a query may look, but got ${mask.dtype}.`,
    );
  const scores = q.mul(scale ?? 1 / Math.sqrt(width!)).matmul(k.transpose()) as Tensor;
  const near = causal
    ? (ones([queries!, keys!], { dtype: "bool", device: q.device }).tril(keys! - queries!) as Tensor<"bool">)
    : undefined;
  const seen = mask !== undefined && near !== undefined ? (mask.logicalAnd(near) as Tensor<"bool">) : (mask ?? near);
  if (seen === undefined) return scores.softmax().matmul(v) as Tensor;
  // Not −∞, of which alone there is no softmax: a row that may look at nothing would have gradients that are no
  // numbers.
  const weights = scores.where(seen, scores.dtype === "float16" ? -65504 : -3.38e38).softmax();
  // Causal rows always have their first key, unless there are fewer keys than queries.
  if (mask === undefined && keys! >= queries!) return weights.matmul(v) as Tensor;
  return weights.maskedFill(seen.logicalNot() as Tensor<"bool">, 0).matmul(v) as Tensor;
}

/**
 * Attention of a sequence to itself in several heads, each of width/heads, with linear layers before and after it
 * (arXiv 1706.03762, section 3.2.2). x and the result are […, length, width].
 * @example
 * const layer = new nn.SelfAttention(8, 2, { causal: true });
 * layer(randn([1, 5, 8])).shape; // → [ 1, 5, 8 ]
 */
export class SelfAttention extends Module {
  /** How many heads there are. */
  readonly heads: number;
  /** Whether a query looks at no key after its own place. */
  readonly causal: boolean;
  /** Queries, keys and values of all heads, side by side. */
  readonly inputs: Linear;
  /** What the heads give, joined, goes through this layer. */
  readonly outputs: Linear;
  /** What is left out of the result while it is trained. */
  readonly dropout: Dropout;

  /** `dropout`: of the result, while it is trained. Throws TensorError. */
  constructor(
    width: number,
    heads: number,
    given: ParameterOptions & { readonly causal?: boolean; readonly bias?: boolean; readonly dropout?: number } = {},
  ) {
    super();
    checkSelfAttention([width, heads, given]);
    const { causal = false, bias = true, dropout = 0, ...options } = given;
    if (width % heads !== 0)
      throw new TensorError(
        "OPTIONS",
        `SelfAttention takes a width that its heads divide, but ${heads} heads do not divide ${width}.`,
      );
    this.heads = heads;
    this.causal = causal;
    this.inputs = new Linear(width, 3 * width, { bias, ...options });
    this.outputs = new Linear(width, width, { bias, ...options });
    this.dropout = new Dropout(dropout);
  }

  forward(x: Tensor, { mask }: Pick<AttentionOptions, "mask"> = {}): Tensor {
    const [length, width] = x.shape.slice(-2) as [number, number],
      before = x.shape.slice(0, -2);
    if (x.shape.length < 2 || 3 * width !== this.inputs.weight.shape[0])
      throw new TensorError(
        "SHAPE",
        `SelfAttention of width ${this.outputs.weight.shape[0]!} takes tensors of shape […, length, ${this.outputs.weight.shape[0]!}] but got ${formatShape(x.shape)}.`,
      );
    // […, length, 3, heads, each] to […, heads, length, each], three times.
    const parts = this.inputs(x).reshape([...before, length, 3, this.heads, width / this.heads]);
    const rank = before.length;
    const [q, k, v] = [0, 1, 2].map((index) =>
      parts
        .slice(...Array<null>(rank + 1).fill(null), index as never)
        .transpose([...before.keys(), rank + 1, rank, rank + 2]),
    ) as [Tensor, Tensor, Tensor];
    const seen = attention(q, k, v, { causal: this.causal, ...(mask === undefined ? {} : { mask }) });
    return this.dropout(
      this.outputs(seen.transpose([...before.keys(), rank + 1, rank, rank + 2]).reshape([...before, length, width])),
    );
  }

  override describe(): string {
    return `${this.heads} heads${this.causal ? ", causal" : ""}`;
  }
}
