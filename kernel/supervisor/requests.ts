// Finds the message behind a request number, which is all that the session knows, also for output that comes late.
import type { RequestId } from "../session-protocol.ts";
import type { Message } from "./messages.ts";

export interface Origin {
  message: Message;
  /** Nothing of it is broadcast. */
  silent: boolean;
  allowStdin: boolean;
  /** text/plain of its result, for the history. */
  resultText: string | null;
  isAnswered: boolean;
  /** Nothing of it runs or waits in the session any more. */
  isReleased: boolean;
}

export class Requests {
  readonly #origins = new Map<RequestId, Origin>();
  #last: RequestId = 0;

  add(message: Message, options: { silent: boolean; allowStdin: boolean }): RequestId {
    const id = ++this.#last;
    this.#origins.set(id, { message, ...options, resultText: null, isAnswered: false, isReleased: false });
    return id;
  }

  /** `undefined` for a number that no request has, or none that could still say something. */
  get(id: RequestId): Origin | undefined {
    return this.#origins.get(id);
  }

  /** It has been answered. A late print needs no more of it than the header: content and buffers are let go. */
  settle(id: RequestId): void {
    const origin = this.#origins.get(id);
    if (origin === undefined) return;
    origin.isAnswered = true;
    origin.message = { ...origin.message, content: {}, metadata: {}, buffers: [] };
    this.#forget(id, origin);
  }

  /** The session has nothing more to say of them. */
  release(ids: readonly RequestId[]): void {
    for (const id of ids) {
      const origin = this.#origins.get(id);
      if (origin === undefined) continue;
      origin.isReleased = true;
      this.#forget(id, origin);
    }
  }

  /** The session that could have spoken for those that were answered is gone. */
  sessionEnded(): void {
    for (const [id, { isAnswered }] of this.#origins) if (isAnswered) this.#origins.delete(id);
  }

  #forget(id: RequestId, { isAnswered, isReleased }: Origin): void {
    if (isAnswered && isReleased) this.#origins.delete(id);
  }
}
