// What a device process recorded of its work: `struct ProfileRecord` of protocol/profile.h, as columns.

/** Kinds of records; a test compares them with the header. */
export const RecordKind = { kernel: 1, copy: 2, fill: 3, call: 4, wait: 5, worker: 6, overhead: 7 } as const;
export type RecordKind = keyof typeof RecordKind;

export const recordKinds = Object.fromEntries(
  Object.entries(RecordKind).map(([name, number]) => [number, name]),
) as Readonly<Record<number, RecordKind>>;

/** Bytes of a record. */
export const recordBytes = 88;

// In words of 8 bytes, and of 4.
const longs = { sequence: 0, start: 1, end: 2, bytes: 3 } as const;
const words = {
  kind: 8,
  name: 9,
  lane: 10,
  blocks: 11,
  grid: 12,
  block: 15,
  staticShared: 18,
  dynamicShared: 19,
  local: 20,
  registers: 21,
} as const;

/** Where each field lies, in bytes; a test compares them with the header. */
export const recordOffsets: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.entries(longs).map(([name, at]) => [name, 8 * at])),
  ...Object.fromEntries(Object.entries(words).map(([name, at]) => [name, 4 * at])),
};

/** Records by index. Times are nanoseconds since `base`, of the clock of `process.hrtime`. */
export class ProfileRecords {
  readonly length: number;
  readonly #longs: BigInt64Array;
  readonly #words: Uint32Array;
  readonly #base: bigint;

  constructor(bytes: Uint8Array, base: bigint) {
    this.length = Math.floor(bytes.length / recordBytes);
    // Aligned.
    const copy = bytes.slice().buffer;
    this.#longs = new BigInt64Array(copy, 0, this.length * (recordBytes / 8));
    this.#words = new Uint32Array(copy, 0, this.length * (recordBytes / 4));
    this.#base = base;
  }

  #long(index: number, field: number): bigint {
    return this.#longs[index * (recordBytes / 8) + field]!;
  }
  #word(index: number, field: number): number {
    return this.#words[index * (recordBytes / 4) + field]!;
  }

  sequence(index: number): number {
    return Number(this.#long(index, longs.sequence));
  }
  start(index: number): number {
    return Number(this.#long(index, longs.start) - this.#base);
  }
  end(index: number): number {
    return Number(this.#long(index, longs.end) - this.#base);
  }
  bytes(index: number): number {
    return Number(this.#long(index, longs.bytes));
  }
  kind(index: number): RecordKind | undefined {
    return recordKinds[this.#word(index, words.kind)];
  }
  name(index: number): number {
    return this.#word(index, words.name);
  }
  lane(index: number): number {
    return this.#word(index, words.lane);
  }
  /** Of a worker. */
  blocks(index: number): number {
    return this.#word(index, words.blocks);
  }
  grid(index: number): [number, number, number] {
    return this.#triple(index, words.grid);
  }
  block(index: number): [number, number, number] {
    return this.#triple(index, words.block);
  }
  staticShared(index: number): number {
    return this.#word(index, words.staticShared);
  }
  dynamicShared(index: number): number {
    return this.#word(index, words.dynamicShared);
  }
  /** Bytes of a thread. */
  local(index: number): number {
    return this.#word(index, words.local);
  }
  registers(index: number): number {
    return this.#word(index, words.registers);
  }

  #triple(index: number, field: number): [number, number, number] {
    return [this.#word(index, field), this.#word(index, field + 1), this.#word(index, field + 2)];
  }
}
