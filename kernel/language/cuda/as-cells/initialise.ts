// First values of variables: what C++ makes of `= {…}`, and of nothing.
import type { Expression } from "./nodes.ts";
import { onHost } from "./pointers.ts";
import { Untranslated } from "./read-expressions.ts";
import type { Translator } from "./translator.ts";
import { isBig, isScalar, scalars, type Type } from "./types.ts";
import { converted, levels, numeral, settled, stored, value, type Value } from "./value.ts";

/** A value of the type from a list, or without one (`null`) what `{}` makes. */
export function initialised(t: Translator, type: Type, list: Extract<Expression, { kind: "list" }> | null): Value {
  const items = list?.items ?? [];
  switch (type.kind) {
    case "scalar":
      if (items.length > 0) return settled(t.as(items[0]!, type));
      return type.name === "bool" ? value("false", type) : numeral(0, type);
    case "struct": {
      const fields = type.fields.map(({ name, type: field }, at) => {
        const item = items[at];
        const given = item === undefined ? initialised(t, field, null) : settled(t.as(item, field));
        return given.text === name ? name : `${name}: ${given.text}`;
      });
      return value(`{ ${fields.join(", ")} }`, type);
    }
    case "array":
      return value(arrayOf(t, type.of, type.length === "" ? String(items.length) : type.length, items), type);
    case "vector":
      return value(vectorOf(t, type, items), type);
    case "dim3":
      return value(`[${items.map((item) => settled(t.expr(item)).text).join(", ")}]`, type);
    case "pointer":
      return value("null", type);
    case "text":
      return value('""', type);
    default:
      throw new Untranslated(`a first value of ${type.kind}`);
  }
}

function vectorOf(t: Translator, type: Extract<Type, { kind: "vector" }>, items: readonly Expression[]): string {
  if (type.grows.yes) return `[${items.map((item) => settled(t.as(item, type.of)).text).join(", ")}]`;
  return arrayOf(t, type.of, String(items.length), items);
}

/** An array of so many elements, of which the first ones are given. */
export function arrayOf(t: Translator, of: Type, length: string, items: readonly Expression[]): string {
  if (of.kind === "pointer" || of.kind === "stream" || of.kind === "event") {
    if (items.length === 0) return `new Array(${length})`;
  }
  if (!isScalar(of)) {
    const given = items.map((item) => settled(t.as(item, of)).text);
    if (given.length > 0 && length === String(given.length)) return `[${given.join(", ")}]`;
    if (given.length > 0) throw new Untranslated("an array of which a part is given");
    return `Array.from({ length: ${length} }, () => ${bracketed(initialised(t, of, null).text)})`;
  }
  const { array } = scalars[of.name];
  if (items.length === 0) return `new ${array}(${length})`;
  const given = items.map((item) => stored(t.as(item, of), of));
  if (length === String(given.length)) return `${array}.of(${given.join(", ")})`;
  const isZero = given.length === 1 && /^0n?$/.test(given[0]!);
  return isZero
    ? `new ${array}(${length})`
    : `(() => { const list = new ${array}(${length}); list.set([${given.join(", ")}]); return list; })()`;
}

const bracketed = (text: string): string => (text.startsWith("{") ? `(${text})` : text);

/** `std::vector<T>(n)`, `(n, x)` and `(begin, end)`. */
export function constructed(t: Translator, type: Type, args: readonly Expression[]): Value {
  if (type.kind === "vector") {
    const [first, second] = args;
    if (first === undefined) return value(type.grows.yes ? "[]" : arrayOf(t, type.of, "0", []), type);
    if (isRange(first)) return value(rangeOf(t, first, second, type), type);
    const part = second === undefined ? null : partOfMemory(t, first, second, type);
    if (part !== null) return value(part, type);
    const length = settled(converted(t.expr(first), { kind: "scalar", name: "size" })).text;
    if (isScalar(type.of) && !type.grows.yes) {
      const made = arrayOf(t, type.of, length, []);
      return value(second === undefined ? made : `${made}.fill(${stored(t.as(second, type.of), type.of)})`, type);
    }
    const element = second === undefined ? initialised(t, type.of, null) : settled(t.as(second, type.of));
    return value(`Array.from({ length: ${length} }, () => ${bracketed(element.text)})`, type);
  }
  if (isScalar(type)) return args.length === 0 ? initialised(t, type, null) : converted(t.expr(args[0]!), type);
  if (type.kind === "dim3") {
    const sizes = args.map((arg) => settled(t.expr(arg)).text);
    return value(sizes.length === 0 ? "[1]" : `[${sizes.join(", ")}]`, type);
  }
  if (type.kind === "text") return args.length === 0 ? value('""', type) : converted(t.expr(args[0]!), type);
  if (type.kind === "struct" && args.length === 0) return initialised(t, type, null);
  if (type.kind === "struct" && args.length === 1) {
    const given = converted(t.expr(args[0]!), type);
    return value(`{ ...${given.text} }`, type);
  }
  throw new Untranslated(`how ${type.kind} is made`);
}

/** `(x, x + n)` of an array. */
function partOfMemory(t: Translator, first: Expression, second: Expression, type: Type): string | null {
  const isBehind =
    second.kind === "binary" && second.op === "+" && JSON.stringify(second.left) === JSON.stringify(first);
  if (!isBehind || second.kind !== "binary") return null;
  const from = t.expr(first);
  if (from.type.kind !== "array" && (from.type.kind !== "pointer" || from.type.place.is === "device")) return null;
  const part = `${onHost(from).text}.slice(0, ${settled(t.expr(second.right)).text})`;
  return type.kind === "vector" && type.grows.yes ? `Array.from(${part})` : part;
}

function isRange(expression: Expression): boolean {
  return expression.kind === "call" && expression.of.kind === "member" && expression.of.name === "begin";
}

/** `(x.begin(), x.end())` and `(x.begin(), x.begin() + n)`. */
function rangeOf(t: Translator, first: Expression, second: Expression | undefined, type: Type): string {
  const from = first.kind === "call" && first.of.kind === "member" ? t.expr(first.of.of) : null;
  if (from === null || second === undefined || from.type.kind !== type.kind)
    throw new Untranslated("a part of a vector");
  if (second.kind === "call") return `${from.text}.slice()`;
  if (second.kind !== "binary" || second.op !== "+") throw new Untranslated("a part of a vector");
  return `${from.text}.slice(0, ${settled(t.expr(second.right)).text})`;
}

/** A value that another variable gets: a struct is copied, and so is a vector. */
export function copied(given: Value): Value {
  if (given.level < levels.primary || !/^[A-Za-z_$][\w.$[\]]*$/.test(given.text)) return given;
  if (given.type.kind === "struct") return { ...given, text: `{ ...${given.text} }` };
  if (given.type.kind === "vector") return { ...given, text: `${given.text}.slice()` };
  return given;
}

export const zeroOf = (type: Type): string => (isBig(type) ? "0n" : "0");
