// What the kernel says of tiles: numbers as they are, and a sentence for anything else; and what is under the cursor.
import { expect, test } from "vitest";
import { readingAt } from "./reading.ts";
import { checkTile, missingIn, type Tile } from "./source.ts";

const tile = { rows: 2, columns: 3, dtype: "float32", parts: ["mean", "min", "max", "missing"] };
const floats = (...values: number[]) => new Float32Array(values).buffer;
const cells = [0, 1, 2].map((add) => floats(...[1, 2, 3, 4, 5, NaN].map((value) => value + add)));
const buffers = [...cells, new Uint8Array([0, 0, 0, 0, 3, 1]).buffer];
const made = (value: unknown, bytes: readonly (ArrayBuffer | ArrayBufferView)[]): Tile => {
  const checked = checkTile(value, bytes);
  if (!checked.ok) throw new Error(checked.problem);
  return checked.value;
};

test("cells of blocks, elements, and integers that no float has", () => {
  const blocks = made(tile, buffers);
  expect([blocks.values[4], blocks.min[4], blocks.max[4], missingIn(blocks, 4)]).toEqual([5, 6, 7, 3]);
  const shifted = new Uint8Array([9, ...new Uint8Array(floats(1, -Infinity))]).subarray(1);
  const single = made({ rows: 1, columns: 2, dtype: "float32", parts: ["values"] }, [shifted]);
  expect([...single.values, missingIn(single, 1)]).toEqual([1, -Infinity, 4]);
  const exact = made({ rows: 1, columns: 1, dtype: "int64", parts: ["values"] }, [new BigInt64Array([2n ** 53n + 1n])]);
  expect(exact.exact).toEqual(new BigInt64Array([2n ** 53n + 1n]));
});

test.each([
  [null, buffers, /^A tile of a tensor is null but should be a record of fields\.$/],
  [
    { ...tile, rows: 257 },
    buffers,
    /^"rows" of a tile of a tensor is 257 but should be a whole number from 1 to 256\.$/,
  ],
  [{ ...tile, dtype: "float128" }, buffers, /^"dtype" of a tile of a tensor is "float128"/],
  [{ ...tile, parts: "mean" }, buffers, /^"parts" of a tile of a tensor is "mean" but should be a list\.$/],
  [{ ...tile, rows: 3 }, buffers, /^A tile of 3 × 3 cells of float32 does not have the bytes that those take\.$/],
  [{ ...tile, parts: ["values", "more"] }, buffers, /does not have the bytes/],
  [{ ...tile, dtype: "int64" }, buffers, /does not have the bytes/],
  [tile, buffers.slice(1), /does not have the bytes/],
  [tile, [], /does not have the bytes/],
])("%j is no tile", (value, bytes, sentence) =>
  expect(checkTile(value, bytes)).toEqual({ ok: false, problem: expect.stringMatching(sentence) }));

test("what is under the cursor", () => {
  const tensor = { shape: [4, 2, 6], dtype: "float32" };
  const place = { index: [1, 0, 0], rows: 1, columns: 2, level: 1, row: 0, column: 0 };
  const blocks = {
    tile: made({ ...tile, rows: 1 }, [...cells.map((cell) => cell.slice(0, 12)), new Uint8Array([0, 1, 6])]),
    level: 1,
    row: 0,
    column: 0,
  };
  expect(readingAt(blocks, 1, 0, place, tensor)).toBe("[1, 0…1, 0…1] mean 1, min 2, max 3");
  expect(readingAt(blocks, 0, 3, place, tensor)).toBe("[1, 0…1, 2…3] mean 2, min 3, max 4, with NaN");
  expect(readingAt(blocks, 0, 4, place, tensor)).toBe("[1, 0…1, 4…5] mean 3, min 4, max 5, with +∞, −∞");
  expect(readingAt(blocks, 2, 0, place, tensor)).toBe("");
  const bool = {
    tile: made({ rows: 1, columns: 2, dtype: "float32", parts: ["values"] }, [floats(0, 1)]),
    level: 0,
    row: 0,
    column: 0,
  };
  const vector = { ...place, index: [0], rows: null, columns: 0, level: 0 };
  expect(readingAt(bool, 0, 1, vector, { shape: [2], dtype: "bool" })).toBe("[1] true");
});
