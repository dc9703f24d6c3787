// Functions of images and of pairs of tensors as layers: orders of elements, windows, sizes, pools, similarities.
import { either, number, numbers, wholeNumber, wholeNumbers } from "../tensor/arguments.ts";
import { cosineSimilarity, pairwiseDistance, type LengthOptions } from "../tensor/distances.ts";
import { perAxis, type PerAxis } from "../tensor/per-axis.ts";
import { channelShuffle, pixelShuffle, pixelUnshuffle } from "../tensor/pixels.ts";
import { lpPool1d, lpPool2d, lpPool3d, type PowerPoolOptions } from "../tensor/power-pooling.ts";
import { interpolate, type InterpolateOptions } from "../tensor/resizing.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { maxUnpool1d, maxUnpool2d, maxUnpool3d, type UnpoolOptions } from "../tensor/unpooling.ts";
import { col2im, im2col, type WindowColumnsOptions } from "../tensor/window-columns.ts";
import { FunctionLayer } from "./function-layer.ts";
import { size } from "./options.ts";

/** Of {@link pairwiseDistance}. */
export interface DistanceOptions {
  readonly p?: number;
  readonly eps?: number;
  readonly keepdims?: boolean;
}

/**
 * Channels as pixels, as a layer: see {@link pixelShuffle}.
 * @example
 * new nn.PixelShuffle(2)(ones([1, 4, 3, 3])).shape; // → [ 1, 1, 6, 6 ]
 */
export class PixelShuffle extends FunctionLayer<{ readonly upscaleFactor: number }> {
  /** Throws TensorError. */
  constructor(upscaleFactor: number) {
    super(null, [upscaleFactor], { required: { upscaleFactor: size } });
  }
  forward(x: Tensor): Tensor {
    return pixelShuffle(x, this.options.upscaleFactor);
  }
}

/**
 * Pixels as channels, as a layer: see {@link pixelUnshuffle}.
 * @example
 * new nn.PixelUnshuffle(2)(ones([1, 1, 6, 6])).shape; // → [ 1, 4, 3, 3 ]
 */
export class PixelUnshuffle extends FunctionLayer<{ readonly downscaleFactor: number }> {
  /** Throws TensorError. */
  constructor(downscaleFactor: number) {
    super(null, [downscaleFactor], { required: { downscaleFactor: size } });
  }
  forward(x: Tensor): Tensor {
    return pixelUnshuffle(x, this.options.downscaleFactor);
  }
}

/**
 * Channels of groups that take turns, as a layer: see {@link channelShuffle}.
 * @example
 * new nn.ChannelShuffle(2)(ones([1, 4, 3, 3])).shape; // → [ 1, 4, 3, 3 ]
 */
export class ChannelShuffle extends FunctionLayer<{ readonly groups: number }> {
  /** Throws TensorError. */
  constructor(groups: number) {
    super(null, [groups], { required: { groups: size } });
  }
  forward(x: Tensor): Tensor {
    return channelShuffle(x, this.options.groups);
  }
}

/**
 * The windows of images as columns, as a layer: see {@link im2col}.
 * @example
 * new nn.Unfold(2)(ones([1, 3, 3, 3])).shape; // → [ 1, 12, 4 ]
 */
export class Unfold extends FunctionLayer<WindowColumnsOptions & { readonly kernelSize: PerAxis }> {
  /** Throws TensorError. */
  constructor(kernelSize: PerAxis, options: WindowColumnsOptions = {}) {
    super(im2col, [kernelSize, options], { required: { kernelSize: perAxis } });
  }
  forward(x: Tensor): Tensor {
    const { kernelSize, ...options } = this.options;
    return im2col(x, kernelSize, options);
  }
}

/**
 * Columns added up to images, as a layer: see {@link col2im}.
 * @example
 * new nn.Fold([3, 3], 2)(ones([1, 12, 4])).shape; // → [ 1, 3, 3, 3 ]
 */
export class Fold extends FunctionLayer<
  WindowColumnsOptions & { readonly outputSize: PerAxis; readonly kernelSize: PerAxis }
> {
  /** Throws TensorError. */
  constructor(outputSize: PerAxis, kernelSize: PerAxis, options: WindowColumnsOptions = {}) {
    super(col2im, [outputSize, kernelSize, options], { required: { outputSize: perAxis, kernelSize: perAxis } });
  }
  forward(x: Tensor): Tensor {
    const { outputSize, kernelSize, ...options } = this.options;
    return col2im(x, typeof outputSize === "number" ? [outputSize, outputSize] : outputSize, kernelSize, options);
  }
}

/**
 * An axis as several, as a layer: see {@link Tensor.unflatten}.
 * @example
 * new nn.Unflatten(1, [2, 3])(ones([5, 6])).shape; // → [ 5, 2, 3 ]
 */
export class Unflatten extends FunctionLayer<{ readonly axis: number; readonly shape: readonly number[] }> {
  /** Throws TensorError. */
  constructor(axis: number, shape: readonly number[]) {
    super(null, [axis, shape], { required: { axis: wholeNumber, shape: wholeNumbers } });
  }
  forward(x: Tensor): Tensor {
    return x.unflatten(this.options.axis, [...this.options.shape]);
  }
}

/**
 * Larger images, as a layer: {@link interpolate} with mode "nearest".
 * @example
 * new nn.UpsamplingNearest2d({ scaleFactor: 2 })(ones([1, 3, 4, 4])).shape; // → [ 1, 3, 8, 8 ]
 */
export class UpsamplingNearest2d extends FunctionLayer<Pick<InterpolateOptions, "size" | "scaleFactor">> {
  /** Throws TensorError. */
  constructor(options: Pick<InterpolateOptions, "size" | "scaleFactor">) {
    super(null, [options], { options: { size: either(number, numbers), scaleFactor: either(number, numbers) } });
  }
  forward(x: Tensor): Tensor {
    return interpolate(x, { ...this.options, mode: "nearest" });
  }
}

/**
 * Larger images, as a layer: {@link interpolate} with mode "bilinear", whose corners stay.
 * @example
 * new nn.UpsamplingBilinear2d({ scaleFactor: 2 })(ones([1, 3, 4, 4])).shape; // → [ 1, 3, 8, 8 ]
 */
export class UpsamplingBilinear2d extends FunctionLayer<Pick<InterpolateOptions, "size" | "scaleFactor">> {
  /** Throws TensorError. */
  constructor(options: Pick<InterpolateOptions, "size" | "scaleFactor">) {
    super(null, [options], { options: { size: either(number, numbers), scaleFactor: either(number, numbers) } });
  }
  forward(x: Tensor): Tensor {
    return interpolate(x, { ...this.options, mode: "bilinear", alignCorners: true });
  }
}

/**
 * {@link cosineSimilarity} as a layer: along axis 1 when none is named, as in PyTorch.
 * @example
 * new nn.CosineSimilarity()(tensor([[1, 0]]), tensor([[1, 1]])); // → tensor([0.707107], shape [1], float32, cpu)
 */
export class CosineSimilarity extends FunctionLayer<LengthOptions> {
  /** Throws TensorError. */
  constructor(options: LengthOptions = {}) {
    super(cosineSimilarity, [options], { bare: [] });
  }
  forward(a: Tensor, b: Tensor): Tensor {
    return cosineSimilarity(a, b, { axis: 1, ...this.options });
  }
}

/**
 * {@link pairwiseDistance} as a layer.
 * @example
 * new nn.PairwiseDistance({ eps: 0 })(tensor([[0, 0]]), tensor([[3, 4]])); // → tensor([5], shape [1], float32, cpu)
 */
export class PairwiseDistance extends FunctionLayer<DistanceOptions> {
  /** Throws TensorError. */
  constructor(options: DistanceOptions = {}) {
    super(pairwiseDistance, [options], { bare: [] });
  }
  forward(a: Tensor, b: Tensor): Tensor {
    return pairwiseDistance(a, b, this.options);
  }
}

/**
 * Pools of powers, as a layer: see {@link lpPool1d}.
 * @example
 * new nn.LPPool1d(2, 2)(ones([1, 1, 4])).shape; // → [ 1, 1, 2 ]
 */
export class LPPool1d extends FunctionLayer<PowerPoolOptions & { readonly p: number; readonly kernelSize: PerAxis }> {
  /** Throws TensorError. */
  constructor(p: number, kernelSize: PerAxis, options: PowerPoolOptions = {}) {
    super(lpPool1d, [p, kernelSize, options], { required: { p: number, kernelSize: perAxis } });
  }
  forward(x: Tensor): Tensor {
    const { p, kernelSize, ...options } = this.options;
    return lpPool1d(x, p, kernelSize, options);
  }
}

/**
 * Pools of powers, as a layer: see {@link lpPool2d}.
 * @example
 * new nn.LPPool2d(2, 2)(ones([1, 1, 4, 4])).shape; // → [ 1, 1, 2, 2 ]
 */
export class LPPool2d extends FunctionLayer<PowerPoolOptions & { readonly p: number; readonly kernelSize: PerAxis }> {
  /** Throws TensorError. */
  constructor(p: number, kernelSize: PerAxis, options: PowerPoolOptions = {}) {
    super(lpPool2d, [p, kernelSize, options], { required: { p: number, kernelSize: perAxis } });
  }
  forward(x: Tensor): Tensor {
    const { p, kernelSize, ...options } = this.options;
    return lpPool2d(x, p, kernelSize, options);
  }
}

/**
 * Pools of powers, as a layer: see {@link lpPool3d}.
 * @example
 * new nn.LPPool3d(2, 2)(ones([1, 1, 4, 4, 4])).shape; // → [ 1, 1, 2, 2, 2 ]
 */
export class LPPool3d extends FunctionLayer<PowerPoolOptions & { readonly p: number; readonly kernelSize: PerAxis }> {
  /** Throws TensorError. */
  constructor(p: number, kernelSize: PerAxis, options: PowerPoolOptions = {}) {
    super(lpPool3d, [p, kernelSize, options], { required: { p: number, kernelSize: perAxis } });
  }
  forward(x: Tensor): Tensor {
    const { p, kernelSize, ...options } = this.options;
    return lpPool3d(x, p, kernelSize, options);
  }
}

/**
 * The way back from pools of largest elements, as a layer: see {@link maxUnpool1d}.
 * @example
 * const { values, indices } = maxPool1dWithIndices(ones([1, 1, 4]), 2);
 * new nn.MaxUnpool1d(2)(values, indices).shape; // → [ 1, 1, 4 ]
 */
export class MaxUnpool1d extends FunctionLayer<UnpoolOptions & { readonly kernelSize: PerAxis }> {
  /** Throws TensorError. */
  constructor(kernelSize: PerAxis, options: UnpoolOptions = {}) {
    super(maxUnpool1d, [kernelSize, options], { required: { kernelSize: perAxis } });
  }
  forward(x: Tensor, indices: Tensor, outputSize?: readonly number[]): Tensor {
    const { kernelSize, ...options } = this.options;
    return maxUnpool1d(x, indices, kernelSize, outputSize === undefined ? options : { ...options, outputSize });
  }
}

/**
 * The way back from pools of largest elements, as a layer: see {@link maxUnpool2d}.
 * @example
 * const { values, indices } = maxPool2dWithIndices(ones([1, 1, 4, 4]), 2);
 * new nn.MaxUnpool2d(2)(values, indices).shape; // → [ 1, 1, 4, 4 ]
 */
export class MaxUnpool2d extends FunctionLayer<UnpoolOptions & { readonly kernelSize: PerAxis }> {
  /** Throws TensorError. */
  constructor(kernelSize: PerAxis, options: UnpoolOptions = {}) {
    super(maxUnpool2d, [kernelSize, options], { required: { kernelSize: perAxis } });
  }
  forward(x: Tensor, indices: Tensor, outputSize?: readonly number[]): Tensor {
    const { kernelSize, ...options } = this.options;
    return maxUnpool2d(x, indices, kernelSize, outputSize === undefined ? options : { ...options, outputSize });
  }
}

/**
 * The way back from pools of largest elements, as a layer: see {@link maxUnpool3d}.
 * @example
 * const { values, indices } = maxPool3dWithIndices(ones([1, 1, 4, 4, 4]), 2);
 * new nn.MaxUnpool3d(2)(values, indices).shape; // → [ 1, 1, 4, 4, 4 ]
 */
export class MaxUnpool3d extends FunctionLayer<UnpoolOptions & { readonly kernelSize: PerAxis }> {
  /** Throws TensorError. */
  constructor(kernelSize: PerAxis, options: UnpoolOptions = {}) {
    super(maxUnpool3d, [kernelSize, options], { required: { kernelSize: perAxis } });
  }
  forward(x: Tensor, indices: Tensor, outputSize?: readonly number[]): Tensor {
    const { kernelSize, ...options } = this.options;
    return maxUnpool3d(x, indices, kernelSize, outputSize === undefined ? options : { ...options, outputSize });
  }
}
