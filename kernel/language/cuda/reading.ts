// Reads the text of a `%%cuda` cell for an editor: its words with their places, and the names that it declares. What it
// does not understand it passes over: a cell that is being written is rarely whole.
import { declarationsIn, joined, matching, split, tokenize, withoutAttributes } from "warpcell/cuda-text";
import type { Declaration, Directive, Token } from "warpcell/cuda-text";
import { localsIn } from "./locals.ts";

export interface Word extends Token {
  /** Offsets in the cell's text. */
  readonly start: number;
  readonly end: number;
}

export type CudaKind =
  | "kernel"
  | "function"
  | "struct"
  | "enum"
  | "type"
  | "const"
  | "macro"
  | "variable"
  | "field"
  | "method"
  | "parameter";

/** A name that is declared. */
export interface CudaName {
  readonly name: string;
  readonly kind: CudaKind;
  /** On one line, as it is written. */
  readonly signature: string;
  readonly documentation: string;
  /** Of a variable or a field; what a function returns; empty where nothing is known. */
  readonly type: string;
  /** What a local variable begins as: the index of the last token of its first value, where its type is `auto`. */
  readonly value?: number;
  /** Where the name stands. */
  readonly start: number;
  readonly end: number;
  /** What a struct has. */
  readonly members: readonly CudaName[];
  /** Where it is seen; `null`: everywhere. */
  readonly scope: { readonly start: number; readonly end: number } | null;
}

export interface CudaCell {
  readonly text: string;
  readonly words: readonly Word[];
  readonly names: readonly CudaName[];
  /** Words of preprocessor lines, which are not among the others. */
  readonly inDirectives: readonly { readonly text: string; readonly start: number; readonly end: number }[];
}

/** `text`: of the cell, with its magic line as spaces. */
export function readCuda(text: string): CudaCell {
  const { tokens, directives } = tokenize(text);
  const lines = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const words = tokens.map((token) => {
    const start = lines[token.line - 1]! + token.column - 1;
    return { ...token, start, end: start + token.text.length };
  });
  const reader = new Reader(text, words);
  const names = [...reader.names(words, null), ...directives.flatMap((directive) => macroOf(text, directive))];
  const inDirectives = directives.flatMap(({ start, end, name }) =>
    /^(?:include|pragma|error|line)$/.test(name)
      ? []
      : [...text.slice(start, end).matchAll(/[A-Za-z_]\w*/g)].map(({ 0: word, index }) => ({
          text: word,
          start: start + index,
          end: start + index + word.length,
        })),
  );
  return { text, words, names, inDirectives };
}

function macroOf(text: string, { name, start, end }: Directive): CudaName[] {
  const line = text.slice(start, end);
  const match = name === "define" ? /^#\s*define\s+([A-Za-z_]\w*)/.exec(line) : null;
  if (match === null) return [];
  const at = start + match[0].length - match[1]!.length;
  return [
    {
      name: match[1]!,
      kind: "macro",
      signature: line.replace(/\\\n\s*/g, " ").replace(/\s*\/\/.*$/, ""),
      documentation: documentationBefore(text, start),
      type: "",
      start: at,
      end: at + match[1]!.length,
      members: [],
      scope: null,
    },
  ];
}

const typeWords = new Set(["struct", "class", "union", "enum"]);

class Reader {
  readonly #text: string;
  readonly #words: readonly Word[];
  readonly #index: ReadonlyMap<Token, number>;

  constructor(text: string, words: readonly Word[]) {
    this.#text = text;
    this.#words = words;
    this.#index = new Map(words.map((word, index) => [word, index]));
  }

  /** What `words` declare: outside of structs (`owner` is `null`), or as members of one. */
  names(words: readonly Word[], owner: string | null): CudaName[] {
    return [...declarationsIn(words)].flatMap((declaration) => this.#namesOf(declaration, words, owner));
  }

  #namesOf(declaration: Declaration, words: readonly Word[], owner: string | null): CudaName[] {
    const head = withoutAccess(withoutAttributes(declaration.head)) as Word[];
    const first = head[0];
    if (
      first === undefined ||
      /^(?:static_assert|namespace)$/.test(first.text) ||
      head.some(({ text }) => text === "operator")
    )
      return [];
    const begin = words[declaration.start]!.start;
    const end = words[declaration.end - 1]!.end;
    const documentation = documentationBefore(this.#text, begin);
    const made = (word: Word, kind: CudaKind, more: Partial<CudaName> = {}): CudaName => ({
      name: word.text,
      kind,
      signature: one(this.#text.slice(begin, end).replace(/;$/, "")),
      documentation,
      type: "",
      start: word.start,
      end: word.end,
      members: [],
      scope: null,
      ...more,
    });

    if (first.text === "using" || (first.text === "typedef" && !head.some(({ text }) => typeWords.has(text)))) {
      const word = first.text === "using" ? head[1] : head.findLast(({ kind }) => kind === "word");
      return word?.kind === "word" && word.text !== "namespace" && head[2]?.text !== "::" ? [made(word, "type")] : [];
    }
    const open = functionAt(head);
    const isType = head.findIndex(({ text }) => typeWords.has(text));
    if (isType >= 0 && (open < 0 || declaration.body !== null) && head[isType - 1]?.text !== "<")
      return this.#type(head, isType, declaration, words, made);
    if (open > 0) return this.#function(head, open, declaration, words, owner, made);
    return variablesIn(head).map(({ word, type }) =>
      made(word, owner === null ? "variable" : "field", {
        type,
        ...(owner === null ? {} : { signature: `${type} ${owner}::${word.text}` }),
      }),
    );
  }

  #type(head: Word[], at: number, { body }: Declaration, words: readonly Word[], made: Make): CudaName[] {
    const isEnum = head[at]!.text === "enum";
    const own = head
      .slice(at + 1)
      .find(({ kind, text }, index) => kind === "word" && !(index === 0 && typeWords.has(text)));
    const given = head[0]!.text === "typedef" ? head.findLast(({ kind }) => kind === "word") : undefined;
    const name = own ?? given;
    const inside = body === null ? [] : words.slice(body.start, body.end);
    const enumerators = isEnum
      ? split(inside).flatMap(([word]) =>
          word?.kind === "word"
            ? [
                made(word as Word, "const", {
                  type: name?.text ?? "int",
                  signature: `${name?.text ?? "enum"}::${word.text}`,
                }),
              ]
            : [],
        )
      : [];
    if (name === undefined) return enumerators;
    const isDeclared = body !== null || head.length <= at + 2;
    // `struct Pair pair;` declares a variable.
    if (!isDeclared) return variablesIn(head).map(({ word, type }) => made(word, "variable", { type }));
    const members = isEnum ? enumerators : this.names(inside, name.text);
    const others = given !== undefined && given !== name ? [given] : [];
    return [...[name, ...others].map((word) => made(word, isEnum ? "enum" : "struct", { members })), ...enumerators];
  }

  #function(
    head: Word[],
    open: number,
    { start, end, body, template }: Declaration,
    words: readonly Word[],
    owner: string | null,
    made: Make,
  ): CudaName[] {
    const name = head[open - 1]!;
    const inside = head.slice(open + 1, matching(head, open));
    const isKernel = head.some(({ text }) => text === "__global__");
    const begin = words[start]!.start;
    const close = head[matching(head, open)];
    const signature = withoutBounds(one(this.#text.slice(begin, close?.end ?? name.end)));
    const scope = { start: begin, end: words[end - 1]!.end };
    const own = made(name, isKernel ? "kernel" : owner === null ? "function" : "method", {
      signature,
      type: typeText(head.slice(0, open - 1)),
    });
    const parameters = split(inside).flatMap((parameter) =>
      variablesIn(parameter as Word[]).map(({ word, type }) =>
        made(word, "parameter", {
          type,
          signature: one(textOf(parameter as Word[], this.#text)),
          documentation: "",
          scope,
        }),
      ),
    );
    const types = split(template ?? []).flatMap((parameter) => {
      const word = parameter.find(
        (each, index) => index > 0 && each.kind === "word" && each.text !== "typename",
      ) as Word;
      return word === undefined
        ? []
        : [
            made(word, "parameter", {
              signature: one(textOf(parameter as Word[], this.#text)),
              documentation: "",
              scope,
            }),
          ];
    });
    const locals =
      body === null
        ? []
        : localsIn(words, body.start, body.end).map(({ word, type, from, until, value }) =>
            made(word, "variable", {
              type,
              signature: `${type} ${word.text}`,
              documentation: "",
              scope: { start: words[from]!.start, end: words[Math.min(until, words.length - 1)]!.end },
              ...(value === null || !/\bauto\b/.test(type) ? {} : { value: this.#index.get(words[value]!) ?? value }),
            }),
          );
    return [own, ...types, ...parameters, ...locals];
  }
}

type Make = (word: Word, kind: CudaKind, more?: Partial<CudaName>) => CudaName;

/** Where the parameters of a function open; -1: it is none. */
function functionAt(head: readonly Word[]): number {
  let angles = 0;
  for (let at = 1; at < head.length; at++) {
    const { text } = head[at]!;
    if (text === "=") return -1;
    if (text === "[") at = matching(head, at);
    if (text === "<") angles += 1;
    if (text === ">") angles -= 1;
    if (text !== "(") continue;
    if (
      angles === 0 &&
      head[at - 1]!.kind === "word" &&
      !/^(?:decltype|alignas|noexcept|explicit)$/.test(head[at - 1]!.text)
    )
      return at;
    at = matching(head, at);
  }
  return -1;
}

/** `const float a[2], *b = 3` as a and b; a parameter has one. */
function variablesIn(head: readonly Word[]): { word: Word; type: string }[] {
  let base = "";
  return split(head).flatMap((part, index) => {
    const stop = part.findIndex(({ text }) => text === "=" || text === "[" || text === "(" || text === "{");
    const declared = (stop < 0 ? part : part.slice(0, stop)) as Word[];
    const word = declared.at(-1);
    const before = typeText(declared.slice(0, -1));
    if (word?.kind !== "word" || (index === 0 && before === "")) return [];
    if (index === 0) base = before;
    const isArray = part[stop]?.text === "[";
    return [{ word, type: `${index === 0 ? before : base.replace(/[\s*&]+$/, "") + before}${isArray ? "*" : ""}` }];
  });
}

/** A type without what says where the variable lies. */
function typeText(words: readonly Word[]): string {
  const notTypes =
    /^(?:static|inline|extern|constexpr|volatile|__global__|__device__|__host__|__shared__|__constant__|__managed__|__forceinline__|__noinline__|__restrict__|mutable|virtual|explicit)$/;
  return joined(words.filter(({ text, kind }) => kind !== "string" && !notTypes.test(text)));
}

function withoutAccess(head: readonly Token[]): Token[] {
  let at = 0;
  while (/^(?:public|private|protected)$/.test(head[at]?.text ?? "") && head[at + 1]?.text === ":") at += 2;
  return head.slice(at);
}

function textOf(words: readonly Word[], text: string): string {
  return words.length === 0 ? "" : text.slice(words[0]!.start, words.at(-1)!.end);
}

function withoutBounds(signature: string): string {
  return signature.replace(/\s*__launch_bounds__\s*\([^)]*\)/, "");
}

/** On one line, without comments. */
function one(text: string): string {
  return text
    .replace(/\/\*[^]*?\*\/|\/\/.*/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** The comment right before `start`. */
export function documentationBefore(text: string, start: number): string {
  const lines = text.slice(0, start).split("\n");
  // What stands on the line of the declaration itself is before it, too.
  if (lines.pop()!.trim() !== "") return "";
  const found: string[] = [];
  if (/\*\/\s*$/.test(lines.at(-1) ?? "")) {
    for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
      found.unshift(line);
      if (line.includes("/*")) break;
    }
    return found
      .join("\n")
      .replace(/^\s*\/\*+|\*+\/\s*$/g, "")
      .replace(/^\s*\* ?/gm, "")
      .trim();
  }
  for (let line = lines.pop(); line !== undefined && /^\s*\/\//.test(line); line = lines.pop())
    found.unshift(line.replace(/^\s*\/\/+ ?/, ""));
  return found.join("\n").trim();
}
