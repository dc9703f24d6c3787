// The scripts that a debugger sees: cells and the user's own files, each under its path, with the breakpoints in them.
import type { Debugger } from "node:inspector";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cellPath, isCellPath } from "../../session-protocol-debug.ts";
import type { Position } from "../../language/positions.ts";
import type { Inspector } from "./debug-inspector.ts";

/** Of a script that a debugger sees. */
export interface Source {
  readonly path: string;
  readonly name: string;
}

interface Script {
  readonly id: string;
  readonly url: string;
  source: Promise<Source> | null;
  lines: Promise<string[]> | null;
  isTrapped: boolean;
  breakable: Promise<Breakable[]> | null;
  /** Breakpoints that V8 has in it. */
  set: Map<string, string>;
}

/** Where V8 can stop, and the line there. */
interface Breakable {
  readonly at: Debugger.BreakLocation;
  readonly line: number;
}

export interface Wanted {
  readonly line: number;
  readonly condition: string;
}

export interface Breakpoint {
  readonly verified: boolean;
  readonly line: number;
  readonly source: { readonly path: string };
  readonly message?: string;
}

const cells = "cell:";
/** The kernel itself, and the library: neither is the user's. */
const ours = [new URL("../../", import.meta.url).href, new URL(".", import.meta.resolve("warpcell/host")).href];

export class DebugScripts {
  readonly #inspector: Inspector;
  readonly #scripts = new Map<string, Script>();
  /** Breakpoints that stop code wherever it is. */
  readonly #traps: string[] = [];
  #isEverywhere = false;
  readonly #wanted: ReadonlyMap<string, readonly Wanted[]>;

  /** `wanted` are the breakpoints of each path. */
  constructor(inspector: Inspector, wanted: ReadonlyMap<string, readonly Wanted[]>) {
    this.#inspector = inspector;
    this.#wanted = wanted;
  }

  /** What V8 never steps into: all but cells and the user's files, which are those that {@link parsed} keeps. */
  get hidden(): string[] {
    const folders = ours.map((url) => url.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
    return [`^(?!${cells}|file:)`, `^file:.*/node_modules/`, `^(?:${folders})`];
  }

  parsed({ scriptId: id, url }: Debugger.ScriptParsedEventDataType): void {
    if (this.#isUsers(url))
      this.#scripts.set(id, { id, url, source: null, lines: null, isTrapped: false, breakable: null, set: new Map() });
  }

  /** Whether it is a cell or a file of the user's. */
  has(script: string): boolean {
    return this.#scripts.has(script);
  }

  isCell(script: string): boolean {
    return this.#scripts.get(script)?.url.startsWith(cells) === true;
  }

  sourceOf(id: string): Promise<Source> {
    const script = this.#scripts.get(id)!;
    return (script.source ??= this.#sourceOf(script.url));
  }

  /** The user's files that are loaded. */
  async files(): Promise<Source[]> {
    const files = [...this.#scripts.values()].filter(({ id }) => !this.isCell(id));
    const sources = await Promise.all(files.map(({ id }) => this.sourceOf(id)));
    return [...new Map(sources.map((source) => [source.path, source])).values()];
  }

  /** Where in its cell or file a place is; the first line where that is nowhere. */
  async placeOf({ scriptId, lineNumber, columnNumber = 0 }: Debugger.Location): Promise<Position> {
    const { url } = this.#scripts.get(scriptId)!;
    const [place] = await this.#places(url, [[lineNumber + 1, columnNumber + 1]]);
    return place ?? { line: 1, column: 1 };
  }

  /** Whether the user wrote what runs at a place. */
  async isWritten(location: Debugger.Location): Promise<boolean> {
    const script = this.#scripts.get(location.scriptId)!;
    return isWritten(await this.#linesOf(script), location);
  }

  /** The text of the cell with this path. */
  async cellAt(path: string): Promise<string> {
    for (const { id, url } of this.#scripts.values())
      if (this.isCell(id) && (await this.sourceOf(id)).path === path)
        return (await this.#inspector.ask("cell", { value: url }))!.source;
    throw new Error(`No cell with the path ${path} has run.`);
  }

  /** Sets the breakpoints of a path, in place of those that are there. */
  async setBreakpoints(path: string): Promise<Breakpoint[]> {
    const wanted = this.#wanted.get(path) ?? [];
    const source = { path };
    // V8 has one breakpoint at a place.
    const isEverywhere = this.#isEverywhere;
    if (isEverywhere) await this.nowhere();
    let found: (number | null)[] | null = null;
    for (const script of [...this.#scripts.values()])
      if ((await this.sourceOf(script.id)).path === path) found = await this.#set(script, wanted);
    if (isEverywhere) await this.everywhere();
    return wanted.map(({ line }, at) => {
      const actual = found === null ? line : found[at];
      if (actual != null) return { verified: found !== null || isCellPath(path), line: actual, source };
      return { verified: false, line, source, message: "Nothing runs on this line or below it." };
    });
  }

  /** Before a script runs: those that its path has. */
  async arm(id: string): Promise<void> {
    const script = this.#scripts.get(id);
    if (script === undefined) return;
    const wanted = this.#wanted.get((await this.sourceOf(id)).path) ?? [];
    if (wanted.length > 0) await this.#set(script, wanted);
    if (this.#isEverywhere) await this.#trap(script);
  }

  /** Wherever code of the user's runs next, the last scripts first. */
  async everywhere(): Promise<void> {
    this.#isEverywhere = true;
    for (const script of [...this.#scripts.values()].reverse()) if (this.#isEverywhere) await this.#trap(script);
  }

  async nowhere(): Promise<void> {
    this.#isEverywhere = false;
    for (const script of this.#scripts.values()) script.isTrapped = false;
    for (const breakpointId of this.#traps.splice(0))
      await this.#inspector.post("Debugger.removeBreakpoint", { breakpointId });
  }

  async #trap(script: Script): Promise<void> {
    if (script.isTrapped) return;
    script.isTrapped = true;
    for (const { at } of await (script.breakable ??= this.#breakableIn(script))) {
      const { scriptId, lineNumber, columnNumber = 0 } = at;
      if (!this.#isEverywhere || script.set.has(`${lineNumber}:${columnNumber}`)) continue;
      const location = { scriptId, lineNumber, columnNumber };
      const set = this.#inspector.post<Debugger.SetBreakpointReturnType>("Debugger.setBreakpoint", { location });
      this.#traps.push((await set).breakpointId);
    }
  }

  #isUsers(url: string): boolean {
    if (url.startsWith(cells)) return true;
    if (!url.startsWith("file:") || this.hidden.some((pattern) => new RegExp(pattern).test(url))) return false;
    // Modules may be made of a text alone.
    return existsSync(fileURLToPath(url));
  }

  async #sourceOf(url: string): Promise<Source> {
    if (!url.startsWith(cells)) {
      const path = fileURLToPath(url);
      return { path, name: path.split("/").at(-1)! };
    }
    const cell = await this.#inspector.ask("cell", { value: url });
    return { path: cellPath(cell?.source ?? ""), name: cell?.label ?? "" };
  }

  #places(url: string, at: [line: number, column: number][]): Promise<(Position | null)[]> {
    return this.#inspector.ask("places", { value: url }, { value: at });
  }

  /** The line of each that was set; `null` where there was none to set. */
  async #set(script: Script, wanted: readonly Wanted[]): Promise<(number | null)[]> {
    const breakable = await (script.breakable ??= this.#breakableIn(script));
    const found = wanted.map(({ line }) => {
      const next = Math.min(...breakable.map((each) => each.line).filter((other) => other >= line));
      return breakable.find((each) => each.line === next);
    });
    const before = script.set;
    script.set = new Map();
    for (const id of before.values()) await this.#inspector.post("Debugger.removeBreakpoint", { breakpointId: id });
    for (const [index, each] of found.entries()) {
      const key = each === undefined ? "" : `${each.at.lineNumber}:${each.at.columnNumber ?? 0}`;
      if (each === undefined || script.set.has(key)) continue;
      const { scriptId, lineNumber, columnNumber = 0 } = each.at;
      const { breakpointId } = await this.#inspector.post<Debugger.SetBreakpointReturnType>("Debugger.setBreakpoint", {
        location: { scriptId, lineNumber, columnNumber },
        condition: wanted[index]!.condition,
      });
      script.set.set(key, breakpointId);
    }
    return found.map((each) => each?.line ?? null);
  }

  #linesOf(script: Script): Promise<string[]> {
    return (script.lines ??= this.#inspector
      .post<Debugger.GetScriptSourceReturnType>("Debugger.getScriptSource", { scriptId: script.id })
      .then(({ scriptSource }) => (this.isCell(script.id) ? scriptSource.split("\n") : [])));
  }

  async #breakableIn(script: Script): Promise<Breakable[]> {
    const { id, url } = script;
    const lines = await this.#linesOf(script);
    const { locations } = await this.#inspector.post<Debugger.GetPossibleBreakpointsReturnType>(
      "Debugger.getPossibleBreakpoints",
      { start: { scriptId: id, lineNumber: 0, columnNumber: 0 } },
    );
    const at = locations.map(({ lineNumber, columnNumber = 0 }): [number, number] => [
      lineNumber + 1,
      columnNumber + 1,
    ]);
    const places = await this.#places(url, at);
    return locations.flatMap((location, index) => {
      const place = places[index];
      return place != null && isWritten(lines, location) ? [{ at: location, line: place.line }] : [];
    });
  }
}

/** What a cell calls of the kernel's at each statement, where that is not the beginning of a line; and the cell itself. */
function isWritten(lines: readonly string[], { lineNumber, columnNumber = 0 }: Debugger.Location): boolean {
  const line = lines[lineNumber] ?? "";
  const before = line.slice(0, columnNumber);
  // The cell is a function in a script of its own, which ends with the line that makes that known to us.
  if ((lineNumber === 0 && columnNumber === 0 && line !== "") || line.startsWith("//# ")) return false;
  return !/\${2,}\.$/.test(before) || line.startsWith("resumed(", columnNumber) || /^\s*\(?\${2,}\.$/.test(before);
}
