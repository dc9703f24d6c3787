// Picks the checker's findings that a user should see, at the cell's own places.
import { cellModule, type Wrapped } from "./cells-program.ts";
import { isDoubtful, isTensorIndexed, type Setting } from "./doubts.ts";

/** Findings whose own text says nothing to those who come from Python. */
const sentences = new Map([
  [2695, "A comma in parentheses drops what stands before it: a list is written in brackets, such as [3, 4]."],
]);

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
  range: { start: Place; end: Place };
  severity?: number;
  code?: number | string;
  message: string;
}

/** Lines and characters count from 0. */
export interface Place {
  line: number;
  character: number;
}

/** A mistake in a cell that is being written, between two offsets (UTF-16) of its text. */
export interface Mistake {
  start: number;
  end: number;
  /** As {@link Diagnostic.code}; empty where a compiler has no number for it. */
  code: string;
  severity: Diagnostic["severity"];
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
  const starts = lineStarts(setting.text);
  return mistakesIn(wrapped, setting, result).map(({ start, code, severity, message }) => {
    const line = starts.findLastIndex((offset) => offset <= start);
    return { cell, line: line + 1, column: start - starts[line]! + 1, code, severity, message };
  });
}

/** {@link diagnosticsOf}, with the offsets where each begins and ends. */
export function mistakesIn(wrapped: Wrapped, setting: Setting, result: unknown): Mistake[] {
  const starts = lineStarts(setting.text);
  const found = new Map<string, Mistake>();

  for (const item of itemsOf(result)) {
    const severity = severities.get(item.severity ?? 1);
    const place = placeIn(setting.text, starts, wrapped, item);
    if (severity === undefined || place === null) continue;
    const finding = { code: Number(item.code), message: item.message, offset: place.start };
    if (isDoubtful(finding, setting)) continue;

    const code = `TS${item.code ?? ""}`;
    const message = isTensorIndexed(finding)
      ? bracketsOfTensor
      : (sentences.get(finding.code) ?? tensorOperator(finding) ?? readable(item.message));
    found.set(`${place.start}:${code}:${message}`, { ...place, code, severity, message });
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

/**
 * What keeps a text from being parsed, the first of it: the others follow from that. What is missing behind the text is
 * missing at its end.
 */
export function syntaxMistakesIn(wrapped: Wrapped, text: string, result: unknown): Mistake[] {
  const starts = lineStarts(text);
  const syntax = itemsOf(result)
    .filter(({ code }) => Number(code) < 2000)
    .sort((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character);
  const first = syntax.find(({ range }) => range.start.line >= wrapped.firstLine);
  if (first === undefined) return [];
  const end = text.trimEnd().length;
  const place = placeIn(text, starts, wrapped, first) ?? { start: Math.max(0, end - 1), end };
  return [{ ...place, code: `TS${first.code ?? ""}`, severity: "error", message: readable(first.message) }];
}

/** Where a finding lies in the cell's own text; `null` for one of the lines around it. */
export function placeIn(
  text: string,
  starts: readonly number[],
  wrapped: Pick<Wrapped, "firstLine">,
  { range }: Pick<Item, "range">,
): { start: number; end: number } | null {
  const line = range.start.line - wrapped.firstLine;
  if (line < 0 || line >= starts.length) return null;
  const start = starts[line]! + range.start.character;
  const endLine = range.end.line - wrapped.firstLine;
  const end = endLine >= starts.length ? text.length : starts[endLine]! + range.end.character;
  return { start, end };
}

export function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

function itemsOf(result: unknown): Item[] {
  return (result as { items?: Item[] } | null)?.items ?? [];
}

const bracketsOfTensor =
  "Brackets do not index a tensor: write x.get(0) for x[0], and x.set([0], value) for x[0] = value.";

/** What stands for JavaScript's operators. */
const methods: Readonly<Record<string, string>> = {
  "+": "add",
  "+=": "add_",
  "-": "sub",
  "*": "mul",
  "/": "div",
  "%": "remainder",
  "**": "pow",
  "<": "lt",
  ">": "gt",
  "<=": "le",
  ">=": "ge",
};

/** What to write for an operator beside a tensor; `null`: the finding is about something else. */
function tensorOperator({ code, message }: { code: number; message: string }): string | null {
  if (!/'Tensor[<']/.test(message)) return null;
  if (code === 2367)
    return "A tensor never equals a number or a text: write x.item() === 1 for the element of a tensor of one, and x.eq(1) for each element.";
  const [, operator = ""] = /^Operator '(\S+)' cannot be applied to types/.exec(message) ?? [];
  const method = methods[operator];
  if (code !== 2365 || method === undefined) return null;
  return `JavaScript's operators do not compute with tensors: write x.${method}(y) for x ${operator} y, and x.item() for the number in a tensor of one element.`;
}

/** Files on disk that the checker found without any export (TS2306), by path. */
export function filesThatAreNoModules(result: unknown): string[] {
  return itemsOf(result)
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
    .replace(/typeof import\("[^"]*\/(?:warpcell|native)\/dist\/index"\)/g, "warpcell")
    .replace(new RegExp(`typeof import\\("[^"]*${cellModule.source}[^"]*"\\)`, "g"), "Cell [$1]")
    .replace(/import\("[^"]*\/warpcell\/dist\/[^"]*"\)\.|import\("[^"]*\/native\/dist\/[^"]*"\)\./g, "");
}
