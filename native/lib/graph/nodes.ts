// The nodes of a graph as text, from its records.
import { kernelName, planBit } from "../device/origins.ts";
import { sizeText } from "../figures.ts";
import { headerBytes, headerOffsets, Op } from "../wire/commands.ts";
import { launchWords } from "../wire/launch.ts";

const first = headerBytes / 4;
const long = (words: Uint32Array, at: number) => words[at + 1]! * 2 ** 32 + words[at]!;
const sizes = (words: Uint32Array, at: number) => {
  const [x, y, z] = words.subarray(at, at + 3);
  return z === 1 ? (y === 1 ? `${x}` : `${x} × ${y}`) : `${x} × ${y} × ${z}`;
};

const texts: { readonly [op: number]: (words: Uint32Array) => string } = {
  [Op.launch]: (words) =>
    `${kernelName(words[first]!)}: ${sizes(words, launchWords.grid)} blocks of ${sizes(words, launchWords.block)} threads`,
  [Op.run]: (words) => kernelName(words[first]! + planBit),
  [Op.copy]: (words) => `copy of ${sizeText(long(words, first + 4))}`,
  [Op.fill]: (words) => `fill of ${sizeText(long(words, first + 2))}`,
};

/** A line for each record, in the order in which they run. */
export function nodesOf(records: readonly Uint8Array[]): string[] {
  return records.map((record) => {
    const words = new Uint32Array(record.buffer);
    const op = new Uint16Array(record.buffer)[headerOffsets.op / 2]!;
    return texts[op]!(words);
  });
}
