// Parses the text of a cell: its language, its magics, and its code with their lines blanked.
import { cudaHelp, type CudaOptions, parseCudaOptions } from "./cuda-options.ts";
import { type Magics, takeLineMagics } from "./magics.ts";
import { words } from "./words.ts";
import { isWriteFile, parseWriteFile } from "./write-file.ts";

/** `x?` asks what x is; `x??` asks for its source too. */
export interface Help {
  expression: string;
  detail: 0 | 1;
}

/** A cell, parsed. Lines of `code` are the lines of the cell: those that held a magic are empty. */
export type Cell =
  | { language: "typescript"; code: string; magics: Magics; help: Help | null }
  | { language: "cuda"; code: string; magics: Magics; help: null; options: CudaOptions };

/**
 * Reads the magics of a cell: `%%cuda` with its options or `%%writefile` on the first line that is not empty, or the
 * lines of other magics before the first line of code, or `expression?`. Throws CellSyntaxError.
 */
export function parse(text: string): Cell {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first >= 0 && isCuda(lines[first]!)) return parseCuda(lines, first);
  if (first >= 0 && isWriteFile(lines[first]!))
    return { language: "typescript", code: "", magics: { file: parseWriteFile(lines, first) }, help: null };

  const magics = takeLineMagics(lines);
  const code = lines.join("\n");
  return { language: "typescript", code, magics, help: parseHelp(code) };
}

/** Whether a first line makes its cell CUDA C++. */
export function isCuda(line: string): boolean {
  return /^\s*%%cuda(?!\S)/.test(line);
}

function parseCuda(lines: string[], first: number): Cell {
  const [, ...given] = words(lines[first]!);
  const options = parseCudaOptions(given, first + 1);
  if (options === null) return { language: "typescript", code: "", magics: { pages: [cudaHelp()] }, help: null };
  lines[first] = "";
  return { language: "cuda", code: lines.join("\n"), magics: {}, help: null, options };
}

function parseHelp(code: string): Help | null {
  const match = /^\s*([\p{ID_Start}$_][\p{ID_Continue}$.]*)(\?\??)\s*$/u.exec(code);
  return match === null ? null : { expression: match[1]!, detail: match[2] === "??" ? 1 : 0 };
}
