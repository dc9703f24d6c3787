// Who holds the memory of devices: what each cell took, which names lead to what, and what the agent is told of it before
// a cell that may keep this thread busy.
import type { Worker } from "node:worker_threads";
import type { OutOfMemory } from "warpcell";
import type * as Host from "warpcell/host";
import type { CellMemory, KernelReply, MemoryReply, TracePlace } from "../../mime.ts";
import { type Held, shared, type ToAgent } from "../agent/agent-link.ts";
import type { CellRegistry, RanCell } from "../cells/cell-registry.ts";
import type { Names } from "../cells/names.ts";
import type { MimeBundle } from "../../session-protocol.ts";
import { shortageBundle } from "./shortage.ts";

/** So many of the cells that took or freed memory are remembered. */
const mostCells = 200;

export class MemoryReports {
  /** Comms of front ends that want to know; nobody else costs a cell anything. */
  readonly watchers = new Set<string>();
  readonly #agent: Worker;
  readonly #memory: Int32Array;
  readonly #names: Names;
  #host: typeof Host | null = null;
  #cells: CellMemory[] = [];
  #before = new Map<number, number>();
  /** When cells began, by execution count; in ms since the epoch. */
  readonly #starts = new Map<number, number>();

  constructor(agent: Worker, memory: SharedArrayBuffer, names: Names) {
    this.#agent = agent;
    this.#memory = new Int32Array(memory);
    this.#names = names;
  }

  /** Once, when the library is there. */
  use(host: typeof Host): void {
    this.#host = host;
  }

  /** The id by which front ends may ask for a tensor. */
  readonly identify = (tensor: object): string | null => this.#host!.idOfPlain(tensor);

  /** A cell begins. */
  begin(cell: RanCell): void {
    this.#starts.set(cell.count, Date.now());
    const before = this.#host?.recentMemory(true) ?? [];
    this.#before = new Map(before.map(({ client, now }) => [client, now]));
    if (this.watchers.size > 0 && this.#host !== null) this.#tell(cell);
    Atomics.store(this.#memory, shared.cell, 1);
  }

  /** The code that runs has call sites from this number on. */
  tellPlaces(cells: CellRegistry, { count }: RanCell, first: number): void {
    if (this.watchers.size === 0 || this.#host === null) return;
    const since = this.#starts.get(count) ?? null;
    const places: [number, { place: TracePlace; since: number | null }][] = [];
    for (let origin = first; origin < cells.nextOrigin; origin++) {
      const place = cells.placeOfOrigin(origin);
      if (place !== undefined) places.push([origin, { place: this.#host.placeOf(place), since }]);
    }
    this.#agent.postMessage({ type: "places", places } satisfies ToAgent);
  }

  /** It has ended, and what it launched. */
  end({ label: text, id: cell = null, count }: RanCell): void {
    Atomics.store(this.#memory, shared.cell, 0);
    for (const { client, device, now: after, peak } of this.#host?.recentMemory(false) ?? []) {
      const before = this.#before.get(client) ?? 0;
      if (peak === before && after === before) continue;
      this.#cells.push({ text, cell, count, device, before, peak: Math.max(peak, after), after, running: false });
    }
    this.#cells = this.#cells.slice(-mostCells);
  }

  /** As this thread knows it. */
  now(): Pick<MemoryReply, "devices" | "cells"> {
    const host = this.#host;
    return { devices: host === null ? [] : this.#known().map((known) => host.deviceMemory(known)), cells: this.#cells };
  }

  /** What names lead to, and the devices in use. */
  compiled(): Pick<KernelReply, "code" | "devices"> {
    return { code: this.#names.compiled(), devices: this.#host?.openDevices() ?? [] };
  }

  /** What held the memory when there was not enough of it, to be shown; `null`: that is not what was thrown. */
  shortage(thrown: unknown): MimeBundle | null {
    // An age would be that of when it is read.
    const memory = this.#host?.memoryAt(thrown, this.#namesOf(), () => null) ?? null;
    return memory && shortageBundle((thrown as OutOfMemory).requested, memory);
  }

  #known(): Held["memory"] {
    return this.#host!.knownMemory(this.#namesOf(), ({ count }) => this.#starts.get(count) ?? null);
  }

  /** Names are looked through when the first is asked for. */
  #namesOf(): Parameters<typeof Host.knownMemory>[0] {
    let holders: ReturnType<Names["holders"]> | null = null;
    return (storage) => (holders ??= this.#names.holders()).get(storage) ?? [];
  }

  #tell({ label: text, id: cell = null, count }: RanCell): void {
    const held: Held = {
      ...this.compiled(),
      variables: this.#names.list(this.identify),
      memory: this.#known(),
      cells: this.#cells,
      running: { text, cell, count, before: Object.fromEntries(this.#before) },
    };
    this.#agent.postMessage({ type: "held", held } satisfies ToAgent);
  }
}
