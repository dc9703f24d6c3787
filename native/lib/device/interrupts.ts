// Interrupts: end what devices are at, whichever of them notices first.
import type { InterruptedError } from "../errors.ts";
import { binding } from "../wire/binding.ts";
import type { DeviceProcess } from "./process.ts";

/**
 * Makes every wait for a device end, now and until {@link clearInterrupt}; from any thread. A device that works is
 * restarted, an idle one is left alone.
 */
export function interrupt(): void {
  binding.interrupt();
}

export function clearInterrupt(): void {
  interruption = null;
  binding.clearInterrupt();
}

/** An interrupt stops the work of all devices, whichever of them noticed it; it is used up by that. */
let interruption: InterruptedError | null = null;

/** The first interrupt of a device's work since {@link clearInterrupt}: who awaited that work has heard of it, too. */
export function lastInterruption(): InterruptedError | null {
  return interruption;
}

export function noteInterruption(error: InterruptedError): void {
  interruption ??= error;
}

export function interruptAll(devices: Iterable<DeviceProcess>): void {
  for (const device of devices) {
    if (device.isBusy) device.killInterrupted();
  }
  binding.clearInterrupt();
}

/** Work of other threads and processes that goes on while something is awaited: what ends it. */
const enders = new Set<() => void>();

/** Has an interrupt of what awaits something call `end`, until the function that this returns is called. */
export function whenInterrupted(end: () => void): () => void {
  enders.add(end);
  return () => void enders.delete(end);
}

/** Somebody who awaited something was interrupted and will not hear of it: ends what goes on for them. */
export function endInterrupted(): void {
  for (const end of [...enders]) end();
}
