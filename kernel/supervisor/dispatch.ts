// Handles received frames: verified, looked up in the table, bracketed by busy and idle, answered. The one place where
// that happens.
import type { Inbound, Frames } from "./sockets.ts";
import { rowOf } from "./content.ts";
import { handlers, type Handler, type Kernel } from "./handlers.ts";
import { replyTo, type Json, type Message } from "./messages.ts";
import { Problem } from "./problem.ts";
import type { Wire } from "./wire.ts";

interface Job {
  channel: Inbound;
  request: Message;
  handler: Handler;
}

export class Dispatch {
  readonly #kernel: Kernel;
  readonly #wire: Wire;
  readonly #reply: (channel: Inbound, message: Message) => void;
  readonly #arrived: () => Promise<void>;
  // Cells wait here for each other; all other messages are handled as they come.
  readonly #queue: Job[] = [];
  #draining = false;
  #settled: Promise<void> = Promise.resolve();
  /** The cell that runs, until its idle. */
  #running: Message | null = null;

  /** `arrived` resolves when all messages that have already come in have been received. */
  constructor(
    kernel: Kernel,
    wire: Wire,
    reply: (channel: Inbound, message: Message) => void,
    arrived: () => Promise<void>,
  ) {
    this.#kernel = kernel;
    this.#wire = wire;
    this.#reply = reply;
    this.#arrived = arrived;
  }

  /** Frames that are not a message of this kernel's client cost a line on stderr, and nothing else. */
  receive(channel: Inbound, frames: Frames): void {
    let request: Message;
    try {
      request = this.#wire.decode(frames);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      process.stderr.write(`warpcell: a message on ${channel} was dropped. ${error.message} [${error.code}]\n`);
      return;
    }
    this.#accept({ channel, request, handler: rowOf(handlers[channel], request.header.msg_type) ?? unknown });
  }

  /**
   * Tells the state to who has just begun to listen. What was published before is lost to them, and a server that
   * reconnects after the death of a busy kernel would show this one as busy, and never cull it, until the next cell.
   */
  tellState(): void {
    this.#kernel.publisher.status(this.#running === null ? "idle" : "busy", this.#running);
  }

  #accept(job: Job): void {
    if (job.handler.lane === "now") {
      void this.#handle(job, job.handler.answer);
      return;
    }
    this.#queue.push(job);
    if (!this.#draining) this.#settled = this.#runQueue();
  }

  /** Resolves when no cell runs or waits. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  async #runQueue(): Promise<void> {
    this.#draining = true;
    for (let job; (job = this.#queue.shift()) !== undefined; ) {
      this.#running = job.request;
      let aborted: Job[] = [];
      const { request, handler } = job;
      await this.#handle(job, async () => {
        const content = await handler.answer(this.#kernel, request);
        // Taken before the reply goes out: what the client sends after it has read of the failure is not aborted.
        if (content?.["status"] === "error" && stopsOnError(request)) aborted = await this.#takeQueue();
        return content;
      });
      for (const other of aborted) await this.#handle(other, () => this.#kernel.execute.aborted());
    }
    this.#draining = false;
  }

  async #takeQueue(): Promise<Job[]> {
    await this.#arrived();
    return this.#queue.splice(0);
  }

  async #handle({ channel, request, handler }: Job, answer: Handler["answer"]): Promise<void> {
    const { publisher } = this.#kernel;
    const quiet = handler.quiet === true;
    const isAnswered = isRequest(request);
    if (!quiet) publisher.status("busy", request);
    let content: Json | null = null;
    try {
      content = await answer(this.#kernel, request);
    } catch (error) {
      content = failure(error);
      if (!isAnswered)
        process.stderr.write(
          `warpcell: ${request.header.msg_type} was dropped. ${String(content["evalue"])} [${String(content["ename"])}]\n`,
        );
    } finally {
      if (content !== null && isAnswered) {
        publisher.flush();
        this.#send(channel, request, content);
      }
      if (this.#running === request) this.#running = null;
      if (!quiet) publisher.status("idle", request);
      // A front end shows the last state it saw: while a cell runs that is busy.
      if (!quiet && this.#running !== null) publisher.status("busy", handler.follows === true ? null : this.#running);
    }
    if (content?.["status"] !== "error") handler.afterwards?.(this.#kernel, request);
  }

  /**
   * What cannot be written as JSON is answered too: a session may say anything, code in a cell can write to its
   * channel.
   */
  #send(channel: Inbound, request: Message, content: Json): void {
    try {
      this.#reply(channel, replyTo(request, content));
    } catch (error) {
      this.#reply(channel, replyTo(request, failure(error)));
    }
  }
}

/** Only requests have replies: the mistake in another message costs a line on stderr. */
function isRequest({ header }: Message): boolean {
  return header.msg_type.endsWith("_request");
}

/** As in ipykernel, what a front end asks silently does not stop what the user has asked. */
function stopsOnError({ content }: Message): boolean {
  return content["stop_on_error"] !== false && content["silent"] !== true;
}

const unknown: Handler = {
  lane: "now",
  answer: (_kernel, request) => {
    const { header } = request;
    const problem = new Problem(
      "MESSAGE_UNKNOWN",
      `The Jupyter protocol has no message type "${header.msg_type.slice(0, 100)}".`,
    );
    process.stderr.write(`warpcell: ${problem.message} [${problem.code}]\n`);
    return isRequest(request) ? failure(problem) : null;
  },
};

function failure(error: unknown): Json {
  const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
  const ename = error instanceof Problem ? error.code : name;
  // A mistake of the client is told to the client; any other is ours, and worth its stack.
  if (!(error instanceof Problem))
    process.stderr.write(`warpcell: ${error instanceof Error ? (error.stack ?? message) : message}\n`);
  return { status: "error", ename, evalue: message, traceback: [`${ename}: ${message}`] };
}
