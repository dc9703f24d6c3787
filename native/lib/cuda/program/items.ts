// The declarations of a program at namespace scope: turns its tokens into functions, types, variables and the rest, each
// with where its parts lie.
import { CompileError } from "../../errors.ts";
import { tokenize, type Directive, type Token } from "../tokens.ts";

/** A token with where it lies in the text. */
export interface Placed extends Token {
  readonly start: number;
  readonly end: number;
}

export type Annotation = "__global__" | "__device__" | "__host__" | "__constant__" | "__managed__" | "__shared__";

/** A declaration: tokens from `first` to `last`, both included. */
export interface Item {
  readonly kind: "function" | "type" | "variable" | "using";
  readonly first: number;
  readonly last: number;
  /** What it declares; for a function without its scope. */
  readonly name: string;
  /** Of a function and a variable: where the name stands. */
  readonly nameAt: number;
  /** Of a member that is defined outside of its class. */
  readonly isQualified: boolean;
  readonly annotations: ReadonlySet<Annotation>;
  readonly words: ReadonlySet<string>;
  /** The parentheses of a function's parameters. */
  readonly parameters: readonly [number, number] | null;
  /** The braces of a function or a type, with what a constructor initialises in front of them. */
  readonly body: { readonly from: number; readonly open: number; readonly close: number } | null;
  /** The namespaces around it. */
  readonly scope: readonly string[];
}

const annotations: ReadonlySet<string> = new Set([
  "__global__",
  "__device__",
  "__host__",
  "__constant__",
  "__managed__",
  "__shared__",
]);
/** Words with parentheses of their own, which are no parameters. */
const attributes = new Set([
  "__launch_bounds__",
  "__align__",
  "__attribute__",
  "alignas",
  "decltype",
  "noexcept",
  "__cluster_dims__",
  "__maxnreg__",
  "__block_size__",
  "explicit",
  "requires",
]);
const typeWords = new Set(["struct", "class", "union", "enum"]);
const pairs: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/** The tokens of `source`, each with its place; lines are counted as `#line` says. */
export function placed(source: string): Placed[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  const { tokens, directives } = tokenize(source);
  const lineOf = toldLines(directives);
  return tokens.map((token) => {
    const start = starts[token.line - 1]! + token.column - 1;
    return { ...token, line: lineOf(token.line), start, end: start + token.text.length };
  });
}

/** What `#line` makes of the number of a line. */
export function toldLines(directives: readonly Directive[]): (line: number) => number {
  const told = directives.filter(({ name }) => name === "line").reverse();
  return (line) => {
    const last = told.find((each) => each.line < line);
    return last === undefined ? line : Number.parseInt(last.rest) + line - last.line - 1;
  };
}

/** Where the bracket at `open` closes. Throws CompileError for one that does not. */
export function closing(tokens: readonly Placed[], open: number): number {
  const wanted = [pairs[tokens[open]!.text]!];
  for (let at = open + 1; at < tokens.length; at++) {
    const { text, kind } = tokens[at]!;
    if (kind !== "mark") continue;
    if (pairs[text] !== undefined) wanted.push(pairs[text]);
    else if (text === wanted.at(-1)) {
      wanted.pop();
      if (wanted.length === 0) return at;
    }
  }
  const { text, line } = tokens[open]!;
  throw new CompileError(`The ${text} in line ${line} has no ${pairs[text]}.`, "");
}

/** Where the angle bracket at `open` closes, as far as tokens tell. */
export function closingAngle(tokens: readonly Placed[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const { text, kind } = tokens[at]!;
    if (kind !== "mark") continue;
    if (text === "(" || text === "[" || text === "{") at = closing(tokens, at);
    else if (text === "<") depth += 1;
    else if (text === ">" && --depth === 0) return at;
    else if (text === ";") break;
  }
  return open;
}

/** The declarations among the tokens `from` … `end` − 1, those in namespaces and in `extern "C" { }` too. */
export function items(tokens: readonly Placed[], from = 0, end = tokens.length, scope: readonly string[] = []): Item[] {
  const found: Item[] = [];
  for (let at = from; at < end; ) {
    const inner = block(tokens, at, end);
    if (inner !== null) {
      const close = closing(tokens, inner.open);
      found.push(...items(tokens, inner.open + 1, close, [...scope, ...inner.names]));
      at = close + 1;
    } else if (tokens[at]!.text === ";") at += 1;
    else {
      const item = read(tokens, at, end, scope);
      found.push(item);
      at = item.last + 1;
    }
  }
  return found;
}

/** The declarations in the body of a class. */
export function members(tokens: readonly Placed[], { body, scope }: Item): Item[] {
  if (body === null) return [];
  const found: Item[] = [];
  for (let at = body.open + 1; at < body.close; ) {
    const { text } = tokens[at]!;
    const next = tokens[at + 1]?.text;
    if (text === ";") at += 1;
    else if (/^(public|private|protected)$/.test(text) && next === ":") at += 2;
    else {
      const item = read(tokens, at, body.close, scope);
      found.push(item);
      at = item.last + 1;
    }
  }
  return found;
}

/** `namespace a::b {`, `namespace {` and `extern "C" {`. */
function block(tokens: readonly Placed[], at: number, end: number): { open: number; names: string[] } | null {
  let next = at;
  if (tokens[next]!.text === "inline") next += 1;
  if (tokens[next]?.text === "extern" && tokens[next + 1]?.kind === "string")
    return tokens[next + 2]?.text === "{" ? { open: next + 2, names: [] } : null;
  if (tokens[next]?.text !== "namespace") return null;
  const names: string[] = [];
  for (next += 1; next < end && tokens[next]!.text !== "{"; next++) {
    if (tokens[next]!.text === "=" || tokens[next]!.text === ";") return null;
    if (tokens[next]!.kind === "word") names.push(tokens[next]!.text);
  }
  return next < end ? { open: next, names: names.length === 0 ? ["(anonymous)"] : names } : null;
}

function read(tokens: readonly Placed[], first: number, end: number, scope: readonly string[]): Item {
  const start = withoutTemplate(tokens, first);
  const text = tokens[start]?.text ?? "";
  if (text === "using" || text === "typedef" || text === "namespace" || text === "friend")
    return usingItem(tokens, first, start, end, scope);

  const noted = new Set<Annotation>();
  const words = new Set<string>();
  let name = -1;
  let parameters: [number, number] | null = null;
  let isType = false;
  let at = start;
  for (; at < end; at++) {
    const token = tokens[at]!;
    if (token.kind === "word") {
      if (annotations.has(token.text)) noted.add(token.text as Annotation);
      if (attributes.has(token.text) && tokens[at + 1]?.text === "(") {
        at = closing(tokens, at + 1);
        continue;
      }
      words.add(token.text);
      if (typeWords.has(token.text) && parameters === null) isType = true;
      if (token.text === "operator" && parameters === null) {
        name = at;
        at += tokens[at + 1]?.text === "(" ? 2 : 1;
        while (tokens[at]?.text !== "(" && at < end) at += 1;
        parameters = [at, closing(tokens, at)];
        at = parameters[1];
      } else if (parameters === null) name = at;
      continue;
    }
    if (token.text === "[" && tokens[at + 1]?.text === "[") at = closing(tokens, at);
    else if (token.text === "<" && tokens[at - 1]?.kind === "word") at = Math.max(at, closingAngle(tokens, at));
    else if (token.text === "(" && parameters === null) {
      parameters = [at, closing(tokens, at)];
      at = parameters[1];
    } else if (token.text === "[") at = closing(tokens, at);
    else if (token.text === "=" || token.text === "{" || token.text === ";" || token.text === ":") break;
  }
  const stop = tokens[at]?.text;
  const isDefinedType = isType && parameters === null && (stop === "{" || stop === ":");
  if (isDefinedType || (isType && parameters === null && stop === ";" && at - start <= 3)) {
    let open = at;
    while (open < end && tokens[open]!.text !== "{" && tokens[open]!.text !== ";") open += 1;
    const isOpen = tokens[open]?.text === "{";
    const close = isOpen ? closing(tokens, open) : open;
    const last = semicolon(tokens, close, end);
    const common = { first, last, isQualified: false, annotations: noted, words, parameters: null, scope };
    const variable = noted.size > 0 ? nextWord(tokens, close, last) : -1;
    // __constant__ struct { int a; } limits;
    if (variable >= 0)
      return { ...common, kind: "variable", name: tokens[variable]!.text, nameAt: variable, body: null };
    const body = isOpen ? { from: open, open, close } : null;
    return { ...common, kind: "type", name: typeName(tokens, start, at), nameAt: start, body };
  }
  if (parameters !== null && stop !== undefined) {
    const common = { first, name: tokens[name]?.text ?? "", nameAt: name, annotations: noted, words, scope };
    const isQualified = tokens[name - 1]?.text === "::";
    const open = stop === "{" ? at : stop === ":" ? bodyAfterInitialisers(tokens, at, end) : -1;
    if (open >= 0) {
      const close = closing(tokens, open);
      return { ...common, kind: "function", last: close, isQualified, parameters, body: { from: at, open, close } };
    }
    const isFunction = stop === ";" || tokens[at + 1]?.text === "default" || tokens[at + 1]?.text === "delete";
    return {
      ...common,
      kind: isFunction ? "function" : "variable",
      last: semicolon(tokens, at, end),
      isQualified,
      parameters,
      body: null,
    };
  }
  return {
    kind: "variable",
    first,
    last: semicolon(tokens, at, end),
    name: tokens[name]?.text ?? "",
    nameAt: name,
    isQualified: tokens[name - 1]?.text === "::",
    annotations: noted,
    words,
    parameters: null,
    body: null,
    scope,
  };
}

function usingItem(
  tokens: readonly Placed[],
  first: number,
  start: number,
  end: number,
  scope: readonly string[],
): Item {
  const last = semicolon(tokens, start, end);
  const all = tokens.slice(start, last);
  const pointer = all.findIndex(({ text }, i) => text === "(" && all[i + 1]?.text === "*");
  const isAlias = all[0]!.text !== "typedef" && all.some(({ text }) => text === "=");
  const named = isAlias ? all[1] : pointer >= 0 ? all[pointer + 2] : all.filter(({ kind }) => kind === "word").at(-1);
  return {
    kind: "using",
    first,
    last,
    name: named?.text ?? "",
    nameAt: start,
    isQualified: false,
    annotations: new Set(),
    words: new Set(all.map(({ text }) => text)),
    parameters: null,
    body: null,
    scope,
  };
}

/** Behind `template <…>`, which may stand twice. */
function withoutTemplate(tokens: readonly Placed[], first: number): number {
  let at = first;
  while (tokens[at]?.text === "template" && tokens[at + 1]?.text === "<") at = closingAngle(tokens, at + 1) + 1;
  return at;
}

function nextWord(tokens: readonly Placed[], from: number, last: number): number {
  const found = tokens.slice(from, last).findIndex(({ kind }) => kind === "word");
  return found < 0 ? -1 : from + found;
}

/** The name of `struct __align__(16) Name final : Base`. */
function typeName(tokens: readonly Placed[], start: number, stop: number): string {
  let at = start;
  while (at < stop && !typeWords.has(tokens[at]!.text)) at += 1;
  let name = "";
  for (at += 1; at < stop; at++) {
    const { text, kind } = tokens[at]!;
    if (text === "(") at = closing(tokens, at);
    else if (kind === "word" && text !== "final" && text !== "class" && !attributes.has(text)) name = text;
  }
  return name;
}

/** Where the body begins behind `: a(1), b{2}` of a constructor. */
function bodyAfterInitialisers(tokens: readonly Placed[], colon: number, end: number): number {
  for (let at = colon + 1; at < end; at++) {
    const { text } = tokens[at]!;
    if (text === ";") return -1;
    if (text === "(") at = closing(tokens, at);
    else if (text === "{") {
      const before = tokens[at - 1]!;
      if (before.kind !== "word") return at;
      at = closing(tokens, at);
    }
  }
  return -1;
}

/** The next `;` outside of brackets. */
function semicolon(tokens: readonly Placed[], from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const { text } = tokens[at]!;
    if (text === ";") return at;
    if (pairs[text] !== undefined) at = closing(tokens, at);
  }
  return end - 1;
}
