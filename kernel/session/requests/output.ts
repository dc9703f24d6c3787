// Sends what JavaScript prints as stream events of the request it belongs to, many writes in one event.
import { Console } from "node:console";
import { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Event, RequestId } from "../../session-protocol.ts";
import type { Requests } from "./request.ts";

type StreamName = "stdout" | "stderr";

interface Pending {
  request: RequestId;
  name: StreamName;
  parts: string[];
  length: number;
}

/**
 * So many writes of a cell in so many milliseconds are sent one by one: it may compute for long before it yields. More
 * are joined until the event loop turns, or until there are so many characters.
 */
const few = 100;
const soon = 50;
const enough = 64 * 1024;

export class Output {
  readonly #send: (event: Event) => void;
  readonly #requests: Requests;
  #pending: Pending | null = null;
  #scheduled = false;
  #window = { request: 0, start: 0, writes: 0 };

  constructor(send: (event: Event) => void, requests: Requests) {
    this.#send = send;
    this.#requests = requests;
  }

  /** Every event goes through here, so that text printed before it leaves before it. */
  send(event: Event): void {
    this.flush();
    this.#send(event);
  }

  write(name: StreamName, text: string): void {
    if (text === "") return;
    const request = this.#requests.current.id;
    if (this.#pending !== null && (this.#pending.request !== request || this.#pending.name !== name)) this.flush();
    this.#pending ??= { request, name, parts: [], length: 0 };
    this.#pending.parts.push(text);
    this.#pending.length += text.length;

    if (this.#isOneOfFew(request) || this.#pending.length >= enough) this.flush();
    else this.#schedule();
  }

  #isOneOfFew(request: RequestId): boolean {
    const now = performance.now();
    if (request !== this.#window.request || now - this.#window.start >= soon)
      this.#window = { request, start: now, writes: 0 };
    return this.#window.writes++ < few;
  }

  flush(): void {
    const pending = this.#pending;
    // An interrupt may have terminated the immediates of that turn, ours among them: the next write schedules another.
    this.#scheduled = false;
    if (pending === null) return;
    this.#pending = null;
    this.#send({ type: "stream", request: pending.request, name: pending.name, text: pending.parts.join("") });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.flush());
  }
}

/**
 * A process stream that writes to the request of its caller. Nothing waits, so nothing of Writable's queue is needed.
 */
class RequestStream extends Writable {
  readonly #output: Output;
  readonly #name: StreamName;
  /** Programs look at these to choose colours and columns. */
  readonly isTTY = false;
  readonly fd: number;
  // A character may come in two chunks, as when a child's output is piped here.
  readonly #decoder = new StringDecoder("utf8");

  constructor(output: Output, name: StreamName) {
    super({ decodeStrings: false });
    this.#output = output;
    this.#name = name;
    this.fd = name === "stdout" ? 1 : 2;
  }

  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(Buffer.from(chunk as Uint8Array));
    this.#output.write(this.#name, text);
    const done = typeof encoding === "function" ? encoding : callback;
    if (typeof done === "function") process.nextTick(done as () => void);
    return true;
  }

  override end(chunk?: unknown): this {
    if (chunk !== undefined && typeof chunk !== "function") this.write(chunk);
    return this;
  }
}

/**
 * Replaces `process.stdout`, `process.stderr` and `console`. The real descriptors stay as they are, for native code.
 */
export function redirect(output: Output): void {
  const stdout = new RequestStream(output, "stdout");
  const stderr = new RequestStream(output, "stderr");
  Object.defineProperty(process, "stdout", { value: stdout, configurable: true, enumerable: true });
  Object.defineProperty(process, "stderr", { value: stderr, configurable: true, enumerable: true });
  // Node's own console guards each write with a listener, which costs more than the write.
  globalThis.console = new Console({ stdout, stderr, ignoreErrors: false, colorMode: false });
}
