// Where the bytes of a file come from: a path or memory, read in parts that are checked against its size.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { FormatError } from "../errors.ts";
import { LongWork } from "../long-work.ts";

export interface Source {
  /** For messages. */
  readonly name: string;
  /** Of a file, for what opens it by itself. */
  readonly path?: string;
  /** Bytes. */
  readonly size: number;
  /**
   * The bytes from `at` on, not to be written to. Throws FormatError where the source is shorter, before anything is
   * allocated.
   */
  read(at: number, count: number): Uint8Array;
}

function checkRange({ name, size }: Source, at: number, count: number): void {
  if (Number.isSafeInteger(at) && Number.isSafeInteger(count) && at >= 0 && count >= 0 && at + count <= size) return;
  throw new FormatError(
    "TRUNCATED",
    name,
    `${name} has ${size} bytes, but it says that ${count} more begin at byte ${at}. It is damaged, or was cut off.`,
  );
}

export function sourceOfBytes(bytes: Uint8Array, name: string): Source {
  const source = {
    name,
    size: bytes.byteLength,
    read(at: number, count: number) {
      checkRange(source, at, count);
      return bytes.subarray(at, at + count);
    },
  };
  return source;
}

/** The part of a source from `start` on. */
export function sourceWithin(outer: Source, start: number, size: number, name: string): Source {
  checkRange(outer, start, size);
  const source = {
    name,
    size,
    read(at: number, count: number) {
      checkRange(source, at, count);
      return outer.read(start + at, count);
    },
  };
  return source;
}

/** Opens a file for `use`. Throws the system's error when it cannot be opened. */
export async function withFile<T>(path: string, use: (source: Source) => T | Promise<T>): Promise<T> {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    using work = new LongWork(`Reading ${basename(path)}`, { total: size, unit: "bytes" });
    const source: Source = {
      name: path,
      path,
      size,
      read(at, count) {
        checkRange(source, at, count);
        const bytes = Buffer.allocUnsafeSlow(count);
        for (let done = 0; done < count; ) {
          const got = readSync(descriptor, bytes, done, Math.min(count - done, 2 ** 30), at + done);
          if (got === 0) throw new FormatError("TRUNCATED", path, `${path} became shorter while it was read.`);
          done += got;
          work.advance(got);
        }
        return bytes;
      },
    };
    return await use(source);
  } finally {
    closeSync(descriptor);
  }
}
