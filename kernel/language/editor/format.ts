// Lays out a TypeScript cell as the type service does a file: spaces and indentation, never words. Settings are those of the
// editor, but for what an `.editorconfig` of the notebook's folder says.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { EditorEdit } from "warpcell/payloads";
import { formatted } from "../cells-program.ts";
import { declarationsOf } from "../declarations.ts";
import { lineStarts } from "../diagnostics.ts";
import type { Documents, Range } from "./documents.ts";
import type { WrittenCell } from "./written-cells.ts";

export interface Layout {
  tabSize: number;
  insertSpaces: boolean;
}

/** What is to be changed in a cell; `null`: it cannot be parsed. */
export async function formatOf(
  { code, text }: WrittenCell,
  layout: Layout,
  documents: Documents,
): Promise<EditorEdit[] | null> {
  if (declarationsOf(code) === null) return null;
  // A magic stays as it is, and is a comment to the formatter.
  const lines = text.split("\n");
  const magics = code.split("\n").map((line, index) => line !== lines[index]);
  const shown = lines.map((line, index) => (magics[index] ? "//".padEnd(line.length) : line)).join("\n");
  documents.show("editor", [{ name: formatted, language: "typescript", text: shown }]);
  const result = (await documents.request("textDocument/formatting", {
    textDocument: { uri: documents.uri(formatted) },
    options: { ...layout, trimTrailingWhitespace: true },
  })) as { range: Range; newText: string }[] | null;
  documents.show("editor", []);
  const starts = lineStarts(text);
  const offsetOf = ({ line, character }: Range["start"]) =>
    Math.min((starts[line] ?? text.length) + character, text.length);
  return (result ?? [])
    .filter(({ range }) => !magics.slice(range.start.line, range.end.line + 1).includes(true))
    .map(({ range, newText }) => ({ start: offsetOf(range.start), end: offsetOf(range.end), text: newText }))
    .filter(({ start, end, text: to }) => text.slice(start, end) !== to)
    .sort((a, b) => a.start - b.start);
}

/** `indent`: spaces of a level in the editor; 0: a tab. `extension`: of the files that the cell is one of. */
export function layoutOf(directory: string, indent: number, extension: string): Layout {
  const given = editorConfig(directory, extension);
  const style = given.get("indent_style");
  const size = Number(given.get("indent_size") === "tab" ? given.get("tab_width") : given.get("indent_size"));
  return {
    tabSize: Number.isInteger(size) && size > 0 ? size : indent > 0 ? indent : 4,
    insertSpaces: style === undefined ? indent > 0 : style !== "tab",
  };
}

/** What the `.editorconfig` files from the root down to a folder say of such files. */
function editorConfig(directory: string, extension: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const folder of foldersUp(directory)) {
    const file = join(folder, ".editorconfig");
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    for (const [name, value] of settingsIn(text, extension)) if (!found.has(name)) found.set(name, value);
    if (/^\s*root\s*=\s*true\s*$/im.test(text)) break;
  }
  return found;
}

/** A folder, and those around it. */
export function* foldersUp(directory: string): Generator<string> {
  let folder = resolve(directory);
  for (; dirname(folder) !== folder; folder = dirname(folder)) yield folder;
  yield folder;
}

/** Later sections count more. */
function settingsIn(text: string, extension: string): Map<string, string> {
  const found = new Map<string, string>();
  let applies = false;
  for (const line of text.split("\n")) {
    const section = /^\s*\[(.*)\]\s*$/.exec(line)?.[1];
    if (section !== undefined) applies = means(section, extension);
    const [, name, value] = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(line) ?? [];
    if (applies && name !== undefined) found.set(name.toLowerCase(), value!.toLowerCase());
  }
  return found;
}

function means(section: string, extension: string): boolean {
  if (section === "*") return true;
  const named = /^\*\.(?:\{([^}]*)\}|(\w+))$/.exec(section);
  return (named?.[1] ?? named?.[2] ?? "")
    .split(",")
    .map((each) => each.trim())
    .includes(extension);
}
