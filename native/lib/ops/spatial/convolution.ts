// Convolutions as rows of the table. y = x ∗ w is linear in both, so each of the three rows, of y, x and w, has the
// other two as its gradients; the row of x is the transposed convolution, too.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { factsOf } from "../../memory/dtype.ts";
import { floatOf, promoted } from "../../memory/promotion.ts";
import { formatShape, sizeOf, type Shape } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { mayTake, refusal, takes } from "../core/dispatch.ts";
import type { Computation, Cost } from "../core/operation.ts";
import { arithmeticRows } from "../elementwise/arithmetic.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { onDevice } from "../kernels/blocks.ts";
import { sameShape } from "../kernels/map.ts";
import { float32Precision } from "../linear/precision.ts";
import { floats } from "../rows/row-lines.ts";
import { copy, fill, withFlat } from "../shape/copy.ts";
import { channelsLastStrides, formatOf, isChannelsLast, withChannelsLast } from "./channels-last.ts";
import { depthwiseConvolution, isDepthwise } from "./depthwise.ts";
import {
  hasDepthwiseLibrary,
  libraryConvolution,
  type ConvolutionResult,
  type ConvolutionShape,
} from "./library-convolution.ts";
import { convolutionByPatches } from "./patches.ts";
import { isPointwise, pointwiseConvolution } from "./pointwise.ts";
import { imageAxes, slidingOver, type Sliding } from "./windows.ts";

/** `name`: what messages call it; its axes are as many as `stride` has. */
export interface ConvolutionAttributes extends Sliding {
  readonly name: string;
  readonly groups: number;
}

function dtypeOf(name: string, operands: readonly DeviceArray[]): DType {
  const dtype = operands.map((each) => each.dtype).reduce(promoted);
  if (dtype === "bool" || factsOf(dtype).isStorage || !floats.includes(floatOf(dtype)))
    throw new TensorError(
      "DTYPE",
      `${name} takes numbers that compute but got ${dtype}: convert them, e.g. with .to("float32").`,
    );
  return floatOf(dtype);
}

/** The shape of a convolution of x by w. Throws TensorError where they do not go together. */
function convolutionShape(x: Shape, w: Shape, attributes: ConvolutionAttributes): ConvolutionShape {
  const { groups, stride, padding, dilation, name } = attributes;
  const [images, channels, ...size] = x as [number, number, ...number[]];
  const [outputs, , ...kernel] = w as [number, number, ...number[]];
  return { images, channels, outputs, groups, ...slidingOver(name, size, kernel, { stride, padding, dilation }) };
}

/** Filters for channels in groups. Throws TensorError where they do not go together. */
function checkFilters(x: DeviceArray, weight: DeviceArray, { name, groups, stride }: ConvolutionAttributes): void {
  const { channels } = imageAxes(name, x, stride.length);
  const [outputs, depth] = weight.shape;
  if (
    weight.shape.length !== stride.length + 2 ||
    weight.size === 0 ||
    depth! * groups !== channels ||
    outputs! % groups !== 0
  )
    throw new TensorError(
      "SHAPE",
      `${name} of ${channels} channels in ${groups} group${groups === 1 ? "" : "s"} takes a weight of shape [outputs, ${channels / groups}, …] with ${stride.length} more ax${stride.length === 1 ? "is" : "es"}${groups === 1 ? "" : `, the outputs a multiple of ${groups}`}, but got ${formatShape(weight.shape)}.`,
    );
}

type Operands = readonly [DeviceArray, DeviceArray];

/** Adds a number to each channel of y. */
function addBias(on: Execution, y: DeviceArray, bias: DeviceArray | null): void {
  if (bias === null) return;
  const rest = y.shape.slice(2);
  using spread = viewOf(bias, {
    shape: [bias.size, ...rest.map(() => 1)],
    strides: [1, ...rest.map(() => 0)],
    offset: bias.offset,
  });
  arithmeticRows.add.run([y], [y, spread], {}, on);
}

/** By matrix products or a library, which may leave the bias to add; whether that served it. */
function served(
  on: Execution,
  result: ConvolutionResult,
  out: DeviceArray,
  operands: Operands,
  bias: DeviceArray | null,
  isLast: boolean,
  shape: ConvolutionShape,
): boolean {
  if (mayTake("convolution", "pointwise") && isPointwise(on, result, isLast, shape)) {
    pointwiseConvolution(on, result, out, operands, isLast, shape);
    addBias(on, out, bias);
    takes(on, "convolution", "pointwise");
    return true;
  }
  if (!mayTake("convolution", "library")) return false;
  if (libraryConvolution(on, result, out, operands, bias, isLast, shape)) return true;
  if (bias === null || !libraryConvolution(on, result, out, operands, null, isLast, shape)) return false;
  addBias(on, out, bias);
  return true;
}

/**
 * Of windows of one element that are apart most of a gradient is 0, which a GPU's library works out in float32: 5.2 ms
 * where PyTorch's choice takes 0.5 (64 × 256 × 56², two apart, on an H200).
 */
const isSoonerScattered = (
  { device }: Execution,
  result: ConvolutionResult,
  dtype: DType,
  { kernel, stride }: ConvolutionShape,
) =>
  onDevice(device, { serial: false, threads: result === "input" && dtype === "float32" }) &&
  float32Precision() === "float32" &&
  sizeOf(kernel) === 1 &&
  sizeOf(stride) > 1;

/** Fills a contiguous `out` by the way that serves it. */
function convolveRows(
  on: Execution,
  result: ConvolutionResult,
  out: DeviceArray,
  operands: Operands,
  bias: DeviceArray | null,
  shape: ConvolutionShape,
): void {
  const { dtype } = out;
  withFlat(on, operands[0], dtype, (a) =>
    withFlat(on, operands[1], dtype, (b) => {
      if (mayTake("convolution", "depthwise") && isDepthwise(shape)) {
        takes(on, "convolution", "depthwise");
        return depthwiseConvolution(on, result, out, [a, b], bias, shape);
      }
      const isSooner = mayTake("convolution", "patches") && isSoonerScattered(on, result, dtype, shape);
      if (!isSooner && served(on, result, out, [a, b], bias, false, shape)) return;
      if (!mayTake("convolution", "patches")) throw refusal("convolution");
      convolutionByPatches(on, result, out, [a, b], shape);
      addBias(on, out, bias);
      takes(on, "convolution", "patches");
    }),
  );
}

/** The same with channels last, where a library takes them; whether one did. */
function convolvedChannelsLast(
  on: Execution,
  result: ConvolutionResult,
  out: DeviceArray,
  operands: Operands,
  bias: DeviceArray | null,
  shape: ConvolutionShape,
): boolean {
  const { dtype } = out;
  const strides = channelsLastStrides(out.shape);
  const isReady = sameShape(out.strides, strides);
  const [first, channels, ...rest] = out.shape;
  using made = isReady ? viewOf(out, out) : DeviceArray.allocate(on.device, dtype, [first!, ...rest, channels!]);
  using target = viewOf(made, { shape: out.shape, strides, offset: made.offset });
  let isDone = false;
  withChannelsLast(on, operands[0], dtype, (a) =>
    withChannelsLast(on, operands[1], dtype, (b) => {
      isDone = served(on, result, target, [a, b], bias, true, shape);
    }),
  );
  if (isDone && !isReady) copy(on, out, target);
  return isDone;
}

// Fewer elements are convolved in the time of three launches.
const fewestLaidAnew = 2 ** 20;
/**
 * Of channels with filters of their own a GPU's library has kernels for channels last that win back what it takes to lay
 * them so: 3 × 3 over 64 × 96 × 56² in bfloat16 take 0.05 ms on an H200, 0.35 in rows, and their copies 0.08.
 */
const isSoonerWithLast = (on: Execution, dtype: DType, shape: ConvolutionShape) =>
  isDepthwise(shape) &&
  shape.kernel.length === 2 &&
  shape.images * shape.channels * sizeOf(shape.size) >= fewestLaidAnew &&
  dtype !== "float64" &&
  mayTake("convolution", "library") &&
  hasDepthwiseLibrary(on);

/** Fills `out` by the way that serves it; its images have their channels last, where `isLast`. */
function convolveInto(
  on: Execution,
  result: ConvolutionResult,
  out: DeviceArray,
  operands: Operands,
  bias: DeviceArray | null,
  shape: ConvolutionShape,
  isLast: boolean,
): void {
  const isWithLast =
    convolvesChannelsLast(on) &&
    (isLast
      ? !(mayTake("convolution", "patches") && isSoonerScattered(on, result, out.dtype, shape))
      : isSoonerWithLast(on, out.dtype, shape));
  const compute = (added: DeviceArray | null) => {
    if (isWithLast && convolvedChannelsLast(on, result, out, operands, added, shape)) return;
    if (out.isContiguous) return convolveRows(on, result, out, operands, added, shape);
    using rows = DeviceArray.allocate(on.device, out.dtype, out.shape);
    convolveRows(on, result, rows, operands, added, shape);
    copy(on, out, rows);
  };
  if (bias === null) compute(null);
  else withFlat(on, bias, out.dtype, compute);
}

/** Whether what a device convolves with may take images as they lie; a processor's sums go along rows. */
const convolvesChannelsLast = ({ device }: Execution) => onDevice(device, { serial: false, threads: true });

const toDType = (gradient: DeviceArray, { dtype }: DeviceArray) =>
  gradient.dtype === dtype ? gradient : call("convert", [gradient], { dtype });

function costOf(shape: ConvolutionShape, inputs: readonly DeviceArray[], outputs: readonly DeviceArray[]): Cost {
  const { images, channels, outputs: filters, groups, count, kernel } = shape;
  const products = images * filters * sizeOf(count) * (channels / groups) * sizeOf(kernel);
  return { bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 2 * products };
}

/** Inputs x, weight, bias?; y[n, o] = Σ x[n, c] ∗ w[o, c] + bias[o], over the channels c of the group of o. */
const convolution: Computation<
  [x: DeviceArray, weight: DeviceArray, ...bias: DeviceArray[]],
  ConvolutionAttributes & { readonly hasBias: boolean }
> = {
  inPlace: false,
  infer([x, weight, bias], attributes) {
    const { name, hasBias } = attributes;
    checkFilters(x, weight, attributes);
    const { images, outputs, count } = convolutionShape(x.shape, weight.shape, attributes);
    if (hasBias && !sameShape(bias!.shape, [outputs]))
      throw new TensorError(
        "SHAPE",
        `${name} with ${outputs} outputs takes a bias of shape [${outputs}] but got ${formatShape(bias!.shape)}.`,
      );
    const shape = [images, outputs, ...count];
    return [{ shape, dtype: dtypeOf(name, [x, weight, ...(hasBias ? [bias!] : [])]), ...formatOf(x, shape) }];
  },
  run([y], [x, weight, bias], attributes, on) {
    const shape = convolutionShape(x.shape, weight.shape, attributes);
    convolveInto(on, "output", y!, [x, weight], attributes.hasBias ? bias! : null, shape, isChannelsLast(x));
  },
  gradient([g], { inputs, attributes: { hasBias, ...attributes }, wanted }): (DeviceArray | null)[] {
    const [x, weight] = inputs;
    const axes = [0, ...attributes.stride.map((_, axis) => axis + 2)];
    const dx = () => call("convolutionInput", [g!, weight], { ...attributes, size: x.shape.slice(2) });
    const dw = () => call("convolutionWeight", [g!, x], { ...attributes, ...filtersAs(weight) });
    const db = () => call("sum", [g!], { axes, keepdims: false });
    return [dx, dw, ...(hasBias ? [db] : [])].map((each, at) => (wanted[at] ? toDType(each(), inputs[at]!) : null));
  },
  cost: (inputs, outputs, attributes) =>
    costOf(convolutionShape(inputs[0].shape, inputs[1].shape, attributes), inputs, outputs),
};

/** Inputs y (or a gradient of it) and weight; x of `size` as the gradient of the convolution has it. */
const convolutionInput: Computation<
  [g: DeviceArray, weight: DeviceArray],
  ConvolutionAttributes & { readonly size: Shape }
> = {
  inPlace: false,
  infer([g, weight], attributes) {
    const { name } = attributes;
    const shape = inputShape(g, weight, attributes);
    return [{ shape, dtype: dtypeOf(name, [g, weight]), ...formatOf(g, shape) }];
  },
  run([x], [g, weight], attributes, on) {
    const shape = convolutionShape(x!.shape, weight.shape, attributes);
    if (g.size === 0) return fill(on, x!, 0);
    convolveInto(on, "input", x!, [g, weight], null, shape, isChannelsLast(g));
  },
  gradient([h], { inputs: [g, weight], attributes: { size: _, ...attributes }, wanted }): (DeviceArray | null)[] {
    return [
      wanted[0] ? toDType(call("convolution", [h!, weight], { ...attributes, hasBias: false }), g) : null,
      wanted[1] ? toDType(call("convolutionWeight", [g, h!], { ...attributes, ...filtersAs(weight) }), weight) : null,
    ];
  },
  cost: (inputs, outputs, attributes) =>
    costOf(convolutionShape(outputs[0]!.shape, inputs[1].shape, attributes), inputs, outputs),
};

function inputShape(
  g: DeviceArray,
  weight: DeviceArray,
  attributes: ConvolutionAttributes & { readonly size: Shape },
): number[] {
  return [g.shape[0]!, weight.shape[1]! * attributes.groups, ...attributes.size];
}

/** The filters that a gradient is of: the size of their windows, and whether their channels are last. */
export interface Filters {
  readonly kernel: Shape;
  readonly isLast: boolean;
}
const filtersAs = (weight: DeviceArray): Filters => ({
  kernel: weight.shape.slice(2),
  isLast: isChannelsLast(weight),
});

/** Inputs y's gradient and x; the gradient of the weight. */
const convolutionWeight: Computation<[g: DeviceArray, x: DeviceArray], ConvolutionAttributes & Filters> = {
  inPlace: false,
  infer([g, x], { name, groups, kernel, isLast }) {
    const shape = [g.shape[1]!, x.shape[1]! / groups, ...kernel];
    return [{ shape, dtype: dtypeOf(name, [g, x]), ...(isLast ? { strides: channelsLastStrides(shape) } : {}) }];
  },
  run([weight], [g, x], attributes, on) {
    if (g.size === 0) return fill(on, weight!, 0);
    const shape = convolutionShape(x.shape, weight!.shape, attributes);
    convolveInto(on, "weight", weight!, [g, x], null, shape, isChannelsLast(x));
  },
  gradient(
    [h],
    { inputs: [g, x], attributes: { kernel: _, isLast: __, ...attributes }, wanted },
  ): (DeviceArray | null)[] {
    return [
      wanted[0] ? toDType(call("convolution", [x, h!], { ...attributes, hasBias: false }), g) : null,
      wanted[1] ? toDType(call("convolutionInput", [g, h!], { ...attributes, size: x.shape.slice(2) }), x) : null,
    ];
  },
  cost: (inputs, outputs, attributes) =>
    costOf(convolutionShape(inputs[1].shape, outputs[0]!.shape, attributes), inputs, outputs),
};

export const convolutionRows = { convolution, convolutionInput, convolutionWeight } as const;
