// Names that a cell may import: which of the checker's offers are shown, and what writes the import.
import type { EditorEdit } from "warpcell/payloads";
import type { CompletionItem } from "../complete.ts";

interface Offer {
  moduleSpecifier: string;
  /** 0: by name; 1: the default export. */
  importKind: number;
}

/** Where a match has to be imported from; `null`: it is there. */
export function offerOf({ data }: CompletionItem): Offer | null {
  return (data as { autoImport?: Offer } | undefined)?.autoImport ?? null;
}

/** Names that are there already; `result` is the protocol's list, or `null`. */
export function withoutOffers(result: unknown): CompletionItem[] {
  return itemsIn(result).filter((item) => offerOf(item) === null);
}

export function itemsIn(result: unknown): CompletionItem[] {
  return ((Array.isArray(result) ? result : (result as { items?: unknown } | null)?.items) ?? []) as CompletionItem[];
}

/**
 * Without offers of what is there already, of the library's files and of modules that stand for cells; of several
 * modules that have a name, the library comes first, then files beside the notebook, Node, and packages by short paths.
 */
export function withBestOffers(items: readonly CompletionItem[]): CompletionItem[] {
  const there = new Set(items.flatMap((item) => (offerOf(item) === null ? [item.label] : [])));
  const best = new Map<string, CompletionItem>();
  for (const item of items) {
    const offer = offerOf(item);
    if (offer === null || there.has(item.label) || !isOffered(offer)) continue;
    const known = best.get(item.label);
    if (known === undefined || rankOf(offer) < rankOf(offerOf(known)!)) best.set(item.label, item);
  }
  return [...items.filter((item) => offerOf(item) === null), ...best.values()];
}

function isOffered({ moduleSpecifier, importKind }: Offer): boolean {
  if (importKind > 1 || /(?:^|\/)\.warpcell-|\/dist\/|^warpcell\//.test(moduleSpecifier)) return false;
  // Node's modules have two names: the one that says so is offered.
  return moduleSpecifier.startsWith("node:") || !nodeModules.test(moduleSpecifier);
}

const nodeModules =
  /^(?:assert|async_hooks|buffer|child_process|cluster|console|constants|crypto|dgram|diagnostics_channel|dns|domain|events|fs|http|http2|https|inspector|module|net|os|path|perf_hooks|process|punycode|querystring|readline|repl|stream|string_decoder|sys|timers|tls|tty|url|util|v8|vm|wasi|worker_threads|zlib)(?:\/|$)/;

function rankOf({ moduleSpecifier }: Offer): number {
  if (moduleSpecifier === "warpcell") return 0;
  if (moduleSpecifier.startsWith(".")) return 1;
  if (moduleSpecifier.startsWith("node:")) return 2;
  return 2 + moduleSpecifier.split("/").length;
}

/** What writes the import of a name into a cell: into one of the same module, else as a line before the code. */
export function importEdit(code: string, text: string, name: string, offer: Offer): EditorEdit {
  const { moduleSpecifier, importKind } = offer;
  const escaped = moduleSpecifier.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (importKind === 0) {
    const known = new RegExp(
      `^([ \\t]*import\\s+(?:[\\w$]+\\s*,\\s*)?\\{)([^}]*)\\}\\s*from\\s*["']${escaped}["']`,
      "m",
    ).exec(code);
    if (known !== null) {
      const inside = known[2]!;
      const names = inside.trimEnd();
      const at = known.index + known[1]!.length + names.length;
      const comma = names.trim() === "" || names.endsWith(",") ? "" : ",";
      const after = inside.trim() === "" && inside === "" ? " " : "";
      return { start: at, end: at, text: `${comma} ${name}${after}` };
    }
  }
  const line = `import ${importKind === 0 ? `{ ${name} }` : name} from "${moduleSpecifier}";\n`;
  const at = lineOfCode(text);
  return { start: at, end: at, text: line };
}

/** Where the first line begins that is neither a magic nor a blank line before one. */
function lineOfCode(text: string): number {
  let at = 0;
  let code = 0;
  for (const line of text.split("\n")) {
    if (/^\s*%/.test(line)) code = at + line.length + 1;
    else if (line.trim() !== "" && !/^\s*\/\//.test(line)) break;
    at += line.length + 1;
  }
  return Math.min(code, text.length);
}
