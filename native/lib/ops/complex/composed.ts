// What operations do of complex numbers, made of operations of their parts, from which their gradients follow: of a real
// result by x = re + i · im the derivatives ∂/∂re + i · ∂/∂im, as PyTorch has them.
import { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import { call, callNamed } from "../core/calls.ts";
import type { Operand } from "../core/operation.ts";
import { add, div, mul, of, sub } from "../core/terms.ts";
import { reshaped } from "../shape/views.ts";
import { promoted } from "../../memory/promotion.ts";
import { sizeOf } from "../../memory/shape.ts";
import type { Reduction } from "../reduce/reducers.ts";
import { complexFunctions } from "./functions.ts";
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
  if (power < 0) return call("complexFunction", [wholePower(x, -power)], { of: "reciprocal" });
  const half = power > 1 ? wholePower(x, Math.floor(power / 2)) : null;
  const square = half === null ? null : times([half, half], {});
  return square === null ? x : power % 2 === 0 ? square : times([square, x], {});
}

/** Powers that are no small whole number. */
const pow: Form = ([x, y]) => {
  if (isComplex(x!) && Number.isInteger(y) && Math.abs(y as number) <= mostProducts) return wholePower(x, y as number);
  const like = [x, y].find((each) => isComplex(each!)) as DeviceArray;
  const whole = (operand: Operand): DeviceArray => {
    if (!(operand instanceof DeviceArray)) return call("fullLike", [like], { value: Number(operand) });
    return call("convert", [operand], { dtype: promoted(operand.dtype, like.dtype) });
  };
  return call("complexPower", [whole(x!), whole(y!)]);
};

/** The product over the middle axis of [B, n, C], of halves that are multiplied with each other. */
function productOfRows(x: DeviceArray): DeviceArray {
  const [before, n, after] = x.shape as [number, number, number];
  if (n === 0) return add(call("sum", [x], { axes: [1], keepdims: false }), 1);
  if (n === 1) return reshaped(x, [before, after]);
  const half = n >> 1;
  const part = (from: number, to: number) => call("slice", [x], { slices: [null, [from, to, 1], null] });
  const halves = times([part(0, half), part(half, 2 * half)], {});
  return productOfRows(n % 2 === 0 ? halves : call("cat", [halves, part(n - 1, n)], { axis: 1 }));
}

const prod: Form = ([x], attributes) => {
  const { axes, keepdims } = attributes as Reduction;
  const from = x as DeviceArray;
  const others = from.shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const sizes = (list: readonly number[]) => list.map((axis) => from.shape[axis]!);
  const rows = call("permute", [from], { axes: [...others, ...axes] });
  const product = productOfRows(reshaped(rows, [sizeOf(sizes(others)), sizeOf(sizes(axes)), 1]));
  return reshaped(product, keepdims ? from.shape.map((size, axis) => (axes.includes(axis) ? 1 : size)) : sizes(others));
};

/** Each step multiplies by the products that end so many places before (Hillis and Steele 1986, "Data parallel algorithms"). */
const cumprod: Form = ([x], attributes) => {
  const { axis } = attributes as { readonly axis: number };
  const from = x as DeviceArray;
  const n = from.shape[axis] ?? 1;
  let products = from;
  for (let step = 1; step < n; step *= 2) {
    const whole = products;
    const part = (begin: number, end: number) =>
      call("slice", [whole], { slices: from.shape.map((_, at) => (at === axis ? [begin, end, 1] : null)) });
    products = call("cat", [part(0, step), times([part(step, n), part(0, n - step)], {})], { axis });
  }
  return products === from ? call("clone", [from]) : products;
};

const ofParts =
  (name: string, join: (re: DeviceArray, im: DeviceArray) => DeviceArray): Form =>
  ([x], attributes) =>
    join(named(name, [realOf(x as DeviceArray)], attributes), named(name, [imaginaryOf(x as DeviceArray)], attributes));

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
    ...Object.fromEntries(
      complexFunctions.map((name): [string, Form] => [
        name,
        ([x]) => call("complexFunction", [x as DeviceArray], { of: name }),
      ]),
    ),
    abs,
    norm: ([x]: readonly Operand[], attributes: object) => named("norm", [abs([x!], {})], attributes),
    prod,
    cumprod,
    variance: ofParts("variance", add),
    std: ofParts("std", hypot),
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
