// Finds the variables that are declared inside a function of CUDA C++, by the shape of their declarations: words that
// may be a type, a name, and what follows a name that is declared.
import type { Word } from "./reading.ts";

export interface Local {
  readonly word: Word;
  readonly type: string;
  /** It is seen from its own token to the end of the block around it. Indices of tokens. */
  readonly from: number;
  readonly until: number;
  /** The last token of its first value. */
  readonly value: number | null;
}

const qualifiers =
  /^(?:const|static|constexpr|volatile|extern|register|__shared__|__restrict__|typename|struct|inline|alignas)$/;
const scalars = /^(?:unsigned|signed|long|short|int|char|float|double|bool|auto|void)$/;
const noTypes =
  /^(?:return|goto|delete|new|else|case|throw|using|typedef|break|continue|do|while|if|for|switch|sizeof|template|operator|default|public|private|asm|namespace)$/;
const followers = new Set(["=", ";", ",", "[", "(", "{", ":", ")"]);

/** Those of the tokens `start` … `end`, which are the body of a function. */
export function localsIn(words: readonly Word[], start: number, end: number): Local[] {
  const found: Local[] = [];
  const closers = blockEnds(words, start, end);
  for (let at = start; at < end; at++) {
    const before = words[at - 1]?.text ?? "{";
    const opensFor = before === "(" && /^(?:for|if|switch|while)$/.test(words[at - 2]?.text ?? "");
    if (before !== "{" && before !== "}" && before !== ";" && before !== ")" && before !== "else" && !opensFor)
      continue;
    const declared = declarationAt(words, at, end);
    if (declared === null) continue;
    // What `for (…)` declares belongs to its statement, which ends with its block or its semicolon.
    const until = opensFor ? statementEnd(words, at - 1, end) : closers(at);
    for (const local of declared) found.push({ ...local, until });
  }
  return found;
}

function declarationAt(words: readonly Word[], start: number, end: number): Omit<Local, "until">[] | null {
  let at = start;
  let isType = false;
  while (at < end && words[at]!.kind === "word") {
    const { text } = words[at]!;
    if (noTypes.test(text)) return null;
    if (qualifiers.test(text)) {
      at = text === "alignas" && words[at + 1]?.text === "(" ? closing(words, at + 1, end) + 1 : at + 1;
      continue;
    }
    if (isType && !scalars.test(text)) break;
    if (isType && !scalars.test(words[at - 1]!.text) && !qualifiers.test(words[at - 1]!.text)) break;
    isType = true;
    at += 1;
    while (words[at]?.text === "::" && words[at + 1]?.kind === "word") at += 2;
    if (words[at]?.text === "<") {
      const close = closingAngle(words, at, end);
      if (close < 0) return null;
      at = close + 1;
      while (words[at]?.text === "::" && words[at + 1]?.kind === "word") at += 2;
    }
  }
  if (!isType) return null;
  const base = words
    .slice(start, at)
    .filter(({ text }) => !/^(?:static|constexpr|extern|register|__shared__|typename)$/.test(text));
  const found: Omit<Local, "until">[] = [];
  for (;;) {
    let marks = "";
    while (at < end && /^(?:\*|&|const|__restrict__)$/.test(words[at]!.text))
      marks += words[at++]!.text.replace(/\w+/, "");
    const word = words[at];
    if (word?.kind !== "word" || noTypes.test(word.text) || !followers.has(words[at + 1]?.text ?? ";")) break;
    const isArray = words[at + 1]?.text === "[";
    const stop = declaratorEnd(words, at + 1, end);
    found.push({
      word,
      type: `${base
        .map(({ text }) => text)
        .join(" ")
        .replace(/ ?(::|[<>,]) ?/g, "$1")}${marks}${isArray ? "*" : ""}`,
      from: at,
      value: words[at + 1]?.text === "=" && stop > at + 2 ? stop - 1 : null,
    });
    if (words[stop]?.text !== ",") break;
    at = stop + 1;
  }
  return found.length === 0 ? null : found;
}

/** The comma or the end behind a name that is declared. */
function declaratorEnd(words: readonly Word[], start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const { text } = words[at]!;
    if (text === "(" || text === "[" || text === "{") at = closing(words, at, end);
    else if (text === "," || text === ";" || text === ")" || text === ":" || text === "}") return at;
  }
  return end;
}

function statementEnd(words: readonly Word[], open: number, end: number): number {
  for (let at = closing(words, open, end) + 1; at < end; at++) {
    const { text } = words[at]!;
    if (text === "{") return closing(words, at, end);
    if (text === "(" || text === "[") at = closing(words, at, end);
    else if (text === ";") return at;
  }
  return end;
}

/** Tells of each token where the block around it ends. */
function blockEnds(words: readonly Word[], start: number, end: number): (at: number) => number {
  const blocks: { open: number; close: number }[] = [];
  for (let at = start; at < end; at++)
    if (words[at]!.text === "{") blocks.push({ open: at, close: closing(words, at, end) });
  return (at) => blocks.findLast(({ open, close }) => open < at && at < close)?.close ?? end;
}

const closers: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** The index of the bracket that closes the one at `open`; the end where it is missing. */
export function closing(words: readonly Word[], open: number, end: number): number {
  let depth = 0;
  for (let at = open; at < end; at++) {
    const { text, kind } = words[at]!;
    if (kind !== "mark") continue;
    if (Object.hasOwn(closers, text)) depth += 1;
    else if (text === ")" || text === "]" || text === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return end;
}

/** That of a list of template arguments; -1 where `<` compares. */
function closingAngle(words: readonly Word[], open: number, end: number): number {
  let depth = 0;
  for (let at = open; at < end; at++) {
    const { text } = words[at]!;
    if (text === "<") depth += 1;
    else if (text === ">" && --depth === 0) return at;
    else if (text === "(" || text === "[") at = closing(words, at, end);
    else if (text === ";" || text === "{" || text === "}") return -1;
  }
  return -1;
}
