// Random input and error bounds for tests of arithmetic: what float64 says, and how far a device may be from it.
import type { DType } from "../../native/lib/memory/dtype.ts";
import { dtypes, full, type Tensor } from "../../native/lib/index.ts";

/** Unit roundoff: half the distance from 1 to the next number. */
export const roundoff: Partial<Record<DType, number>> = {
  float32: 2 ** -24,
  float64: 2 ** -53,
  float16: 2 ** -11,
  bfloat16: 2 ** -8,
};

/** Random numbers that the dtype holds exactly, so that reference and device start from the same input. */
export function randomValues(count: number, dtype: DType): number[] {
  const makers: Partial<Record<DType, () => number>> = {
    float64: () => Math.random() * 4 - 2,
    float16: () => Math.round((Math.random() * 4 - 2) * 256) / 256,
    bfloat16: () => Math.round((Math.random() * 4 - 2) * 32) / 32,
    int8: () => Math.round(Math.random() * 255) - 128,
    uint8: () => Math.round(Math.random() * 255),
    int32: () => Math.round((Math.random() - 0.5) * 2 ** 32),
    int64: () => Math.round((Math.random() - 0.5) * 2 ** 53),
    bool: () => Math.round(Math.random()),
  };
  const make = makers[dtype] ?? (() => Math.fround(Math.random() * 4 - 2));
  return Array.from({ length: count }, make);
}

/**
 * Fills the next free blocks of up to that size with a pattern that no right result has, so that what a kernel leaves
 * out shows.
 */
export function poison(device: string, elements: number): void {
  const blocks: Tensor[] = [1, 1, 2, 4].map((part) =>
    full([Math.ceil(elements / part)], NaN, { dtype: "float64", device }),
  );
  for (const block of blocks) block.dispose();
}

/** The number of that dtype nearest to `value`. */
export function rounded(value: number, dtype: DType): number {
  if (dtype === "float64") return value;
  if (dtype === "float32") return Math.fround(value);
  const { encode, decode } = dtypes[dtype] as { encode(value: number): bigint; decode(raw: number): number };
  return decode(Number(encode(value)));
}
