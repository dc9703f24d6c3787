// Encodes and decodes the Language Server Protocol's base protocol: JSON-RPC messages with their headers.

export interface RpcMessage {
  jsonrpc: "2.0";
  id?: number | string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

const headerEnd = "\r\n\r\n";

/** A message with its `Content-Length` header (Language Server Protocol 3.17, "Base Protocol"). */
export function frame(message: RpcMessage): Buffer {
  const body = Buffer.from(JSON.stringify(message), "utf8");
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}${headerEnd}`, "ascii"), body]);
}

/** Collects bytes and hands out each message when it is whole. */
export class FrameReader {
  readonly #deliver: (message: RpcMessage) => void;
  #chunks: Buffer[] = [];
  #held = 0;
  /** Bytes of header and body of the message being read; 0 while its header is not whole. */
  #needed = 0;
  #bodyStart = 0;

  constructor(deliver: (message: RpcMessage) => void) {
    this.#deliver = deliver;
  }

  /**
   * Takes bytes as they come. Returns a sentence when they are not of this protocol; nothing can be read after that.
   */
  push(bytes: Buffer): string | null {
    this.#chunks.push(bytes);
    this.#held += bytes.length;

    while (this.#held > 0 && this.#held >= this.#needed) {
      const held = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
      this.#chunks = [held];

      if (this.#needed === 0) {
        const end = held.indexOf(headerEnd);
        if (end === -1) return null;
        const header = held.toString("ascii", 0, end);
        const length = /^Content-Length: *(\d+)$/im.exec(header)?.[1];
        if (length === undefined) return `it sent no Content-Length header but ${JSON.stringify(header.slice(0, 80))}`;
        this.#bodyStart = end + headerEnd.length;
        this.#needed = this.#bodyStart + Number(length);
        continue;
      }

      const body = held.toString("utf8", this.#bodyStart, this.#needed);
      this.#chunks = [held.subarray(this.#needed)];
      this.#held -= this.#needed;
      this.#needed = 0;
      const message = parse(body);
      if (message === null) return `it sent no JSON message but ${JSON.stringify(body.slice(0, 80))}`;
      this.#deliver(message);
    }
    return null;
  }
}

function parse(body: string): RpcMessage | null {
  try {
    return JSON.parse(body) as RpcMessage;
  } catch {
    // The reader's caller says what came instead.
    return null;
  }
}
