// The text of %whos: the notebook's names in columns.
import { bytesText } from "./bytes-text.ts";
import type { NotebookVariable } from "../../mime.ts";

/** A line is so long; what a value is in words is cut to it. */
const lineWidth = 120;

const headings = ["name", "type", "shape", "dtype", "device", "size", "made at", "value"] as const;
/** Numbers stand at the right. */
const rightAligned: ReadonlySet<number> = new Set([5]);

export function whosText(variables: readonly NotebookVariable[]): string {
  const own = variables.filter(({ isImport }) => !isImport);
  const imports = variables.filter(({ isImport }) => isImport).map(({ name }) => name);
  const imported = imports.length === 0 ? "" : wrapped(`Imported: ${imports.join(", ")}`);
  if (own.length === 0) return `The notebook has no names of its own yet.\n${imported}`;
  const rows = [headings, ...own.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  // A column in which nobody has anything says nothing.
  const shown = headings.map((_, column) => own.length === 0 || rows.slice(1).some((row) => row[column] !== ""));
  const lines = rows.map((row) =>
    row
      .map((text, column) => (rightAligned.has(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)))
      .filter((_, column) => shown[column])
      .join("  ")
      .trimEnd(),
  );
  return `${lines.map(cut).join("\n")}\n${imported}`;
}

function cellsOf({ name, type, shape, dtype, device, tensors, bytes, place, value }: NotebookVariable): string[] {
  const inside = shape === null && tensors > 0 ? `${tensors} tensor${tensors === 1 ? "" : "s"}` : "";
  return [
    name,
    type,
    shape === null ? "" : `[${shape.join(", ")}]`,
    dtype ?? "",
    device ?? "",
    tensors > 0 ? bytesText(bytes) : "",
    place?.text ?? "",
    [value, inside].filter((text) => text !== "").join(", "),
  ];
}

const cut = (line: string): string => (line.length > lineWidth ? `${line.slice(0, lineWidth - 1)}…` : line);

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= lineWidth) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `  ${word}`);
  }
  return `${lines.join("\n")}\n`;
}
