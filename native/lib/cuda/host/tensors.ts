// How host functions get tensors: what makes them is above this room, and registers itself here.
import type { DeviceProcess } from "../../device/process.ts";
import type { DeviceArray } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";

export interface TensorMaker {
  /** A new tensor; `fill`: `null` for undefined contents. Throws TensorError, OutOfMemory. */
  make(device: DeviceProcess, dtype: DType, shape: readonly number[], fill: number | null): DeviceArray;
  /** A contiguous copy, with no history. */
  contiguous(array: DeviceArray): DeviceArray;
}

export const tensors: { maker: TensorMaker | null } = { maker: null };
