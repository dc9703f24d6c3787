// Which pictures have their numbers written in their cells, what is written, and how large they then are.
import { expect, test } from "vitest";
import { numbersOf } from "./numbers.ts";

const single = { rowStep: 1, columnStep: 1 };
const pictureOf = (rows: number, columns: number, valueAt: (index: number) => number) => ({
  rows,
  columns,
  values: Float32Array.from({ length: rows * columns }, (_, index) => valueAt(index)),
  low: 0,
  high: 1,
  missing: [],
});

test("a small picture has its numbers, in cells as wide as the longest", () => {
  expect(
    numbersOf(
      pictureOf(2, 3, (index) => index + 1),
      single,
    ),
  ).toEqual({ texts: ["1", "2", "3", "4", "5", "6"], width: 72, height: 48 });
  const fractions = numbersOf(
    pictureOf(1, 2, (index) => (index ? -1 / 3 : 2)),
    single,
  );
  expect(fractions).toMatchObject({ texts: ["2", "-0.3333"], height: 24 });
  expect(fractions!.width).toBeGreaterThan(2 * 7 * 6.6);
});

test("a cell without a finite value has none", () => {
  expect(
    numbersOf(
      pictureOf(1, 3, (index) => [1, NaN, -Infinity][index]!),
      single,
    )?.texts,
  ).toEqual(["1", "", ""]);
  expect(
    numbersOf(
      pictureOf(1, 2, () => NaN),
      single,
    ),
  ).toBeNull();
});

test.each<[string, [number, number], (index: number) => number, { rowStep: number; columnStep: number }]>([
  ["a cell is several elements", [2, 2], () => 1, { rowStep: 1, columnStep: 2 }],
  ["there are too many rows", [16, 2], () => 1, single],
  ["there are too many columns", [2, 33], () => 1, single],
  ["the numbers are too long for as many columns", [2, 20], () => 1 / 3, single],
])("where %s there are none", (_name, [rows, columns], valueAt, steps) =>
  expect(numbersOf(pictureOf(rows, columns, valueAt), steps)).toBeNull());

test("sixteen fractions have room, and ten of the longest numbers", () => {
  expect(
    numbersOf(
      pictureOf(1, 16, () => -1 / 3),
      single,
    ),
  ).toBeNull();
  expect(
    numbersOf(
      pictureOf(1, 16, () => 1 / 3),
      single,
    )?.texts,
  ).toEqual(Array(16).fill("0.3333"));
  expect(
    numbersOf(
      pictureOf(10, 10, () => -1.23456e-10),
      single,
    )?.texts,
  ).toEqual(Array(100).fill("-1.235e-10"));
});

test("with numbers a picture is no larger than without", () => {
  for (const [rows, columns] of [
    [10, 32],
    [10, 10],
    [1, 32],
  ] as const)
    expect(
      numbersOf(
        pictureOf(rows, columns, (index) => index % 10),
        single,
      ),
    ).toEqual(expect.objectContaining({ width: columns * 24, height: rows * 24 }));
});
