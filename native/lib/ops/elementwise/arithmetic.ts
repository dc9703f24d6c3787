// Arithmetic of two tensors, or a tensor and a number, element by element.
import { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { elementwiseIn, type BinaryGradient, type BinaryGradients } from "./elementwise.ts";
import type { Operand } from "../core/operation.ts";
import { add, div, mul, of, sub } from "../core/terms.ts";

const { binary } = elementwiseIn("arithmetic");

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

export const arithmeticRows = {
  /**
   * The sum: a + b. Integers wrap around.
   * @example
   * tensor([1, 2]).add(tensor([10, 20])); // → tensor([11, 22], shape [2], float32, cpu)
   * tensor([1, 2]).add(0.5); // → tensor([1.5, 2.5], shape [2], float32, cpu)
   */
  add: binary("add", "Add", "number", { gradient: (g): BinaryGradients => [() => g, () => g] }),
  /**
   * The difference: a − b. Integers wrap around.
   * @example
   * tensor([5, 7]).sub(2); // → tensor([3, 5], shape [2], float32, cpu)
   */
  sub: binary("sub", "Sub", "number", { swapped: "", gradient: (g): BinaryGradients => [() => g, () => of("neg", g)] }),
  /**
   * The product of elements: a · b. Integers wrap around; matrices multiply by {@link Tensor.matmul}.
   * @example
   * tensor([2, 3]).mul(tensor([10, 100])); // → tensor([20, 300], shape [2], float32, cpu)
   */
  mul: binary("mul", "Mul", "number", {
    gradient: (g, { a, b }): BinaryGradients => [() => mul(g, b), () => mul(g, a)],
  }),
  /**
   * The quotient: a / b, also of integers.
   * @example
   * tensor([7, 8]).div(2); // → tensor([3.5, 4.0], shape [2], float32, cpu)
   */
  div: binary("div", "Div", "float", {
    swapped: "",
    gradient: (g, { b, y }): BinaryGradients => [() => div(g, b), () => of("neg", mul(g, div(y, b)))],
  }),
  /**
   * The quotient rounded towards −∞; by 0 an integer gives 0.
   * @example
   * tensor([7, -7]).floorDivide(2); // → tensor([3, -4], shape [2], float32, cpu)
   */
  floorDivide: binary("floorDivide", "FloorDivide", "number", {
    swapped: "",
    flops: 4,
    gradient: (g): BinaryGradients => [() => mul(g, 0), () => mul(g, 0)],
  }),
  /**
   * What {@link Tensor.floorDivide} leaves: it has the divisor's sign, as Python's %.
   * @example
   * tensor([7, -7]).remainder(3); // → tensor([1, 2], shape [2], float32, cpu)
   */
  remainder: binary("remainder", "Remainder", "number", {
    swapped: "",
    flops: 4,
    gradient: (g, { a, b }): BinaryGradients => [() => g, () => of("neg", mul(g, call("floorDivide", [a, b])))],
  }),
  /**
   * What division rounded towards zero leaves: it has the dividend's sign, as % of JavaScript and C.
   * @example
   * tensor([7, -7]).fmod(3); // → tensor([1, -1], shape [2], float32, cpu)
   */
  fmod: binary("fmod", "Fmod", "number", {
    swapped: "",
    flops: 4,
    gradient: (g, { a, b }): BinaryGradients => [() => g, () => of("neg", mul(g, of("trunc", div(a, b))))],
  }),
  /**
   * The power: a^b. Integers to a negative power give 0, or ±1.
   * @example
   * tensor([2, 3]).pow(2); // → tensor([4, 9], shape [2], float32, cpu)
   */
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
  /**
   * The larger of two elements; NaN where either is.
   * @example
   * tensor([1, 5]).maximum(tensor([4, 2])); // → tensor([4, 5], shape [2], float32, cpu)
   */
  maximum: binary("maximum", "Maximum", "number", { gradient: extremeGradient("ge") }),
  /**
   * The smaller of two elements; NaN where either is.
   * @example
   * tensor([1, 5]).minimum(3); // → tensor([1, 3], shape [2], float32, cpu)
   */
  minimum: binary("minimum", "Minimum", "number", { gradient: extremeGradient("le") }),
} as const;

// b·a^(b − 1), which is 0 where b is 0, also for a = 0.
function powerGradient(g: DeviceArray, a: DeviceArray, b: Operand): DeviceArray {
  if (b === 0) return mul(g, 0);
  if (!(b instanceof DeviceArray)) return mul(g, mul(call("pow", [a, Number(b) - 1]), b));
  // No power −1 even where b is 0: its own gradient would be infinite.
  return mul(g, mul(b, call("pow", [a, call("where", [call("eq", [b, 0]), 0, sub(b, 1)])])));
}
