// Extremes of rows and columns with what is not ordered, infinities and ties, on every device beside JavaScript's: the
// first NaN wins, else the first of the largest or smallest.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { tensor, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const below = (count: number) => Math.floor(random() * count);
const floats: DType[] = ["float32", "float64", "float16", "bfloat16"];
const integers: DType[] = ["int8", "uint8", "int16", "int32", "int64", "uint32", "uint64"];
/** Around what vectors, groups of rows and chunks of a row have. */
const lengths = [1, 2, 3, 4, 5, 7, 8, 17, 31, 32, 33, 47, 63, 64, 65, 100, 257, 511, 512, 513, 4095, 4096, 4097, 8191];
const rowsOf = (length: number) => (length > 1000 ? 3 : 70);

type Row = readonly number[];
const first = (row: Row, is: (value: number) => boolean) => row.findIndex(is);
const extremeOf = (row: Row, largest: boolean): number =>
  row.some(Number.isNaN) ? NaN : row.reduce((best, value) => (largest ? Math.max : Math.min)(best, value));
const placeOf = (row: Row, largest: boolean): number => {
  const best = extremeOf(row, largest);
  return first(row, (value) => (Number.isNaN(best) ? Number.isNaN(value) : value === best));
};

/** Few different values, so that the extreme comes several times; `special` somewhere in some of the rows. */
function rowsWith(length: number, dtype: DType, special: readonly number[]): Row[] {
  return Array.from({ length: rowsOf(length) }, () => {
    const row = Array.from({ length }, () => below(5) + (dtype.startsWith("u") ? 0 : -2));
    for (const value of special) if (random() < 0.4) row[below(length)] = value;
    return row;
  });
}

const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];

describe.each(devices.map(({ name }) => name))("extremes on %s", (device) => {
  function compare(rows: Row[], dtype: DType): void {
    const length = rows[0]!.length;
    const x = tensor(rows.flat(), { dtype, device }).reshape([rows.length, length]);
    const turned = x.T.clone();
    poison(device, rows.length);
    for (const largest of [true, false]) {
      const what = `${largest ? "max" : "min"} of rows of ${length} ${dtype}`;
      const wanted = rows.map((row) => extremeOf(row, largest));
      const places = rows.map((row) => placeOf(row, largest));
      const [extreme, place] = largest ? (["max", "argmax"] as const) : (["min", "argmin"] as const);
      expect(numbers(x[extreme]({ axis: 1 })), what).toEqual(wanted);
      expect(numbers(x[place]({ axis: 1 })), `places of ${what}`).toEqual(places);
      expect(numbers(turned[extreme]({ axis: 0 })), `columns: ${what}`).toEqual(wanted);
      expect(numbers(turned[place]({ axis: 0 })), `columns: places of ${what}`).toEqual(places);
    }
  }

  test.each(floats)("of %s with NaN and infinities", (dtype) => {
    for (const length of lengths) {
      compare(rowsWith(length, dtype, []), dtype);
      compare(rowsWith(length, dtype, [Infinity, -Infinity]), dtype);
      compare(rowsWith(length, dtype, [Infinity, -Infinity, NaN, NaN]), dtype);
      compare([Array(length).fill(-Infinity), Array(length).fill(Infinity), Array(length).fill(NaN)], dtype);
    }
  });

  test.each(integers)("of %s", (dtype) => {
    for (const length of lengths) compare(rowsWith(length, dtype, []), dtype);
  });

  test.each([...floats, "int64", "int32", "uint8"] as DType[])("any and all of one %s, and of short slabs", (dtype) => {
    const isFloat = floats.includes(dtype);
    const values = [0, 1, 2, ...(isFloat ? [-0, NaN, -Infinity, 2 ** -24] : [3, 0, 7, 100])];
    const isTrue = values.map((value) => value !== 0);
    const x = tensor(values, { dtype, device });
    poison(device, values.length);
    for (const name of ["any", "all"] as const) {
      expect(x.reshape([values.length, 1])[name]({ axis: 1 }).toArray()).toEqual(isTrue);
      expect(x.reshape([1, values.length])[name]({ axis: 0 }).toArray()).toEqual(isTrue);
    }
    for (const inner of [2, 8, 31, 32, 33, 63, 64, 65]) {
      const [outer, length] = [21, 3];
      const marks = Array.from({ length: outer * length * inner }, () => Number(random() < 0.3));
      const slabs = tensor(marks, { dtype, device }).reshape([outer, length, inner]);
      const at = (o: number, i: number, column: number) => marks[(o * length + i) * inner + column]!;
      const each = (join: (column: readonly number[]) => boolean) =>
        Array.from({ length: outer }, (_, o) =>
          Array.from({ length: inner }, (_, column) => join([0, 1, 2].map((i) => at(o, i, column)))),
        );
      poison(device, outer * inner);
      expect(slabs.any({ axis: 1 }).toArray()).toEqual(each((column) => column.some(Boolean)));
      expect(slabs.all({ axis: 1 }).toArray()).toEqual(each((column) => column.every(Boolean)));
      const sums = slabs.sum({ axis: 1 }).to("float64").toArray();
      expect(sums).toEqual(
        Array.from({ length: outer }, (_, o) =>
          Array.from({ length: inner }, (_, column) => [0, 1, 2].reduce((sum, i) => sum + at(o, i, column), 0)),
        ),
      );
    }
  });
});
