// Normalisation of images by channels as functions with PyTorch's names: of each over all images (batch), of groups of
// them, or each, in one image.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import { formatShape, sizeOf } from "../memory/shape.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { recording } from "../ops/core/hooks.ts";
import { atLeast, count, define, flag, number, orNull, tensor } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

/**
 * `training`: by the statistics of x, which the running ones follow by `momentum` (0.1) of the way; else, and by
 * default, by the running ones. `eps` is added to the variance (1e-5).
 */
export interface BatchNormOptions {
  readonly weight?: Tensor | null;
  readonly bias?: Tensor | null;
  readonly training?: boolean;
  readonly momentum?: number;
  readonly eps?: number;
}
/** `eps` is added to the variance (1e-5). */
export interface GroupNormOptions {
  readonly weight?: Tensor | null;
  readonly bias?: Tensor | null;
  readonly eps?: number;
}

const parameter = orNull(tensor);

/** Brings running statistics nearer to those of a batch; the variance as that of a sample. */
function follow(running: Tensor | null, found: Tensor, momentum: number, scale: number): void {
  if (running === null) return;
  recording.run(null, () => {
    const wanted = scale === 1 ? found : found.mul(scale);
    running.copy_(running.lerp(wanted.to(running.dtype), momentum));
  });
}

/**
 * Batch normalisation of [images, channels, …]: (x − mean)/√(variance + eps) of each channel, times `weight` and plus
 * `bias`, which are [channels] as the running statistics are. In training mean and variance are those of the channel
 * over all images (Ioffe and Szegedy, 2015), and the running ones, where they are not null, are brought nearer to them
 * in place, their variance to that of a sample. Statistics are kept in float32 at least. Images with their channels
 * last stay so. Throws TensorError for shapes that do not fit, and in training for fewer than 2 elements of a channel.
 * @example
 * const x = tensor([[1, 10], [3, 30]]);
 * batchNorm(x, null, null, { training: true, eps: 0 }); // → tensor([[-1, -1], [1, 1]], shape [2, 2], float32, cpu)
 * batchNorm(x, tensor([1, 10]), tensor([4, 100]), { eps: 0 }); // → tensor([[0, 0], [1, 2]], shape [2, 2], float32, cpu)
 */
export const batchNorm: <D extends DType>(
  x: Tensor<D>,
  runningMean: Tensor | null,
  runningVar: Tensor | null,
  options?: BatchNormOptions,
) => Tensor<FloatOf<D>> = define(
  "batchNorm",
  {
    required: { runningMean: parameter, runningVar: parameter },
    options: {
      weight: parameter,
      bias: parameter,
      training: flag,
      momentum: number,
      eps: atLeast(0),
    },
    bare: ["weight", "bias", "training", "momentum", "eps"],
  },
  (x, { runningMean, runningVar, weight = null, bias = null, training = false, momentum = 0.1, eps = 1e-5 }) => {
    const attributes = { name: "batchNorm", eps, hasWeight: weight !== null, hasBias: bias !== null };
    const parameters = [weight, bias].filter((each) => each !== null);
    if (!training) {
      if (runningMean === null || runningVar === null)
        throw new TensorError(
          "OPERANDS",
          "batchNorm takes a running mean and variance where it is not { training: true }, but got null.",
        );
      return apply("normalizeChannels", [x, runningMean, runningVar, ...parameters], attributes);
    }
    const [y, mean, variance] = applyAll("batchNorm", [x, ...parameters], attributes) as readonly Tensor[];
    const elements = x.size / x.shape[1]!;
    follow(runningMean, mean!.detach(), momentum, 1);
    follow(runningVar, variance!.detach(), momentum, elements / (elements - 1));
    return y;
  },
);

/** One number for each channel as what broadcasts to x. */
const overChannels = (each: Tensor, x: Tensor) => each.reshape([each.size, ...x.shape.slice(2).map(() => 1)]);

/** Throws TensorError unless there are images with channels, and one number for each of these. */
function checkChannels(name: string, x: Tensor, given: Readonly<Record<string, Tensor | null>>): void {
  if (x.shape.length < 2)
    throw new TensorError(
      "SHAPE",
      `${name} takes tensors of shape [images, channels, …] but got ${formatShape(x.shape)}.`,
    );
  const [, channels] = x.shape;
  for (const [what, each] of Object.entries(given))
    if (each !== null && (each.shape.length !== 1 || each.shape[0] !== channels))
      throw new TensorError(
        "SHAPE",
        `${name} of ${channels} channels takes a ${what} of shape [${channels}] but got ${formatShape(each.shape)}.`,
      );
}

function inGroups(
  name: string,
  x: Tensor,
  groups: number,
  { weight = null, bias = null, eps = 1e-5 }: GroupNormOptions,
): Tensor {
  checkChannels(name, x, { weight, bias });
  const [images, channels] = x.shape as [number, number];
  if (groups < 1 || channels % groups !== 0)
    throw new TensorError(
      "VALUE",
      `${name} takes a number of groups that divides ${channels} channels but got ${groups}.`,
    );
  const elements = (channels / groups) * sizeOf(x.shape.slice(2));
  const rows = x.reshape([images, groups, elements]);
  const attributes = { eps, axes: 1, hasWeight: false, hasBias: false };
  const normed = (applyAll("layerNorm", [rows], attributes)[0] as Tensor).reshape(x.shape);
  const scaled = weight === null ? normed : normed.mul(overChannels(weight, x));
  return bias === null ? scaled : scaled.add(overChannels(bias, x));
}

/**
 * Normalises groups of channels of each image [images, channels, …] together: (x − mean)/√(variance + eps), times
 * `weight` and plus `bias`, which are [channels] (Wu and He, 2018). Throws TensorError where the channels are no
 * multiple of the groups.
 * @example
 * groupNorm(tensor([[1, 3, 10, 30]]), 2, { eps: 0 }); // → tensor([[-1, 1, -1, 1]], shape [1, 4], float32, cpu)
 */
export const groupNorm: <D extends DType>(
  x: Tensor<D>,
  groups: number,
  options?: GroupNormOptions,
) => Tensor<FloatOf<D>> = define(
  "groupNorm",
  {
    required: { groups: count },
    options: { weight: parameter, bias: parameter, eps: atLeast(0) },
    bare: ["weight", "bias", "eps"],
  },
  (x, { groups, ...given }) => inGroups("groupNorm", x, groups, given),
);

/**
 * Normalises each channel of each image [images, channels, …]: {@link groupNorm} with a group for each. Throws
 * TensorError for shapes that do not fit.
 * @example
 * instanceNorm(tensor([[[1, 3], [10, 30]]]), { eps: 0 });
 * // → tensor([[[-1, 1], [-1, 1]]], shape [1, 2, 2], float32, cpu)
 */
export const instanceNorm: <D extends DType>(x: Tensor<D>, options?: GroupNormOptions) => Tensor<FloatOf<D>> = define(
  "instanceNorm",
  { options: { weight: parameter, bias: parameter, eps: atLeast(0) } },
  (x, given) => inGroups("instanceNorm", x, x.shape[1] ?? 1, given),
);
