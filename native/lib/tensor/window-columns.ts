// The elements of windows of images as columns, and back: PyTorch's F.unfold and F.fold.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import type { FloatOf } from "../memory/promotion.ts";
import { formatShape, sizeOf } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { slidingOver } from "../ops/spatial/windows.ts";
import { define, wholeNumbers } from "./arguments.ts";
import { perAxis, perImage, spreadOver, type PerAxis } from "./per-axis.ts";
import type { Tensor } from "./tensor.ts";

/** As {@link ConvolutionOptions} has them. */
export interface WindowColumnsOptions {
  readonly dilation?: PerAxis;
  readonly padding?: PerAxis;
  readonly stride?: PerAxis;
}

const options = { dilation: perAxis, padding: perAxis, stride: perAxis };
const bare = ["dilation", "padding", "stride"] as const;

function sliding(name: string, axes: number, kernelSize: PerAxis, given: WindowColumnsOptions) {
  return {
    kernel: spreadOver(name, "kernelSize", kernelSize, axes, 1),
    stride: spreadOver(name, "stride", given.stride ?? 1, axes, 1),
    padding: spreadOver(name, "padding", given.padding ?? 0, axes, 0),
    dilation: spreadOver(name, "dilation", given.dilation ?? 1, axes, 1),
  };
}

/**
 * The windows of images [images, channels, height, width] as columns [images, channels · elements, windows]: the
 * elements of a window in row-major order, channel after channel; PyTorch's `F.unfold`. A convolution is a matrix
 * product with them. Throws TensorError where no window fits.
 * @example
 * im2col(arange(9).reshape([1, 1, 3, 3]), 2);
 * // → tensor([[[0, 1, 3, 4], [1, 2, 4, 5], [3, 4, 6, 7], [4, 5, 7, 8]]], shape [1, 4, 4], float32, cpu)
 */
export const im2col: <D extends DType>(
  x: Tensor<D>,
  kernelSize: PerAxis,
  options?: WindowColumnsOptions,
) => Tensor<FloatOf<D>> = define(
  "im2col",
  { required: { kernelSize: perAxis }, options, bare },
  (x, { kernelSize, ...given }) =>
    perImage(x, 2, (images) => apply("patches", [images], sliding("im2col", 2, kernelSize, given)) as Tensor),
);

/**
 * Images of `outputSize` of columns as {@link im2col} makes them, [images, channels · elements, windows]: elements of
 * several windows are added up; PyTorch's `F.fold`. Throws TensorError where the columns are not those of such images.
 * @example
 * col2im(ones([1, 4, 4]), [3, 3], 2);
 * // → tensor([[[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]], shape [1, 1, 3, 3], float32, cpu)
 */
export const col2im: <D extends DType>(
  columns: Tensor<D>,
  outputSize: readonly number[],
  kernelSize: PerAxis,
  options?: WindowColumnsOptions,
) => Tensor<FloatOf<D>> = define(
  "col2im",
  { required: { outputSize: wholeNumbers, kernelSize: perAxis }, options, bare },
  (x, { outputSize, kernelSize, ...given }) =>
    perImage(x, 1, (columns) => {
      const size = spreadOver("col2im", "outputSize", outputSize, 2, 1);
      const windows = sliding("col2im", 2, kernelSize, given);
      const { kernel, count } = slidingOver("col2im", size, windows.kernel, windows);
      const [, depth, own] = columns.shape;
      if (columns.shape.length !== 3 || depth! % sizeOf(kernel) !== 0 || own !== sizeOf(count))
        throw new TensorError(
          "SHAPE",
          `col2im of images of ${formatShape(size)} takes columns of shape [images, a multiple of ${sizeOf(kernel)}, ${sizeOf(count)}] but got ${formatShape(columns.shape)}.`,
        );
      return apply("fromPatches", [columns], { ...windows, size }) as Tensor;
    }),
);
