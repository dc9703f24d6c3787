// Operations on two tensors, or a tensor and a number, element by element. A new one is a functor in device/include/warpcell/functors.cuh and a row here.
import { DeviceArray } from "../memory/array.ts";
import { call } from "./calls.ts";
import { binary, type BinaryGradient } from "./elementwise.ts";
import type { Operand } from "./operation.ts";
import { add, div, mul, of, sub } from "./terms.ts";

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

export const binaryRows = {
  /** a + b. Integers wrap around. */
  add: binary("add", "Add", "number", { gradient: (g) => [() => g, () => g] }),
  /** a − b. */
  sub: binary("sub", "Sub", "number", { swapped: "", gradient: (g) => [() => g, () => of("neg", g)] }),
  /** a · b. */
  mul: binary("mul", "Mul", "number", { gradient: (g, { a, b }) => [() => mul(g, b), () => mul(g, a)] }),
  /** True division: integers give float32. */
  div: binary("div", "Div", "float", {
    swapped: "",
    gradient: (g, { b, y }) => [() => div(g, b), () => of("neg", mul(g, div(y, b)))],
  }),
  /** Division rounded towards −∞; by 0 an integer gives 0. */
  floorDivide: binary("floorDivide", "FloorDivide", "number", {
    swapped: "",
    flops: 4,
    gradient: (g) => [() => mul(g, 0), () => mul(g, 0)],
  }),
  /** What {@link floorDivide} leaves: it has the divisor's sign. */
  remainder: binary("remainder", "Remainder", "number", {
    swapped: "",
    flops: 4,
    gradient: (g, { a, b }) => [() => g, () => of("neg", mul(g, call("floorDivide", [a, b])))],
  }),
  /** What division rounded towards zero leaves: it has the dividend's sign. */
  fmod: binary("fmod", "Fmod", "number", {
    swapped: "",
    flops: 4,
    gradient: (g, { a, b }) => [() => g, () => of("neg", mul(g, of("trunc", div(a, b))))],
  }),
  /** a^b. Integers to a negative power give 0, or ±1. */
  pow: binary("pow", "Pow", "number", {
    swapped: "",
    flops: 30,
    gradient: (g, { a, b, y }) => [
      () => powerGradient(g, a as DeviceArray, b),
      // 0^b has slope 0 in b ≥ 0, and 0·log 0 would be NaN.
      () =>
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
  /** The angle of (b, a), in radians. */
  atan2: binary("atan2", "Atan2", "float", {
    swapped: "",
    flops: 20,
    gradient: (g, { a, b }) => {
      const scaled = () => div(g, add(call("square", [asArray(a, g)]), call("square", [asArray(b, g)])));
      return [() => mul(scaled(), b), () => of("neg", mul(scaled(), a))];
    },
  }),
  /** √(a² + b²), without overflow between. */
  hypot: binary("hypot", "Hypot", "float", {
    flops: 4,
    gradient: (g, { a, b, y }) => [() => mul(g, div(a, y)), () => mul(g, div(b, y))],
  }),
  /** |a| with the sign of b. */
  copysign: binary("copysign", "Copysign", "float", {
    swapped: "",
    gradient: (g, { a, y }) => [() => mul(g, mul(of("sign", y), of("sign", asArray(a, g)))), () => mul(g, 0)],
  }),
  /** log(e^a + e^b), without overflow. */
  logaddexp: binary("logaddexp", "Logaddexp", "float", {
    flops: 30,
    gradient: (g, { a, b, y }) => [() => mul(g, of("exp", sub(a, y))), () => mul(g, of("exp", sub(b, y)))],
  }),
  eq: binary("eq", "Eq", "comparable", none),
  ne: binary("ne", "Ne", "comparable", none),
  lt: binary("lt", "Lt", "comparable", { ...none, swapped: "Gt" }),
  le: binary("le", "Le", "comparable", { ...none, swapped: "Ge" }),
  gt: binary("gt", "Gt", "comparable", { ...none, swapped: "Lt" }),
  ge: binary("ge", "Ge", "comparable", { ...none, swapped: "Le" }),
  logicalAnd: binary("logicalAnd", "LogicalAnd", "logical", none),
  logicalOr: binary("logicalOr", "LogicalOr", "logical", none),
  logicalXor: binary("logicalXor", "LogicalXor", "logical", none),
  bitwiseAnd: binary("bitwiseAnd", "BitwiseAnd", "integer"),
  bitwiseOr: binary("bitwiseOr", "BitwiseOr", "integer"),
  bitwiseXor: binary("bitwiseXor", "BitwiseXor", "integer"),
} as const;

function asArray(operand: Operand, like: DeviceArray): DeviceArray {
  return operand instanceof DeviceArray ? operand : call("fullLike", [like], { value: operand });
}

// b·a^(b − 1), which is 0 where b is 0, also for a = 0.
function powerGradient(g: DeviceArray, a: DeviceArray, b: Operand): DeviceArray {
  if (b === 0) return mul(g, 0);
  if (!(b instanceof DeviceArray)) return mul(g, mul(call("pow", [a, Number(b) - 1]), b));
  return call("where", [call("eq", [b, 0]), mul(g, 0), mul(g, mul(b, call("pow", [a, sub(b, 1)])))]);
}
