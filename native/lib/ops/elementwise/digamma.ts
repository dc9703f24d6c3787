// The slope of log |Γ(x)|, in terms of operations that have gradients of their own.
import type { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { add, div, mul, of, sub } from "../core/terms.ts";

/** Steps by 1 after which the series below is right to the last bits of float64. */
const steps = 10;
/** B₂ₖ/2k for k = 1, 2, …: coefficients of 1/z²ᵏ (NIST's handbook, 5.11.2). */
const series = [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12];

/**
 * ψ(x) = Γ'(x)/Γ(x): log z − 1/2z − Σ B₂ₖ/(2k z²ᵏ) for z = x + 10, less 1/x + … + 1/(x + 9); below 0 by
 * ψ(1 − x) − π/tan(πx). NaN at 0, −1, −2, …, where Γ has poles.
 */
export function digamma(x: DeviceArray): DeviceArray {
  const wide = accumulatorOf(x.dtype);
  const at = x.dtype === wide ? x : call("convert", [x], { dtype: wide });
  const isBelow = call("le", [at, 0]);
  const from = call("where", [isBelow, sub(1, at), at]);
  const z = add(from, steps);
  const inverse = of("reciprocal", of("square", z));
  const tail = series.reduceRight<DeviceArray | null>(
    (sum, factor) => mul(inverse, sum === null ? factor : add(sum, factor)),
    null,
  )!;
  let value = sub(sub(of("log", z), div(0.5, z)), tail);
  for (let step = 0; step < steps; step++) value = sub(value, of("reciprocal", add(from, step)));
  const rest = sub(at, of("round", at));
  const isPole = call("logicalAnd", [isBelow, call("eq", [rest, 0])]);
  const angle = call("where", [call("logicalAnd", [isBelow, call("ne", [rest, 0])]), mul(rest, Math.PI), 1]);
  const turned = sub(value, div(Math.PI, of("tan", angle)));
  const found = call("where", [isPole, NaN, call("where", [isBelow, turned, value])]);
  return x.dtype === wide ? found : call("convert", [found], { dtype: x.dtype });
}
