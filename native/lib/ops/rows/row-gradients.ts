// Gradients of normalisation and cross entropy that can be differentiated in turn: they are made of operations that
// have gradients. Others are computed in one launch (norms.ts, cross-entropy.ts).
import type { DeviceArray } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { call } from "../core/calls.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { add, mul, of, sub } from "../core/terms.ts";
import type { CrossEntropyAttributes } from "./cross-entropy.ts";

const as = (x: DeviceArray, dtype: DType) => (x.dtype === dtype ? x : call("convert", [x], { dtype }));

/** What the gradient of a normalisation over the last `axes` is made of; without a weight that is 1. */
interface Normalized {
  readonly axes: number;
  readonly eps: number;
  readonly isCentered: boolean;
}

/**
 * With n = (x − mean)/σ and u = g · weight: of x (u − mean u − n · mean(u · n))/σ, of the weight Σ g · n, of the bias Σ
 * g. Where it is not centred, no mean is taken off x or u.
 */
export function normGradients(
  g: DeviceArray,
  x: DeviceArray,
  weight: DeviceArray | null,
  { axes: count, eps, isCentered }: Normalized,
): { input: DeviceArray; weight: DeviceArray; bias: DeviceArray } {
  const wide = accumulatorOf(x.dtype);
  const [above, input] = [as(g, wide), as(x, wide)];
  const rank = x.shape.length;
  const axes = Array.from({ length: count }, (_, at) => rank - count + at);
  const mean = (each: DeviceArray) => call("mean", [each], { axes, keepdims: true });
  const centered = (each: DeviceArray) => (isCentered ? sub(each, mean(each)) : each);
  const from = centered(input);
  const rate = of("rsqrt", add(mean(of("square", from)), eps));
  const normalized = mul(from, rate);
  const weighed = weight === null ? above : mul(above, as(weight, wide));
  const slope = mul(rate, sub(centered(weighed), mul(normalized, mean(mul(weighed, normalized)))));
  const summed = (each: DeviceArray) => as(call("sumTo", [each], { shape: x.shape.slice(rank - count) }), x.dtype);
  return { input: as(slope, x.dtype), weight: summed(mul(above, normalized)), bias: summed(above) };
}

/**
 * Of h with respect to the gradients `g` of the losses and the logits: crossEntropyGradient is g · (softmax(x) −
 * target) in rows whose class counts.
 */
export function crossEntropySlopes(
  h: DeviceArray,
  [g, x, targets, logs]: readonly [DeviceArray, DeviceArray, DeviceArray, DeviceArray],
  attributes: CrossEntropyAttributes,
): [DeviceArray, DeviceArray] {
  const perRow = call("crossEntropyGradient", [call("fullLike", [g], { value: 1 }), x, targets, logs], attributes);
  const counts = call("ne", [targets, attributes.ignoreIndex]);
  const share = call("reshapeTo", [call("where", [counts, g, 0])], { shape: [g.size, 1] });
  const ofRows = call("sum", [mul(as(h, g.dtype), as(perRow, g.dtype))], { axes: [1], keepdims: false });
  const ofLogits = call("softmaxGradient", [as(mul(h, share), h.dtype), call("softmax", [as(x, h.dtype)])]);
  return [as(ofRows, g.dtype), as(ofLogits, x.dtype)];
}
