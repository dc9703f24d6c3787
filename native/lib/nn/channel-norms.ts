// Layers that normalise images by channels: over all images, with running statistics, in groups, and each alone.
import { TensorError } from "../errors.ts";
import { noGrad } from "../autograd/gradients.ts";
import { flag, number, orNull, reader } from "../tensor/arguments.ts";
import { batchNorm, groupNorm, instanceNorm } from "../tensor/channel-norms.ts";
import { ones, zeros } from "../tensor/create.ts";
import { localResponseNorm, type LocalResponseNormOptions } from "../tensor/local-response-norm.ts";
import { formatShape } from "../memory/shape.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { Module, type ParameterOptions } from "./module.ts";
import { parameterOptions, size } from "./options.ts";

/**
 * `eps` is added to the variance (1e-5); `momentum`: how far running statistics follow those of a batch (0.1), `null`
 * for their mean over all batches. `affine: false`: without weight and bias; `trackRunningStats: false`: always by the
 * statistics of the batch.
 */
export interface BatchNormLayerOptions extends ParameterOptions {
  readonly eps?: number;
  readonly momentum?: number | null;
  readonly affine?: boolean;
  readonly trackRunningStats?: boolean;
}
/** `eps` is added to the variance (1e-5); `affine`: with weight and bias. */
export interface ChannelNormOptions extends ParameterOptions {
  readonly eps?: number;
  readonly affine?: boolean;
}

const parameter = (tensor: Tensor): Tensor => {
  tensor.requiresGrad = true;
  return tensor;
};

/** Throws TensorError unless x has as many axes as the layer is for. */
function checkRank(name: string, x: Tensor, ranks: readonly number[]): void {
  if (!ranks.includes(x.shape.length))
    throw new TensorError(
      "SHAPE",
      `${name} takes tensors with ${ranks.join(" or ")} axes, images and channels first, but got ${formatShape(x.shape)}.`,
    );
}

abstract class BatchNorm extends Module {
  /** [channels], 1 at first; `null` without `affine`. */
  weight: Tensor | null;
  /** [channels], 0 at first. */
  bias: Tensor | null;
  /** The mean of each channel, as batches in training showed it; "running_mean" in its state. */
  runningMean: Tensor | null;
  /** Its variance; "running_var" in its state. */
  runningVar: Tensor | null;
  /** How many batches there were; "num_batches_tracked" in its state. */
  batchesTracked: Tensor<"int64"> | null;
  /** How many channels it is for. */
  readonly channels: number;
  /** What is added to the variance. */
  readonly eps: number;
  /** How far running statistics follow those of a batch; `null`: they are means over all batches. */
  readonly momentum: number | null;
  /** @internal How many axes its inputs have. */
  private readonly ranks: readonly number[];

  constructor(name: string, ranks: readonly number[], channels: number, given: BatchNormLayerOptions) {
    super();
    reader(name, {
      written: `new nn.${name}`,
      required: { channels: size },
      options: { eps: number, momentum: orNull(number), affine: flag, trackRunningStats: flag, ...parameterOptions },
    })([channels, given]);
    const { eps = 1e-5, momentum = 0.1, affine = true, trackRunningStats = true, ...options } = given;
    this.weight = affine ? parameter(ones([channels], options)) : null;
    this.bias = affine ? parameter(zeros([channels], options)) : null;
    this.runningMean = trackRunningStats ? zeros([channels], options) : null;
    this.runningVar = trackRunningStats ? ones([channels], options) : null;
    this.batchesTracked = trackRunningStats ? zeros([], { ...options, dtype: "int64" }) : null;
    this.channels = channels;
    this.eps = eps;
    this.momentum = momentum;
    this.ranks = ranks;
  }

  protected override get stateNames() {
    return { runningMean: "running_mean", runningVar: "running_var", batchesTracked: "num_batches_tracked" };
  }

  forward(x: Tensor): Tensor {
    checkRank(this.constructor.name, x, this.ranks);
    const { weight, bias, eps, runningMean, runningVar, batchesTracked } = this;
    const training = this.training || runningMean === null;
    if (this.training && batchesTracked !== null) noGrad(() => batchesTracked.add_(1));
    const momentum = this.momentum ?? 1 / Math.max(1, Number(batchesTracked?.item() ?? 1));
    return batchNorm(x, runningMean, runningVar, { weight, bias, training, momentum, eps });
  }
  override describe(): string {
    return `${this.channels}${this.weight === null ? ", without weight" : ""}`;
  }
}

/**
 * A layer that normalises each channel of [images, channels] or [images, channels, width]: see {@link batchNorm} and
 * {@link BatchNorm2d}.
 * @example
 * const layer = new nn.BatchNorm1d(2);
 * layer(ones([4, 2])).shape; // → [ 4, 2 ]
 */
export class BatchNorm1d extends BatchNorm {
  /** Throws TensorError. */
  constructor(channels: number, options: BatchNormLayerOptions = {}) {
    super("BatchNorm1d", [2, 3], channels, options);
  }
}

/**
 * A layer that normalises each channel of images [images, channels, height, width]: see {@link batchNorm}. In training
 * by the statistics of the batch, which the running ones follow; after `eval()` by those. These belong to the layer's
 * state, under PyTorch's names, and are not trained. weight and bias are.
 * @example
 * const layer = new nn.BatchNorm2d(2);
 * layer(ones([4, 2, 3, 3])).shape; // → [ 4, 2, 3, 3 ]
 * Object.keys(layer.stateDict())[2]; // → 'running_mean'
 */
export class BatchNorm2d extends BatchNorm {
  /** Throws TensorError. */
  constructor(channels: number, options: BatchNormLayerOptions = {}) {
    super("BatchNorm2d", [4], channels, options);
  }
}

/**
 * A layer that normalises each channel of volumes [images, channels, depth, height, width]: see {@link batchNorm} and
 * {@link BatchNorm2d}.
 * @example
 * const layer = new nn.BatchNorm3d(2);
 * layer(ones([4, 2, 3, 3, 3])).shape; // → [ 4, 2, 3, 3, 3 ]
 */
export class BatchNorm3d extends BatchNorm {
  /** Throws TensorError. */
  constructor(channels: number, options: BatchNormLayerOptions = {}) {
    super("BatchNorm3d", [5], channels, options);
  }
}

const channelOptions = { eps: number, affine: flag, ...parameterOptions };
const checkGroupNorm = reader("GroupNorm", {
  written: "new nn.GroupNorm",
  required: { groups: size, channels: size },
  options: channelOptions,
});

/**
 * A layer that normalises groups of channels of each image together, with a weight of ones and a bias of zeros to be
 * trained, unless `affine` is false: see {@link groupNorm}. Throws TensorError where the groups do not divide the
 * channels.
 * @example
 * new nn.GroupNorm(2, 6)(ones([4, 6, 3, 3])).shape; // → [ 4, 6, 3, 3 ]
 */
export class GroupNorm extends Module {
  /** [channels], 1 at first; `null` without `affine`. */
  weight: Tensor | null;
  /** [channels], 0 at first. */
  bias: Tensor | null;
  /** How many groups the channels are in. */
  readonly groups: number;
  /** How many channels it is for. */
  readonly channels: number;
  /** What is added to the variance. */
  readonly eps: number;

  /** Throws TensorError. */
  constructor(groups: number, channels: number, given: ChannelNormOptions = {}) {
    super();
    checkGroupNorm([groups, channels, given]);
    const { eps = 1e-5, affine = true, ...options } = given;
    if (channels % groups !== 0)
      throw new TensorError(
        "VALUE",
        `GroupNorm takes a number of groups that divides ${channels} channels but got ${groups}.`,
      );
    this.weight = affine ? parameter(ones([channels], options)) : null;
    this.bias = affine ? parameter(zeros([channels], options)) : null;
    this.groups = groups;
    this.channels = channels;
    this.eps = eps;
  }
  forward(x: Tensor): Tensor {
    return groupNorm(x, this.groups, { weight: this.weight, bias: this.bias, eps: this.eps });
  }
  override describe(): string {
    return `${this.groups} groups of ${this.channels}`;
  }
}

const checkLocalResponseNorm = reader("LocalResponseNorm", {
  written: "new nn.LocalResponseNorm",
  required: { size },
  options: { alpha: number, beta: number, k: number },
});

/**
 * Divides by the squares of neighbouring channels, see {@link localResponseNorm}; it has no parameters.
 * @example
 * new nn.LocalResponseNorm(5)(ones([4, 6, 3, 3])).shape; // → [ 4, 6, 3, 3 ]
 */
export class LocalResponseNorm extends Module {
  /** How many channels are taken together. */
  readonly size: number;
  /** The factor of the mean of squares. */
  readonly alpha: number;
  /** The power. */
  readonly beta: number;
  /** What is added before. */
  readonly k: number;

  /** Throws TensorError. */
  constructor(size: number, given: LocalResponseNormOptions = {}) {
    super();
    checkLocalResponseNorm([size, given]);
    const { alpha = 1e-4, beta = 0.75, k = 1 } = given;
    this.size = size;
    this.alpha = alpha;
    this.beta = beta;
    this.k = k;
  }
  forward(x: Tensor): Tensor {
    return localResponseNorm(x, this.size, { alpha: this.alpha, beta: this.beta, k: this.k });
  }
  override describe(): string {
    return `${this.size} channels`;
  }
}

abstract class InstanceNorm extends Module {
  /** [channels], 1 at first; `null` unless `affine`. */
  weight: Tensor | null;
  /** [channels], 0 at first. */
  bias: Tensor | null;
  /** How many channels it is for. */
  readonly channels: number;
  /** What is added to the variance. */
  readonly eps: number;
  /** @internal How many axes its inputs have. */
  private readonly rank: number;

  constructor(name: string, rank: number, channels: number, given: ChannelNormOptions) {
    super();
    reader(name, {
      written: `new nn.${name}`,
      required: { channels: size },
      options: channelOptions,
      instead: {
        trackRunningStats: "Each image is normalised by its own statistics: leave it out.",
        momentum: "Each image is normalised by its own statistics: leave it out.",
      },
    })([channels, given]);
    const { eps = 1e-5, affine = false, ...options } = given;
    this.weight = affine ? parameter(ones([channels], options)) : null;
    this.bias = affine ? parameter(zeros([channels], options)) : null;
    this.channels = channels;
    this.eps = eps;
    this.rank = rank;
  }
  forward(x: Tensor): Tensor {
    checkRank(this.constructor.name, x, [this.rank]);
    return instanceNorm(x, { weight: this.weight, bias: this.bias, eps: this.eps });
  }
  override describe(): string {
    return String(this.channels);
  }
}

/**
 * A layer that normalises each channel of each image, with 1 axis behind it: see {@link instanceNorm}. It has a weight
 * and a bias with `affine: true` only, and no running statistics.
 * @example
 * new nn.InstanceNorm1d(2)(randn([4, 2, 8])).shape; // → [ 4, 2, 8 ]
 */
export class InstanceNorm1d extends InstanceNorm {
  /** Throws TensorError. */
  constructor(channels: number, options: ChannelNormOptions = {}) {
    super("InstanceNorm1d", 3, channels, options);
  }
}

/**
 * A layer that normalises each channel of each image: see {@link instanceNorm}. It has a weight and a bias with
 * `affine: true` only, and no running statistics.
 * @example
 * new nn.InstanceNorm2d(2)(randn([4, 2, 3, 3])).shape; // → [ 4, 2, 3, 3 ]
 */
export class InstanceNorm2d extends InstanceNorm {
  /** Throws TensorError. */
  constructor(channels: number, options: ChannelNormOptions = {}) {
    super("InstanceNorm2d", 4, channels, options);
  }
}

/**
 * A layer that normalises each channel of each image, with 3 axes behind it: see {@link instanceNorm}. It has a weight
 * and a bias with `affine: true` only, and no running statistics.
 * @example
 * new nn.InstanceNorm3d(2)(randn([4, 2, 3, 3, 3])).shape; // → [ 4, 2, 3, 3, 3 ]
 */
export class InstanceNorm3d extends InstanceNorm {
  /** Throws TensorError. */
  constructor(channels: number, options: ChannelNormOptions = {}) {
    super("InstanceNorm3d", 5, channels, options);
  }
}
