// Reads a session's stdout or stderr: text, and the tokens that end a request's part of it.
import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";

const mark = "\u001e";
const tokenLength = 34;

/** What may still become a token when more bytes come: held back, so that no part of one is ever shown. */
const partialToken = /\u001e[0-9a-f]{0,32}$/;

export class OutputPipe {
  readonly #decoder = new StringDecoder("utf8");
  readonly #text: (text: string) => void;
  // Tokens that were read before anyone asked for them, and those asked for before they were read.
  readonly #read = new Set<string>();
  readonly #awaited = new Map<string, () => void>();
  #held = "";
  #ended = false;

  constructor(source: Readable, text: (text: string) => void) {
    this.#text = text;
    source.on("data", (bytes: Buffer) => this.#take(this.#decoder.write(bytes)));
    source.on("close", () => this.#end());
  }

  /** Resolves when all text before the token has been delivered, or when the pipe has ended. */
  reached(token: string): Promise<void> {
    if (token === "" || this.#ended || this.#read.delete(token)) return Promise.resolve();
    return new Promise((resolve) => this.#awaited.set(token, resolve));
  }

  #take(text: string): void {
    let rest = this.#held + text;

    for (let start; (start = tokenStart(rest)) >= 0; rest = rest.slice(start + tokenLength)) {
      if (start > 0) this.#text(rest.slice(0, start));
      this.#reach(rest.slice(start, start + tokenLength));
    }
    this.#held = partialToken.exec(rest)?.[0] ?? "";
    if (rest.length > this.#held.length) this.#text(rest.slice(0, rest.length - this.#held.length));
  }

  #reach(token: string): void {
    const resolve = this.#awaited.get(token);
    if (resolve === undefined) this.#read.add(token);
    else resolve();
    this.#awaited.delete(token);
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const rest = this.#held + this.#decoder.end();
    if (rest !== "") this.#text(rest);
    for (const resolve of this.#awaited.values()) resolve();
    this.#awaited.clear();
  }
}

const wholeToken = /\u001e[0-9a-f]{32}\u001e/;

function tokenStart(text: string): number {
  return text.includes(mark) ? text.search(wholeToken) : -1;
}
