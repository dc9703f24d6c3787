// Pools of images as functions with PyTorch's names: the largest element of each window, or the mean.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import { formatShape, type Shape } from "../memory/shape.ts";
import { apply, applyAll } from "../ops/core/apply.ts";
import { isRecording } from "../ops/core/hooks.ts";
import type { PoolAttributes } from "../ops/spatial/pooling.ts";
import { windowsAlong } from "../ops/spatial/windows.ts";
import { worded } from "../wording.ts";
import { count, define, flag, type Kind } from "./arguments.ts";
import { perAxis, perImage, spreadOver, type PerAxis } from "./per-axis.ts";
import type { Tensor } from "./tensor.ts";

/**
 * For all axes or each: `stride` from one window to the next (the size of a window), `padding` at both sides, at most
 * half a window (0), `dilation` (1). `ceilMode`: a last window may reach beyond the end.
 */
export interface MaxPoolOptions {
  readonly stride?: PerAxis;
  readonly padding?: PerAxis;
  readonly dilation?: PerAxis;
  readonly ceilMode?: boolean;
}
/**
 * As {@link MaxPoolOptions}. Sums are divided by the elements of their window, those of the padding too unless
 * `countIncludePad` is false, or by `divisorOverride`.
 */
export interface AveragePoolOptions {
  readonly stride?: PerAxis;
  readonly padding?: PerAxis;
  readonly ceilMode?: boolean;
  readonly countIncludePad?: boolean;
  readonly divisorOverride?: number;
}
/** The largest elements, and where they lie: the place of each in its image's channel, in row-major order. */
export interface Pooled<D extends DType = DType> {
  readonly values: Tensor<D>;
  readonly indices: Tensor<"int64">;
}
/** How many windows along each axis; `null` for as many as elements. */
export type AdaptiveSize = number | null | readonly (number | null)[];

type Pool<O> = <D extends DType>(x: Tensor<D>, kernelSize: PerAxis, options?: O) => Tensor<FloatOf<D>>;
type PoolWithIndices<O> = <D extends DType>(x: Tensor<D>, kernelSize: PerAxis, options?: O) => Pooled<FloatOf<D>>;
type AdaptivePool = <D extends DType>(x: Tensor<D>, outputSize: AdaptiveSize) => Tensor<FloatOf<D>>;

interface Given {
  readonly stride?: PerAxis;
  readonly padding?: PerAxis;
  readonly dilation?: PerAxis;
  readonly ceilMode?: boolean;
}

/** Windows of a pool over axes of `size`. Throws TensorError. */
function evenly(name: string, size: Shape, kernelSize: PerAxis, given: Given): PoolAttributes {
  const axes = size.length;
  const kernel = spreadOver(name, "kernelSize", kernelSize, axes, 1);
  const stride = spreadOver(name, "stride", given.stride ?? kernel, axes, 1);
  const padding = spreadOver(name, "padding", given.padding ?? 0, axes, 0);
  const dilation = spreadOver(name, "dilation", given.dilation ?? 1, axes, 1);
  padding.forEach((each, axis) => {
    if (2 * each > kernel[axis]!)
      throw new TensorError(
        "VALUE",
        `${name} takes padding of at most half a window, ${Math.floor(kernel[axis]! / 2)}, but got ${each}.`,
      );
  });
  const along = size.map((each, axis) => {
    const of = [kernel[axis]!, stride[axis]!, padding[axis]!, dilation[axis]!] as const;
    if (given.ceilMode !== true) return windowsAlong(each, ...of);
    const most = windowsAlong(each + stride[axis]! - 1, ...of);
    // A window that begins behind the end has nothing in it.
    return (most - 1) * stride[axis]! >= each + padding[axis]! ? most - 1 : most;
  });
  if (along.some((each) => each < 1))
    throw new TensorError(
      "SHAPE",
      `${name} slides windows of ${formatShape(kernel)} over axes of ${formatShape(size)}: no window fits.`,
    );
  return { name, way: "even", kernel, stride, padding, dilation, count: along };
}

/** Throws TensorError for what are no images with so many axes. */
export function images(name: string, x: Tensor, axes: number): Tensor {
  if (x.shape.length !== axes + 2)
    throw new TensorError(
      "SHAPE",
      `${name} takes tensors of shape [images, channels, ${["depth", "height", "width"].slice(3 - axes).join(", ")}], or one image without the first axis, but got ${formatShape(x.shape)}.`,
    );
  return x;
}

const maxOptions = { stride: perAxis, padding: perAxis, dilation: perAxis, ceilMode: flag };

function largest(x: Tensor, attributes: PoolAttributes, keepsPlaces: boolean): readonly Tensor[] {
  return applyAll("maxPool", [x], { ...attributes, keepsPlaces }) as readonly Tensor[];
}
const wantsPlaces = (x: Tensor) => isRecording() && x.track !== null;

const maxPool = (name: string, axes: number): Pool<MaxPoolOptions> =>
  define(
    name,
    {
      required: { kernelSize: perAxis },
      options: maxOptions,
      bare: ["stride", "padding", "dilation", "ceilMode"],
      instead: { returnIndices: `Write ${name}WithIndices.` },
    },
    (x, { kernelSize, ...given }) =>
      perImage(x, axes, (each) => {
        const attributes = evenly(name, images(name, each, axes).shape.slice(2), kernelSize, given);
        return largest(each, attributes, wantsPlaces(each))[0]!;
      }),
  );
const maxPoolWithIndices = (name: string, axes: number): PoolWithIndices<MaxPoolOptions> =>
  define(
    name,
    { required: { kernelSize: perAxis }, options: maxOptions, bare: ["stride", "padding", "dilation", "ceilMode"] },
    (x, { kernelSize, ...given }) => {
      const [values, indices] = perImage(x, axes, (each) =>
        largest(each, evenly(name, images(name, each, axes).shape.slice(2), kernelSize, given), true),
      );
      return { values, indices };
    },
  );

const averagePool = (name: string, axes: number): Pool<AveragePoolOptions> =>
  define(
    name,
    {
      required: { kernelSize: perAxis },
      options: { stride: perAxis, padding: perAxis, ceilMode: flag, countIncludePad: flag, divisorOverride: count },
      bare: ["stride", "padding", "ceilMode", "countIncludePad", "divisorOverride"],
    },
    (x, { kernelSize, countIncludePad = true, divisorOverride, ...given }) => {
      if (divisorOverride === 0)
        throw new TensorError("VALUE", `${name} takes a divisorOverride of at least 1 but got 0.`);
      return perImage(x, axes, (each) => {
        const attributes = evenly(name, images(name, each, axes).shape.slice(2), kernelSize, given);
        const divided = { divisor: divisorOverride ?? 0, countsPadding: countIncludePad };
        return apply("averagePool", [each], { ...attributes, ...divided }) as Tensor;
      });
    },
  );

const isAdaptive = (value: unknown): boolean =>
  value === null || (Number.isSafeInteger(value) && (value as number) >= 1);
/** {@link AdaptiveSize}, as arguments are read. */
export const adaptiveSize: Kind<AdaptiveSize> = {
  wanted: "a whole number of at least 1, null, or a list of these",
  has: (value) => isAdaptive(value) || (Array.isArray(value) && Array.from(value).every(isAdaptive)),
};

/** Windows that cover each axis evenly: those of an even pool, where the axes can be divided. */
function adaptively(name: string, size: Shape, wanted: AdaptiveSize): PoolAttributes {
  const axes = size.length;
  const list = Array.isArray(wanted)
    ? (wanted as (number | null)[])
    : Array<number | null>(axes).fill(wanted as number);
  if (list.length !== axes)
    throw new TensorError(
      "VALUE",
      `${name} takes a number of windows for all axes or each of the ${axes}, but got ${worded(wanted)}.`,
    );
  const along = list.map((each, axis) => each ?? size[axis]!);
  if (size.includes(0))
    throw new TensorError("SHAPE", `${name} takes images with elements but got axes of ${formatShape(size)}.`);
  const kernel = size.map((each, axis) => Math.ceil(each / along[axis]!));
  const isEven = size.every((each, axis) => each % along[axis]! === 0);
  const [none, ones] = [size.map(() => 0), size.map(() => 1)];
  return {
    name,
    way: isEven ? "even" : "adaptive",
    kernel,
    stride: kernel,
    padding: none,
    dilation: ones,
    count: along,
  };
}

const adaptiveAveragePool = (name: string, axes: number): AdaptivePool =>
  define(name, { required: { outputSize: adaptiveSize } }, (x, { outputSize }) =>
    perImage(x, axes, (each) => {
      const attributes = adaptively(name, images(name, each, axes).shape.slice(2), outputSize);
      if (attributes.count.every((windows) => windows === 1))
        return each.mean({ axis: attributes.count.map((_, axis) => axis + 2), keepdims: true });
      return apply("averagePool", [each], { ...attributes, divisor: 0, countsPadding: false }) as Tensor;
    }),
  );
const adaptiveMaxPool = (name: string, axes: number): AdaptivePool =>
  define(name, { required: { outputSize: adaptiveSize } }, (x, { outputSize }) =>
    perImage(
      x,
      axes,
      (each) =>
        largest(each, adaptively(name, images(name, each, axes).shape.slice(2), outputSize), wantsPlaces(each))[0]!,
    ),
  );

/**
 * The largest element of each window of [images, channels, width]; see {@link maxPool2d}.
 * @example
 * maxPool1d(tensor([[[1, 4, 2, 3]]]), 2); // → tensor([[[4, 3]]], shape [1, 1, 2], float32, cpu)
 */
export const maxPool1d: Pool<MaxPoolOptions> = maxPool("maxPool1d", 1);
/**
 * The largest element of each window of images [images, channels, height, width], or of one image without the first
 * axis; elements of the padding never are. NaN is the largest. Of equal ones the first gets the gradient. Throws
 * TensorError where no window fits.
 * @example
 * maxPool2d(arange(16).reshape([1, 1, 4, 4]), 2);
 * // → tensor([[[[5, 7], [13, 15]]]], shape [1, 1, 2, 2], float32, cpu)
 */
export const maxPool2d: Pool<MaxPoolOptions> = maxPool("maxPool2d", 2);
/**
 * The largest element of each window of [images, channels, depth, height, width]; see {@link maxPool2d}.
 * @example
 * maxPool3d(ones([1, 1, 4, 4, 4]), 2).shape; // → [ 1, 1, 2, 2, 2 ]
 */
export const maxPool3d: Pool<MaxPoolOptions> = maxPool("maxPool3d", 3);
/**
 * {@link maxPool1d} with the places of the largest elements.
 * @example
 * maxPool1dWithIndices(tensor([[[1, 4, 2, 3]]]), 2).indices; // → tensor([[[1, 3]]], shape [1, 1, 2], int64, cpu)
 */
export const maxPool1dWithIndices: PoolWithIndices<MaxPoolOptions> = maxPoolWithIndices("maxPool1dWithIndices", 1);
/**
 * {@link maxPool2d} with the places of the largest elements.
 * @example
 * maxPool2dWithIndices(tensor([[[[1, 4], [2, 3]]]]), 2).indices; // → tensor([[[[1]]]], shape [1, 1, 1, 1], int64, cpu)
 */
export const maxPool2dWithIndices: PoolWithIndices<MaxPoolOptions> = maxPoolWithIndices("maxPool2dWithIndices", 2);
/**
 * {@link maxPool3d} with the places of the largest elements.
 * @example
 * maxPool3dWithIndices(ones([1, 1, 2, 2, 2]), 2).indices.item(); // → 0
 */
export const maxPool3dWithIndices: PoolWithIndices<MaxPoolOptions> = maxPoolWithIndices("maxPool3dWithIndices", 3);
/**
 * The mean of each window of [images, channels, width]; see {@link avgPool2d}.
 * @example
 * avgPool1d(tensor([[[1, 4, 2, 3]]]), 2); // → tensor([[[2.5, 2.5]]], shape [1, 1, 2], float32, cpu)
 */
export const avgPool1d: Pool<AveragePoolOptions> = averagePool("avgPool1d", 1);
/**
 * The mean of each window of images [images, channels, height, width], or of one image without the first axis; the
 * padding is zeros. Throws TensorError where no window fits.
 * @example
 * avgPool2d(arange(16).reshape([1, 1, 4, 4]), 2);
 * // → tensor([[[[2.5, 4.5], [10.5, 12.5]]]], shape [1, 1, 2, 2], float32, cpu)
 */
export const avgPool2d: Pool<AveragePoolOptions> = averagePool("avgPool2d", 2);
/**
 * The mean of each window of [images, channels, depth, height, width]; see {@link avgPool2d}.
 * @example
 * avgPool3d(ones([1, 1, 4, 4, 4]), 2).shape; // → [ 1, 1, 2, 2, 2 ]
 */
export const avgPool3d: Pool<AveragePoolOptions> = averagePool("avgPool3d", 3);
/**
 * Means of `outputSize` windows along [images, channels, width]; see {@link adaptiveAvgPool2d}.
 * @example
 * adaptiveAvgPool1d(tensor([[[1, 2, 3]]]), 2); // → tensor([[[1.5, 2.5]]], shape [1, 1, 2], float32, cpu)
 */
export const adaptiveAvgPool1d: AdaptivePool = adaptiveAveragePool("adaptiveAvgPool1d", 1);
/**
 * Means of as many windows as `outputSize` says, which cover images [images, channels, height, width] evenly: window i
 * of n along an axis of s elements has those from ⌊i · s/n⌋ to ⌈(i + 1) · s/n⌉. Throws TensorError.
 * @example
 * adaptiveAvgPool2d(arange(6).reshape([1, 1, 2, 3]), [1, null]);
 * // → tensor([[[[1.5, 2.5, 3.5]]]], shape [1, 1, 1, 3], float32, cpu)
 */
export const adaptiveAvgPool2d: AdaptivePool = adaptiveAveragePool("adaptiveAvgPool2d", 2);
/**
 * Means of `outputSize` windows of [images, channels, depth, height, width]; see {@link adaptiveAvgPool2d}.
 * @example
 * adaptiveAvgPool3d(ones([1, 2, 3, 4, 5]), 2).shape; // → [ 1, 2, 2, 2, 2 ]
 */
export const adaptiveAvgPool3d: AdaptivePool = adaptiveAveragePool("adaptiveAvgPool3d", 3);
/**
 * The largest elements of `outputSize` windows along [images, channels, width]; see {@link adaptiveAvgPool2d}.
 * @example
 * adaptiveMaxPool1d(tensor([[[1, 2, 3]]]), 2); // → tensor([[[2, 3]]], shape [1, 1, 2], float32, cpu)
 */
export const adaptiveMaxPool1d: AdaptivePool = adaptiveMaxPool("adaptiveMaxPool1d", 1);
/**
 * The largest elements of as many windows as `outputSize` says, which cover images evenly; see {@link
 * adaptiveAvgPool2d}.
 * @example
 * adaptiveMaxPool2d(arange(6).reshape([1, 1, 2, 3]), 1); // → tensor([[[[5]]]], shape [1, 1, 1, 1], float32, cpu)
 */
export const adaptiveMaxPool2d: AdaptivePool = adaptiveMaxPool("adaptiveMaxPool2d", 2);
/**
 * The largest elements of `outputSize` windows of [images, channels, depth, height, width]; see {@link
 * adaptiveAvgPool2d}.
 * @example
 * adaptiveMaxPool3d(ones([1, 2, 3, 4, 5]), 2).shape; // → [ 1, 2, 2, 2, 2 ]
 */
export const adaptiveMaxPool3d: AdaptivePool = adaptiveMaxPool("adaptiveMaxPool3d", 3);
