// Functions of complex numbers by kernels of their own (device/ops/complex.cu), which are computed in float64, and their
// gradients: of a function with the derivative f′ the gradient g becomes g · conj f′, as PyTorch has it.
import { DeviceArray } from "../../memory/array.ts";
import { broadcast } from "../../memory/shape.ts";
import { promoted } from "../../memory/promotion.ts";
import { call } from "../core/calls.ts";
import type { Computation, Cost } from "../core/operation.ts";
import { add, div, mul, of, sub } from "../core/terms.ts";
import { bytesMoved, unbroadcast } from "../elementwise/elementwise.ts";
import { blocksFor } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import { stretched, withFlat } from "../shape/copy.ts";
import { conjugate } from "./parts.ts";

const dtypes = ["complex64", "complex128"] as const;
type ComplexName = (typeof dtypes)[number];

/** The derivative at z, where the function is y. */
type Derivative = (z: DeviceArray, y: DeviceArray) => DeviceArray;

const square = (z: DeviceArray): DeviceArray => of("square", z);
const oneOver = (z: DeviceArray): DeviceArray => of("reciprocal", z);
/** √(1 − z) · √(1 + z), which is cut where asin and acos are. */
const cosine = (z: DeviceArray): DeviceArray => mul(of("sqrt", sub(1, z)), of("sqrt", add(z, 1)));

/** z / |z|, of which only a turn around 0 changes anything. */
function signGradient(g: DeviceArray, z: DeviceArray, y: DeviceArray): DeviceArray {
  const along = call("slice", [call("viewAsReal", [mul(conjugate(y), g)])], {
    slices: [...z.shape.map(() => null), 0],
  });
  const size = of("abs", z);
  return div(sub(g, mul(y, along)), call("where", [call("gt", [size, 0]), size, Infinity]));
}

/** Functors by the names of operations, and their derivatives. */
const functions = {
  exp: ["ComplexExp", (_, y) => y],
  expm1: ["ComplexExpm1", (_, y) => add(y, 1)],
  log: ["ComplexLog", oneOver],
  log1p: ["ComplexLog1p", (z) => oneOver(add(z, 1))],
  log2: ["ComplexLog2", (z) => oneOver(mul(z, Math.LN2))],
  log10: ["ComplexLog10", (z) => oneOver(mul(z, Math.LN10))],
  sqrt: ["ComplexSqrt", (_, y) => div(0.5, y)],
  square: ["ComplexSquare", (z) => mul(z, 2)],
  reciprocal: ["ComplexReciprocal", (_, y) => of("neg", square(y))],
  sign: ["ComplexSign", null],
  sin: ["ComplexSin", (z) => of("cos", z)],
  cos: ["ComplexCos", (z) => of("neg", of("sin", z))],
  tan: ["ComplexTan", (_, y) => add(square(y), 1)],
  asin: ["ComplexAsin", (z) => oneOver(cosine(z))],
  acos: ["ComplexAcos", (z) => of("neg", oneOver(cosine(z)))],
  atan: ["ComplexAtan", (z) => oneOver(add(square(z), 1))],
  sinh: ["ComplexSinh", (z) => of("cosh", z)],
  cosh: ["ComplexCosh", (z) => of("sinh", z)],
  tanh: ["ComplexTanh", (_, y) => sub(1, square(y))],
  asinh: ["ComplexAsinh", (z) => oneOver(of("sqrt", add(square(z), 1)))],
  acosh: ["ComplexAcosh", (z) => oneOver(mul(of("sqrt", sub(z, 1)), of("sqrt", add(z, 1))))],
  atanh: ["ComplexAtanh", (z) => oneOver(sub(1, square(z)))],
} satisfies Record<string, readonly [functor: string, derivative: Derivative | null]>;

export type ComplexFunction = keyof typeof functions;
export const complexFunctions = Object.keys(functions) as ComplexFunction[];

const unaryKernels = Object.fromEntries(
  complexFunctions.map((name) => [
    name,
    new KernelFamily("complex", dtypes, (type) => `complex_unary<${functions[name][0]}, ${type}>`, [
      "place",
      "out",
      "i64",
    ]),
  ]),
) as Record<ComplexFunction, KernelFamily>;
const powers = new KernelFamily("complex", dtypes, (type) => `complex_binary<ComplexPow, ${type}>`, [
  "place",
  "place",
  "out",
  "i64",
]);

/** Elements that a core is given at least. */
const serial = 512;
/** Additions and multiplications of float64 for an element, about. */
const flops = 60;
const cost = (inputs: readonly DeviceArray[], outputs: readonly DeviceArray[]): Cost => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: flops * outputs[0]!.size,
});

/** One of the functions, element by element. */
const complexFunction: Computation<[z: DeviceArray], { readonly of: ComplexFunction }> = {
  inPlace: false,
  infer: ([{ shape, dtype }]) => [{ shape, dtype }],
  run([out], [z], attributes, on) {
    const family = unaryKernels[attributes.of];
    withFlat(on, z, z.dtype, (flat) =>
      family.launch(on, z.dtype, blocksFor(on.device, out!.size, { serial }), [flat, out!, out!.size]),
    );
  },
  gradient([g], { inputs: [z], outputs: [y], attributes }) {
    const derivative: Derivative | null = functions[attributes.of][1];
    if (derivative === null) return [signGradient(g!, z, y!)];
    return [mul(g!, conjugate(derivative(z, y!)))];
  },
  cost,
};

/** z^w; both broadcast. */
const complexPower: Computation<[z: DeviceArray, w: DeviceArray], Readonly<Record<string, never>>> = {
  inPlace: false,
  infer: ([z, w]) => [{ shape: broadcast(z.shape, w.shape), dtype: promoted(z.dtype, w.dtype) }],
  run([out], operands, _, on) {
    const dtype = out!.dtype as ComplexName;
    const [base, exponent] = operands.map((operand) => stretched(operand, out!.shape));
    try {
      withFlat(on, base!, dtype, (z) =>
        withFlat(on, exponent!, dtype, (w) =>
          powers.launch(on, dtype, blocksFor(on.device, out!.size, { serial }), [z, w, out!, out!.size]),
        ),
      );
    } finally {
      base!.dispose();
      exponent!.dispose();
    }
  },
  gradient([g], { inputs: [z, w], outputs: [y], wanted }) {
    const ofBase = () => mul(g!, conjugate(mul(w, call("pow", [z, sub(w, 1)]))));
    // Of 0, which has no logarithm, all powers nearby are alike.
    const isZero = call("eq", [z, 0]);
    const ofExponent = () =>
      call("where", [isZero, 0, mul(g!, conjugate(mul(y!, of("log", call("where", [isZero, 1, z])))))]);
    return [wanted[0] ? unbroadcast(ofBase(), z) : null, wanted[1] ? unbroadcast(ofExponent(), w) : null];
  },
  cost,
};

export const complexFunctionRows = { complexFunction, complexPower };
