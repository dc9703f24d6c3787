// Broadcasts what the kernel has to say, in the right order; text of a stream is gathered, so that a loop of prints is
// a few messages.
import { broadcast, type Json, type Message } from "./messages.ts";

export type StreamName = "stdout" | "stderr";

/**
 * How long text waits for more of its kind, in ms: short for the eye, and far below the 1,000 messages a second at
 * which Jupyter Server drops output.
 */
const gatherTime = 20;

/** Text this long, in UTF-16 units, is sent without waiting. */
const gatherLength = 1 << 19;

export class Publisher {
  readonly #send: (message: Message) => void;
  #gathered: { request: Message | null; name: StreamName; chunks: string[]; length: number } | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  /** Text that belongs to `request`. Sent soon, and before any other broadcast. */
  stream(request: Message | null, name: StreamName, text: string): void {
    if (text === "") return;
    if (this.#gathered !== null && (this.#gathered.request !== request || this.#gathered.name !== name)) this.flush();
    this.#gathered ??= { request, name, chunks: [], length: 0 };
    this.#gathered.chunks.push(text);
    this.#gathered.length += text.length;
    if (this.#gathered.length >= gatherLength) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), gatherTime);
  }

  /** Any other broadcast. */
  publish(type: string, request: Message | null, content: Json, metadata: Json = {}, buffers: Uint8Array[] = []): void {
    this.flush();
    this.#send(broadcast(type, request, content, metadata, buffers));
  }

  status(state: "starting" | "busy" | "idle", request: Message | null): void {
    this.publish("status", request, { execution_state: state });
  }

  /** Sends the gathered text now. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const gathered = this.#gathered;
    if (gathered === null) return;
    this.#gathered = null;
    this.#send(broadcast("stream", gathered.request, { name: gathered.name, text: gathered.chunks.join("") }));
  }
}
