// The most frequent element along an axis.
import type { DType } from "../memory/dtype.ts";
import { axis, define, install, type FunctionOf } from "./arguments.ts";
import { arange, ones } from "./create.ts";
import { cat } from "./joining.ts";
import { rowsOf } from "./quantiles.ts";
import { selected, type AxisOptions, type Selected } from "./scans.ts";
import { checkedCount } from "./sorting.ts";
import { Tensor } from "./tensor.ts";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The most frequent element along an axis, of several the smallest, and where the last of it is; of all elements,
     * row by row, when the axis is left out. A NaN equals no other.
     * @example
     * tensor([3, 1, 3, 1, 2]).mode();
     * // → { values: tensor(1, shape [], float32, cpu), indices: tensor(3, shape [], int64, cpu) }
     */
    mode(axis?: number | AxisOptions): Selected<D>;
  }
}

/** {@link Tensor.mode} as a function. */
export const mode: FunctionOf<"mode"> = define("mode", { options: { axis }, bare: ["axis"] }, (given, { axis }) => {
  const { rows: x, along } = rowsOf(given, axis);
  const length = x.shape[along]!;
  checkedCount("mode of an empty axis", Math.min(1, length), x, along, 1);
  const { values, indices } = selected("sort", x, { axis: along, descending: false });
  const part = (from: number, to: number) =>
    values.slice(...values.shape.map((_, at) => (at === along ? ([from, to] as const) : null)));
  // How far each element of a row in order lies behind the first of its equals: the furthest ends the longest run.
  const { device } = x;
  const first = ones(values.shape.with(along, 1), { dtype: "bool", device });
  const isFirst = cat([first, part(1, length).ne(part(0, length - 1))], { axis: along });
  const place = arange(length, { dtype: "int64", device }).reshape(
    values.shape.map((_, at) => (at === along ? -1 : 1)),
  );
  const start = place.expand(values.shape).where(isFirst, 0).cummax(along).values;
  const at = place.sub(start).argmax(along, true);
  const found = (each: Tensor) => each.takeAlongAxis(at, along).squeeze(along);
  return { values: found(values), indices: found(indices) };
});

install(Tensor.prototype, { mode });
