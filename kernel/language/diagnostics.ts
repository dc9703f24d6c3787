// Turns the checker's findings on a wrapped cell into those a user should see, at the cell's own places. It must not know how they were asked for.
import { cellModule, type Wrapped } from "./cells-program.ts";

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

/** The part of the protocol's `Diagnostic` that is read (Language Server Protocol 3.17). Lines and characters count from 0. */
interface Finding {
  range: { start: { line: number; character: number } };
  severity?: number;
  code?: number | string;
  message: string;
}

/** Findings of errors (1) and warnings (2); hints say nothing about correctness. */
const severities = new Map<number, Diagnostic["severity"]>([[1, "error"], [2, "warning"]]);

type Doubt = (finding: Finding, code: string) => boolean;

const always: Doubt = () => true;

/** Findings about code that is right when it runs, in any cell. Implicit `any` (7000 … 7999) is among them. */
const doubts = new Map<number, Doubt>([
  // A class of a cell that was run again is another class with the same private members.
  [2322, ({ message }) => message.includes("separate declarations of a private property")],
  [2345, ({ message }) => message.includes("separate declarations of a private property")],
  // "Cannot use import attributes", "import =", "export =": the kernel's own transform decides.
  [1202, always],
  [1203, always],
]);

/** Findings that plain JavaScript cannot help: there is no way in its syntax to say what the checker misses. */
const plainDoubts = new Map<number, Doubt>([
  // Possibly null, undefined or unknown.
  [2531, always], [2532, always], [2533, always], [2571, always], [18046, always], [18047, always], [18048, always], [18049, always],
  // Properties added to an object literal later, or looked up in one.
  [2339, ({ message }) => / on type '(?:\{|never)/.test(message)],
  [2790, always],
  // `new Promise((resolve) => resolve())`, `{ ...text }`
  [2810, always], [2794, always], [2698, always],
  // A function that reads `arguments` takes any number of them.
  [2554, (_, code) => /\barguments\b/.test(code)],
  // Prototype-style constructors, accessors on them.
  [2683, always],
]);

/** The findings that lie in the cell itself and are worth a warning, in order of place. `result` is a `DocumentDiagnosticReport` or `null`. */
export function diagnosticsOf(cell: number, code: string, wrapped: Wrapped, result: unknown): Diagnostic[] {
  const items = (result as { items?: Finding[] } | null)?.items ?? [];
  const found: Diagnostic[] = [];
  const seen = new Set<string>();

  for (const finding of items) {
    const severity = severities.get(finding.severity ?? 1);
    const line = finding.range.start.line - wrapped.firstLine;
    if (severity === undefined || line < 0 || line >= wrapped.lines) continue;
    if (isDoubtful(finding, code, wrapped)) continue;

    const diagnostic: Diagnostic = {
      cell,
      line: line + 1,
      column: finding.range.start.character + 1,
      code: `TS${finding.code ?? ""}`,
      severity,
      message: readable(finding.message),
    };
    const key = `${diagnostic.line}:${diagnostic.column}:${diagnostic.code}:${diagnostic.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    found.push(diagnostic);
  }
  return found.sort((a, b) => a.line - b.line || a.column - b.column);
}

function isDoubtful(finding: Finding, code: string, wrapped: Wrapped): boolean {
  const number = Number(finding.code);
  if (number >= 7000 && number < 8000) return true;
  if (doubts.get(number)?.(finding, code) === true) return true;
  return wrapped.language === "javascript" && plainDoubts.get(number)?.(finding, code) === true;
}

/** Types of other cells are written `import("…/module").Name`, names in comments are links to places: the reader knows cells, not modules. */
export function readable(text: string): string {
  return text
    .replace(/\[([^\]\n]+)\]\(file:[^)\n]*\)/g, "$1")
    .replace(new RegExp(`import\\("[^"]*${cellModule.source}[^"]*"\\)\\.([\\p{ID_Continue}$]+)`, "gu"), "$2 of Cell [$1]")
    .replace(/import\("[^"]*\/\.warpcell-[^"]*"\)\./g, "")
    .replace(new RegExp(`typeof import\\("[^"]*${cellModule.source}[^"]*"\\)`, "g"), "Cell [$1]")
    .replace(/import\("[^"]*\/warpcell\/dist\/[^"]*"\)\.|import\("[^"]*\/native\/dist\/[^"]*"\)\./g, "");
}
