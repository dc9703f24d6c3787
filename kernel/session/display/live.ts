// Shows values again that say that they look different: a few times a second while a cell runs, and as they are when it
// ends.
import { randomUUID } from "node:crypto";
import type { MimeBundle, RequestId } from "../../session-protocol.ts";
import type { Output } from "../requests/output.ts";
import type { Request, Requests } from "../requests/request.ts";
import { bundleOf } from "./mime-bundle.ts";

/**
 * A value with this method is shown again as it changes: the method is given a function, which the value calls each
 * time that it looks different from now on.
 */
export const liveSymbol = Symbol.for("Jupyter.display.live");

/** Milliseconds between two showings at least, and so many times what describing the value takes. */
const least = 100;
const share = 10;

/** Not the cells' own, which are theirs to replace. */
const { setTimeout, clearTimeout } = globalThis;

interface Live {
  readonly value: object;
  readonly ids: Set<string>;
  /** The request whose code has changed it since it was shown. */
  changedBy: Request | null;
  next: number;
  timer: NodeJS.Timeout | undefined;
}

export class LiveDisplays {
  readonly #output: Output;
  readonly #requests: Requests;
  readonly #known = new WeakMap<object, Live>();
  readonly #changed = new Set<Live>();

  constructor(output: Output, requests: Requests) {
    this.#output = output;
    this.#requests = requests;
  }

  /** The value says when it changes. */
  has(value: unknown): value is object {
    return (
      typeof value === "object" &&
      value !== null &&
      typeof (value as Record<symbol, unknown>)[liveSymbol] === "function"
    );
  }

  /** The id that the value is shown under, whoever shows it; a new one for any other value. */
  idOf(value: unknown): string {
    const known = this.has(value) ? this.#known.get(value) : undefined;
    return known?.ids.values().next().value ?? randomUUID();
  }

  /** From now on what is shown under this id follows the value. */
  follow(value: object, id: string): void {
    const known = this.#known.get(value);
    if (known !== undefined) {
      known.ids.add(id);
      return;
    }
    const live: Live = {
      value,
      ids: new Set([id]),
      changedBy: null,
      next: performance.now() + least,
      timer: undefined,
    };
    this.#known.set(value, live);
    (value as Record<symbol, (changed: () => void) => void>)[liveSymbol]!(() => this.#change(live));
  }

  /** Shows a value that says when it changes: results have no id, so this is a display. */
  show(value: object, data: MimeBundle, request: RequestId): void {
    const known = this.#known.get(value);
    if (known !== undefined) this.#changed.delete(known);
    const id = this.idOf(value);
    this.#output.send({ type: "display", request, data, metadata: {}, displayId: id, update: false, buffers: [] });
    this.follow(value, id);
  }

  /** Shows what has changed and was not shown yet. Rejects with what a value throws that describes itself. */
  async flush(): Promise<void> {
    for (const live of [...this.#changed]) await this.#showAgain(live);
  }

  #change(live: Live): void {
    live.changedBy = this.#requests.current;
    this.#changed.add(live);
    const wait = live.next - performance.now();
    // A cell that does not yield is heard, too: its own calls come by here.
    if (wait <= 0) void this.#showAgain(live);
    else live.timer ??= setTimeout(() => void this.#showAgain(live), wait).unref();
  }

  #showAgain(live: Live): Promise<void> | undefined {
    clearTimeout(live.timer);
    live.timer = undefined;
    this.#changed.delete(live);
    const start = performance.now();
    const request = live.changedBy ?? this.#requests.current;
    const described = bundleOf(live.value);
    const send = (data: MimeBundle): void => {
      for (const displayId of live.ids)
        this.#output.send({
          type: "display",
          request: request.id,
          data,
          metadata: {},
          displayId,
          update: true,
          buffers: [],
        });
      live.next = performance.now() + Math.max(least, share * (performance.now() - start));
    };
    if (described instanceof Promise) return described.then(send);
    send(described);
    return undefined;
  }
}
