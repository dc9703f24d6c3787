// Knows which request the code that runs now belongs to: the value travels with timers and promises, so late output finds its own cell.
import { AsyncLocalStorage } from "node:async_hooks";
import type { RequestId } from "../session-protocol.ts";

/** What code needs to know of the request that started it. */
export interface Request {
  id: RequestId;
  /** The front end can ask the user. */
  allowStdin: boolean;
}

export class Requests {
  readonly #storage = new AsyncLocalStorage<Request>();
  #latest: Request = { id: 0, allowStdin: false };

  /** Runs `work`; everything it starts, now or later, belongs to `request`. */
  run<T>(request: Request, work: () => T): T {
    this.#latest = request;
    return this.#storage.run(request, work);
  }

  /** The request of the code that calls this. Callbacks of native code may have lost it; they belong to the latest. */
  get current(): Request {
    return this.#storage.getStore() ?? this.#latest;
  }
}
