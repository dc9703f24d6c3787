// Pictures decoded from base64, their range, and which elements a cell stands for.
import { expect, test } from "vitest";
import type { TensorPayload } from "../../../kernel/mime.ts";
import { decodeTile, elementsOf, inRangeOf } from "./tile.ts";

const encode = (values: number[]) => {
  const bytes = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, index) => bytes.setFloat32(index * 4, value, true));
  return Buffer.from(bytes.buffer).toString("base64");
};
const tileOf = (rows: number, columns: number, values: number[]) => ({
  rows,
  columns,
  rowStep: 1,
  columnStep: 1,
  values: encode(values),
});

test("every value comes back, with the range of the finite ones", () => {
  const values = Array.from({ length: 64 * 256 }, () =>
    Math.fround((Math.random() - 0.5) * 10 ** (Math.random() * 20)),
  );
  values[5] = NaN;
  values[77] = Infinity;
  const decoded = decodeTile(tileOf(64, 256, values), "float32");
  if (!decoded.ok) throw new Error(decoded.problem);
  expect(Array.from(decoded.value.values)).toEqual(values);
  const finite = values.filter(Number.isFinite);
  expect(decoded.value).toMatchObject({
    rows: 64,
    columns: 256,
    low: Math.min(...finite),
    high: Math.max(...finite),
    missing: ["NaN", "+∞"],
  });
});

test("a picture without a finite cell has no range", () => {
  expect(decodeTile(tileOf(1, 2, [NaN, -Infinity]), "float32")).toMatchObject({
    ok: true,
    value: { low: null, high: null, missing: ["NaN", "−∞"] },
  });
  expect(decodeTile(tileOf(1, 2, [1, 1]), "bool")).toMatchObject({ ok: true, value: { low: 0, high: 1, missing: [] } });
});

test.each([
  ["not base64!", "The picture of a tensor preview cannot be read: its values are not base64."],
  ["AAA", "The picture of a tensor preview cannot be read: its values are not base64."],
  ["AAAAAA==", "The picture of a tensor preview holds 4 bytes, but its 1 × 2 cells take 8."],
])("the values %j are refused", (values, problem) => {
  expect(decodeTile({ rows: 1, columns: 2, rowStep: 1, columnStep: 1, values }, "float32")).toEqual({
    ok: false,
    problem,
  });
});

test("a cell names its elements, the last one of an axis only those there are", () => {
  const steps = { rows: 3, columns: 4, rowStep: 4, columnStep: 3, values: "" };
  expect(elementsOf([9, 10], steps, 0, 0)).toBe("[0…3, 0…2]");
  expect(elementsOf([9, 10], steps, 2, 3)).toBe("[8, 9]");
  expect(elementsOf([7, 2, 9, 10], steps, 1, 1)).toBe("[0, 0, 4…7, 3…5]");
  expect(elementsOf([10], { ...steps, rows: 1 }, 0, 2)).toBe("[6…8]");
  expect(elementsOf([], { ...steps, rows: 1, columns: 1 }, 0, 0)).toBe("[]");
});

test("a slice is in the range of its tensor, or in its own where that is wider; a matrix in its own", () => {
  const payload: TensorPayload = {
    version: 1,
    shape: [4, 1, 2],
    dtype: "float32",
    device: "cpu",
    size: 8,
    bytes: 32,
    min: -3,
    max: 5,
    mean: 1,
    nan: 0,
    inf: 0,
    suspect: false,
    tile: null,
  };
  const rangeOf = (values: number[], changes: Partial<TensorPayload> = {}) => {
    const decoded = decodeTile(tileOf(1, 2, values), "float32");
    if (!decoded.ok) throw new Error(decoded.problem);
    const { low, high } = inRangeOf({ ...payload, ...changes }, decoded.value);
    return [low, high];
  };
  expect(rangeOf([1, 2])).toEqual([-3, 5]);
  expect(rangeOf([-8, 2])).toEqual([-8, 5]);
  expect(rangeOf([1, 2], { shape: [1, 2], size: 2 })).toEqual([1, 2]);
  expect(rangeOf([1, 2], { min: null, max: null })).toEqual([1, 2]);
  expect(rangeOf([NaN, NaN])).toEqual([null, null]);
});
