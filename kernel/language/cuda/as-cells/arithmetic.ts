// Arithmetic of C++ in TypeScript: whole numbers stay whole, unsigned ones wrap, floats of 32 bits are rounded.
import { Untranslated } from "./read-expressions.ts";
import { isScalar, scalar, scalars, type ScalarName, type Type } from "./types.ts";
import { commonType, condition, converted, grouped, levels, settled, value, wrapped, type Value } from "./value.ts";

type Compute = (left: Value, right: Value) => Partial<Value> & { readonly text: string };

const { add, multiply, shift } = levels;
const isOfBits = (level: number): boolean => level === shift || (level > levels["&&"] && level < levels.equal);

/** An operator as it stands, between operands that bind at least so tightly. */
const infix =
  (op: string, level: number, more: Partial<Value> = {}): Compute =>
  (left, right) => ({
    text: isOfBits(level)
      ? `${grouped(left, level === shift ? levels.primary : level)} ${op} ${wrapped(right, levels.unary)}`
      : `${wrapped(left, level)} ${op} ${wrapped(right, level + 1)}`,
    level,
    positive: left.positive && right.positive && op !== "-",
    ...more,
  });
const call =
  (name: string, op: string, level: number, more: Partial<Value> = {}): Compute =>
  (left, right) => ({
    text: `${name}(${infix(op, level)(left, right).text})`,
    level: levels.primary,
    positive: left.positive && right.positive,
    ...more,
  });
const exactly =
  (compute: Compute): Compute =>
  (left, right) =>
    compute(settled(left), settled(right));

const plainRows = { "+": infix("+", add), "-": infix("-", add), "*": infix("*", multiply) };
const bits = (more: Partial<Value>): Record<string, Compute> => ({
  "&": infix("&", levels["&"], more),
  "|": infix("|", levels["|"], more),
  "^": infix("^", levels["^"], more),
});
const loose = { exact: false, positive: false };

/** Operators that take both operands in their common type, by that type. */
const tables: Partial<Record<ScalarName, Record<string, Compute>>> = {
  i32: {
    ...plainRows,
    "/": call("Math.trunc", "/", multiply),
    "%": (left, right) => ({ ...infix("%", multiply)(left, right), positive: left.positive }),
    "&": (left, right) => ({ ...infix("&", levels["&"])(left, right), positive: left.positive || right.positive }),
    "|": infix("|", levels["|"]),
    "^": infix("^", levels["^"]),
  },
  u32: {
    "+": infix("+", add, loose),
    "-": infix("-", add, loose),
    "*": unsignedProduct,
    "/": exactly((left, right) => ({ ...call("Math.trunc", "/", multiply)(left, right), positive: left.positive })),
    "%": exactly((left, right) => ({
      ...infix("%", multiply)(left, right),
      positive: left.positive || right.positive,
    })),
    ...bits(loose),
    "&": (left, right) => {
      const isSmall = [left, right].some(({ literal }) => literal !== undefined && literal < 2 ** 31);
      return infix("&", levels["&"], isSmall ? { exact: true, positive: true } : loose)(left, right);
    },
  },
  size: {
    ...plainRows,
    "/": call("Math.floor", "/", multiply),
    "%": infix("%", multiply),
  },
  i64: { ...plainRows, "/": infix("/", multiply), "%": infix("%", multiply), ...bits({}) },
  u64: {
    "+": infix("+", add, loose),
    "-": infix("-", add, loose),
    "*": infix("*", multiply, loose),
    "/": exactly(infix("/", multiply)),
    "%": exactly(infix("%", multiply)),
    ...bits(loose),
  },
  f32: {
    "+": exactly(infix("+", add, { exact: false })),
    "-": exactly(infix("-", add, { exact: false })),
    "*": exactly(infix("*", multiply, { exact: false })),
    "/": exactly(infix("/", multiply, { exact: false })),
  },
  f64: { ...plainRows, "/": infix("/", multiply) },
};

/** A product of which all digits count is Math.imul's; with a small number beside it a plain one has them. */
function unsignedProduct(left: Value, right: Value): Partial<Value> & { text: string } {
  const isSmall = (each: Value): boolean => each.literal !== undefined && each.literal < 2 ** 20;
  if (isSmall(left) || isSmall(right)) return infix("*", multiply, loose)(settled(left), settled(right));
  return { text: `Math.imul(${left.text}, ${right.text})`, level: levels.primary, ...loose };
}

const comparisons = new Set(["==", "!=", "<", ">", "<=", ">="]);

export function binary(op: string, left: Value, right: Value): Value {
  if (op === "&&" || op === "||") return logical(op, condition(left), condition(right));
  if (comparisons.has(op)) return compared(op, left, right);
  if (op === "<<" || op === ">>") return shifted(op, left, right);
  const type = commonType(left.type, right.type);
  const row = isScalar(type) ? tables[type.name]?.[op] : undefined;
  if (row === undefined)
    throw new Untranslated(`the operator ${op} of ${isScalar(type) ? scalars[type.name].c : type.kind}`);
  const operands = [converted(left, type), converted(right, type)] as const;
  return value("", type, folded(op, ...operands, type) ?? row(...operands));
}

/** A sum or product of two literals. */
function folded(op: string, left: Value, right: Value, type: Type): Partial<Value> | null {
  if (left.literal === undefined || right.literal === undefined || !isScalar(type) || type.name !== "i32") return null;
  const compute: Record<string, (a: number, b: number) => number> = {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
  };
  const number = compute[op]?.(left.literal, right.literal);
  return number === undefined || Math.abs(number) > 2 ** 31 - 1
    ? null
    : { ...tables.i32![op]!(left, right), literal: number };
}

function logical(op: string, left: Value, right: Value): Value {
  const level = levels[op as "&&"];
  return value(`${wrapped(left, level)} ${op} ${wrapped(right, level + 1)}`, scalar("bool"), { level });
}

function compared(op: string, left: Value, right: Value): Value {
  const isEqual = op === "==" || op === "!=";
  const level = isEqual ? levels.equal : levels.compare;
  const written = isEqual ? `${op}=` : op;
  const operands = sameForm(left, right);
  const [a, b] = operands.map((each) => wrapped(settled(each), level + 1));
  return value(`${a} ${written} ${b}`, scalar("bool"), { level });
}

function sameForm(left: Value, right: Value): readonly [Value, Value] {
  if (isScalar(left.type) && isScalar(right.type)) {
    if (left.type.name === "bool" && right.type.name === "bool") return [left, right];
    const type = commonType(left.type, right.type);
    return [converted(left, type), converted(right, type)];
  }
  if (left.type.kind === "pointer" && (right.type.kind === "null" || right.literal === 0))
    return [left, { ...right, text: "null" }];
  throw new Untranslated(`a ${left.type.kind} and a ${right.type.kind} are compared`);
}

function shifted(op: string, given: Value, by: Value): Value {
  const type = commonType(given.type, scalar("i32"));
  if (!isScalar(type)) throw new Untranslated("a shift of no number");
  const left = converted(given, type);
  const { kind } = scalars[type.name];
  if (kind === "big") {
    const count = converted(by, scalar("i64"));
    const operand = op === ">>" ? settled(left) : left;
    return value("", type, infix(op, shift, op === "<<" && type.name === "u64" ? loose : {})(operand, count));
  }
  // Of a count only the lowest bits matter.
  const count = by;
  if (isScalar(count.type) && scalars[count.type.name].kind === "big")
    return shifted(op, given, converted(by, scalar("i32")));
  if (type.name === "size") {
    const power = count.literal === undefined ? `2 ** ${wrapped(count, levels.unary)}` : String(2 ** count.literal);
    return op === "<<"
      ? value(`${wrapped(left, multiply)} * ${power}`, type, { level: multiply })
      : value(`Math.floor(${wrapped(left, multiply)} / ${power})`, type);
  }
  if (type.name === "u32")
    return value(
      "",
      type,
      op === ">>"
        ? infix(">>>", shift, { positive: (count.literal ?? 0) > 0 })(left, count)
        : infix("<<", shift, loose)(left, count),
    );
  return value("", type, { ...infix(op, shift)(left, count), positive: left.positive });
}

export function negated(given: Value): Value {
  const type = commonType(given.type, scalar("i32"));
  const operand = converted(given, type);
  if (operand.literal !== undefined && isSigned(type))
    return {
      ...operand,
      text: operand.text.startsWith("-") ? operand.text.slice(1) : `-${operand.text}`,
      level: levels.unary,
      literal: -operand.literal,
      positive: false,
    };
  const inner = wrapped(operand, levels.unary);
  return value(`-${inner.startsWith("-") ? `(${inner})` : inner}`, type, {
    level: levels.unary,
    positive: false,
    exact: operand.exact && isSigned(type),
  });
}

export function inverted(given: Value): Value {
  const type = commonType(given.type, scalar("i32"));
  if (!isScalar(type) || scalars[type.name].kind === "float" || type.name === "size")
    throw new Untranslated("~ of such a number");
  const operand = converted(given, type);
  return value(`~${wrapped(operand, levels.unary)}`, type, {
    level: levels.unary,
    positive: false,
    exact: isSigned(type),
  });
}

const isSigned = (type: Type): boolean => isScalar(type) && scalars[type.name].signed;

/** Whether `a op= b` of TypeScript does what C++ does, for a variable of that type. */
export function isPlainUpdate(op: string, type: Type, isElement: boolean): boolean {
  if (!isScalar(type)) return false;
  const { name } = type;
  if (["+", "-", "*"].includes(op))
    return ["i32", "size", "i64", "f64"].includes(name) || (isElement && name !== "u32");
  if (op === "/") return name === "f64" || name === "i64";
  if (op === "%") return ["i32", "i64", "size"].includes(name);
  if (["&", "|", "^"].includes(op)) return ["i32", "i64"].includes(name) || isElement;
  return (op === "<<" || op === ">>") && name === "i32";
}
