// An expression of TypeScript with what it is in C++: puts brackets where they are needed, and converts between types.
import { inUnit } from "./clocks.ts";
import { Untranslated } from "./read-expressions.ts";
import { isBig, isFloat, isScalar, plain, scalar, scalars, type ScalarName, type Type } from "./types.ts";

/** How tightly an expression of TypeScript binds. */
export const levels = {
  comma: 0,
  assign: 1,
  condition: 2,
  "||": 3,
  "&&": 4,
  "|": 5,
  "^": 6,
  "&": 7,
  equal: 8,
  compare: 9,
  shift: 10,
  add: 11,
  multiply: 12,
  unary: 14,
  primary: 16,
} as const;

export interface Value {
  readonly text: string;
  readonly level: number;
  readonly type: Type;
  /**
   * The number is one that its type has. An unsigned or float that was just computed may be one that only becomes so by
   * `>>> 0` or `Math.fround`.
   */
  readonly exact: boolean;
  /** It is known to be a number that the signed and the unsigned type of its size have. */
  readonly positive: boolean;
  /** What a literal is. */
  readonly literal?: number;
}

export function value(text: string, type: Type, more: Partial<Value> = {}): Value {
  return { text, level: levels.primary, type, exact: true, positive: isSmall(type), ...more };
}

const isUnsigned = (type: Type): boolean => isScalar(type) && !scalars[type.name].signed;
/** An unsigned type whose numbers an int has, too; a size of what is there is never that large. */
const isSmall = (type: Type): boolean =>
  isScalar(type) && isUnsigned(type) && (scalars[type.name].bytes < 4 || type.name === "size");

export function wrapped({ text, level }: Pick<Value, "text" | "level">, least: number): string {
  return level < least ? `(${text})` : text;
}

/** With a method behind it, which a whole number can only have in brackets. */
export function receiver(given: Pick<Value, "text" | "level">): string {
  return /^\w+$/.test(given.text) && /^\d/.test(given.text) ? `(${given.text})` : wrapped(given, levels.primary);
}

/** In brackets wherever it has an operator of another kind: few readers know how tightly shifts and bits bind. */
export function grouped(given: Pick<Value, "text" | "level">, level: number): string {
  return given.level === level ? given.text : wrapped(given, levels.unary);
}

export function numeral(number: number, type: Type = scalar("i32")): Value {
  const text = isBig(type) ? `${BigInt(number)}n` : String(number);
  return value(text, type, {
    positive: number >= 0 && (number < 2 ** 31 || (isScalar(type) && scalars[type.name].bytes > 4)),
    literal: number,
    level: number < 0 ? levels.unary : levels.primary,
  });
}

/** The value as one that its type has. */
export function settled(given: Value): Value {
  if (given.exact || !isScalar(given.type)) return given;
  const { name } = given.type;
  const common = { ...unknown(given), exact: true, level: levels.primary };
  switch (name) {
    case "f32":
      return { ...common, text: `Math.fround(${given.text})` };
    case "u64":
      return { ...common, text: `BigInt.asUintN(64, ${given.text})` };
    case "u32":
      return { ...common, text: `${grouped(given, levels.primary)} >>> 0`, level: levels.shift };
    default:
      return { ...common, text: narrowed(given, name), level: name === "i64" ? levels.primary : levels.shift };
  }
}

/** Wraps a number of 32 bits to what a narrower type has. */
function narrowed(given: Value, name: ScalarName): string {
  const { bytes, signed } = scalars[name];
  if (name === "i64") return `BigInt.asIntN(64, ${given.text})`;
  if (name === "i32") return `${grouped(given, levels["|"])} | 0`;
  const bits = 8 * bytes;
  if (!signed) return `${grouped(given, levels["&"])} & ${2 ** bits - 1}`;
  return `(${wrapped(given, levels.shift)} << ${32 - bits}) >> ${32 - bits}`;
}

export function condition(given: Value): Value {
  const { type } = given;
  if (isScalar(type)) {
    if (type.name === "bool") return given;
    const zero = scalars[type.name].kind === "big" ? "0n" : "0";
    return value(`${wrapped(settled(given), levels.compare)} !== ${zero}`, scalar("bool"), { level: levels.equal });
  }
  if (type.kind === "pointer")
    return value(`${wrapped(given, levels.compare)} !== null`, scalar("bool"), { level: levels.equal });
  throw new Untranslated("a condition that is no number");
}

/** What C++ makes of a value where another type is wanted. */
export function converted(given: Value, type: Type): Value {
  const from = given.type;
  if (!isScalar(type)) return convertedObject(given, type);
  if (!isScalar(from)) {
    if (type.name === "bool") return condition(given);
    throw new Untranslated(`a ${from.kind} where a number is expected`);
  }
  if (from.name === type.name) return given;
  if (type.name === "bool") return condition(given);
  if (given.literal !== undefined && (Number.isInteger(given.literal) || isFloat(type)))
    return literalAs(given, given.literal, type);
  const [source, target] = [scalars[from.name], scalars[type.name]];
  if (source.kind === "bool") {
    const text = target.kind === "big" ? `BigInt(${given.text})` : `Number(${given.text})`;
    return value(text, type, { positive: true });
  }
  if (target.kind === "big") return toBig(given, type, source.kind === "float");
  if (source.kind === "big") return fromBig(given, type);
  if (target.kind === "float") {
    const exact = type.name === "f64" || source.bytes < 3;
    return { ...settled(given), type, exact };
  }
  if (source.kind === "float") {
    const whole = `Math.trunc(${settled(given).text})`;
    const fits = ["i32", "u32", "size"].includes(type.name);
    return value(whole, type, { exact: fits, positive: given.positive });
  }
  if (from.name === "size" && target.bytes === 4) return { ...given, type };
  if (type.name === "size") return { ...settled(given), type };
  const isWider = target.bytes > source.bytes && (target.signed || !source.signed);
  const fits = given.exact && (isWider || (given.positive && target.bytes >= source.bytes));
  return { ...given, type, exact: fits, positive: fits && (given.positive || !source.signed) };
}

function literalAs(given: Value, literal: number, type: Type): Value {
  if (!isScalar(type)) return given;
  const { kind, bytes, signed } = scalars[type.name];
  if (kind === "big") {
    if (!Number.isSafeInteger(literal)) return { ...given, type, exact: false };
    const made = numeral(literal, type);
    return literal >= 0 || signed ? made : { ...unknown(made), exact: false };
  }
  if (kind === "float") {
    const made = numeral(literal, type);
    return type.name === "f64" || Math.fround(literal) === literal ? made : { ...unknown(made), exact: false };
  }
  if (type.name === "size") return numeral(literal, type);
  const wrap = signed ? BigInt.asIntN : BigInt.asUintN;
  return numeral(Number(wrap(8 * bytes, BigInt(literal))), type);
}

/** A literal that is not the number that its type makes of it. */
function unknown({ literal: _, ...rest }: Value): Value {
  return rest;
}

function toBig(given: Value, type: Type, isOfFloat: boolean): Value {
  const whole = settled(given);
  if (isBig(given.type)) return { ...given, type, exact: given.exact && given.positive };
  const text = isOfFloat ? `BigInt(Math.trunc(${whole.text}))` : `BigInt(${whole.text})`;
  const isSigned = isScalar(type) && type.name === "i64";
  return value(text, type, { exact: isSigned || whole.positive || isUnsigned(given.type), positive: whole.positive });
}

function fromBig(given: Value, type: Type): Value {
  if (!isScalar(type)) return given;
  const { kind, bytes, signed } = scalars[type.name];
  if (kind === "float") return value(`Number(${settled(given).text})`, type, { exact: type.name === "f64" });
  if (type.name === "size") return value(`Number(${settled(given).text})`, type);
  const wrap = signed ? "asIntN" : "asUintN";
  return value(`Number(BigInt.${wrap}(${8 * bytes}, ${given.text}))`, type);
}

function convertedObject(given: Value, type: Type): Value {
  const from = given.type;
  if (type.kind === "error" && from.kind === "error") return given;
  if (type.kind === "pointer") {
    if (from.kind === "null" || given.literal === 0) return { ...given, text: "null", type };
    if (from.kind === "pointer") {
      type.place.joins(from.place);
      return { ...given, type };
    }
    if ((from.kind === "array" || from.kind === "vector") && isScalar(from.of)) {
      type.place.is = "host";
      return { ...given, type };
    }
    if (from.kind === "text" && isScalar(type.to) && type.to.name === "i8") return given;
  }
  if (type.kind === "dim3" && isScalar(from)) return { ...given, type };
  if (type.kind === "stream" && given.literal === 0) return value("null", type);
  const span = inUnit(given, type);
  if (span !== null) return span;
  if (type.kind === from.kind) return given;
  throw new Untranslated(`a ${from.kind} where a ${type.kind} is expected`);
}

/** Of operands: the type that C++ computes in. */
export function commonType(left: Type, right: Type): Type {
  if (!isScalar(left) || !isScalar(right)) throw new Untranslated(`a ${left.kind} and a ${right.kind} together`);
  const order: ScalarName[] = ["f64", "f32", "u64", "i64", "size", "u32"];
  return scalar(order.find((name) => left.name === name || right.name === name) ?? "i32");
}

/** A value that lies in an element of an array, which wraps and rounds by itself. */
export function stored(given: Value, element: Type): string {
  const made = converted(given, element);
  if (!isScalar(element)) return made.text;
  if (element.name === "bool") return `Number(${made.text})`;
  if (element.name === "size") return `BigInt(${made.text})`;
  return made.text;
}

export const nothing = (text: string): Value => value(text, plain("void"));
