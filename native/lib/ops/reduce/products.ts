// Products of all but one: slopes of prod and cumprod made of operations that have gradients, so that they can be
// differentiated to any order, also where factors are 0.
import type { DeviceArray } from "../../memory/array.ts";
import { sizeOf, type AxisSlice } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { add, mul } from "../core/terms.ts";

const along = (axis: number, slice: AxisSlice) => ({ slices: [...Array<null>(axis).fill(null), slice] });
const part = (x: DeviceArray, axis: number, from: number, to: number) => call("slice", [x], along(axis, [from, to]));
const turned = (x: DeviceArray, axis: number) => call("slice", [x], along(axis, [null, null, -1]));

/** The product of the elements before each one along an axis: 1, x₀, x₀x₁, … */
function productsBefore(x: DeviceArray, axis: number): DeviceArray {
  const one = call("fullLike", [part(x, axis, 0, 1)], { value: 1 });
  return call("cumprod", [call("cat", [one, part(x, axis, 0, x.shape[axis]! - 1)], { axis })], { axis });
}

/** The product over the axes of all elements but each one. */
export function productsOfOthers(x: DeviceArray, axes: readonly number[]): DeviceArray {
  const { shape } = x;
  const order = [...[...shape.keys()].filter((axis) => !axes.includes(axis)), ...axes];
  const last = shape.length - axes.length;
  const moved = call("permute", [x], { axes: order });
  const rows = call("reshapeTo", [moved], {
    shape: [...moved.shape.slice(0, last), sizeOf(moved.shape.slice(last))],
  });
  const before = productsBefore(rows, last);
  const after = turned(productsBefore(turned(rows, last), last), last);
  const found = call("reshapeTo", [mul(before, after)], { shape: moved.shape });
  return call("permute", [found], { axes: order.map((_, axis) => order.indexOf(axis)) });
}

/** What comes `by` places later along an axis, and 0 behind the end. */
function ahead(x: DeviceArray, axis: number, by: number): DeviceArray {
  const widths = (width: number) => x.shape.map((_, each) => (each === axis ? width : 0));
  return call("padConstant", [part(x, axis, by, x.shape[axis]!)], {
    before: widths(0),
    after: widths(by),
    value: 0,
  });
}

/**
 * The gradient of a cumulative product: for each element the product of those before it, times
 * r[i] = g[i] + x[i + 1] · r[i + 1], which is joined from stretches of 1, 2, 4, … elements.
 */
export function productGradient(g: DeviceArray, x: DeviceArray, axis: number): DeviceArray {
  const length = x.shape[axis]!;
  let sums = g;
  let factors = ahead(x, axis, 1);
  for (let by = 1; by < length; by *= 2) {
    sums = add(sums, mul(factors, ahead(sums, axis, by)));
    factors = mul(factors, ahead(factors, axis, by));
  }
  return mul(productsBefore(x, axis), sums);
}
