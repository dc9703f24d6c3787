// A kernel's source beside what compilers made of it, linked line by line: turns the text of disassemblers and
// assemblers into listings.
import type { Samples } from "./samples.ts";

/** One form of the machine's code. All lists but the empty ones have an item per line. */
export interface Listing {
  readonly name: "PTX" | "SASS" | "assembly";
  readonly lines: string[];
  /** The line of the source, from 1; 0: of none. */
  readonly source: number[];
  /** Registers that hold a value which is needed later; empty where nobody says. */
  readonly live: number[];
  /**
   * Of a profiler; empty: none were taken. Only machine code is sampled: in PTX those of a line of the source stand at
   * its first instruction.
   */
  readonly samples: number[];
}

interface Draft {
  text: string;
  line: number;
  offset: string | null;
}

function listing(
  name: Listing["name"],
  drafts: readonly Draft[],
  live: ReadonlyMap<string, number> = new Map(),
  samples: Samples = new Map(),
): Listing {
  const column = (size: number, read: (offset: string) => number | undefined): number[] =>
    size === 0 ? [] : drafts.map(({ offset }) => (offset === null ? 0 : (read(offset) ?? 0)));
  return {
    name,
    lines: drafts.map(({ text }) => text),
    source: drafts.map(({ line }) => line),
    live: column(live.size, (offset) => live.get(offset)),
    samples: column(samples.size, (offset) => samples.get(Number.parseInt(offset, 16))),
  };
}

/** `listing` with symbols of C++ as people write them. */
export function readable(listing: Listing, demangled: (symbol: string) => string): Listing {
  const lines = listing.lines.map((line) =>
    // PTX calls what a kernel takes by its symbol and a number.
    line.replace(/\b_Z\w+?(?:_(param_\d+))?\b/g, (symbol, parameter?: string) => parameter ?? demangled(symbol)),
  );
  return { ...listing, lines };
}

/** `listing` with the samples that machine code of the same source has. */
export function withSamplesOf(machine: Listing, listing: Listing): Listing {
  const sums = new Map<number, number>();
  machine.source.forEach((line, at) => {
    if (line > 0) sums.set(line, (sums.get(line) ?? 0) + machine.samples[at]!);
  });
  const samples = listing.source.map((line) => {
    const sum = sums.get(line) ?? 0;
    sums.delete(line);
    return sum;
  });
  return { ...listing, samples };
}

/**
 * The part of PTX that is the function `symbol`, with the lines that its `.loc` directives name in the file that holds
 * `source`. Directives stay: a reader may hide them.
 */
export function parsePtx(text: string, symbol: string, file: string): Listing {
  const all = text.split("\n");
  const own = new Set(
    all.flatMap((line) => {
      const [, number, path] = /^\s*\.file\s+(\d+)\s+"([^"]*)"/.exec(line) ?? [];
      return path !== undefined && isFile(path, file) ? [number!] : [];
    }),
  );
  const first = all.findIndex(
    (line) => line.includes(".entry") && new RegExp(`\\.entry\\s+${escapedPattern(symbol)}\\b`).test(line),
  );
  if (first < 0)
    return listing(
      "PTX",
      all.map((line) => ({ text: line, line: 0, offset: null })),
    );
  const drafts: Draft[] = [];
  let current = 0;
  let depth = 0;
  for (const line of all.slice(first)) {
    // `inlined_at` leads from a function that was inlined to where it was called; the instruction is shown at its own
    // line where that is in the cell.
    const [, at, number, caller, callerLine] =
      /^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(?:.*inlined_at\s+(\d+)\s+(\d+))?/.exec(line) ?? [];
    if (at !== undefined)
      current = own.has(at) ? Number(number) : caller !== undefined && own.has(caller) ? Number(callerLine) : 0;
    const isInstruction =
      (/^\s+(?:@!?%\w+\s+)?[a-z][\w.]*\s/.test(line) && !/^\s*\./.test(line)) || /^\s+(?:ret|exit|trap);/.test(line);
    drafts.push({ text: line.replace(/\t/g, "  "), line: isInstruction ? current : 0, offset: null });
    depth += count(line, "{") - count(line, "}");
    if (depth === 0 && line.includes("}")) break;
  }
  return listing("PTX", drafts);
}

/**
 * The function `symbol` of what `nvdisasm -gi` prints, and of what it prints with `-lrm count` the number of live
 * registers at each instruction (empty: not known).
 */
export function parseSass(
  text: string,
  symbol: string,
  file: string,
  liveText = "",
  samples: Samples = new Map(),
): Listing {
  const live = new Map(
    sectionOf(liveText, symbol).flatMap((line) => {
      const [, offset, registers] = /\/\*([0-9a-f]{4,})\*\/.*\/\/ \|\s*(\d+)\s*\|/.exec(line) ?? [];
      return offset === undefined ? [] : [[offset, Number(registers)] as const];
    }),
  );
  let current = 0;
  let outer = 0;
  let isChain = false;
  const drafts = sectionOf(text, symbol).flatMap<Draft>((line) => {
    const [, path, number, inlined] = /^\s*\/\/## File "([^"]*)", line (\d+)(.*)/.exec(line) ?? [];
    if (path !== undefined) {
      // From where the instruction is written to where that is called from, a mark each: the first in the cell counts.
      // Without any it belongs to the last line that had some.
      const at = isFile(path, file) ? Number(number) : 0;
      if (!isChain) current = 0;
      if (current === 0) current = at;
      isChain = inlined!.includes(" inlined at ");
      if (!isChain) {
        if (current === 0) current = outer;
        outer = current;
      }
      return [];
    }
    isChain = false;
    const offset = /^\s*\/\*([0-9a-f]{4,})\*\//.exec(line)?.[1] ?? null;
    if (offset === null && !/^\s*\.L\w+:/.test(line)) return [];
    return [
      {
        text: line.replace(/^\s+/, offset === null ? "" : "  ").trimEnd(),
        line: offset === null ? 0 : current,
        offset,
      },
    ];
  });
  // What fills up the last line of the instruction cache is never run.
  while (drafts.length > 0 && (drafts.at(-1)!.offset === null || /\bNOP\b/.test(drafts.at(-1)!.text))) drafts.pop();
  return listing("SASS", drafts, live, samples);
}

/** The lines of the section `.text.symbol`, from its label on. */
function sectionOf(text: string, symbol: string): string[] {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trimEnd().split(/\s/)[0] === `.text.${symbol}:`);
  if (first < 0) return [];
  const rest = lines.slice(first + 1);
  const end = rest.findIndex((line) => line.startsWith("//--------") || /^\s*\.section\b/.test(line));
  return end < 0 ? rest : rest.slice(0, end);
}

/** A function of a host compiler's `-S`: its lines from its label on, and the functions that they name. */
interface HostFunction {
  readonly lines: readonly string[];
  readonly names: ReadonlySet<string>;
  readonly isOfCell: boolean;
}

/**
 * What a host compiler's `-S` prints, cut to the kernel that the description `symbol` names: the functions with code of
 * the cell's file that can be reached from its entry. `.loc` lines name the source; what calls the kernel for each
 * thread is of no line. Directives are left out, and labels that nothing jumps to.
 */
export function parseAssembly(text: string, symbol: string, file: string): Listing {
  const all = text.split("\n");
  const files = all.flatMap((line) => {
    const [, number, folder, path] = /^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?/.exec(line) ?? [];
    return number === undefined ? [] : [{ number, path: path === undefined ? folder! : `${folder}/${path}` }];
  });
  const numbersOf = (name: string): Set<string> =>
    new Set(files.flatMap(({ number, path }) => (isFile(path, name) ? [number] : [])));
  const own = numbersOf(file);
  const around = numbersOf("warpcell_cpu/export.h");
  const functions = functionsIn(all, own);
  const shown = reachable(functions, entryOf(all, symbol, functions)).flatMap((name) =>
    functions.get(name)!.isOfCell ? [...functions.get(name)!.lines] : [],
  );

  // Of jumps, and of tables of them: `.L4` to g++, `.LBB0_4` to clang. Others mark what debuggers want to know.
  const tables = all.filter((line) => /^\s+\.(?:long|word|quad)\s+\.L(?:\d|BB\d+_)/.test(line));
  const targets = new Set(
    [...shown.filter((line) => /^\s+[a-z]/.test(line)), ...tables].flatMap((line) => line.match(/\.L\w+/g) ?? []),
  );
  const drafts: Draft[] = [];
  let current = 0;
  for (const line of shown) {
    const [, at, number] = /^\s*\.loc\s+(\d+)\s+(\d+)/.exec(line) ?? [];
    if (at !== undefined) {
      // What is inlined from another header belongs to the line that calls it.
      if (own.has(at)) current = Number(number);
      else if (around.has(at)) current = 0;
      continue;
    }
    const label = /^([\w.$@]+):/.exec(line)?.[1];
    if (label !== undefined) {
      if (!label.startsWith(".L")) current = 0;
      if (!label.startsWith(".L") || targets.has(label)) drafts.push({ text: `${label}:`, line: 0, offset: null });
    } else if (/^\s+[a-z]/.test(line))
      drafts.push({ text: line.replace(/\s+# .*$/, "").replace(/\t/g, "  "), line: current, offset: null });
  }
  return listing("assembly", drafts);
}

function functionsIn(lines: readonly string[], own: ReadonlySet<string>): Map<string, HostFunction> {
  const names = new Set(lines.flatMap((line) => /^\s*\.type\s+([\w.$]+),\s*[@%]function/.exec(line)?.[1] ?? []));
  const found = new Map<string, HostFunction>();
  lines.forEach((line, first) => {
    const name = /^([\w.$]+):/.exec(line)?.[1];
    if (name === undefined || !names.has(name)) return;
    const count = lines
      .slice(first)
      .findIndex((other) => new RegExp(`^\\s*\\.size\\s+${escapedPattern(name)},`).test(other));
    const body = lines.slice(first, count < 0 ? undefined : first + count);
    const words = new Set(
      body
        .slice(1)
        .flatMap((other) => (/^\s+[a-z]/.test(other) ? (other.match(/[\w.$]+/g) ?? []) : []))
        .filter((word) => names.has(word)),
    );
    found.set(name, {
      lines: body,
      names: words,
      isOfCell: body.some((other) => own.has(/^\s*\.loc\s+(\d+)/.exec(other)?.[1] ?? "")),
    });
  });
  return found;
}

/** The last function that the description points to. */
function entryOf(
  lines: readonly string[],
  symbol: string,
  functions: ReadonlyMap<string, HostFunction>,
): string | undefined {
  const first = lines.findIndex((line) => line.startsWith(`${symbol}:`));
  if (first < 0) return undefined;
  const count = lines.slice(first).findIndex((line) => /^\s*\.size\b/.test(line));
  const pointers = lines
    .slice(first, first + count)
    .flatMap((line) => /^\s+\.(?:quad|xword|8byte)\s+([\w.$]+)/.exec(line)?.[1] ?? []);
  return pointers.filter((name) => functions.has(name)).at(-1);
}

/** `first` and the functions that it, or one of these, names. */
function reachable(functions: ReadonlyMap<string, HostFunction>, first: string | undefined): string[] {
  const found = new Set(first === undefined ? functions.keys() : [first]);
  for (const name of found) for (const next of functions.get(name)!.names) found.add(next);
  return [...found];
}

/** Compilers put a folder before the name that they were told. */
function isFile(path: string, file: string): boolean {
  return path === file || path.endsWith(`/${file}`);
}

const count = (text: string, character: string): number => text.split(character).length - 1;
const escapedPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
