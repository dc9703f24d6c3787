// Reads the magic lines at the start of a cell, and lists magics for a reader.
import { CellSyntaxError } from "./cell-syntax-error.ts";
import { cudaOptionNames } from "./cuda-options.ts";
import { nearest } from "./nearest.ts";
import { insteadOfMagic } from "./python-spelling.ts";
import { words } from "./words.ts";
import { type FileToWrite, isWriteFile, writeFileUsage, writeFileWords } from "./write-file.ts";

/** How type errors are treated, from this cell on: shown and fatal, shown, or not looked for. */
export type TypeChecking = "strict" | "warn" | "off";

/** What the magics of a cell ask for; a property that is absent was not asked for. */
export interface Magics {
  types?: TypeChecking;
  /** Say how type errors are treated. */
  tellTypes?: true;
  /** Arguments of npm, a list for each run of it, before the code. */
  npm?: string[][];
  /** Say how long the cell took. */
  time?: true;
  /** Profile the cell. */
  profile?: { counters: boolean; samples: boolean; typescript: boolean };
  /** List the notebook's names. */
  whos?: true;
  /** Texts to show before the code runs. */
  pages?: string[];
  /** Names to say what they are. */
  names?: string[];
  /** What the cell is the text of. */
  file?: FileToWrite;
}

interface Place {
  line: number;
  column: number;
}

interface LineMagic {
  usage: string;
  does: string;
  /** What may follow it, for completion. */
  words: readonly string[];
  /** What follows it on its line is code. */
  beforeCode?: true;
  /** It is about the whole cell, so that it may be written with two. */
  ofCell?: true;
  take(magics: Magics, rest: string, place: Place): void;
}

const profileOptions = ["--counters", "--samples", "--typescript"];
const typeChecking: readonly TypeChecking[] = ["strict", "warn", "off"];

const lineMagics: Record<string, LineMagic> = {
  "%help": {
    usage: "%help [NAME…]",
    does: "what a cell may contain, or what names mean: %help softmax nn.Linear Tensor.sum",
    words: [],
    take: (magics, rest, { line, column }) => {
      const names = words(rest).map(({ text }) => text);
      const stray = names.find(
        (name) => !/^[\p{ID_Start}$_][\p{ID_Continue}$]*(\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u.test(name),
      );
      if (stray !== undefined)
        throw new CellSyntaxError(
          "UNKNOWN_MAGIC",
          `%help takes names, such as softmax or nn.Linear, but got ${stray}.`,
          line,
          column,
        );
      if (names.length === 0) (magics.pages ??= []).push(help());
      else (magics.names ??= []).push(...names);
    },
  },
  "%lsmagic": {
    usage: "%lsmagic",
    does: "these lines",
    words: [],
    take: (magics) => {
      (magics.pages ??= []).push(magicList());
    },
  },
  "%npm": {
    usage: "%npm install NAME…",
    does: "installs packages, with their types, beside the notebook",
    words: ["install", "uninstall", "list", "outdated"],
    take: (magics, rest, { line, column }) => {
      if (rest === "")
        throw new CellSyntaxError(
          "UNKNOWN_MAGIC",
          "%npm needs to know what to do, for example: %npm install lodash",
          line,
          column,
        );
      (magics.npm ??= []).push(words(rest).map(({ text }) => text));
    },
  },
  "%profile": {
    usage: "%%profile [options]",
    does: "shows what the devices did in the cell: kernels, copies, gaps, and why; --counters and --samples look into kernels, --typescript into your functions",
    words: profileOptions,
    ofCell: true,
    take: (magics, rest, { line, column }) => {
      const given = words(rest).map(({ text }) => text);
      const stray = given.find((word) => !profileOptions.includes(word));
      if (stray !== undefined)
        throw new CellSyntaxError(
          "UNKNOWN_MAGIC",
          `%%profile takes --counters, --samples, --typescript or nothing, but got ${stray}. The code comes on the next line.`,
          line,
          column,
        );
      magics.profile = {
        counters: given.includes("--counters"),
        samples: given.includes("--samples"),
        typescript: given.includes("--typescript"),
      };
    },
  },
  "%time": {
    usage: "%time [CODE]",
    does: "says how long the cell took, the device's work included",
    words: [],
    beforeCode: true,
    ofCell: true,
    take: (magics) => {
      magics.time = true;
    },
  },
  "%types": {
    usage: "%types [strict|warn|off]",
    does: "type errors fail a cell, are shown, or are not looked for; alone: shows which",
    words: typeChecking,
    take: (magics, rest, { line, column }) => {
      if (rest === "") {
        magics.tellTypes = true;
        return;
      }
      const value = typeChecking.find((candidate) => candidate === rest);
      if (value === undefined)
        throw new CellSyntaxError(
          "UNKNOWN_MAGIC",
          `%types takes ${typeChecking.slice(0, -1).join(", ")} or ${typeChecking.at(-1)}, but got ${rest}.`,
          line,
          column,
        );
      magics.types = value;
    },
  },
  "%whos": {
    usage: "%whos",
    does: "the notebook's names: type, shape, dtype, device, bytes, and the line where each was made",
    words: [],
    take: (magics) => {
      magics.whos = true;
    },
  },
};

/** What may stand on a magic line: the magics, and what follows each of them. */
export const magicWords: Readonly<Record<string, readonly string[]>> = {
  "%%cuda": cudaOptionNames,
  "%%writefile": writeFileWords,
  ...Object.fromEntries(
    Object.entries(lineMagics)
      .filter(([, magic]) => magic.ofCell)
      .map(([name, magic]) => [`%${name}`, magic.words]),
  ),
  ...Object.fromEntries(Object.entries(lineMagics).map(([name, magic]) => [name, magic.words])),
};

/** Matches a magic that code may follow on its line, with the spaces before it. */
export const beforeCode = new RegExp(
  `^\\s*%?(?:${Object.keys(lineMagics)
    .filter((name) => lineMagics[name]!.beforeCode)
    .join("|")})(?!\\S)`,
);

/**
 * Blanks the magic lines before the first line of code; a `%` further down is the remainder of a division. Throws
 * CellSyntaxError.
 */
export function takeLineMagics(lines: string[]): Magics {
  const magics: Magics = {};
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!.trim();
    if (line === "" || line.startsWith("//")) continue;
    const shell = /^!\s*[a-z][\w.-]*(?=\s|$)/.exec(line);
    if (shell !== null && !/[;=(]/.test(line))
      throw new CellSyntaxError(
        "UNKNOWN_MAGIC",
        `${shell[0]} runs a program in Python notebooks. Here a cell is TypeScript: import { execFileSync } from "node:child_process". devices() says which devices there are.`,
        i + 1,
        lines[i]!.indexOf("!") + 1,
      );
    if (!line.startsWith("%")) break;
    const place = { line: i + 1, column: lines[i]!.indexOf("%") + 1 };
    const [, name = "", rest = ""] = /^(\S+)\s*(.*)$/.exec(line)!;
    const magic = find(name, place);
    magic.take(magics, rest, place);
    lines[i] =
      magic.beforeCode === true && rest !== "" ? lines[i]!.replace(beforeCode, (text) => " ".repeat(text.length)) : "";
    if (lines[i] !== "") break;
  }
  return magics;
}

function find(name: string, { line, column }: Place): LineMagic {
  const known = name.startsWith("%%") && lineMagics[name.slice(1)]?.ofCell ? name.slice(1) : name;
  if (Object.hasOwn(lineMagics, known)) return lineMagics[known]!;
  if (name === "%%cuda")
    throw new CellSyntaxError(
      "UNKNOWN_MAGIC",
      "%%cuda makes a whole cell CUDA C++: it must be its first line.",
      line,
      column,
    );
  if (isWriteFile(name))
    throw new CellSyntaxError(
      "UNKNOWN_MAGIC",
      `${name} makes a whole cell the text of a file: it must be its first line.`,
      line,
      column,
    );
  const instead = insteadOfMagic(name);
  const meant = instead === undefined ? nearest(name.toLowerCase(), Object.keys(magicWords)) : undefined;
  const advice = instead === undefined ? (meant === undefined ? "" : ` Did you mean ${meant}?`) : ` Here ${instead}.`;
  throw new CellSyntaxError("UNKNOWN_MAGIC", `There is no magic ${name}.${advice} %lsmagic lists them.`, line, column);
}

function magicList(): string {
  const rows: [string, string][] = [
    ["%%cuda [options] [FILE.cu]", "CUDA C++ instead of TypeScript; --help lists the options"],
    [writeFileUsage, "writes the rest of the cell to a file beside the notebook; -a: behind what it holds"],
    ...Object.values(lineMagics).map(({ usage, does }): [string, string] => [usage, does]),
  ];
  return `${rows.map(([usage, does]) => `  ${usage.padEnd(26)}  ${does}`).join("\n")}\n`;
}

function help(): string {
  return [
    "A cell is TypeScript with top-level await. Later cells can use its names, and its last expression is shown.",
    '  import x from "name"      a package beside the notebook, a file ("./file.ts"), or Node\'s own; "npm:name@4" installs it first',
    "  name?  name??             what a name is, and its source; %help name prints it below the cell",
    "  display(x)                shows a value; html`…`, md`…` and svg`…` make some",
    '  await input("…")          asks the user; so do prompt and confirm',
    "",
    "A cell that starts with %%cuda is CUDA C++. Its kernels are functions in later cells:",
    '  import { ones } from "warpcell"',
    "  const y = ones([1024])",
    "  kernel.over(1024)(y, 2)                           one thread per item",
    "  kernel.launch({ grid: 4, block: 256 }, y, 2)      as you say",
    "  kernel.info                                       registers, shared memory, parameters",
    "  #include <warpcell/reduce.cuh>                    sums, extremes and scans of a warp or a block, for any size",
    "  #include <warpcell/tensor.cuh>                    warpcell::Tensor<float, 2> takes a tensor of any strides; load4, grid_stride",
    "",
    "More of warpcell: profile(() => …), io.load and io.save for files, benchmark(() => …), tidy(() => …) to free tensors, checkTensor and validateLaunch.",
    "",
    "Before the code of a cell, each on a line of its own:",
    magicList(),
  ].join("\n");
}
