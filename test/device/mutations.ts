// Damaged files for tests of readers: turns a good one into many that are cut, changed, shuffled or hold hostile
// numbers, from a seed.

const hostile = [0, 1, -1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];
const words = [
  "-1",
  "NaN",
  "1e999",
  "9007199254740993",
  "99999999999999999999",
  "null",
  "[]",
  "{}",
  '""',
  "True",
  "(,)",
  "0",
];

/** One of the ways to damage a file, several times over. */
export function mutated(files: readonly Uint8Array[], random: () => number): Uint8Array {
  const below = (count: number) => Math.floor(random() * count);
  let bytes = Buffer.from(files[below(files.length)]!);
  for (let changes = 1 + below(4); changes > 0; changes--) {
    const at = below(bytes.length + 1);
    switch (below(8)) {
      case 0:
        bytes = bytes.subarray(0, at);
        break;
      case 1:
        if (at < bytes.length) bytes[at] = below(256);
        break;
      case 2:
        if (at < bytes.length) bytes[at]! ^= 1 << below(8);
        break;
      case 3:
        if (at + 4 <= bytes.length) bytes.writeInt32LE(hostile[below(hostile.length)]! | 0, at);
        break;
      case 4:
        if (at + 8 <= bytes.length)
          bytes.writeBigInt64LE(BigInt.asIntN(64, BigInt(hostile[below(hostile.length)]!) << BigInt(below(40))), at);
        break;
      case 5:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + below(16)))]);
        break;
      case 6: {
        const other = files[below(files.length)]!;
        const from = below(other.length + 1);
        bytes = Buffer.concat([bytes.subarray(0, at), other.subarray(from, from + below(64)), bytes.subarray(at)]);
        break;
      }
      default: {
        // A number in the text of a header.
        const digits = [...bytes.toString("latin1").matchAll(/\d+/g)];
        const digit = digits[below(digits.length)];
        if (digit !== undefined)
          bytes = Buffer.concat([
            bytes.subarray(0, digit.index),
            Buffer.from(words[below(words.length)]!),
            bytes.subarray(digit.index + digit[0].length),
          ]);
      }
    }
  }
  return bytes;
}
