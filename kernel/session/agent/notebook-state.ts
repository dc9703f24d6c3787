// The agent's answers about names and memory while a cell runs: names as they were before it, and what the allocator
// has now.
import type * as Host from "warpcell/host";
import type { CellMemory, MemoryReply, VariablesReply } from "../../mime.ts";
import { listTargets, type ListTarget, type AgentTarget, type ViewAnswer } from "../../session-protocol.ts";
import { NotHere, refusalOf, replyTo, type Views } from "../display/views.ts";
import type { Held, Places } from "./agent-link.ts";

const isBusy = "A cell is running. Do this when it has ended.";

export class NotebookState {
  readonly #host: typeof Host;
  #held: Held | null = null;
  readonly #places = new Map<number, Places["places"][number]["1"]>();

  constructor(host: typeof Host) {
    this.#host = host;
  }

  hold(held: Held): void {
    this.#held = held;
    this.#places.clear();
  }

  /** Lines of the cell that runs. */
  learn({ places }: Places): void {
    for (const [origin, place] of places) this.#places.set(origin, place);
  }

  /** `null`: it is not to be answered here. */
  answer(target: AgentTarget, data: unknown): ViewAnswer | null {
    if (!listTargets.includes(target as ListTarget)) return null;
    try {
      const reply = replyTo(target as ListTarget, data, this.#views);
      return { data: { ...reply.data }, buffers: [] };
    } catch (error) {
      if (error instanceof NotHere) return null;
      if (!(error instanceof Busy)) throw error;
      return { data: { ...refusalOf(target as ListTarget, data, error.message).data }, buffers: [] };
    }
  }

  readonly #views: Views = {
    slice: notHere,
    figures: notHere,
    tile: notHere,
    statistics: notHere,
    find: notHere,
    window: notHere,
    preview: notHere,
    dispose: busy,
    release: busy,
    variables: () => this.#variables(),
    memory: () => this.#memory(),
  };

  #variables(): Pick<VariablesReply, "variables" | "running"> {
    if (this.#held === null) throw new NotHere();
    return { variables: this.#held.variables, running: true };
  }

  #memory(): Pick<MemoryReply, "devices" | "cells" | "running"> {
    const held = this.#held;
    if (held === null) throw new NotHere();
    const { before, ...cell } = held.running;
    const known = held.memory.map((each) => ({
      ...each,
      places: new Map([...each.places, ...this.#places]),
      // A name may lead to something else by now.
      named: null,
    }));
    const current = known.map(({ client, device }): CellMemory => {
      const { now: after, peak } = this.#host.recentMemoryOf(client, false);
      return { ...cell, device, before: before[client] ?? 0, peak, after, running: true };
    });
    return {
      devices: known.map((each) => this.#host.deviceMemory(each)),
      cells: [...held.cells, ...current],
      running: true,
    };
  }
}

class Busy extends Error {
  override readonly name = "Busy";
}

function busy(): never {
  throw new Busy(isBusy);
}

function notHere(): never {
  throw new NotHere();
}
