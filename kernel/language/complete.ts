// The checker's completions as an editor shows them: filtered by what is typed, sorted, with kinds.
import { edited } from "./cells-program.ts";
import { readable } from "./diagnostics.ts";

/** A match; `start` and `end` are the UTF-16 offsets of the text it replaces. */
export interface Completion {
  text: string;
  /** What it is: "function", "class", "const", "property", "method", "keyword", "module", … */
  type: string;
  signature: string;
  start: number;
  end: number;
  documentation?: string;
}

/** The part of the protocol's `CompletionItem` that is read (Language Server Protocol 3.17). */
export interface CompletionItem {
  label: string;
  kind?: number;
  detail?: string;
  documentation?: string | { value: string };
  sortText?: string;
  insertText?: string;
  textEdit?: { range?: { start: { character: number } }; newText: string };
  data?: unknown;
}

/** `CompletionItemKind` → kind. Kind 1, words of the text that the checker knows nothing of, is left out. */
const kinds: Record<number, string> = {
  2: "method",
  3: "function",
  4: "constructor",
  5: "property",
  6: "variable",
  7: "class",
  8: "interface",
  9: "module",
  10: "property",
  11: "const",
  12: "const",
  13: "enum",
  14: "keyword",
  15: "snippet",
  16: "const",
  17: "path",
  18: "variable",
  19: "path",
  20: "const",
  21: "const",
  22: "struct",
  23: "event",
  24: "operator",
  25: "type",
};

/** No editor shows more; the user types on. */
const most = 500;

/** The part of a name before the cursor. */
export function prefixAt(code: string, offset: number): string {
  return /[\p{ID_Start}$_\u200c\u200d][\p{ID_Continue}$\u200c\u200d]*$/u.exec(code.slice(0, offset))?.[0] ?? "";
}

/** The items to show, best first, and the start of what they replace. */
export function choose(
  code: string,
  offset: number,
  items: readonly CompletionItem[],
): { items: CompletionItem[]; start: number } {
  const lineStart = code.lastIndexOf("\n", offset - 1) + 1;
  // Inside a string (a path, a literal type) the checker says what is replaced; elsewhere it is the name.
  const edit = items.find(
    (item) => item.textEdit?.range !== undefined && item.textEdit.newText === item.label,
  )?.textEdit;
  const start =
    edit?.range === undefined ? offset - prefixAt(code, offset).length : lineStart + edit.range.start.character;
  const typed = code.slice(start, offset);
  // Before anything of it is typed, the checker says nothing of what is replaced.
  const isText = edit !== undefined || /["']$/.test(code.slice(0, start));

  const known = new Map<string, CompletionItem>();
  for (const listed of items) {
    // An optional property is listed as `name?`.
    const item = listed.label.endsWith("?") ? { ...listed, label: listed.label.slice(0, -1) } : listed;
    if (item.kind === undefined || kinds[item.kind] === undefined || item.label.startsWith(edited)) continue;
    // Names that need brackets after a dot cannot replace the name alone.
    if (!isText && kinds[item.kind] !== "path" && !/^[#\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(item.label)) continue;
    if (!known.has(item.label)) known.set(item.label, item);
  }
  const exact = [...known.values()].filter((item) => item.label.startsWith(typed));
  const matching =
    exact.length > 0
      ? exact
      : [...known.values()].filter((item) => item.label.toLowerCase().startsWith(typed.toLowerCase()));
  return { items: matching.sort(byPlace).slice(0, most), start };
}

/** The checker's order (locals and members, then globals, then deprecated), then the alphabet. */
function byPlace(a: CompletionItem, b: CompletionItem): number {
  return compare(a.sortText ?? "", b.sortText ?? "") || compare(a.label, b.label);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** An item, as it is or with the details that were asked for later, as a match. */
export function completionOf(item: CompletionItem, start: number, end: number): Completion {
  const detail = readable(item.detail ?? "").replace(/^\(alias\) /, "");
  const documentation = readable(
    (typeof item.documentation === "string" ? item.documentation : item.documentation?.value) ?? "",
  );
  const keyword = /^(const|let|var|class|function|enum|module|namespace)\b/.exec(detail)?.[1];
  const kind = kinds[item.kind ?? 0] ?? "";
  return {
    text: item.label,
    type: kind === "variable" && keyword !== undefined ? keyword : kind,
    signature: kind === "path" ? "" : withoutOwner(firstOverload(detail), item.label),
    start,
    end,
    ...(documentation === "" ? {} : { documentation }),
  };
}

/**
 * The checker writes an overload after the other, each over as many lines as its types take; a signature is one line.
 */
function firstOverload(detail: string): string {
  return detail
    .split(/\n(?![\s}])/)[0]!
    .replace(/^\([^)]*\) /, "")
    .replace(/\s+/g, " ");
}

/** A member is described as `Owner<…>.member(…)`, where the owner can be longer than all the rest. */
function withoutOwner(signature: string, name: string): string {
  const at = /^[\p{ID_Start}$_][\p{ID_Continue}$]*[.<]/u.test(signature) ? signature.indexOf(`.${name}`) : -1;
  return at === -1 ? signature : signature.slice(at + 1);
}
