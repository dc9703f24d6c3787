// Writes the text of a `%%writefile` cell to its file, and says what became of it.
import { appendFileSync, existsSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CellSyntaxError } from "../../language/cell-syntax-error.ts";
import type { FileToWrite } from "../../language/write-file.ts";

/** A line for below the cell. Throws CellSyntaxError for a path that no file can have, and what the system says. */
export function writeCellFile({ path, text, append, line, column }: FileToWrite): string {
  const place = resolve(path);
  const fail = (sentence: string): never => {
    throw new CellSyntaxError("UNKNOWN_MAGIC", sentence, line, column);
  };
  const folder = dirname(place);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    fail(`There is no folder ${dirname(path)} beside the notebook to write ${path} to: make it first.`);
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() === true)
    fail(`${path} is a folder, so no file can be written under that name.`);
  const isThere = existsSync(place);
  (append ? appendFileSync : writeFileSync)(place, text);
  return `${append && isThere ? "Appended to" : isThere ? "Overwrote" : "Wrote"} ${path}.\n`;
}
