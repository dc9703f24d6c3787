// Pools, other sizes, and flattening, as layers: they have options, but nothing to train.
import { count, flag, reader, wholeNumber, type Kind } from "../tensor/arguments.ts";
import { perAxis, type PerAxis } from "../tensor/per-axis.ts";
import {
  adaptiveAvgPool1d,
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool1d,
  adaptiveMaxPool2d,
  adaptiveMaxPool3d,
  adaptiveSize,
  avgPool1d,
  avgPool2d,
  avgPool3d,
  maxPool1d,
  maxPool2d,
  maxPool3d,
  type AdaptiveSize,
  type AveragePoolOptions,
  type MaxPoolOptions,
} from "../tensor/pooling.ts";
import { interpolate, type InterpolateOptions } from "../tensor/resizing.ts";
import { flatten } from "../tensor/shaping.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { described, shown } from "./function-layer.ts";
import { Module } from "./module.ts";
import type { SlidingArguments } from "./options.ts";

const maxOptions = { stride: perAxis, padding: perAxis, dilation: perAxis, ceilMode: flag };
const averageOptions = {
  stride: perAxis,
  padding: perAxis,
  ceilMode: flag,
  countIncludePad: flag,
  divisorOverride: count,
};

/** A pool of windows. */
abstract class Pool<O extends object> extends Module {
  /** Elements of a window along all axes, or each. */
  readonly kernelSize: PerAxis;
  /** As they were given. */
  readonly options: O;

  constructor(
    name: string,
    kinds: Readonly<Record<string, Kind<unknown>>>,
    kernelSize: PerAxis,
    given: SlidingArguments<O>,
  ) {
    super();
    const instead = {
      returnIndices: `Write ${name[0]!.toLowerCase()}${name.slice(1)}WithIndices(x, …), which gives both.`,
    };
    const { kernelSize: _, ...options } = reader<{ kernelSize: Kind<PerAxis> }, typeof kinds>(name, {
      written: `new nn.${name}`,
      required: { kernelSize: perAxis },
      options: kinds,
      bare: ["stride", "padding"],
      instead,
    })([kernelSize, ...given]);
    this.kernelSize = kernelSize;
    this.options = options as unknown as O;
  }
  override describe(): string {
    return [shown(this.kernelSize), ...described(this.options)].join(", ");
  }
}

/** A pool of as many windows as are wanted. */
abstract class AdaptivePool extends Module {
  /** How many windows. */
  readonly outputSize: AdaptiveSize;

  constructor(name: string, outputSize: AdaptiveSize) {
    super();
    reader(name, { written: `new nn.${name}`, required: { outputSize: adaptiveSize } })([outputSize]);
    this.outputSize = outputSize;
  }
  override describe(): string {
    return shown(this.outputSize);
  }
}

/**
 * A layer that takes the largest element of each window of lists [images, channels, width]: see {@link maxPool1d}.
 * @example
 * new nn.MaxPool1d(2)(ones([1, 2, 8])).shape; // → [ 1, 2, 4 ]
 */
export class MaxPool1d extends Pool<MaxPoolOptions> {
  /** Throws TensorError. */
  constructor(kernelSize: PerAxis, ...given: SlidingArguments<MaxPoolOptions>) {
    super("MaxPool1d", maxOptions, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return maxPool1d(x, this.kernelSize, this.options);
  }
}

/**
 * A layer that takes the largest element of each window of images [images, channels, height, width]: see {@link
 * maxPool2d}.
 * @example
 * new nn.MaxPool2d(2)(ones([1, 2, 8, 8])).shape; // → [ 1, 2, 4, 4 ]
 */
export class MaxPool2d extends Pool<MaxPoolOptions> {
  /** Throws TensorError. */
  constructor(kernelSize: PerAxis, ...given: SlidingArguments<MaxPoolOptions>) {
    super("MaxPool2d", maxOptions, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return maxPool2d(x, this.kernelSize, this.options);
  }
}

/**
 * A layer that takes the largest element of each window of volumes [images, channels, depth, height, width]: see {@link
 * maxPool3d}.
 * @example
 * new nn.MaxPool3d(2)(ones([1, 2, 8, 8, 8])).shape; // → [ 1, 2, 4, 4, 4 ]
 */
export class MaxPool3d extends Pool<MaxPoolOptions> {
  /** Throws TensorError. */
  constructor(kernelSize: PerAxis, ...given: SlidingArguments<MaxPoolOptions>) {
    super("MaxPool3d", maxOptions, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return maxPool3d(x, this.kernelSize, this.options);
  }
}

/**
 * A layer that takes the mean of each window of lists [images, channels, width]: see {@link avgPool1d}.
 * @example
 * new nn.AvgPool1d(2)(ones([1, 2, 8])).shape; // → [ 1, 2, 4 ]
 */
export class AvgPool1d extends Pool<AveragePoolOptions> {
  /** Throws TensorError. */
  constructor(kernelSize: PerAxis, ...given: SlidingArguments<AveragePoolOptions>) {
    super("AvgPool1d", averageOptions, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return avgPool1d(x, this.kernelSize, this.options);
  }
}

/**
 * A layer that takes the mean of each window of images [images, channels, height, width]: see {@link avgPool2d}.
 * @example
 * new nn.AvgPool2d(2)(ones([1, 2, 8, 8])).shape; // → [ 1, 2, 4, 4 ]
 */
export class AvgPool2d extends Pool<AveragePoolOptions> {
  /** Throws TensorError. */
  constructor(kernelSize: PerAxis, ...given: SlidingArguments<AveragePoolOptions>) {
    super("AvgPool2d", averageOptions, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return avgPool2d(x, this.kernelSize, this.options);
  }
}

/**
 * A layer that takes the mean of each window of volumes [images, channels, depth, height, width]: see {@link
 * avgPool3d}.
 * @example
 * new nn.AvgPool3d(2)(ones([1, 2, 8, 8, 8])).shape; // → [ 1, 2, 4, 4, 4 ]
 */
export class AvgPool3d extends Pool<AveragePoolOptions> {
  /** Throws TensorError. */
  constructor(kernelSize: PerAxis, ...given: SlidingArguments<AveragePoolOptions>) {
    super("AvgPool3d", averageOptions, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return avgPool3d(x, this.kernelSize, this.options);
  }
}

/**
 * A layer that takes the means of as many windows as `outputSize` says, of lists [images, channels, width]: see {@link
 * adaptiveAvgPool1d}.
 * @example
 * new nn.AdaptiveAvgPool1d(1)(ones([1, 2, 8])).shape; // → [ 1, 2, 1 ]
 */
export class AdaptiveAvgPool1d extends AdaptivePool {
  /** Throws TensorError. */
  constructor(outputSize: AdaptiveSize) {
    super("AdaptiveAvgPool1d", outputSize);
  }
  forward(x: Tensor): Tensor {
    return adaptiveAvgPool1d(x, this.outputSize);
  }
}

/**
 * A layer that takes the means of as many windows as `outputSize` says, of images [images, channels, height, width]:
 * see {@link adaptiveAvgPool2d}.
 * @example
 * new nn.AdaptiveAvgPool2d(1)(ones([1, 2, 8, 8])).shape; // → [ 1, 2, 1, 1 ]
 */
export class AdaptiveAvgPool2d extends AdaptivePool {
  /** Throws TensorError. */
  constructor(outputSize: AdaptiveSize) {
    super("AdaptiveAvgPool2d", outputSize);
  }
  forward(x: Tensor): Tensor {
    return adaptiveAvgPool2d(x, this.outputSize);
  }
}

/**
 * A layer that takes the means of as many windows as `outputSize` says, of volumes [images, channels, depth, height,
 * width]: see {@link adaptiveAvgPool3d}.
 * @example
 * new nn.AdaptiveAvgPool3d(1)(ones([1, 2, 8, 8, 8])).shape; // → [ 1, 2, 1, 1, 1 ]
 */
export class AdaptiveAvgPool3d extends AdaptivePool {
  /** Throws TensorError. */
  constructor(outputSize: AdaptiveSize) {
    super("AdaptiveAvgPool3d", outputSize);
  }
  forward(x: Tensor): Tensor {
    return adaptiveAvgPool3d(x, this.outputSize);
  }
}

/**
 * A layer that takes the largest elements of as many windows as `outputSize` says, of lists [images, channels, width]:
 * see {@link adaptiveMaxPool1d}.
 * @example
 * new nn.AdaptiveMaxPool1d(1)(ones([1, 2, 8])).shape; // → [ 1, 2, 1 ]
 */
export class AdaptiveMaxPool1d extends AdaptivePool {
  /** Throws TensorError. */
  constructor(outputSize: AdaptiveSize) {
    super("AdaptiveMaxPool1d", outputSize);
  }
  forward(x: Tensor): Tensor {
    return adaptiveMaxPool1d(x, this.outputSize);
  }
}

/**
 * A layer that takes the largest elements of as many windows as `outputSize` says, of images [images, channels, height,
 * width]: see {@link adaptiveMaxPool2d}.
 * @example
 * new nn.AdaptiveMaxPool2d(1)(ones([1, 2, 8, 8])).shape; // → [ 1, 2, 1, 1 ]
 */
export class AdaptiveMaxPool2d extends AdaptivePool {
  /** Throws TensorError. */
  constructor(outputSize: AdaptiveSize) {
    super("AdaptiveMaxPool2d", outputSize);
  }
  forward(x: Tensor): Tensor {
    return adaptiveMaxPool2d(x, this.outputSize);
  }
}

/**
 * A layer that takes the largest elements of as many windows as `outputSize` says, of volumes [images, channels, depth,
 * height, width]: see {@link adaptiveMaxPool3d}.
 * @example
 * new nn.AdaptiveMaxPool3d(1)(ones([1, 2, 8, 8, 8])).shape; // → [ 1, 2, 1, 1, 1 ]
 */
export class AdaptiveMaxPool3d extends AdaptivePool {
  /** Throws TensorError. */
  constructor(outputSize: AdaptiveSize) {
    super("AdaptiveMaxPool3d", outputSize);
  }
  forward(x: Tensor): Tensor {
    return adaptiveMaxPool3d(x, this.outputSize);
  }
}

/**
 * A layer that makes images larger or smaller: see {@link interpolate}.
 * @example
 * new nn.Upsample({ scaleFactor: 2, mode: "bilinear" })(ones([1, 3, 8, 8])).shape; // → [ 1, 3, 16, 16 ]
 */
export class Upsample extends Module {
  /** As they were given. */
  readonly options: InterpolateOptions;

  constructor(options: InterpolateOptions) {
    super();
    this.options = options;
  }
  forward(x: Tensor): Tensor {
    return interpolate(x, this.options);
  }
  override describe(): string {
    return described(this.options).join(", ");
  }
}

const checkFlatten = reader("Flatten", {
  written: "new nn.Flatten",
  options: { start: wholeNumber, end: wholeNumber },
  bare: ["start", "end"],
});

/**
 * A layer that joins the axes from `start`, 1 when left out, to `end`, the last: see {@link Tensor.flatten}.
 * @example
 * new nn.Flatten()(ones([5, 2, 3, 4])).shape; // → [ 5, 24 ]
 */
export class Flatten extends Module {
  /** The first axis that is joined. */
  readonly start: number;
  /** The last. */
  readonly end: number;

  /** Throws TensorError. */
  constructor(start = 1, end = -1) {
    super();
    checkFlatten([start, end]);
    this.start = start;
    this.end = end;
  }
  forward(x: Tensor): Tensor {
    return flatten(x, this.start, this.end);
  }
  override describe(): string {
    return this.start === 1 && this.end === -1 ? "" : `${this.start} to ${this.end}`;
  }
}
