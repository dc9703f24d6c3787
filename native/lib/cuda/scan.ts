// CUDA C++ tokens into declarations, one after the other: where each begins and ends, its head, its body, and the
// namespaces around it.
import type { Token } from "./tokens.ts";

/** What stands between two others outside of functions and structs. Places are indices of tokens. */
export interface Declaration {
  readonly start: number;
  readonly end: number;
  /** Without `template <…>` and without what is in braces. */
  readonly head: readonly Token[];
  readonly body: { readonly start: number; readonly end: number } | null;
  /** What is in `template <…>`; `null` without one. */
  readonly template: readonly Token[] | null;
  /** The namespaces around it: "a::b::". */
  readonly prefix: string;
  /** What opens them, and `extern "C"`, outermost first, as written: "namespace a::b". */
  readonly around: readonly string[];
}

const closers: Record<string, string> = { "(": ")", "[": "]", "{": "}" };
const attributes = new Set([
  "__launch_bounds__",
  "__attribute__",
  "__cluster_dims__",
  "__block_size__",
  "__maxnreg__",
  "alignas",
  "__align__",
  "__declspec",
]);

/** All declarations of `tokens`, those in namespaces too. */
export function* declarationsIn(tokens: readonly Token[]): Generator<Declaration> {
  yield* new Scan(tokens).scope(0, tokens.length, "", []);
}

class Scan {
  readonly #tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** All declarations from `start` to `end`, which lie in the namespace `prefix` ("a::b::"). */
  *scope(start: number, end: number, prefix: string, around: readonly string[]): Generator<Declaration> {
    let at = start;
    while (at < end) {
      const opened = this.#opened(at, end);
      if (opened === null) {
        const declaration = this.#declaration(at, end, prefix, around);
        yield declaration;
        at = declaration.end;
        continue;
      }
      const after = this.#after(opened.brace, end);
      yield* this.scope(opened.brace + 1, after - 1, prefix + opened.prefix, [
        ...around,
        joined(this.#tokens.slice(at, opened.brace)),
      ]);
      at = after;
    }
  }

  /** The brace that opens a namespace or `extern "C"` at `at`, and what that puts before names. */
  #opened(at: number, end: number): { brace: number; prefix: string } | null {
    if (this.#text(at) === "extern" && this.#tokens[at + 1]?.kind === "string" && this.#text(at + 2) === "{")
      return { brace: at + 2, prefix: "" };
    const first = this.#text(at) === "inline" ? at + 1 : at;
    if (this.#text(first) !== "namespace") return null;
    let brace = first + 1;
    while (brace < end && !["{", "=", ";"].includes(this.#text(brace))) brace += 1;
    if (this.#text(brace) !== "{") return null;
    const name = this.#tokens
      .slice(first + 1, brace)
      .map(({ text }) => text)
      .filter((text) => text !== "inline")
      .join("");
    return { brace, prefix: name === "" ? "" : `${name}::` };
  }

  #declaration(start: number, end: number, prefix: string, around: readonly string[]): Declaration {
    let at = start;
    let template: Token[] | null = null;
    while (this.#text(at) === "template" && this.#text(at + 1) === "<") {
      const after = this.#afterAngles(at + 1, end);
      template = this.#tokens.slice(at + 2, after - 1);
      at = after;
    }
    const head: Token[] = [];
    let body: { start: number; end: number } | null = null;
    let initialised = false;
    while (at < end) {
      const text = this.#text(at);
      if (text === ";") {
        at += 1;
        break;
      }
      if (text === "{") {
        const after = this.#after(at, end);
        body ??= { start: at + 1, end: after - 1 };
        at = after;
        if (head.some(({ text: word }) => word === "(") && !initialised) {
          if (this.#text(at) === ";") at += 1;
          break;
        }
        continue;
      }
      if (text === "(" || text === "[") {
        const after = this.#after(at, end);
        head.push(...this.#tokens.slice(at, after));
        at = after;
        continue;
      }
      // Neither a default argument, which is in brackets, nor the name of an operator ("operator+=").
      initialised ||= text === "=" && !head.some(({ text: word }) => word === "operator");
      head.push(this.#tokens[at]!);
      at += 1;
    }
    return { start, end: at, head, body, template, prefix, around };
  }

  #text(index: number): string {
    return this.#tokens[index]?.text ?? "";
  }

  /** The index after the bracket that closes the one at `index`. */
  #after(index: number, end: number): number {
    const open = this.#text(index);
    const close = closers[open]!;
    let depth = 0;
    for (let at = index; at < end; at++) {
      if (this.#text(at) === open) depth += 1;
      else if (this.#text(at) === close && --depth === 0) return at + 1;
    }
    return end;
  }

  /** The index after `<…>`; brackets inside may hold any mark. */
  #afterAngles(index: number, end: number): number {
    let depth = 0;
    for (let at = index; at < end; at++) {
      const text = this.#text(at);
      if (text in closers) at = this.#after(at, end) - 1;
      else if (text === "<") depth += 1;
      else if (text === ">" && --depth === 0) return at + 1;
    }
    return end;
  }
}

/** Tokens as text. */
export function joined(tokens: readonly Token[]): string {
  return tokens
    .map(({ text }) => text)
    .join(" ")
    .replace(/ (::|[<>,*&\]]) ?/g, "$1")
    .replace(/([<[]) /g, "$1");
}

/** The index of the bracket that closes the one at `open`. */
export function matching(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at]!.text in closers) depth += 1;
    else if (Object.values(closers).includes(tokens[at]!.text) && --depth === 0) return at;
  }
  return tokens.length;
}

/** Without attributes: what CUDA and compilers write in between. */
export function withoutAttributes(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const text = tokens[at]!.text;
    if (attributes.has(text) && tokens[at + 1]?.text === "(") at = matching(tokens, at + 1);
    else if (text === "[" && tokens[at + 1]?.text === "[") at = matching(tokens, at);
    else kept.push(tokens[at]!);
  }
  return kept;
}

/**
 * The names that a struct or enum is declared under: its own, and those that a typedef gives it. `words` are `head`
 * without keywords.
 */
export function declaredNames(head: readonly Token[], words: readonly Token[]): string[] {
  const isTypedef = head[0]?.text === "typedef";
  return words
    .filter(
      ({ kind }, index) =>
        kind === "word" &&
        (index === 0 || (isTypedef && words[index - 1]!.text !== "*" && words[index - 1]!.text !== ":")),
    )
    .map(({ text }) => text);
}

/** Parts between the commas that no bracket encloses. */
export function split(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if ("([{<".includes(token.text)) depth += 1;
    else if (")]}>".includes(token.text)) depth -= 1;
    if (token.text === "," && depth === 0) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  const empty =
    parts.length === 1 && (parts[0]!.length === 0 || (parts[0]!.length === 1 && parts[0]![0]!.text === "void"));
  return empty ? [] : parts;
}
