// What a device can do at best, measured: bytes copied and arithmetic of a matrix product in a second, once per
// process.
import { tidy } from "../autograd/tidy.ts";
import type { DeviceProcess } from "../device/process.ts";
import type { DType } from "../memory/dtype.ts";
import { summarize } from "../cuda/timing.ts";
import { Tensor } from "../tensor/tensor.ts";
import { timeBatches } from "./stopwatch.ts";

/**
 * Beyond every cache, or as much as a device without memory of its own moves in a moment; rows of a matrix that keep
 * all of it busy.
 */
const sizes = (device: DeviceProcess) =>
  device.properties.unifiedMemory ? { copied: 64 * 2 ** 20, rows: 512 } : { copied: 2 ** 30, rows: 4096 };

const known = new WeakMap<DeviceProcess, Map<string, number>>();

function once(device: DeviceProcess, key: string, measure: () => number): number {
  let rates = known.get(device);
  if (rates === undefined) known.set(device, (rates = new Map()));
  let rate = rates.get(key);
  if (rate === undefined) rates.set(key, (rate = measure()));
  return rate;
}

const best = (run: () => void): number =>
  summarize(
    timeBatches(
      () => {
        tidy(run);
      },
      () => {
        tidy(() => {});
      },
      5,
      3,
    ).samples,
  ).min / 1000;

/** Bytes a second that a copy reads and writes. */
export function copyRate(device: DeviceProcess): number {
  return once(device, "copy", () => {
    const count = Math.min(sizes(device).copied, device.properties.memoryTotal / 16) / 4;
    using from = Tensor.empty(device, "float32", [Math.floor(count)]);
    using to = Tensor.empty(device, "float32", from.shape);
    from.fill_(1);
    return (
      (2 * from.bytes) /
      best(() => {
        to.copy_(from);
      })
    );
  });
}

/** Operations a second of a matrix product in that dtype. */
export function productRate(device: DeviceProcess, dtype: DType): number {
  return once(device, dtype, () => {
    const { rows } = sizes(device);
    using a = Tensor.empty(device, dtype, [rows, rows]);
    a.fill_(1);
    return (
      (2 * rows ** 3) /
      best(() => {
        a.matmul(a);
      })
    );
  });
}
