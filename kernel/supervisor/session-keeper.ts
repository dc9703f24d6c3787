// Keeps a session there at all times: starts the next when one ends, and tells the running request why.
import type {
  AgentCommand,
  AgentEvent,
  CellError,
  Command,
  DebugAnswer,
  DeviceSummary,
  Event,
  RequestId,
  UserExpression,
  ViewAnswer,
  AgentTarget,
} from "../session-protocol.ts";
import type { StreamName } from "./publish.ts";
import { SessionProcess } from "./session-process.ts";

export interface Outcome {
  status: "ok" | "error";
  error: CellError | null;
  userExpressions: Record<string, UserExpression>;
  payload: Record<string, unknown>[];
}

export interface KeeperListener {
  event(event: Event): void;
  agentEvent(event: AgentEvent): void;
  nativeText(name: StreamName, text: string): void;
  /** A process is up: what it must be told again can be sent. Commands wait until this resolves. */
  ready(device: DeviceSummary): Promise<void>;
  /** A process ended, with this error for whoever it served. `idle`: no request was running. */
  ended(error: CellError, idle: boolean): void;
}

/** How long an interrupted request may go on before its session is ended, in ms. */
const interruptLimit = 2000;

interface Pending {
  command: Command & { request: RequestId };
  settle(outcome: Outcome): void;
}

export class SessionKeeper {
  readonly #listener: KeeperListener;
  readonly #pending = new Map<RequestId, Pending>();
  // Commands wait here until the process is ready.
  #unsent: Command[] = [];
  readonly #views = new Map<number, (answer: ViewAnswer | null) => void>();
  #lastView = 0;
  readonly #debugging = new Map<number, (answer: DebugAnswer | null) => void>();
  #lastDebug = 0;
  #process: SessionProcess | null = null;
  #ready = false;
  #stopping = false;
  #escalation: NodeJS.Timeout | null = null;
  /** The answer of a cell that ends the session, told once it has ended: the next cell is not for it. */
  #last: (Event & { type: "done" }) | null = null;

  constructor(listener: KeeperListener) {
    this.#listener = listener;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  start(): void {
    if (this.#process !== null || this.#stopping) return;
    this.#process = new SessionProcess({
      event: (event) => this.#receive(event),
      agentEvent: (event) => this.#receiveOfAgent(event),
      nativeText: (name, text) => this.#listener.nativeText(name, text),
      ended: (reason) => this.#processEnded(reason),
    });
  }

  /** Sends a command that is answered by `done`; resolves then, or with an error when the session ended. */
  request(command: Command & { request: RequestId }): Promise<Outcome> {
    if (this.#stopping && this.#process === null) return Promise.resolve(failed(stopped));
    return new Promise((settle) => {
      this.#pending.set(command.request, { command, settle });
      this.#send(command);
    });
  }

  agent(command: AgentCommand): void {
    this.#process?.sendAgent(command);
  }

  /** Asks the agent what a front end asks; `null` where only the main thread can answer, or none is there any more. */
  view(target: AgentTarget, data: unknown): Promise<ViewAnswer | null> {
    return new Promise((resolve) => {
      const view = ++this.#lastView;
      this.#views.set(view, resolve);
      this.agent({ type: "view", view, target, data });
    });
  }

  /** Asks the agent's debugger; `null` where the session ended first. */
  debug(command: string, given: Record<string, unknown>): Promise<DebugAnswer | null> {
    if (this.#process === null) return Promise.resolve(null);
    return new Promise((resolve) => {
      const debug = ++this.#lastDebug;
      this.#debugging.set(debug, resolve);
      this.agent({ type: "debug", debug, command, arguments: given });
    });
  }

  /** Whether what the session says is read, or waits in its pipes. */
  set reading(reading: boolean) {
    if (this.#process !== null) this.#process.reading = reading;
  }

  /** Stops this request: by the agent, and when that is not enough by ending the session. */
  interrupt(request: RequestId): void {
    if (!this.#pending.has(request)) return;
    this.#unblock();
    this.agent({ type: "interrupt", request });
    this.#escalation ??= setTimeout(() => {
      this.#escalation = null;
      if (this.#pending.has(request))
        this.#process?.kill(
          `the cell did not stop within ${interruptLimit / 1000} s of the interrupt, so its process was killed`,
        );
    }, interruptLimit);
  }

  /**
   * Stops handlers of comms: terminating what runs until the newest is reached stops those before it too. One that only
   * waits costs nothing and ends no session.
   */
  interruptComms(): void {
    const newest = [...this.#pending.keys()].at(-1);
    if (newest === undefined) return;
    this.#unblock();
    this.agent({ type: "interrupt", request: newest });
  }

  /** Ends the running process for what it sent on a channel that nobody but Node reads. */
  misused(error: unknown): void {
    this.#process?.misused(error);
  }

  /** Ends the session for good. */
  async stop(restart: boolean): Promise<void> {
    this.#stopping = true;
    await this.#process?.shutdown(restart, this.#pending.size > 0 || !this.#ready);
  }

  /** JavaScript that waits in a write to a full pipe cannot be terminated. */
  #unblock(): void {
    this.reading = true;
  }

  #send(command: Command): void {
    this.start();
    if (this.#ready) this.#process?.send(command);
    else this.#unsent.push(command);
  }

  #receive(event: Event): void {
    if (event.type === "ready") {
      void this.#begin(event.device);
    } else if (event.type === "done") {
      void this.#finish(event);
    } else {
      this.#listener.event(event);
    }
  }

  async #begin(device: DeviceSummary): Promise<void> {
    const begun = this.#process;
    await this.#listener.ready(device);
    if (this.#process !== begun) return;
    this.#ready = true;
    const unsent = this.#unsent;
    this.#unsent = [];
    for (const command of unsent) begun?.send(command);
  }

  #receiveOfAgent(event: AgentEvent): void {
    if (event.type === "viewed") {
      this.#views.get(event.view)?.(event.answer);
      this.#views.delete(event.view);
    } else if (event.type === "debugged") {
      this.#debugging.get(event.debug)?.(event.answer);
      this.#debugging.delete(event.debug);
    } else this.#listener.agentEvent(event);
  }

  async #finish(done: Event & { type: "done" }): Promise<void> {
    const isLast = done.payload.some(({ source }) => source === "ask_exit");
    if (isLast) this.#last = done;
    await this.#process?.outputReached(done.token);
    if (!isLast) this.#settle(done.request, done);
  }

  #settle(request: RequestId, outcome: Outcome): void {
    const pending = this.#pending.get(request);
    if (pending === undefined) return;
    this.#pending.delete(request);
    if (pending.command.type === "execute" && this.#escalation !== null) {
      clearTimeout(this.#escalation);
      this.#escalation = null;
    }
    pending.settle(outcome);
  }

  #processEnded(reason: string): void {
    const wasReady = this.#ready;
    const message = wasReady
      ? `The session ended: ${reason}. Its variables are lost; the next cell starts with fresh ones.`
      : `The session could not start: ${reason}. See what it printed above, and run \`warpcell doctor\`.`;
    const error: CellError = {
      name: wasReady ? "SessionEnded" : "SessionNotStarted",
      message,
      traceback: [`${wasReady ? "SessionEnded" : "SessionNotStarted"}: ${message}`],
    };
    if (this.#last !== null) this.#settle(this.#last.request, this.#last);
    this.#last = null;
    const requests = [...this.#pending.keys()];
    this.#process = null;
    this.#ready = false;
    this.#unsent = [];
    for (const resolve of this.#views.values()) resolve(null);
    this.#views.clear();
    for (const resolve of this.#debugging.values()) resolve(null);
    this.#debugging.clear();
    if (!this.#stopping) this.#listener.ended(error, requests.length === 0);
    for (const request of requests) this.#settle(request, failed(this.#stopping ? stopped : error));
    // One that never came up would only fail again: the next request tries.
    if (wasReady) this.start();
  }
}

const stoppedMessage = "The session ended: the kernel was shut down. Its variables are lost.";
const stopped: CellError = {
  name: "SessionEnded",
  message: stoppedMessage,
  traceback: [`SessionEnded: ${stoppedMessage}`],
};

function failed(error: CellError): Outcome {
  return { status: "error", error, userExpressions: {}, payload: [] };
}
