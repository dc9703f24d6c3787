// Knows which request the code that runs now belongs to: the value travels with promises and timers, so late output
// finds its own cell.
//
// AsyncLocalStorage would be the obvious means. But on Node 20 it turns on async_hooks, and a process with async_hooks
// on aborts when JavaScript is terminated inside a microtask, which is what interrupting `for (;;) await null` is. V8's
// promise hooks have no such check.
import { promisify } from "node:util";
import { promiseHooks } from "node:v8";
import type { RequestId } from "../../session-protocol.ts";

/** What code needs to know of the request that started it. */
export interface Request {
  id: RequestId;
  /** The front end can ask the user. */
  allowStdin: boolean;
}

/** Puts a request into an object that is not ours, where nobody else sees it. */
class Carrier extends (function (target: object) {
  return target;
} as unknown as new (
  target: object,
) => object) {
  #request: Request;

  constructor(target: object, request: Request) {
    super(target);
    this.#request = request;
  }

  static of(target: object): Request | undefined {
    return #request in target ? (target as Carrier).#request : undefined;
  }
}

type Callback = (...given: unknown[]) => unknown;
type Scheduler = (callback: Callback, ...rest: unknown[]) => unknown;

/** Not the cells' own, which belong to a request. */
const { setImmediate } = globalThis;

export class Requests {
  readonly #alive = new FinalizationRegistry<RequestId>((id) => this.#collected(id));
  #released: RequestId[] = [];
  #tell: (ids: RequestId[]) => void = () => undefined;
  #current: Request | undefined;
  #latest: Request = { id: 0, allowStdin: false };

  /** From now on a promise, a timer and a microtask belong to the request whose code makes them. */
  follow(): void {
    promiseHooks.createHook({
      init: (promise) => {
        if (this.#current !== undefined) new Carrier(promise, this.#current);
      },
      before: (promise) => {
        this.#current = Carrier.of(promise);
      },
      after: () => {
        this.#current = undefined;
      },
    });
    const timers = globalThis as unknown as Record<string, Scheduler>;
    timers["setImmediate"] = interruptible(timers["setImmediate"]!, process.nextTick as unknown as Scheduler);
    for (const name of ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"])
      timers[name] = this.#following(timers[name]!);
    process.nextTick = this.#following(process.nextTick as unknown as Scheduler) as unknown as typeof process.nextTick;
  }

  /**
   * `tell` hears which requests nothing belongs to any more, some time after that is so: when the engine has collected
   * all that did.
   */
  whenReleased(tell: (ids: RequestId[]) => void): void {
    this.#tell = tell;
  }

  create(id: RequestId, allowStdin: boolean): Request {
    const request: Request = { id, allowStdin };
    this.#alive.register(request, id);
    return request;
  }

  #collected(id: RequestId): void {
    this.#released.push(id);
    if (this.#released.length === 1) setImmediate(() => this.#tell(this.#released.splice(0)));
  }

  /** Runs `work`; everything it starts, now or later, belongs to `request`. */
  run<T>(request: Request, work: () => T): T {
    const before = this.#current;
    this.#latest = request;
    this.#current = request;
    try {
      return work();
    } finally {
      this.#current = before;
    }
  }

  /** The request of the code that calls this. Callbacks of native code may have lost it: they belong to the latest. */
  get current(): Request {
    return this.#current ?? this.#latest;
  }

  /** The request whose code certainly made what runs now; `undefined` when that is not known. */
  get certain(): Request | undefined {
    return this.#current;
  }

  /** Runs `work` for the request that made a promise. */
  runFor(promise: Promise<unknown>, work: () => void): void {
    this.run(Carrier.of(promise) ?? this.current, work);
  }

  #following(schedule: Scheduler): Scheduler {
    const following: Scheduler = (callback, ...rest) => {
      const request = this.#current;
      if (request === undefined || typeof callback !== "function") return schedule(callback, ...rest);
      const requests = this;
      // The `this` of a timer's callback is the timer: clearInterval(this).
      return schedule(
        function (this: unknown, ...given) {
          requests.#current = request;
          // Not in a `finally`: whoever reports what the callback throws still sees whose it was.
          callback.apply(this, given);
          requests.#current = undefined;
        },
        ...rest,
      );
    };
    return like(schedule, following);
  }
}

/**
 * Node loses its place among the immediates of a turn, and never finds it again, when one of them is terminated. So
 * each only queues its callback as the tick that comes right after it, where a termination does no harm.
 */
function interruptible(setImmediate: Scheduler, nextTick: Scheduler): Scheduler {
  return like(setImmediate, (callback, ...rest) =>
    setImmediate(typeof callback === "function" ? (...given) => nextTick(callback, ...given) : callback, ...rest),
  );
}

/** Gives a replacement the name and the promise form of the original. */
function like(original: Scheduler, replacement: Scheduler): Scheduler {
  const promised = (original as unknown as Record<symbol, unknown>)[promisify.custom];
  if (promised !== undefined) Object.defineProperty(replacement, promisify.custom, { value: promised });
  return Object.defineProperty(replacement, "name", { value: original.name });
}
