// The host functions of a cell: finds them in its text, those that TypeScript can call with their types, and splits the
// text for the two compilers.
import { CompileError, type Diagnostic } from "../../errors.ts";
import { items, placed, type Item, type Placed } from "../program/items.ts";
import { isDeviceFunction, listed, splitProgram, type SplitProgram } from "../program/split.ts";
import { hasTensor, hostType, type Aliases, type HostType } from "./types.ts";

export interface HostParameter {
  readonly name: string;
  readonly type: HostType;
  /** The type in C++. */
  readonly text: string;
  readonly hasDefault: boolean;
}

/** A host function that TypeScript can call. */
export interface HostDeclaration {
  /** With its namespaces. */
  readonly name: string;
  readonly scope: readonly string[];
  readonly line: number;
  readonly parameters: readonly HostParameter[];
  readonly result: HostType;
  /** `warpcell::Tensor scaled(const warpcell::Tensor& x, float a)` */
  readonly text: string;
}

export interface HostPart {
  readonly functions: readonly HostDeclaration[];
  /** What is wrong where there are none. */
  readonly unreachable: Diagnostic | null;
  readonly split: SplitProgram;
}

const parts = new Map<string, HostPart | null>();
const mostParts = 64;

/** The host functions of a source with `<<<…>>>` or `warpcell::Tensor`; `null` without any. Throws CompileError. */
export function hostPart(source: string): HostPart | null {
  // Most cells end here.
  if (!/<<<|\bTensor\b/.test(source)) return null;
  const known = parts.get(source);
  if (known !== undefined) return known;
  const found = find(source);
  if (parts.size >= mostParts) parts.clear();
  parts.set(source, found);
  return found;
}

function find(source: string): HostPart | null {
  const tokens = placed(source);
  const all = itemsOf(tokens);
  const host = all.filter((item) => item.kind === "function" && item.body !== null && !isDeviceFunction(item));
  if (host.some(({ name, scope }) => name === "main" && scope.length === 0)) return null;
  if (!host.some((item) => usesHost(tokens, item))) return null;

  const aliases = aliasesOf(source, tokens, all);
  const functions = host.flatMap((item) => declared(source, tokens, item, aliases) ?? []);
  refuseTwice(functions, all);
  refuseManaged(tokens, host, all);
  const unreachable = functions.length > 0 ? null : unreachableAt(tokens, host.find((item) => usesHost(tokens, item))!);
  return { functions, unreachable, split: splitProgram(source) };
}

/** Host code that nothing can call. */
function unreachableAt(tokens: readonly Placed[], { nameAt, name }: Item): Diagnostic {
  const { line, column } = tokens[nameAt]!;
  const message = `${name} is host code, but TypeScript can call no function of this cell: write one, not static, that takes const warpcell::Tensor& x and hands on x.data<float>(), or launch from a TypeScript cell, kernel.launch({ grid, block }, ...)`;
  return { line, column, severity: "error", message };
}

function itemsOf(tokens: readonly Placed[]): Item[] {
  try {
    return items(tokens);
  } catch (error) {
    // A bracket that is not closed: a compiler says where that may be.
    if (error instanceof CompileError) return [];
    throw error;
  }
}

function usesHost(tokens: readonly Placed[], { first, last }: Item): boolean {
  for (let at = first; at <= last; at++) if (isTensor(tokens, at) || isLaunch(tokens, at)) return true;
  return false;
}

const isTensor = (tokens: readonly Placed[], at: number) =>
  tokens[at]!.text === "Tensor" && tokens[at + 1]?.text !== "<";

function isLaunch(tokens: readonly Placed[], at: number): boolean {
  const [a, b, c] = [tokens[at]!, tokens[at + 1], tokens[at + 2]];
  return a.text === "<" && b?.text === "<" && c?.text === "<" && a.end === b.start && b.end === c.start;
}

/** The function as TypeScript calls it; `null` for one that only host code calls. */
function declared(source: string, tokens: readonly Placed[], item: Item, aliases: Aliases): HostDeclaration | null {
  const { first, nameAt, parameters: brackets, body, words, scope, isQualified, name } = item;
  const isHelper = words.has("static") || tokens[first]!.text === "template" || scope.includes("(anonymous)");
  if (isHelper || isQualified || words.has("operator")) return null;
  const [open, close] = brackets!;
  const texts = (from: number, to: number) => tokens.slice(from, to).map(({ text }) => text);
  const trailing = texts(close + 1, body!.from);
  const arrow = trailing.indexOf("->");
  const result = hostType(arrow >= 0 ? trailing.slice(arrow + 1) : withoutLinkage(texts(first, nameAt)), aliases);
  const parameters = [...listed(tokens, open, close)].map(([from, to], index) =>
    parameter(source, tokens, from, to, index, aliases),
  );
  if (result === null || parameters.includes(null)) return null;
  const given = parameters as HostParameter[];
  const isForTensors = [...given.map(({ type }) => type), result].some(hasTensor);
  const launches = tokens.slice(body!.open, body!.close).some((_, at) => isLaunch(tokens, body!.open + at));
  if (!isForTensors && !launches) return null;
  return {
    name: [...scope, name].join("::"),
    scope,
    line: tokens[nameAt]!.line,
    parameters: given,
    result,
    text: source.slice(tokens[first]!.start, tokens[close]!.end).replace(/\s+/g, " "),
  };
}

/** Without `extern "C"`. */
const withoutLinkage = (words: readonly string[]): readonly string[] =>
  words[0] === "extern" && words[1]?.startsWith('"') ? words.slice(2) : words;

function parameter(
  source: string,
  tokens: readonly Placed[],
  first: number,
  last: number,
  index: number,
  aliases: Aliases,
): HostParameter | null {
  let end = first;
  while (end <= last && tokens[end]!.text !== "=") end += 1;
  const words = tokens.slice(first, end).map(({ text }) => text);
  const isNamed = words.length > 1 && /^\w+$/.test(words.at(-1)!) && hostType(words, aliases) === null;
  const typed = isNamed ? words.slice(0, -1) : words;
  const type = hostType(typed, aliases);
  if (type === null || type.kind === "void" || type.kind === "any" || type.kind === "tuple") return null;
  return {
    name: isNamed ? words.at(-1)! : `argument${index}`,
    type,
    text: source.slice(tokens[first]!.start, tokens[first + typed.length - 1]!.end),
    hasDefault: end <= last,
  };
}

function aliasesOf(source: string, tokens: readonly Placed[], all: readonly Item[]): Aliases {
  const aliases = new Map<string, readonly string[]>();
  const spaces: Readonly<Record<string, readonly string[]>> = {
    warpcell: ["Tensor", "Sizes"],
    std: ["string", "vector", "optional", "tuple", "pair"],
  };
  for (const [space, names] of Object.entries(spaces))
    for (const name of names) {
      const isOpen = new RegExp(`\\busing\\s+(namespace\\s+${space}\\b|${space}\\s*::\\s*${name}\\b)`).test(source);
      if (isOpen) aliases.set(name, [space, "::", name]);
    }
  for (const { kind, name, first, last } of all) {
    const words = tokens.slice(first, last).map(({ text }) => text);
    if (kind === "using" && words[0] === "using" && words[2] === "=") aliases.set(name, words.slice(3));
  }
  return aliases;
}

/** Host code of a cell shares no memory with the device. */
function refuseManaged(tokens: readonly Placed[], host: readonly Item[], all: readonly Item[]): void {
  const managed = new Set(all.filter(({ annotations }) => annotations.has("__managed__")).map(({ name }) => name));
  const at = host
    .flatMap(({ first, last }) => tokens.slice(first, last + 1))
    .find(({ kind, text }) => kind === "word" && managed.has(text));
  if (at === undefined) return;
  throw new CompileError(
    `Line ${at.line} uses the __managed__ variable ${at.text}, which host functions of a cell cannot: declare it __device__, and copy it with cudaMemcpyToSymbol and cudaMemcpyFromSymbol.`,
    "",
  );
}

/** One name is one value of the notebook. */
function refuseTwice(functions: readonly HostDeclaration[], all: readonly Item[]): void {
  for (const { name, line } of functions) {
    const others = functions.filter((other) => other.name === name);
    if (others.length > 1)
      throw new CompileError(
        `${name} is the name of ${others.length} functions (lines ${others.map((other) => other.line).join(", ")}), but one name is one value in TypeScript: give each a name of its own, or make those static that only the cell calls.`,
        "",
      );
    const kernel = all.find(
      (item) => item.annotations.has("__global__") && [...item.scope, item.name].join("::") === name,
    );
    if (kernel !== undefined)
      throw new CompileError(
        `${name} is the name of a kernel and of the host function in line ${line}, but one name is one value in TypeScript: give the function another name.`,
        "",
      );
  }
}
