// What is told of the work that this process gives to devices, while it happens: nothing, or a profile.
import { Scoped } from "../scoped.ts";
import type { Op } from "../wire/commands.ts";
import type { Room } from "../wire/target.ts";
import type { DeviceProcess } from "./process.ts";

/** What is known of the work in one command besides its record: {@link Watcher.describe}. */
export interface Described {
  /** What it works on, in the order of the call: name, dtype and shape, or the number itself. */
  readonly operands: readonly { readonly name: string; readonly dtype: string; readonly shape: readonly number[] }[];
  /** Of this command; `undefined`: not known. */
  readonly bytes: number | undefined;
  readonly flops: number | undefined;
}

/** Times are of {@link clock}. */
export interface Watcher {
  /** A device's process has been started, and has done nothing yet. */
  opened(device: DeviceProcess): void;
  /** A record was submitted; it lies in `record` until this returns. */
  submitted(device: DeviceProcess, sequence: number, start: number, record: Room): void;
  /** What the command that was submitted last works on. */
  describe(described: Described): void;
  /** A command with a message was answered, or failed. */
  answered(device: DeviceProcess, sequence: number, op: Op, start: number): void;
  /** Somebody waited for a device, with JavaScript blocked or not. */
  waited(device: DeviceProcess, start: number, isBlocking: boolean): void;
}

/** Looked at with every command. */
export const activity = new Scoped<Watcher | null>(null);

/** Milliseconds since this process began, by the clock that does not jump. */
export const clock = (): number => performance.now();
