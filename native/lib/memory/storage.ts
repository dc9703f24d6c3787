// A block of a device's memory: takes it from the allocator, and gives it back when the last tensor on it is disposed
// of or collected.
import { afterCollection, living } from "../device/collection.ts";
import { hazards } from "../device/hazards.ts";
import { origin } from "../device/origins.ts";
import type { DeviceProcess } from "../device/process.ts";
import type { DType } from "./dtype.ts";
import type { Shape } from "./shape.ts";

/** Whose memory a buffer shows. */
const shownBy = new WeakMap<ArrayBufferLike, Storage>();

/** The memory that a buffer of {@link Storage.expose} shows; `undefined` for other buffers. */
export function storageShownBy(buffer: ArrayBufferLike): Storage | undefined {
  return shownBy.get(buffer);
}

/** The memory under one or several tensors (a tensor, its views, and the arrays that show it). */
export class Storage {
  readonly device: DeviceProcess;
  /** For whose work it was allocated. */
  readonly stream: number;
  readonly place: number;
  readonly bytes: number;
  /** The call site in the user's code that wanted it; 0: unknown. */
  readonly origin = origin.current;
  /** Of the tensor that lay here first. */
  dtype: DType | null = null;
  shape: Shape = [];
  /** Sequence of the last command that may write here; 0: none. */
  #writtenBy = 0;
  /** A launch that did not finish may have left something here that later commands wrote only in part. */
  #isMarked = false;
  /** Counts writes. */
  version = 0;
  #holders = 1;
  /** The number of the buffer with these bytes that JavaScript had last; 0: none. */
  #buffer = 0;

  readonly #isBorrowed: boolean;
  #watchers: Set<() => boolean> | null = null;

  /** Throws OutOfMemory. The contents are undefined, unless it is memory that the device has `borrowed`. */
  constructor(device: DeviceProcess, bytes: number, borrowed: number | null = null, stream = device.execution.stream) {
    this.device = device;
    this.stream = stream;
    this.bytes = bytes;
    this.#isBorrowed = borrowed !== null;
    this.place = borrowed ?? device.allocateFor(this, bytes > 0 ? bytes : 1, stream);
  }

  /** Calls `watcher` whenever a tensor has left, as long as it answers true. */
  watch(watcher: () => boolean): void {
    this.#watchers ??= new Set();
    this.#watchers.add(watcher);
  }

  /** These bytes for JavaScript: the same buffer as long as it lives, and the memory as long too. */
  expose(): ArrayBuffer {
    const known = this.#buffer === 0 ? null : living(this.#buffer);
    if (known !== null) return known as ArrayBuffer;

    const buffer = this.device.part(this.place, this.bytes);
    this.hold();
    shownBy.set(buffer, this);
    this.#buffer = afterCollection(buffer, () => this.drop());
    return buffer;
  }

  /** More than one tensor lies here, or an array of JavaScript's shows it. */
  get isShared(): boolean {
    return this.#holders > 1;
  }

  /** How many tensors and buffers lie here. */
  get holders(): number {
    return this.#holders;
  }

  /** One more tensor, or a buffer, lies here. */
  hold(): this {
    this.#holders += 1;
    return this;
  }

  /** One less; after the last the memory is free for others. */
  drop(): void {
    this.#holders -= 1;
    if (this.#watchers !== null) for (const watcher of this.#watchers) if (!watcher()) this.#watchers.delete(watcher);
    if (this.#holders > 0) return;
    if (this.#isBorrowed) return this.device.giveBack(this.place);
    // A block that is reused while commands on it are under way is safe: its stream's come in one order, and others wait.
    this.device.disown(this.place);
  }

  /** Notes that work on a stream, perhaps another than the memory's own, uses it: then it is free after that, too. */
  usedOn(stream: number): void {
    if (stream !== this.stream && !this.#isBorrowed) this.device.use(this.place, stream);
  }

  /** Notes that a command may write so many bytes here. Sequence 0: they have been written. */
  written(sequence: number, bytes: number): void {
    const isWhole = bytes === this.bytes;
    this.#isMarked = !isWhole && this.isSuspect;
    if (isWhole || sequence > 0) this.#writtenBy = sequence;
    hazards.current?.of(this.device).wrote(sequence, { from: this.place, to: this.place + this.bytes });
    this.version += 1;
  }

  /** A launch that did not finish may have been writing here, and nothing has written the whole since. */
  get isSuspect(): boolean {
    return this.#isMarked || (this.#writtenBy !== 0 && this.device.isSuspect(this.#writtenBy));
  }
}
