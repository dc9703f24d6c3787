// The mistakes in a `%%cuda` cell that is being written, at the places of its text.
import { mistakesOf, type SharedCode } from "warpcell/host";
import { type Cell, parse } from "../../language/cell.ts";
import { CellSyntaxError } from "../../language/cell-syntax-error.ts";
import type { CellMistake } from "../../mime.ts";

/**
 * `shared`: what cells that ran declare; those in front of this one, `before`, count as they are written now. Throws what
 * keeps the device from compiling. A mistake on the first line is one too.
 */
export async function cudaMistakesIn(
  text: string,
  before: readonly string[],
  shared: SharedCode,
): Promise<CellMistake[]> {
  try {
    const cell = parse(text);
    // The lines of a file are not the cell's.
    if (cell.language !== "cuda" || cell.options.file !== undefined) return [];
    const { options, code } = cell;
    const name = "this cell";
    const includes = [...options.includes, process.cwd()];
    const brought = withCells(shared, before).before(code, "", options.defines);
    const found = await mistakesOf(code, { ...options, includes, name, brought, verbose: false } as Parameters<
      typeof mistakesOf
    >[1]);
    return found.map(({ line, column, severity, message }) => ({
      ...wordAt(text, line, column, /^[\w.]+/),
      severity: severity === "error" ? "error" : "warning",
      code: "",
      message: message.replace(/ \[-W[\w=-]+\]$/, ""),
    }));
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    return [{ ...wordAt(text, error.line, error.column, /^\S+/), severity: "error", code: "", message: error.message }];
  }
}

function withCells(shared: SharedCode, before: readonly string[]): SharedCode {
  const all = shared.copy();
  for (const [index, text] of before.entries()) {
    const cell = parsed(text);
    if (cell?.language !== "cuda" || cell.options.file !== undefined) continue;
    const folders = [...cell.options.includes, process.cwd()];
    const name = cell.options.name ?? "a cell before this one";
    all.take({ key: `before ${index}`, name, source: cell.code, folders });
  }
  return all;
}

/** `null` for a cell with a mistake in its magics, which is told there. */
function parsed(text: string): Cell | null {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof CellSyntaxError) return null;
    throw error;
  }
}

/** Offsets of what stands at a line and a column, both from 1: a word whole, else one character. */
function wordAt(text: string, line: number, column: number, words: RegExp): { start: number; end: number } {
  const lines = text.split("\n");
  const first = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const own = lines[line - 1] ?? "";
  // A compiler may show the end of a line, or none.
  const at = Math.min(column - 1, Math.max(0, own.trimEnd().length - 1));
  const word = words.exec(own.slice(at))?.[0] ?? own.slice(at, at + 1);
  return { start: first + at, end: first + at + word.length };
}
