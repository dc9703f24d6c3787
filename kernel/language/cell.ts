// Turns the text of a cell into a `Cell`: its language, its magics and its code with their lines blanked.
import { CellSyntaxError } from "./cell-syntax-error.ts";

/** What `%%cuda` takes on its first line; each option has the name that the library's `compile` gives it. */
export interface CudaOptions {
  name?: string;
  std?: string;
  arch?: string;
  device?: string;
  defines: string[];
  includes: string[];
  flags: string[];
  fastMath: boolean;
  verbose: boolean;
}

/** How type errors are treated, from this cell on: shown and fatal, shown, or not looked for. */
export type TypeChecking = "strict" | "warn" | "off";

export interface Magics { types?: TypeChecking; }

/** `x?` asks what x is; `x??` asks for its source too. */
export interface Help { expression: string; detail: 0 | 1; }

/** A cell, parsed. Lines of `code` are the lines of the cell: those that held a magic are empty. */
export type Cell =
  | { language: "typescript"; code: string; magics: Magics; help: Help | null }
  | { language: "cuda"; code: string; magics: Magics; help: null; options: CudaOptions };

type Option =
  | { takes: "value"; set: (options: CudaOptions, value: string) => void }
  | { takes: "nothing"; set: (options: CudaOptions) => void };

const cudaOptions: Record<string, Option> = {
  "--name": { takes: "value", set: (options, value) => { options.name = value; } },
  "--std": { takes: "value", set: (options, value) => { options.std = value; } },
  "--arch": { takes: "value", set: (options, value) => { options.arch = value; } },
  "--define": { takes: "value", set: (options, value) => { options.defines.push(value); } },
  "--include": { takes: "value", set: (options, value) => { options.includes.push(value); } },
  "--flags": { takes: "value", set: (options, value) => { options.flags.push(...words(value).map((word) => word.text)); } },
  "--device": { takes: "value", set: (options, value) => { options.device = value; } },
  "--fast-math": { takes: "nothing", set: (options) => { options.fastMath = true; } },
  "--verbose": { takes: "nothing", set: (options) => { options.verbose = true; } },
};

const typeChecking: readonly TypeChecking[] = ["strict", "warn", "off"];

type LineMagic = (magics: Magics, rest: string, line: number, column: number) => void;

const lineMagics: Record<string, LineMagic> = {
  "%types": (magics, rest, line, column) => {
    const value = typeChecking.find((candidate) => candidate === rest);
    if (value === undefined) {
      throw new CellSyntaxError("UNKNOWN_MAGIC", `Expected %types to be followed by ${typeChecking.join(", ")} but got "${rest}".`, line, column);
    }
    magics.types = value;
  },
};

/** What may stand on a magic line: the magics, and what follows each of them. */
export const magicWords: Readonly<Record<string, readonly string[]>> = {
  "%%cuda": Object.keys(cudaOptions),
  "%types": typeChecking,
};

/**
 * Reads the magics of a cell: `%%cuda` with its options on the first line that is not empty, or `%types` lines before the first line of code,
 * or `expression?`. Throws CellSyntaxError.
 */
export function parse(text: string): Cell {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  const opening = first < 0 ? "" : lines[first]!.trim();

  if (opening.startsWith("%%")) {
    return parseLanguage(lines, first);
  }
  const magics = takeLineMagics(lines);
  const code = lines.join("\n");
  return { language: "typescript", code, magics, help: parseHelp(code) };
}

function parseLanguage(lines: string[], first: number): Cell {
  const line = lines[first]!;
  const [head, ...rest] = words(line);
  if (head!.text !== "%%cuda") {
    throw new CellSyntaxError("UNKNOWN_MAGIC", `Expected %%cuda, the only language besides TypeScript, but got ${head!.text}.`, first + 1, head!.column);
  }
  lines[first] = "";
  return { language: "cuda", code: lines.join("\n"), magics: {}, help: null, options: parseCudaOptions(rest, first + 1) };
}

function parseCudaOptions(given: Word[], line: number): CudaOptions {
  const options: CudaOptions = { defines: [], includes: [], flags: [], fastMath: false, verbose: false };
  for (let i = 0; i < given.length; i++) {
    const { text, column } = given[i]!;
    const equals = text.indexOf("=");
    const name = equals < 0 ? text : text.slice(0, equals);
    const option = Object.hasOwn(cudaOptions, name) ? cudaOptions[name] : undefined;
    if (option === undefined) {
      throw new CellSyntaxError("UNKNOWN_MAGIC", `Expected an option of %%cuda (${Object.keys(cudaOptions).join(", ")}) but got ${name}.`, line, column);
    }
    if (option.takes === "nothing") {
      if (equals >= 0) throw new CellSyntaxError("UNKNOWN_MAGIC", `Expected ${name} without a value but got ${text}.`, line, column);
      option.set(options);
      continue;
    }
    const value = equals < 0 ? given[++i]?.text : text.slice(equals + 1);
    if (value === undefined || value === "") throw new CellSyntaxError("UNKNOWN_MAGIC", `Expected a value after ${name} but got nothing.`, line, column);
    option.set(options, value);
  }
  return options;
}

/** Blanks the magic lines before the first line of code; a `%` further down is the remainder of a division. */
function takeLineMagics(lines: string[]): Magics {
  const magics: Magics = {};
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!.trim();
    if (line === "" || line.startsWith("//")) continue;
    if (!line.startsWith("%")) break;
    const column = lines[i]!.indexOf("%") + 1;
    const [, name = "", rest = ""] = /^(\S+)\s*(.*)$/.exec(line)!;
    const magic = Object.hasOwn(lineMagics, name) ? lineMagics[name] : undefined;
    if (magic === undefined) {
      throw new CellSyntaxError("UNKNOWN_MAGIC", `Expected a magic (${Object.keys(lineMagics).join(", ")}, or %%cuda as the first line) but got ${name}.`, i + 1, column);
    }
    magic(magics, rest, i + 1, column);
    lines[i] = "";
  }
  return magics;
}

function parseHelp(code: string): Help | null {
  const match = /^\s*([\p{ID_Start}$_][\p{ID_Continue}$.]*)(\?\??)\s*$/u.exec(code);
  return match === null ? null : { expression: match[1]!, detail: match[2] === "??" ? 1 : 0 };
}

interface Word { text: string; column: number; }

/** Words of a line, split at spaces outside quotes; the quotes themselves are left out. */
function words(line: string): Word[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map((match) => ({
    text: match[0].replace(/"([^"]*)"|'([^']*)'/g, (_, double: string | undefined, single: string | undefined) => double ?? single ?? ""),
    column: match.index + 1,
  }));
}
