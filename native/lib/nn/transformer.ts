// Attention between sequences in several heads, and the block that transformers repeat, with PyTorch's names of
// weights.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { noGrad } from "../autograd/gradients.ts";
import { anything, flag, number, oneOf, reader, tensor } from "../tensor/arguments.ts";
import { zeros } from "../tensor/create.ts";
import { eye } from "../tensor/joining.ts";
import { linear } from "../tensor/linear.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { attention, type AttentionOptions } from "./attention.ts";
import { xavierUniform } from "./init.ts";
import { withPadding } from "./key-padding.ts";
import { Dropout, LayerNorm, Linear } from "./layers.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";

const checkMultihead = reader("MultiheadAttention", {
  written: "new nn.MultiheadAttention",
  required: { width: size, heads: size },
  options: { bias: flag, dropout: number, ...parameterOptions },
  instead: {
    batchFirst: "Batches are always first here: leave it out.",
    kdim: "Put new nn.Linear(kdim, width) before the keys.",
    vdim: "Put new nn.Linear(vdim, width) before the values.",
    addBiasKv: "Join a row of your own to keys and values with cat.",
    addZeroAttn: "Join a row of zeros to keys and values with cat.",
  },
});
const readCall = reader("MultiheadAttention", {
  written: "layer",
  options: {
    mask: anything,
    causal: anything,
    alignment: anything,
    window: anything,
    cache: anything,
    keyPaddingMask: tensor,
    averageAttnWeights: flag,
  },
  aliases: { attnMask: "mask", isCausal: "causal" },
  instead: {
    needWeights: "A call gives the result alone: leave it out, or write layer.withWeights(query, key, value).",
  },
});
const checkBlock = reader("TransformerBlock", {
  written: "new nn.TransformerBlock",
  required: { width: size, heads: size },
  options: {
    causal: flag,
    hidden: size,
    activation: oneOf("gelu", "relu"),
    normFirst: flag,
    bias: flag,
    dropout: number,
    eps: number,
    ...parameterOptions,
  },
  instead: {
    batchFirst: "Batches are always first here: leave it out.",
    dimFeedforward: "Write hidden.",
    layerNormEps: "Write eps.",
  },
});

/**
 * Attention of queries to keys and values in several heads, each of width/heads, with linear layers before and after it
 * (arXiv 1706.03762, section 3.2.2). The query is […, queries, width], key and value are […, keys, width], the result
 * has the query's shape; a key left out is the query, a value left out the key. Weights have the names and order of
 * PyTorch's `MultiheadAttention` (of which `batch_first` is how sequences lie here); a bool mask is true where a query
 * may look, which is the opposite of PyTorch's there, while `keyPaddingMask` is true where a key is padding, as there.
 * `dropout`: of the weights, while it is trained. Throws TensorError.
 * @example
 * const layer = new nn.MultiheadAttention(8, 2);
 * layer(randn([1, 5, 8]), randn([1, 7, 8])).shape; // → [ 1, 5, 8 ]
 */
export class MultiheadAttention extends Module {
  /** How many heads there are. */
  readonly heads: number;
  /** The share of weights that are left out while it is trained. */
  readonly dropout: number;
  /** [3 · width, width]: of queries, keys and values, uniform by Glorot and Bengio. */
  in_proj_weight: Tensor;
  /** [3 · width], 0 at first. */
  in_proj_bias: Tensor | null;
  /** What the heads give, joined, goes through this layer, whose bias is 0 at first. */
  readonly out_proj: Linear;

  /** Throws TensorError. */
  constructor(
    width: number,
    heads: number,
    given: ParameterOptions & { readonly bias?: boolean; readonly dropout?: number } = {},
  ) {
    super();
    checkMultihead([width, heads, given]);
    const { bias = true, dropout = 0, ...options } = given;
    if (width % heads !== 0)
      throw new TensorError(
        "OPTIONS",
        `MultiheadAttention takes a width that its heads divide, but ${heads} heads do not divide ${width}.`,
      );
    this.heads = heads;
    this.dropout = dropout;
    this.in_proj_weight = xavierUniform(zeros([3 * width, width], options));
    this.in_proj_weight.requiresGrad = true;
    this.in_proj_bias = bias ? zeros([3 * width], options) : null;
    if (this.in_proj_bias !== null) this.in_proj_bias.requiresGrad = true;
    this.out_proj = new Linear(width, width, { bias, ...options });
    const { bias: last } = this.out_proj;
    if (last !== null) noGrad(() => last.fill_(0));
  }

  forward(query: Tensor, key: Tensor = query, value: Tensor = key, options: MultiheadCallOptions = {}): Tensor {
    const { averageAttnWeights, ...given } = readCall([options]);
    if (averageAttnWeights !== undefined)
      throw new TensorError(
        "OPTIONS",
        "MultiheadAttention averages weights where it gives them: write layer.withWeights(query, key, value, { averageAttnWeights }).",
      );
    const [q, k, v] = this.#projected(query, key, value);
    return this.#joined(query, attention(q, k, v, this.#options(key, given)));
  }

  /**
   * The result together with the weights by which values are added up, of all pairs, which takes their memory: the mean
   * of all heads, or with `averageAttnWeights: false` each head's, [batch…, heads, queries, keys]. Throws TensorError.
   * @example
   * const layer = new nn.MultiheadAttention(8, 2);
   * const x = randn([1, 5, 8]);
   * layer.withWeights(x, x, x).weights.shape; // → [ 1, 5, 5 ]
   */
  withWeights(
    query: Tensor,
    key: Tensor = query,
    value: Tensor = key,
    options: Omit<MultiheadCallOptions, "cache"> & { readonly averageAttnWeights?: boolean } = {},
  ): AttentionWithWeights {
    const { averageAttnWeights = true, cache, ...given } = readCall([options]);
    if (cache !== undefined)
      throw new TensorError("OPTIONS", "withWeights takes no cache: give it the keys and values themselves.");
    const [q, k, v] = this.#projected(query, key, value);
    // What the weights make of the matrix that changes nothing are the weights.
    const keys = k.shape.at(-2)!;
    const same = eye(keys, { dtype: k.dtype as "float32", device: k.device }).broadcastTo([
      ...k.shape.slice(0, -1),
      keys,
    ]) as Tensor;
    const weights = attention(q, k, same, this.#options(key, given));
    return {
      output: this.#joined(query, weights.matmul(v) as Tensor),
      weights: (averageAttnWeights ? weights.mean(-3) : weights) as Tensor,
    };
  }

  #options(key: Tensor, given: object): AttentionOptions {
    const { keyPaddingMask, ...options } = given as MultiheadCallOptions;
    const dropout = this.training && this.dropout > 0 ? { dropout: this.dropout } : {};
    if (keyPaddingMask === undefined) return { ...options, ...dropout };
    const { mask } = options;
    if (typeof mask === "function")
      throw new TensorError(
        "OPTIONS",
        "MultiheadAttention takes a keyPaddingMask or a mask by function, not both: write the padding as a mask.",
      );
    return { ...options, ...dropout, mask: withPadding(mask, keyPaddingMask, key) };
  }

  /** What the heads gave, side by side, and through the last layer. */
  #joined({ shape }: Tensor, heads: Tensor): Tensor {
    return this.out_proj(turned(heads).reshape(shape));
  }

  /** Queries, keys and values as […, heads, length, each], by as few products as there are tensors. */
  #projected(query: Tensor, key: Tensor, value: Tensor): [Tensor, Tensor, Tensor] {
    const width = this.out_proj.weight.shape[0]!;
    for (const each of [query, key, value])
      if (each.shape.length < 2 || each.shape.at(-1) !== width)
        throw new TensorError(
          "SHAPE",
          `MultiheadAttention of width ${width} takes tensors of shape […, length, ${width}] but got ${[query, key, value].map(({ shape }) => formatShape(shape)).join(", ")}.`,
        );
    const given = [query, key, value];
    const found: Tensor[] = [];
    for (let at = 0; at < 3; ) {
      let end = at + 1;
      while (end < 3 && given[end] === given[at]) end++;
      const rows: [number, number] = [at * width, end * width];
      const bias = this.in_proj_bias?.slice(rows) ?? null;
      const product = linear(given[at]!, this.in_proj_weight.slice(rows), bias) as Tensor;
      const parts = product.reshape([...product.shape.slice(0, -1), end - at, this.heads, width / this.heads]);
      found.push(...(parts.unbind(-3) as Tensor[]).map(turned));
      at = end;
    }
    return found as [Tensor, Tensor, Tensor];
  }

  override describe(): string {
    return `${this.out_proj.weight.shape[0]!}, ${this.heads} heads`;
  }
}

/**
 * Those of {@link AttentionOptions} that several heads take, and `keyPaddingMask` [batch…, keys]: true where a key is
 * padding, at which nobody looks, or floats that are added to scores.
 */
export interface MultiheadCallOptions
  extends Pick<AttentionOptions, "mask" | "causal" | "alignment" | "window" | "cache"> {
  readonly keyPaddingMask?: Tensor;
}
/**
 * What {@link MultiheadAttention.withWeights} gives: the result, and the weights [batch…, queries, keys], or of each
 * head.
 */
export interface AttentionWithWeights {
  readonly output: Tensor;
  readonly weights: Tensor;
}

/** The second and third axis from the end change places. */
function turned(x: Tensor): Tensor {
  const rank = x.shape.length;
  return x.transpose([...Array(rank - 3).keys(), rank - 2, rank - 3, rank - 1]) as Tensor;
}

/** `normFirst: false` normalises after each sum, as in the paper; `hidden`: 4 · width when left out. */
export interface TransformerBlockOptions extends ParameterOptions {
  readonly causal?: boolean;
  readonly hidden?: number;
  readonly activation?: "gelu" | "relu";
  readonly normFirst?: boolean;
  readonly bias?: boolean;
  readonly dropout?: number;
  readonly eps?: number;
}

/**
 * One block of a transformer (arXiv 1706.03762, section 3.1): x + attention(norm(x)), then the same of two linear
 * layers with an activation between them. x and the result are […, length, width]. Weights have the names of PyTorch's
 * `TransformerEncoderLayer`; what differs are defaults: norms come first (Xiong and others, arXiv 2002.04745), the
 * activation is "gelu", by tanh, and nothing is dropped. Throws TensorError.
 * @example
 * const block = new nn.TransformerBlock(8, 2, { causal: true });
 * block(randn([1, 5, 8])).shape; // → [ 1, 5, 8 ]
 */
export class TransformerBlock extends Module {
  /** The attention of the sequence to itself. */
  readonly self_attn: MultiheadAttention;
  /** From width to `hidden`, with the activation. */
  readonly linear1: Linear;
  /** Back to width. */
  readonly linear2: Linear;
  /** Of the attention. */
  readonly norm1: LayerNorm;
  /** Of the linear layers. */
  readonly norm2: LayerNorm;
  /** What is left out of each part's result, and between the linear layers, while it is trained. */
  readonly dropout: Dropout;
  /** Whether a place looks at none after it. */
  readonly causal: boolean;
  /** Whether norms come before attention and layers. */
  readonly normFirst: boolean;

  /** Throws TensorError. */
  constructor(width: number, heads: number, given: TransformerBlockOptions = {}) {
    super();
    checkBlock([width, heads, given]);
    const {
      causal = false,
      hidden = 4 * width,
      activation = "gelu",
      normFirst = true,
      bias = true,
      dropout = 0,
      eps = 1e-5,
      ...options
    } = given;
    this.causal = causal;
    this.normFirst = normFirst;
    this.self_attn = new MultiheadAttention(width, heads, { bias, dropout, ...options });
    this.linear1 = new Linear(width, hidden, { bias, activation, ...options });
    this.linear2 = new Linear(hidden, width, { bias, ...options });
    this.norm1 = new LayerNorm(width, { eps, bias, ...options });
    this.norm2 = new LayerNorm(width, { eps, bias, ...options });
    this.dropout = new Dropout(dropout);
  }

  forward(x: Tensor, options: Pick<MultiheadCallOptions, "mask" | "cache" | "keyPaddingMask"> = {}): Tensor {
    const look = (y: Tensor) => this.dropout(this.self_attn(y, y, y, { causal: this.causal, ...options }));
    const think = (y: Tensor) => this.dropout(this.linear2(this.dropout(this.linear1(y))));
    if (this.normFirst) {
      const seen = x.add(look(this.norm1(x))) as Tensor;
      return seen.add(think(this.norm2(seen))) as Tensor;
    }
    const seen = this.norm1(x.add(look(x)));
    return this.norm2(seen.add(think(seen)));
  }

  override describe(): string {
    return `${this.causal ? "causal" : "sees all"}${this.normFirst ? "" : ", norms last"}`;
  }
}
