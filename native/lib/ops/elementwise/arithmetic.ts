// Operations on two tensors, or a tensor and a number, element by element. A new one is a functor in
// device/include/warpcell/functors.cuh and a row here.
import { GradientError } from "../../errors.ts";
import { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { binary, type BinaryGradient, type BinaryGradients } from "./elementwise.ts";
import type { Operand } from "../core/operation.ts";
import { add, div, mul, of, sub } from "../core/terms.ts";

const none = { result: "bool" } as const;

// Of equal elements, half of the gradient goes to each, as in PyTorch.
function extremeGradient(name: "ge" | "le"): BinaryGradient {
  const opposite = name === "ge" ? "gt" : "lt";
  const share = (g: DeviceArray, x: Operand, y: Operand) => {
    const weight = add(
      call("convert", [call(name, [x, y])], { dtype: g.dtype }),
      call("convert", [call(opposite, [x, y])], { dtype: g.dtype }),
    );
    return mul(g, mul(weight, 0.5));
  };
  return (g, { a, b }) => [() => share(g, a, b), () => share(g, b, a)];
}

// Of equal elements all of the gradient goes to a, as in PyTorch.
function otherGradient(name: "ge" | "le"): BinaryGradient {
  return (g, { a, b }) => {
    const takesA = () => call("logicalOr", [call(name, [a, b]), call("ne", [b, b])]);
    return [() => call("where", [takesA(), g, 0]), () => call("where", [takesA(), 0, g])];
  };
}

export const binaryRows = {
  /** a + b. Integers wrap around. */
  add: binary("add", "Add", "number", { gradient: (g): BinaryGradients => [() => g, () => g] }),
  /** a − b. */
  sub: binary("sub", "Sub", "number", { swapped: "", gradient: (g): BinaryGradients => [() => g, () => of("neg", g)] }),
  /** a · b. */
  mul: binary("mul", "Mul", "number", {
    gradient: (g, { a, b }): BinaryGradients => [() => mul(g, b), () => mul(g, a)],
  }),
  /** True division: integers give float32. */
  div: binary("div", "Div", "float", {
    swapped: "",
    gradient: (g, { b, y }): BinaryGradients => [() => div(g, b), () => of("neg", mul(g, div(y, b)))],
  }),
  /** Division rounded towards −∞; by 0 an integer gives 0. */
  floorDivide: binary("floorDivide", "FloorDivide", "number", {
    swapped: "",
    flops: 4,
    gradient: (g): BinaryGradients => [() => mul(g, 0), () => mul(g, 0)],
  }),
  /** What {@link floorDivide} leaves: it has the divisor's sign. */
  remainder: binary("remainder", "Remainder", "number", {
    swapped: "",
    flops: 4,
    gradient: (g, { a, b }): BinaryGradients => [() => g, () => of("neg", mul(g, call("floorDivide", [a, b])))],
  }),
  /** What division rounded towards zero leaves: it has the dividend's sign. */
  fmod: binary("fmod", "Fmod", "number", {
    swapped: "",
    flops: 4,
    gradient: (g, { a, b }): BinaryGradients => [() => g, () => of("neg", mul(g, of("trunc", div(a, b))))],
  }),
  /** a^b. Integers to a negative power give 0, or ±1. */
  pow: binary("pow", "Pow", "number", {
    swapped: "",
    flops: 30,
    gradient: (g, { a, b, y }): BinaryGradients => [
      (a) => powerGradient(g, a, b),
      // 0^b has slope 0 in b ≥ 0, and 0·log 0 would be NaN.
      (b) =>
        call("where", [
          call("eq", [typeof a === "object" ? a : call("fullLike", [b], { value: a }), 0]),
          mul(g, 0),
          mul(g, mul(y, typeof a === "object" ? of("log", a) : Math.log(Number(a)))),
        ]),
    ],
  }),
  /** The larger one; NaN where either is. */
  maximum: binary("maximum", "Maximum", "number", { gradient: extremeGradient("ge") }),
  /** The smaller one; NaN where either is. */
  minimum: binary("minimum", "Minimum", "number", { gradient: extremeGradient("le") }),
  /** The larger one; where one is NaN the other. */
  fmax: binary("fmax", "Fmax", "number", { gradient: otherGradient("ge") }),
  /** The smaller one; where one is NaN the other. */
  fmin: binary("fmin", "Fmin", "number", { gradient: otherGradient("le") }),
  /** The angle of (b, a), in radians. */
  atan2: binary("atan2", "Atan2", "float", {
    swapped: "",
    flops: 20,
    gradient: (g, { a, b }): BinaryGradients => {
      // (b, −a) / (a² + b²) without overflow between; at the origin, where there is no angle, 0.
      const length = call("hypot", [asArray(a, g), asArray(b, g)]);
      const divisor = call("where", [call("eq", [length, 0]), 1, length]);
      const slope = (side: Operand) => mul(g, div(div(side, divisor), divisor));
      return [() => slope(b), () => of("neg", slope(a))];
    },
  }),
  /** √(a² + b²), without overflow between. */
  hypot: binary("hypot", "Hypot", "float", {
    flops: 4,
    gradient: (g, { a, b, y }): BinaryGradients => {
      // At the origin, where there is no direction, 0.
      const divisor = call("where", [call("eq", [y, 0]), 1, y]);
      return [() => mul(g, div(a, divisor)), () => mul(g, div(b, divisor))];
    },
  }),
  /** |a| with the sign of b. */
  copysign: binary("copysign", "Copysign", "float", {
    swapped: "",
    gradient: (g, { a, y }): BinaryGradients => [
      () => mul(g, mul(of("sign", y), of("sign", asArray(a, g)))),
      () => mul(g, 0),
    ],
  }),
  /** log(e^a + e^b), without overflow. */
  logaddexp: binary("logaddexp", "Logaddexp", "float", {
    flops: 30,
    gradient: (g, { a, b }): BinaryGradients => [
      () => mul(g, of("sigmoid", sub(a, b))),
      () => mul(g, of("sigmoid", sub(b, a))),
    ],
  }),
  /** log₂(2^a + 2^b), without overflow. */
  logaddexp2: binary("logaddexp2", "Logaddexp2", "float", {
    flops: 30,
    gradient: (g, { a, b }): BinaryGradients => {
      const share = (difference: DeviceArray) => mul(g, of("sigmoid", mul(difference, Math.LN2)));
      return [() => share(sub(a, b)), () => share(sub(b, a))];
    },
  }),
  /** 0 where a is below 0, 1 where it is above, b where it is 0; NaN where it is NaN. */
  heaviside: binary("heaviside", "Heaviside", "number", {
    swapped: "",
    gradient: (g, { a }): BinaryGradients => [
      () => mul(g, 0),
      () => call("where", [call("eq", [asArray(a, g), 0]), g, 0]),
    ],
  }),
  /** a · log b, which is 0 where a is, unless b is NaN. */
  xlogy: binary("xlogy", "Xlogy", "float", {
    swapped: "",
    flops: 12,
    gradient: (g, { a, b }): BinaryGradients => {
      const isNothing = call("eq", [asArray(a, g), 0]);
      return [
        () =>
          mul(
            g,
            call("where", [
              call("logicalAnd", [isNothing, call("le", [asArray(b, g), 0])]),
              0,
              of("log", asArray(b, g)),
            ]),
          ),
        () => call("where", [isNothing, 0, mul(g, div(a, b))]),
      ];
    },
  }),
  /** a · 2^b, without overflow between; of float32 and float64. */
  ldexp: binary("ldexp", "Ldexp", "wide", {
    swapped: "",
    flops: 10,
    gradient: (g, { b, y }): BinaryGradients => [() => call("ldexp", [g, b]), () => mul(g, mul(y, Math.LN2))],
  }),
  /** Hurwitz' zeta function ζ(a, b) = Σ 1/(b + k)^a. */
  zeta: binary("zeta", "Zeta", "float", {
    swapped: "",
    flops: 400,
    gradient: (g, { a, b }): BinaryGradients => [
      () => {
        throw new GradientError("NO_GRADIENT", "zeta has no gradient of its exponent, its first operand.");
      },
      () => of("neg", mul(g, mul(call("zeta", [typeof a === "object" ? add(a, 1) : Number(a) + 1, b]), a))),
    ],
  }),
  /** The next number from a towards b that the dtype has; of float32 and float64. */
  nextafter: binary("nextafter", "Nextafter", "wide", { swapped: "" }),
  /** The greatest whole number that divides both; of 0 and 0 it is 0. */
  gcd: binary("gcd", "Gcd", "whole", { flops: 100 }),
  /** The least whole number that both divide; 0 where either is 0. */
  lcm: binary("lcm", "Lcm", "whole", { flops: 100 }),
  /** True where a = b; NaN equals nothing. */
  eq: binary("eq", "Eq", "comparable", none),
  /** True where a ≠ b. */
  ne: binary("ne", "Ne", "comparable", none),
  /** True where a < b. */
  lt: binary("lt", "Lt", "comparable", { ...none, swapped: "Gt" }),
  /** True where a ≤ b. */
  le: binary("le", "Le", "comparable", { ...none, swapped: "Ge" }),
  /** True where a > b. */
  gt: binary("gt", "Gt", "comparable", { ...none, swapped: "Lt" }),
  /** True where a ≥ b. */
  ge: binary("ge", "Ge", "comparable", { ...none, swapped: "Le" }),
  /** True where neither is 0. */
  logicalAnd: binary("logicalAnd", "LogicalAnd", "logical", none),
  /** True where not both are 0. */
  logicalOr: binary("logicalOr", "LogicalOr", "logical", none),
  /** True where exactly one is 0. */
  logicalXor: binary("logicalXor", "LogicalXor", "logical", none),
  /** The bits that both have; of bools whether both are true. */
  bitwiseAnd: binary("bitwiseAnd", "BitwiseAnd", "integer"),
  /** The bits that either has; of bools whether either is true. */
  bitwiseOr: binary("bitwiseOr", "BitwiseOr", "integer"),
  /** The bits that exactly one has; of bools whether they differ. */
  bitwiseXor: binary("bitwiseXor", "BitwiseXor", "integer"),
  /** a · 2^b, in the bits that a has. */
  bitwiseLeftShift: binary("bitwiseLeftShift", "BitwiseLeftShift", "whole", { swapped: "" }),
  /** a / 2^b, rounded towards −∞. */
  bitwiseRightShift: binary("bitwiseRightShift", "BitwiseRightShift", "whole", { swapped: "" }),
} as const;

function asArray(operand: Operand, like: DeviceArray): DeviceArray {
  return operand instanceof DeviceArray ? operand : call("fullLike", [like], { value: operand });
}

// b·a^(b − 1), which is 0 where b is 0, also for a = 0.
function powerGradient(g: DeviceArray, a: DeviceArray, b: Operand): DeviceArray {
  if (b === 0) return mul(g, 0);
  if (!(b instanceof DeviceArray)) return mul(g, mul(call("pow", [a, Number(b) - 1]), b));
  // No power −1 even where b is 0: its own gradient would be infinite.
  return mul(g, mul(b, call("pow", [a, call("where", [call("eq", [b, 0]), 0, sub(b, 1)])])));
}
