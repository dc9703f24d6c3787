// A kernel's source beside what compilers made of it, linked line by line: turns the text of disassemblers and assemblers into listings.

/** One form of the machine's code. All lists but the empty ones have an item per line. */
export interface Listing {
  readonly name: "PTX" | "SASS" | "assembly";
  readonly lines: string[];
  /** The line of the source, from 1; 0: of none. */
  readonly source: number[];
  /** Registers that hold a value which is needed later; empty where nobody says. */
  readonly live: number[];
  /** Of a profiler; empty: none were taken. */
  readonly samples: number[];
}

interface Draft { text: string; line: number; offset: string | null; }

function listing(name: Listing["name"], drafts: readonly Draft[], live: ReadonlyMap<string, number> = new Map()): Listing {
  return { name, lines: drafts.map(({ text }) => text), source: drafts.map(({ line }) => line), live: live.size === 0 ? [] : drafts.map(({ offset }) => (offset === null ? 0 : (live.get(offset) ?? 0))), samples: [] };
}

/** The part of PTX that is the function `symbol`, with the lines that its `.loc` directives name in the file that holds `source`. Directives stay: a reader may hide them. */
export function parsePtx(text: string, symbol: string, file: string): Listing {
  const all = text.split("\n");
  const own = new Set(all.flatMap((line) => {
    const [, number, path] = /^\s*\.file\s+(\d+)\s+"([^"]*)"/.exec(line) ?? [];
    return path !== undefined && isFile(path, file) ? [number!] : [];
  }));
  const first = all.findIndex((line) => line.includes(".entry") && new RegExp(`\\.entry\\s+${escapedPattern(symbol)}\\b`).test(line));
  if (first < 0) return listing("PTX", all.map((line) => ({ text: line, line: 0, offset: null })));
  const drafts: Draft[] = [];
  let current = 0;
  let depth = 0;
  for (const line of all.slice(first)) {
    // `inlined_at` leads from a function that was inlined to where it was called; the instruction is shown at its own line where that is in the cell.
    const [, at, number, caller, callerLine] = /^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(?:.*inlined_at\s+(\d+)\s+(\d+))?/.exec(line) ?? [];
    if (at !== undefined) current = own.has(at) ? Number(number) : caller !== undefined && own.has(caller) ? Number(callerLine) : 0;
    const isInstruction = /^\s+(?:@!?%\w+\s+)?[a-z][\w.]*\s/.test(line) && !/^\s*\./.test(line) || /^\s+(?:ret|exit|trap);/.test(line);
    drafts.push({ text: line.replace(/\t/g, "  "), line: isInstruction ? current : 0, offset: null });
    depth += count(line, "{") - count(line, "}");
    if (depth === 0 && line.includes("}")) break;
  }
  return listing("PTX", drafts);
}

/** The function `symbol` of what `nvdisasm -g` prints, and of what it prints with `-plr` the number of live registers at each instruction (empty: not known). */
export function parseSass(text: string, symbol: string, file: string, liveText = ""): Listing {
  const live = new Map(sectionOf(liveText, symbol).flatMap((line) => {
    const [, offset, registers] = /\/\*([0-9a-f]{4,})\*\/.*\/\/ \|\s*(\d+)\s*\|/.exec(line) ?? [];
    return offset === undefined ? [] : [[offset, Number(registers)] as const];
  }));
  let current = 0;
  let caller = 0;
  const drafts = sectionOf(text, symbol).flatMap<Draft>((line) => {
    const [, path, number, inlined] = /^\s*\/\/## File "([^"]*)", line (\d+)(.*)/.exec(line) ?? [];
    if (path !== undefined) {
      const at = isFile(path, file) ? Number(number) : 0;
      if (at !== 0) current = caller = at;
      else current = / inlined at /.test(inlined!) ? callerOf(inlined!, file) : caller;
      return [];
    }
    const offset = /^\s*\/\*([0-9a-f]{4,})\*\//.exec(line)?.[1] ?? null;
    if (offset === null && !/^\s*\.L\w+:/.test(line)) return [];
    return [{ text: line.replace(/^\s+/, offset === null ? "" : "  ").trimEnd(), line: offset === null ? 0 : current, offset }];
  });
  // What fills up the last line of the instruction cache is never run.
  while (drafts.length > 0 && /\bNOP\b/.test(drafts.at(-1)!.text)) drafts.pop();
  return listing("SASS", drafts, live);
}

function callerOf(text: string, file: string): number {
  const [, path, number] = /inlined at "([^"]*)", line (\d+)/.exec(text) ?? [];
  return path !== undefined && isFile(path, file) ? Number(number) : 0;
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

/**
 * What a host compiler's `-S` prints, cut to the functions that hold code of the cell's file: `.loc` lines name the source, all other directives are left out, as labels are that nothing jumps to.
 */
export function parseAssembly(text: string, file: string): Listing {
  const all = text.split("\n");
  const own = new Set(all.flatMap((line) => {
    const [, number, folder, path] = /^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?/.exec(line) ?? [];
    const name = path ?? folder;
    return name !== undefined && isFile(name, file) ? [number!] : [];
  }));
  const targets = new Set(all.flatMap((line) => (/^\s+\w/.test(line) ? (line.match(/\.L\w+/g) ?? []) : [])));
  const drafts: Draft[] = [];
  let current = 0;
  for (const line of all) {
    const [, at, number] = /^\s*\.loc\s+(\d+)\s+(\d+)/.exec(line) ?? [];
    if (at !== undefined) {
      if (own.has(at)) current = Number(number);
      continue;
    }
    const label = /^([\w.$@]+):/.exec(line)?.[1];
    if (label !== undefined) {
      if (!label.startsWith(".L")) current = 0;
      if (!label.startsWith(".L") || targets.has(label)) drafts.push({ text: line, line: 0, offset: null });
    } else if (/^\s+[a-z]/.test(line)) drafts.push({ text: line.replace(/\t/g, "  "), line: current, offset: null });
  }
  return listing("assembly", drafts);
}

/** Compilers put a folder before the name that they were told. */
function isFile(path: string, file: string): boolean {
  return path === file || path.endsWith(`/${file}`);
}

const count = (text: string, character: string): number => text.split(character).length - 1;
const escapedPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
