// The devices of this machine, for users: which there are, why one cannot be used, and waiting for their work.
import { DeviceUnavailable } from "../errors.ts";
import { DeviceProcess } from "./process.ts";
import type { DeviceProperties } from "../wire/properties.ts";

/** A device with its properties, or with the reason why it cannot be used. */
export type DeviceReport =
  | { readonly device: string; readonly properties: DeviceProperties; readonly reason: null }
  | { readonly device: string; readonly properties: null; readonly reason: string };

function report(kind: "cpu" | "cuda", index: number): DeviceReport {
  const name = kind === "cpu" ? "cpu" : `cuda:${index}`;
  try {
    return { device: name, properties: DeviceProcess.get(kind, index).properties, reason: null };
  } catch (error) {
    if (!(error instanceof DeviceUnavailable)) throw error;
    return { device: name, properties: null, reason: error.message };
  }
}

/**
 * The CPU and the GPUs up to the first that cannot be used, which comes with its reason. Starts their processes.
 * @example
 * devices()[0].device; // → 'cpu'
 */
export function devices(): DeviceReport[] {
  const reports = [report("cpu", 0)];
  for (let index = 0; ; index++) {
    const gpu = report("cuda", index);
    // After the last GPU that works, that there are no more goes without saying.
    if (gpu.reason === null || index === 0) reports.push(gpu);
    if (gpu.reason !== null) return reports;
  }
}

/**
 * Waits until all devices have done what was submitted to them. Rejects with the first error of that work, such as a
 * DeviceFault.
 * @example
 * zeros([1024]).exp_();
 * await synchronize(); // the work is done, or what it failed with is thrown
 */
export function synchronize(): Promise<void> {
  return DeviceProcess.settle();
}
