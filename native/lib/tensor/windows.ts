// Windows of signals: few numbers, which are worked out here in float64.
import type { DType } from "../memory/dtype.ts";
import { count, device, dtype, flag, free, number, type Kind } from "./arguments.ts";
import { tensor, type CreateOptions } from "./create.ts";
import type { Tensor } from "./tensor.ts";

/** `periodic`: one period of a periodic signal, for spectra; else symmetric, with both ends. */
export interface WindowOptions<D extends DType = DType> extends CreateOptions<D> {
  readonly periodic?: boolean;
}
type Window<O = object> = <D extends DType = "float32">(count: number, options?: WindowOptions<D> & O) => Tensor<D>;

/** `at`: the value at a part of the window, 0 to 1, which has so many steps. */
function window<O extends Record<string, Kind<number>>>(
  name: string,
  more: O,
  at: (part: number, given: { readonly [K in keyof O]?: number }, steps: number) => number,
): Window<{ readonly [K in keyof O]?: number }> {
  return free(name, { required: { count }, options: { ...more, periodic: flag, dtype, device } }, (given) => {
    const {
      count: many,
      periodic = false,
      dtype: wanted = "float32",
      device: on,
    } = given as {
      readonly count: number;
    } & WindowOptions;
    const steps = periodic ? many : many - 1;
    const values = Float64Array.from({ length: many }, (_, index) =>
      many === 1 ? 1 : at(index / steps, given as { readonly [K in keyof O]?: number }, steps),
    );
    return tensor(values, { dtype: wanted, ...(on !== undefined && { device: on }) });
  });
}

const turn = 2 * Math.PI;
/** Waves of whole numbers of periods. */
const waves =
  (...heights: number[]) =>
  (part: number) =>
    heights.reduce((sum, height, periods) => sum + height * Math.cos(turn * periods * part), 0);

/**
 * The window of Hann: ½ − ½ cos 2πt for t from 0 to 1. Computed in float64; float32 unless `dtype` says otherwise.
 * @example
 * hann(4); // → tensor([0.00, 0.75, 0.75, 0.00], shape [4], float32, cpu)
 */
export const hann: Window = window("hann", {}, waves(0.5, -0.5));
/**
 * The window of Hamming: 0.54 − 0.46 cos 2πt for t from 0 to 1. Computed in float64; float32 unless `dtype` says
 * otherwise.
 * @example
 * hamming(4); // → tensor([0.08, 0.77, 0.77, 0.08], shape [4], float32, cpu)
 */
export const hamming: Window = window("hamming", {}, waves(0.54, -0.46));
/**
 * The window of Blackman: 0.42 − ½ cos 2πt + 0.08 cos 4πt for t from 0 to 1. Computed in float64; float32 unless
 * `dtype` says otherwise.
 * @example
 * blackman(5).sum(); // → tensor(1.68, shape [], float32, cpu)
 */
export const blackman: Window = window("blackman", {}, waves(0.42, -0.5, 0.08));
/**
 * The window of Bartlett, a triangle: 1 − |2t − 1| for t from 0 to 1. Computed in float64; float32 unless `dtype` says
 * otherwise.
 * @example
 * bartlett(5); // → tensor([0.0, 0.5, 1.0, 0.5, 0.0], shape [5], float32, cpu)
 */
export const bartlett: Window = window("bartlett", {}, (part) => 1 - Math.abs(2 * part - 1));
/**
 * The window of Kaiser: I₀(β√(1 − (2t − 1)²)) / I₀(β) for t from 0 to 1; β is 12 when left out. Computed in float64;
 * float32 unless `dtype` says otherwise.
 * @example
 * kaiser(4); // → tensor([5.27734e-05, 5.18845e-01, 5.18845e-01, 5.27734e-05], shape [4], float32, cpu)
 */
export const kaiser: Window<{ readonly beta?: number }> = window(
  "kaiser",
  { beta: number },
  (part, { beta = 12 }) => bessel(beta * Math.sqrt(Math.max(0, 1 - (2 * part - 1) ** 2))) / bessel(beta),
);

/**
 * A bell, e^(−½ ((t − ½) · steps / std)²) for t from 0 to 1, whose width is `std` steps, 1 when left out. Computed in
 * float64; float32 unless `dtype` says otherwise.
 * @example
 * gaussianWindow(3, { std: 1 }); // → tensor([0.606531, 1.000000, 0.606531], shape [3], float32, cpu)
 */
export const gaussianWindow: Window<{ readonly std?: number }> = window(
  "gaussianWindow",
  { std: number },
  (part, { std = 1 }, steps) => Math.exp(-0.5 * (((part - 0.5) * steps) / std) ** 2),
);
/**
 * e^(−|t − ½| · steps / tau) for t from 0 to 1, which falls by e within `tau` steps, 1 when left out. Computed in
 * float64; float32 unless `dtype` says otherwise.
 * @example
 * exponentialWindow(3, { tau: 1 }); // → tensor([0.367879, 1.000000, 0.367879], shape [3], float32, cpu)
 */
export const exponentialWindow: Window<{ readonly tau?: number }> = window(
  "exponentialWindow",
  { tau: number },
  (part, { tau = 1 }, steps) => Math.exp((-Math.abs(part - 0.5) * steps) / tau),
);
/**
 * Half a wave, sin π(t · steps + ½)/(steps + 1) for t from 0 to 1. Computed in float64; float32 unless `dtype` says
 * otherwise.
 * @example
 * cosineWindow(3); // → tensor([0.5, 1.0, 0.5], shape [3], float32, cpu)
 */
export const cosineWindow: Window = window("cosineWindow", {}, (part, _, steps) =>
  Math.sin((Math.PI * (part * steps + 0.5)) / (steps + 1)),
);
/**
 * α − (1 − α) cos 2πt for t from 0 to 1; α is 0.54 when left out, as {@link hamming} has it. Computed in float64;
 * float32 unless `dtype` says otherwise.
 * @example
 * generalHamming(3, { alpha: 0.5 }); // → tensor([0, 1, 0], shape [3], float32, cpu)
 */
export const generalHamming: Window<{ readonly alpha?: number }> = window(
  "generalHamming",
  { alpha: number },
  (part, { alpha = 0.54 }) => alpha - (1 - alpha) * Math.cos(turn * part),
);
/**
 * The window of Nuttall: 0.3635819 − 0.4891775 cos 2πt + 0.1365995 cos 4πt − 0.0106411 cos 6πt for t from 0 to 1.
 * Computed in float64; float32 unless `dtype` says otherwise.
 * @example
 * nuttall(3); // → tensor([0.000363, 1.000000, 0.000363], shape [3], float32, cpu)
 */
export const nuttall: Window = window("nuttall", {}, waves(0.3635819, -0.4891775, 0.1365995, -0.0106411));

/** The modified Bessel function I₀: Σ (x²/4)^k / k!², whose terms are all positive. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 2 ** -54; k++) sum += term *= (x * x) / (4 * k * k);
  return sum;
}
