// Which frequencies the elements of a transform are of, and an order of them with 0 in the middle.
import type { DType } from "../memory/dtype.ts";
import { checkedAxis } from "../memory/shape.ts";
import { TensorError } from "../errors.ts";
import { axes, define, finite, free, orNull, wholeNumber } from "../tensor/arguments.ts";
import { createOptions, otherOptions, tensor, type CreateOptions } from "../tensor/create.ts";
import type { Tensor } from "../tensor/tensor.ts";

/** `d`: the time between two points of the signal, 1 when left out. */
export interface FrequencyOptions<D extends DType = DType> extends CreateOptions<D> {
  readonly d?: number;
}
/** `axes`: all when left out. */
export interface ShiftOptions {
  readonly axes?: number | readonly number[] | null;
}

type Frequencies = <D extends DType = "float32">(
  n: number,
  d?: number | FrequencyOptions<D>,
  options?: FrequencyOptions<D>,
) => Tensor<D>;

const frequencies = (name: string, count: (n: number) => number, at: (k: number, n: number) => number): Frequencies =>
  free(
    name,
    {
      required: { n: wholeNumber },
      options: { d: finite, ...createOptions },
      bare: ["d"],
      ...otherOptions,
    },
    ({ n, d = 1, ...made }) => {
      if (n < 1 || d === 0)
        throw new TensorError("VALUE", `${name} takes at least one point and a d other than 0 but got n ${n}, d ${d}.`);
      const values = Float64Array.from({ length: count(n) }, (_, k) => at(k, n) / (n * d));
      return tensor(values, { dtype: "float32", ...made } as { dtype: "float32" });
    },
  );

/**
 * The frequencies of the n elements of {@link fft}: [0, 1, …, −2, −1] / (d · n), n/2 being negative for an even n. See
 * {@link FrequencyOptions}.
 * @example
 * fft.fftfreq(4); // → tensor([0.00, 0.25, -0.50, -0.25], shape [4], float32, cpu)
 */
export const fftfreq: Frequencies = frequencies(
  "fftfreq",
  (n) => n,
  (k, n) => (k < n / 2 ? k : k - n),
);
/**
 * The frequencies of the n/2 + 1 elements of {@link rfft}: [0, 1, …, n/2] / (d · n). See {@link FrequencyOptions}.
 * @example
 * fft.rfftfreq(4, 0.5); // → tensor([0.0, 0.5, 1.0], shape [3], float32, cpu)
 */
export const rfftfreq: Frequencies = frequencies(
  "rfftfreq",
  (n) => Math.floor(n / 2) + 1,
  (k) => k,
);

type Shift = <D extends DType>(x: Tensor<D>, axes?: number | readonly number[] | null | ShiftOptions) => Tensor<D>;

const shift = (name: string, by: (size: number) => number): Shift =>
  define(
    name,
    { options: { axes: orNull(axes) }, bare: ["axes"], aliases: { dim: "axes", axis: "axes" } },
    (x, { axes: named }) => {
      const all = named ?? [...x.shape.keys()];
      const list = (typeof all === "number" ? [all] : all).map((axis) => checkedAxis(axis, x.shape.length));
      return list.length === 0
        ? x.clone()
        : x.roll(
            list.map((axis) => by(x.shape[axis]!)),
            { axis: list },
          );
    },
  );

/**
 * With frequency 0 in the middle of the axes, see {@link ShiftOptions}: the second halves change places with the first.
 * @example
 * fft.fftshift(fft.fftfreq(4)); // → tensor([-0.50, -0.25, 0.00, 0.25], shape [4], float32, cpu)
 */
export const fftshift: Shift = shift("fftshift", (size) => Math.floor(size / 2));
/**
 * The way back from {@link fftshift}.
 * @example
 * fft.ifftshift(tensor([-1, 0, 1])); // → tensor([0, 1, -1], shape [3], float32, cpu)
 */
export const ifftshift: Shift = shift("ifftshift", (size) => -Math.floor(size / 2));
