// The layers that PyTorch's transformers are made of, with its names, defaults and order of sequences.
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { gelu } from "../tensor/activations.ts";
import { either, flag, number, oneOf, reader, tensor, type Kind } from "../tensor/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { Dropout, LayerNorm, Linear } from "./layers.ts";
import { Module, type Layer, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";
import { MultiheadAttention } from "./transformer.ts";

/**
 * `dimFeedforward`: columns between the linear layers, 2048 when left out. `dropout`: the share that is left out while
 * it is trained, 0.1. `activation`: "relu", "gelu" (by erf), or a function. `batchFirst`: sequences are [batch, length,
 * width] and not [length, batch, width]. `normFirst`: norms come before attention and layers and not after each sum.
 * `layerNormEps`: 1e−5. `bias: false` leaves all biases out.
 */
export interface TransformerLayerOptions extends ParameterOptions {
  readonly dimFeedforward?: number;
  readonly dropout?: number;
  readonly activation?: "relu" | "gelu" | Layer;
  readonly layerNormEps?: number;
  readonly batchFirst?: boolean;
  readonly normFirst?: boolean;
  readonly bias?: boolean;
}
/**
 * `mask`, or `srcMask`: of bool, true where a place may look, which is the opposite of PyTorch's, or of floats that are
 * added to scores; it broadcasts to [batch, heads, length, length]. `keyPaddingMask`, or `srcKeyPaddingMask`, [batch,
 * length]: true where a place is padding, which nobody looks at, or floats. `causal`, or `isCausal`: a place looks at
 * none after it, without a mask.
 */
export interface EncoderCallOptions {
  readonly mask?: Tensor;
  readonly srcMask?: Tensor;
  readonly keyPaddingMask?: Tensor;
  readonly srcKeyPaddingMask?: Tensor;
  readonly causal?: boolean;
  readonly isCausal?: boolean;
}
/**
 * Those of {@link EncoderCallOptions} for the sequence itself, also as `tgtMask`, `tgtKeyPaddingMask` and
 * `tgtIsCausal`, and `memoryMask` and `memoryKeyPaddingMask` for what it looks at.
 */
export interface DecoderCallOptions {
  readonly mask?: Tensor;
  readonly tgtMask?: Tensor;
  readonly keyPaddingMask?: Tensor;
  readonly tgtKeyPaddingMask?: Tensor;
  readonly causal?: boolean;
  readonly tgtIsCausal?: boolean;
  readonly memoryMask?: Tensor;
  readonly memoryKeyPaddingMask?: Tensor;
}

const aFunction: Kind<Layer> = { wanted: "a function of a tensor", has: (value) => typeof value === "function" };
/** What layers and models take. */
export const layerOptions = {
  dimFeedforward: size,
  dropout: number,
  activation: either(oneOf("relu", "gelu"), aFunction),
  layerNormEps: number,
  batchFirst: flag,
  normFirst: flag,
  bias: flag,
  ...parameterOptions,
};
const taken = { required: { width: size, heads: size }, options: layerOptions };
const checks = {
  TransformerEncoderLayer: reader("TransformerEncoderLayer", { written: "new nn.TransformerEncoderLayer", ...taken }),
  TransformerDecoderLayer: reader("TransformerDecoderLayer", { written: "new nn.TransformerDecoderLayer", ...taken }),
};
const own = { mask: tensor, keyPaddingMask: tensor, causal: flag };
/** What calls of encoders take. */
export const encoderCall = {
  required: { x: tensor },
  options: own,
  bare: ["mask"] as const,
  aliases: { srcMask: "mask", srcKeyPaddingMask: "keyPaddingMask", isCausal: "causal" } as const,
  written: "layer",
};
/** What calls of decoders take. */
export const decoderCall = {
  required: { x: tensor, memory: tensor },
  options: { ...own, memoryMask: tensor, memoryKeyPaddingMask: tensor },
  bare: ["mask"] as const,
  aliases: { tgtMask: "mask", tgtKeyPaddingMask: "keyPaddingMask", tgtIsCausal: "causal" } as const,
  instead: { memoryIsCausal: "Write memoryMask." },
  written: "layer",
};
const readEncoder = reader("TransformerEncoderLayer", encoderCall);
const readDecoder = reader("TransformerDecoderLayer", decoderCall);

type Masks = Pick<EncoderCallOptions, "mask" | "keyPaddingMask" | "causal">;
const given = (masks: object) => Object.fromEntries(Object.entries(masks).filter(([, value]) => value !== undefined));

/** What both layers share. */
abstract class TransformerLayer extends Module {
  /** The attention of the sequence to itself. */
  readonly self_attn: MultiheadAttention;
  /** From width to `dimFeedforward`. */
  readonly linear1: Linear;
  /** Back to width. */
  readonly linear2: Linear;
  /** Of the attention to itself. */
  readonly norm1: LayerNorm;
  /** Of what comes second. */
  readonly norm2: LayerNorm;
  /** What is left out of each part's result, and between the linear layers, while it is trained. */
  readonly dropout: Dropout;
  /** What comes between the linear layers. */
  readonly activation: "relu" | "gelu" | Layer;
  /** Whether sequences are [batch, length, width]. */
  readonly batchFirst: boolean;
  /** Whether norms come before attention and layers. */
  readonly normFirst: boolean;
  readonly #given: TransformerLayerOptions;

  constructor(name: keyof typeof checks, width: number, heads: number, given: TransformerLayerOptions) {
    super();
    checks[name]([width, heads, given]);
    const { dimFeedforward = 2048, dropout = 0.1, activation = "relu", layerNormEps: eps = 1e-5 } = given;
    const { batchFirst = false, normFirst = false, bias = true, device, dtype } = given;
    const options = { bias, ...(device === undefined ? {} : { device }), ...(dtype === undefined ? {} : { dtype }) };
    this.#given = given;
    this.batchFirst = batchFirst;
    this.normFirst = normFirst;
    this.activation = activation;
    this.self_attn = new MultiheadAttention(width, heads, { dropout, ...options });
    this.linear1 = new Linear(width, dimFeedforward, {
      ...options,
      ...(activation === "relu" ? { activation } : {}),
    });
    this.linear2 = new Linear(dimFeedforward, width, options);
    this.norm1 = new LayerNorm(width, { eps, ...options });
    this.norm2 = new LayerNorm(width, { eps, ...options });
    this.dropout = new Dropout(dropout);
  }

  /** The options of a layer like this, where and as it lies now. */
  protected get options(): TransformerLayerOptions {
    const { device, dtype } = this.linear1.weight;
    return { ...this.#given, device, dtype: dtype as "float32" };
  }

  /** x with the batch first. Throws TensorError. */
  protected turned(x: Tensor): Tensor {
    const width = this.linear2.weight.shape[0]!;
    const rank = x.shape.length;
    if ((rank !== 2 && rank !== 3) || x.shape.at(-1) !== width)
      throw new TensorError(
        "SHAPE",
        `${this.constructor.name} takes tensors of shape ${this.batchFirst ? "[batch, length" : "[length, batch"}, ${width}] or [length, ${width}] but got ${formatShape(x.shape)}.`,
      );
    return this.batchFirst || rank === 2 ? x : (x.transpose([1, 0, 2]) as Tensor);
  }
  /** The result as x came. */
  protected back(x: Tensor): Tensor {
    return this.batchFirst || x.shape.length === 2 ? x : (x.transpose([1, 0, 2]) as Tensor);
  }

  /** What attention gives of memory. */
  protected look(attention: MultiheadAttention, x: Tensor, memory: Tensor, masks: Masks): Tensor {
    return this.dropout(attention(x, memory, memory, given(masks)));
  }
  /** What the linear layers give. */
  protected think(x: Tensor): Tensor {
    const inner = this.linear1(x);
    const bent =
      this.activation === "relu"
        ? inner
        : this.activation === "gelu"
          ? (gelu(inner) as Tensor)
          : this.activation(inner);
    return this.dropout(this.linear2(this.dropout(bent)));
  }
  /** x and what a part makes of it, normalised before or after. */
  protected added(x: Tensor, norm: LayerNorm, part: (x: Tensor) => Tensor): Tensor {
    return this.normFirst ? (x.add(part(norm(x))) as Tensor) : norm(x.add(part(x)) as Tensor);
  }

  override describe(): string {
    return `${this.batchFirst ? "batch first" : "length first"}${this.normFirst ? ", norms first" : ""}`;
  }
}

/**
 * A layer of a transformer's encoder (arXiv 1706.03762, section 3.1), with the names of weights, the defaults and the
 * order of sequences that PyTorch's has: x + attention(x), then the same of two linear layers with an activation
 * between them, each normalised. x and the result are [length, batch, width], with `batchFirst` [batch, length, width],
 * or [length, width]. See {@link TransformerLayerOptions}, and {@link EncoderCallOptions} for calls, where a tensor
 * alone is the mask; {@link TransformerBlock} is the one with today's defaults. Throws TensorError.
 * @example
 * const layer = new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, batchFirst: true });
 * layer(randn([3, 5, 8]), { causal: true }).shape; // → [ 3, 5, 8 ]
 */
export class TransformerEncoderLayer extends TransformerLayer {
  readonly #heads: number;

  /** Throws TensorError. */
  constructor(width: number, heads: number, given: TransformerLayerOptions = {}) {
    super("TransformerEncoderLayer", width, heads, given);
    this.#heads = heads;
  }

  forward(x: Tensor, options?: Tensor | EncoderCallOptions): Tensor {
    const { x: _, ...masks } = readEncoder(options === undefined ? [x] : [x, options]);
    const seen = this.added(this.turned(x), this.norm1, (y) => this.look(this.self_attn, y, y, masks));
    return this.back(this.added(seen, this.norm2, (y) => this.think(y)));
  }

  /** Another layer with the same options and numbers. */
  copy(): TransformerEncoderLayer {
    const made = new TransformerEncoderLayer(this.linear2.weight.shape[0]!, this.#heads, this.options);
    made.loadStateDict(this.stateDict());
    return made.train(this.training);
  }
}

/**
 * A layer of a transformer's decoder (arXiv 1706.03762, section 3.1), with the names of weights, the defaults and the
 * order of sequences that PyTorch's has: attention of x to itself, attention to `memory`, what an encoder gave, and two
 * linear layers, each added to x and normalised. See {@link TransformerLayerOptions}, and {@link DecoderCallOptions}
 * for calls, where a tensor alone is the mask. Throws TensorError.
 * @example
 * const layer = new nn.TransformerDecoderLayer(8, 2, { dimFeedforward: 16, batchFirst: true });
 * layer(randn([3, 5, 8]), randn([3, 7, 8]), { causal: true }).shape; // → [ 3, 5, 8 ]
 */
export class TransformerDecoderLayer extends TransformerLayer {
  /** The attention to `memory`. */
  readonly multihead_attn: MultiheadAttention;
  /** Of the linear layers. */
  readonly norm3: LayerNorm;
  readonly #heads: number;

  /** Throws TensorError. */
  constructor(width: number, heads: number, given: TransformerLayerOptions = {}) {
    super("TransformerDecoderLayer", width, heads, given);
    const { dropout = 0.1, bias = true, layerNormEps: eps = 1e-5 } = given;
    const { device, dtype } = this.options;
    const options = { bias, device: device!, dtype: dtype! };
    this.#heads = heads;
    this.multihead_attn = new MultiheadAttention(width, heads, { dropout, ...options });
    this.norm3 = new LayerNorm(width, { eps, ...options });
  }

  forward(x: Tensor, memory: Tensor, options?: Tensor | DecoderCallOptions): Tensor {
    const read = readDecoder(options === undefined ? [x, memory] : [x, memory, options]);
    const { x: _, memory: __, memoryMask, memoryKeyPaddingMask, ...masks } = read;
    const beyond = this.turned(memory);
    const ofMemory = { mask: memoryMask, keyPaddingMask: memoryKeyPaddingMask } as Masks;
    const own = this.added(this.turned(x), this.norm1, (y) => this.look(this.self_attn, y, y, masks));
    const seen = this.added(own, this.norm2, (y) => this.look(this.multihead_attn, y, beyond, ofMemory));
    return this.back(this.added(seen, this.norm3, (y) => this.think(y)));
  }

  /** Another layer with the same options and numbers. */
  copy(): TransformerDecoderLayer {
    const made = new TransformerDecoderLayer(this.linear2.weight.shape[0]!, this.#heads, this.options);
    made.loadStateDict(this.stateDict());
    return made.train(this.training);
  }
}
