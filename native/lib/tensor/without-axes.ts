// Axis 0 of a tensor without axes, as PyTorch has it: what works along an axis takes the one element as a row of one.
import { DeviceArray } from "../memory/array.ts";
import type { Tensor } from "./tensor.ts";

/**
 * The shape that a function along an axis gives for a tensor without axes: that of the tensor, that of the indices, or
 * as it comes.
 */
export type ShapeWithoutAxes = "own" | "indices" | "any";

const isTensor = (value: unknown): value is Tensor => value instanceof DeviceArray;

const asRow = (value: unknown): unknown => {
  if (isTensor(value)) return value.shape.length === 0 ? value.reshape([1]) : value;
  return typeof value === "number" ? [value] : value;
};
const isRow = (index: unknown): boolean => (isTensor(index) ? index.shape.length > 0 : typeof index !== "number");

/**
 * Runs a function along an axis on a tensor without axes, where `index` and `source` may have none either. What changes
 * its tensor in place returns that very one.
 */
export function onRow<G extends object>(
  shape: ShapeWithoutAxes,
  x: Tensor,
  given: G,
  body: (x: Tensor, given: G) => unknown,
): unknown {
  const row = x.reshape([1]);
  const rows = { ...given } as Record<string, unknown>;
  if (Object.hasOwn(rows, "index")) rows["index"] = asRow(rows["index"]);
  if (isTensor(rows["source"])) rows["source"] = asRow(rows["source"]);
  const result = body(row, rows as G) as Tensor;
  if (result === row) return x;
  const isOther = shape === "any" || (shape === "indices" && isRow((given as { index?: unknown }).index));
  return isOther ? result : result.reshape([]);
}
