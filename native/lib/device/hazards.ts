// What work on one stream does to memory that work on another uses, with nothing that orders the two: found while work
// is submitted, by what each stream has waited for so far.
import { CheckError } from "../errors.ts";
import { Scoped } from "../scoped.ts";
import { headerBytes, Op } from "../wire/commands.ts";
import { longAt } from "../wire/long.ts";
import { placesIn } from "../wire/graph.ts";
import type { Room } from "../wire/target.ts";
import { kernelName, origin, originPlace, placeText, planBit } from "./origins.ts";
import type { DeviceProcess } from "./process.ts";

/** By stream: the last command of it that comes before what has this clock. */
type Clock = readonly number[];

/** Bytes of the device, the last one excluded. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** One command. */
interface Work {
  readonly sequence: number;
  readonly stream: number;
  readonly origin: number;
  readonly name: string;
}

interface Access extends Range {
  readonly by: Work;
  readonly isWrite: boolean;
}

/** A block of memory, with those accesses that later ones may meet. */
interface Block extends Range {
  accesses: Access[];
}

/** Accesses of a block that are kept: views of it may be many. */
const mostAccesses = 256;
/** Fences that nobody has waited for. */
const mostFences = 4096;

const first = headerBytes / 4;

const latest = (a: Clock, b: Clock): Clock =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, stream) => Math.max(a[stream] ?? 0, b[stream] ?? 0));

function withStream(clock: Clock, stream: number, sequence: number): Clock {
  const result = [...clock];
  result[stream] = sequence;
  return latest(result, []);
}

const overlap = (a: Range, b: Range) => a.from < b.to && b.from < a.to;

/** Of one device. */
class Accesses {
  readonly #blocks: Block[] = [];
  readonly #clocks = new Map<number, Clock>();
  readonly #events = new Map<number, Clock>();
  readonly #fences = new Map<number, Clock>();
  /** What JavaScript has waited for: all that it submits comes after. */
  #seen: Clock = [];
  /** The command that was submitted last, which is told what it uses after that. */
  #current: { readonly work: Work; readonly isRun: boolean; readonly uses: Map<number, Access> } | null = null;
  readonly #found: CheckError[];

  constructor(found: CheckError[]) {
    this.#found = found;
  }

  submitted(sequence: number, room: Room): void {
    this.conclude();
    const { op, stream, words, subject } = room;
    const clock = this.#clocks.get(stream) ?? [];
    if (op === Op.stream_wait) {
      const other = withStream(this.#clocks.get(subject) ?? [], subject, sequence);
      this.#clocks.set(stream, latest(clock, other));
    } else if (op === Op.event_record) this.#events.set(subject, withStream(clock, stream, sequence));
    else if (op === Op.event_wait) this.#clocks.set(stream, latest(clock, this.#events.get(subject) ?? []));
    else if (op === Op.event_release) this.#events.delete(subject);
    else if (op === Op.fence) {
      this.#fences.set(sequence, withStream(clock, stream, sequence));
      if (this.#fences.size > mostFences) this.#fences.delete(this.#fences.keys().next().value!);
    } else if (op === Op.copy) {
      const bytes = longAt(words, first + 4);
      this.#begin(sequence, stream, "a copy");
      this.used(longAt(words, first + 2), bytes, false);
      this.used(longAt(words, first), bytes, true);
    } else if (op === Op.fill) {
      this.#begin(sequence, stream, "a fill");
      this.used(longAt(words, first), longAt(words, first + 2), true);
    } else if (op === Op.launch) this.#begin(sequence, stream, kernelName(subject));
    else if (op === Op.run) {
      this.#begin(sequence, stream, kernelName(subject + planBit), true);
      // How far it reads only the library knows: from there on it does.
      for (const place of placesIn(room)!) this.used(place, 1, false);
    }
  }

  #begin(sequence: number, stream: number, name: string, isRun = false): void {
    this.#current = { work: { sequence, stream, origin: origin.current, name }, isRun, uses: new Map() };
  }

  /** The command that was submitted last uses so many bytes there. */
  used(from: number, bytes: number, isWrite: boolean): void {
    if (this.#current === null || bytes === 0) return;
    const { work, uses } = this.#current;
    const known = uses.get(from);
    uses.set(from, {
      from,
      to: Math.max(from + bytes, known?.to ?? 0),
      by: work,
      isWrite: isWrite || known?.isWrite === true,
    });
  }

  /** A command writes to a block; of a call of a library nothing else says so. */
  wrote(sequence: number, block: Range): void {
    if (this.#current?.work.sequence !== sequence || !this.#current.isRun) return;
    const { uses } = this.#current;
    for (const use of uses.values()) if (overlap(use, block)) uses.set(use.from, { ...use, isWrite: true });
  }

  /** Memory was handed out: what used it before is no concern of its new owner. */
  allocated(place: number, bytes: number): void {
    this.conclude();
    const block = { from: place, to: place + bytes };
    const at = this.#indexOf(place);
    let end = at;
    while (end < this.#blocks.length && overlap(this.#blocks[end]!, block)) end++;
    this.#blocks.splice(at, end - at, { ...block, accesses: [] });
  }

  /** JavaScript has waited for fences. */
  reached(fences: readonly { readonly sequence: number }[]): void {
    this.conclude();
    for (const { sequence } of fences) {
      this.#seen = latest(this.#seen, this.#fences.get(sequence) ?? []);
      this.#fences.delete(sequence);
    }
  }

  /** All that was submitted is done. */
  idle(): void {
    this.conclude();
    this.#fences.clear();
    for (const block of this.#blocks) block.accesses = [];
  }

  /** The first block that ends behind a place. */
  #indexOf(place: number): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#blocks[middle]!.to <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #blockOf(use: Range): Block {
    const at = this.#indexOf(use.from);
    const found = this.#blocks[at];
    if (found !== undefined && found.from <= use.from) return found;
    // It was there before anybody looked.
    const to = found === undefined ? use.to : Math.min(use.to, found.from);
    const block = { from: use.from, to, accesses: [] };
    this.#blocks.splice(at, 0, block);
    return block;
  }

  #isBefore({ stream, sequence }: Work, later: Work): boolean {
    if (stream === later.stream) return true;
    const clock = this.#clocks.get(later.stream) ?? [];
    return sequence <= Math.max(clock[stream] ?? 0, this.#seen[stream] ?? 0);
  }

  /** Judges the command that was submitted last. */
  conclude(): void {
    const current = this.#current;
    if (current === null) return;
    this.#current = null;
    for (const use of current.uses.values()) {
      const block = this.#blockOf(use);
      const isMet = (each: Access) => overlap(each, use) && (each.isWrite || use.isWrite);
      const met = block.accesses.find((each) => isMet(each) && !this.#isBefore(each.by, use.by));
      if (met !== undefined) this.#found.push(errorOf(met, use));
      const isPast = (each: Access) =>
        each.from >= use.from &&
        each.to <= use.to &&
        (use.isWrite || (!each.isWrite && each.by.stream === use.by.stream));
      block.accesses = [...block.accesses.filter((each) => !isPast(each)), use].slice(-mostAccesses);
    }
  }
}

function workText({ by: { name, origin } }: Access): string {
  const place = originPlace(origin);
  return `${name}${place === undefined ? "" : ` (${placeText(place)})`}`;
}

function errorOf(before: Access, now: Access): CheckError {
  const does = ({ isWrite }: Access) => (isWrite ? "writes" : "reads");
  const [later, earlier] = [now.by.stream, before.by.stream];
  return new CheckError(
    "STREAMS",
    `Stream ${later} ${does(now)} memory in ${workText(now)} that stream ${earlier} ${does(before)} in ${workText(before)}, and nothing orders the two: have stream ${later} wait for stream ${earlier} between them, with stream.wait() or an event.`,
    [],
    originPlace(now.by.origin),
  );
}

/** What was found, until a wait throws it. */
const found = new WeakMap<DeviceProcess, CheckError[]>();

function foundOn(device: DeviceProcess): CheckError[] {
  const known = found.get(device);
  if (known !== undefined) return known;
  const fresh: CheckError[] = [];
  found.set(device, fresh);
  // The others follow from the first, or come again.
  device.onWait(() => fresh.splice(0)[0]);
  return fresh;
}

export class StreamHazards {
  readonly #devices = new Map<DeviceProcess, Accesses>();

  /** What is known of a device. */
  of(device: DeviceProcess): Accesses {
    let known = this.#devices.get(device);
    if (known === undefined) this.#devices.set(device, (known = new Accesses(foundOn(device))));
    return known;
  }

  conclude(): void {
    for (const each of this.#devices.values()) each.conclude();
  }
}

/** `null`: nobody looks. */
export const hazards = new Scoped<StreamHazards | null>(null);

/** Looks from now on, until what is returned is disposed of. */
export function followStreams(): Disposable {
  const followed = new StreamHazards();
  const scope = hazards.begin(followed);
  return {
    [Symbol.dispose]: () => {
      followed.conclude();
      scope[Symbol.dispose]();
    },
  };
}
