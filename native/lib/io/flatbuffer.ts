// Reads FlatBuffers, in which Arrow writes its metadata: tables by the numbers of their fields. What points outside of
// the bytes is a RangeError.

/** One table. Fields that it lacks have their default. */
export class FlatTable {
  readonly #bytes: Buffer;
  readonly #at: number;
  readonly #fields: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
    this.#fields = at - bytes.readInt32LE(at);
  }

  /** The table that a buffer begins with a reference to. */
  static root(bytes: Buffer): FlatTable {
    return new FlatTable(bytes, bytes.readUInt32LE(0));
  }

  /** Where a field lies; 0: it is missing. */
  #place(field: number): number {
    const slot = 4 + 2 * field;
    const offset =
      slot + 2 <= this.#bytes.readUInt16LE(this.#fields) ? this.#bytes.readUInt16LE(this.#fields + slot) : 0;
    return offset === 0 ? 0 : this.#at + offset;
  }

  #reference(at: number): number {
    return at + this.#bytes.readUInt32LE(at);
  }

  byte(field: number): number {
    const at = this.#place(field);
    return at === 0 ? 0 : this.#bytes.readUInt8(at);
  }
  short(field: number): number {
    const at = this.#place(field);
    return at === 0 ? 0 : this.#bytes.readInt16LE(at);
  }
  int(field: number): number {
    const at = this.#place(field);
    return at === 0 ? 0 : this.#bytes.readInt32LE(at);
  }
  long(field: number): number {
    const at = this.#place(field);
    return at === 0 ? 0 : whole(this.#bytes.readBigInt64LE(at));
  }

  text(field: number): string {
    const { at, count } = this.#vector(field, 1);
    return this.#bytes.toString("utf8", at, at + count);
  }

  table(field: number): FlatTable | null {
    const at = this.#place(field);
    return at === 0 ? null : new FlatTable(this.#bytes, this.#reference(at));
  }

  tables(field: number): FlatTable[] {
    const { at, count } = this.#vector(field, 4);
    return Array.from({ length: count }, (_, index) => new FlatTable(this.#bytes, this.#reference(at + 4 * index)));
  }

  /** A vector of structs of two 64-bit integers. */
  pairs(field: number): (readonly [number, number])[] {
    const { at, count } = this.#vector(field, 16);
    return Array.from(
      { length: count },
      (_, index) =>
        [
          whole(this.#bytes.readBigInt64LE(at + 16 * index)),
          whole(this.#bytes.readBigInt64LE(at + 16 * index + 8)),
        ] as const,
    );
  }

  /** Checked against the bytes before anybody makes an array of that length. */
  #vector(field: number, elementBytes: number): { at: number; count: number } {
    const place = this.#place(field);
    if (place === 0) return { at: 0, count: 0 };
    const start = this.#reference(place);
    const count = this.#bytes.readUInt32LE(start);
    if (start + 4 + count * elementBytes > this.#bytes.length)
      throw new RangeError("A vector reaches beyond the metadata.");
    return { at: start + 4, count };
  }
}

function whole(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new RangeError("A size is negative or larger than any file.");
  return number;
}
