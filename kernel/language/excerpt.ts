// Shows a place in a cell: label, the line before, the line itself, and a caret.

/** `Cell [3]:4:7` and the lines; line and column count from 1. */
export function excerpt(label: string, text: string, line: number, column: number): string[] {
  const source = text.split("\n");
  const width = String(line).length;
  const row = (number: number, mark: string): string =>
    `${mark} ${String(number).padStart(width)} | ${source[number - 1] ?? ""}`.trimEnd();
  const lines = [`${label}:${line}:${column}`];
  if (line > 1 && source[line - 2]?.trim()) lines.push(row(line - 1, " "));
  // Tabs before the caret keep it under its character.
  const indent = (source[line - 1] ?? "").slice(0, column - 1).replace(/[^\t]/g, " ");
  lines.push(row(line, ">"), `  ${" ".repeat(width)} | ${indent}^`);
  return lines;
}
