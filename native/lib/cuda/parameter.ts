// The tokens of one C++ declaration into its name and type: looks names up in what the cell declares.
import { CompileError } from "../errors.ts";
import { constantValue } from "./constant-value.ts";
import { matching } from "./scan.ts";
import {
  arithmeticWords,
  arrayType,
  builtinType,
  pointerType,
  structType,
  viewType,
  type CType,
  type StructType,
} from "./c-types.ts";
import { maxRank } from "../memory/shape.ts";
import { integerOf, type Token } from "./tokens.ts";

/** What the cell declares, under names with their namespaces. */
export interface Names {
  /** Structs and enums; `null`: a struct that only a compiler can lay out. */
  readonly types: Map<string, CType | null>;
  readonly aliases: Map<string, { readonly tokens: readonly Token[]; readonly scope: string }>;
  readonly constants: Map<string, number>;
  /** Namespaces that a using directive opened, as prefixes. */
  readonly opened: Set<string>;
}

const ignored = new Set([
  "const",
  "volatile",
  "__restrict__",
  "__restrict",
  "restrict",
  "typename",
  "struct",
  "class",
  "enum",
  "register",
  "__grid_constant__",
  "static",
  "mutable",
]);
const cv = new Set(["const", "volatile", "__restrict__", "__restrict", "restrict"]);

export interface WrittenParameter {
  readonly name: string;
  readonly text: string;
  readonly type: {
    readonly words: readonly string[];
    readonly isPointer: boolean;
    /** Throws CompileError naming the parameter. */
    resolve(scope: string, names: Names): CType;
  };
}

/** Splits a parameter into name and type. Throws CompileError for what no kernel may take from TypeScript. */
export function parseParameter(tokens: readonly Token[], index: number, kernel: string): WrittenParameter {
  const equals = tokens.findIndex(({ text }) => text === "=");
  const declared = asPointer(equals < 0 ? tokens : tokens.slice(0, equals));
  const text = declared
    .map((token) => token.text)
    .join(" ")
    .replace(/ ?:: ?/g, "::")
    .replace(/ ([*&,<>\])])/g, "$1")
    .replace(/([<[(]) /g, "$1");
  const { name, type, array } = splitName(declared, index);
  const spelled = array ? [...type, { text: "*", kind: "mark", line: 1, column: 1 } as const] : type;

  const refuse = (got: string, advice: string): never => {
    const line = tokens[0]?.line ?? 1;
    const sentence = `Parameter ${name} of kernel ${kernel} must be a number, a pointer, a vector or a struct declared in the cell, but is "${got}". ${advice}`;
    throw new CompileError(sentence, "", [{ line, column: 1, severity: "error", message: sentence }]);
  };
  if (type.some((token) => token.text === "&"))
    refuse(text, "A kernel cannot take a reference: pass a pointer or a value.");
  if (declared.some((token) => token.text === "..."))
    refuse(text, "Parameter packs cannot be launched from TypeScript: write the parameters out.");
  if (declared.some((token) => token.text === "("))
    refuse(text, "Functions cannot be passed from TypeScript: choose them by a template argument.");

  return {
    name,
    text,
    type: {
      words: spelled.map((token) => token.text),
      isPointer: spelled.some((token) => token.text === "*"),
      resolve(scope, names) {
        const resolved = resolveType(spelled, scope, names);
        if (resolved === undefined)
          return refuse(text, "Declare the type in the cell as a plain struct, or pass a pointer.");
        if (resolved === null)
          return refuse(
            text,
            "Its layout is known to the compiler alone (bases, bit fields, unions or members of unknown type): pass a pointer to it instead.",
          );
        return resolved;
      },
    },
  };
}

/** `T (*p)[8]`, a pointer to arrays, as `T *p`: their elements lie one after another. */
function asPointer(tokens: readonly Token[]): readonly Token[] {
  const open = tokens.findIndex(({ text }, index) => text === "(" && tokens[index + 1]?.text === "*");
  const close = tokens.findIndex(({ text }, index) => index > open && text === ")");
  return open < 0 || tokens[close + 1]?.text !== "["
    ? tokens
    : [...tokens.slice(0, open), ...tokens.slice(open + 1, close)];
}

/** The declared name is the last word, unless the word is the type itself. */
function splitName(tokens: readonly Token[], index: number): { name: string; type: readonly Token[]; array: boolean } {
  const bracket = tokens.findIndex(({ text }) => text === "[");
  const declared = bracket < 0 ? tokens : tokens.slice(0, bracket);
  const last = declared.at(-1);
  const before = declared.slice(0, -1);
  const hasType = before.some(({ kind, text }) => kind === "word" && !ignored.has(text));
  const isName =
    last?.kind === "word" &&
    hasType &&
    !cv.has(last.text) &&
    before.at(-1)?.text !== "::" &&
    last.text !== "void" &&
    !arithmeticWords.has(last.text);
  return { name: isName ? last.text : `argument${index + 1}`, type: isName ? before : declared, array: bracket >= 0 };
}

/**
 * The type that `tokens` spell. `undefined`: a name that is declared nowhere here; `null`: a struct that only a
 * compiler can lay out.
 */
export function resolveType(
  tokens: readonly Token[],
  scope: string,
  names: Names,
  depth = 0,
): CType | null | undefined {
  const star = tokens.findLastIndex(({ text }) => text === "*");
  if (star >= 0) {
    const pointee = tokens.slice(0, star);
    const inner = pointee.findLastIndex(({ text }) => text === "*");
    const isConst = pointee.slice(inner + 1).some(({ text }) => text === "const");
    const plain = pointee.filter(({ text }) => !ignored.has(text));
    const target =
      plain.length === 1 && plain[0]!.text === "void"
        ? null
        : (resolveType(pointee, scope, names, depth + 1) ?? undefined);
    const pointsToConst = isConst || aliasIsConst(plain, scope, names);
    const name = target == null ? joinWords(plain) : target.name;
    const spelled = !pointsToConst ? name : target?.kind === "pointer" ? `${name} const` : `const ${name}`;
    return pointerType(`${spelled}*`, pointsToConst, target);
  }

  const view = viewOf(tokens, scope, names, depth);
  if (view !== null) return view;
  const plain = tokens.filter(({ text }) => !ignored.has(text));
  const words = plain.filter(({ text }) => text !== "::").map(({ text }) => text);
  const spelled = builtinType(
    words[0] === "std" || words[0] === "cuda" ? words.slice(words.lastIndexOf("std") + 1) : words,
  );
  if (plain.some(({ kind }) => kind !== "word") && !plain.every(({ text, kind }) => kind === "word" || text === "::"))
    return undefined;

  for (const name of candidates(plain, scope, names)) {
    const type = names.types.get(name);
    if (type !== undefined) return type;
    const alias = names.aliases.get(name);
    // A name may be an alias of itself one namespace further out, so the depth is bounded rather than the names
    // remembered.
    if (alias !== undefined && depth < 32) return resolveType(alias.tokens, alias.scope, names, depth + 1);
  }
  return spelled;
}

/**
 * `warpcell::Tensor<const float, 2>`, or without the namespace where a using directive opened it; `null`: something
 * else.
 */
function viewOf(tokens: readonly Token[], scope: string, names: Names, depth: number): CType | null | undefined {
  const open = tokens.findIndex(({ text }) => text === "<");
  const close = tokens.findLastIndex(({ text }) => text === ">");
  if (open < 0 || close < open) return null;
  const name = joinWords(tokens.slice(0, open).filter(({ text }) => !ignored.has(text))).replace(/^::/, "");
  if (name !== "warpcell::Tensor" && !(name === "Tensor" && names.opened.has("warpcell::"))) return null;
  const comma = tokens.findLastIndex(({ text }, index) => text === "," && index < close);
  const [rank] = tokens.slice(comma + 1, close);
  if (comma < open || rank === undefined) return undefined;
  const ndim = constantOf(rank, scope, names);
  if (!Number.isInteger(ndim) || ndim < 1 || ndim > maxRank) return undefined;
  const element = resolveType(
    [...tokens.slice(open + 1, comma), { ...rank, text: "*", kind: "mark" }],
    scope,
    names,
    depth + 1,
  );
  return element?.kind === "pointer" && element.dtypes !== null && element.dtypes.length > 0
    ? viewType(element, ndim)
    : undefined;
}

function constantOf(token: Token, scope: string, names: Names): number {
  if (token.kind === "number") return integerOf(token);
  const alias = candidates([token], scope, names)
    .map((name) => names.aliases.get(name))
    .find((found) => found !== undefined);
  return alias?.tokens.length === 1 && alias.tokens[0]!.kind === "number"
    ? integerOf(alias.tokens[0])
    : (names.constants.get(token.text) ?? NaN);
}

function aliasIsConst(words: readonly Token[], scope: string, names: Names): boolean {
  const alias = candidates(words, scope, names)
    .map((name) => names.aliases.get(name))
    .find((found) => found !== undefined);
  // What stands in angle brackets is of the template's own arguments.
  const own = alias?.tokens.slice(0, alias.tokens.findIndex(({ text }) => text === "<") >>> 0) ?? [];
  return !own.some(({ text }) => text === "*") && own.some(({ text }) => text === "const");
}

function joinWords(tokens: readonly Token[]): string {
  return tokens
    .map(({ text }) => text)
    .join(" ")
    .replace(/ ?:: ?/g, "::")
    .replace(/ \*/g, "*");
}

/**
 * The full names that a name may stand for in the namespace `scope`, innermost first: in "a::b::", x is a::b::x, a::x
 * or x.
 */
function candidates(words: readonly Token[], scope: string, { opened }: Names): string[] {
  const name = joinWords(words);
  if (name.startsWith("::")) return [name.slice(2)];
  const parts = scope.split("::").slice(0, -1);
  const around = Array.from({ length: parts.length + 1 }, (_, dropped) =>
    parts
      .slice(0, parts.length - dropped)
      .map((part) => `${part}::`)
      .join(""),
  );
  return [...around, ...opened].map((prefix) => prefix + name);
}

const noField = new Set(["static", "using", "friend", "typedef", "constexpr"]);

/** The layout of a struct from the tokens of its body; `null` when only a compiler knows it. */
export function structOf(
  name: string,
  body: readonly Token[],
  align: number,
  scope: string,
  outer: Names,
): StructType | null {
  const names: Names = { ...outer, constants: new Map(outer.constants) };
  const members: { name: string; type: CType }[] = [];
  for (const declaration of memberDeclarations(body)) {
    // `enum { … };` takes no room.
    if (declaration.length === 1 && declaration[0]!.text === "enum") continue;
    // `int n = f(3);` is a field; `P& operator=(const P&);` is none.
    const isOperator = declaration.some(({ text }) => text === "operator");
    const equals = isOperator ? -1 : declaration.findIndex(({ text }) => text === "=");
    const declared = equals < 0 ? declaration : declaration.slice(0, equals);
    if (withoutLengths(declared).some(({ text }) => text === "(" || noField.has(text))) {
      if (
        declared.some(
          ({ text }) => text === "virtual" || text === "alignas" || text === "__align__" || text === "__attribute__",
        )
      )
        return null;
      const value = equals > 0 ? constantValue(declaration.slice(equals + 1), names.constants) : NaN;
      if (!Number.isNaN(value)) names.constants.set(declared.at(-1)!.text, value);
      continue;
    }
    const fields = fieldsOf(declaration, scope, names);
    if (fields === null) return null;
    members.push(...fields);
  }
  return structType(name, members, align);
}

/** Without what is in square brackets. */
function withoutLengths(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.filter(({ text }) => {
    if (text === "[") depth += 1;
    if (text === "]") depth -= 1;
    return depth === 0;
  });
}

/**
 * `float2 a, *b, c[4][3];` into its fields; `null` where only a compiler knows them. `length`: of an array that does not
 * say it, `c[]`.
 */
export function fieldsOf(
  declaration: readonly Token[],
  scope: string,
  names: Names,
  length = NaN,
): { name: string; type: CType }[] | null {
  const equals = declaration.findIndex(({ text }) => text === "=");
  const tokens = equals < 0 ? declaration : declaration.slice(0, equals);
  // `int a = 1, b = 2;`: which comma begins another field only a compiler knows.
  if (equals >= 0 && declaration.slice(equals).some(({ text }) => text === ",")) return null;
  if (tokens.some(({ text }) => text === ":" || text === "&" || text === "<")) return null;
  const mark = tokens.findIndex(({ text }) => text === "," || text === "[" || text === "*");
  // Before a star there is no name.
  const base = tokens.slice(0, mark < 0 ? -1 : tokens[mark]!.text === "*" ? mark : mark - 1);

  const fields: { name: string; type: CType }[] = [];
  let stars: Token[] = [];
  for (let at = base.length; at < tokens.length; at++) {
    const name = tokens[at]!;
    if (name.text === "*" || cv.has(name.text)) {
      stars.push(name);
      continue;
    }
    const lengths: number[] = [];
    while (tokens[at + 1]?.text === "[") {
      const close = matching(tokens, at + 1);
      const inside = tokens.slice(at + 2, close);
      lengths.push(inside.length === 0 && lengths.length === 0 ? length : constantValue(inside, names.constants));
      at = close;
    }
    if (lengths.some((each) => !(each >= 1))) return null;
    if (name.kind !== "word" || (tokens[at + 1] !== undefined && tokens[at + 1]!.text !== ",")) return null;
    const type = resolveType([...base, ...stars], scope, names);
    if (type === undefined || type === null) return null;
    fields.push({ name: name.text, type: arrayType(type, lengths) });
    stars = [];
    at += 1;
  }
  return fields;
}

/** The declarations of a struct's body: up to `;`, or up to the end of a method's braces. Access labels are dropped. */
function memberDeclarations(body: readonly Token[]): Token[][] {
  const declarations: Token[][] = [];
  let current: Token[] = [];
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const token = body[at]!;
    if (token.text === "{") depth += 1;
    if (depth === 0) {
      if (["public", "private", "protected"].includes(token.text) && body[at + 1]?.text === ":") {
        at += 1;
        continue;
      }
      if (token.text === ";") {
        declarations.push(current);
        current = [];
        continue;
      }
      current.push(token);
    }
    if (token.text === "}" && --depth === 0 && current.some(({ text }) => text === "(")) {
      declarations.push(current);
      current = [];
    }
  }
  return declarations.filter((declaration) => declaration.length > 0);
}
