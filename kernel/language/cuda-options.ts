// The options on the first line of a `%%cuda` cell: reads them for the compiler, and lists them for a reader.
import { CellSyntaxError } from "./cell-syntax-error.ts";
import { nearest } from "./nearest.ts";
import { words, type Word } from "./words.ts";

/** What `%%cuda` takes on its first line; each option has the name that the library's `compile` gives it. */
export interface CudaOptions {
  /** The file beside the notebook that has the text. */
  file?: string;
  name?: string;
  std?: string;
  arch?: string;
  device?: string;
  defines: string[];
  includes: string[];
  flags: string[];
  fastMath: boolean;
  check: boolean;
  verbose: boolean;
  profile: boolean;
  /** A program is not run but translated to cells. */
  cells: boolean;
  /** What stands behind `--`: the arguments of a program. */
  args?: string[];
}

type Option = { does: string } & (
  | { takes: string; set: (options: CudaOptions, value: string) => void }
  | { takes: null; set: (options: CudaOptions) => void }
);

const table: Record<string, Option> = {
  "--name": {
    takes: "NAME",
    does: "the name of this cell in messages",
    set: (options, value) => {
      options.name = value;
    },
  },
  "--std": {
    takes: "STANDARD",
    does: "the C++ standard, like c++20",
    set: (options, value) => {
      options.std = value;
    },
  },
  "--arch": {
    takes: "ARCHITECTURE",
    does: "what to compile for, such as sm_90a, instead of the device in use",
    set: (options, value) => {
      options.arch = value;
    },
  },
  "--define": {
    takes: "NAME=VALUE",
    does: "defines a macro; may be repeated",
    set: (options, value) => {
      options.defines.push(value);
    },
  },
  "--include": {
    takes: "FOLDER",
    does: "where to look for headers; may be repeated",
    set: (options, value) => {
      options.includes.push(value);
    },
  },
  "--flags": {
    takes: '"FLAG …"',
    does: "more flags for the compiler",
    set: (options, value) => {
      options.flags.push(...words(value).map((word) => word.text));
    },
  },
  "--device": {
    takes: "DEVICE",
    does: "cuda, cuda:1 or cpu, instead of the default device",
    set: (options, value) => {
      options.device = value;
    },
  },
  "--fast-math": {
    takes: null,
    does: "faster, less exact arithmetic",
    set: (options) => {
      options.fastMath = true;
    },
  },
  "--check": {
    takes: null,
    does: "follows launches on the cpu: bounds, races, unwritten memory, barriers",
    set: (options) => {
      options.check = true;
    },
  },
  "--verbose": {
    takes: null,
    does: "shows what the compiler says, even when all is well",
    set: (options) => {
      options.verbose = true;
    },
  },
  "--profile": {
    takes: null,
    does: "profiles every cell that launches one of these kernels, from the first launch on",
    set: (options) => {
      options.profile = true;
    },
  },
  "--cells": {
    takes: null,
    does: "shows a program with main() as a %%cuda cell and cells of TypeScript, instead of running it",
    set: (options) => {
      options.cells = true;
    },
  },
};

const isSource = /^[^-].*\.(cu|cuh|h|hpp|cc|cpp|cxx)$/;

export const cudaOptionNames: readonly string[] = [...Object.keys(table), "--help"];

/** The page of `%%cuda --help`. */
export function cudaHelp(): string {
  const rows = Object.entries(table).map(
    ([name, { takes, does }]) => `  ${(takes === null ? name : `${name} ${takes}`).padEnd(22)}  ${does}`,
  );
  rows.push(`  ${"-- ARGUMENT …".padEnd(22)}  what main() of a program is given`);
  return `%%cuda [options] [FILE.cu], on the first line, makes a cell CUDA C++, or takes it from a file; its kernels are typed functions in later cells. With a main() it is a program, which runs.\n${rows.join("\n")}\n`;
}

/** Reads the words after `%%cuda`; `null` when they ask for help. `line` is theirs, from 1. */
export function parseCudaOptions(given: readonly Word[], line: number): CudaOptions | null {
  const options: CudaOptions = {
    defines: [],
    includes: [],
    flags: [],
    fastMath: false,
    check: false,
    verbose: false,
    profile: false,
    cells: false,
  };
  for (let i = 0; i < given.length; i++) {
    const { text, column } = given[i]!;
    if (text === "--help") return null;
    if (text === "--") {
      options.args = given.slice(i + 1).map((word) => word.text);
      break;
    }
    if (isSource.test(text)) {
      options.file = text;
      continue;
    }
    const equals = text.indexOf("=");
    const name = equals < 0 ? text : text.slice(0, equals);
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    if (option === undefined) {
      const meant = nearest(name, cudaOptionNames);
      throw new CellSyntaxError(
        "UNKNOWN_MAGIC",
        `%%cuda has no option ${name}.${meant === undefined ? "" : ` Did you mean ${meant}?`} "%%cuda --help" lists them.`,
        line,
        column,
      );
    }
    if (option.takes === null) {
      if (equals >= 0)
        throw new CellSyntaxError("UNKNOWN_MAGIC", `${name} takes no value, but got ${text}.`, line, column);
      option.set(options);
      continue;
    }
    const value = equals < 0 ? given[++i]?.text : text.slice(equals + 1);
    if (value === undefined || value === "")
      throw new CellSyntaxError("UNKNOWN_MAGIC", `${name} needs a value: ${name} ${option.takes}.`, line, column);
    option.set(options, value);
  }
  return options;
}
