// Fourier transforms by a device's library: the terms of the call "fft", and its plan run.
import type { Execution } from "../../device/execution.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { LibraryPlan } from "../../device/library-plan.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { takes } from "../core/dispatch.ts";
import type { PartDType } from "./chain.ts";

/** Axes that a library transforms at a time. */
export const mostLibraryAxes = 3;

/** `batches` transforms of `sizes`, as host/fft_terms.h has them. */
export interface LibraryTransforms {
  readonly kind: "c2c" | "r2c" | "c2r";
  readonly isInverse: boolean;
  /** Of the real numbers, where there are any. */
  readonly sizes: readonly number[];
  readonly batches: number;
  /** Elements between neighbours along the one axis; 1 where there are several. */
  readonly stride: number;
}

const textOf = (dtype: PartDType, { kind, isInverse, sizes, batches, stride }: LibraryTransforms) =>
  `fft kind=${kind} inverse=${Number(isInverse)} type=${dtype} sizes=${sizes.join("x")} batches=${batches}` +
  (stride === 1 ? "" : ` stride=${stride}`);

const sample = { kind: "c2c", isInverse: false, sizes: [8], batches: 1, stride: 1 } as const;
/** Whether a device has a library of transforms. */
export const hasLibraryFft = (device: DeviceProcess): boolean =>
  LibraryPlan.find(device, textOf("float32", sample)) !== null;

/** The plan that fills `out` from `x`, both without gaps; `null` where no library of the device serves it. */
export function fftPlan(
  on: Execution,
  dtype: PartDType,
  places: readonly DeviceArray[],
  terms: LibraryTransforms,
): LibraryPlan | null {
  // A complex number is read whole.
  const bytes = dtype === "float64" ? 16 : 8;
  return places.some(({ place }) => place % bytes !== 0) ? null : LibraryPlan.find(on.device, textOf(dtype, terms));
}

/** Runs a plan; results have no factor. */
export function runFft(on: Execution, plan: LibraryPlan, out: DeviceArray, x: DeviceArray): void {
  takes(on, "fft", "library", plan.chosen);
  const storage = out.living();
  const sequence = plan.run(on, [out.place, x.place], []);
  if (sequence > 0) storage.written(sequence, out.bytes);
}
