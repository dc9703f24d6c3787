// The text of a source cut into the declarations that others may use: what each is called, and which words it uses.
import { builtinType } from "./c-types.ts";
import { declarationsIn, declaredNames, joined, matching, split, withoutAttributes, type Declaration } from "./scan.ts";
import { tokenize, type Directive, type Token } from "./tokens.ts";

/** A declaration, a macro or an `#include`; between `#if` and `#endif` all of them together. */
export interface Piece {
  /** With their namespaces: "geo::Pair". A struct may have several, an `#include` has none. */
  readonly names: readonly string[];
  /** As a reader knows it: "struct Pair", "twice(float)", "N". */
  readonly label: string;
  readonly kind: "declaration" | "variable" | "include" | "using" | "kernel";
  /**
   * What it adds to: a specialisation to its template, a member to its struct, an operator to the types that it takes.
   * Empty: it stands for itself.
   */
  readonly extends: readonly string[];
  /** A prototype, or a struct without its body, is none. */
  readonly isDefinition: boolean;
  /** Offsets in the source, and the place of the first. */
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  /** The text between them. */
  readonly text: string;
  /** The namespaces and `extern "C"` that it stands in, as written. */
  readonly around: readonly string[];
  readonly prefix: string;
  /** All words in it. */
  readonly words: ReadonlySet<string>;
}

/** "b" of "a::b". */
export function lastName(name: string): string {
  return name.split("::").at(-1)!;
}

/** The pieces of `source`, in its order. `macros`: defined from outside. */
export function piecesOf(source: string, macros?: Map<string, string>): Piece[] {
  const { tokens, directives } = tokenize(source, macros);
  const lines = lineStarts(source);
  const offsetOf = ({ line, column }: Token) => lines[line - 1]! + column - 1;
  const found: Piece[] = [];
  for (const declaration of declarationsIn(tokens)) {
    const own = tokens.slice(declaration.start, declaration.end);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) continue;
    const [start, end] = [offsetOf(first), offsetOf(last) + last.text.length];
    const inside = directives.filter((each) => each.start > start && each.end <= end);
    const words = new Set([
      ...own.flatMap(({ kind, text }) => (kind === "word" ? [text] : [])),
      ...inside.flatMap(({ rest }) => wordsIn(rest)),
    ]);
    const { line, column } = first;
    const text = source.slice(start, end);
    for (const named of namesOf(declaration, tokens))
      found.push({
        ...named,
        words,
        start,
        end,
        line,
        column,
        text,
        around: declaration.around,
        prefix: declaration.prefix,
      });
  }
  return withDirectives(source, found, directives);
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

export function wordsIn(text: string): string[] {
  return text.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

/** The macros and includes between declarations, too; what is between `#if` and `#endif` as one. */
function withDirectives(source: string, declarations: readonly Piece[], directives: readonly Directive[]): Piece[] {
  const outside = directives.filter(
    ({ start }) => !declarations.some((piece) => piece.start < start && start < piece.end),
  );
  const pieces: Piece[] = [...declarations];
  let depth = 0;
  let open: Directive | null = null;
  for (const directive of outside) {
    const { name, line, start, end } = directive;
    if (/^if/.test(name) && depth++ === 0) open = directive;
    if (name === "endif" && depth > 0 && --depth === 0) {
      const whole = outside.filter((each) => each.start >= open!.start && each.end <= end);
      const inner = pieces.filter((piece) => piece.start >= open!.start && piece.end <= end);
      const all = [...inner, ...whole.flatMap((each) => pieceOf(source, each) ?? [])];
      for (const piece of inner) pieces.splice(pieces.indexOf(piece), 1);
      if (all.length === 0 || all.some(({ kind }) => kind === "kernel")) continue;
      pieces.push({
        names: all.flatMap(({ names }) => names),
        label: all.flatMap(({ label }) => (label === "" || label.startsWith("#") ? [] : [label])).join(", "),
        kind: all.every(({ kind }) => kind === "include")
          ? "include"
          : all.every(({ kind }) => kind === "using")
            ? "using"
            : "declaration",
        extends: [],
        isDefinition: true,
        start: open!.start,
        end,
        line: open!.line,
        column: 1,
        text: source.slice(open!.start, end),
        around: inner[0]?.around ?? [],
        prefix: inner[0]?.prefix ?? "",
        words: new Set([...all.flatMap(({ words }) => [...words]), ...whole.flatMap(({ rest }) => wordsIn(rest))]),
      });
      continue;
    }
    if (depth > 0) continue;
    const piece = pieceOf(source, { ...directive, line, start, end });
    if (piece !== null) pieces.push(piece);
  }
  return pieces.sort((a, b) => a.start - b.start);
}

/** What a line of the preprocessor declares; `null`: nothing. */
function pieceOf(source: string, { name, rest, line, start, end }: Directive): Piece | null {
  const rows: Record<string, Pick<Piece, "names" | "label" | "kind" | "extends"> | undefined> = {
    define: { names: wordsIn(rest).slice(0, 1), label: wordsIn(rest)[0] ?? "", kind: "declaration", extends: [] },
    undef: { names: [`#undef ${rest}`], label: "", kind: "declaration", extends: [rest] },
    include: { names: [], label: `#include ${rest}`, kind: "include", extends: [] },
  };
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row === undefined) return null;
  const words = new Set(name === "define" ? wordsIn(rest).slice(1) : []);
  const text = source.slice(start, end);
  return { ...row, isDefinition: true, start, end, line, column: 1, text, around: [], prefix: "", words };
}

type Named = Pick<Piece, "names" | "label" | "kind" | "extends" | "isDefinition">;

const specifiers = new Set(
  "static inline constexpr const volatile extern mutable __device__ __host__ __constant__ __managed__ __shared__ __forceinline__ __noinline__ __inline__ unsigned signed typename auto".split(
    " ",
  ),
);
const variables = new Set(["__constant__", "__device__", "__managed__"]);
const notNames = new Set(["decltype", "alignas", "noexcept", "requires", "explicit", "sizeof"]);

/** What a declaration declares; none: something that nobody can name. */
function namesOf({ head: whole, body, template, prefix }: Declaration, tokens: readonly Token[]): Named[] {
  const from = whole[0]?.text === "extern" && whole[1]?.kind === "string" ? 2 : 0;
  const head = withoutAttributes(whole.slice(from));
  const [first, second] = [head[0]?.text, head[1]?.text];
  if (first === undefined || first === "static_assert" || first === "template" || first === "main") return [];
  const declared = (names: readonly string[], label: string, more: Partial<Named> = {}): Named[] =>
    names.length === 0
      ? []
      : [
          {
            names: names.map((name) => prefix + name),
            label: prefix + label,
            kind: "declaration",
            extends: [],
            isDefinition: true,
            ...more,
          },
        ];
  const words = new Set(head.map(({ text }) => text));
  if (words.has("__global__")) {
    const kernel = head[functionParenthesis(head) - 1]?.text ?? "";
    return declared([kernel], kernel, { kind: "kernel", isDefinition: body !== null });
  }
  if (first === "using" && second === "namespace")
    return [{ names: [], label: "", kind: "using", extends: [joined(head.slice(2))], isDefinition: true }];
  if (first === "using" && words.has("=")) return declared([second!], second!);
  if (first === "using" || first === "concept")
    return declared([head.findLast(({ kind }) => kind === "word")!.text], joined(head.slice(1)));
  if (first === "namespace") return declared([second!], `namespace ${second}`);
  const kind = ["enum", "struct", "class", "union"].find((word) => words.has(word));
  const open = functionParenthesis(head);
  if (kind !== undefined && open < 0) return declared(...typeNames(kind, head, body, tokens, prefix, template));
  if (first === "typedef") {
    const pointer = head.findIndex(({ text }, at) => text === "(" && head[at + 1]?.text === "*");
    const bracket = head.findIndex(({ text }) => text === "[");
    const name = pointer >= 0 ? head[pointer + 2] : bracket > 0 ? head[bracket - 1] : head.at(-1);
    return name?.kind === "word" ? declared([name.text], name.text) : [];
  }
  const operator = head.findIndex(({ text }) => text === "operator");
  if (operator >= 0) return operatorOf(head, operator, prefix, template, body !== null);
  if (open >= 0) return functionOf(head, open, prefix, template, body !== null);
  const names = variableNames(head);
  const isDevice =
    [...variables].some((word) => words.has(word)) && !words.has("__shared__") && !words.has("constexpr");
  const isDeclared = words.has("extern") && !words.has("=") && body === null && !words.has("__shared__");
  return declared(names, names.join(", "), {
    kind: isDevice && template === null ? "variable" : "declaration",
    isDefinition: !isDeclared,
  });
}

/** Where a function's parameters begin; -1: it is none. */
function functionParenthesis(head: readonly Token[]): number {
  let angles = 0;
  for (let at = 1; at < head.length; at++) {
    const { text } = head[at]!;
    const before = head[at - 1]!;
    if (head.some(({ text: word }) => word === "operator")) return -1;
    if (text === "=") return -1;
    if (text === "[") at = matching(head, at);
    if (text === "<") angles += 1;
    if (text === ">") angles -= 1;
    if (text !== "(") continue;
    const isName = before.kind === "word" && !notNames.has(before.text) && builtinType([before.text]) === undefined;
    // A specialisation: f<float>(…).
    if (angles === 0 && (isName || before.text === ">")) return at;
    at = matching(head, at);
  }
  return -1;
}

function typeNames(
  kind: string,
  head: readonly Token[],
  body: Declaration["body"],
  tokens: readonly Token[],
  prefix: string,
  template: readonly Token[] | null,
): [string[], string, Partial<Named>] {
  const at = head.findIndex(({ text }) => text === kind);
  const isScoped = kind === "enum" && ["class", "struct"].includes(head[at + 1]?.text ?? "");
  const words = head.slice(at + (isScoped ? 2 : 1)).filter(({ text }) => text !== "final");
  const own = words[0]?.kind === "word" ? words[0].text : null;
  const isTypedef = head[0]?.text === "typedef";
  // `struct P : Base {` has other types behind its name, `struct P {…} a, b;` variables.
  const behind = words.findIndex(({ text }) => text === ":");
  const others = (behind < 0 ? words : words.slice(0, behind)).slice(own === null ? 0 : 1);
  const names = isTypedef
    ? declaredNames(head, words)
    : [...(own === null ? [] : [own]), ...(template === null ? variableNames([...others]) : [])];
  const inside = kind === "enum" && !isScoped && body !== null ? enumerators(tokens.slice(body.start, body.end)) : [];
  const label = `${kind} ${own ?? (isTypedef ? names[0] : null) ?? inside.join(", ")}`.trim();
  // template <> struct Traits<float>, and a part of one.
  if (own !== null && others[0]?.text === "<" && template !== null) {
    const special = `${own}${joined(others.slice(0, others.findLastIndex(({ text }) => text === ">") + 1))}`;
    return [[special], `${kind} ${special}`, { extends: [prefix + own], isDefinition: body !== null }];
  }
  // `struct P p;` declares p alone.
  if (body === null && kind !== "enum" && others.length > 0 && !isTypedef) {
    const variable = variableNames(words);
    return [variable, variable.join(", "), {}];
  }
  return [[...names, ...inside], label, { isDefinition: body !== null || isTypedef }];
}

function enumerators(body: readonly Token[]): string[] {
  return split(body).flatMap(([name]) => (name?.kind === "word" ? [name.text] : []));
}

/** `operator+(Pair a, Pair b)`, of the types that it takes; a member's, of its struct. */
function operatorOf(
  head: readonly Token[],
  operator: number,
  prefix: string,
  template: readonly Token[] | null,
  isDefinition: boolean,
): Named[] {
  const open = head.findIndex(({ text }, at) => at > operator + 1 && text === "(");
  if (open < 0) return [];
  const parameters = head.slice(open + 1, matching(head, open));
  const types = parameterTypes(parameters);
  const label = `${joined(head.slice(operator, open)).replace(/^operator (?=\W)/, "operator")}(${types.join(", ")})`;
  const bound = new Set(template?.map(({ text }) => text));
  const words = wordsIn(types.join(" ")).filter(
    (word) => !specifiers.has(word) && !bound.has(word) && (builtinType([word])?.kind ?? "vector") === "vector",
  );
  const owner = head[operator - 1]?.text === "::" ? [head[operator - 2]!.text] : words;
  return [{ names: [prefix + label], label: prefix + label, kind: "declaration", extends: owner, isDefinition }];
}

function functionOf(
  head: readonly Token[],
  open: number,
  prefix: string,
  template: readonly Token[] | null,
  isDefinition: boolean,
): Named[] {
  const types = parameterTypes(head.slice(open + 1, matching(head, open)));
  let at = open - 1;
  // f<float>
  if (head[at]!.text === ">") while (at > 0 && head[at]!.text !== "<") at -= 1;
  const special = joined(head.slice(at, open));
  const name = head[at]!.text === "<" ? head[at - 1] : head[at];
  if (name?.kind !== "word" || name.text === "main") return [];
  const label = `${name.text}${head[at]!.text === "<" ? special : ""}(${types.join(", ")})`;
  const isMember = head[open - 2]?.text === "::" || head[at - 1]?.text === "~";
  const owner = isMember ? head.slice(0, open - 2).findLast(({ kind }) => kind === "word") : undefined;
  const more = { kind: "declaration" as const, isDefinition };
  if (owner !== undefined) {
    const whole = `${owner.text}::${label}`;
    return [{ names: [prefix + whole], label: prefix + whole, extends: [prefix + owner.text], ...more }];
  }
  if (template?.length === 0)
    return [{ names: [prefix + label], label: prefix + label, extends: [prefix + name.text], ...more }];
  return [{ names: [prefix + name.text], label: prefix + label, extends: [], ...more }];
}

/** `const float* p, int n = 3` as ["const float*", "int"]. */
function parameterTypes(tokens: readonly Token[]): string[] {
  return split(tokens).map((parameter) => {
    const equals = parameter.findIndex(({ text }) => text === "=");
    const declared = equals < 0 ? parameter : parameter.slice(0, equals);
    const bracket = declared.findIndex(({ text }) => text === "[");
    const plain = bracket < 0 ? declared : declared.slice(0, bracket);
    const last = plain.at(-1);
    const hasType = plain.slice(0, -1).some(({ kind, text }) => kind === "word" && !/^(const|volatile)$/.test(text));
    const isName =
      last?.kind === "word" && hasType && builtinType([last.text]) === undefined && plain.at(-2)?.text !== "::";
    return joined(isName ? plain.slice(0, -1) : plain) + (bracket < 0 ? "" : "*");
  });
}

/** `const float a[2], b = 3` as ["a", "b"]. */
function variableNames(head: readonly Token[]): string[] {
  return split(head).flatMap((part) => {
    const end = part.findIndex(({ text }) => text === "=" || text === "[" || text === "(");
    const declared = end < 0 ? part : part.slice(0, end);
    const name = declared.at(-1);
    return name?.kind === "word" && !specifiers.has(name.text) && builtinType([name.text]) === undefined
      ? [name.text]
      : [];
  });
}
