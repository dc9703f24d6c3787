// Launches as records: what never changes of a kernel's launches is laid out once, and copied into every one.
import { headerBytes, Op } from "./commands.ts";
import { begin, type Room, type TargetStream } from "./target.ts";

// `struct Launch` of protocol/commands.h: bytes, and the words that a launch writes itself.
const at = {
  kernel: headerBytes,
  grid: headerBytes + 4,
  block: headerBytes + 16,
  shared: headerBytes + 28,
  counts: headerBytes + 32,
  flags: headerBytes + 36,
  offsets: headerBytes + 40,
} as const;
/** Three words of `grid` and `block` each, one of dynamic shared memory in bytes, and the {@link LaunchFlag}s. */
export const launchWords = {
  grid: at.grid / 4,
  block: at.block / 4,
  shared: at.shared / 4,
  flags: at.flags / 4,
} as const;
export const LaunchFlag = { cooperative: 1 } as const;
/** The blocks of a cluster among the flags. */
export const clusterFlags = (x: number, y: number, z: number): number => (x << 8) | (y << 16) | (z << 24);

/** What stands for a null pointer, in both words of a place. */
export const nullWord = 0xffffffff;
/** The upper word of a texture or surface, whose lower one is its number. */
export const textureWord = 0x80000000;

/** Writes a grid or a block. */
export function putSizes(words: Uint32Array, at: number, x: number, y: number, z: number): void {
  words[at] = x;
  words[at + 1] = y;
  words[at + 2] = z;
}

/** What all launches of a kernel have in common. */
export class LaunchLayout {
  /** The byte of the record at which the kernel's parameters begin. */
  readonly parameters: number;
  readonly #bytes: number;
  readonly #kernel: number;
  /** Of the parameters, and how many pointers are among them. */
  readonly #counts: number;
  /** Where the pointers are: two in a word. */
  readonly #pointers: Uint32Array;

  /** `pointers`: the bytes of the parameters at which there are places. */
  constructor(kernel: number, argumentBytes: number, pointers: readonly number[]) {
    const offsets = new Uint16Array(Math.ceil(pointers.length / 4) * 4);
    offsets.set(pointers);
    this.parameters = at.offsets + offsets.byteLength;
    this.#bytes = this.parameters + Math.ceil(argumentBytes / 8) * 8;
    this.#kernel = kernel;
    this.#counts = argumentBytes | (pointers.length << 16);
    this.#pointers = new Uint32Array(offsets.buffer);
  }

  /** Begins a launch: its grid, block, shared memory, flags and parameters are the caller's to write. */
  begin(on: TargetStream): Room {
    const room = begin(on, Op.launch, this.#bytes);
    const { words } = room;
    const pointers = this.#pointers;
    words[at.kernel / 4] = this.#kernel;
    words[at.counts / 4] = this.#counts;
    for (let index = 0; index < pointers.length; index++) words[at.offsets / 4 + index] = pointers[index]!;
    return room;
  }
}
