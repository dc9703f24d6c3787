// Short rows that are moved into and out of wider ones, and rows and elements that are taken at indices, on every device
// beside plain loops: how long a row is decides how it is copied.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { cat, stack, tensor, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const below = (count: number) => Math.floor(random() * count);
const dtypes: DType[] = ["uint8", "bfloat16", "float32", "int64"];
const lengths = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 64, 100, 129, 300, 600];
type Matrix = number[][];
const matrix = (rows: number, length: number): Matrix =>
  Array.from({ length: rows }, () => Array.from({ length }, () => below(128)));
const rotated = (row: readonly number[]) => [row.at(-1)!, ...row.slice(0, -1)];

describe.each(devices.map(({ name }) => name))("short rows on %s", (device) => {
  /** Compared as one list: a matcher goes through nested ones for minutes. */
  function same(what: string, got: Tensor, wanted: readonly number[]): void {
    const found = got.to("float64").reshape([-1]).data();
    expect(found.length, what).toBe(wanted.length);
    const at = wanted.findIndex((value, each) => found[each] !== value);
    if (at >= 0) throw new Error(`${what}: element ${at} is ${found[at]}, not ${wanted[at]}.`);
  }

  test.each(dtypes)("rolled, joined and padded: %s", (dtype) => {
    for (const length of lengths) {
      // Several blocks, each of which begins in a row.
      const rows = Math.ceil(20000 / length) + 1;
      const [a, b] = [matrix(rows, length), matrix(rows, 3)];
      const [x, y] = [tensor(a, { dtype, device }), tensor(b, { dtype, device })];
      poison(device, rows * (length + 3));
      same(`roll of ${length}`, x.roll(1, { axis: 1 }), a.flatMap(rotated));
      same(
        `cat of ${length}`,
        cat([x, y], { axis: 1 }),
        a.flatMap((row, at) => [...row, ...b[at]!]),
      );
      same(
        `stack of ${length}`,
        stack([x, x], { axis: 1 }),
        a.flatMap((row) => [...row, ...row]),
      );
      same(
        `pad of ${length}`,
        x.pad([2, 3]),
        a.flatMap((row) => [0, 0, ...row, 0, 0, 0]),
      );
      if (length > 2)
        same(
          `slice of ${length}`,
          x.slice(null, [1, -1]).clone(),
          a.flatMap((row) => row.slice(1, -1)),
        );
    }
  });

  test.each(dtypes)("taken and put at indices: %s", (dtype) => {
    for (const length of lengths) {
      const rows = 50;
      const a = matrix(rows, length);
      const x = tensor(a, { dtype, device });
      const which = Array.from({ length: 700 }, () => below(2 * rows) - rows);
      const wholeRows = which.flatMap((row) => a.at(row)!);
      poison(device, which.length * length);
      same(`rows of ${length}`, x.indexSelect(0, tensor(which, { dtype: "int64", device })), wholeRows);
      const columns = a.map((row) => row.map(() => below(2 * length) - length));
      const index = tensor(columns, { dtype: "int64", device });
      const taken = a.flatMap((row, at) => columns[at]!.map((column) => row.at(column)!));
      same(`gather of ${length}`, x.gather(1, index), taken);
      same(`gather at strides of ${length}`, x.gather(1, index.T.clone().T), taken);
      const downwards = a.map((row) => row.map(() => below(2 * rows) - rows));
      const taller = downwards.flatMap((line) => line.map((row, column) => a.at(row)![column]!));
      same(`down ${length}`, x.gather(0, tensor(downwards, { dtype: "int64", device })), taller);
      const put = a.map((row) => [...row]);
      const values = matrix(rows, length);
      columns.forEach((line, at) =>
        line.forEach((column, k) => (put[at]![(column + length) % length] = values[at]![k]!)),
      );
      const source = tensor(values, { dtype, device });
      same(`scatter of ${length}`, x.scatter(1, index, source), put.flat());
    }
  });

  test("an index outside is told among many that are inside, of elements and of rows", () => {
    const x = tensor(matrix(40, 600), { device });
    const index = Array.from({ length: 40 }, () => Array.from({ length: 600 }, () => below(600)));
    index[17]![311] = 600;
    const said = (size: number, axis: number, at: number) =>
      `Index ${at} is outside axis ${axis}, which has ${size} elements: give one from ${-size} to ${size - 1}.`;
    expect(() => x.gather(1, tensor(index, { dtype: "int64", device })).toArray()).toThrow(said(600, 1, 600));
    const rows = Array.from({ length: 300 }, () => below(40));
    rows[123] = -41;
    expect(() => x.indexSelect(0, tensor(rows, { dtype: "int64", device })).toArray()).toThrow(said(40, 0, -41));
    const far = rows.with(123, 2 ** 45);
    expect(() => x.indexSelect(0, tensor(far, { dtype: "int64", device })).toArray()).toThrow(said(40, 0, 2 ** 45));
  });
});
