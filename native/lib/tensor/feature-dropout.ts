// Dropout of whole channels, and of elements whose mean and variance are to stay.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { floatOf, type FloatOf } from "../memory/promotion.ts";
import { formatShape } from "../memory/shape.ts";
import { define, flag, number } from "./arguments.ts";
import { randomSource } from "./generator.ts";
import { dropout, type DropoutOptions } from "./normalization.ts";
import { ones } from "./create.ts";
import type { Tensor } from "./tensor.ts";

type Dropping = <D extends DType>(
  x: Tensor<D>,
  p?: number | DropoutOptions,
  options?: DropoutOptions,
) => Tensor<FloatOf<D>>;
const taken = { options: { p: number, training: flag, ...randomSource }, bare: ["p"] } as const;

/** Channels [images, channels, …], or [channels, …] with one axis fewer, of so many axes behind. */
const ofChannels = (name: string, axes: number): Dropping =>
  define(name, taken, (x, { training = true, p = 0.5, ...source }) => {
    const rank = x.shape.length;
    if (rank !== axes + 1 && rank !== axes + 2)
      throw new TensorError(
        "SHAPE",
        `${name} takes [images, channels, …] or [channels, …] with ${axes === 1 ? "one axis" : `${axes} axes`} behind the channels but got shape ${formatShape(x.shape)}.`,
      );
    const mask = ones([...x.shape.slice(0, -axes), ...Array<number>(axes).fill(1)], {
      dtype: floatOf(x.dtype) as "float32",
      device: x.device,
    });
    return training && p > 0 ? x.mul(dropout(mask, { p, ...source })) : dropout(x, { p, training: false });
  });

/**
 * {@link Tensor.dropout} of whole channels of [images, channels, length] or [channels, length]: each is 0 with
 * probability `p`, ½ when left out, else divided by 1 − p.
 * @example
 * dropout1d(ones([1, 100, 2]), { p: 0.5, seed: 1 }).unique().values; // → tensor([0, 2], shape [2], float32, cpu)
 */
export const dropout1d: Dropping = ofChannels("dropout1d", 1);
/**
 * {@link dropout1d} of images [images, channels, height, width] or [channels, height, width].
 * @example
 * dropout2d(ones([1, 8, 2, 2]), { training: false }).sum().item(); // → 32
 */
export const dropout2d: Dropping = ofChannels("dropout2d", 2);
/**
 * {@link dropout1d} of volumes [images, channels, depth, height, width] or without images.
 * @example
 * dropout3d(ones([1, 8, 1, 2, 2]), { training: false }).sum().item(); // → 32
 */
export const dropout3d: Dropping = ofChannels("dropout3d", 3);

/** What {@link Tensor.selu} tends to far below 0. */
const least = -1.7580993408473766;

/** Of elements that share what is drawn as the shape says. */
function alpha(name: string, drawn: (shape: readonly number[]) => readonly number[]): Dropping {
  return define(name, taken, (x, { training = true, p = 0.5, ...source }) => {
    if (!training || p === 0) return dropout(x, { p, training: false });
    const float = x.to(floatOf(x.dtype));
    const mask = ones(drawn(x.shape), { dtype: float.dtype as "float32", device: x.device });
    const kept = dropout(mask, { p, ...source }).gt(0);
    if (p === 1) return float.mul(0);
    const scale = 1 / Math.sqrt((1 - p) * (1 + p * least ** 2));
    return float
      .where(kept, least)
      .mul(scale)
      .sub(scale * least * p);
  });
}

/**
 * Dropout for {@link Tensor.selu}: elements are set with probability `p`, ½ when left out, to what it tends to below 0,
 * and all scaled and moved so that a mean of 0 and a variance of 1 stay (Klambauer et al. 2017).
 * @example
 * alphaDropout(ones([3]), { training: false }); // → tensor([1, 1, 1], shape [3], float32, cpu)
 */
export const alphaDropout: Dropping = alpha("alphaDropout", (shape) => shape);
/**
 * {@link alphaDropout} of whole channels of [images, channels, …].
 * @example
 * featureAlphaDropout(ones([1, 3, 2]), { training: false }).sum().item(); // → 6
 */
export const featureAlphaDropout: Dropping = alpha("featureAlphaDropout", (shape) =>
  shape.map((size, axis) => (axis < 2 ? size : 1)),
);
