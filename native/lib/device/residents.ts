// What a device process holds for this one, modules, plans, textures and host functions: sent when they are made, and sent again by the first use
// of them in a process that has not got them.
import { headerBytes, headerOffsets, Op } from "../wire/commands.ts";
import { texturesIn } from "../wire/graph.ts";
import type { MessageName, RequestOf } from "../wire/messages.ts";

/** What sends one, and what has the process forget it. */
export interface Sender {
  /** Sends it, in the form that a process can take without having seen it before. Blocks until it is there. */
  readonly send: () => void;
  /** Writes a record. */
  readonly release: () => void;
  /** The others that it uses, as records name them. */
  readonly needs?: readonly (readonly [Op, number])[];
}

/** Commands whose records name what the process must hold, in their first word. */
type Use = typeof Op.launch | typeof Op.run | typeof Op.graph_launch | typeof Op.host_call | typeof Op.texture_copy;
const useOf: { readonly [op: number]: Use } = {
  [Op.launch]: Op.launch,
  [Op.run]: Op.run,
  [Op.graph_launch]: Op.graph_launch,
  [Op.graph_update]: Op.graph_launch,
  [Op.host_call]: Op.host_call,
  [Op.texture_copy]: Op.texture_copy,
};

/** One of them, for who asked for it. */
export interface Resident {
  readonly use: Use;
  readonly first: number;
  readonly count: number;
}

interface Held extends Resident, Sender {
  /** The process that has it; 0: none. */
  process: number;
}

/** Messages that name what the process must hold, as records do. */
const subjectOf: { readonly [N in MessageName]?: (request: RequestOf<N>) => readonly [Use, number] } = {
  occupancy: ({ kernel }) => [Op.launch, kernel],
  variable_write: ({ variable }) => [Op.launch, variable],
  variable_read: ({ variable }) => [Op.launch, variable],
  host_call: ({ module }) => [Op.host_call, module],
};
/** Messages with a launch. */
const launchOf: { readonly [N in MessageName]?: (request: RequestOf<N>) => Uint8Array } = {
  check: ({ launch }) => launch,
  time: ({ launch }) => launch,
};

/** A record as words. */
export const wordsOf = (record: Uint8Array): Uint32Array =>
  new Uint32Array(record.buffer, record.byteOffset, record.byteLength / 4);

/** What a record names that the process must hold: its subject, and the textures of a launch. */
export function namedIn(op: Op, words: Uint32Array): (readonly [Op, number])[] {
  const textures = op === Op.launch ? texturesIn(words) : [];
  return [[op, words[headerBytes / 4]!], ...textures.map((number) => [Op.texture_copy, number] as const)];
}

export class Residents {
  readonly #held = new Set<Held>();
  /** By the numbers that records have for them: a module has one for each of its kernels. */
  readonly #named: Readonly<Record<Use, (Held | undefined)[]>> = {
    [Op.launch]: [],
    [Op.run]: [],
    [Op.graph_launch]: [],
    [Op.host_call]: [],
    [Op.texture_copy]: [],
  };
  readonly #dropped: Held[] = [];
  /** Counts up with every restart. */
  #process = 1;
  #absent = 0;

  /** Another number for each process. */
  get process(): number {
    return this.#process;
  }

  /** The process has all of them: no record needs to be looked at. */
  get areComplete(): boolean {
    return this.#absent === 0;
  }

  /** Notes what the process has just been sent: records of `use` name it by `count` numbers from `first` on. */
  add(use: Use, first: number, count: number, sender: Sender): Resident {
    const held: Held = { use, first, count, ...sender, process: this.#process };
    this.#held.add(held);
    for (let number = first; number < first + count; number++) this.#named[use][number] = held;
    return held;
  }

  /** A new process runs, which has none of them. */
  restarted(): void {
    this.#process += 1;
    this.#absent = this.#held.size;
    this.#dropped.length = 0;
  }

  /** Sends what a record names, where the process has not got it. */
  provide(op: Op, number: number): void {
    const use = useOf[op];
    const held = use === undefined ? undefined : this.#named[use][number];
    if (held === undefined) return;
    for (const [other, subject] of held.needs ?? []) this.provide(other, subject);
    if (held.process === this.#process) return;
    held.send();
    held.process = this.#process;
    this.#absent -= 1;
  }

  /** {@link provide} for all that the record in these words names. */
  provideRecord(words: Uint32Array): void {
    const op = (words[headerOffsets.op / 4]! & 0xffff) as Op;
    for (const [each, number] of namedIn(op, words)) this.provide(each, number);
  }

  /** {@link provide} for a message. */
  provideFor<N extends MessageName>(name: N, request: RequestOf<N>): void {
    const subject = subjectOf[name];
    if (subject !== undefined) this.provide(...subject(request));
    const launch = launchOf[name];
    if (launch !== undefined) this.provideRecord(wordsOf(launch(request)));
  }

  /** Has the process forget what may be used again: its next use sends it. */
  withdraw(resident: Resident): void {
    const held = resident as Held;
    if (held.process !== this.#process) return;
    held.release();
    held.process = 0;
    this.#absent += 1;
  }

  /**
   * Forgets what nobody can use any more. It writes no records, so that what follows a collection may call it: the
   * process hears of it by {@link sweep}.
   */
  drop(resident: Resident): void {
    const held = resident as Held;
    if (!this.#held.delete(held)) return;
    const { use, first, count } = held;
    for (let number = first; number < first + count; number++) this.#named[use][number] = undefined;
    if (held.process === this.#process) this.#dropped.push(held);
    else this.#absent -= 1;
  }

  /** Has the process forget what was dropped. */
  sweep(): void {
    for (const held of this.#dropped.splice(0)) held.release();
  }
}
