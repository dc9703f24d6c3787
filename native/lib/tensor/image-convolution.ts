// Convolutions of images by filters, and their transposes, as functions with PyTorch's names and layouts.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import type { FloatOf, Promoted } from "../memory/promotion.ts";
import { formatShape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { count, define, either, oneOf, orNull, tensor } from "./arguments.ts";
import { perAxis, perImage, spreadOver, type PerAxis } from "./per-axis.ts";
import type { Tensor } from "./tensor.ts";

/**
 * For all axes or each: `stride` from one window to the next (1), `dilation` from one element of a window to the next
 * (1), `padding` zeros on both sides (0): "valid" for none, "same" for as many results as elements. `groups` of channels
 * have filters of their own (1).
 */
export interface ConvolutionOptions {
  readonly stride?: PerAxis;
  readonly padding?: PerAxis | "same" | "valid";
  readonly dilation?: PerAxis;
  readonly groups?: number;
}

/**
 * Of the convolution that is transposed; `outputPadding`: elements more at the end of each axis (0), fewer than its
 * stride.
 */
export interface TransposedConvolutionOptions {
  readonly stride?: PerAxis;
  readonly padding?: PerAxis;
  readonly outputPadding?: PerAxis;
  readonly groups?: number;
  readonly dilation?: PerAxis;
}

/** The bias stands behind the weight or among the options. */
interface Convolve<O> {
  <D extends DType, E extends DType>(
    x: Tensor<D>,
    weight: Tensor<E>,
    options: O & { readonly bias?: Tensor | null },
  ): Tensor<FloatOf<Promoted<D, E>>>;
  <D extends DType, E extends DType>(
    x: Tensor<D>,
    weight: Tensor<E>,
    bias?: Tensor | null,
    options?: O,
  ): Tensor<FloatOf<Promoted<D, E>>>;
}

function checkGroups(name: string, groups: number): void {
  if (groups < 1) throw new TensorError("VALUE", `${name} takes at least 1 group but got ${groups}.`);
}

/** Zeros for "same": as many results as elements; where they are uneven, the end has one more. */
function sameSides(name: string, weight: Tensor, stride: readonly number[], dilation: readonly number[]) {
  if (stride.some((each) => each !== 1))
    throw new TensorError(
      "VALUE",
      `${name} with padding "same" takes stride 1 but got ${formatShape(stride)}: give the padding in numbers.`,
    );
  const all = dilation.map((each, axis) => each * ((weight.shape[axis + 2] ?? 1) - 1));
  return { padding: all.map((each) => Math.floor(each / 2)), more: all.map((each) => each % 2) };
}

const convolver = (name: string, axes: number): Convolve<ConvolutionOptions> =>
  define(
    name,
    {
      required: { weight: tensor },
      options: {
        bias: orNull(tensor),
        stride: perAxis,
        padding: either(perAxis, oneOf("same", "valid")),
        dilation: perAxis,
        groups: count,
      },
      bare: ["bias", "stride", "padding", "dilation", "groups"],
    },
    (x, { weight, bias = null, stride = 1, padding = 0, dilation = 1, groups = 1 }) => {
      checkGroups(name, groups);
      const steps = spreadOver(name, "stride", stride, axes, 1);
      const apart = spreadOver(name, "dilation", dilation, axes, 1);
      const sides =
        padding === "same"
          ? sameSides(name, weight, steps, apart)
          : {
              padding:
                padding === "valid" ? Array<number>(axes).fill(0) : spreadOver(name, "padding", padding, axes, 0),
              more: [],
            };
      return perImage(x, axes, (images) => {
        const widened = sides.more.some(Boolean)
          ? images.pad(sides.more.flatMap((_, axis) => [0, sides.more[axes - 1 - axis]!]))
          : images;
        const operands = [widened, weight, ...(bias === null ? [] : [bias])] as const;
        return apply("convolution", operands, {
          name,
          groups,
          hasBias: bias !== null,
          stride: steps,
          padding: sides.padding,
          dilation: apart,
        }) as Tensor;
      });
    },
  );

/**
 * Slides filters along lists: y[n, o, i] = Σ x[n, c, i · stride + k · dilation − padding] · weight[o, c, k] + bias[o]
 * over k and the channels c of o's group; what lies outside is 0. x is [images, channels, width], or one such list
 * without the first axis, weight [outputs, channels / groups, k] and bias [outputs]. float16 and bfloat16 are summed in
 * float32. Throws TensorError for shapes that do not fit. See {@link conv2d}.
 * @example
 * conv1d(tensor([[[1, 2, 3, 4]]]), tensor([[[1, 1]]])); // → tensor([[[3, 5, 7]]], shape [1, 1, 3], float32, cpu)
 */
export const conv1d: Convolve<ConvolutionOptions> = convolver("conv1d", 1);
/**
 * Slides filters over images: y[n, o, i, j] = Σ x[n, c, i · s + k · d − p, j · s + l · d − p] · weight[o, c, k, l] +
 * bias[o] over k, l and the channels c of o's group, with stride s, dilation d and padding p; what lies outside is 0. x
 * is [images, channels, height, width], or one image without the first axis, weight [outputs, channels / groups, k, l]
 * and bias [outputs], as PyTorch has them. float16 and bfloat16 are summed in float32. The result lies as x does: with
 * its channels last where those of x are, which GPUs convolve fastest, the weight alike ({@link Tensor.to}). Throws
 * TensorError for shapes that do not fit.
 * @example
 * const x = arange(9).reshape([1, 1, 3, 3]);
 * conv2d(x, ones([1, 1, 2, 2])); // → tensor([[[[8, 12], [20, 24]]]], shape [1, 1, 2, 2], float32, cpu)
 * conv2d(x, ones([4, 1, 3, 3]), { padding: "same" }).shape; // → [ 1, 4, 3, 3 ]
 */
export const conv2d: Convolve<ConvolutionOptions> = convolver("conv2d", 2);
/**
 * Slides filters over volumes [images, channels, depth, height, width] with a weight [outputs, channels / groups, k, l,
 * m]; see {@link conv2d}. Throws TensorError for shapes that do not fit.
 * @example
 * conv3d(ones([1, 2, 4, 4, 4]), ones([3, 2, 2, 2, 2]), null, { stride: 2 }).shape; // → [ 1, 3, 2, 2, 2 ]
 */
export const conv3d: Convolve<ConvolutionOptions> = convolver("conv3d", 3);

/** The size of an axis that a convolution with these would make the axis of x from, which has `size`. */
function sizeBefore(
  name: string,
  size: number,
  kernel: number,
  { stride, padding, dilation, more }: Record<"stride" | "padding" | "dilation" | "more", number>,
): number {
  if (more >= stride)
    throw new TensorError("VALUE", `${name} takes an outputPadding below the stride, ${stride}, but got ${more}.`);
  const before = (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + more + 1;
  if (before < 1)
    throw new TensorError(
      "SHAPE",
      `${name} would make an axis of ${before} elements of one of ${size}: take less padding off it.`,
    );
  return before;
}

function checkTransposed(
  name: string,
  axes: number,
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  groups: number,
): void {
  const [inputs, depth] = weight.shape;
  const isOfAxes = x.shape.length === axes + 2 && weight.shape.length === axes + 2;
  if (!isOfAxes || weight.size === 0 || inputs !== x.shape[1] || inputs! % groups !== 0)
    throw new TensorError(
      "SHAPE",
      `${name} takes tensors of shape [images, channels, …] and a weight of shape [channels, outputs / groups, …], both with ${axes} more ax${axes === 1 ? "is" : "es"}, the channels a multiple of the ${groups} group${groups === 1 ? "" : "s"}, but got ${formatShape(x.shape)} and ${formatShape(weight.shape)}.`,
    );
  if (bias !== null && (bias.shape.length !== 1 || bias.shape[0] !== depth! * groups))
    throw new TensorError(
      "SHAPE",
      `${name} with ${depth! * groups} outputs takes a bias of shape [${depth! * groups}] but got ${formatShape(bias.shape)}.`,
    );
}

const transposer = (name: string, axes: number): Convolve<TransposedConvolutionOptions> =>
  define(
    name,
    {
      required: { weight: tensor },
      options: {
        bias: orNull(tensor),
        stride: perAxis,
        padding: perAxis,
        outputPadding: perAxis,
        groups: count,
        dilation: perAxis,
      },
      bare: ["bias", "stride", "padding", "outputPadding", "groups", "dilation"],
    },
    (x, { weight, bias = null, stride = 1, padding = 0, outputPadding = 0, groups = 1, dilation = 1 }) => {
      checkGroups(name, groups);
      const sliding = {
        stride: spreadOver(name, "stride", stride, axes, 1),
        padding: spreadOver(name, "padding", padding, axes, 0),
        dilation: spreadOver(name, "dilation", dilation, axes, 1),
      };
      const more = spreadOver(name, "outputPadding", outputPadding, axes, 0);
      return perImage(x, axes, (images) => {
        checkTransposed(name, axes, images, weight, bias, groups);
        const size = more.map((each, axis) =>
          sizeBefore(name, images.shape[axis + 2]!, weight.shape[axis + 2]!, {
            stride: sliding.stride[axis]!,
            padding: sliding.padding[axis]!,
            dilation: sliding.dilation[axis]!,
            more: each,
          }),
        );
        const y = apply("convolutionInput", [images, weight], { name, groups, size, ...sliding }) as Tensor;
        return bias === null ? y : y.add(bias.reshape([bias.size, ...size.map(() => 1)]));
      });
    },
  );

/**
 * The transpose of {@link conv1d}: each element of x [images, channels, width] adds its multiple of the filters of its
 * channel to the result, `stride` apart, whose width is (width − 1) · stride − 2 · padding + dilation · (k − 1) +
 * outputPadding + 1. weight is [channels, outputs / groups, k], bias [outputs]. Throws TensorError for shapes that do
 * not fit.
 * @example
 * convTranspose1d(tensor([[[1, 2]]]), tensor([[[1, 1, 1]]]), null, { stride: 2 });
 * // → tensor([[[1, 1, 3, 2, 2]]], shape [1, 1, 5], float32, cpu)
 */
export const convTranspose1d: Convolve<TransposedConvolutionOptions> = transposer("convTranspose1d", 1);
/**
 * The transpose of {@link conv2d}, with weight [channels, outputs / groups, k, l] and bias [outputs]: what makes images
 * larger again; see {@link convTranspose1d}. Throws TensorError for shapes that do not fit.
 * @example
 * convTranspose2d(ones([1, 3, 4, 4]), ones([3, 2, 2, 2]), null, { stride: 2 }).shape; // → [ 1, 2, 8, 8 ]
 */
export const convTranspose2d: Convolve<TransposedConvolutionOptions> = transposer("convTranspose2d", 2);
/**
 * The transpose of {@link conv3d}, with weight [channels, outputs / groups, k, l, m] and bias [outputs]; see {@link
 * convTranspose1d}. Throws TensorError for shapes that do not fit.
 * @example
 * convTranspose3d(ones([1, 3, 2, 2, 2]), ones([3, 1, 2, 2, 2])).shape; // → [ 1, 1, 3, 3, 3 ]
 */
export const convTranspose3d: Convolve<TransposedConvolutionOptions> = transposer("convTranspose3d", 3);
