// Gives cells `display` and its helpers: values become display events of the request that shows them.
import { packBuffers } from "../../session-protocol-buffers.ts";
import type { MimeBundle } from "../../session-protocol.ts";
import { requireJson } from "./json.ts";
import type { LiveDisplays } from "./live.ts";
import { bundleOf, raw } from "./mime-bundle.ts";
import type { Output } from "../requests/output.ts";
import type { Requests } from "../requests/request.ts";

/** The names are those of Deno's `display`. */
export interface DisplayOptions {
  /** Displays with one id show the same; see {@link Display.update}. */
  display_id?: string;
  /** Replaces what is shown under `display_id` instead of adding an output. */
  update?: boolean;
  /** The value is itself a MIME bundle: `{ "text/html": … }`. */
  raw?: boolean;
  metadata?: Record<string, unknown>;
  buffers?: Uint8Array[];
}

/** One output below a cell, which can be replaced later. */
export interface Shown {
  readonly id: string;
  update(value: unknown, options?: DisplayOptions): Promise<void>;
}

/** The global `display`. */
export interface Display {
  /** Shows a value below the cell. Resolves when it is described; most values are at once. */
  (value: unknown, options?: DisplayOptions): Promise<Shown>;
  /** Replaces what is shown under an id. */
  update(id: string, value: unknown, options?: DisplayOptions): Promise<void>;
  /** Removes the outputs of the cell; with `wait`, when the next one comes. */
  clear(wait?: boolean): void;
}

/** What displays return: at the end of a cell there is nothing more of it to show. */
const returned = new WeakSet<object>();

export function isOfDisplay(value: unknown): boolean {
  return typeof value === "object" && value !== null && returned.has(value);
}

export function ofDisplay<T extends object>(value: T): T {
  returned.add(value);
  return value;
}

export function createDisplay(output: Output, requests: Requests, live: LiveDisplays): Display {
  const show = async (value: unknown, options: DisplayOptions, id: string | null, update: boolean): Promise<void> => {
    const request = requests.current.id;
    if (options.metadata !== undefined) requireJson(options.metadata, "the metadata of a display");
    const described = bundleOf(options.raw === true ? raw(value as MimeBundle) : value);
    // Without a wait where there is none: what the cell prints or shows next comes after it, whether it awaits this or
    // not.
    const data = described instanceof Promise ? await described : described;
    output.send({
      type: "display",
      request,
      data,
      metadata: options.metadata ?? {},
      displayId: id,
      update,
      buffers: packBuffers(options.buffers ?? []),
    });
  };

  const update = (id: string, value: unknown, options: DisplayOptions = {}): Promise<void> =>
    ofDisplay(show(value, options, id, true));

  const showNew = async (value: unknown, options: DisplayOptions): Promise<Shown> => {
    const id = options.display_id ?? live.idOf(value);
    const shown = show(value, options, id, options.update ?? false);
    if (live.has(value)) live.follow(value, id);
    await shown;
    return ofDisplay({ id, update: (next: unknown, nextOptions?: DisplayOptions) => update(id, next, nextOptions) });
  };
  const display = (value: unknown, options: DisplayOptions = {}): Promise<Shown> => ofDisplay(showNew(value, options));
  return Object.assign(display, {
    update,
    clear: (wait = false) => output.send({ type: "clearOutput", request: requests.current.id, wait }),
  });
}
