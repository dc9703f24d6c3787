// What a device is to do again and again, while it is recorded: the records, the memory they use, and what must be
// new each time.
import { randomBytes } from "node:crypto";
import { TensorError, type WarpcellError } from "../errors.ts";
import { Scoped } from "../scoped.ts";
import { binding } from "../wire/binding.ts";
import { Op } from "../wire/commands.ts";
import { argumentsAt, placesIn } from "../wire/graph.ts";
import { Recording } from "../wire/recording.ts";
import type { Room } from "../wire/target.ts";
import { origin } from "./origins.ts";
import type { DeviceProcess } from "./process.ts";

/** What an operation draws: the stream of a seed. */
export interface Draw {
  readonly seed: bigint;
  readonly stream: bigint;
}

/** A word that work may write, and what a wait is to throw then. */
interface Watched {
  readonly word: BigInt64Array;
  readonly before: bigint;
  readonly check: (word: bigint) => WarpcellError | undefined;
}

/** Memory of the host that records name. */
interface HostBlock {
  readonly place: number;
  readonly bytes: number;
}

/** Has memory of the host be free when the command with that sequence is done. */
export type FreeHost = (device: DeviceProcess, place: number, bytes: number, sequence: number) => void;

/** Two words of a record. */
interface Slot {
  readonly record: number;
  readonly word: number;
}

/** What is recorded now; `null`: nothing. */
export const captures = new Scoped<Capture | null>(null);

export class Capture extends Recording {
  readonly device: DeviceProcess;
  /** Whose memory all is that is allocated while it is recorded. */
  readonly pool: number;
  readonly #hostBlocks: HostBlock[] = [];
  /** The records as words. */
  readonly #words: Uint32Array[] = [];
  readonly #watched: Watched[] = [];
  /** In the order in which they are to happen before each run. */
  readonly #renewals: (() => void)[] = [];
  /** As writeGraphUpdate takes them. */
  #changes: number[] = [];
  /** By the word that stands for what is drawn. */
  readonly #drawn = new Map<bigint, Slot[]>();

  constructor(device: DeviceProcess) {
    super();
    this.device = device;
    this.pool = binding.openPool(device.client);
  }

  override commit(): number {
    const { room } = this;
    const places = placesIn(room);
    if (places === null)
      throw new TensorError(
        "RECORDED",
        `A graph takes launches, copies, fills and calls of libraries, not command ${room.op} of ${this.device.name}: do it outside of the graph's function.`,
      );
    for (const place of places)
      if (!binding.pin(this.device.client, this.pool, place))
        throw new TensorError(
          "DISPOSED",
          "Memory that is recorded into a graph has been disposed of: keep the tensor while the graph is recorded.",
        );
    room.origin = origin.current;
    super.commit();
    const record = this.records.at(-1)!;
    const words = new Uint32Array(record.buffer);
    this.#words.push(words);
    if (this.#drawn.size > 0 && room.op === Op.launch) this.#findDrawn(words, this.#words.length - 1);
    return 0;
  }

  /** Has something happen before each run but the first, which has what is recorded. */
  again(action: () => void): void {
    this.#renewals.push(action);
  }

  /** Has `write` write arguments of the launch that was recorded last anew before each run. */
  renew(write: (room: Room) => void): void {
    const index = this.records.length - 1;
    this.again(() => {
      this.room.bytes.set(this.records[index]!);
      write(this.room);
      const { words } = this.room;
      const known = this.#words[index]!;
      for (let word = argumentsAt(known); word < known.length; word += 2)
        if (words[word] !== known[word] || words[word + 1] !== known[word + 1])
          this.#change({ record: index, word }, words[word]!, words[word + 1]!);
    });
  }

  /**
   * What stands for a draw while it is recorded: words that occur nowhere else, so that every launch is found which
   * takes them, and each run draws anew.
   */
  drawn(next: () => Draw): Draw {
    const [seed, stream] = [randomBytes(8).readBigUInt64LE(), randomBytes(8).readBigUInt64LE()];
    const [seeds, streams]: Slot[][] = [[], []];
    this.#drawn.set(seed, seeds!).set(stream, streams!);
    this.again(() => {
      const now = next();
      for (const slot of seeds!) this.#changeLong(slot, now.seed);
      for (const slot of streams!) this.#changeLong(slot, now.stream);
    });
    this.#draws.push(this.#renewals.at(-1)!);
    return { seed, stream };
  }
  readonly #draws: (() => void)[] = [];

  #findDrawn(words: Uint32Array, record: number): void {
    for (let word = argumentsAt(words); word < words.length; word += 2) {
      const long = (BigInt(words[word + 1]!) << 32n) | BigInt(words[word]!);
      this.#drawn.get(long)?.push({ record, word });
    }
  }

  #changeLong(slot: Slot, value: bigint): void {
    this.#change(slot, Number(value & 0xffffffffn), Number(value >> 32n));
  }
  #change({ record, word }: Slot, low: number, high: number): void {
    const words = this.#words[record]!;
    words[word] = low;
    words[word + 1] = high;
    this.#changes.push(record, 4 * word, low, high);
  }

  /** Ends the recording: what was drawn gets the numbers of the first run. */
  finish(): void {
    for (const draw of this.#draws) draw();
    this.#changes = [];
  }

  /** Something happens before each run. */
  get isRenewed(): boolean {
    return this.#renewals.length > 0;
  }

  /** What is to be changed in the records before the next run, as writeGraphUpdate takes it; they have it already. */
  renewed(): readonly number[] {
    for (const action of this.#renewals) action();
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  /** Ends what it has, behind the command with that sequence. It writes no records. */
  close(sequence: number, free: FreeHost): void {
    binding.closePool(this.device.client, this.pool);
    for (const { place, bytes } of this.#hostBlocks) free(this.device, place, bytes, sequence);
  }

  /** Work is looked at that has found something wrong. */
  get isWatched(): boolean {
    return this.#watched.length > 0;
  }

  /** Memory of the host for as long as the records are run. */
  allocateHost(bytes: number): number {
    const place = this.device.allocate(bytes, "host");
    this.#hostBlocks.push({ place, bytes });
    return place;
  }

  /** Has `submit` record a command that may write to the place of a word: see {@link outcome}. */
  overWord<T>(before: bigint, check: Watched["check"], submit: (place: number) => T): T {
    const place = this.allocateHost(8);
    const word = new BigInt64Array(this.device.part(place, 8));
    word[0] = before;
    this.#watched.push({ word, before, check });
    return submit(place);
  }

  /** What runs that are done have found wrong, once. */
  outcome(): WarpcellError | undefined {
    let first: WarpcellError | undefined;
    for (const { word, before, check } of this.#watched) {
      if (word[0] === before) continue;
      first ??= check(word[0]!);
      word[0] = before;
    }
    return first;
  }
}
