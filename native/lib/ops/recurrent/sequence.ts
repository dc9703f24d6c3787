// A sequence [steps, batch, columns] as recurrent layers take it: step by step from either end, each with the state
// before it.
import type { Execution } from "../../device/execution.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { viewOf, type DeviceArray } from "../../memory/array.ts";
import { TensorError } from "../../errors.ts";
import { promoted } from "../../memory/promotion.ts";
import type { DType } from "../../memory/dtype.ts";
import { formatShape, sizeOf, transposed } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import type { Operand } from "../core/operation.ts";
import { onDevice, type Blocks } from "../kernels/blocks.ts";
import { sameShape } from "../kernels/map.ts";
import { matmulInto } from "../linear/matrix-product.ts";
import { floatDType, powerOfTwo } from "../rows/row-lines.ts";
import { cut } from "../shape/joining.ts";

/** `reverse`: from the last step to the first. */
export interface SequenceAttributes {
  readonly reverse: boolean;
}

/** The sizes of what a layer is given, [steps, batch, gates · width]. */
export interface Sizes {
  readonly steps: number;
  readonly batch: number;
  readonly width: number;
  readonly dtype: DType;
}

/**
 * Sizes of a layer with so many gates: given [steps, batch, gates · width], states [batch, width], weight [gates ·
 * width, width]. Throws TensorError.
 */
export function sizesOf(
  name: string,
  gates: number,
  given: DeviceArray,
  states: readonly DeviceArray[],
  weight: DeviceArray,
): Sizes {
  const [steps, batch, columns] = given.shape as readonly [number, number, number];
  const width = weight.shape[1]!;
  if (
    given.shape.length !== 3 ||
    columns !== gates * width ||
    !sameShape(weight.shape, [columns, width]) ||
    states.some(({ shape }) => !sameShape(shape, [batch, width]))
  )
    throw new TensorError(
      "SHAPE",
      `${name} takes gates of shape [steps, batch, ${gates} · width], states [batch, width] and a weight [${gates} · width, width] but got ${[given, ...states, weight].map(({ shape }) => formatShape(shape)).join(", ")}.`,
    );
  const dtype = [given, ...states, weight].map((each) => floatDType(name, each)).reduce(promoted);
  return { steps, batch, width, dtype };
}

/** The matrix of one step. */
export function stepOf(sequence: DeviceArray, step: number): DeviceArray {
  const [, batch, columns] = sequence.shape as [number, number, number];
  return viewOf(sequence, {
    shape: [batch, columns],
    strides: [columns, 1],
    offset: sequence.offset + step * batch * columns,
  });
}

/** The steps in the order of computation, each with the one before it, or −1. */
export function* inOrder(steps: number, { reverse }: SequenceAttributes): Generator<readonly [number, number]> {
  for (let at = 0; at < steps; at++) {
    const before = at === 0 ? -1 : reverse ? steps - at : at - 1;
    yield [reverse ? steps - 1 - at : at, before];
  }
}

/** out = state · weightᵀ. */
export function recur(on: Execution, out: DeviceArray, state: DeviceArray, weight: DeviceArray): void {
  using turned = viewOf(weight, transposed(weight, [1, 0]));
  matmulInto(on, out, state, turned);
}

/** A block for each row of a batch. */
export const rowBlocks = (device: DeviceProcess, { batch, width }: Sizes): Blocks => ({
  grid: Math.min(batch, 65535),
  block: onDevice(device, { serial: 1, threads: Math.min(256, Math.max(32, powerOfTwo(width))) }),
});

/** The gradient of the weight that states were multiplied by, of those of the products of all steps. */
export function weightGradient(
  slopes: DeviceArray,
  first: DeviceArray,
  states: DeviceArray,
  { reverse }: SequenceAttributes,
): DeviceArray {
  const steps = states.shape[0]!;
  const rest = call("slice", [states], { slices: cut(0, reverse ? 1 : 0, reverse ? steps : steps - 1) });
  const start = call("slice", [first], { slices: [], added: [0] });
  const before = call("cat", reverse ? [rest, start] : [start, rest], { axis: 0 });
  const matrix = (x: DeviceArray) => {
    const columns = x.shape.at(-1)!;
    return call("reshape", [x], { shape: [sizeOf(x.shape) / columns, columns], strides: [columns, 1] });
  };
  return call("linearWeightGradient", [matrix(slopes), matrix(before)], { hasBias: false });
}

/** A gradient in the dtype of what it is the gradient of. */
export const asOperand = (gradient: DeviceArray, operand: Operand): DeviceArray =>
  gradient.dtype === (operand as DeviceArray).dtype
    ? gradient
    : call("convert", [gradient], { dtype: (operand as DeviceArray).dtype });
