// Convolutions by windows of one element, side by side: matrix products with the images as they lie.
import type { Execution } from "../../device/execution.ts";
import { viewOf, type DeviceArray } from "../../memory/array.ts";
import { sizeOf, stridesOf, transposed, type Shape } from "../../memory/shape.ts";
import { onDevice } from "../kernels/blocks.ts";
import { matmulInto } from "../linear/matrix-product.ts";
import type { ConvolutionResult, ConvolutionShape } from "./library-convolution.ts";

function shaped(array: DeviceArray, shape: Shape): DeviceArray {
  return viewOf(array, { shape, strides: stridesOf(shape), offset: array.offset });
}
const turned = (matrix: DeviceArray) => viewOf(matrix, transposed(matrix, [1, 0]));

/**
 * Whether a product does it best: on a GPU, whose libraries of convolutions are slower at these; the gradient of the
 * weight only with channels last, where it is one sum and not one for each image.
 */
export function isPointwise(
  { device }: Execution,
  result: ConvolutionResult,
  isLast: boolean,
  { groups, kernel, stride, padding }: ConvolutionShape,
): boolean {
  if (!onDevice(device, { serial: false, threads: true }) || (result === "weight" && !isLast)) return false;
  return groups === 1 && sizeOf(kernel) === 1 && sizeOf(stride) === 1 && padding.every((each) => each === 0);
}

/** What libraryConvolution does, of one element for each window. */
export function pointwiseConvolution(
  on: Execution,
  result: ConvolutionResult,
  out: DeviceArray,
  [a, b]: readonly [DeviceArray, DeviceArray],
  isLast: boolean,
  { images, channels, outputs, size }: ConvolutionShape,
): void {
  const elements = sizeOf(size);
  const planes = (array: DeviceArray, count: number) =>
    shaped(array, isLast ? [images * elements, count] : [images, count, elements]);
  if (result === "weight") {
    using weight = shaped(out, [outputs, channels]);
    using above = planes(a, outputs);
    using input = planes(b, channels);
    using aboveTurned = turned(above);
    return matmulInto(on, weight, aboveTurned, input);
  }
  const [from, to] = result === "output" ? [channels, outputs] : [outputs, channels];
  using weight = shaped(b, [outputs, channels]);
  using weightTurned = turned(weight);
  using source = planes(a, from);
  using target = planes(out, to);
  const factor = (result === "output") === isLast ? weightTurned : weight;
  if (isLast) matmulInto(on, target, source, factor);
  else matmulInto(on, target, factor, source);
}
