// The names that a function declares, as far as tokens tell: its parameters, and the declarations of the blocks around
// a place in it.
import { closing, closingAngle, type Item, type Placed } from "./items.ts";

export interface LocalDeclaration {
  /** Its tokens: of a statement with its semicolon. */
  readonly first: number;
  readonly last: number;
  /** A constant of a compiler, or a name of a type: it has no value that could be captured. */
  readonly isCopied: boolean;
}

/** Words that begin a statement which declares nothing. */
const statements = new Set(
  "return delete throw goto case default break continue new sizeof co_return co_yield co_await asm this".split(" "),
);
const heads = new Set(["for", "if", "while", "switch", "catch"]);
const integers = new Set("int unsigned long short char size_t int32_t uint32_t int64_t uint64_t bool".split(" "));

/** What is declared before the token `place` in blocks of the function that hold it, the innermost of each name. */
export function localDeclarations(
  tokens: readonly Placed[],
  { parameters, body }: Pick<Item, "parameters" | "body">,
  place: number,
): Map<string, LocalDeclaration> {
  const found = new Map<string, LocalDeclaration>();
  const add = (name: string, declaration: LocalDeclaration) => void found.set(name, declaration);
  if (parameters !== null) declareParameters(tokens, ...parameters, add);
  if (body === null) return found;
  let starts = true;
  for (let at = body.open + 1; at < Math.min(place, body.close); at++) {
    const { text } = tokens[at]!;
    if (text === "{") {
      const end = closing(tokens, at);
      // A block that ended before: what it declares is not seen here.
      if (end < place && place < body.close) at = end;
      starts = true;
    } else if (text === ";" || text === "}" || text === "else" || text === "do") starts = true;
    else if (text === "(" && heads.has(tokens[at - 1]!.text)) starts = true;
    else if (text === "]" && tokens[at + 1]?.text === "(" && closing(tokens, at + 1) < place) {
      // The parameters of a lambda around the place.
      const close = closing(tokens, at + 1);
      if (tokens[close + 1]?.text === "{" && closing(tokens, close + 1) > place)
        declareParameters(tokens, at + 1, close, add);
      starts = false;
    } else if (starts) {
      declare(tokens, at, add);
      starts = false;
    }
  }
  return found;
}

type Add = (name: string, declaration: LocalDeclaration) => void;

function declareParameters(tokens: readonly Placed[], open: number, close: number, add: Add): void {
  for (const [first, last] of parts(tokens, open, close)) {
    let end = first;
    while (end <= last && tokens[end]!.text !== "=" && tokens[end]!.text !== "[") end += 1;
    const name = tokens[end - 1]!;
    if (end - 1 > first && name.kind === "word") add(name.text, { first, last: end - 1, isCopied: false });
  }
}

/** The declaration that begins at `first`, where there is one. */
function declare(tokens: readonly Placed[], first: number, add: Add): void {
  const { text, kind } = tokens[first]!;
  if (kind !== "word" || statements.has(text) || heads.has(text)) return;
  const last = statementEnd(tokens, first);
  if (text === "using" || text === "typedef") {
    const name = text === "using" ? tokens[first + 1]! : tokens[last - 1]!;
    if (name.text !== "namespace") add(name.text, { first, last, isCopied: true });
    return;
  }
  const start = declaratorsAt(tokens, first);
  for (let at = start; at > first && at < last; at++) {
    at = behindPointers(tokens, at);
    if (tokens[at]!.text === "[") {
      // auto [a, b] = …
      for (const [name] of parts(tokens, at, closing(tokens, at)))
        add(tokens[name]!.text, { first, last, isCopied: false });
      return;
    }
    if (tokens[at]!.kind !== "word" || !/^[=;,({[:)]$/.test(tokens[at + 1]!.text)) return;
    add(tokens[at]!.text, { first, last, isCopied: isConstant(tokens, first, at, last) });
    while (at < last && tokens[at]!.text !== ",")
      at = /^[([{]$/.test(tokens[at]!.text) ? closing(tokens, at) + 1 : at + 1;
  }
}

/** Whether a compiler has its value: that of a constexpr, and of an integer that is const and a literal. */
function isConstant(tokens: readonly Placed[], first: number, name: number, last: number): boolean {
  const words = tokens.slice(first, name).map(({ text }) => text);
  if (words.includes("constexpr")) return true;
  const isInteger = words.includes("const") && words.every((word) => word === "const" || integers.has(word));
  const value = tokens.slice(name + 1, last);
  const isLiteral = value.slice(1).every(({ kind, text }) => kind === "number" || /^[-+*/()<]$/.test(text));
  return isInteger && value[0]?.text === "=" && isLiteral;
}

/** Where the declarators begin behind a type at `first`; `first` where no declaration begins there. */
function declaratorsAt(tokens: readonly Placed[], first: number): number {
  for (let at = first, count = 1; ; count++) {
    const word = at;
    at = behindName(tokens, word);
    if (tokens[at]!.kind === "word" && word < at) continue;
    const isBinding = tokens[word]!.text === "auto" && tokens[behindPointers(tokens, at)]!.text === "[";
    const isPointer = behindPointers(tokens, at) > at && tokens[behindPointers(tokens, at)]!.kind === "word";
    if (isBinding || isPointer) return at;
    // Of several words, the last one is the name.
    return count > 1 && at === word + 1 ? word : first;
  }
}

/** Behind `std::vector<int>`, `decltype(x)` and other names at `at`. */
function behindName(tokens: readonly Placed[], at: number): number {
  if (tokens[at]!.text === "decltype" && tokens[at + 1]!.text === "(") return closing(tokens, at + 1) + 1;
  for (let next = at + 1; ; next += 2) {
    if (tokens[next]!.text === "<") {
      const close = closingAngle(tokens, next);
      if (close === next) return next;
      next = close + 1;
    }
    if (tokens[next]!.text !== "::" || tokens[next + 1]!.kind !== "word") return next;
  }
}

function behindPointers(tokens: readonly Placed[], from: number): number {
  let at = from;
  while (/^([*&]|const|__restrict__|volatile)$/.test(tokens[at]!.text)) at += 1;
  return at;
}

/** The `;` of a statement, the `)` of a loop's head. */
function statementEnd(tokens: readonly Placed[], from: number): number {
  for (let at = from; at < tokens.length; at++) {
    const { text } = tokens[at]!;
    if (text === ";" || text === ")" || text === "}") return at;
    if (text === "(" || text === "[" || text === "{") at = closing(tokens, at);
  }
  return tokens.length - 1;
}

/** The parts between commas from `open` to `close`, the brackets' places. */
export function* parts(tokens: readonly Placed[], open: number, close: number): Generator<[number, number]> {
  let first = open + 1;
  for (let at = open + 1; at <= close; at++) {
    const { text } = tokens[at]!;
    if (text === "," || at === close) {
      if (at > first) yield [first, at - 1];
      first = at + 1;
    } else if (text === "(" || text === "[" || text === "{") at = closing(tokens, at);
    else if (text === "<") at = Math.min(Math.max(at, closingAngle(tokens, at)), close - 1);
  }
}
