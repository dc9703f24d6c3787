// Asks a running cell's question on the right client's stdin, and brings the answer back.
import type { AgentCommand, RequestId } from "../session-protocol.ts";
import { optional } from "./content.ts";
import { questionTo, type Message } from "./messages.ts";
import type { Origin } from "./requests.ts";

export class Stdin {
  readonly #send: (message: Message) => void;
  readonly #agent: (command: AgentCommand) => void;
  #waiting: { request: RequestId; identity: string } | null = null;

  constructor(send: (message: Message) => void, agent: (command: AgentCommand) => void) {
    this.#send = send;
    this.#agent = agent;
  }

  /** A question of a request whose client cannot ask is answered with `null`. */
  ask(request: RequestId, origin: Origin | undefined, prompt: string, password: boolean): void {
    if (origin === undefined || !origin.allowStdin) {
      this.#agent({ type: "inputReply", request, value: null });
      return;
    }
    this.#waiting = { request, identity: routeOf(origin.message) };
    this.#send(questionTo(origin.message, prompt, password));
  }

  /** An answer that nobody waits for, or from another client, is stale. */
  answer(reply: Message): void {
    const waiting = this.#waiting;
    if (waiting === null || waiting.identity !== routeOf(reply)) return;
    this.#waiting = null;
    this.#agent({
      type: "inputReply",
      request: waiting.request,
      value: optional(reply.content, "value", "string", ""),
    });
  }

  /** The request has ended: its question no longer waits. */
  ended(request: RequestId): void {
    if (this.#waiting?.request === request) this.#waiting = null;
  }
}

function routeOf({ identities }: Message): string {
  return identities.map((identity) => Buffer.from(identity).toString("hex")).join();
}
