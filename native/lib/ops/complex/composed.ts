// What operations do of complex numbers, made of operations of their parts, from which their gradients follow: of a real
// result by x = re + i · im the derivatives ∂/∂re + i · ∂/∂im, as PyTorch has them.
import { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { call, callNamed } from "../core/calls.ts";
import type { Operand } from "../core/operation.ts";
import { add, div, mul, of, sub } from "../core/terms.ts";
import { reshaped } from "../shape/views.ts";
import { imaginaryOf, isComplex, joined, realOf } from "./parts.ts";

type Form = (inputs: readonly Operand[], attributes: object) => DeviceArray;

const pairsOf = (x: DeviceArray): DeviceArray => call("viewAsReal", [x]);
const complex = (re: DeviceArray, im: DeviceArray): DeviceArray => call("complex", [re, im]);
const hypot = (re: DeviceArray, im: DeviceArray): DeviceArray => call("hypot", [re, im]);
const named = (name: string, inputs: readonly Operand[], attributes: object = {}): DeviceArray =>
  callNamed(name, inputs, attributes)[0]!;

/** The real and the imaginary part; numbers that are not complex have none. */
interface Parts {
  readonly re: Operand;
  readonly im: DeviceArray | null;
}

/** An operand's parts, in a dtype that complex numbers have. */
function partsOf(operand: Operand): Parts {
  if (!(operand instanceof DeviceArray)) return { re: operand, im: null };
  if (factsOf(operand.dtype).kind === "complex") return { re: realOf(operand), im: imaginaryOf(operand) };
  const isFine = operand.dtype === "float32" || operand.dtype === "float64";
  return { re: isFine ? operand : call("convert", [operand], { dtype: "float32" }), im: null };
}
const bothOf = (inputs: readonly Operand[]): [Parts, Parts] => [partsOf(inputs[0]!), partsOf(inputs[1]!)];

/** Of each part for itself. */
const linear =
  (name: string): Form =>
  (inputs, attributes) => {
    const [x, ...rest] = inputs as [DeviceArray, ...Operand[]];
    return complex(named(name, [realOf(x), ...rest], attributes), named(name, [imaginaryOf(x), ...rest], attributes));
  };

/** Of all numbers alike. */
const ofPairs =
  (name: string): Form =>
  ([x]) =>
    joined(named(name, [pairsOf(x as DeviceArray)]));

/** Real operands have an imaginary part of 0. */
const sums =
  (name: "add" | "sub"): Form =>
  (inputs) => {
    const [x, y] = inputs;
    if (isComplex(x!) && isComplex(y!)) return joined(named(name, [pairsOf(x), pairsOf(y)]));
    const [a, b] = bothOf(inputs);
    return complex(named(name, [a.re, b.re]), a.im ?? (name === "sub" ? of("neg", b.im!) : b.im!));
  };

/** A real factor scales both parts. */
function scaled(name: "mul" | "div", x: DeviceArray, by: Operand): DeviceArray {
  const factor = by instanceof DeviceArray ? reshaped(by, [...by.shape, 1]) : by;
  return joined(named(name, [pairsOf(x), factor]));
}

function product(a: Parts, b: Parts): DeviceArray {
  return complex(sub(mul(a.re, b.re), mul(a.im!, b.im!)), add(mul(a.re, b.im!), mul(a.im!, b.re)));
}

function quotient(a: Parts, { re: first, im: second }: Parts): DeviceArray {
  const b = { re: first as DeviceArray, im: second! };
  // Parts of the divisor as multiples of the larger, so that no square overflows (Smith 1962, "Algorithm 116").
  const most = call("maximum", [of("abs", b.re), of("abs", b.im)]);
  const scale = call("where", [call("gt", [most, 0]), most, 1]);
  const [c, d] = [div(b.re, scale), div(b.im, scale)];
  const size = mul(add(of("square", c), of("square", d)), scale);
  const [re, im] =
    a.im === null
      ? [mul(a.re, c), of("neg", mul(a.re, d))]
      : [add(mul(a.re, c), mul(a.im, d)), sub(mul(a.im, c), mul(a.re, d))];
  return complex(div(re, size), div(im, size));
}

const unary =
  (form: (re: DeviceArray, im: DeviceArray) => readonly [DeviceArray, DeviceArray]): Form =>
  ([x]) =>
    complex(...form(realOf(x as DeviceArray), imaginaryOf(x as DeviceArray)));

const angle = (re: DeviceArray, im: DeviceArray): DeviceArray => call("atan2", [im, re]);
/** Whether a number is 0 or an infinity: these alone are twice themselves. */
const isEnd = (x: DeviceArray): DeviceArray => call("eq", [x, mul(x, 2)]);
const both = (a: DeviceArray, b: DeviceArray): DeviceArray => call("logicalAnd", [a, b]);

/** turn · size, with the size of `part`; 0 where either is 0 beside an infinity or NaN, as C99 has it. */
function guarded(turn: DeviceArray, size: DeviceArray, part: DeviceArray): DeviceArray {
  const product = mul(turn, size);
  const isLost = of("isnan", product);
  // A size that has become too small for the dtype is no 0.
  const isNone = both(isEnd(part), call("eq", [size, 0]));
  const kept = call("where", [both(isLost, isNone), size, product]);
  return call("where", [both(isLost, call("eq", [turn, 0])), turn, kept]);
}

/** turn · size, with the size of `part`; the size where it and the part are 0 or infinities and the turn is NaN. */
function turned(turn: DeviceArray, size: DeviceArray, part: DeviceArray): DeviceArray {
  const isKnown = both(isEnd(size), isEnd(part));
  return call("where", [both(of("isnan", turn), isKnown), size, mul(turn, size)]);
}

/** log √(re² + im²), near 1 from its distance to 1. */
function logOfSize(re: DeviceArray, im: DeviceArray): DeviceArray {
  const size = hypot(re, im);
  const sides = [of("abs", re), of("abs", im)] as const;
  const [most, least] = [call("maximum", sides), call("minimum", sides)];
  const near = add(mul(sub(most, 1), add(most, 1)), of("square", least));
  const isNear = call("logicalAnd", [call("gt", [size, 0.7]), call("lt", [size, 1.5])]);
  return call("where", [isNear, mul(of("log1p", call("where", [isNear, near, 0])), 0.5), of("log", size)]);
}

/** The root right of the imaginary axis, by the part that is a sum (Kahan 1987, "Branch cuts for complex functions"). */
function root(re: DeviceArray, im: DeviceArray): readonly [DeviceArray, DeviceArray] {
  const isRight = call("ge", [re, 0]);
  // No abs(): its slope at 0 is 0.
  const long = of("sqrt", mul(add(hypot(re, im), call("where", [isRight, re, of("neg", re)])), 0.5));
  const short = div(im, call("where", [call("eq", [long, 0]), 1, mul(long, 2)]));
  const isBelow = of("signbit", im);
  return [
    call("where", [isRight, long, call("where", [isBelow, of("neg", short), short])]),
    call("where", [isRight, short, call("where", [isBelow, of("neg", long), long])]),
  ];
}

const whether =
  (name: string, join: "logicalAnd" | "logicalOr"): Form =>
  ([x]) =>
    call(join, [named(name, [realOf(x as DeviceArray)]), named(name, [imaginaryOf(x as DeviceArray)])]);

const equality =
  (name: "eq" | "ne", join: "logicalAnd" | "logicalOr"): Form =>
  (inputs) => {
    const [a, b] = bothOf(inputs);
    const [re, im] = [named(name, [a.re, b.re]), named(name, a.im === null ? [b.im!, 0] : [a.im, b.im ?? 0])];
    return call(join, [re, im]);
  };

/** Of whether each number is 0. */
const ofTruth =
  (name: string): Form =>
  ([x], attributes) =>
    named(name, [equality("ne", "logicalOr")([x!, 0], {})], attributes);

const abs: Form = ([x]) => hypot(realOf(x as DeviceArray), imaginaryOf(x as DeviceArray));
const log: Form = unary((re, im) => [logOfSize(re, im), angle(re, im)]);
const exp: Form = unary((re, im) => {
  const size = of("exp", re);
  return [turned(of("cos", im), size, re), guarded(of("sin", im), size, re)];
});

function convert([x]: readonly Operand[], attributes: object): DeviceArray {
  const { dtype } = attributes as { dtype: DType };
  const { parts } = factsOf(dtype);
  const from = x as DeviceArray;
  if (parts === undefined)
    throw new TensorError(
      "DTYPE",
      `${from.dtype} does not become ${dtype} by itself: take x.real, x.imag, abs() or angle().`,
    );
  if (isComplex(from)) return joined(call("convert", [pairsOf(from)], { dtype: parts }));
  const re = call("convert", [from], { dtype: parts });
  return complex(re, call("fullLike", [re], { value: 0 }));
}

const times: Form = (inputs) => {
  const [a, b] = bothOf(inputs);
  if (a.im !== null && b.im !== null) return product(a, b);
  const [x, y] = inputs;
  return isComplex(x!) ? scaled("mul", x, y!) : scaled("mul", y as DeviceArray, x!);
};

/** Whole powers up to this one are products. */
const mostProducts = 64;

function wholePower(x: DeviceArray, power: number): DeviceArray {
  if (power === 0) return call("fullLike", [x], { value: 1 });
  if (power < 0) return reciprocal([wholePower(x, -power)], {});
  const half = power > 1 ? wholePower(x, Math.floor(power / 2)) : null;
  const square = half === null ? null : times([half, half], {});
  return square === null ? x : power % 2 === 0 ? square : times([square, x], {});
}

const reciprocal: Form = ([x]) => quotient({ re: 1, im: null }, partsOf(x!));

/** e^(y · log x); of 0, which has no logarithm, 0, and 1 where y is 0. */
const pow: Form = ([x, y]) => {
  if (isComplex(x!) && Number.isInteger(y) && Math.abs(y as number) <= mostProducts) return wholePower(x, y as number);
  const base = isComplex(x!) ? x : add(mul(y as DeviceArray, 0), x!);
  const isZero = call("eq", [base, 0]);
  const power = exp([times([log([call("where", [isZero, 1, base])], {}), y!], {})], {});
  const ofZero =
    y instanceof DeviceArray ? call("convert", [call("eq", [y, 0])], { dtype: power.dtype }) : y === 0 ? 1 : 0;
  return call("where", [isZero, ofZero, power]);
};

const matmul: Form = (inputs) => {
  const [a, b] = bothOf(inputs);
  const dot = (x: Operand, y: Operand) => call("matmul", [x as DeviceArray, y as DeviceArray]);
  if (a.im === null) return complex(dot(a.re, b.re), dot(a.re, b.im!));
  if (b.im === null) return complex(dot(a.re, b.re), dot(a.im, b.re));
  return complex(sub(dot(a.re, b.re), dot(a.im, b.im)), add(dot(a.re, b.im), dot(a.im, b.re)));
};

/** By the operation's name. */
const forms = new Map<string, Form>(
  Object.entries({
    convert,
    neg: ofPairs("neg"),
    positive: ofPairs("positive"),
    ...Object.fromEntries(["sum", "mean", "sumTo", "cumsum", "nansum"].map((name) => [name, linear(name)])),
    add: sums("add"),
    sub: sums("sub"),
    mul: times,
    matmul,
    div(inputs: readonly Operand[]) {
      const [x, y] = inputs;
      return isComplex(y!) ? quotient(...bothOf(inputs)) : scaled("div", x as DeviceArray, y!);
    },
    reciprocal,
    square: ([x]: readonly Operand[]) => times([x!, x!], {}),
    abs,
    norm: ([x]: readonly Operand[], attributes: object) => named("norm", [abs([x!], {})], attributes),
    exp,
    log,
    sqrt: unary(root),
    sin: unary((re, im) => [guarded(of("sin", re), of("cosh", im), im), turned(of("cos", re), of("sinh", im), im)]),
    cos: unary((re, im) => [
      turned(of("cos", re), of("cosh", im), im),
      of("neg", guarded(of("sin", re), of("sinh", im), im)),
    ]),
    sinh: unary((re, im) => [turned(of("cos", im), of("sinh", re), re), guarded(of("sin", im), of("cosh", re), re)]),
    cosh: unary((re, im) => [turned(of("cos", im), of("cosh", re), re), guarded(of("sin", im), of("sinh", re), re)]),
    pow,
    isnan: whether("isnan", "logicalOr"),
    isinf: whether("isinf", "logicalOr"),
    isfinite: whether("isfinite", "logicalAnd"),
    any: ofTruth("any"),
    all: ofTruth("all"),
    eq: equality("eq", "logicalAnd"),
    ne: equality("ne", "logicalOr"),
  } satisfies Record<string, Form>),
);

/** The results of an operation of complex numbers that is made of others; `null` for one that takes them as they are. */
export function composed(name: string, inputs: readonly Operand[], attributes: object): readonly DeviceArray[] | null {
  const form = forms.get(name);
  return form === undefined ? null : [form(inputs, attributes)];
}

/** Whether an operation takes, or makes, complex numbers. */
export function isOfComplex(name: string, inputs: readonly Operand[], attributes: object): boolean {
  for (const input of inputs) if (isComplex(input)) return true;
  return name === "convert" && factsOf((attributes as { dtype: DType }).dtype).kind === "complex";
}
