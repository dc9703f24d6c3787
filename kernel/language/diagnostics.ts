// Picks the checker's findings that a user should see, at the cell's own places.
import { cellModule, type Wrapped } from "./cells-program.ts";
import { isDoubtful, isTensorIndexed, type Setting } from "./doubts.ts";

/** A type error. Line and column count from 1, in the cell's own text; columns are UTF-16 units. */
export interface Diagnostic {
  cell: number;
  line: number;
  column: number;
  /** As TypeScript numbers it, like "TS2322". */
  code: string;
  severity: "error" | "warning";
  message: string;
}

/**
 * The part of the protocol's `Diagnostic` that is read (Language Server Protocol 3.17). Lines and characters count from
 * 0.
 */
interface Item {
  range: { start: { line: number; character: number } };
  severity?: number;
  code?: number | string;
  message: string;
}

/** Findings of errors (1) and warnings (2); hints say nothing about correctness. */
const severities = new Map<number, Diagnostic["severity"]>([
  [1, "error"],
  [2, "warning"],
]);

/**
 * The findings that lie in the cell itself and are worth a warning, in order of place. `result` is the protocol's
 * report or `null`.
 */
export function diagnosticsOf(cell: number, wrapped: Wrapped, setting: Setting, result: unknown): Diagnostic[] {
  const items = (result as { items?: Item[] } | null)?.items ?? [];
  const lines = setting.text.split("\n");
  const found = new Map<string, Diagnostic>();

  for (const item of items) {
    const severity = severities.get(item.severity ?? 1);
    const line = item.range.start.line - wrapped.firstLine;
    if (severity === undefined || line < 0 || line >= lines.length) continue;

    const column = item.range.start.character;
    const offset = lines.slice(0, line).reduce((sum, before) => sum + before.length + 1, column);
    const finding = { code: Number(item.code), message: item.message, offset };
    if (isDoubtful(finding, setting)) continue;

    const diagnostic: Diagnostic = {
      cell,
      line: line + 1,
      column: column + 1,
      code: `TS${item.code ?? ""}`,
      severity,
      message: isTensorIndexed(finding) ? bracketsOfTensor : readable(item.message),
    };
    found.set(`${line}:${column}:${diagnostic.code}:${diagnostic.message}`, diagnostic);
  }
  return [...found.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

const bracketsOfTensor =
  "Brackets do not index a tensor: write x.get(0) for x[0], and x.set([0], value) for x[0] = value.";

/** Files on disk that the checker found without any export (TS2306), by path. */
export function filesThatAreNoModules(result: unknown): string[] {
  const items = (result as { items?: Item[] } | null)?.items ?? [];
  return items
    .flatMap(({ code, message }) => (Number(code) === 2306 ? [/'(\/[^']+)'/.exec(message)?.[1] ?? ""] : []))
    .filter((path) => path !== "");
}

/**
 * Types of other cells are written `import("…/module").Name`, names in comments are links to places: the reader knows
 * cells, not modules.
 */
export function readable(text: string): string {
  return text
    .replace(
      / Do you need to change your target library\?[^\n]*'es\w+' or later\./g,
      ` Node ${process.versions.node} does not have it.`,
    )
    .replace(/ Do you need to change your target library\?[^\n]*'dom'\./g, " Browsers have it; cells run in Node.")
    .replace(/\[([^\]\n]+)\]\(file:[^)\n]*\)/g, "$1")
    .replace(
      new RegExp(`import\\("[^"]*${cellModule.source}[^"]*"\\)\\.([\\p{ID_Continue}$]+)`, "gu"),
      "$2 of Cell [$1]",
    )
    .replace(/import\("[^"]*\/\.warpcell-[^"]*"\)\./g, "")
    .replace(new RegExp(`typeof import\\("[^"]*${cellModule.source}[^"]*"\\)`, "g"), "Cell [$1]")
    .replace(/import\("[^"]*\/warpcell\/dist\/[^"]*"\)\.|import\("[^"]*\/native\/dist\/[^"]*"\)\./g, "");
}
