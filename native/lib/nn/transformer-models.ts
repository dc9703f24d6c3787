// Transformers of layers one after the other, as PyTorch has them: encoder, decoder, and both.
import { TensorError } from "../errors.ts";
import { flag, orNull, reader, type Kind } from "../tensor/arguments.ts";
import { full } from "../tensor/create.ts";
import { tensor } from "../tensor/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { xavierUniform } from "./init.ts";
import { LayerNorm } from "./layers.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";
import {
  decoderCall,
  encoderCall,
  layerOptions,
  TransformerDecoderLayer,
  TransformerEncoderLayer,
  type DecoderCallOptions,
  type EncoderCallOptions,
  type TransformerLayerOptions,
} from "./transformer-layers.ts";

const encoderLayer: Kind<TransformerEncoderLayer> = {
  wanted: "an nn.TransformerEncoderLayer",
  has: (value) => value instanceof TransformerEncoderLayer,
};
const decoderLayer: Kind<TransformerDecoderLayer> = {
  wanted: "an nn.TransformerDecoderLayer",
  has: (value) => value instanceof TransformerDecoderLayer,
};
const norm = orNull<Module>({ wanted: "a norm", has: (value) => value instanceof Module });
const readers = {
  encoder: reader("TransformerEncoder", {
    written: "new nn.TransformerEncoder",
    required: { layer: encoderLayer, layers: size },
    options: { norm },
    bare: ["norm"],
    instead: { enableNestedTensor: "Leave it out: padding is masked.", maskCheck: "Leave it out." },
  }),
  decoder: reader("TransformerDecoder", {
    written: "new nn.TransformerDecoder",
    required: { layer: decoderLayer, layers: size },
    options: { norm },
    bare: ["norm"],
  }),
  transformer: reader("Transformer", {
    written: "new nn.Transformer",
    options: { width: size, heads: size, encoderLayers: size, decoderLayers: size, ...layerOptions },
    aliases: {
      dModel: "width",
      nhead: "heads",
      numEncoderLayers: "encoderLayers",
      numDecoderLayers: "decoderLayers",
    },
    instead: {
      customEncoder: "Write a module with an encoder and a decoder of your own.",
      customDecoder: "Write a module with an encoder and a decoder of your own.",
    },
  }),
};
const readEncode = reader("TransformerEncoder", encoderCall);
const readDecode = reader("TransformerDecoder", decoderCall);
const readTransform = reader("Transformer", {
  required: { source: tensor, target: tensor },
  options: {
    srcMask: tensor,
    tgtMask: tensor,
    memoryMask: tensor,
    srcKeyPaddingMask: tensor,
    tgtKeyPaddingMask: tensor,
    memoryKeyPaddingMask: tensor,
    srcIsCausal: flag,
    tgtIsCausal: flag,
  },
  instead: { memoryIsCausal: "Write memoryMask." },
  written: "transformer",
});

/** Only what is there. */
const given = (options: object) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

type Norm = (Module & ((x: Tensor) => Tensor)) | null;

/**
 * Copies of a {@link TransformerEncoderLayer} one after the other, and a norm behind them, if there is one. As
 * PyTorch's, names of weights included. Calls take {@link EncoderCallOptions}, or a mask alone. Throws TensorError.
 * @example
 * const layer = new nn.TransformerEncoderLayer(8, 2, { batchFirst: true });
 * const encoder = new nn.TransformerEncoder(layer, 2, { norm: new nn.LayerNorm(8) });
 * const padding = tensor([[false, false, false, true, true]]);
 * encoder(randn([1, 5, 8]), { keyPaddingMask: padding }).shape; // → [ 1, 5, 8 ]
 */
export class TransformerEncoder extends Module {
  /** The layers, in their order. */
  readonly layers: readonly TransformerEncoderLayer[];
  /** What normalises what the last gives, or `null`. */
  readonly norm: Norm;

  /** Throws TensorError. */
  constructor(
    layer: TransformerEncoderLayer,
    layers: number,
    options: Module | null | { readonly norm?: Module | null } = {},
  ) {
    super();
    const read = readers.encoder([layer, layers, options]);
    this.layers = Array.from({ length: layers }, () => layer.copy());
    this.norm = (read.norm ?? null) as Norm;
  }

  forward(x: Tensor, options?: Tensor | EncoderCallOptions): Tensor {
    const { x: _, ...masks } = readEncode(options === undefined ? [x] : [x, options]);
    const out = this.layers.reduce((y, layer) => layer(y, given(masks)), x);
    return this.norm === null ? out : this.norm(out);
  }
}

/**
 * Copies of a {@link TransformerDecoderLayer} one after the other, each of which looks at `memory`, and a norm behind
 * them, if there is one. As PyTorch's, names of weights included. Calls take {@link DecoderCallOptions}, or a mask
 * alone. Throws TensorError.
 * @example
 * const decoder = new nn.TransformerDecoder(new nn.TransformerDecoderLayer(8, 2, { batchFirst: true }), 2);
 * decoder(randn([1, 5, 8]), randn([1, 7, 8]), { causal: true }).shape; // → [ 1, 5, 8 ]
 */
export class TransformerDecoder extends Module {
  /** The layers, in their order. */
  readonly layers: readonly TransformerDecoderLayer[];
  /** What normalises what the last gives, or `null`. */
  readonly norm: Norm;

  /** Throws TensorError. */
  constructor(
    layer: TransformerDecoderLayer,
    layers: number,
    options: Module | null | { readonly norm?: Module | null } = {},
  ) {
    super();
    const read = readers.decoder([layer, layers, options]);
    this.layers = Array.from({ length: layers }, () => layer.copy());
    this.norm = (read.norm ?? null) as Norm;
  }

  forward(x: Tensor, memory: Tensor, options?: Tensor | DecoderCallOptions): Tensor {
    const { x: _, memory: __, ...masks } = readDecode(options === undefined ? [x, memory] : [x, memory, options]);
    const out = this.layers.reduce((y, layer) => layer(y, memory, given(masks)), x);
    return this.norm === null ? out : this.norm(out);
  }
}

/**
 * `width` and `heads`, PyTorch's `dModel` and `nhead`, 512 and 8 when left out; `encoderLayers` and `decoderLayers`,
 * its `numEncoderLayers` and `numDecoderLayers`, 6 each.
 */
export interface TransformerOptions extends TransformerLayerOptions {
  readonly width?: number;
  readonly dModel?: number;
  readonly heads?: number;
  readonly nhead?: number;
  readonly encoderLayers?: number;
  readonly numEncoderLayers?: number;
  readonly decoderLayers?: number;
  readonly numDecoderLayers?: number;
}
/**
 * Masks as {@link EncoderCallOptions} and {@link DecoderCallOptions} have them, of the source, the target and between.
 */
export interface TransformerCallOptions {
  readonly srcMask?: Tensor;
  readonly tgtMask?: Tensor;
  readonly memoryMask?: Tensor;
  readonly srcKeyPaddingMask?: Tensor;
  readonly tgtKeyPaddingMask?: Tensor;
  readonly memoryKeyPaddingMask?: Tensor;
  readonly srcIsCausal?: boolean;
  readonly tgtIsCausal?: boolean;
}

/**
 * The transformer of arXiv 1706.03762: an encoder of the source, a decoder of the target that looks at what it gives,
 * each with a norm behind it. Sequences are [length, batch, width], with `batchFirst` [batch, length, width], or
 * [length, width]; the result has the target's shape. Matrices are drawn uniformly by Glorot and Bengio. As PyTorch's,
 * names of weights and defaults included; see {@link TransformerOptions}, and {@link TransformerCallOptions} for calls.
 * Throws TensorError.
 * @example
 * const model = new nn.Transformer({
 *   width: 8, heads: 2, encoderLayers: 1, decoderLayers: 1, dimFeedforward: 16, batchFirst: true,
 * });
 * model(randn([3, 7, 8]), randn([3, 5, 8]), { tgtIsCausal: true }).shape; // → [ 3, 5, 8 ]
 */
export class Transformer extends Module {
  /** What reads the source. */
  readonly encoder: TransformerEncoder;
  /** What writes the target. */
  readonly decoder: TransformerDecoder;

  /** Throws TensorError. */
  constructor(given: TransformerOptions = {}) {
    super();
    const read = readers.transformer([given]);
    const { width = 512, heads = 8, encoderLayers = 6, decoderLayers = 6, ...options } = read;
    const { layerNormEps: eps = 1e-5, bias = true, device, dtype } = options;
    const ofNorm = {
      eps,
      bias,
      ...(device === undefined ? {} : { device }),
      ...(dtype === undefined ? {} : { dtype }),
    };
    this.encoder = new TransformerEncoder(new TransformerEncoderLayer(width, heads, options), encoderLayers, {
      norm: new LayerNorm(width, ofNorm),
    });
    this.decoder = new TransformerDecoder(new TransformerDecoderLayer(width, heads, options), decoderLayers, {
      norm: new LayerNorm(width, ofNorm),
    });
    for (const parameter of this.parameters()) if (parameter.shape.length > 1) xavierUniform(parameter);
  }

  forward(source: Tensor, target: Tensor, options: TransformerCallOptions = {}): Tensor {
    readTransform([source, target, options]);
    const isFirst = this.encoder.layers[0]!.batchFirst;
    const batchOf = ({ shape }: Tensor) => (shape.length === 3 ? shape[isFirst ? 0 : 1] : null);
    if (batchOf(source) !== batchOf(target))
      throw new TensorError(
        "SHAPE",
        `Transformer takes a source and a target of as many sequences but got [${source.shape.join(", ")}] and [${target.shape.join(", ")}]${isFirst ? "" : ", of which the length comes first: write { batchFirst: true } for batches"}.`,
      );
    const { srcMask, srcKeyPaddingMask, srcIsCausal, tgtMask, tgtKeyPaddingMask, tgtIsCausal } = options;
    const { memoryMask, memoryKeyPaddingMask } = options;
    const memory = this.encoder(
      source,
      given({ mask: srcMask, keyPaddingMask: srcKeyPaddingMask, causal: srcIsCausal }),
    );
    return this.decoder(
      target,
      memory,
      given({
        mask: tgtMask,
        keyPaddingMask: tgtKeyPaddingMask,
        causal: tgtIsCausal,
        memoryMask,
        memoryKeyPaddingMask,
      }),
    );
  }

  /**
   * A mask [length, length] of 0, and −∞ where a place would look at one after it; `causal: true` needs no mask. Throws
   * TensorError.
   * @example
   * nn.Transformer.generateSquareSubsequentMask(2); // → tensor([[0, -Infinity], [0, 0]], shape [2, 2], float32, cpu)
   */
  static generateSquareSubsequentMask(length: number, options: ParameterOptions = {}): Tensor {
    readMask([length, options]);
    return full([length, length], -Infinity, options).triu(1) as Tensor;
  }
}
const readMask = reader("generateSquareSubsequentMask", { required: { length: size }, options: parameterOptions });
