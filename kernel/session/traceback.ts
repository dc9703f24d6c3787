// Turns errors into what the user reads: the cell's own positions, the source line with a caret, causes, and no frames of ours.
import { inspect } from "node:util";
import { findSourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { CellSyntaxError } from "../language/syntax.ts";
import { MagicError } from "../language/cell.ts";
import type { CellError } from "../session-protocol.ts";
import type { CellPlace, CellRegistry, RanCell } from "./cell-registry.ts";

/** Folders of our own code: their frames say nothing to the user. */
const ours = [new URL("../", import.meta.url).href, fileURLToPath(new URL("../", import.meta.url))];

/** How the rewritten code spells a name of the notebook, in V8's messages. */
const slotName = /\((?:0|\${2,}\.origin\.current) ?, ?\${2,}\d+\.([\p{ID_Continue}$]+)\)|\${2,}\d+\.([\p{ID_Continue}$]+)/gu;

const maxCauses = 8;

export class Tracebacks {
  readonly #cells: CellRegistry;
  /** Where in a cell an error was made, the innermost such place. */
  readonly #places = new WeakMap<object, CellPlace>();

  constructor(cells: CellRegistry) {
    this.#cells = cells;
  }

  /** From now on every `error.stack` shows places in cells, and none of ours. */
  install(): void {
    Error.prepareStackTrace = (error, sites) => this.#format(error, sites);
  }

  /** Leaves out the frames of one more folder of ours, given as a URL. */
  hide(folder: string): void {
    ours.push(folder, fileURLToPath(folder));
  }

  /** Says where an error came from that has no frame in a cell, such as a failed import. */
  place(error: unknown, place: CellPlace): void {
    if (typeof error === "object" && error !== null && !this.#places.has(error)) this.#places.set(error, place);
  }

  /** Says that an error that came later belongs to where `caller` was made. */
  placeAs(error: unknown, caller: Error): void {
    const place = caller.stack === undefined ? undefined : this.#places.get(caller);
    if (place !== undefined) this.place(error, place);
  }

  /** The error of a cell, as front ends show it. `cell` is what failed, for errors that know a line but not of which cell. */
  describe(thrown: unknown, cell: RanCell): CellError {
    if (thrown instanceof CellSyntaxError || thrown instanceof MagicError) this.place(thrown, { cell, line: thrown.line, column: thrown.column });
    const { name, message } = nameAndMessage(thrown);
    return { name, message, traceback: this.#lines(thrown, 0) };
  }

  #lines(thrown: unknown, depth: number): string[] {
    const { name, message } = nameAndMessage(thrown);
    const lines = [`\u001b[31m${name}\u001b[39m: ${message}`];
    if (typeof thrown !== "object" || thrown === null) return lines;

    const stack = thrown instanceof Error && !(thrown instanceof CellSyntaxError || thrown instanceof MagicError) ? frames(thrown) : [];
    const place = this.#places.get(thrown);
    if (place !== undefined) lines.push("", ...excerpt(place));
    lines.push(...stack);
    if (depth >= maxCauses) return lines;
    if (thrown instanceof AggregateError) for (const error of thrown.errors) lines.push("", ...this.#lines(error, depth + 1));
    if (thrown instanceof Error && thrown.cause !== undefined) lines.push("", "Caused by:", ...this.#lines(thrown.cause, depth + 1));
    return lines;
  }

  #format(error: Error, sites: NodeJS.CallSite[]): string {
    const lines: string[] = [];
    let isHidden = false;
    for (const site of sites) {
      // What JavaScript itself has called for us is ours too: the map of an array, say.
      const text: string | undefined = isHidden && site.getFileName() === null && !site.isEval() ? undefined : this.#frame(error, site);
      isHidden = text === undefined;
      if (text !== undefined) lines.push(`    at ${text}`);
    }
    return [withoutSlots(header(error)), ...lines].join("\n");
  }

  #frame(error: Error, site: NodeJS.CallSite): string | undefined {
    const text = site.toString();
    const file = site.getFileName() ?? "";
    const place = this.#cells.find(file, site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0);
    if (place !== undefined) {
      this.place(error, place);
      return text.replace(/cell:\/\/\/\d+:\d+:\d+/, `${place.cell.label}:${place.line}:${place.column}`);
    }
    if (/^node:(internal\/|inspector|vm)/.test(file) || ours.some((folder) => file.startsWith(folder)) || /^<anonymous>:\d/.test(text)) return undefined;
    return text.replace(/\?v=[\d.]+(?=:\d)/, "").replace(/:(\d+):(\d+)(?=\)?$)/, (whole, line: string, column: string) => fromSource(file, Number(line), Number(column)) ?? whole);
  }
}

/** Positions in an imported TypeScript file are those of the file, not of what runs. */
function fromSource(file: string, line: number, column: number): string | undefined {
  const entry = /\.m?ts(\?|$)/.test(file) ? findSourceMap(file)?.findEntry(line - 1, column - 1) : undefined;
  return entry !== undefined && hasOrigin(entry) ? `:${entry.originalLine + 1}:${entry.originalColumn + 1}` : undefined;
}

function hasOrigin(entry: object): entry is { originalLine: number; originalColumn: number } {
  return "originalLine" in entry;
}

function frames(error: Error): string[] {
  const stack = typeof error.stack === "string" ? error.stack : "";
  // What the loader's thread threw was made into text there, with its own frames.
  const isForeign = (line: string): boolean => /\(node:internal\//.test(line) || ours.some((folder) => line.includes(folder));
  return stack.split("\n").filter((line) => /^ {4}at /.test(line) && !isForeign(line));
}

/** `Cell [3]:4:7`, the line before, the line itself and a caret. */
export function excerpt({ cell, line, column }: CellPlace): string[] {
  const source = cell.source.split("\n");
  const width = String(line).length;
  const row = (number: number, mark: string): string => `${mark} ${String(number).padStart(width)} | ${source[number - 1] ?? ""}`.trimEnd();
  const lines = [`${cell.label}:${line}:${column}`];
  if (line > 1 && source[line - 2]?.trim()) lines.push(row(line - 1, " "));
  // Tabs before the caret keep it under its character.
  const indent = (source[line - 1] ?? "").slice(0, column - 1).replace(/[^\t]/g, " ");
  lines.push(row(line, ">"), `  ${" ".repeat(width)} | ${indent}^`);
  return lines;
}

function nameAndMessage(thrown: unknown): { name: string; message: string } {
  if (thrown instanceof Error) return { name: thrown.name || thrown.constructor.name, message: withoutSlots(thrown.message) };
  return { name: "Thrown", message: inspect(thrown, { colors: false }) };
}

function header(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch (problem) {
    return `Error: ${String(problem)}`;
  }
}

function withoutSlots(text: string): string {
  return text.replace(slotName, (_, called: string | undefined, read: string | undefined) => called ?? read ?? "");
}
