// Random tensors with their elements in float64, and results compared with what float64 says of them.
import { expect } from "vitest";
import { tensor, type DType, type Tensor } from "../../native/lib/index.ts";
import { factsOf } from "../../native/lib/memory/dtype.ts";
import { poison, rounded, roundoff } from "./numbers.ts";
import { type Random } from "../helpers/random.ts";

export const floats = ["float32", "float64", "float16", "bfloat16"] as const;
export const integers = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"] as const;

/** A tensor and its elements, in row-major order. */
export interface Sample {
  readonly x: Tensor;
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

export const sizeOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** Makes random tensors of numbers that the dtype holds exactly; poisons what will be theirs. */
export function sampler(random: Random, device: string) {
  return (shape: readonly number[], dtype: DType = "float32", [low, high] = [-2, 2]): Sample => {
    const isFloat = factsOf(dtype).kind === "float";
    const least = isFloat || dtype.startsWith("i") ? low! : Math.max(0, low!);
    const values = Array.from({ length: sizeOf(shape) }, () => {
      const value = least + (high! - least) * random();
      return dtype === "bool" ? Number(value > 0) : isFloat ? rounded(value, dtype) : Math.round(value) + 0; // no −0
    });
    const x = tensor(dtype === "bool" ? values.map(Boolean) : values, { dtype, device }).reshape([...shape]);
    poison(device, Math.max(1, values.length));
    return { x, shape, values };
  };
}

/** The elements in row-major order. */
export const numbersOf = (x: Tensor): number[] => [x.reshape([-1]).toArray()].flat().map(Number);

/** Every index of a shape, in row-major order. */
export function indicesOf(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (all, size) => all.flatMap((index) => Array.from({ length: size }, (_, at) => [...index, at])),
    [[]],
  );
}

/** The element of a sample at an index; axes of size 1, and missing ones in front, stand for all. */
export function at({ shape, values }: Pick<Sample, "shape" | "values">, index: readonly number[]): number {
  const own = index.slice(index.length - shape.length);
  return values[shape.reduce((place, size, axis) => place * size + (size === 1 ? 0 : own[axis]!), 0)]!;
}

/** What float64 says of one element, and the size of the numbers whose roundings it has. */
export type Wanted = readonly [value: number, size: number];

/**
 * The shape, and that each element is no further from float64 than `roundings` of numbers of its size, each of at most
 * a unit in the last place.
 */
export function expectNear(
  got: Tensor,
  shape: readonly number[],
  wanted: readonly Wanted[],
  roundings: number,
  dtype: DType = got.dtype,
): void {
  expect(got.shape).toEqual(shape);
  const unit = 2 * (roundoff[dtype] ?? 0);
  // Numbers below the normal ones have larger steps.
  const step = dtype === "float16" ? 2 ** -24 : 0;
  const wrong = numbersOf(got).flatMap((value, index) => {
    const [value64, size] = wanted[index]!;
    if (Object.is(value, value64) || value === value64 || (Number.isNaN(value) && Number.isNaN(value64))) return [];
    const bound = roundings * (unit * size + step) + 2 ** -50 * size;
    return Math.abs(value - value64) <= bound ? [] : [{ index, value, wanted: value64, bound }];
  });
  expect(wrong.slice(0, 4)).toEqual([]);
  expect(numbersOf(got).length).toBe(wanted.length);
}

/** That each number is no further from the wanted one than its bound. */
export function expectWithin(
  got: readonly number[],
  wanted: readonly number[],
  bound: (index: number) => number,
): void {
  expect(got.length).toBe(wanted.length);
  const wrong = wanted.flatMap((value, index) =>
    Math.abs(got[index]! - value) <= bound(index)
      ? []
      : [{ index, got: got[index], wanted: value, bound: bound(index) }],
  );
  expect(wrong.slice(0, 5)).toEqual([]);
}
