// A block of a device's memory: takes it from the allocator, and gives it back when the last tensor on it is disposed of or collected. It must not know shapes or dtypes.
import { binding } from "./binding.ts";
import type { DeviceProcess } from "./process.ts";

interface Block { readonly device: DeviceProcess; readonly place: number; readonly bytes: number; }

function release({ device, place, bytes }: Block): void {
  device.free(place);
  binding.adjustExternalMemory(-bytes);
}

// A block that is reused while commands on it are under way is safe: all commands of a device run in one order.
const collected = new FinalizationRegistry<Block>(release);

/** The memory under one or several tensors (a tensor, its views, and the arrays that show it). */
export class Storage {
  readonly device: DeviceProcess;
  readonly place: number;
  readonly bytes: number;
  /** Sequence of the last command that may write here; 0: none. */
  writtenBy = 0;
  #holders = 1;
  #memory: WeakRef<ArrayBuffer> | null = null;

  /** Throws OutOfMemory. The contents are undefined. */
  constructor(device: DeviceProcess, bytes: number) {
    this.device = device;
    this.bytes = bytes;
    this.place = device.allocate(Math.max(bytes, 1), "device");
    binding.adjustExternalMemory(bytes);
    collected.register(this, { device, place: this.place, bytes }, this);
  }

  /** The buffer with these bytes that JavaScript has, if any. */
  get memory(): ArrayBuffer | undefined {
    return this.#memory?.deref();
  }

  set memory(buffer: ArrayBuffer) {
    this.#memory = new WeakRef(buffer);
  }

  /** One more tensor, or a buffer, lies here. */
  hold(): this {
    this.#holders += 1;
    return this;
  }

  /** One less; after the last the memory is free for others. */
  drop(): void {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    collected.unregister(this);
    release(this);
  }

  /** A launch that did not finish may have been writing here, and nothing has written since. */
  get isSuspect(): boolean {
    return this.writtenBy !== 0 && this.device.isSuspect(this.writtenBy);
  }
}
