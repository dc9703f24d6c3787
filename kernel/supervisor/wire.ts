// Decodes frames to a Message and encodes it again, with the signature checked before a byte is parsed.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Header, Json, Message } from "./messages.ts";
import { messageLimit, textLimit } from "./message-limit.ts";
import { Problem, kindOf } from "./problem.ts";

const delimiter = Buffer.from("<IDS|MSG>");
const empty = Buffer.from("{}");
const rememberedSignatures = 65_536;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Signs, verifies, and remembers what it has verified, for one key. */
export class Wire {
  readonly #key: string;
  readonly #hash: string;
  // Insertion order is age: the oldest goes first, and only verified signatures get in, so junk cannot push one out.
  readonly #seen = new Set<string>();

  constructor(key: string, hash: string) {
    this.#key = key;
    this.#hash = hash;
  }

  /** The frames to send; `buffers` are passed on, not copied. */
  encode(message: Message): Uint8Array[] {
    const parts = [message.header, message.parent, message.metadata, message.content].map((part) => {
      const text = JSON.stringify(part);
      return text === "{}" ? empty : Buffer.from(text);
    });
    return [...message.identities, delimiter, Buffer.from(this.#sign(parts)), ...parts, ...message.buffers];
  }

  /**
   * The message in received frames. Throws a `Problem` for what is not one, was not signed with the key, or was seen
   * before.
   */
  decode(frames: readonly Uint8Array[]): Message {
    // Before anything of it is read: what is too large to be hashed or to be text is so here.
    checkSize(frames, messageLimit, "");
    const start = frames.findIndex((frame) => delimiter.equals(frame));
    if (start < 0)
      throw new Problem("FRAMES_MALFORMED", `There is no delimiter <IDS|MSG> among the ${frames.length} frames.`);
    const rest = frames.slice(start + 1);
    if (rest.length < 5)
      throw new Problem(
        "FRAMES_MALFORMED",
        `A signature and four parts must follow the delimiter, but only ${rest.length} frames do.`,
      );

    const [signature, ...parts] = rest.slice(0, 5) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    checkSize(parts, textLimit, " of text");
    this.#verify(signature, parts);
    const [header, parent, metadata, content] = parts.map((part, index) => parseObject(part, partNames[index]!)) as [
      Json,
      Json,
      Json,
      Json,
    ];
    checkHeader(header);

    return {
      identities: frames.slice(0, start),
      header: header as unknown as Header,
      parent: parent as unknown as Header,
      metadata,
      content,
      buffers: rest.slice(5),
    };
  }

  #sign(parts: readonly Uint8Array[]): string {
    if (this.#key === "") return "";
    const hmac = createHmac(this.#hash, this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest("hex");
  }

  #verify(received: Uint8Array, parts: readonly Uint8Array[]): void {
    if (this.#key === "") return;
    const expected = this.#sign(parts);
    if (received.byteLength !== expected.length || !timingSafeEqual(Buffer.from(expected), received)) {
      throw new Problem("SIGNATURE_INVALID", "The message is not signed with the key of the connection file.");
    }
    if (this.#seen.has(expected)) throw new Problem("SIGNATURE_REPLAYED", "This message was received before.");
    this.#seen.add(expected);
    if (this.#seen.size > rememberedSignatures)
      for (const oldest of this.#seen) {
        this.#seen.delete(oldest);
        break;
      }
  }
}

function checkSize(frames: readonly Uint8Array[], limit: number, kind: string): void {
  const bytes = frames.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (bytes <= limit) return;
  throw new Problem(
    "MESSAGE_TOO_LARGE",
    `It has ${bytes.toLocaleString("en-US")} bytes${kind} and the limit is ${limit.toLocaleString("en-US")}. Send less at once, or set WARPCELL_MESSAGE_LIMIT to more bytes before the kernel starts.`,
  );
}

const partNames = ["header", "parent header", "metadata", "content"];

function parseObject(bytes: Uint8Array, part: string): Json {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new Problem("PART_NOT_TEXT", `The ${part} is not UTF-8.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem("PART_NOT_JSON", `The ${part} is not JSON: ${bytes.byteLength} bytes.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Problem("PART_INVALID", `The ${part} must be an object, but is ${kindOf(value)}.`);
  return value as Json;
}

/**
 * The header goes back with every answer, so it must be what can be written again: JSON of any depth can be read, but
 * not written.
 */
function checkHeader(header: Json): void {
  const deep = Object.keys(header).find((field) => typeof header[field] === "object" && header[field] !== null);
  if (deep !== undefined)
    throw new Problem("PART_INVALID", `The header must hold text and numbers, but holds ${kindOf(header[deep])}.`);
  for (const field of ["msg_id", "msg_type", "session"]) {
    if (typeof header[field] !== "string" || header[field] === "")
      throw new Problem("PART_INVALID", `"${field}" in the header must be a string, but is ${kindOf(header[field])}.`);
  }
}
