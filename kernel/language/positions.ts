// Finds the place in a cell that a place in the running JavaScript came from, through the two source maps on the way.
import { SourceMap, type SourceMapPayload } from "node:module";

/** Counted from 1. */
export interface Position {
  line: number;
  column: number;
}

type Map = Pick<SourceMapPayload, "mappings" | "sources" | "names"> & { version: number };

/** What is put before a statement is not longer. */
const longestInserted = 50;

/** Positions of one transformed cell. Nothing is decoded before the first question. */
export class Positions {
  readonly #stripped: Map;
  #rewritten: () => Map;
  readonly #strippedCode: string;
  readonly #shift: number;
  // Each when it is first asked for: while the code is still being rewritten, places in the JavaScript before are
  // known.
  #decodedStripped: SourceMap | null = null;
  #decodedRewritten: SourceMap | null = null;

  /**
   * @param stripped from TypeScript to JavaScript
   * @param rewritten from that JavaScript to what runs
   * @param strippedCode that JavaScript
   * @param shift characters that were put before the first line of the cell
   */
  constructor(stripped: Map, rewritten: () => Map, strippedCode: string, shift: number) {
    this.#stripped = stripped;
    this.#rewritten = rewritten;
    this.#strippedCode = strippedCode;
    this.#shift = shift;
  }

  /**
   * Keeps what a later question needs and lets go of all that made it: a notebook runs many cells, and few are asked
   * about.
   */
  settle(): void {
    const { mappings, names, sources, version } = this.#rewritten();
    this.#rewritten = () => ({ mappings, names, sources, version });
    this.#decodedStripped = null;
    this.#decodedRewritten = null;
  }

  /** The place in the cell of a place in the code that runs, or `undefined` where that code has no counterpart. */
  of(line: number, column: number): Position | undefined {
    const entry = (this.#decodedRewritten ??= decode(this.#rewritten())).findEntry(line - 1, column - 1);
    if (!("originalLine" in entry)) return undefined;
    return this.#inCell(entry.originalLine, entry.originalColumn);
  }

  /** The same for where a debugger stops: what was put at the beginning of a line belongs to what follows there. */
  ofStop(line: number, column: number): Position | undefined {
    const map = (this.#decodedRewritten ??= decode(this.#rewritten()));
    const isOnLine = (at: number): boolean => {
      const entry = map.findEntry(line - 1, at - 1);
      return "generatedLine" in entry && entry.generatedLine === line - 1;
    };
    let at = column;
    while (!isOnLine(at) && at - column < longestInserted) at++;
    return this.of(line, isOnLine(at) ? at : column);
  }

  /** The place in the cell of an offset into the JavaScript without types. */
  ofOffset(offset: number): Position | undefined {
    const before = this.#strippedCode.slice(0, offset).split("\n");
    return this.#inCell(before.length - 1, before.at(-1)!.length);
  }

  #inCell(line: number, column: number): Position | undefined {
    const entry = (this.#decodedStripped ??= decode(this.#stripped)).findEntry(line, column);
    if (!("originalLine" in entry)) return undefined;
    const shift = entry.originalLine === 0 ? this.#shift : 0;
    return { line: entry.originalLine + 1, column: Math.max(1, entry.originalColumn + 1 - shift) };
  }
}

function decode(map: Map): SourceMap {
  return new SourceMap({ file: "", sourcesContent: [], sourceRoot: "", ...map });
}
