// A reduction as what kernels are given: the array as [outer, length, inner] with steps, where its strides are those of
// one.
import type { DeviceArray } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { merged } from "../../memory/shape.ts";
import { onDevice } from "../kernels/blocks.ts";
import type { DeviceProcess } from "../../device/process.ts";

/**
 * An array of which `length` is reduced, with the elements between its neighbours along each axis. Those along `inner`
 * lie beside each other.
 */
export interface Reduced {
  readonly outer: number;
  readonly length: number;
  readonly inner: number;
  readonly outerStep: number;
  readonly step: number;
}

/** Whether there are no gaps. */
export const isDense = ({ outer, length, inner, outerStep, step }: Reduced): boolean =>
  step === inner && (outer === 1 || outerStep === length * inner);

/** Whether the elements of a result lie along a row; else rows lie one after the other, and results are columns. */
export const isRows = ({ inner }: Reduced): boolean => inner === 1;

/** Bytes of a sector of a GPU: where elements are further apart, each would bring one of its own. */
const sectorBytes = 32;

/** The axes, joined where they step evenly. */
function joined({ shape, strides, offset }: DeviceArray, axes: readonly number[]) {
  const view = { shape: axes.map((axis) => shape[axis]!), strides: axes.map((axis) => strides[axis]!), offset };
  const found = merged([view]);
  return { sizes: found.shape, steps: found.strides[0]! };
}

/** How `axes` (sorted) of the input are reduced where it lies; `null` where kernels would need a copy. */
export function arranged(device: DeviceProcess, input: DeviceArray, axes: readonly number[]): Reduced | null {
  // A processor makes vectors of what lies beside each other.
  const isSerial = onDevice(device, { serial: true, threads: false });
  const kept = joined(
    input,
    input.shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis)),
  );
  const along = joined(input, axes);
  if (along.sizes.length > 1 || kept.sizes.length > 2) return null;
  const [length, step] = [along.sizes[0] ?? 1, along.steps[0] ?? 1];
  const beside = kept.steps.at(-1);
  // One element each: on a GPU a thread has several of them.
  if (beside === 1 && !(isSerial && length === 1)) {
    const [outer, outerStep] = kept.sizes.length === 2 ? [kept.sizes[0]!, kept.steps[0]!] : [1, 0];
    return { outer, length, inner: kept.sizes.at(-1)!, outerStep, step };
  }
  if (kept.sizes.length === 2) return null;
  // Elements of one row alone have no others beside them, wherever they lie.
  const isNear = beside === undefined || beside === 0 || Math.abs(step) * factsOf(input.dtype).bytes <= sectorBytes;
  if (step !== 1 && (isSerial || !isNear)) return null;
  return { outer: kept.sizes[0] ?? 1, length, inner: 1, outerStep: beside ?? 0, step };
}
