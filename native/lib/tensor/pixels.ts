// Channels of images as pixels, and back, and channels of groups mixed: orders of elements, without arithmetic.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { atLeast, define } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

const factor = atLeast(1);

function checkFactor(name: string, what: string, value: number): void {
  if (!Number.isInteger(value))
    throw new TensorError("OPTIONS", `${name} takes a whole number as ${what} but got ${value}.`);
}

function needs(name: string, x: Tensor, fits: boolean, wanted: string): void {
  if (!fits) throw new TensorError("SHAPE", `${name} takes images of shape ${wanted} but got ${formatShape(x.shape)}.`);
}

/**
 * Images [B…, channels · r², height, width] with r times the sides, [B…, channels, height · r, width · r]: the r²
 * channels of each become its pixels (Shi et al. 2016, "Real-time single image and video super-resolution using an
 * efficient sub-pixel convolutional neural network"). Throws TensorError where r² does not divide the channels.
 * @example
 * pixelShuffle(tensor([1, 2, 3, 4]).reshape([4, 1, 1]), 2); // → tensor([[[1, 2], [3, 4]]], shape [1, 2, 2], float32, cpu)
 */
export const pixelShuffle: <D extends DType>(x: Tensor<D>, upscaleFactor: number) => Tensor<D> = define(
  "pixelShuffle",
  { required: { upscaleFactor: factor } },
  (x, { upscaleFactor: r }) => {
    checkFactor("pixelShuffle", "upscaleFactor", r);
    const [channels, height, width] = x.shape.slice(-3) as [number, number, number];
    needs(
      "pixelShuffle",
      x,
      x.shape.length >= 3 && channels % (r * r) === 0,
      `[…, a multiple of ${r * r}, height, width]`,
    );
    const [outer, depth] = [x.shape.slice(0, -3), channels / (r * r)];
    const axes = outer.length;
    return x
      .reshape([...outer, depth, r, r, height, width])
      .permute([...outer.keys(), axes, axes + 3, axes + 1, axes + 4, axes + 2])
      .reshape([...outer, depth, height * r, width * r]);
  },
);

/**
 * What {@link pixelShuffle} was given: images [B…, channels, height · r, width · r] as [B…, channels · r², height,
 * width]. Throws TensorError where r does not divide the sides.
 * @example
 * pixelUnshuffle(tensor([[[1, 2], [3, 4]]]), 2).shape; // → [ 4, 1, 1 ]
 */
export const pixelUnshuffle: <D extends DType>(x: Tensor<D>, downscaleFactor: number) => Tensor<D> = define(
  "pixelUnshuffle",
  { required: { downscaleFactor: factor } },
  (x, { downscaleFactor: r }) => {
    checkFactor("pixelUnshuffle", "downscaleFactor", r);
    const [channels, height, width] = x.shape.slice(-3) as [number, number, number];
    needs(
      "pixelUnshuffle",
      x,
      x.shape.length >= 3 && height % r === 0 && width % r === 0,
      `[…, channels, height, width] with multiples of ${r} as height and width`,
    );
    const outer = x.shape.slice(0, -3);
    const axes = outer.length;
    return x
      .reshape([...outer, channels, height / r, r, width / r, r])
      .permute([...outer.keys(), axes, axes + 2, axes + 4, axes + 1, axes + 3])
      .reshape([...outer, channels * r * r, height / r, width / r]);
  },
);

/**
 * Images [images, channels, …] whose channels, in `groups` one after another, take turns (Zhang et al. 2018,
 * "ShuffleNet"). Throws TensorError where `groups` does not divide the channels.
 * @example
 * channelShuffle(tensor([[1, 2, 3, 4]]), 2); // → tensor([[1, 3, 2, 4]], shape [1, 4], float32, cpu)
 */
export const channelShuffle: <D extends DType>(x: Tensor<D>, groups: number) => Tensor<D> = define(
  "channelShuffle",
  { required: { groups: factor } },
  (x, { groups }) => {
    checkFactor("channelShuffle", "groups", groups);
    const [images, channels, ...sides] = x.shape as [number, number, ...number[]];
    needs("channelShuffle", x, x.shape.length >= 2 && channels % groups === 0, `[images, a multiple of ${groups}, …]`);
    return x
      .reshape([images, groups, channels / groups, ...sides])
      .swapAxes(1, 2)
      .reshape([images, channels, ...sides]);
  },
);
