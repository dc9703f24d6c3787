// The text that a `%%cuda` cell compiles, under which name, and where its headers are looked for: its own, or that of the
// file that its first line names.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Cell } from "../../language/cell.ts";
import { CellSyntaxError } from "../../language/cell-syntax-error.ts";
import type { RanCell } from "./cell-registry.ts";

export interface CudaSource {
  readonly code: string;
  readonly name: string;
  readonly includes: string[];
}

/** Throws CellSyntaxError for a file that cannot be read. */
export function cudaSource({ code, options }: Extract<Cell, { language: "cuda" }>, ran: RanCell): CudaSource {
  const { file, includes } = options;
  const source = file === undefined ? code : textOf(file, code);
  const name = options.name ?? file ?? ran.label;
  // Headers beside the notebook are found, and those beside a file, behind those of the folders that the cell names.
  const beside = file === undefined ? [process.cwd()] : [dirname(resolve(file)), process.cwd()];
  return { code: source, name, includes: /^\s*#\s*include\s*"/m.test(source) ? [...includes, ...beside] : includes };
}

function textOf(file: string, code: string): string {
  const line = code.split("\n").findIndex((text) => text.trim() !== "") + 1;
  if (line > 0)
    throw new CellSyntaxError(
      "UNKNOWN_MAGIC",
      `%%cuda ${file} compiles the file, so nothing may stand below it: put this text into the file, or a cell of its own.`,
      line,
      1,
    );
  try {
    return readFileSync(resolve(file), "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : String(error);
    throw new CellSyntaxError("UNKNOWN_MAGIC", `${file} cannot be read beside the notebook: ${reason}.`, 1, 1);
  }
}
