// Dropout of whole channels, and of what keeps its mean and variance, as layers.
import { TensorError } from "../errors.ts";
import { number } from "../tensor/arguments.ts";
import { alphaDropout, dropout1d, dropout2d, dropout3d, featureAlphaDropout } from "../tensor/feature-dropout.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { FunctionLayer } from "./function-layer.ts";

/** What all have in common. */
abstract class ChannelDropout extends FunctionLayer<{ readonly p?: number }> {
  /** The probability that something is dropped. */
  readonly p: number;
  /** @internal */
  private readonly drop: typeof dropout1d;

  constructor(drop: typeof dropout1d, p: unknown) {
    super(null, [p], { options: { p: number }, bare: ["p"] });
    const given = this.options.p ?? 0.5;
    if (given < 0 || given > 1)
      throw new TensorError("VALUE", `${this.constructor.name} takes a probability from 0 to 1 but got ${given}.`);
    this.p = given;
    this.drop = drop;
  }
  forward(x: Tensor): Tensor {
    return this.drop(x, { p: this.p, training: this.training });
  }
  override describe(): string {
    return String(this.p);
  }
}

/**
 * Dropout of whole channels of [images, channels, length] as a layer, with probability `p`, 0.5 when left out, while it is trained: see {@link dropout1d}.
 * @example
 * const layer = new nn.Dropout1d(0.2);
 * layer.eval();
 * layer(ones([1, 4, 2])).sum().item(); // → 8
 */
export class Dropout1d extends ChannelDropout {
  /** Throws TensorError. */
  constructor(p?: number | { readonly p?: number }) {
    super(dropout1d, p);
  }
}

/**
 * Dropout of whole channels of images [images, channels, height, width] as a layer, with probability `p`, 0.5 when left out, while it is trained: see {@link dropout2d}.
 * @example
 * const layer = new nn.Dropout2d(0.2);
 * layer.eval();
 * layer(ones([1, 4, 2, 2])).sum().item(); // → 16
 */
export class Dropout2d extends ChannelDropout {
  /** Throws TensorError. */
  constructor(p?: number | { readonly p?: number }) {
    super(dropout2d, p);
  }
}

/**
 * Dropout of whole channels of volumes [images, channels, depth, height, width] as a layer, with probability `p`, 0.5 when left out, while it is trained: see {@link dropout3d}.
 * @example
 * const layer = new nn.Dropout3d(0.2);
 * layer.eval();
 * layer(ones([1, 4, 1, 2, 2])).sum().item(); // → 16
 */
export class Dropout3d extends ChannelDropout {
  /** Throws TensorError. */
  constructor(p?: number | { readonly p?: number }) {
    super(dropout3d, p);
  }
}

/**
 * Dropout of elements, which keeps mean and variance after {@link Tensor.selu} as a layer, with probability `p`, 0.5 when left out, while it is trained: see {@link alphaDropout}.
 * @example
 * const layer = new nn.AlphaDropout(0.2);
 * layer.eval();
 * layer(ones([1, 4, 2, 2])).sum().item(); // → 16
 */
export class AlphaDropout extends ChannelDropout {
  /** Throws TensorError. */
  constructor(p?: number | { readonly p?: number }) {
    super(alphaDropout, p);
  }
}

/**
 * Dropout of whole channels, which keeps mean and variance after {@link Tensor.selu} as a layer, with probability `p`, 0.5 when left out, while it is trained: see {@link featureAlphaDropout}.
 * @example
 * const layer = new nn.FeatureAlphaDropout(0.2);
 * layer.eval();
 * layer(ones([1, 4, 2, 2])).sum().item(); // → 16
 */
export class FeatureAlphaDropout extends ChannelDropout {
  /** Throws TensorError. */
  constructor(p?: number | { readonly p?: number }) {
    super(featureAlphaDropout, p);
  }
}
