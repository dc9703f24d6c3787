// Activations as layers: what `new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU())` is made of. The functions do as well.
import {
  celu,
  elu,
  gelu,
  glu,
  hardshrink,
  hardtanh,
  leakyRelu,
  softplus,
  softshrink,
  threshold,
} from "../tensor/activations.ts";
import { number } from "../tensor/arguments.ts";
import {
  relu,
  relu6,
  selu,
  silu,
  mish,
  sigmoid,
  logSigmoid,
  tanh,
  tanhshrink,
  softsign,
  hardsigmoid,
  hardswish,
} from "../tensor/functions.ts";
import { softmin } from "../tensor/gumbel.ts";
import { logSoftmax, softmax } from "../tensor/normalization.ts";
import { rrelu, type RreluOptions } from "../tensor/random-slopes.ts";
import type { AxisOptions } from "../tensor/scans.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { FunctionLayer } from "./function-layer.ts";

/** Of {@link Tensor.gelu}. */
export interface GeluOptions {
  readonly approximate?: "none" | "tanh";
}
/** Of {@link Tensor.leakyRelu}; `negativeSlope` is PyTorch's name. */
export interface SlopeOptions {
  readonly slope?: number;
  readonly negativeSlope?: number;
}
/** Of {@link Tensor.elu} and {@link Tensor.celu}. */
export interface AlphaOptions {
  readonly alpha?: number;
}
/** Of {@link Tensor.softplus}. */
export interface SoftplusOptions {
  readonly beta?: number;
  readonly threshold?: number;
}
/** Of {@link Tensor.hardtanh}; `minVal` and `maxVal` are PyTorch's names. */
export interface BoundOptions {
  readonly min?: number;
  readonly max?: number;
  readonly minVal?: number;
  readonly maxVal?: number;
}
/** Of {@link Tensor.hardshrink} and {@link Tensor.softshrink}; `lambd` is PyTorch's name. */
export interface ShrinkOptions {
  readonly lambda?: number;
  readonly lambd?: number;
}

/**
 * {@link Tensor.relu} as a layer: x where it is above 0, else 0.
 * @example
 * new nn.ReLU()(tensor([-1, 2])); // → tensor([0, 2], shape [2], float32, cpu)
 */
export class ReLU extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return relu(x);
  }
}

/**
 * {@link Tensor.relu6} as a layer.
 * @example
 * new nn.ReLU6()(tensor([-1, 2, 9])); // → tensor([0, 2, 6], shape [3], float32, cpu)
 */
export class ReLU6 extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return relu6(x);
  }
}

/**
 * {@link Tensor.gelu} as a layer, exact or with `approximate: "tanh"`.
 * @example
 * new nn.GELU()(tensor([-1, 0, 1])); // → tensor([-0.158655, 0.000000, 0.841345], shape [3], float32, cpu)
 */
export class GELU extends FunctionLayer<GeluOptions> {
  /** Throws TensorError. */
  constructor(approximate: "none" | "tanh" | GeluOptions = {}) {
    super(gelu, [approximate]);
  }
  forward(x: Tensor): Tensor {
    return gelu(x, this.options);
  }
}

/**
 * {@link Tensor.leakyRelu} as a layer, with a slope of 0.01 when left out.
 * @example
 * new nn.LeakyReLU(0.1)(tensor([-1, 2])); // → tensor([-0.1, 2.0], shape [2], float32, cpu)
 */
export class LeakyReLU extends FunctionLayer<SlopeOptions> {
  /** Throws TensorError. */
  constructor(slope: number | SlopeOptions = {}) {
    super(leakyRelu, [slope]);
  }
  forward(x: Tensor): Tensor {
    return leakyRelu(x, this.options);
  }
}

/**
 * {@link Tensor.elu} as a layer.
 * @example
 * new nn.ELU()(tensor([-1, 2])); // → tensor([-0.632121, 2.000000], shape [2], float32, cpu)
 */
export class ELU extends FunctionLayer<AlphaOptions> {
  /** Throws TensorError. */
  constructor(alpha: number | AlphaOptions = {}) {
    super(elu, [alpha]);
  }
  forward(x: Tensor): Tensor {
    return elu(x, this.options);
  }
}

/**
 * {@link Tensor.celu} as a layer.
 * @example
 * new nn.CELU(2)(tensor([-1, 2])); // → tensor([-0.786939, 2.000000], shape [2], float32, cpu)
 */
export class CELU extends FunctionLayer<AlphaOptions> {
  /** Throws TensorError. */
  constructor(alpha: number | AlphaOptions = {}) {
    super(celu, [alpha]);
  }
  forward(x: Tensor): Tensor {
    return celu(x, this.options);
  }
}

/**
 * {@link Tensor.selu} as a layer.
 * @example
 * new nn.SELU()(tensor([-1, 1])); // → tensor([-1.11133, 1.05070], shape [2], float32, cpu)
 */
export class SELU extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return selu(x);
  }
}

/**
 * {@link Tensor.silu} as a layer: x · σ(x), also known as swish.
 * @example
 * new nn.SiLU()(tensor([0, 1])); // → tensor([0.000000, 0.731059], shape [2], float32, cpu)
 */
export class SiLU extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return silu(x);
  }
}

/**
 * {@link Tensor.mish} as a layer.
 * @example
 * new nn.Mish()(tensor([-1, 0, 1])); // → tensor([-0.303401, 0.000000, 0.865098], shape [3], float32, cpu)
 */
export class Mish extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return mish(x);
  }
}

/**
 * {@link Tensor.sigmoid} as a layer.
 * @example
 * new nn.Sigmoid()(tensor([0])); // → tensor([0.5], shape [1], float32, cpu)
 */
export class Sigmoid extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return sigmoid(x);
  }
}

/**
 * {@link Tensor.logSigmoid} as a layer.
 * @example
 * new nn.LogSigmoid()(tensor([0])); // → tensor([-0.693147], shape [1], float32, cpu)
 */
export class LogSigmoid extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return logSigmoid(x);
  }
}

/**
 * {@link Tensor.tanh} as a layer.
 * @example
 * new nn.Tanh()(tensor([0, 1])); // → tensor([0.000000, 0.761594], shape [2], float32, cpu)
 */
export class Tanh extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return tanh(x);
  }
}

/**
 * {@link Tensor.tanhshrink} as a layer.
 * @example
 * new nn.Tanhshrink()(tensor([0, 2])); // → tensor([0.00000, 1.03597], shape [2], float32, cpu)
 */
export class Tanhshrink extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return tanhshrink(x);
  }
}

/**
 * {@link Tensor.softsign} as a layer.
 * @example
 * new nn.Softsign()(tensor([-1, 1])); // → tensor([-0.5, 0.5], shape [2], float32, cpu)
 */
export class Softsign extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return softsign(x);
  }
}

/**
 * {@link Tensor.softplus} as a layer.
 * @example
 * new nn.Softplus()(tensor([0, 100])); // → tensor([0.693147, 100.000000], shape [2], float32, cpu)
 */
export class Softplus extends FunctionLayer<SoftplusOptions> {
  /** Throws TensorError. */
  constructor(beta: number | SoftplusOptions = {}, threshold?: number) {
    super(softplus, [beta, threshold]);
  }
  forward(x: Tensor): Tensor {
    return softplus(x, this.options);
  }
}

/**
 * {@link Tensor.hardsigmoid} as a layer.
 * @example
 * new nn.Hardsigmoid()(tensor([-4, 0, 4])); // → tensor([0.0, 0.5, 1.0], shape [3], float32, cpu)
 */
export class Hardsigmoid extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return hardsigmoid(x);
  }
}

/**
 * {@link Tensor.hardswish} as a layer.
 * @example
 * new nn.Hardswish()(tensor([-4, 1, 3])); // → tensor([0.000000, 0.666667, 3.000000], shape [3], float32, cpu)
 */
export class Hardswish extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return hardswish(x);
  }
}

/**
 * {@link Tensor.hardtanh} as a layer: between `min` and `max`, −1 and 1 when left out.
 * @example
 * new nn.Hardtanh()(tensor([-3, 0.5, 3])); // → tensor([-1.0, 0.5, 1.0], shape [3], float32, cpu)
 */
export class Hardtanh extends FunctionLayer<BoundOptions> {
  /** Throws TensorError. */
  constructor(min: number | BoundOptions = {}, max?: number) {
    super(hardtanh, [min, max]);
  }
  forward(x: Tensor): Tensor {
    return hardtanh(x, this.options);
  }
}

/**
 * {@link Tensor.hardshrink} as a layer.
 * @example
 * new nn.Hardshrink()(tensor([-2, 0.3, 2])); // → tensor([-2, 0, 2], shape [3], float32, cpu)
 */
export class Hardshrink extends FunctionLayer<ShrinkOptions> {
  /** Throws TensorError. */
  constructor(lambda: number | ShrinkOptions = {}) {
    super(hardshrink, [lambda]);
  }
  forward(x: Tensor): Tensor {
    return hardshrink(x, this.options);
  }
}

/**
 * {@link Tensor.softshrink} as a layer.
 * @example
 * new nn.Softshrink()(tensor([-2, 0.3, 2])); // → tensor([-1.5, 0.0, 1.5], shape [3], float32, cpu)
 */
export class Softshrink extends FunctionLayer<ShrinkOptions> {
  /** Throws TensorError. */
  constructor(lambda: number | ShrinkOptions = {}) {
    super(softshrink, [lambda]);
  }
  forward(x: Tensor): Tensor {
    return softshrink(x, this.options);
  }
}

/**
 * {@link Tensor.glu} as a layer.
 * @example
 * new nn.GLU()(tensor([1, 2, 0, 0])); // → tensor([0.5, 1.0], shape [2], float32, cpu)
 */
export class GLU extends FunctionLayer<AxisOptions> {
  /** Throws TensorError. */
  constructor(axis: number | AxisOptions = {}) {
    super(glu, [axis]);
  }
  forward(x: Tensor): Tensor {
    return glu(x, this.options);
  }
}

/**
 * {@link Tensor.softmax} as a layer, along the last axis when none is named.
 * @example
 * new nn.Softmax({ dim: 1 })(ones([1, 4])); // → tensor([[0.25, 0.25, 0.25, 0.25]], shape [1, 4], float32, cpu)
 */
export class Softmax extends FunctionLayer<AxisOptions> {
  /** Throws TensorError. */
  constructor(axis: number | AxisOptions = {}) {
    super(softmax, [axis]);
  }
  forward(x: Tensor): Tensor {
    return softmax(x, this.options);
  }
}

/**
 * {@link Tensor.logSoftmax} as a layer, along the last axis when none is named.
 * @example
 * new nn.LogSoftmax(-1)(tensor([1, 2, 3])); // → tensor([-2.407610, -1.407610, -0.407606], shape [3], float32, cpu)
 */
export class LogSoftmax extends FunctionLayer<AxisOptions> {
  /** Throws TensorError. */
  constructor(axis: number | AxisOptions = {}) {
    super(logSoftmax, [axis]);
  }
  forward(x: Tensor): Tensor {
    return logSoftmax(x, this.options);
  }
}

/**
 * {@link softmin} as a layer, along the last axis when none is named.
 * @example
 * new nn.Softmin()(tensor([0, Math.log(3)])); // → tensor([0.75, 0.25], shape [2], float32, cpu)
 */
export class Softmin extends FunctionLayer<AxisOptions> {
  /** Throws TensorError. */
  constructor(axis: number | AxisOptions = {}) {
    super(softmin, [axis]);
  }
  forward(x: Tensor): Tensor {
    return softmin(x, this.options);
  }
}

/**
 * {@link Tensor.softmax} of the channels of images [images, channels, height, width] as a layer.
 * @example
 * new nn.Softmax2d()(ones([1, 2, 1, 1])).flatten(); // → tensor([0.5, 0.5], shape [2], float32, cpu)
 */
export class Softmax2d extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...none: never[]) {
    super(null, none);
  }
  forward(x: Tensor): Tensor {
    return softmax(x, -3);
  }
}

/**
 * {@link Tensor.threshold} as a layer.
 * @example
 * new nn.Threshold(1, -1)(tensor([0.5, 2])); // → tensor([-1, 2], shape [2], float32, cpu)
 */
export class Threshold extends FunctionLayer<{ readonly threshold: number; readonly value: number }> {
  /** Throws TensorError. */
  constructor(above: number, value: number) {
    super(null, [above, value], { required: { threshold: number, value: number } });
  }
  forward(x: Tensor): Tensor {
    return threshold(x, this.options.threshold, this.options.value);
  }
}

/**
 * {@link rrelu} as a layer: negative numbers times a slope that is drawn in training, and is the middle after `eval()`.
 * @example
 * const layer = new nn.RReLU(0.25, 0.75);
 * layer.eval();
 * layer(tensor([-2, 3])); // → tensor([-1, 3], shape [2], float32, cpu)
 */
export class RReLU extends FunctionLayer<RreluOptions> {
  /** Throws TensorError. */
  constructor(lower?: number | RreluOptions, upper?: number) {
    super(rrelu, [lower, upper], { bare: ["lower", "upper"] });
  }
  forward(x: Tensor): Tensor {
    return rrelu(x, { training: this.training, ...this.options });
  }
}

/**
 * What it is given, for a place where a layer may be.
 * @example
 * new nn.Identity()(ones([2])); // → tensor([1, 1], shape [2], float32, cpu)
 */
export class Identity extends FunctionLayer {
  /** Throws TensorError. */
  constructor(...ignored: unknown[]) {
    super(null, ignored.slice(0, 0));
  }
  forward(x: Tensor): Tensor {
    return x;
  }
}
