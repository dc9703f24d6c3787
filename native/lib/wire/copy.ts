// Copies and fills as records.
import { headerBytes, Op } from "./commands.ts";
import { putLong } from "./long.ts";
import { begin, type TargetStream } from "./target.ts";

const first = headerBytes / 4;

/** Copies `bytes` from one place to another, after all that was written to the stream before. Returns the sequence. */
export function writeCopy(on: TargetStream, destination: number, source: number, bytes: number): number {
  const { words } = begin(on, Op.copy, headerBytes + 24);
  putLong(words, first, destination);
  putLong(words, first + 2, source);
  putLong(words, first + 4, bytes);
  return on.target.commit();
}

/** Repeats `pattern`, of `width` bytes, over `bytes` bytes. Returns the sequence. */
export function writeFill(
  on: TargetStream,
  destination: number,
  bytes: number,
  pattern: bigint,
  width: 1 | 2 | 4 | 8,
): number {
  const { words, longs } = begin(on, Op.fill, headerBytes + 32);
  putLong(words, first, destination);
  putLong(words, first + 2, bytes);
  longs[(first + 4) / 2] = pattern;
  words[first + 6] = width;
  words[first + 7] = 0;
  return on.target.commit();
}
