// Graphs as records: what runs one, changes it and lets it go, and the places that a record names.
import { headerBytes, Op } from "./commands.ts";
import { textureWord } from "./launch.ts";
import { begin, type Room, type TargetStream } from "./target.ts";

const first = headerBytes / 4;
/** `struct Change`: record, byte and two words of the value. */
export const changeWords = 4;
/** Changes that one record holds. */
const mostChanges = 2048;

function writeNumbered(on: TargetStream, op: Op, graph: number): number {
  const { words } = begin(on, op, headerBytes + 8);
  words[first] = graph;
  words[first + 1] = 0;
  return on.target.commit();
}

/** Runs a graph, after all that was written to the stream before. Returns the sequence. */
export function writeGraphLaunch(on: TargetStream, graph: number): number {
  return writeNumbered(on, Op.graph_launch, graph);
}

/** Has the process forget a graph. Returns the sequence. */
export function writeGraphRelease(on: TargetStream, graph: number): number {
  return writeNumbered(on, Op.graph_release, graph);
}

/** Writes over arguments of launches in a graph; `changes` are {@link changeWords} words each. */
export function writeGraphUpdate(on: TargetStream, graph: number, changes: readonly number[]): void {
  const most = mostChanges * changeWords;
  for (let from = 0; from < changes.length; from += most) {
    const part = changes.slice(from, from + most);
    const { words } = begin(on, Op.graph_update, headerBytes + 8 + 4 * part.length);
    words[first] = graph;
    words[first + 1] = part.length / changeWords;
    words.set(part, first + 2);
    on.target.commit();
  }
}

/** Where in the record that lies in the room there may be places, as words; a null pointer and a texture are none. */
const placeWords: { readonly [op: number]: (words: Uint32Array) => number[] } = {
  [Op.launch]: (words) => {
    const pointers = words[first + 8]! >>> 16;
    const offsets = first + 10;
    const parameters = offsets + 2 * Math.ceil(pointers / 4);
    return Array.from({ length: pointers }, (_, index) => {
      const offset = (words[offsets + (index >> 1)]! >>> (16 * (index & 1))) & 0xffff;
      return parameters + offset / 4;
    });
  },
  [Op.copy]: () => [first, first + 2],
  [Op.fill]: () => [first],
  [Op.run]: (words) => [
    first + 2,
    first + 4,
    ...Array.from({ length: words[first + 1]! & 0xffff }, (_, index) => first + 6 + 2 * index),
  ],
};

/** The places that a record names; `null` of a command that no graph has. */
export function placesIn({ op, words }: Room): number[] | null {
  const find = placeWords[op];
  if (find === undefined) return null;
  return find(words).flatMap((at) => {
    const [low, high] = [words[at]!, words[at + 1]!];
    return high >= textureWord ? [] : [high * 2 ** 32 + low];
  });
}

/** The textures and surfaces that a launch names. */
export function texturesIn(words: Uint32Array): number[] {
  return placeWords[Op.launch]!(words).flatMap((at) => (words[at + 1] === textureWord ? [words[at]!] : []));
}

/** The word of a launch record from which on its arguments lie. */
export function argumentsAt(words: Uint32Array): number {
  return first + 10 + 2 * Math.ceil((words[first + 8]! >>> 16) / 4);
}
