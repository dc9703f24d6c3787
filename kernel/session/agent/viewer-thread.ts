// The agent's end of the viewer: starts it when a front end will ask, tells it what is shown, and passes questions to it.
import { Worker } from "node:worker_threads";
import { isShown, type SharedSource, type Shown } from "warpcell/host";
import type { ViewAnswer, AgentTarget } from "../../session-protocol.ts";
import type { AgentStart, FromViewer, ToViewer } from "./agent-link.ts";

export class ViewerThread {
  readonly #start: AgentStart;
  readonly #shown = new Map<string, Shown>();
  readonly #waiting = new Map<number, (answer: ViewAnswer | null) => void>();
  #shared: SharedSource[] = [];
  #worker: Worker | null = null;

  constructor(start: AgentStart) {
    this.#start = start;
  }

  /** Front ends will ask. */
  open(): void {
    this.#tell({ type: "opened" });
  }

  show(shown: Shown): void {
    for (const [id, other] of this.#shown) if (!isShown(other)) this.#shown.delete(id);
    this.#shown.set(shown.id, shown);
    this.#worker?.postMessage({ type: "shown", shown } satisfies ToViewer);
  }

  /** Tells which device code cells share. */
  share(sources: SharedSource[]): void {
    this.#shared = sources;
    this.#worker?.postMessage({ type: "sharedCode", sources } satisfies ToViewer);
  }

  /** `null`: only the main thread can answer this. */
  ask(view: number, target: AgentTarget, data: unknown): Promise<ViewAnswer | null> {
    return new Promise((resolve) => {
      this.#waiting.set(view, resolve);
      this.#tell({ type: "view", view, target, data });
    });
  }

  #tell(message: ToViewer): void {
    this.#worker ??= this.#started();
    this.#worker.postMessage(message);
  }

  #started(): Worker {
    const worker = new Worker(new URL("./viewer.js", import.meta.url), {
      workerData: this.#start,
      name: "warpcell viewer",
    });
    worker.on("message", ({ view, answer }: FromViewer) => this.#settle(view, answer));
    worker.on("error", (error) =>
      process.stderr.write(`warpcell: the thread that answers viewers failed: ${error.stack ?? error.message}\n`),
    );
    // The next question starts another one.
    worker.on("exit", () => {
      this.#worker = null;
      for (const view of this.#waiting.keys()) this.#settle(view, null);
    });
    worker.postMessage({ type: "sharedCode", sources: this.#shared } satisfies ToViewer);
    for (const shown of this.#shown.values()) worker.postMessage({ type: "shown", shown } satisfies ToViewer);
    return worker;
  }

  #settle(view: number, answer: ViewAnswer | null): void {
    this.#waiting.get(view)?.(answer);
    this.#waiting.delete(view);
  }
}
