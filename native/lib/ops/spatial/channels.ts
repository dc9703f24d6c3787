// Batch normalisation of [images, channels, …] as rows of the table: by what is known of a channel over all images, or
// by numbers that are given.
import type { DeviceArray } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { formatShape } from "../../memory/shape.ts";
import { call, callAll } from "../core/calls.ts";
import type { Computation, Facts } from "../core/operation.ts";
import { add, mul, of, sub } from "../core/terms.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { sameShape } from "../kernels/map.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { floatDType } from "../rows/row-lines.ts";
import { gradientByBatch, normalizeBy, normalizeByBatch, type Parameter } from "./channel-kernels.ts";
import { formatOf } from "./channels-last.ts";

/** `name`: what messages call it. */
export interface ChannelAttributes {
  readonly name: string;
  readonly eps: number;
  readonly hasWeight: boolean;
  readonly hasBias: boolean;
}

function split(
  given: readonly DeviceArray[],
  { hasWeight, hasBias }: ChannelAttributes,
): { weight: Parameter; bias: Parameter } {
  return { weight: hasWeight ? given[0]! : null, bias: hasBias ? given[hasWeight ? 1 : 0]! : null };
}
/** Throws TensorError where what is of channels is not of those of x. */
function checkChannels(x: DeviceArray, given: Readonly<Record<string, Parameter>>, { name }: ChannelAttributes): void {
  if (x.shape.length < 2)
    throw new TensorError(
      "SHAPE",
      `${name} takes tensors of shape [images, channels, …] but got ${formatShape(x.shape)}.`,
    );
  const [, channels] = x.shape;
  for (const [what, parameter] of Object.entries(given))
    if (parameter !== null && !sameShape(parameter.shape, [channels!]))
      throw new TensorError(
        "SHAPE",
        `${name} of ${channels} channels takes a ${what} of shape [${channels}] but got ${formatShape(parameter.shape)}.`,
      );
}

/** Inputs x, weight?, bias?; outputs y, and mean and variance (of all there is) of each channel. */
const batchNorm: Computation<[x: DeviceArray, ...parameters: DeviceArray[]], ChannelAttributes> = {
  inPlace: false,
  infer(inputs, attributes) {
    const { name } = attributes;
    const x = inputs[0];
    checkChannels(x, split(inputs.slice(1), attributes), attributes);
    const channels = x.shape[1]!;
    if (x.size <= channels || x.size === 0)
      throw new TensorError(
        "SHAPE",
        `${name} in training takes at least 2 elements of each channel but got shape ${formatShape(x.shape)}. Pass { training: false } to normalise by the running statistics.`,
      );
    const dtype = floatDType(name, x);
    const statistics: Facts = { shape: [channels], dtype: accumulatorOf(dtype) };
    return [{ shape: x.shape, dtype, ...formatOf(x, x.shape) }, statistics, statistics];
  },
  run([y, means, variances], inputs, attributes, on) {
    normalizeByBatch(on, y!, inputs[0], [means!, variances!], split(inputs.slice(1), attributes), attributes.eps);
  },
  gradient([g, ...others], { inputs, outputs: [, means, variances], attributes, wanted, isDifferentiated }) {
    if (others.some((each) => each !== null))
      throw new TensorError(
        "OPERANDS",
        `The statistics of ${attributes.name} have no gradient: compute them from its input, with mean() and variance().`,
      );
    const x = inputs[0];
    const { weight, bias } = split(inputs.slice(1), attributes);
    const found = isDifferentiated
      ? slopes(g!, x, weight, attributes.eps)
      : batchNormSlopes(g!, x, [means!, variances!], weight, attributes, wanted.slice(1).some(Boolean));
    return [
      found[0],
      ...(weight === null ? [] : [toDType(found[1], weight)]),
      ...(bias === null ? [] : [toDType(found[2], bias)]),
    ];
  },
  cost: (inputs, outputs) => ({ bytes: 2 * bytesMoved(inputs) + bytesMoved(outputs), flops: 8 * inputs[0].size }),
};

type Found = readonly [x: DeviceArray, weight: DeviceArray | null, bias: DeviceArray | null];
const toDType = (found: DeviceArray | null, { dtype }: DeviceArray) =>
  found === null || found.dtype === dtype ? found : call("convert", [found], { dtype });

function batchNormSlopes(
  g: DeviceArray,
  x: DeviceArray,
  statistics: readonly [DeviceArray, DeviceArray],
  weight: Parameter,
  attributes: ChannelAttributes,
  hasSums: boolean,
): Found {
  const operands = [g, x, ...statistics, ...(weight === null ? [] : [weight])] as const;
  const [dx, dw, db] = callAll("batchNormGradient", operands, { ...attributes, hasSums });
  return [dx!, dw ?? null, db ?? null];
}

/** Made of operations that have gradients; see normGradients. */
function slopes(g: DeviceArray, x: DeviceArray, weight: Parameter, eps: number): Found {
  const wide = accumulatorOf(x.dtype);
  const as = (each: DeviceArray, dtype: DType) => (each.dtype === dtype ? each : call("convert", [each], { dtype }));
  const axes = [...x.shape.keys()].filter((axis) => axis !== 1);
  const mean = (each: DeviceArray) => call("mean", [each], { axes, keepdims: true });
  const [above, input] = [as(g, wide), as(x, wide)];
  const from = sub(input, mean(input));
  const rate = of("rsqrt", add(mean(of("square", from)), eps));
  const normalized = mul(from, rate);
  const weighed = weight === null ? above : mul(above, overChannels(as(weight, wide), x));
  const slope = mul(rate, sub(sub(weighed, mean(weighed)), mul(normalized, mean(mul(weighed, normalized)))));
  const summed = (each: DeviceArray) => as(call("sum", [each], { axes, keepdims: false }), x.dtype);
  return [as(slope, x.dtype), summed(mul(above, normalized)), summed(above)];
}

/** One number for each channel as what broadcasts to x. */
const overChannels = (each: DeviceArray, x: DeviceArray) =>
  call("reshapeTo", [each], { shape: x.shape.slice(1).map((size, axis) => (axis === 0 ? size : 1)) });

/** Inputs g, x, means, variances, weight?; outputs the gradients of x and, with `hasSums`, of weight and bias. */
const batchNormGradient: Computation<
  [g: DeviceArray, x: DeviceArray, means: DeviceArray, variances: DeviceArray, ...weight: DeviceArray[]],
  ChannelAttributes & { readonly hasSums: boolean }
> = {
  inPlace: false,
  infer([, x], { name, hasSums }) {
    const dtype = floatDType(name, x);
    const facts: Facts = { shape: x.shape, dtype, ...formatOf(x, x.shape) };
    const sums: Facts = { shape: [x.shape[1]!], dtype };
    return hasSums ? [facts, sums, sums] : [facts];
  },
  run([out, dw, db], [g, x, means, variances, weight], { eps, hasWeight }, on) {
    const gradients = { weight: dw ?? null, bias: db ?? null };
    gradientByBatch(on, [out!, gradients], [g, x], [means, variances], hasWeight ? weight! : null, eps);
  },
  gradient: null,
  cost: (inputs, outputs) => ({ bytes: 2 * bytesMoved(inputs) + bytesMoved(outputs), flops: 14 * inputs[1].size }),
};

/** Inputs x, means, variances, weight?, bias?; y = (x − mean)/√(variance + eps) · weight + bias. */
const normalizeChannels: Computation<
  [x: DeviceArray, means: DeviceArray, variances: DeviceArray, ...parameters: DeviceArray[]],
  ChannelAttributes
> = {
  inPlace: false,
  infer(inputs, attributes) {
    const [x, mean, variance, ...parameters] = inputs;
    checkChannels(
      x,
      { "running mean": mean, "running variance": variance, ...split(parameters, attributes) },
      attributes,
    );
    return [{ shape: x.shape, dtype: floatDType(attributes.name, x), ...formatOf(x, x.shape) }];
  },
  run([y], inputs, attributes, on) {
    const [x, means, variances, ...parameters] = inputs;
    normalizeBy(on, y!, x, [means, variances], split(parameters, attributes), attributes.eps);
  },
  gradient([g], { inputs, attributes, wanted }): (DeviceArray | null)[] {
    const [x, means, variances, ...parameters] = inputs;
    const { weight, bias } = split(parameters, attributes);
    const { eps } = attributes;
    const axes = [...x.shape.keys()].filter((axis) => axis !== 1);
    const rate = of("rsqrt", add(variances, eps));
    const summed = (each: DeviceArray) => call("sum", [each], { axes, keepdims: false });
    const factor = weight === null ? rate : mul(rate, weight);
    const slope = () => mul(g!, overChannels(factor, x));
    const off = () => sub(x, overChannels(means, x));
    const sum = summed(g!);
    const product = wanted[2] || wanted[3] ? summed(mul(g!, off())) : null;
    const found = [
      () => slope(),
      () => mul(mul(sum, factor), -1),
      () => mul(mul(mul(product!, factor), mul(rate, rate)), -0.5),
      ...(weight === null ? [] : [() => mul(product!, rate)]),
      ...(bias === null ? [] : [() => sum]),
    ];
    return found.map((each, at) => (wanted[at] ? toDType(each(), inputs[at]!) : null));
  },
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 4 * inputs[0].size }),
};

export const channelRows = { batchNorm, batchNormGradient, normalizeChannels } as const;
