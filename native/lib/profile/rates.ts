// What a device can do at best, measured: bytes copied and arithmetic of a matrix product in a second, once per
// process. The best that was ever measured counts: one process is slowed down by what runs beside it.
import { tidy } from "../autograd/tidy.ts";
import type { DeviceProcess } from "../device/process.ts";
import type { DType } from "../memory/dtype.ts";
import { cacheKey } from "../cuda/cache.ts";
import { cache } from "../cuda/compilation.ts";
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
  if (rate === undefined) rates.set(key, (rate = bestEver(rateKey(device, key), measure())));
  return rate;
}

/** Of a device like this one, wherever it is. */
export function rateKey({ properties }: Pick<DeviceProcess, "properties">, what: string): string {
  const { kind, name, arch, multiprocessors, memoryTotal, driver } = properties;
  return cacheKey(["rate", kind, name, arch, String(multiprocessors), String(memoryTotal), driver ?? "", what]);
}

/** The greater of a rate that was measured now and the one that is kept, which it is from now on. */
export function bestEver(key: string, measured: number, kept = cache()): number {
  const bytes = kept.get(key)?.artifact;
  const before = bytes?.length === 8 ? new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0) : 0;
  if (before >= measured) return before;
  const artifact = new Uint8Array(8);
  new DataView(artifact.buffer).setFloat64(0, measured);
  kept.put(key, { artifact, lowered: [], log: "", dependencies: { files: [], folders: [], others: [] }, name: null });
  return measured;
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
