// The ring of a device while a graph of another one is recorded: work for it would be done once, and not at each run.
import { TensorError } from "../errors.ts";
import { Op } from "../wire/commands.ts";
import type { Room, Target } from "../wire/target.ts";

export class Elsewhere implements Target {
  readonly runsLater = false;
  readonly #name: string;
  readonly #ring: Target;
  readonly #graphs: string;

  /** `name`: the device's; `graphs`: that of the device whose graph it is. */
  constructor(name: string, ring: Target, graphs: string) {
    this.#name = name;
    this.#ring = ring;
    this.#graphs = graphs;
  }

  get room(): Room {
    return this.#ring.room;
  }

  /** Takes what moves bytes only: what is read of the device becomes a constant of the graph. */
  commit(): number {
    const { op } = this.room;
    if (op === Op.fence || op === Op.copy) return this.#ring.commit();
    throw new TensorError(
      "DEVICE",
      `The graph records work of ${this.#graphs}, but its function computes on ${this.#name}: make its tensors on one device, and name it if there are no inputs, as in graph(fn, { device: "${this.#name}" }).`,
    );
  }

  keep(): void {}
}
