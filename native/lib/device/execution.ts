// Where and in which order work runs: a device, one of its streams, and what takes the records of the work.
import { TensorError } from "../errors.ts";
import { writeFence, writeStreamWait } from "../wire/mark.ts";
import type { Target, TargetStream } from "../wire/target.ts";
import { Capture } from "./capture.ts";
import type { DeviceProcess } from "./process.ts";

/**
 * What every operation, launch, copy and fill is given. What is written to one stream runs in the order in which it was
 * written; a target that is no ring may keep it to run later.
 */
export class Execution implements TargetStream {
  readonly device: DeviceProcess;
  readonly stream: number;
  readonly target: Target;

  constructor(device: DeviceProcess, stream: number, target: Target) {
    this.device = device;
    this.stream = stream;
    this.target = target;
  }

  /** Has what follows here begin after all that was written to `other` before. */
  waitFor(other: Execution): void {
    if (other !== this) writeStreamWait(this, other.stream);
  }

  /** Has what follows here begin after all that was written to the device before. */
  waitForAll(): void {
    for (const other of this.device.others(this)) this.waitFor(other);
  }

  /** Writes a mark after all that was written here before. */
  fence(): { readonly stream: number; readonly sequence: number } {
    return { stream: this.stream, sequence: writeFence(this) };
  }

  /** Blocks until all that was written here before is done and visible. Throws as {@link DeviceProcess.synchronize}. */
  synchronize(): void {
    this.device.synchronize([this]);
  }

  /** Throws TensorError RECORDED where what is written does not run now, so that nobody can `use` it. */
  checkRuns(use: "read" | "check an index of" | "check the status of"): void {
    if (this.target.runsLater && !(use === "check an index of" && this.target instanceof Capture))
      throw new TensorError(
        "RECORDED",
        `What is recorded has not been computed, so this operation cannot ${use} it: run it before or after, not as a part of what is recorded.`,
      );
  }
}
