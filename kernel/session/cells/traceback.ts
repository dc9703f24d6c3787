// What the user reads of an error: the cell's own positions, the source line with a caret, causes, and no frames of
// ours.
import { inspect } from "node:util";
import type { CodePlace } from "warpcell/host";
import { findSourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { CellSyntaxError } from "../../language/cell-syntax-error.ts";
import { insteadOfMissing } from "../../language/cuda-spelling.ts";
import { insteadOfImport, insteadOfMistake, insteadOfPage } from "../../language/javascript-mistakes.ts";
import { insteadOfMember, insteadOfMethod } from "../../language/library-members.ts";
import { insteadOfPython } from "../../language/python-spelling.ts";
import { excerpt } from "../../language/excerpt.ts";
import type { Position } from "../../language/positions.ts";
import { exportedNames } from "../../language/exported-names.ts";
import type { CellError } from "../../session-protocol.ts";
import type { CellPlace, CellRegistry, RanCell } from "./cell-registry.ts";
import { hostUrl } from "./library.ts";

/** Folders of our own code: their frames say nothing to the user. */
const ours = [new URL("../../", import.meta.url).href, fileURLToPath(new URL("../../", import.meta.url))];

/**
 * How the rewritten code spells a name of the notebook, in V8's messages, which have a space before a comma as nobody
 * else; and one that may not have its value yet.
 */
const early =
  /\(\(\(\${2,}_[\p{ID_Continue}$]+ && \("[^"]*" in \${2,}\d+\)\) \|\| \${2,}\.uninitialised\(\.\.\.\)\) , (\${2,}\d+\.[\p{ID_Continue}$]+)\)/gu;
const slotName =
  /\((?:0|\${2,}\.origin\.current) , ((?:[^()]|\(\.\.\.\))+)\)|(?<!\$)\${2,}\d+\.([\p{ID_Continue}$]+)/gu;

const slot = /(?<!\$)\${2,}\d+\./g;

/** A frame whose function V8 names after the call of ours that it was given to: `value.$$.resumed.block (…)`. */
const ourNames = /^(async )?[^(]*\${2,}\.[^(]* \((.*)\)$/;

/** What makes an edited file another module: it stands in the URL of a file, which has no white space and no quotes. */
const version = /\?v=[\da-f]{16}/g;
const word = /[^\s"']+/g;

/** What could not be compiled Node marks in the error's stack: the file with the line, that line, and a caret below. */
export const refusal = /^(\S[^\n]*):(\d+)\n[^\n]*\n( *)\^/;

const maxCauses = 8;

/** Frames in which a cell is looked for, and those of them that are shown unless the user sets another limit. */
const deepest = 200;
const shown = 10;

export class Tracebacks {
  readonly #cells: CellRegistry;
  readonly #valueOf: (name: string) => unknown;
  readonly #library: () => object | null;
  /** Where in a cell an error was made, the innermost such place. */
  readonly #places = new WeakMap<object, CellPlace>();

  /** `valueOf`: of a name of the notebook. */
  constructor(cells: CellRegistry, valueOf: (name: string) => unknown, library: () => object | null) {
    this.#cells = cells;
    this.#valueOf = valueOf;
    this.#library = library;
  }

  /** From now on every `error.stack` shows places in cells, and none of ours. */
  install(): void {
    Error.stackTraceLimit = deepest;
    Error.prepareStackTrace = (error, sites) => this.#format(error, sites);
  }

  /** Leaves out the frames of one more folder of ours, given as a URL. */
  hide(folder: string): void {
    ours.push(folder, fileURLToPath(folder));
  }

  /**
   * Says where an error came from that has no frame in a cell, such as a failed import. A file that failed once fails
   * with the same error again, for another cell.
   */
  place(error: unknown, place: CellPlace): void {
    if (typeof error === "object" && error !== null) this.#places.set(error, place);
  }

  /** Says that an error that came later belongs to where `caller` was made. */
  placeAs(error: unknown, caller: Error): void {
    const place = caller.stack === undefined ? undefined : this.#places.get(caller);
    if (place !== undefined) this.place(error, place);
  }

  /** The innermost place in a cell of the code that is running; `undefined` when no code runs. */
  here(): CodePlace | undefined {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = deepest;
    const caller = new Error();
    Error.stackTraceLimit = stackTraceLimit;
    const place = caller.stack === undefined ? undefined : this.#places.get(caller);
    return place && this.#cells.toldPlace(place);
  }

  /** Where the function is declared that starts there; "cell": it is what runs a cell. "ours": not the user's. */
  functionAt(file: string, line: number, column: number): CodePlace | "cell" | "ours" | undefined {
    const place = this.#cells.find(file, line, column);
    if (place !== undefined) return this.#cells.toldPlace(place);
    if (this.#cells.isCell(file)) return "cell";
    return isOurs(`${file}:${line}`) ? "ours" : undefined;
  }

  /**
   * The error of a cell, as front ends show it. `cell` is what failed, for errors that know a line but not of which
   * cell. Never throws, whatever was thrown.
   */
  describe(thrown: unknown, cell: RanCell): CellError {
    try {
      if (thrown instanceof CellSyntaxError) this.place(thrown, { cell, line: thrown.line, column: thrown.column });
      else this.#placeLaunch(thrown);
      return { ...this.#nameAndMessage(thrown), traceback: this.#lines(thrown, new Set()) };
    } catch {
      const message = "What was thrown cannot be shown: reading it throws an error itself. Look at `_error`.";
      return { name: "Thrown", message, traceback: [`Thrown: ${message}`] };
    }
  }

  /** A fault of a device has no frame in a cell: it comes after the launch, which it names. */
  #placeLaunch(thrown: unknown): void {
    const place =
      thrown instanceof Error && "place" in thrown && typeof thrown.place === "object" && thrown.place !== null
        ? this.#cells.placeTold(thrown.place)
        : undefined;
    if (place !== undefined) this.#placeFirst(thrown, place);
  }

  #placeFirst(error: unknown, place: CellPlace): void {
    if (typeof error === "object" && error !== null && !this.#places.has(error)) this.place(error, place);
  }

  /** `above` are the errors that this one is a cause of: it may be one of them. */
  #lines(thrown: unknown, above: ReadonlySet<unknown>): string[] {
    const { name, message } = this.#nameAndMessage(thrown);
    const lines = [`\u001b[31m${name}\u001b[39m: ${message}`];
    if (typeof thrown !== "object" || thrown === null) return lines;

    const stack = thrown instanceof Error && !(thrown instanceof CellSyntaxError) ? frames(thrown) : [];
    const place = this.#places.get(thrown);
    if (place !== undefined) lines.push("", ...excerpt(place.cell.label, place.cell.source, place.line, place.column));
    lines.push(...stack);
    const told = new Set([...above, thrown]);
    const isTold = (error: unknown): boolean => told.size > maxCauses || told.has(error);
    if (thrown instanceof AggregateError && Array.isArray(thrown.errors))
      for (const error of thrown.errors) if (!isTold(error)) lines.push("", ...this.#lines(error, told));
    if (thrown instanceof Error && thrown.cause !== undefined && !isTold(thrown.cause))
      lines.push("", "Caused by:", ...this.#lines(thrown.cause, told));
    return lines;
  }

  #nameAndMessage(thrown: unknown): { name: string; message: string } {
    if (!(thrown instanceof Error)) return { name: "Thrown", message: inspect(thrown, { colors: false }) };
    const message = withoutOurs(String(thrown.message));
    return {
      name: String(thrown.name || thrown.constructor.name),
      message: message + this.#insteadOf(thrown, message) + refused(thrown),
    };
  }

  /** What to write instead of what another language or a page has, or where JavaScript has no advice. */
  #insteadOf(error: Error, message: string): string {
    if (error instanceof TypeError)
      return (
        insteadOfMistake(message) ||
        insteadOfImport(message) ||
        this.#memberOf(message) ||
        this.#roomOf(error, message) ||
        this.#constantOf(message)
      );
    if (!(error instanceof ReferenceError)) return "";
    const name = /^([\w$]+) is not defined$/.exec(message)?.[1];
    if (name === undefined) return "";
    const advice = [insteadOfMissing, insteadOfPage, insteadOfPython].map((words) => words(message)).join("");
    return (
      advice ||
      this.#launchOf(name) ||
      this.#deviceOf(name) ||
      importOfMissing(name) ||
      this.#declarationOf(error, name)
    );
  }

  /** How the library, or what it made, spells what it lacks by that name: `wc.no_grad is not a function`. */
  #memberOf(message: string): string {
    const [, object, member] = /^([\w$.]+)\.([\w$]+) is not a (?:function|constructor)$/.exec(message) ?? [];
    const library = this.#library();
    if (object === undefined || library === null) return "";
    const [name, ...steps] = object.split(".");
    // No getter of the user's is run for a message.
    const step = (at: unknown, key: string): unknown => Object.getOwnPropertyDescriptor(Object(at), key)?.value;
    const value = steps.reduce(step, this.#valueOf(name!));
    return value === library
      ? insteadOfMember(library, object, member!)
      : insteadOfMethod(library, value, object, member!);
  }

  /** Where the library has what is looked for in a room that it lacks: `np.random.randn`. */
  #roomOf(error: Error, message: string): string {
    const member = /^Cannot read properties of undefined \(reading '([\w$]+)'\)$/.exec(message)?.[1];
    const library = this.#library();
    if (member === undefined || library === null) return "";
    const object = /([\p{ID_Start}$_][\p{ID_Continue}$]*)(?:\.[\p{ID_Continue}$]+)+\.$/u.exec(this.#before(error))?.[1];
    const value = object === undefined ? undefined : this.#valueOf(object);
    if (value === library) return insteadOfMember(library, object!, member);
    return value !== undefined && Object.values(library).includes(value) ? insteadOfMember(library, "", member) : "";
  }

  /** What stands in its line before the place in a cell where an error was made. */
  #before(error: Error): string {
    // A stack is written when it is first read, and the place found with it.
    const place = error.stack === undefined ? undefined : this.#places.get(error);
    return place?.cell.source.split("\n")[place.line - 1]?.slice(0, place.column - 1) ?? "";
  }

  /** A variable of a device has a name that stays, and a value that can be set. */
  #constantOf(message: string): string {
    const name = /^Assignment to constant variable ([\w$]+)\.$/.exec(message)?.[1];
    const variable = name === undefined ? undefined : this.#valueOf(name);
    const Variable = (this.#library() as { readonly DeviceVariable?: unknown } | null)?.DeviceVariable;
    return typeof Variable === "function" && variable instanceof Variable
      ? ` Its value on the device changes by ${name}.set(value).`
      : "";
  }

  /** How to declare a name where the code that failed gives it a value. */
  #declarationOf(error: Error, name: string): string {
    // A stack is written when it is first read, and the place found with it.
    const place = error.stack === undefined ? undefined : this.#places.get(error);
    const line = place?.cell.source.split("\n")[place.line - 1]?.slice(place.column - 1) ?? "";
    if (!line.startsWith(name) || !/^\s*=(?![=>])/.test(line.slice(name.length))) return "";
    return /[(,]\s*$/.test(this.#before(error))
      ? `: an argument by name is an option, ({ ${name}: … }).`
      : `: write let ${name} = … first.`;
  }

  /** How to have a kernel of a program as a function. */
  #launchOf(name: string): string {
    const program = this.#cells.programWith(name);
    return program === undefined
      ? ""
      : `: it is a kernel of the program in ${program.label}, whose main() launches it. Take main() away and run that cell again, and ${name} is a function here.`;
  }

  /** What is there for `%%cuda` cells alone. */
  #deviceOf(name: string): string {
    const cell = this.#cells.declarerOf(name);
    return cell === undefined
      ? ""
      : `: ${cell.label} declares it for %%cuda cells, whose kernels use it. What TypeScript calls is a __global__ function, or one of the host that launches it.`;
  }

  #format(error: Error, sites: NodeJS.CallSite[]): string {
    const lines: string[] = [];
    let isHidden = false;
    for (const site of sites) {
      // What JavaScript itself has called for us is ours too: the map of an array, say.
      const text: string | undefined =
        isHidden && site.getFileName() === null && !site.isEval() ? undefined : this.#frame(error, site);
      isHidden = text === undefined;
      if (text !== undefined) lines.push(`    at ${text}`);
    }
    if (Error.stackTraceLimit === deepest) lines.splice(shown);
    return [withoutOurs(header(error)), ...lines].join("\n");
  }

  #frame(error: Error, site: NodeJS.CallSite): string | undefined {
    const text = site.toString();
    const file = site.getFileName() ?? "";
    const place = this.#cells.find(file, site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0);
    if (place !== undefined) {
      this.#placeFirst(error, place);
      const own = text.replace(ourNames, "$1$2");
      return own.replace(/cell:\/\/\/\d+:\d+:\d+/, `${place.cell.label}:${place.line}:${place.column}`);
    }
    if (this.#cells.isCell(file) || isOurs(text) || /^<anonymous>:\d/.test(text)) return undefined;
    return withoutVersions(text).replace(/:(\d+):(\d+)(?=\)?$)/, (whole, line: string, column: string) => {
      const place = placeInFile(file, Number(line), Number(column));
      return place === undefined ? whole : `:${place.line}:${place.column}`;
    });
  }
}

/** Positions in an imported TypeScript file are those of the file, not of what runs. */
export function placeInFile(file: string, line: number, column: number): Position | undefined {
  const entry = /\.m?ts(\?|$)/.test(file) ? findSourceMap(file)?.findEntry(line - 1, column - 1) : undefined;
  if (entry === undefined || !hasOrigin(entry)) return undefined;
  return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

function hasOrigin(entry: object): entry is { originalLine: number; originalColumn: number } {
  return "originalLine" in entry;
}

/** An error of the module loader comes from another thread, with its stack already written. */
function frames(error: Error): string[] {
  const stack = typeof error.stack === "string" ? error.stack : "";
  return stack.split("\n").filter((line) => /^ {4}at /.test(line) && !isOurs(line));
}

/** Node's own, what has a message come to this process, and the `import` of cells, which stands in a module of ours. */
const inner =
  /\bnode:(internal\/|inspector|vm)|\bprocess\.emit \(node:events:|\bwarpcell:entry:|\bmodule\.exports \(.*\/notebook\.ts:1:/;

function isOurs(frame: string): boolean {
  return inner.test(frame) || ours.some((folder) => frame.includes(folder));
}

/** What to import where a name is missing that the library has. */
function importOfMissing(name: string): string {
  libraryNames ??= exportedNames(new URL("index.js", hostUrl));
  return libraryNames.has(name) ? `: write import { ${name} } from "warpcell" first.` : "";
}

let libraryNames: ReadonlySet<string> | undefined;

/** Where the file is wrong that Node could not compile. */
function refused(error: Error): string {
  const [, file, line, indent] = error instanceof SyntaxError ? (refusal.exec(String(error.stack)) ?? []) : [];
  return file === undefined ? "" : ` (${file}:${line}:${indent!.length + 1})`;
}

function header(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch (problem) {
    return `Error: ${String(problem)}`;
  }
}

function withoutOurs(text: string): string {
  return withoutVersions(text)
    .replace(early, "$1")
    .replace(slotName, (_, called: string | undefined, read: string | undefined) =>
      called === undefined ? read! : called.replace(slot, ""),
    );
}

/**
 * Word by word, since a message may be long: a lookbehind for `file:` would look at all of it from each of its
 * characters.
 */
function withoutVersions(text: string): string {
  if (!text.includes("?v=")) return text;
  return text.replace(word, (url) => {
    const start = url.search(/\bfile:/);
    return start < 0 ? url : url.slice(0, start) + url.slice(start).replace(version, "");
  });
}
