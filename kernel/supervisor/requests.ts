// Turns request numbers, which are all that the session knows, back into the messages that made them, also for output that comes late.
import type { RequestId } from "../session-protocol.ts";
import type { Message } from "./messages.ts";

export interface Origin {
  message: Message;
  /** Nothing of it is broadcast. */
  silent: boolean;
  allowStdin: boolean;
  /** text/plain of its result, for the history. */
  resultText: string | null;
}

/** So many requests may still print. An older one's output goes to the oldest that is known. */
const remembered = 10_000;

export class Requests {
  readonly #origins = new Map<RequestId, Origin>();
  #last: RequestId = 0;

  add(message: Message, options: { silent: boolean; allowStdin: boolean }): RequestId {
    // What a late print needs is the header: buffers and code are let go when the request ends, see `settle`.
    const id = ++this.#last;
    this.#origins.set(id, { message, ...options, resultText: null });
    if (this.#origins.size > remembered) for (const oldest of this.#origins.keys()) { this.#origins.delete(oldest); break; }
    return id;
  }

  get(id: RequestId): Origin | undefined {
    return this.#origins.get(id) ?? this.#origins.values().next().value;
  }

  /** Forgets the content of a request that has ended. */
  settle(id: RequestId): void {
    const origin = this.#origins.get(id);
    if (origin !== undefined) origin.message = { ...origin.message, content: {}, metadata: {}, buffers: [] };
  }
}
