// Discrete Fourier transforms of complex numbers, along one axis and over several.
import type { DType } from "../memory/dtype.ts";
import { axes, axis, define, oneOf, orNull, wholeNumber, wholeNumbers } from "../tensor/arguments.ts";
import type { ComplexOf } from "../tensor/complex.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { norms, transformed, type Norm, type TransformKind } from "../tensor/transforms.ts";

/**
 * `n`: the number of points, for which the axis is cut off or filled up with zeros; what it has when left out (for real
 * results 2 · (size − 1)). `axis`: −1 when left out. `norm`: what the sum is divided by. "backward", when left out, the
 * number of points on the way back; "forward" that on the way there; "ortho" its square root both ways.
 */
export interface TransformOptions {
  readonly n?: number | null;
  readonly axis?: number;
  readonly norm?: Norm;
}
/**
 * `s`: the number of points along each axis, as `n` of {@link TransformOptions}. `axes`: the axes; when left out the
 * last two of the functions called …2, and all of the others, or as many of the last ones as `s` has sizes. `norm`: as
 * there.
 */
export interface TransformAxesOptions {
  readonly s?: readonly number[] | null;
  readonly axes?: number | readonly number[] | null;
  readonly norm?: Norm;
}

/** A function along one axis. */
export const along = <F extends (x: never, ...args: never[]) => unknown>(of: TransformKind): F =>
  define(
    of.name,
    { options: { n: orNull(wholeNumber), axis, norm: oneOf(...norms) }, bare: ["n", "axis", "norm"] },
    (x, { n, axis: at = -1, norm }) => transformed(of, x, [at], n == null ? undefined : [n], norm),
  );

/** A function over several axes; `usual`: which, where none are named; `null`: all. */
export const over = <F extends (x: never, ...args: never[]) => unknown>(
  of: TransformKind,
  usual: readonly number[] | null,
): F =>
  define(
    of.name,
    {
      options: { s: orNull(wholeNumbers), axes: orNull(axes), norm: oneOf(...norms) },
      bare: ["s", "axes", "norm"],
      aliases: { dim: "axes", axis: "axes" },
    },
    (x, { s, axes: named, norm }) => {
      const rank = x.shape.length;
      const count = s?.length ?? rank;
      const all = named ?? usual ?? Array.from({ length: count }, (_, at) => at - count);
      return transformed(of, x, typeof all === "number" ? [all] : all, s ?? undefined, norm);
    },
  );

/** A function of a tensor that gives complex numbers, along one axis. */
export type ComplexAlong = <D extends DType>(
  x: Tensor<D>,
  n?: number | null | TransformOptions,
  axis?: number | TransformOptions,
  norm?: Norm | TransformOptions,
) => Tensor<ComplexOf<D>>;
/** The same over several axes. */
export type ComplexOver = <D extends DType>(
  x: Tensor<D>,
  s?: readonly number[] | null | TransformAxesOptions,
  axes?: number | readonly number[] | null | TransformAxesOptions,
  norm?: Norm | TransformAxesOptions,
) => Tensor<ComplexOf<D>>;

const c2c = (name: string, isInverse: boolean): TransformKind => ({ name, kind: "c2c", isInverse, isBack: isInverse });
const planes = [-2, -1] as const;

/**
 * The discrete Fourier transform along an axis, X[k] = Σ x[j] · exp(−2πi·jk/n), see {@link TransformOptions}: of real
 * or complex numbers in the same precision, integers in float32. Throws TensorError for an axis without elements and
 * for 16-bit floats.
 * @example
 * fft.fft(tensor([1, 2, 3, 4])); // → tensor([10+0i, -2+2i, -2+0i, -2-2i], shape [4], complex64, cpu)
 */
export const fft: ComplexAlong = along(c2c("fft", false));
/**
 * The way back from {@link fft}: x[j] = 1/n · Σ X[k] · exp(2πi·jk/n), see {@link TransformOptions}.
 * @example
 * fft.ifft(fft.fft(tensor([1, 2, 3, 4]))).real; // → tensor([1, 2, 3, 4], shape [4], float32, cpu)
 */
export const ifft: ComplexAlong = along(c2c("ifft", true));
/**
 * {@link fft} along two axes, the last ones unless `axes` says otherwise, see {@link TransformAxesOptions}.
 * @example
 * fft.fft2(ones([2, 2])); // → tensor([[4+0i, 0+0i], [0+0i, 0+0i]], shape [2, 2], complex64, cpu)
 */
export const fft2: ComplexOver = over(c2c("fft2", false), planes);
/**
 * The way back from {@link fft2}.
 * @example
 * fft.ifft2(fft.fft2(ones([2, 2]))).real; // → tensor([[1, 1], [1, 1]], shape [2, 2], float32, cpu)
 */
export const ifft2: ComplexOver = over(c2c("ifft2", true), planes);
/**
 * {@link fft} along several axes, all unless `axes` or `s` says otherwise, see {@link TransformAxesOptions}.
 * @example
 * fft.fftn(ones([2, 1, 2])).real; // → tensor([[[4, 0]], [[0, 0]]], shape [2, 1, 2], float32, cpu)
 */
export const fftn: ComplexOver = over(c2c("fftn", false), null);
/**
 * The way back from {@link fftn}.
 * @example
 * fft.ifftn(fft.fftn(ones([2, 2]))).real; // → tensor([[1, 1], [1, 1]], shape [2, 2], float32, cpu)
 */
export const ifftn: ComplexOver = over(c2c("ifftn", true), null);
