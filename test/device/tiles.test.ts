// Tiles, statistics and found elements of a tensor as viewers ask for them: against float64 over random elements, with
// some that are not finite, for every dtype, however the tensor lies.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { full, tensor, zeros, type DType, type Tensor } from "../../native/lib/index.ts";
import { dtypeNames } from "../../native/lib/memory/dtype.ts";
import { nextFound, tileAt, tileSide, viewedStatistics } from "../../native/lib/tensor/tiles.ts";
import type { TilePlace } from "../../native/lib/payloads.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded, type Random } from "../helpers/random.ts";

const random = seeded(freshSeed());
const kindOf = (dtype: DType) =>
  dtype.startsWith("complex") ? "complex" : dtype === "bool" ? "bool" : /int/.test(dtype) ? "int" : "float";
const real = dtypeNames.filter((dtype) => kindOf(dtype) !== "complex");
const product = (shape: readonly number[]) => shape.reduce((size, length) => size * length, 1);

function elements(count: number, dtype: DType, random: Random): number[] {
  const kind = kindOf(dtype);
  const [low, span] = kind === "bool" ? [0, 2] : dtype.startsWith("u") ? [0, 256] : [-128, 256];
  return Array.from({ length: count }, () => {
    const value = random() * span + low;
    if (kind !== "float") return Math.floor(value);
    const chance = random();
    return chance < 0.0005 ? NaN : chance < 0.001 ? Infinity : chance < 0.0015 ? -Infinity : value / 50;
  });
}

function made(shape: readonly number[], dtype: DType, device: string): Tensor {
  using wide = tensor(elements(product(shape), dtype, random), { dtype: "float64", device });
  return wide.to(dtype).reshape(shape);
}

/** As float64, row by row. */
function numbersOf(x: Tensor): number[] {
  using wide = x.to("float64");
  return Array.from(wide.contiguous().data() as Float64Array);
}

const readers = {
  float32: (bytes: Uint8Array) => Array.from(new Float32Array(bytes.slice().buffer)),
  float64: (bytes: Uint8Array) => Array.from(new Float64Array(bytes.slice().buffer)),
  int64: (bytes: Uint8Array) => Array.from(new BigInt64Array(bytes.slice().buffer), Number),
  uint64: (bytes: Uint8Array) => Array.from(new BigUint64Array(bytes.slice().buffer), Number),
};

/** What a tile has to be, of the elements as float64. */
function expectTile(x: Tensor, values: readonly number[], place: TilePlace): void {
  const { tile, buffers } = tileAt(x, place);
  const step = 2 ** place.level;
  const lengthOf = (axis: number | null) => (axis === null ? 1 : x.shape[axis]!);
  const valueAt = (i: number, j: number) => {
    const index = x.shape.map((_length, axis) =>
      axis === place.rows ? i : axis === place.columns ? j : place.index[axis]!,
    );
    return values[index.reduce((flat, at, axis) => flat * x.shape[axis]! + at, 0)]!;
  };
  const [top, left] = [place.row * tileSide * step, place.column * tileSide * step];
  const bottom = Math.min(lengthOf(place.rows), top + tileSide * step);
  const right = Math.min(lengthOf(place.columns), left + tileSide * step);
  expect([tile.rows, tile.columns]).toEqual([Math.ceil((bottom - top) / step), Math.ceil((right - left) / step)]);
  const numbers = buffers.map((buffer, part) => (part < 3 ? readers[tile.dtype](buffer) : [...buffer]));
  if (place.level === 0) {
    expect(tile.parts).toEqual(["values"]);
    const wanted = Array.from({ length: bottom - top }, (_, i) =>
      Array.from({ length: right - left }, (_each, j) => valueAt(top + i, left + j)),
    ).flat();
    return expect(numbers).toEqual([wanted]);
  }
  expect(tile.parts).toEqual(["mean", "min", "max", "missing"]);
  const [mean, min, max, missing] = numbers as [number[], number[], number[], number[]];
  const wrong: object[] = [];
  for (let row = 0; row < tile.rows; row++)
    for (let column = 0; column < tile.columns; column++) {
      const finite: number[] = [];
      let marks = 0;
      let infinities = 0;
      for (let i = top + row * step; i < Math.min(bottom, top + (row + 1) * step); i++)
        for (let j = left + column * step; j < Math.min(right, left + (column + 1) * step); j++) {
          const value = valueAt(i, j);
          if (Number.isFinite(value)) finite.push(value);
          else marks |= Number.isNaN(value) ? 1 : value > 0 ? 2 : 4;
          if (Math.abs(value) === Infinity) infinities += Math.sign(value);
        }
      const at = row * tile.columns + column;
      const sum = finite.reduce((total, value) => total + value, 0);
      const size = finite.reduce((total, value) => total + Math.abs(value), 0);
      const nothing = marks & 1 ? NaN : infinities >= 0 ? Infinity : -Infinity;
      const wanted = finite.length === 0 ? nothing : sum / finite.length;
      // Two sums of n numbers in any order, and a rounding to the tile's own numbers.
      const rounding = tile.dtype === "float32" ? 2 ** -24 : 2 ** -53;
      const bound = finite.length * 2 ** -52 * (size / finite.length) + rounding * Math.abs(wanted) * 1.001;
      const isNear = finite.length === 0 ? Object.is(mean[at], wanted) : Math.abs(mean[at]! - wanted) <= bound;
      const extremes =
        finite.length === 0
          ? [nothing, nothing]
          : [Math.min, Math.max].map((pick) => finite.reduce((a, b) => pick(a, b)));
      const isSame = extremes.every(
        (extreme, which) => (which === 0 ? min : max)[at] === extreme || Number.isNaN(extreme),
      );
      if (!isNear || !isSame || missing[at] !== marks)
        wrong.push({ row, column, got: numbers.map((part) => part[at]), wanted, extremes, marks, bound });
    }
  expect(wrong.slice(0, 3)).toEqual([]);
}

const all = (x: Tensor, rows: number | null, columns: number | null, level: number, index?: number[]): TilePlace[] => {
  const side = tileSide * 2 ** level;
  const count = (axis: number | null) => (axis === null ? 1 : Math.ceil(x.shape[axis]! / side));
  return Array.from({ length: count(rows) * count(columns) }, (_, at) => ({
    index: index ?? x.shape.map((length) => length - 1),
    rows,
    columns,
    level,
    row: Math.floor(at / count(columns)),
    column: at % count(columns),
  }));
};

describe.each(devices)("on $name", ({ name: device }) => {
  test.each(real)("tiles of %s, of every level", (dtype) => {
    using x = made([2, 301, 517], dtype, device);
    const values = numbersOf(x);
    for (const level of [0, 1, 3, 9]) for (const place of all(x, 1, 2, level)) expectTile(x, values, place);
    for (const level of [0, 2]) for (const place of all(x, 2, 0, level)) expectTile(x, values, place);
  });

  test("views: turned, with gaps, stretched, of one axis and of none", () => {
    using x = made([4, 611, 37], "float32", device);
    const check = (view: Tensor, rows: number | null, columns: number | null) => {
      const values = numbersOf(view);
      for (const level of [0, 1, 4])
        for (const place of all(view, rows, columns, level)) expectTile(view, values, place);
    };
    check(x.transpose(0, 1), 0, 1);
    check(x.transpose(0, 2), 1, 2);
    check(x.slice([1, 4, 2], [3, 600, 7], [0, 37, 3]), 1, 2);
    check(x.slice(1, null, [5, 6]).expand([611, 300]), 0, 1);
    check(x.slice(1), 1, 0);
    check(x.reshape([-1]), null, 0);
    check(x.reshape([-1]), 0, null);
    check(x.slice(2, 3, 4), null, null);
  });

  test("one NaN and one infinity among many elements are seen in the overview", () => {
    using x = zeros([5000, 3001], { device });
    x.set([4321, 2999], NaN);
    x.set([17, 3], -Infinity);
    const { tile, buffers } = tileAt(x, { index: [0, 0], rows: 0, columns: 1, level: 5, row: 0, column: 0 });
    expect([tile.rows, tile.columns]).toEqual([157, 94]);
    const marked = [...buffers[3]!].flatMap((mark, at) => (mark === 0 ? [] : [[Math.floor(at / 94), at % 94, mark]]));
    expect(marked).toEqual([
      [0, 0, 4],
      [135, 93, 1],
    ]);
    expect(new Set(readers.float32(buffers[0]!))).toEqual(new Set([0]));
  });

  test("rows that are very long, and columns", () => {
    using x = made([1, 300_007], "float32", device);
    const values = numbersOf(x);
    for (const level of [5, 11, 19]) for (const place of all(x, 0, 1, level)) expectTile(x, values, place);
    using y = x.reshape([300_007, 1]);
    for (const level of [5, 11, 19]) for (const place of all(y, 0, 1, level)) expectTile(y, values, place);
  });

  test("integers of 64 bits are exact, and means of great numbers do not overflow", () => {
    using x = tensor([2n ** 53n + 1n, -(2n ** 63n)], { dtype: "int64", device });
    const place = { index: [0], rows: null, columns: 0, level: 0, row: 0, column: 0 };
    const { tile, buffers } = tileAt(x, place);
    expect(tile.dtype).toBe("int64");
    expect([...new BigInt64Array(buffers[0]!.slice().buffer)]).toEqual([2n ** 53n + 1n, -(2n ** 63n)]);
    using y = full([4], 3.4e38, { device });
    expect(readers.float32(tileAt(y, { ...place, level: 2 }).buffers[0]!)).toEqual([Math.fround(3.4e38)]);
  });

  test("complex elements are shown by their size; differences are of any dtypes", () => {
    using z = tensor(
      [
        { re: 3, im: -4 },
        { re: 0, im: 1 },
      ],
      { dtype: "complex64", device },
    );
    const place = { index: [0], rows: null, columns: 0, level: 0, row: 0, column: 0 };
    expect(readers.float32(tileAt(z, place).buffers[0]!)).toEqual([5, 1]);
    using a = tensor([1, 250], { dtype: "uint8", device });
    using b = tensor([3, 1.5], { dtype: "float32", device });
    const { tile, buffers } = tileAt(a, place, b);
    expect(readers[tile.dtype](buffers[0]!)).toEqual([-2, 248.5]);
    expect(viewedStatistics(a, b)).toMatchObject({ min: -2, max: 248.5, mean: 123.25 });
    expect(nextFound(a, "minimum", null, b)).toEqual([0]);
    using c = zeros([3], { device });
    expect(() => tileAt(a, place, c)).toThrow(
      "A difference is shown of tensors of one shape, but these are of [2] and [3].",
    );
  });

  test.each(real)("statistics of %s", (dtype) => {
    using x = made([97, 211], dtype, device);
    const values = numbersOf(x);
    const finite = values.filter(Number.isFinite).toSorted((a, b) => a - b);
    const mean = finite.reduce((sum, value) => sum + value, 0) / finite.length;
    const squares = finite.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    const found = viewedStatistics(x);
    const [least, most] = [finite[0]!, finite.at(-1)!];
    expect(found).toMatchObject({
      min: least,
      max: most,
      nan: values.filter(Number.isNaN).length,
      inf: values.filter((value) => Math.abs(value) === Infinity).length,
    });
    expect(Math.abs(found.deviation! - Math.sqrt(squares / finite.length))).toBeLessThan(
      finite.length * 2 ** -50 * (most - least),
    );
    expect(found.histogram).toHaveLength(256);
    expect(found.histogram.reduce((sum, count) => sum + count, 0)).toBe(finite.length);
    // Within a bin, which is what is told.
    const bin = (most - least) / 256;
    expect(Math.abs(found.low! - finite[Math.floor(0.01 * finite.length)]!)).toBeLessThanOrEqual(1.01 * bin);
    expect(Math.abs(found.high! - finite[Math.floor(0.99 * finite.length)]!)).toBeLessThanOrEqual(1.01 * bin);
  });

  test("percentiles where a few elements are far away; statistics where there is nothing", () => {
    using x = tensor(
      Array.from({ length: 20_000 }, (_, at) => (at === 5 ? 1e30 : random())),
      { device },
    );
    const { low, high } = viewedStatistics(x);
    expect(low).toBeGreaterThan(0.005);
    expect(low).toBeLessThan(0.016);
    expect(high).toBeGreaterThan(0.98);
    expect(high).toBeLessThan(1);
    using nothing = full([3], NaN, { device });
    expect(viewedStatistics(nothing)).toEqual({
      min: null,
      max: null,
      mean: null,
      nan: 3,
      inf: 0,
      deviation: null,
      low: null,
      high: null,
      histogram: [],
    });
    using many = tensor(
      Array.from({ length: 5000 }, (_, at) => (at % 10 === 0 ? random() + 1 : at % 10 === 1 ? 0.3 : 0)),
      { device },
    );
    expect(viewedStatistics(many).low).toBe(0);
    using same = full([300], 7, { device });
    expect(viewedStatistics(same)).toMatchObject({ min: 7, max: 7, deviation: 0, low: 7, high: 7 });
  });

  test("the next element of a kind, and the first again after the last", () => {
    using x = zeros([20, 30, 40], { device });
    const nans = [
      [0, 0, 3],
      [7, 29, 39],
      [19, 0, 0],
    ];
    for (const index of nans) x.set(index, NaN);
    x.set([2, 3, 4], -Infinity);
    x.set([5, 5, 5], 9);
    x.set([6, 5, 5], 9);
    let after: number[] | null = null;
    for (const index of [...nans, ...nans]) expect((after = nextFound(x, "nan", after))).toEqual(index);
    expect(nextFound(x, "infinity", [19, 29, 39])).toEqual([2, 3, 4]);
    expect(nextFound(x, "maximum", null)).toEqual([5, 5, 5]);
    expect(nextFound(x, "maximum", [5, 5, 5])).toEqual([6, 5, 5]);
    expect(nextFound(x, "minimum", [0, 0, 3])).toEqual([0, 0, 4]);
    using turned = x.transpose(0, 2);
    expect(nextFound(turned, "nan", null)).toEqual([0, 0, 19]);
    using calm = zeros([3], { device });
    expect(nextFound(calm, "nan", null)).toBeNull();
    expect(() => nextFound(calm, "nan", [3])).toThrow("There is no element [3] of a tensor of shape [3].");
  });

  test("what is no tile is said", () => {
    using x = zeros([3, 300, 400], { device });
    const place = { index: [0, 0, 0], rows: 1, columns: 2, level: 0, row: 0, column: 0 };
    const problem = (change: Partial<TilePlace>) => () => tileAt(x, { ...place, ...change });
    const shape = "of a tensor of shape [3, 300, 400]";
    expect(problem({ index: [0] })).toThrow(`A tile ${shape} takes an index of 3 positions, not of 1.`);
    expect(problem({ rows: 3 })).toThrow(`There is no axis 3 ${shape} to lay along a tile.`);
    expect(problem({ rows: 2 })).toThrow("A tile's rows and columns are two axes, but both are axis 2.");
    expect(problem({ index: [3, 0, 0] })).toThrow(`There is no position 3 on axis 0 ${shape}.`);
    expect(problem({ level: 60 })).toThrow("A tile's level is at most 48, not 60.");
    expect(problem({ row: 2 })).toThrow(`There is no tile [2, 0] of level 0 ${shape}.`);
    expect(problem({ level: 1, column: 1 })).toThrow(`There is no tile [0, 1] of level 1 ${shape}.`);
    using empty = zeros([0, 4], { device });
    expect(() => tileAt(empty, { ...place, index: [0, 0], rows: 0, columns: 1 })).toThrow("There is no tile [0, 0]");
  });
});
