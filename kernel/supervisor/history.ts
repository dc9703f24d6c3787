// Turns executed cells into the answers of history_request: tail, range and search with globs. In memory, one session; knows no message but the request's content.
import type { Json } from "./messages.ts";
import { optional, rowOf } from "./content.ts";

type Line = [session: number, line: number, input: string | [input: string, output: string | null]];

const session = 1;

export class History {
  readonly #cells: { line: number; input: string; output: string | null }[] = [];

  add(line: number, input: string, output: string | null): void {
    this.#cells.push({ line, input, output });
  }

  /** The content of history_reply. `session` 0 or less counts from the current one; there is only one. */
  answer(content: Json): Json {
    const withOutput = optional(content, "output", "boolean", false);
    const access = rowOf(accesses, optional(content, "hist_access_type", "string", "tail"));
    const cells = access === undefined ? [] : access(this.#cells, content);

    return { status: "ok", history: cells.map(({ line, input, output }): Line => [session, line, withOutput ? [input, output] : input]) };
  }
}

type Cells = readonly { line: number; input: string; output: string | null }[];

const accesses: Record<string, (cells: Cells, content: Json) => Cells> = {
  tail: (cells, content) => last(cells, optional(content, "n", "number", cells.length)),

  range: (cells, content) => {
    const wanted = optional(content, "session", "number", 0);
    if (wanted > 0 && wanted !== session) return [];
    const start = optional(content, "start", "number", 0);
    const stop = optional(content, "stop", "number", Infinity);
    return cells.filter(({ line }) => line >= start && line < stop);
  },

  search: (cells, content) => {
    const pattern = globPattern(optional(content, "pattern", "string", "*"));
    const matching = cells.filter(({ input }) => pattern.test(input));
    const distinct = optional(content, "unique", "boolean", false) ? [...new Map(matching.map((cell) => [cell.input, cell])).values()] : matching;
    return last(distinct, optional(content, "n", "number", distinct.length));
  },
};

function last(cells: Cells, count: number): Cells {
  return count <= 0 ? [] : cells.slice(-count);
}

/** A glob as SQLite has it: `*`, `?` and `[…]`, over the whole text. */
function globPattern(glob: string): RegExp {
  const source = glob.replace(/\[(\^?)([^\]]+)\]|[*?]|[.+^${}()|[\]\\/]/g, (match, negation: string | undefined, set: string | undefined) => {
    if (set !== undefined) return `[${negation ?? ""}${set.replace(/[\\\]^]/g, "\\$&")}]`;
    return match === "*" ? "[^]*" : match === "?" ? "[^]" : `\\${match}`;
  });
  return new RegExp(`^${source}$`, "u");
}
