// Runs code so that the agent thread can stop it, and races what it awaits with an interrupt.
import { Session } from "node:inspector";
import type { Worker } from "node:worker_threads";
import type { RequestId } from "../../session-protocol.ts";
import { type FromAgent, shared } from "../agent/agent-link.ts";

/** The user stopped the cell. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly code = "INTERRUPTED";

  constructor() {
    super("The cell was stopped by an interrupt. All variables are kept.");
    // Where the interrupt arrived says nothing of the cell.
    this.stack = String(this);
  }
}

const entry = Symbol.for("warpcell.entry");
const callEntry = 'globalThis[Symbol.for("warpcell.entry")]()\n//# sourceURL=warpcell:entry';

export class Interrupts {
  readonly #inspector = new Session();
  readonly #memory: Int32Array;
  readonly #interrupted = new Set<RequestId>();
  // What runs: a cell, and handlers of comms while it waits.
  readonly #stops = new Map<RequestId, (reason: Interrupted) => void>();

  constructor(memory: SharedArrayBuffer) {
    this.#memory = new Int32Array(memory);
    this.#inspector.connect();
    Object.defineProperty(globalThis, entry, { value: undefined, writable: true, enumerable: false });
  }

  listen(agent: Worker): void {
    agent.on("message", ({ request }: FromAgent) => {
      Atomics.store(this.#memory, shared.acknowledged, request);
      this.#interrupted.add(request);
      this.#stops.get(request)?.(new Interrupted());
    });
  }

  /**
   * Runs `work` as the code of a request, of a cell or of a comm's handler. Rejects with {@link Interrupted} when the
   * agent terminated it, or when the interrupt comes while it awaits something, which may never settle. It also rejects
   * when the interrupt came before it started, or before its code did.
   */
  async run<T>(request: RequestId, work: (guard: Guard) => Promise<T>): Promise<T> {
    if (this.isInterrupted(request)) throw new Interrupted();
    const interrupted = new Promise<never>((_, reject) => {
      this.#stops.set(request, reject);
    });
    Atomics.add(this.#memory, shared.running, 1);
    try {
      return await Promise.race([work((code) => this.#guard(request, code)), interrupted]);
    } catch (error) {
      if (error instanceof Interrupted) this.#interrupted.add(request);
      throw error;
    } finally {
      this.#stops.delete(request);
      Atomics.sub(this.#memory, shared.running, 1);
    }
  }

  /** Calls `stop` when the request is interrupted while `work` goes on, such as that of a child process. */
  async stoppable<T>(request: RequestId, stop: () => void, work: Promise<T>): Promise<T> {
    const before = this.#stops.get(request);
    if (before === undefined) return work;
    this.#stops.set(request, (reason) => {
      stop();
      before(reason);
    });
    try {
      return await work;
    } finally {
      if (this.#stops.has(request)) this.#stops.set(request, before);
    }
  }

  /** The request has ended: an interrupt of it comes too late. */
  end(request: RequestId): void {
    Atomics.store(this.#memory, shared.ended, request);
  }

  /** The request was interrupted: what still runs for it should end. */
  isInterrupted(request: RequestId): boolean {
    return this.#interrupted.has(request) || Atomics.load(this.#memory, shared.interrupting) === request;
  }

  /** Calls `code` through the inspector, outside which a termination would unwind the session's own frames too. */
  #guard<T>(request: RequestId, code: () => T): T {
    // It may have come between two steps of the work.
    if (this.isInterrupted(request)) throw new Interrupted();
    let outcome: { value: T } | { thrown: unknown } | undefined;
    (globalThis as unknown as Record<symbol, () => void>)[entry] = () => {
      try {
        const value = code();
        this.#meetTermination(request);
        outcome = { value };
      } catch (thrown) {
        outcome = { thrown };
      }
    };
    this.#inspector.post("Runtime.evaluate", { expression: callEntry });
    if (outcome === undefined) throw new Interrupted();
    if ("thrown" in outcome) throw outcome.thrown;
    return outcome.value;
  }

  /**
   * Code that comes out of a blocking call may return before the termination reaches it, which would then unwind the
   * session's own frames: one that is under way is waited for here, since the agent terminates until something has
   * ended.
   */
  #meetTermination(request: RequestId): void {
    while (Atomics.load(this.#memory, shared.interrupting) === request);
  }
}

/** Calls user code synchronously; a termination becomes {@link Interrupted}. */
export type Guard = <T>(code: () => T) => T;
