// Discrete Fourier transforms: what `import { fft } from "warpcell"` gives.
export { fft, fft2, fftn, ifft, ifft2, ifftn, type TransformAxesOptions, type TransformOptions } from "./complex.ts";
export { hfft, hfft2, hfftn, ihfft, ihfft2, ihfftn, irfft, irfft2, irfftn, rfft, rfft2, rfftn } from "./real.ts";
export { fftfreq, fftshift, ifftshift, rfftfreq, type FrequencyOptions, type ShiftOptions } from "./frequencies.ts";
export { istft, stft, type InverseStftOptions, type StftOptions } from "../tensor/stft.ts";
