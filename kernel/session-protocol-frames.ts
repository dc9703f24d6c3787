// Frames the session's events for a pipe, and reads them back.
import { deserialize, serialize } from "node:v8";
import type { Event } from "./session-protocol.ts";

type Text = Extract<Event, { type: "stream" }>;

/**
 * A frame is one of these words, the number of bytes that follow, and those: an event as structured clone writes it, or
 * text, of which there is much, as request, stream and UTF-8. Anything else that is written to the pipe is seen to be
 * no frame.
 */
const marks = { event: 0x57_43_45_56, text: 0x57_43_54_58 } as const;
const headerBytes = 8;

/** What is longer is no event: it would not even fit into a string. */
const longest = 2 ** 30;
const textHeaderBytes = headerBytes + 8;
const names = ["stdout", "stderr"] as const;

/** Most text fits: frames of it would otherwise be the most of a printing cell's garbage. */
const reused = Buffer.allocUnsafeSlow(256 * 1024);

/**
 * The frame of an event, valid until the next one is made. Throws what structured clone throws for a value that cannot
 * travel.
 */
export function frameOf(event: Event): Buffer {
  if (event.type === "stream") return textFrame(event);
  const body = serialize(event);
  const frame = framed(marks.event, headerBytes + body.byteLength);
  frame.set(body, headerBytes);
  return frame;
}

function textFrame({ request, name, text }: Text): Buffer {
  const frame = framed(marks.text, textHeaderBytes + Buffer.byteLength(text));
  frame.writeUInt32LE(request, headerBytes);
  frame.writeUInt32LE(names.indexOf(name), headerBytes + 4);
  frame.write(text, textHeaderBytes);
  return frame;
}

function framed(mark: number, bytes: number): Buffer {
  const frame = bytes <= reused.byteLength ? reused.subarray(0, bytes) : Buffer.allocUnsafeSlow(bytes);
  frame.writeUInt32LE(mark, 0);
  frame.writeUInt32LE(bytes - headerBytes, 4);
  return frame;
}

export class FrameReader {
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Bytes that are needed to go on: a header, or a whole frame. */
  #needed = headerBytes;

  /** What these bytes complete, which should be events. Throws when they are no frames. */
  *take(bytes: Buffer): Generator<unknown> {
    this.#parts.push(bytes);
    this.#bytes += bytes.byteLength;
    while (this.#bytes >= this.#needed) {
      const all = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
      const mark = all.readUInt32LE(0);
      const length = all.readUInt32LE(4);
      if ((mark !== marks.event && mark !== marks.text) || length > longest)
        throw new TypeError("The pipe of the session's events carries bytes that are not events.");
      const end = headerBytes + length;
      const isWhole = all.byteLength >= end;
      this.#parts = [isWhole ? all.subarray(end) : all];
      this.#needed = isWhole ? headerBytes : end;
      if (!isWhole) return;
      this.#bytes = all.byteLength - end;
      yield mark === marks.text
        ? textOf(all.subarray(0, end))
        : (deserialize(all.subarray(headerBytes, end)) as unknown);
    }
  }
}

function textOf(frame: Buffer): Text {
  const name = names[frame.readUInt32LE(headerBytes + 4)];
  if (name === undefined)
    throw new TypeError("The pipe of the session's events carries text that belongs to no stream.");
  return {
    type: "stream",
    request: frame.readUInt32LE(headerBytes),
    name,
    text: frame.toString("utf8", textHeaderBytes),
  };
}
