// ZIP archives: the entries of one as checked ranges of bytes, and entries into an archive (APPNOTE 6.3, with ZIP64,
// stored and deflated).
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import { FormatError } from "../errors.ts";
import { sourceOfBytes, sourceWithin, type Source } from "./source.ts";

export interface Entry {
  readonly name: string;
  /** Bytes, once inflated. */
  readonly size: number;
  /** The contents, checked against their checksum. Throws FormatError. */
  open(): Source;
}

const sign = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const;
const max32 = 0xffffffff;
/** Below this a high ratio does no harm. */
const harmless = 2 ** 20;

/** A field of 64 bits, exactly. */
function long(view: Buffer, at: number, file: string): number {
  const value = Number(view.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value))
    throw new FormatError("OFFSET", file, `${file} names a size of ${value} bytes, more than any file has.`);
  return value;
}

interface Directory {
  readonly count: number;
  readonly size: number;
  readonly at: number;
}

function directoryOf(source: Source): Directory {
  const { name, size } = source;
  const start = Math.max(0, size - 22 - 0xffff);
  const tail = Buffer.from(source.read(start, size - start));
  let at = tail.length - 22;
  while (at >= 0 && !(tail.readUInt32LE(at) === sign.end && at + 22 + tail.readUInt16LE(at + 20) === tail.length))
    at -= 1;
  if (at < 0) throw new FormatError("FORMAT", name, `${name} is not a zip archive, or its end is missing.`);
  const count = tail.readUInt16LE(at + 10);
  const found = { count, size: tail.readUInt32LE(at + 12), at: tail.readUInt32LE(at + 16) };
  if (tail.readUInt16LE(at + 4) !== 0 || tail.readUInt16LE(at + 6) !== 0 || tail.readUInt16LE(at + 8) !== count)
    throw new FormatError("UNSUPPORTED", name, `${name} is one part of an archive of several files.`);
  if (count !== 0xffff && found.size !== max32 && found.at !== max32) return found;
  if (at < 20 || tail.readUInt32LE(at - 20) !== sign.locator64) return found;
  const end = Buffer.from(source.read(long(tail, at - 12, name), 56));
  if (end.readUInt32LE(0) !== sign.end64)
    throw new FormatError("HEADER", name, `The end of ${name} does not lead to its directory.`);
  return { count: long(end, 32, name), size: long(end, 40, name), at: long(end, 48, name) };
}

/** The entries of an archive. `maxRatio`: how many times its packed size an entry may have. Throws FormatError. */
export function entriesOf(source: Source, maxRatio: number): Entry[] {
  const { name: file } = source;
  const { count, size, at } = directoryOf(source);
  if (count * 46 > size)
    throw new FormatError(
      "HEADER",
      file,
      `${file} promises ${count} entries, for which its directory of ${size} bytes has no room.`,
    );
  const directory = Buffer.from(source.read(at, size));
  const taken: { begin: number; end: number }[] = [];
  const names = new Set<string>();
  const entries: Entry[] = [];
  for (let record = 0; entries.length < count; ) {
    if (record + 46 > size || directory.readUInt32LE(record) !== sign.central)
      throw new FormatError("HEADER", file, `The directory of ${file} is damaged at entry ${entries.length}.`);
    const length =
      46 +
      directory.readUInt16LE(record + 28) +
      directory.readUInt16LE(record + 30) +
      directory.readUInt16LE(record + 32);
    if (record + length > size)
      throw new FormatError("HEADER", file, `The directory of ${file} ends within entry ${entries.length}.`);
    const { entry, range } = entryAt(source, directory.subarray(record, record + length), maxRatio);
    if (names.has(entry.name))
      throw new FormatError("HEADER", file, `${file} has two entries named ${JSON.stringify(entry.name)}.`);
    names.add(entry.name);
    entries.push(entry);
    taken.push(range);
    record += length;
  }
  // Entries that share their bytes make a small archive a large one.
  taken.sort((a, b) => a.begin - b.begin);
  if (taken.some(({ begin }, index) => index > 0 && begin < taken[index - 1]!.end) || (taken.at(-1)?.end ?? 0) > at)
    throw new FormatError("OFFSET", file, `Entries of ${file} overlap.`);
  return entries;
}

function entryAt(
  source: Source,
  record: Buffer,
  maxRatio: number,
): { entry: Entry; range: { begin: number; end: number } } {
  const { name: file } = source;
  const name = record.toString("utf8", 46, 46 + record.readUInt16LE(28));
  const called = `${file}, entry ${JSON.stringify(name.slice(0, 100))},`;
  const [flags, method, checksum] = [record.readUInt16LE(8), record.readUInt16LE(10), record.readUInt32LE(16)];
  const [packed, size, local] = sizesOf(record, file);
  if ((flags & 1) !== 0 || (method !== 0 && method !== 8))
    throw new FormatError(
      "UNSUPPORTED",
      file,
      `${called} is ${(flags & 1) !== 0 ? "encrypted" : `packed by method ${method}`}. Only stored and deflated entries can be read.`,
    );
  if (method === 0 && packed !== size)
    throw new FormatError("HEADER", file, `${called} is not packed, but says that it has ${packed} and ${size} bytes.`);
  if (size > harmless && size > packed * maxRatio) {
    throw new FormatError(
      "RATIO",
      file,
      `${called} would grow from ${packed} to ${size} bytes, more than ${maxRatio} times. If you trust the file, allow it with { maxRatio: ${Math.ceil(size / Math.max(packed, 1))} }.`,
    );
  }
  const head = Buffer.from(source.read(local, 30));
  if (head.readUInt32LE(0) !== sign.local)
    throw new FormatError("OFFSET", file, `${called} does not begin where the directory says.`);
  const begin = local + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  const body = sourceWithin(source, begin, packed, `${file}:${name}`);
  return {
    entry: { name, size, open: () => opened(body, method, size, checksum) },
    range: { begin: local, end: begin + packed },
  };
}

/** Packed size, size and offset of the local header: 32 bits each, or where those are all ones in the ZIP64 field. */
function sizesOf(record: Buffer, file: string): [number, number, number] {
  const plain = [record.readUInt32LE(24), record.readUInt32LE(20), record.readUInt32LE(42)];
  let at = 46 + record.readUInt16LE(28);
  const end = at + record.readUInt16LE(30);
  while (at + 4 <= end && record.readUInt16LE(at) !== 1) at += 4 + record.readUInt16LE(at + 2);
  const last = at + 4 <= end ? Math.min(end, at + 4 + record.readUInt16LE(at + 2)) : 0;
  at += 4;
  const [size, packed, local] = plain.map((value) => {
    if (value !== max32 || last === 0) return value;
    if (at + 8 > last) throw new FormatError("HEADER", file, `The directory of ${file} lacks a size.`);
    at += 8;
    return long(record, at - 8, file);
  }) as [number, number, number];
  return [packed, size, local];
}

function opened(body: Source, method: number, size: number, checksum: number): Source {
  let source = body;
  if (method === 8) {
    let inflated: Buffer;
    try {
      inflated = inflateRawSync(body.read(0, body.size), { maxOutputLength: Math.max(size, 1) });
    } catch (error) {
      throw new FormatError(
        "CHECKSUM",
        body.name,
        `${body.name} cannot be inflated: it is damaged, or larger than the ${size} bytes that it promises.`,
        { cause: error },
      );
    }
    if (inflated.length !== size)
      throw new FormatError(
        "CHECKSUM",
        body.name,
        `${body.name} inflates to ${inflated.length} bytes, but promises ${size}.`,
      );
    source = sourceOfBytes(inflated, body.name);
  }
  let sum = 0;
  for (let at = 0; at < size; at += harmless) sum = crc32(source.read(at, Math.min(harmless, size - at)), sum);
  if (sum !== checksum) throw new FormatError("CHECKSUM", body.name, `${body.name} is damaged: its checksum is wrong.`);
  return source;
}

/** An archive in parts. The contents of each entry come in parts, too. */
export function* zipParts(
  entries: Iterable<readonly [name: string, parts: readonly Uint8Array[]]>,
  isCompressed: boolean,
): Generator<Uint8Array> {
  const directory: Buffer[] = [];
  let at = 0;
  for (const [text, plain] of entries) {
    const name = Buffer.from(text, "utf8");
    const size = plain.reduce((sum, { length }) => sum + length, 0);
    // zlib takes an empty part for a beginning.
    const checksum = plain.reduce((sum, part) => (part.length === 0 ? sum : crc32(part, sum)), 0);
    const parts = isCompressed ? [deflateRawSync(Buffer.concat(plain))] : plain;
    const packed = parts.reduce((sum, { length }) => sum + length, 0);
    const facts = { name, size, packed, checksum, method: isCompressed ? 8 : 0, at };
    const head = headerOf(facts, false);
    directory.push(headerOf(facts, true));
    yield head;
    yield* parts;
    at += head.length + packed;
  }
  yield* directory;
  yield endOf(
    directory.length,
    directory.reduce((sum, { length }) => sum + length, 0),
    at,
  );
}

interface Written {
  readonly name: Buffer;
  readonly size: number;
  readonly packed: number;
  readonly checksum: number;
  readonly method: number;
  readonly at: number;
}

function headerOf({ name, size, packed, checksum, method, at }: Written, isCentral: boolean): Buffer {
  const wide = size >= max32 || packed >= max32 || at >= max32;
  const extra = Buffer.alloc(wide ? (isCentral ? 28 : 20) : 0);
  if (wide) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(extra.length - 4, 2);
    extra.writeBigUInt64LE(BigInt(size), 4);
    extra.writeBigUInt64LE(BigInt(packed), 12);
    if (isCentral) extra.writeBigUInt64LE(BigInt(at), 20);
  }
  // The central header has the version that wrote it before the fields of the local one, and more behind them.
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(wide ? 45 : 20, 0);
  fields.writeUInt16LE(0x800, 2);
  fields.writeUInt16LE(method, 4);
  fields.writeUInt16LE(0x21, 8);
  fields.writeUInt32LE(checksum, 10);
  fields.writeUInt32LE(wide ? max32 : packed, 14);
  fields.writeUInt32LE(wide ? max32 : size, 18);
  fields.writeUInt16LE(name.length, 22);
  fields.writeUInt16LE(extra.length, 24);
  const start = Buffer.alloc(isCentral ? 6 : 4);
  start.writeUInt32LE(isCentral ? sign.central : sign.local, 0);
  if (isCentral) start.writeUInt16LE(wide ? 45 : 20, 4);
  const rest = Buffer.alloc(isCentral ? 14 : 0);
  if (isCentral) rest.writeUInt32LE(wide ? max32 : at, 10);
  return Buffer.concat([start, fields, rest, name, extra]);
}

function endOf(count: number, size: number, at: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(sign.end, 0);
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(Math.min(size, max32), 12);
  end.writeUInt32LE(Math.min(at, max32), 16);
  if (count < 0xffff && size < max32 && at < max32) return end;
  const wide = Buffer.alloc(76);
  wide.writeUInt32LE(sign.end64, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeUInt16LE(45, 12);
  wide.writeUInt16LE(45, 14);
  for (const [index, value] of [count, count, size, at].entries()) wide.writeBigUInt64LE(BigInt(value), 24 + 8 * index);
  wide.writeUInt32LE(sign.locator64, 56);
  wide.writeBigUInt64LE(BigInt(at + size), 64);
  wide.writeUInt32LE(1, 72);
  return Buffer.concat([wide, end]);
}
