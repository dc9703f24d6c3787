// Layers that slide filters over lists, images and volumes, and their transposes, with PyTorch's names of weights.
import { TensorError } from "../errors.ts";
import { sizeOf } from "../memory/shape.ts";
import { either, flag, oneOf, reader } from "../tensor/arguments.ts";
import {
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  type ConvolutionOptions,
  type TransposedConvolutionOptions,
} from "../tensor/image-convolution.ts";
import type { PadMode } from "../tensor/padding.ts";
import { perAxis, spreadOver, type PerAxis } from "../tensor/per-axis.ts";
import { rand } from "../tensor/random.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size, type SlidingArguments } from "./options.ts";

/**
 * Those of {@link conv2d}, and of its parameters. `paddingMode`: what lies outside: "zeros", or the image itself as
 * `pad` has it.
 */
export interface ConvolutionLayerOptions extends ParameterOptions, ConvolutionOptions {
  readonly bias?: boolean;
  readonly paddingMode?: "zeros" | Exclude<PadMode, "constant">;
}
/** Those of {@link convTranspose2d}, and of its parameters; `bias: false` leaves the bias out. */
export interface TransposedConvolutionLayerOptions extends ParameterOptions, TransposedConvolutionOptions {
  readonly bias?: boolean;
}

const checks = (name: string) =>
  reader(name, {
    written: `new nn.${name}`,
    required: { inputs: size, outputs: size, kernelSize: perAxis },
    options: {
      stride: perAxis,
      padding: either(perAxis, oneOf("same", "valid")),
      dilation: perAxis,
      groups: size,
      bias: flag,
      paddingMode: oneOf("zeros", "reflect", "replicate", "circular"),
      ...parameterOptions,
    },
    bare: ["stride", "padding"],
  });
const transposedChecks = (name: string) =>
  reader(name, {
    written: `new nn.${name}`,
    required: { inputs: size, outputs: size, kernelSize: perAxis },
    options: {
      stride: perAxis,
      padding: perAxis,
      outputPadding: perAxis,
      groups: size,
      bias: flag,
      dilation: perAxis,
      ...parameterOptions,
    },
    bare: ["stride", "padding"],
  });

/** Where and as what parameters are made. */
const placeOf = ({ device, dtype }: ParameterOptions): ParameterOptions => ({
  ...(device === undefined ? {} : { device }),
  ...(dtype === undefined ? {} : { dtype }),
});

/** Uniform between −most and most. */
function drawn(shape: readonly number[], most: number, options: ParameterOptions): Tensor {
  const parameter = rand(shape, { ...options, low: -most, high: most });
  parameter.requiresGrad = true;
  return parameter;
}

/** Throws TensorError unless the groups divide both. */
function checkGroups(name: string, inputs: number, outputs: number, groups: number): void {
  if (groups < 1 || inputs % groups !== 0 || outputs % groups !== 0)
    throw new TensorError(
      "VALUE",
      `${name} takes a number of groups that divides its ${inputs} inputs and ${outputs} outputs but got ${groups}.`,
    );
}

/** What they have in common: parameters, and what is told of them. */
abstract class Sliding extends Module {
  /** Uniform between ±1/√n, n elements of a filter. */
  weight: Tensor;
  /** [outputs], drawn likewise. */
  bias: Tensor | null;
  /** Channels in so many groups have filters of their own. */
  readonly groups: number;
  /** @internal Its weight has the inputs first. */
  protected abstract readonly isTransposed: boolean;

  constructor(
    name: string,
    inputs: number,
    outputs: number,
    kernel: readonly number[],
    isTransposed: boolean,
    { bias, groups, ...options }: ParameterOptions & { readonly bias: boolean; readonly groups: number },
  ) {
    super();
    checkGroups(name, inputs, outputs, groups);
    const channels = isTransposed ? [inputs, outputs / groups] : [outputs, inputs / groups];
    const most = 1 / Math.sqrt(channels[1]! * sizeOf(kernel));
    this.weight = drawn([...channels, ...kernel], most, options);
    this.bias = bias ? drawn([outputs], most, options) : null;
    this.groups = groups;
  }
  override describe(): string {
    const [first, second, ...kernel] = this.weight.shape as [number, number, ...number[]];
    const [from, to] = this.isTransposed ? [first, second * this.groups] : [second * this.groups, first];
    return `${from} → ${to}, ${kernel.join(" × ")}${this.groups === 1 ? "" : `, ${this.groups} groups`}${this.bias === null ? ", no bias" : ""}`;
  }
}

/** A convolution over `axes`. */
abstract class Convolution extends Sliding {
  /** Stride, padding, dilation and groups. */
  readonly options: ConvolutionOptions;
  /** What lies outside of an image. */
  readonly paddingMode: NonNullable<ConvolutionLayerOptions["paddingMode"]>;
  /** @internal */
  protected readonly isTransposed = false;

  constructor(
    name: string,
    axes: number,
    inputs: number,
    outputs: number,
    kernelSize: PerAxis,
    given: SlidingArguments<ConvolutionLayerOptions>,
  ) {
    const read = checks(name)([inputs, outputs, kernelSize, ...given]);
    const { bias = true, groups = 1, paddingMode = "zeros", stride, padding, dilation } = read;
    const options = placeOf(read);
    const kernel = spreadOver(name, "kernelSize", kernelSize, axes, 1);
    super(name, inputs, outputs, kernel, false, { bias, groups, ...options });
    this.paddingMode = paddingMode;
    this.options = {
      groups,
      stride: spreadOver(name, "stride", stride ?? 1, axes, 1),
      padding: typeof padding === "string" ? padding : spreadOver(name, "padding", padding ?? 0, axes, 0),
      dilation: spreadOver(name, "dilation", dilation ?? 1, axes, 1),
    };
  }

  /** @internal */
  protected convolved(convolve: typeof conv2d, x: Tensor): Tensor {
    if (this.paddingMode === "zeros") return convolve(x, this.weight, this.bias, this.options);
    return convolve(x.pad(this.#sides(), { mode: this.paddingMode }), this.weight, this.bias, {
      ...this.options,
      padding: 0,
    });
  }

  /** Widths before and after each axis, the last first. */
  #sides(): number[] {
    const { padding, dilation } = this.options as { padding: readonly number[] | string; dilation: readonly number[] };
    const reach = this.weight.shape.slice(2).map((each, axis) => dilation[axis]! * (each - 1));
    const sides = reach.map((each, axis) => {
      if (padding === "same") return [Math.floor(each / 2), Math.ceil(each / 2)];
      return padding === "valid" ? [0, 0] : [padding[axis] as number, padding[axis] as number];
    });
    return sides.reverse().flat();
  }
}

/** A transposed convolution over `axes`. */
abstract class TransposedConvolution extends Sliding {
  /** Stride, padding, dilation and groups. */
  readonly options: TransposedConvolutionOptions;
  /** @internal */
  protected readonly isTransposed = true;

  constructor(
    name: string,
    axes: number,
    inputs: number,
    outputs: number,
    kernelSize: PerAxis,
    given: SlidingArguments<TransposedConvolutionLayerOptions>,
  ) {
    const read = transposedChecks(name)([inputs, outputs, kernelSize, ...given]);
    const { bias = true, groups = 1, stride, padding, outputPadding, dilation } = read;
    const options = placeOf(read);
    super(name, inputs, outputs, spreadOver(name, "kernelSize", kernelSize, axes, 1), true, {
      bias,
      groups,
      ...options,
    });
    this.options = {
      groups,
      stride: spreadOver(name, "stride", stride ?? 1, axes, 1),
      padding: spreadOver(name, "padding", padding ?? 0, axes, 0),
      outputPadding: spreadOver(name, "outputPadding", outputPadding ?? 0, axes, 0),
      dilation: spreadOver(name, "dilation", dilation ?? 1, axes, 1),
    };
  }
}

/**
 * A layer that slides filters over lists [images, inputs, width]; see {@link conv1d} and {@link Conv2d}.
 * @example
 * new nn.Conv1d(2, 4, 3, { padding: 1 })(ones([5, 2, 10])).shape; // → [ 5, 4, 10 ]
 */
export class Conv1d extends Convolution {
  /** Throws TensorError. */
  constructor(
    inputs: number,
    outputs: number,
    kernelSize: PerAxis,
    ...given: SlidingArguments<ConvolutionLayerOptions>
  ) {
    super("Conv1d", 1, inputs, outputs, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return this.convolved(conv1d, x);
  }
}

/**
 * A layer that slides filters over images [images, inputs, height, width], with stride, padding, dilation and groups as
 * {@link conv2d} has them. weight [outputs, inputs / groups, height, width] and bias are drawn uniformly between ±1/√n,
 * n elements of a filter; `bias: false` leaves the bias out. `paddingMode` "reflect", "replicate" or "circular" pads
 * with the image itself. Throws TensorError.
 * @example
 * const layer = new nn.Conv2d(3, 8, 3, { stride: 2, padding: 1 });
 * layer(ones([5, 3, 32, 32])).shape; // → [ 5, 8, 16, 16 ]
 * layer; // → Conv2d(3 → 8, 3 × 3) 224 parameters, float32, cpu
 */
export class Conv2d extends Convolution {
  /** Throws TensorError. */
  constructor(
    inputs: number,
    outputs: number,
    kernelSize: PerAxis,
    ...given: SlidingArguments<ConvolutionLayerOptions>
  ) {
    super("Conv2d", 2, inputs, outputs, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return this.convolved(conv2d, x);
  }
}

/**
 * A layer that slides filters over volumes [images, inputs, depth, height, width]; see {@link conv3d} and {@link
 * Conv2d}.
 * @example
 * new nn.Conv3d(1, 2, 3)(ones([1, 1, 4, 5, 6])).shape; // → [ 1, 2, 2, 3, 4 ]
 */
export class Conv3d extends Convolution {
  /** Throws TensorError. */
  constructor(
    inputs: number,
    outputs: number,
    kernelSize: PerAxis,
    ...given: SlidingArguments<ConvolutionLayerOptions>
  ) {
    super("Conv3d", 3, inputs, outputs, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return this.convolved(conv3d, x);
  }
}

/**
 * The transpose of {@link Conv1d}: see {@link convTranspose1d}.
 * @example
 * new nn.ConvTranspose1d(2, 4, 2, { stride: 2 })(ones([5, 2, 10])).shape; // → [ 5, 4, 20 ]
 */
export class ConvTranspose1d extends TransposedConvolution {
  /** Throws TensorError. */
  constructor(
    inputs: number,
    outputs: number,
    kernelSize: PerAxis,
    ...given: SlidingArguments<TransposedConvolutionLayerOptions>
  ) {
    super("ConvTranspose1d", 1, inputs, outputs, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return convTranspose1d(x, this.weight, this.bias, this.options);
  }
}

/**
 * The transpose of {@link Conv2d}, which makes images larger again: see {@link convTranspose2d}. weight is [inputs,
 * outputs / groups, height, width].
 * @example
 * new nn.ConvTranspose2d(8, 3, 2, { stride: 2 })(ones([5, 8, 16, 16])).shape; // → [ 5, 3, 32, 32 ]
 */
export class ConvTranspose2d extends TransposedConvolution {
  /** Throws TensorError. */
  constructor(
    inputs: number,
    outputs: number,
    kernelSize: PerAxis,
    ...given: SlidingArguments<TransposedConvolutionLayerOptions>
  ) {
    super("ConvTranspose2d", 2, inputs, outputs, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return convTranspose2d(x, this.weight, this.bias, this.options);
  }
}

/**
 * The transpose of {@link Conv3d}: see {@link convTranspose3d}.
 * @example
 * new nn.ConvTranspose3d(2, 1, 2)(ones([1, 2, 3, 3, 3])).shape; // → [ 1, 1, 4, 4, 4 ]
 */
export class ConvTranspose3d extends TransposedConvolution {
  /** Throws TensorError. */
  constructor(
    inputs: number,
    outputs: number,
    kernelSize: PerAxis,
    ...given: SlidingArguments<TransposedConvolutionLayerOptions>
  ) {
    super("ConvTranspose3d", 3, inputs, outputs, kernelSize, given);
  }
  forward(x: Tensor): Tensor {
    return convTranspose3d(x, this.weight, this.bias, this.options);
  }
}
