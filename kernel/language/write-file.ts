// Reads the first line of a `%%writefile` cell: which file the rest of the cell becomes.
import { CellSyntaxError } from "./cell-syntax-error.ts";
import { words } from "./words.ts";

/** A text on its way into a file beside the notebook. */
export interface FileToWrite {
  /** Relative to the notebook's folder, and inside it. */
  path: string;
  text: string;
  /** Behind what the file holds. */
  append: boolean;
  /** Where the path stands, from 1. */
  line: number;
  column: number;
}

export const writeFileWords = ["-a"];
export const writeFileUsage = "%%writefile [-a] NAME";

/** Whether a first line makes its cell the text of a file. */
export function isWriteFile(line: string): boolean {
  return /^\s*%%(writefile|file)(?!\S)/.test(line);
}

/** `first` is the index of the line with the magic. Throws CellSyntaxError. */
export function parseWriteFile(lines: readonly string[], first: number): FileToWrite {
  const [magic, ...given] = words(lines[first]!);
  const line = first + 1;
  const fail = (sentence: string, column: number): never => {
    throw new CellSyntaxError("UNKNOWN_MAGIC", sentence, line, column);
  };
  const options = given.filter(({ text }) => text.startsWith("-"));
  const stray = options.find(({ text }) => text !== "-a" && text !== "--append");
  if (stray !== undefined) fail(`${writeFileUsage}: there is no option ${stray.text}.`, stray.column);
  const [name, more] = given.filter(({ text }) => !text.startsWith("-"));
  if (name === undefined)
    return fail("%%writefile needs the name of a file, for example: %%writefile helper.h", magic!.column);
  if (more !== undefined)
    fail(
      `%%writefile takes one file, but got ${name.text} and ${more.text}. A name with spaces is quoted.`,
      more.column,
    );
  if (name.text.startsWith("/") || name.text.split("/").includes(".."))
    fail(
      `%%writefile writes beside the notebook or below it, but ${name.text} is elsewhere: writeFileSync from "node:fs" writes anywhere.`,
      name.column,
    );
  const text = lines.slice(first + 1).join("\n");
  return {
    path: name.text,
    text: text === "" || text.endsWith("\n") ? text : `${text}\n`,
    append: options.length > 0,
    line,
    column: name.column,
  };
}
