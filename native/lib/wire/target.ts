// Where records are written: memory for one record at a time, and what takes it once it is whole.
import { Scoped } from "../scoped.ts";
import { headerBytes, headerOffsets, type Op } from "./commands.ts";

/** Memory in which one record is laid out, as the typed arrays that do it. The largest record fits. */
export class Room {
  readonly bytes: Uint8Array;
  readonly shorts: Uint16Array;
  readonly words: Uint32Array;
  readonly longs: BigInt64Array;
  readonly floats: Float32Array;
  readonly doubles: Float64Array;

  constructor(memory: ArrayBuffer) {
    this.bytes = new Uint8Array(memory);
    this.shorts = new Uint16Array(memory);
    this.words = new Uint32Array(memory);
    this.longs = new BigInt64Array(memory);
    this.floats = new Float32Array(memory);
    this.doubles = new Float64Array(memory);
  }

  /** The bytes of the record that lies here. */
  get length(): number {
    return this.words[headerOffsets.bytes / 4]!;
  }

  /** Which line of which cell asked for it. */
  set origin(number: number) {
    this.words[headerOffsets.origin / 4] = number;
  }

  get op(): Op {
    return this.shorts[headerOffsets.op / 2]! as Op;
  }

  get stream(): number {
    return this.shorts[headerOffsets.stream / 2]!;
  }

  /** What a launch, a run or an unloading is of: the first word after the head. */
  get subject(): number {
    return this.words[headerBytes / 4]!;
  }
}

/**
 * What takes records. A record is laid out in the room, whole, and committed before anything else may be written there:
 * nothing that runs in between may use the device.
 */
export interface Target {
  readonly room: Room;
  /** Records are kept here, and run some other time or never. */
  readonly runsLater: boolean;
  /** Takes the record in the room. Returns its sequence, or 0 where it runs later. */
  commit(): number;
  /** Has an object that records name by number live as long as they are kept. */
  keep(object: object): void;
}

/** A target, and the stream on which its device runs what is written there. */
export interface TargetStream {
  readonly target: Target;
  readonly stream: number;
}

/** Writes the records of work that has been put off, before any other record is begun; `null`: none can have been. */
export const putOff = new Scoped<(() => void) | null>(null);

/** Begins a record of so many bytes, a multiple of 8; all else that it has must be written. */
export function begin({ target, stream }: TargetStream, op: Op, bytes: number): Room {
  putOff.current?.();
  const { room } = target;
  room.words[headerOffsets.bytes / 4] = bytes;
  room.words[headerOffsets.op / 4] = op | (stream << 16);
  return room;
}
