// Integers of 64 bits as the two words of 32 that a typed array without bigints holds.

/** The low word of an integer that a number holds exactly, also of a negative one. */
export function lowWord(value: number): number {
  return value >>> 0;
}

/** The high word. */
export function highWord(value: number): number {
  return (value - (value >>> 0)) / 2 ** 32;
}

/** What the two words from `words[at]` on say, of an integer that is not negative. */
export function longAt(words: Uint32Array, at: number): number {
  return words[at + 1]! * 2 ** 32 + words[at]!;
}

/** Writes both, little-endian, from `words[at]` on. */
export function putLong(words: Uint32Array, at: number, value: number): void {
  words[at] = lowWord(value);
  words[at + 1] = highWord(value);
}
