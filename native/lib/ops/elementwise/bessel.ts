// Bessel functions of one tensor, element by element; those of the kind I are functions.ts's i0, i0e, i1 and i1e.
import type { DeviceArray } from "../../memory/array.ts";
import { add, div, mul, of, sub } from "../core/terms.ts";
import { elementwiseIn } from "./elementwise.ts";
import { shareOf } from "./functions.ts";

const { unary } = elementwiseIn("bessel");

export const besselRows = {
  /**
   * The Bessel function of the first kind J₀(x).
   * @example
   * tensor([0, 1]).besselJ0(); // → tensor([1.000000, 0.765198], shape [2], float32, cpu)
   */
  besselJ0: unary("besselJ0", "BesselJ0", "float", {
    flops: 60,
    gradient: (g, x): DeviceArray => mul(g, of("neg", of("besselJ1", x))),
  }),
  /**
   * The Bessel function of the first kind J₁(x).
   * @example
   * tensor([0, 1]).besselJ1(); // → tensor([0.000000, 0.440051], shape [2], float32, cpu)
   */
  besselJ1: unary("besselJ1", "BesselJ1", "float", {
    flops: 60,
    gradient: (g, x, y): DeviceArray => mul(g, sub(of("besselJ0", x), shareOf(y, x))),
  }),
  /**
   * The Bessel function of the second kind Y₀(x): −∞ at 0, NaN below.
   * @example
   * tensor([0.5, 1]).besselY0(); // → tensor([-0.444519,  0.088257], shape [2], float32, cpu)
   */
  besselY0: unary("besselY0", "BesselY0", "float", {
    flops: 60,
    gradient: (g, x): DeviceArray => mul(g, of("neg", of("besselY1", x))),
  }),
  /**
   * The Bessel function of the second kind Y₁(x): −∞ at 0, NaN below.
   * @example
   * tensor([0.5, 1]).besselY1(); // → tensor([-1.471470, -0.781213], shape [2], float32, cpu)
   */
  besselY1: unary("besselY1", "BesselY1", "float", {
    flops: 60,
    gradient: (g, x, y): DeviceArray => mul(g, sub(of("besselY0", x), div(y, x))),
  }),
  /**
   * The modified Bessel function of the second kind K₀(x): ∞ at 0, NaN below.
   * @example
   * tensor([1, 2]).modifiedBesselK0(); // → tensor([0.421024, 0.113894], shape [2], float32, cpu)
   */
  modifiedBesselK0: unary("modifiedBesselK0", "ModifiedBesselK0", "float", {
    flops: 300,
    gradient: (g, x): DeviceArray => mul(g, of("neg", of("modifiedBesselK1", x))),
  }),
  /**
   * The modified Bessel function of the second kind K₁(x): ∞ at 0, NaN below.
   * @example
   * tensor([1, 2]).modifiedBesselK1(); // → tensor([0.601907, 0.139866], shape [2], float32, cpu)
   */
  modifiedBesselK1: unary("modifiedBesselK1", "ModifiedBesselK1", "float", {
    flops: 300,
    gradient: (g, x, y): DeviceArray => mul(g, of("neg", add(of("modifiedBesselK0", x), div(y, x)))),
  }),
  /**
   * eˣ · K₀(x), which is a number where K₀ is 0.
   * @example
   * tensor([1, 1000]).scaledModifiedBesselK0(); // → tensor([1.144460, 0.039628], shape [2], float32, cpu)
   */
  scaledModifiedBesselK0: unary("scaledModifiedBesselK0", "ScaledModifiedBesselK0", "float", {
    flops: 300,
    gradient: (g, x, y): DeviceArray => mul(g, sub(y, of("scaledModifiedBesselK1", x))),
  }),
  /**
   * eˣ · K₁(x), which is a number where K₁ is 0.
   * @example
   * tensor([1, 1000]).scaledModifiedBesselK1(); // → tensor([1.636150, 0.039648], shape [2], float32, cpu)
   */
  scaledModifiedBesselK1: unary("scaledModifiedBesselK1", "ScaledModifiedBesselK1", "float", {
    flops: 300,
    gradient: (g, x, y): DeviceArray => mul(g, sub(sub(y, of("scaledModifiedBesselK0", x)), div(y, x))),
  }),
} as const;
