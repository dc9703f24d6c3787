// A CUDA program as the translation sees it: its functions for the host, its kernels' parameters, structs and constants.
import { closing, isDeviceFunction, items, listed, members, placed, type Item, type Placed } from "warpcell/cuda-text";
import { Macros } from "./macros.ts";
import type { Declarator, Expression, Parameter, Statement, TypeName } from "./nodes.ts";
import { Untranslated, type Known } from "./read-expressions.ts";
import { readBody, readDeclarators, readExpression, readParameter, readType } from "./read-statements.ts";

export interface HostFunction {
  readonly name: string;
  readonly templates: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly result: TypeName;
  readonly body: readonly Statement[];
  /** Something in it is CUDA's: pointers that it is given may lead to a device. */
  readonly usesDevice: boolean;
  readonly line: number;
}

export interface KernelParameters {
  readonly templates: readonly string[];
  /** `null`: they cannot be read. */
  readonly parameters: readonly Parameter[] | null;
}

export interface Constant {
  readonly name: string;
  readonly type: TypeName | null;
  readonly lengths: readonly (Expression | null)[];
  /** `null`: 0. */
  readonly value: Expression | null;
  /** Nothing else is given to it later. */
  readonly isConst: boolean;
}

export interface ProgramParts {
  readonly source: string;
  readonly tokens: readonly Placed[];
  readonly functions: ReadonlyMap<string, HostFunction>;
  readonly kernels: ReadonlyMap<string, KernelParameters>;
  readonly structs: ReadonlyMap<string, readonly Declarator[]>;
  readonly aliases: ReadonlyMap<string, TypeName>;
  readonly constants: ReadonlyMap<string, Constant>;
  /** `__constant__`, `__device__` and `__managed__` variables. */
  readonly symbols: ReadonlyMap<string, Declarator>;
  readonly printsOnDevice: boolean;
  /** It makes streams, which its first one is in order with. */
  readonly usesStreams: boolean;
}

/** Reads a program. Throws CompileError where a bracket is not closed. */
export function readProgram(source: string): ProgramParts {
  const macros = new Macros(source);
  const tokens = macros.expanded(placed(source));
  const all = items(tokens);
  const parts = {
    functions: new Map<string, HostFunction>(),
    kernels: new Map<string, KernelParameters>(),
    structs: new Map<string, readonly Declarator[]>(),
    aliases: new Map<string, TypeName>(),
    constants: new Map<string, Constant>(),
    symbols: new Map<string, Declarator>(),
  };
  const known = namesOf(tokens, all);
  for (const { name, body } of macros.values)
    attempt(() =>
      parts.constants.set(name, {
        name,
        type: null,
        lengths: [],
        value: readExpression(body, 0, body.length, known),
        isConst: true,
      }),
    );
  for (const item of all) attempt(() => take(parts, tokens, item, known));
  const printsOnDevice = all.some(
    (item) => isDeviceFunction(item) && item.body !== null && calls(tokens, item, "printf"),
  );
  const usesStreams = tokens.some(({ text }) => text.startsWith("cudaStreamCreate"));
  return { source, tokens, ...parts, printsOnDevice, usesStreams };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends ReadonlyMap<infer N, infer V> ? Map<N, V> : T[K] };
type Parts = Mutable<Pick<ProgramParts, "functions" | "kernels" | "structs" | "aliases" | "constants" | "symbols">>;

/** What cannot be read is not known: the statements that use it say so. */
function attempt(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Untranslated)) throw error;
  }
}

function take(parts: Parts, tokens: readonly Placed[], item: Item, known: Known): void {
  const { kind, annotations } = item;
  if (kind === "function" && annotations.has("__global__")) return takeKernel(parts, tokens, item, known);
  const isOnlyOfDevice = annotations.has("__device__") && !annotations.has("__host__");
  if (kind === "function" && item.body !== null && !isOnlyOfDevice && !item.isQualified && item.name !== "operator")
    return takeFunction(parts, tokens, item, known);
  if (kind === "type") return takeType(parts, tokens, item, known);
  if (kind === "using") return takeAlias(parts, tokens, item, known);
  if (kind === "variable") takeVariable(parts, tokens, item, known);
}

function namesOf(tokens: readonly Placed[], all: readonly Item[]): Known {
  const types = new Set<string>();
  const templates = new Set<string>();
  for (const item of all) {
    for (const name of templateNames(tokens, item)) types.add(name);
    if (item.kind === "type" || item.kind === "using") types.add(item.name);
    if (tokens[item.first]!.text === "template") templates.add(item.name);
  }
  return { types, templates };
}

/** The types that `template <class T, int N>` names. */
function templateNames(tokens: readonly Placed[], { first }: Item): string[] {
  if (tokens[first]?.text !== "template") return [];
  const names: string[] = [];
  for (let at = first + 2; tokens[at]!.text !== ">"; at++)
    if (/^(class|typename)$/.test(tokens[at]!.text) && tokens[at + 1]?.kind === "word")
      names.push(tokens[at + 1]!.text);
  return names;
}

/** All names between `template <` and `>`, those of values too. */
function allTemplateNames(tokens: readonly Placed[], { first }: Item): string[] {
  if (tokens[first]?.text !== "template") return [];
  const names: string[] = [];
  for (let at = first + 2; ; at++) {
    const { text } = tokens[at]!;
    if ((text === "," || text === ">" || text === "=") && tokens[at - 1]?.kind === "word")
      names.push(tokens[at - 1]!.text);
    if (text === ">") return names;
  }
}

function parametersOf(tokens: readonly Placed[], item: Item, known: Known): Parameter[] {
  const [open, close] = item.parameters!;
  return [...listed(tokens, open, close)].map(([first, last]) => readParameter(tokens, first, last + 1, known));
}

function takeKernel({ kernels }: Parts, tokens: readonly Placed[], item: Item, known: Known): void {
  const templates = allTemplateNames(tokens, item);
  kernels.set(item.name, { templates, parameters: null });
  kernels.set(item.name, { templates, parameters: parametersOf(tokens, item, known) });
}

function takeFunction({ functions }: Parts, tokens: readonly Placed[], item: Item, known: Known): void {
  const { open, close } = item.body!;
  let first = item.first;
  while (tokens[first]?.text === "template") first = tokens.findIndex(({ text }, at) => at > first && text === ">") + 1;
  while (
    /^(__host__|__device__|__forceinline__|__inline__|static|inline|constexpr|__noinline__)$/.test(tokens[first]!.text)
  )
    first += 1;
  functions.set(item.name, {
    name: item.name,
    templates: allTemplateNames(tokens, item),
    parameters: parametersOf(tokens, item, known),
    result: readType(tokens, first, item.nameAt, known),
    body: readBody(tokens, open, close, known),
    usesDevice: tokens.slice(open, close).some(({ text }, i, all) => /^cuda[A-Z]/.test(text) || isLaunch(all, i)),
    line: tokens[item.nameAt]!.line,
  });
}

function isLaunch(tokens: readonly Placed[], at: number): boolean {
  return tokens[at]!.text === "<" && tokens[at + 1]?.text === "<" && tokens[at + 2]?.text === "<";
}

function calls(tokens: readonly Placed[], { body }: Item, name: string): boolean {
  return tokens.slice(body!.open, body!.close).some(({ text }) => text === name);
}

function takeType(parts: Parts, tokens: readonly Placed[], item: Item, known: Known): void {
  if (item.words.has("enum")) return takeEnumerators(parts, tokens, item, known);
  if (item.words.has("union") || tokens[item.first]!.text === "template") return;
  const all = members(tokens, item);
  // What a constructor, a base or an access does is not known here.
  if (all.some(({ kind, name }) => (kind === "function" && name === item.name) || kind === "type")) return;
  if (tokens.slice(item.nameAt, item.body?.open).some(({ text }) => text === ":")) return;
  const fields = all
    .filter(({ kind }) => kind === "variable")
    .flatMap((member) => readDeclarators(tokens, member.first, member.last, known));
  parts.structs.set(item.name, fields);
}

function takeEnumerators({ constants, aliases }: Parts, tokens: readonly Placed[], item: Item, known: Known): void {
  if (item.body === null) return;
  const type = { words: ["int"], args: [], stars: 0, isReference: false, isConst: true };
  // An enumerator without a value is so much more than the last one with one.
  let base: Expression | null = null;
  let more = 0;
  for (const [from, to] of listed(tokens, item.body.open, item.body.close)) {
    const name = tokens[from]!.text;
    if (tokens[from + 1]?.text === "=") {
      base = { kind: "name", name, args: null };
      more = 0;
      constants.set(name, {
        name,
        type,
        lengths: [],
        value: readExpression(tokens, from + 2, to + 1, known),
        isConst: true,
      });
    } else {
      const number: Expression = { kind: "number", text: String(more) };
      const value: Expression = base === null ? number : { kind: "binary", op: "+", left: base, right: number };
      constants.set(name, { name, type, lengths: [], value, isConst: true });
    }
    more += 1;
  }
  aliases.set(item.name, type);
}

function takeAlias({ aliases }: Parts, tokens: readonly Placed[], item: Item, known: Known): void {
  const first = item.nameAt;
  const isTypedef = tokens[first]!.text === "typedef";
  const equals = tokens.findIndex(({ text }, at) => at > first && at < item.last && text === "=");
  // A pointer to a function, which no cell of TypeScript can hold.
  const isPointer = tokens.slice(first, item.last).some(({ text }) => text === "(");
  if (isPointer || (!isTypedef && equals < 0)) return;
  aliases.set(
    item.name,
    isTypedef ? readType(tokens, first + 1, item.last - 1, known) : readType(tokens, equals + 1, item.last, known),
  );
}

function takeVariable({ symbols, constants }: Parts, tokens: readonly Placed[], item: Item, known: Known): void {
  const isOfDevice = ["__constant__", "__device__", "__managed__"].some((each) =>
    item.annotations.has(each as "__device__"),
  );
  let first = item.first;
  while (/^(__\w+__|static|extern)$/.test(tokens[first]!.text)) {
    first += 1;
    if (tokens[first]!.text === "(") first = closing(tokens, first) + 1;
  }
  for (const declarator of readDeclarators(tokens, first, item.last, known)) {
    const { name, type, lengths, first: value } = declarator;
    if (isOfDevice) symbols.set(name, declarator);
    else constants.set(name, { name, type, lengths, value, isConst: type.isConst });
  }
}
