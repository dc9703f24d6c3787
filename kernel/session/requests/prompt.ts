// Gives cells `prompt`, `confirm` and `input`, which ask the user through the front end.
import { MessageChannel, receiveMessageOnPort, type Worker } from "node:worker_threads";
import { type Answer, shared, type ToAgent } from "../agent/agent-link.ts";
import type { Output } from "./output.ts";
import type { Requests } from "./request.ts";

/** The front end cannot ask the user. */
export class NoInputError extends Error {
  override readonly name = "NoInputError";
  readonly code = "NO_INPUT";

  constructor() {
    super(
      "This front end cannot ask the user (allow_stdin is false). Run the cell where it can, or give the value in code.",
    );
  }
}

export interface InputOptions {
  password?: boolean;
}

export class Prompts {
  readonly #agent: Worker;
  readonly #memory: Int32Array;
  readonly #output: Output;
  readonly #requests: Requests;

  constructor(agent: Worker, memory: SharedArrayBuffer, output: Output, requests: Requests) {
    this.#agent = agent;
    this.#memory = new Int32Array(memory);
    this.#output = output;
    this.#requests = requests;
  }

  /**
   * As in a browser: blocks until the user answers. What an empty answer means is shown with the question. `null` when
   * the input ended. Throws {@link NoInputError}.
   */
  prompt(message = "", fallback?: string): string | null {
    const before = Atomics.load(this.#memory, shared.answers);
    const question = fallback ? `${`${message}`.trimEnd()} [${fallback}] `.trimStart() : message;
    const port = this.#ask(question, false, true);
    Atomics.wait(this.#memory, shared.answers, before);
    const answer = receiveMessageOnPort(port)?.message as Answer | undefined;
    port.close();
    const value = ended(answer?.value ?? null);
    return value === "" && fallback !== undefined ? fallback : value;
  }

  /** Asks until the user says yes or no; the end of input is no. */
  confirm(message = ""): boolean {
    return /^\s*y(es)?\s*$/i.test(this.prompt(`${message} [y/N] `) ?? "");
  }

  /** Asks without blocking: timers and other cells' promises go on. */
  input(message = "", { password = false }: InputOptions = {}): Promise<string | null> {
    const port = this.#ask(message, password, false);
    return new Promise((resolve) => {
      port.once("message", ({ value }: Answer) => {
        port.close();
        resolve(ended(value));
      });
    });
  }

  #ask(prompt: string, password: boolean, blocking: boolean) {
    const { id, allowStdin } = this.#requests.current;
    if (!allowStdin) throw new NoInputError();
    this.#output.flush();
    const { port1, port2 } = new MessageChannel();
    const question: ToAgent = {
      type: "inputRequest",
      request: id,
      prompt: String(prompt),
      password,
      blocking,
      answerTo: port2,
    };
    this.#agent.postMessage(question, [port2]);
    return port1;
  }
}

/** U+0004 is how a front end says that the input ended. */
function ended(value: string | null): string | null {
  return value === "\u0004" ? null : value;
}
