// In which order of axes the elements of a result lie: elementwise operations keep that of their operands, so that
// neighbours in memory stay neighbours (as NumPy's and PyTorch's do).
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { stretch, transposed, type Shape, type View } from "../../memory/shape.ts";
import { sameShape } from "../kernels/map.ts";
import type { Computation, Operand } from "./operation.ts";

/** Axes of more than one element, the sparsest first; `null` where elements come several times, which have no order. */
function axesBySparsity({ shape, strides }: View): number[] | null {
  const axes: number[] = [];
  for (const [axis, size] of shape.entries()) {
    if (size === 1) continue;
    if (strides[axis] === 0) return null;
    axes.push(axis);
  }
  return axes.sort((a, b) => Math.abs(strides[b]!) - Math.abs(strides[a]!));
}

/**
 * The axes of an operation's result of `shape`, the sparsest first, as all operands of that shape have them; `null` where
 * that is row-major, or they differ.
 */
export function orderOf(
  { element, isRowMajor }: Computation,
  shape: Shape,
  operands: readonly Operand[],
): readonly number[] | null {
  if (element === undefined || isRowMajor === true) return null;
  let order: readonly number[] | null = null;
  for (const operand of operands) {
    if (!(operand instanceof DeviceArray) || !sameShape(operand.shape, shape)) continue;
    if (operand.isContiguous) return null;
    const own = axesBySparsity(operand);
    if (own === null) continue;
    if (order === null) order = own;
    else if (!sameShape(order, own)) return null;
  }
  if (order === null || order.every((axis, at) => at === 0 || order[at - 1]! < axis)) return null;
  // Axes of one element lie anywhere.
  return [...shape.keys()].filter((axis) => shape[axis] === 1).concat(order);
}

/** Views of operands that broadcast to `shape`, with its axes in another order. */
export function turned(operands: readonly Operand[], shape: Shape, axes: readonly number[]): Operand[] {
  return operands.map((operand) =>
    operand instanceof DeviceArray ? viewOf(operand, transposed(stretch(operand, shape), axes)) : operand,
  );
}

/** The order of axes that undoes another. */
export function inverse(axes: readonly number[]): number[] {
  const back = new Array<number>(axes.length);
  axes.forEach((axis, at) => (back[axis] = at));
  return back;
}
