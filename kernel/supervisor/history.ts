// The history of executed cells, as history_request asks for it: tail, range and search with globs. In memory, one
// session.
import type { Json } from "./messages.ts";
import { optional, rowOf } from "./content.ts";
import { glob } from "./glob.ts";

type Line = [session: number, line: number, input: string | [input: string, output: string | null]];

const session = 1;

export class History {
  readonly #cells: { line: number; input: string; output: string | null }[] = [];

  add(line: number, input: string, output: string | null): void {
    this.#cells.push({ line, input, output });
  }

  /**
   * The content of history_reply. There is one session: 0 means the current one, and -1 the one before it, of which
   * nothing is kept.
   */
  answer(content: Json): Json {
    const withOutput = optional(content, "output", "boolean", false);
    const access = rowOf(accesses, optional(content, "hist_access_type", "string", "tail"));
    const cells = access === undefined ? [] : access(this.#cells, content);

    return {
      status: "ok",
      history: cells.map(({ line, input, output }): Line => [session, line, withOutput ? [input, output] : input]),
    };
  }
}

type Cells = readonly { line: number; input: string; output: string | null }[];

const accesses: Record<string, (cells: Cells, content: Json) => Cells> = {
  tail: (cells, content) => last(cells, optional(content, "n", "number", cells.length)),

  range: (cells, content) => {
    const wanted = optional(content, "session", "number", 0);
    if (wanted !== 0 && wanted !== session) return [];
    const start = optional(content, "start", "number", 0);
    const stop = optional(content, "stop", "number", Infinity);
    return cells.filter(({ line }) => line >= start && line < stop);
  },

  search: (cells, content) => {
    const isWanted = glob(optional(content, "pattern", "string", "*"));
    const matching = cells.filter(({ input }) => isWanted(input));
    const distinct = optional(content, "unique", "boolean", false)
      ? [...new Map(matching.map((cell) => [cell.input, cell])).values()]
      : matching;
    return last(distinct, optional(content, "n", "number", distinct.length));
  },
};

function last(cells: Cells, count: number): Cells {
  return count <= 0 ? [] : cells.slice(-count);
}
