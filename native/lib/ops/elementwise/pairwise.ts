// Functions of two tensors, or a tensor and a number, beside arithmetic, element by element.
import { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { elementwiseIn, type BinaryGradients } from "./elementwise.ts";
import type { Operand } from "../core/operation.ts";
import { div, mul, of, sub } from "../core/terms.ts";

const { binary } = elementwiseIn("pairwise");

export const pairwiseRows = {
  /**
   * The angle of the point (b, a) in radians, from −π to π.
   * @example
   * tensor([1, -1]).atan2(tensor([1, -1])); // → tensor([0.785398, -2.356190], shape [2], float32, cpu)
   */
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
  /**
   * The length of (a, b): √(a² + b²), without overflow between.
   * @example
   * tensor([3, 5]).hypot(tensor([4, 12])); // → tensor([5, 13], shape [2], float32, cpu)
   */
  hypot: binary("hypot", "Hypot", "float", {
    flops: 4,
    gradient: (g, { a, b, y }): BinaryGradients => {
      // At the origin, where there is no direction, 0.
      const divisor = call("where", [call("eq", [y, 0]), 1, y]);
      return [() => mul(g, div(a, divisor)), () => mul(g, div(b, divisor))];
    },
  }),
  /**
   * |a| with the sign of b.
   * @example
   * tensor([1, -2]).copysign(-1); // → tensor([-1, -2], shape [2], float32, cpu)
   */
  copysign: binary("copysign", "Copysign", "float", {
    swapped: "",
    gradient: (g, { a, y }): BinaryGradients => [
      () => mul(g, mul(of("sign", y), of("sign", asArray(a, g)))),
      () => mul(g, 0),
    ],
  }),
  /**
   * The logarithm of a sum of exponentials: log(e^a + e^b), without overflow.
   * @example
   * tensor([0, 1000]).logaddexp(tensor([0, 1000]));
   * // → tensor([0.693147, 1000.690000], shape [2], float32, cpu)
   */
  logaddexp: binary("logaddexp", "Logaddexp", "float", {
    flops: 30,
    gradient: (g, { a, b }): BinaryGradients => [
      () => mul(g, of("sigmoid", sub(a, b))),
      () => mul(g, of("sigmoid", sub(b, a))),
    ],
  }),
  /**
   * The same to base 2: log₂(2^a + 2^b), without overflow.
   * @example
   * tensor([0, 3]).logaddexp2(tensor([0, 3])); // → tensor([1, 4], shape [2], float32, cpu)
   */
  logaddexp2: binary("logaddexp2", "Logaddexp2", "float", {
    flops: 30,
    gradient: (g, { a, b }): BinaryGradients => {
      const share = (difference: DeviceArray) => mul(g, of("sigmoid", mul(difference, Math.LN2)));
      return [() => share(sub(a, b)), () => share(sub(b, a))];
    },
  }),
  /**
   * The step function: 0 where a is below 0, 1 where it is above, b where it is 0; NaN where it is NaN.
   * @example
   * tensor([-2, 0, 3]).heaviside(0.5); // → tensor([0.0, 0.5, 1.0], shape [3], float32, cpu)
   */
  heaviside: binary("heaviside", "Heaviside", "number", {
    swapped: "",
    gradient: (g, { a }): BinaryGradients => [
      () => mul(g, 0),
      () => call("where", [call("eq", [asArray(a, g), 0]), g, 0]),
    ],
  }),
  /**
   * a · log b, which is 0 where a is 0, unless b is NaN.
   * @example
   * tensor([0, 2]).xlogy(tensor([0, Math.E])); // → tensor([0, 2], shape [2], float32, cpu)
   */
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
  /**
   * The next number from a towards b that the dtype has; of float32 and float64.
   * @example
   * tensor([1]).nextafter(2).sub(1); // → tensor([1.19209e-07], shape [1], float32, cpu)
   */
  nextafter: binary("nextafter", "Nextafter", "wide", { swapped: "" }),
  /**
   * The greatest common divisor of integers: the greatest whole number that divides both, 0 of 0 and 0. Floats throw
   * TensorError.
   * @example
   * tensor([12, -18], { dtype: "int32" }).gcd(8); // → tensor([4, 2], shape [2], int32, cpu)
   */
  gcd: binary("gcd", "Gcd", "whole", { flops: 100 }),
  /**
   * The least common multiple of integers, 0 where either is 0. It wraps around. Floats throw TensorError.
   * @example
   * tensor([4, 0], { dtype: "int32" }).lcm(6); // → tensor([12, 0], shape [2], int32, cpu)
   */
  lcm: binary("lcm", "Lcm", "whole", { flops: 100 }),
} as const;

export function asArray(operand: Operand, like: DeviceArray): DeviceArray {
  return operand instanceof DeviceArray ? operand : call("fullLike", [like], { value: operand });
}
