// Expressions of host code in TypeScript: a table from the kinds of expressions to what each becomes.
import { binary, inverted, isPlainUpdate, negated } from "./arithmetic.ts";
import { called } from "./calls.ts";
import { between } from "./clocks.ts";
import { allocated } from "./memory.ts";
import { constructed, copied, initialised } from "./initialise.ts";
import { launched } from "./launch.ts";
import { offset, unitsOf } from "./pointers.ts";
import type { Expression } from "./nodes.ts";
import { Untranslated } from "./read-expressions.ts";
import type { Translator } from "./translator.ts";
import { bytesOf, isScalar, plain, scalar, scalars, type Type } from "./types.ts";
import {
  commonType,
  condition,
  converted,
  levels,
  numeral,
  settled,
  stored,
  value,
  wrapped,
  type Value,
} from "./value.ts";

type Node<K extends Expression["kind"]> = Extract<Expression, { kind: K }>;

export function expressionOf(t: Translator, expression: Expression): Value {
  return (rows[expression.kind] as (t: Translator, expression: Expression) => Value)(t, expression);
}

const rows: { [K in Expression["kind"]]: (t: Translator, expression: Node<K>) => Value } = {
  lambda: () => {
    throw new Untranslated("a lambda that is handed on");
  },
  number: (_, { text }) => numberOf(text),
  string: (_, { text }) => value(`"${text}"`, plain("text")),
  char: (_, { text }) => ({ ...numeral(codeOf(text), scalar("i8")) }),
  name: nameOf,
  unary,
  postfix: (t, { op, of }) => stepped(t, of, op, false),
  binary: (t, expression) => {
    const { op, left, right } = expression;
    if (op === ",") throw new Untranslated("two expressions with a comma between");
    const [a, b] = [t.expr(left), t.expr(right)];
    if (op === "+" && isAddress(a.type) && isScalar(b.type)) return offset(t, a, b);
    if (op === "+" && isAddress(b.type) && isScalar(a.type)) return offset(t, b, a);
    if (op === "+" && a.type.kind === "text" && b.type.kind === "text")
      return value(`${a.text} + ${b.text}`, plain("text"), { level: levels.add });
    if (op === "-" && a.type.kind === "time" && b.type.kind === "time") return between(a, b);
    if (op === "/") return quotient(t, expression, a, b);
    return binary(op, a, b);
  },
  assign,
  condition: (t, { test, yes, no }) => {
    const [a, b] = [t.expr(yes), t.expr(no)];
    const same =
      isScalar(a.type) && isScalar(b.type)
        ? a.type.name === b.type.name
          ? a.type
          : commonType(a.type, b.type)
        : a.type;
    const [first, second] = [settled(converted(a, same)), settled(converted(b, same))];
    const text = `${wrapped(condition(t.expr(test)), levels["||"])} ? ${wrapped(first, levels.condition)} : ${wrapped(second, levels.condition)}`;
    return value(text, same, { level: levels.condition, positive: first.positive && second.positive });
  },
  call: (t, { of, args }) => called(t, of, args),
  index: (t, { of, at }) => place(t, { kind: "index", of, at }),
  member: (t, { of, name }) => place(t, { kind: "member", of, name }),
  cast: (t, { type, of }) => cast(t, t.typeOf(type), of),
  make: (t, { type, args, isList }) => {
    const wanted = t.typeOf(type);
    return isList && wanted.kind !== "dim3"
      ? initialised(t, wanted, { kind: "list", items: args })
      : constructed(t, wanted, args);
  },
  new: (t, { type, length }) => {
    const element = t.typeOf(type);
    if (!isScalar(element) || length === null) throw new Untranslated("an object is made with new");
    const pointer = t.typeOf({ ...type, stars: type.stars + 1 });
    if (pointer.kind === "pointer") pointer.place.is = "host";
    return value(`new ${scalars[element.name].array}(${settled(t.expr(length)).text})`, pointer);
  },
  sizeof: (t, { type, of }) => {
    const given = type === null ? measuredType(t, of!) : t.typeOf(type);
    const bytes = bytesOf(given);
    if (bytes !== null) return numeral(bytes, scalar("size"));
    if (of === null || given.kind !== "array" || !isScalar(given.of))
      throw new Untranslated("a size that only a compiler knows");
    return value(`${t.expr(of).text}.byteLength`, scalar("size"));
  },
  list: () => {
    throw new Untranslated("a list whose type is not known");
  },
  launch: launched,
};

/** The type of what stands behind sizeof, which is not read. */
export function measuredType(t: Translator, of: Expression): Type {
  if (of.kind === "name") return t.find(of.name)?.type ?? t.expr(of).type;
  if (of.kind === "index" || (of.kind === "unary" && of.op === "*")) {
    const outer = measuredType(t, of.of);
    if (outer.kind === "pointer") return outer.to;
    if (outer.kind === "array" || outer.kind === "vector") return outer.of;
  }
  if (of.kind === "member") {
    const owner = measuredType(t, of.of);
    const found = owner.kind === "struct" ? owner.fields.find(({ name }) => name === of.name) : undefined;
    if (found !== undefined) return found.type;
  }
  return t.expr(of).type;
}

function numberOf(written: string): Value {
  const text = written.replaceAll("'", "");
  if (/^0x|^\d+[uUlLzZ]*$|^0b/i.test(text)) {
    const digits = text.replace(/[uUlLzZ]+$/, "");
    const suffix = text.slice(digits.length).toLowerCase();
    const number = Number(/^0\d+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
    const isWide =
      suffix.includes("l") ||
      number > 0xffffffff ||
      (number > 0x7fffffff && !/^0x/i.test(digits) && !suffix.includes("u"));
    const type = isWide
      ? scalar(suffix.includes("u") ? "u64" : "i64")
      : scalar(suffix.includes("u") || number > 0x7fffffff ? "u32" : "i32");
    if (isWide)
      return {
        ...value(`${BigInt(digits)}n`, type, { positive: number < 2 ** 63 }),
        ...(Number.isSafeInteger(number) ? { literal: number } : {}),
      };
    // Digits of a hexadecimal number stay as they were written.
    return {
      ...numeral(number, type),
      text: /^0x/i.test(digits) ? digits.toLowerCase() : String(number),
      positive: number <= 0x7fffffff,
    };
  }
  const isFloat = /f$/i.test(text);
  const number = Number(text.replace(/[fFlL]$/, ""));
  if (Number.isNaN(number)) throw new Untranslated(`the number ${written}`);
  return isFloat ? converted(numeral(number, scalar("f64")), scalar("f32")) : numeral(number, scalar("f64"));
}

const escapes: Record<string, number> = { n: 10, t: 9, r: 13, "0": 0, a: 7, b: 8, "\\": 92, "'": 39, '"': 34 };

function codeOf(text: string): number {
  const inner = text.slice(1, -1);
  if (!inner.startsWith("\\")) return inner.charCodeAt(0);
  const code = escapes[inner.slice(1)];
  if (code === undefined) throw new Untranslated(`the character ${text}`);
  return code;
}

const words: Record<string, Value> = {
  true: value("true", scalar("bool")),
  false: value("false", scalar("bool")),
  nullptr: value("null", plain("null")),
  NULL: value("null", plain("null")),
  EXIT_SUCCESS: numeral(0),
  EXIT_FAILURE: numeral(1),
  CLOCKS_PER_SEC: numeral(1_000_000, scalar("size")),
  RAND_MAX: numeral(2 ** 31 - 1),
  FLT_MAX: value("3.4028234663852886e38", scalar("f32")),
  DBL_MAX: value("Number.MAX_VALUE", scalar("f64")),
  INT_MAX: numeral(2 ** 31 - 1),
  INT_MIN: numeral(-(2 ** 31)),
  UINT_MAX: numeral(2 ** 32 - 1, scalar("u32")),
  M_PI: value("Math.PI", scalar("f64")),
  cudaSuccess: value("", plain("error")),
};

function nameOf(t: Translator, { name, args }: Node<"name">): Value {
  const variable = t.find(name);
  if (variable !== null) return t.read(variable);
  const constant = t.constants.get(name);
  if (constant !== undefined) return constant;
  if (args === null && Object.hasOwn(words, name)) return words[name]!;
  const symbol = t.cells.program.symbols.get(name);
  if (symbol !== undefined) return value(`${name}.data()`, t.declaredType(symbol));
  return t.cells.constant(t, name);
}

const isAddress = (type: Type): boolean => type.kind === "pointer" || type.kind === "array" || type.kind === "text";

function unary(t: Translator, { op, of }: Node<"unary">): Value {
  if (op === "++" || op === "--") return stepped(t, of, op, true);
  if (op === "*") return place(t, { kind: "unary", op, of });
  if (op === "&") return addressOf(t, of);
  const given = t.expr(of);
  if (op === "!") return value(`!${wrapped(condition(given), levels.unary)}`, scalar("bool"), { level: levels.unary });
  if (op === "-") return negated(given);
  if (op === "~") return inverted(given);
  return given;
}

function addressOf(t: Translator, of: Expression): Value {
  if (of.kind === "index") {
    const at = t.expr(of.at);
    const array = t.expr(of.of);
    return at.literal === 0 ? array : offset(t, array, at);
  }
  if (of.kind === "unary" && of.op === "*") return t.expr(of.of);
  throw new Untranslated("the address of a variable");
}

/** `x = …`, `x += …`, as an expression. */
function assign(t: Translator, { op, left, right }: Node<"assign">): Value {
  if (left.kind === "name" && op === "=" && t.find(left.name)?.isPending === true) {
    const variable = t.find(left.name)!;
    const given = settled(copied(t.as(right, variable.type)));
    t.assign(left.name, variable, given.text);
    return t.read(variable);
  }
  const symbol =
    left.kind === "name" && t.find(left.name) === null ? t.cells.program.symbols.get(left.name) : undefined;
  if (symbol !== undefined && left.kind === "name") {
    const whole: Expression = op === "=" ? right : { kind: "binary", op: op.slice(0, -1), left, right };
    return value(`${left.name}.set(${settled(t.as(whole, t.declaredType(symbol))).text})`, plain("void"));
  }
  const target = place(t, left);
  const isElement = isElementOfArray(t, left);
  const common = { level: levels.assign, positive: false };
  if (op === "=") {
    const given = t.as(right, target.type);
    const text = isElement ? stored(given, target.type) : settled(copied(given)).text;
    return value(`${target.text} = ${text}`, target.type, common);
  }
  const plainOp = op.slice(0, -1);
  if (op === "+=" && target.type.kind === "text")
    return value(`${target.text} += ${t.expr(right).text}`, target.type, common);
  const added = t.expr(right);
  const together = isScalar(target.type) && isScalar(added.type) ? commonType(target.type, added.type) : target.type;
  const isInt = (type: Type): boolean => isScalar(type) && scalars[type.name].kind === "int";
  const isSame =
    isScalar(together) &&
    isScalar(target.type) &&
    (together.name === target.type.name || (isInt(together) && isInt(target.type)));
  if (
    plainOp !== "<<" && plainOp !== ">>"
      ? isSame && isPlainUpdate(plainOp, target.type, isElement)
      : isPlainUpdate(plainOp, target.type, isElement)
  )
    return value(`${target.text} ${op} ${settled(converted(added, target.type)).text}`, target.type, common);
  const computed = converted(binary(plainOp, target, added), target.type);
  const text = isElement ? stored(computed, target.type) : settled(computed).text;
  return value(`${target.text} = ${text}`, target.type, common);
}

function isElementOfArray(t: Translator, left: Expression): boolean {
  if (left.kind === "unary" && left.op === "*") return true;
  if (left.kind !== "index") return false;
  const { type } = t.expr(left.of);
  return (
    !(type.kind === "vector" && type.grows.yes) &&
    isScalar("of" in type ? type.of : "to" in type ? type.to : plain("void"))
  );
}

function stepped(t: Translator, of: Expression, op: string, isBefore: boolean): Value {
  const target = place(t, of);
  if (!isScalar(target.type)) {
    if (op !== "++" || target.type.kind !== "pointer") throw new Untranslated(`${op} of a ${target.type.kind}`);
    return value(`${target.text} = ${offset(t, target, numeral(1)).text}`, target.type, { level: levels.assign });
  }
  if (target.type.name === "bool") throw new Untranslated(`${op} of a bool`);
  const text = isBefore ? `${op}${target.text}` : `${target.text}${op}`;
  return value(text, target.type, { level: levels.unary, positive: target.positive });
}

/** What can be assigned to: a variable, an element, a field. */
export function place(t: Translator, expression: Expression): Value {
  if (expression.kind === "index") return element(t, t.expr(expression.of), t.expr(expression.at));
  if (expression.kind === "unary" && expression.op === "*") return element(t, t.expr(expression.of), numeral(0));
  if (expression.kind === "member") return field(t.expr(expression.of), expression.name);
  if (expression.kind === "name") return t.expr(expression);
  throw new Untranslated("something that is no variable is assigned to");
}

function element(t: Translator, array: Value, at: Value): Value {
  const { type } = array;
  const index = settled(converted(at, scalar(isScalar(at.type) && at.type.name === "u32" ? "u32" : "size"))).text;
  if (type.kind === "texts") return value(`${array.text}[${index}]`, plain("text"));
  if (type.kind === "text") return value(`${array.text}.charCodeAt(${index})`, scalar("i8"));
  if (type.kind === "array" || type.kind === "vector")
    return read(type.of, `${array.text}[${index}]`, type.kind === "vector" && type.grows.yes);
  if (type.kind !== "pointer") throw new Untranslated(`an element of a ${type.kind}`);
  const { is } = type.place;
  if (is === "device") throw new Untranslated("the host reads memory of the device");
  if (is === "managed") t.cells.helper("Managed");
  return read(type.to, `${array.text}${is === "managed" ? ".values" : ""}[${index}]`, false);
}

/** An element as the number that it is in C++: a bool lies as 0 or 1. */
function read(type: Type, text: string, isPlain: boolean): Value {
  if (isScalar(type) && type.name === "size" && !isPlain) return value(`Number(${text})`, type);
  if (isScalar(type) && type.name === "bool" && !isPlain) return value(text, scalar("u8"), { positive: true });
  return value(text, type);
}

const axes = ["x", "y", "z"];

function field(of: Value, name: string): Value {
  if (of.type.kind === "dim3") {
    const at = axes.indexOf(name);
    return value(`${wrapped(of, levels.primary)}[${at}]`, scalar("u32"), { positive: true });
  }
  if (of.type.kind !== "struct") throw new Untranslated(`${name} of a ${of.type.kind}`);
  const found = of.type.fields.find((each) => each.name === name);
  if (found === undefined) throw new Untranslated(`${of.type.name} has no ${name} that is known`);
  return value(`${of.text}.${name}`, found.type);
}

function cast(t: Translator, type: Type, of: Expression): Value {
  if (type.kind === "pointer" && of.kind === "call" && of.of.kind === "name" && /^(malloc|calloc)$/.test(of.of.name))
    return allocated(t, type, of.of.name, of.args);
  const given = t.as(of, isScalar(type) && of.kind === "list" ? type : t.expr(of).type);
  if (type.kind === "void") return given;
  if (isScalar(type)) return settled(converted(given, type));
  if (type.kind === "pointer" && given.type.kind === "pointer") {
    if (type.to.kind === "void") return given;
    type.place.joins(given.type.place);
    const isSame =
      type.place.is === "device" &&
      given.type.to.kind !== "void" &&
      unitsOf(type.to).dtype === unitsOf(given.type.to).dtype;
    if (isSame || given.type.to.kind === "void") return { ...given, type };
  }
  if (type.kind === "pointer" && given.type.kind === "null") return { ...given, type };
  if (type.kind === given.type.kind && type.kind !== "pointer") return given;
  throw new Untranslated("memory is read as another type");
}

/** `(n + 255) / 256` is Math.ceil(n / 256). */
function quotient(t: Translator, { left, right }: Node<"binary">, a: Value, b: Value): Value {
  const type = isScalar(a.type) && isScalar(b.type) ? commonType(a.type, b.type) : null;
  const divided = roundedUp(left, right);
  if (divided === null || type === null || !isScalar(type) || !["i32", "size", "u32"].includes(type.name))
    return binary("/", a, b);
  const part = settled(t.expr(divided));
  const text = `Math.ceil(${wrapped(part, levels.multiply)} / ${wrapped(settled(b), levels.multiply + 1)})`;
  return value(text, type, { positive: part.positive });
}

/** The part that is divided of `(n + size - 1)` by `size`, and of `(n + 255)` by 256. */
function roundedUp(left: Expression, right: Expression): Expression | null {
  if (left.kind !== "binary") return null;
  const { left: first, right: second } = left;
  const isOne = second.kind === "number" && second.text === "1";
  if (left.op === "-" && isOne && first.kind === "binary" && first.op === "+")
    return JSON.stringify(first.right) === JSON.stringify(right) ? first.left : null;
  const isOneLess =
    second.kind === "number" && right.kind === "number" && Number(second.text) === Number(right.text) - 1;
  return left.op === "+" && isOneLess ? first : null;
}
