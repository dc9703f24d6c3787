// The way back from pools of largest elements: each element where its window had it, and zeros around.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape, sizeOf } from "../memory/shape.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { define, tensor, wholeNumbers } from "./arguments.ts";
import { zeros } from "./create.ts";
import { perAxis, perImage, spreadOver, type PerAxis } from "./per-axis.ts";
import { images } from "./pooling.ts";
import type { Tensor } from "./tensor.ts";

/**
 * `stride` (the size of a window) and `padding` (0) of the pool. `outputSize`: the axes that windows slid along, of what
 * was pooled; (n − 1) · stride − 2 · padding + kernelSize when left out, which is less where the pool left some over.
 */
export interface UnpoolOptions {
  readonly stride?: PerAxis;
  readonly padding?: PerAxis;
  readonly outputSize?: readonly number[];
}

type Unpool = <D extends DType>(
  x: Tensor<D>,
  indices: Tensor,
  kernelSize: PerAxis,
  options?: UnpoolOptions,
) => Tensor<D>;

const unpool = (name: string, axes: number): Unpool =>
  define(
    name,
    {
      required: { indices: tensor, kernelSize: perAxis },
      options: { stride: perAxis, padding: perAxis, outputSize: wholeNumbers },
      bare: ["stride", "padding", "outputSize"],
    },
    (x, { indices, kernelSize, outputSize, ...given }) =>
      perImage(x, axes, (each) => {
        const [count, channels, ...along] = images(name, each, axes).shape as [number, number, ...number[]];
        if (!sameShape(indices.shape, x.shape))
          throw new TensorError(
            "SHAPE",
            `${name} takes an index for each element, ${formatShape(x.shape)}, but got ${formatShape(indices.shape)}.`,
          );
        const kernel = spreadOver(name, "kernelSize", kernelSize, axes, 1);
        const stride = spreadOver(name, "stride", given.stride ?? kernel, axes, 1);
        const padding = spreadOver(name, "padding", given.padding ?? 0, axes, 0);
        const size =
          outputSize === undefined
            ? along.map((windows, axis) => (windows - 1) * stride[axis]! - 2 * padding[axis]! + kernel[axis]!)
            : spreadOver(name, "outputSize", outputSize, axes, 1);
        if (size.some((length) => length < 1))
          throw new TensorError(
            "SHAPE",
            `${name} of axes ${formatShape(along)} would give ${formatShape(size)}: say the outputSize that was pooled.`,
          );
        const flat = (array: Tensor) => array.reshape([count, channels, sizeOf(along)]);
        const empty = zeros([count, channels, sizeOf(size)], { dtype: x.dtype as "float32", device: x.device });
        const filled = empty.scatter(2, flat(indices) as Tensor<"int64">, flat(each));
        return filled.reshape([count, channels, ...size]) as Tensor;
      }),
  );

/**
 * What {@link maxPool1dWithIndices} had, as far as it is known: its values at their places, and 0 elsewhere; see {@link
 * maxUnpool2d}.
 * @example
 * const { values, indices } = maxPool1dWithIndices(tensor([[[1, 4, 2, 3]]]), 2);
 * maxUnpool1d(values, indices, 2); // → tensor([[[0, 4, 0, 3]]], shape [1, 1, 4], float32, cpu)
 */
export const maxUnpool1d: Unpool = unpool("maxUnpool1d", 1);
/**
 * What {@link maxPool2dWithIndices} had, as far as it is known: its values [images, channels, height, width] at their
 * places in each channel, and 0 elsewhere. Where windows overlapped, one of those of a place is there. Throws
 * TensorError, at the next wait also for an index that is outside.
 * @example
 * const { values, indices } = maxPool2dWithIndices(tensor([[[[1, 4], [2, 3]]]]), 2);
 * maxUnpool2d(values, indices, 2); // → tensor([[[[0, 4], [0, 0]]]], shape [1, 1, 2, 2], float32, cpu)
 */
export const maxUnpool2d: Unpool = unpool("maxUnpool2d", 2);
/**
 * What {@link maxPool3dWithIndices} had, as far as it is known; see {@link maxUnpool2d}.
 * @example
 * const { values, indices } = maxPool3dWithIndices(ones([1, 1, 4, 4, 4]), 2);
 * maxUnpool3d(values, indices, 2).sum().item(); // → 8
 */
export const maxUnpool3d: Unpool = unpool("maxUnpool3d", 3);
