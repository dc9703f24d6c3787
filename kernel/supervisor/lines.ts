// Reads the lines of a pipe, none longer than a message can be.
import { StringDecoder } from "node:string_decoder";

/** UTF-16 units; the agent's longest line, a tile of a tensor where there is no shared memory, has two million. */
const longest = 1 << 22;

export class Lines {
  readonly #decoder = new StringDecoder("utf8");
  #partial = "";

  /** The lines that these bytes complete. Throws when what is not complete is too long. */
  take(bytes: Uint8Array): string[] {
    const lines = (
      this.#partial + this.#decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    ).split("\n");
    this.#partial = lines.pop()!;
    if (this.#partial.length > longest)
      throw new RangeError(
        `The session wrote more than ${longest.toLocaleString("en-US")} characters to its agent's pipe without the end of a line.`,
      );
    return lines;
  }
}
