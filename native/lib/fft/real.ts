// Discrete Fourier transforms of real numbers, of which half says all, and back.
import type { DType } from "../memory/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { Norm, PartsOf } from "../tensor/transforms.ts";
import {
  along,
  over,
  type ComplexAlong,
  type ComplexOver,
  type TransformAxesOptions,
  type TransformOptions,
} from "./complex.ts";

type RealAlong = <D extends DType>(
  x: Tensor<D>,
  n?: number | null | TransformOptions,
  axis?: number | TransformOptions,
  norm?: Norm | TransformOptions,
) => Tensor<PartsOf<D>>;
type RealOver = <D extends DType>(
  x: Tensor<D>,
  s?: readonly number[] | null | TransformAxesOptions,
  axes?: number | readonly number[] | null | TransformAxesOptions,
  norm?: Norm | TransformAxesOptions,
) => Tensor<PartsOf<D>>;

const toHalf = (name: string) => ({ name, kind: "r2c", isInverse: false, isBack: false }) as const;
const fromHalf = (name: string) => ({ name, kind: "c2r", isInverse: true, isBack: true }) as const;
const hermitian = (name: string) => ({ name, kind: "c2r", isInverse: false, isBack: false }) as const;
const toHermitian = (name: string) => ({ name, kind: "r2c", isInverse: true, isBack: true }) as const;
const planes = [-2, -1] as const;

/**
 * The discrete Fourier transform of real numbers along an axis, X[k] = Σ x[j] · exp(−2πi·jk/n) for k from 0 to n/2; the
 * others are the conjugates of these. See {@link TransformOptions}; throws TensorError for complex numbers.
 * @example
 * fft.rfft(tensor([1, 2, 3, 4])); // → tensor([10+0i, -2+2i, -2+0i], shape [3], complex64, cpu)
 */
export const rfft: ComplexAlong = along(toHalf("rfft"));
/**
 * The way back from {@link rfft}: n real numbers, an even n when it is left out. Imaginary parts of the first element,
 * and the last one of an even n, count as 0.
 * @example
 * fft.irfft(fft.rfft(tensor([1, 2, 3]), 3), 3); // → tensor([1, 2, 3], shape [3], float32, cpu)
 */
export const irfft: RealAlong = along(fromHalf("irfft"));
/**
 * {@link rfft} along the last of two axes, and {@link fft} along the other, see {@link TransformAxesOptions}.
 * @example
 * fft.rfft2(ones([2, 2])); // → tensor([[4+0i, 0+0i], [0+0i, 0+0i]], shape [2, 2], complex64, cpu)
 */
export const rfft2: ComplexOver = over(toHalf("rfft2"), planes);
/**
 * The way back from {@link rfft2}.
 * @example
 * fft.irfft2(fft.rfft2(ones([2, 2]))); // → tensor([[1, 1], [1, 1]], shape [2, 2], float32, cpu)
 */
export const irfft2: RealOver = over(fromHalf("irfft2"), planes);
/**
 * {@link rfft} along the last of several axes, and {@link fft} along the others, see {@link TransformAxesOptions}.
 * @example
 * fft.rfftn(ones([2, 1, 2])).real; // → tensor([[[4, 0]], [[0, 0]]], shape [2, 1, 2], float32, cpu)
 */
export const rfftn: ComplexOver = over(toHalf("rfftn"), null);
/**
 * The way back from {@link rfftn}.
 * @example
 * fft.irfftn(fft.rfftn(ones([2, 2]))); // → tensor([[1, 1], [1, 1]], shape [2, 2], float32, cpu)
 */
export const irfftn: RealOver = over(fromHalf("irfftn"), null);
/**
 * The transform, which is real, of a signal of which the second half is the conjugates of the first: n real numbers
 * Σ x[j] · exp(−2πi·jk/n) from the n/2 + 1 that are given.
 * @example
 * fft.hfft(tensor([1, 2, 3])); // → tensor([8, -2, 0, -2], shape [4], float32, cpu)
 */
export const hfft: RealAlong = along(hermitian("hfft"));
/**
 * The way back from {@link hfft}: the first half of the inverse transform of real numbers.
 * @example
 * fft.ihfft(tensor([8, -2, 0, -2])).real; // → tensor([1, 2, 3], shape [3], float32, cpu)
 */
export const ihfft: ComplexAlong = along(toHermitian("ihfft"));
/**
 * {@link hfft} along the last of two axes, after {@link fft} along the other, see {@link TransformAxesOptions}.
 * @example
 * fft.hfft2(tensor([[1, 2, 3]])); // → tensor([[8, -2, 0, -2]], shape [1, 4], float32, cpu)
 */
export const hfft2: RealOver = over(hermitian("hfft2"), planes);
/**
 * The way back from {@link hfft2}.
 * @example
 * fft.ihfft2(tensor([[8, -2, 0, -2]])).real; // → tensor([[1, 2, 3]], shape [1, 3], float32, cpu)
 */
export const ihfft2: ComplexOver = over(toHermitian("ihfft2"), planes);
/**
 * {@link hfft} along the last of several axes, after {@link fft} along the others, see {@link TransformAxesOptions}.
 * @example
 * fft.hfftn(tensor([[1, 2, 3]])); // → tensor([[8, -2, 0, -2]], shape [1, 4], float32, cpu)
 */
export const hfftn: RealOver = over(hermitian("hfftn"), null);
/**
 * The way back from {@link hfftn}.
 * @example
 * fft.ihfftn(tensor([[8, -2, 0, -2]])).real; // → tensor([[1, 2, 3]], shape [1, 3], float32, cpu)
 */
export const ihfftn: ComplexOver = over(toHermitian("ihfftn"), null);
