// What notebooks show of a tensor, on every device: text, table and payload, and that a big tensor stays where it is.
import "./cache.ts";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { binding } from "../../native/lib/wire/binding.ts";
import { arange, full, ones, rand, randn, tensor, zeros, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { rounded } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import type { DType } from "../../native/lib/memory/dtype.ts";

const mime = "application/vnd.warpcell.tensor.v1+json";
interface Payload {
  version: number;
  shape: number[];
  dtype: string;
  device: string;
  size: number;
  bytes: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  nan: number;
  inf: number;
  suspect: boolean;
  tile: { rows: number; columns: number; rowStep: number; columnStep: number; values: string } | null;
}

function bundle(x: Tensor): Record<string, string> {
  return (x as unknown as Record<symbol, () => Record<string, string>>)[Symbol.for("Jupyter.display")]!();
}

function payload(x: Tensor): Payload {
  return bundle(x)[mime] as unknown as Payload;
}

function cells({ tile }: Payload): number[] {
  const bytes = Buffer.from(tile!.values, "base64");
  return [...new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)];
}

describe.each(devices.map((device) => device.name))("on %s", (device) => {
  test.each<[string, () => Tensor, string]>([
    ["a vector", () => tensor([1, 2.5, -3], { device }), `tensor([ 1.0,  2.5, -3.0], shape [3], float32, ${device})`],
    [
      "a matrix",
      () =>
        tensor(
          [
            [1, 2],
            [3, 4],
          ],
          { device },
        ),
      `tensor([[1, 2],\n        [3, 4]], shape [2, 2], float32, ${device})`,
    ],
    [
      "rounded fractions",
      () => tensor([1 / 3, 1e-20], { device }),
      `tensor([3.33333e-01, 1.00000e-20], shape [2], float32, ${device})`,
    ],
    [
      "float64 shows more digits",
      () => tensor([1 / 3], { device, dtype: "float64" }),
      `tensor([0.33333333], shape [1], float64, ${device})`,
    ],
    [
      "NaN, infinities and booleans",
      () => tensor([NaN, Infinity, -Infinity], { device }),
      `tensor([      NaN,  Infinity, -Infinity], shape [3], float32, ${device})`,
    ],
    ["bool", () => tensor([true, false], { device }), `tensor([ true, false], shape [2], bool, ${device})`],
    ["int64", () => tensor([2n ** 60n], { device }), `tensor([1152921504606846976], shape [1], int64, ${device})`],
    ["one element", () => full([], 7, { device }), `tensor(7, shape [], float32, ${device})`],
    [
      "big numbers",
      () => tensor([3.4e38, 1e20, 2 ** 24], { device }),
      `tensor([3.40000e+38, 1.00000e+20, 1.67772e+07], shape [3], float32, ${device})`,
    ],
    ["zero with a sign", () => tensor([0, -0], { device }), `tensor([ 0, -0], shape [2], float32, ${device})`],
    [
      "no elements in many rows",
      () => zeros([1_000_000, 0], { device }),
      `tensor([], shape [1000000, 0], float32, ${device})`,
    ],
    ["no elements", () => zeros([0, 3], { device }), `tensor([], shape [0, 3], float32, ${device})`],
    [
      "a long vector",
      () => arange(1 << 20, { device }),
      `tensor([      0,       1,       2, …, 1048573, 1048574, 1048575],\n       shape [1048576], float32, ${device})`,
    ],
    [
      "a view",
      () => arange(6, { device }).reshape([2, 3]).T,
      `tensor([[0, 3],\n        [1, 4],\n        [2, 5]], shape [3, 2], float32, ${device})`,
    ],
  ])("text of %s", (_, make, text) => {
    const x = make();
    expect(String(x)).toBe(text);
    expect(bundle(x)["text/plain"]).toBe(String(x));
  });

  test("text of a tensor with long axes shows three at both ends of each", () => {
    expect(String(arange(10_000, { device }).reshape([100, 100]))).toBe(
      [
        "tensor([[   0,    1,    2, …,   97,   98,   99],",
        "        [ 100,  101,  102, …,  197,  198,  199],",
        "        [ 200,  201,  202, …,  297,  298,  299],",
        "        …,",
        "        [9700, 9701, 9702, …, 9797, 9798, 9799],",
        "        [9800, 9801, 9802, …, 9897, 9898, 9899],",
        `        [9900, 9901, 9902, …, 9997, 9998, 9999]],`,
        `       shape [100, 100], float32, ${device})`,
      ].join("\n"),
    );
  });

  test("text of a tensor with many axes shows three at both ends of the last three, and one of the others", () => {
    const text = String(arange(7 ** 7, { device, dtype: "int32" }).reshape([7, 7, 7, 7, 7, 7, 7]));
    expect(text.match(/\d+(?=[,\]])/g)!.filter((word) => word !== "7").length).toBeLessThan(2 ** 4 * 6 ** 3 + 10);
    expect(text.startsWith("tensor([[[[[[[     0,      1,      2, …,      4,      5,      6],")).toBe(true);
    expect(text).toContain(`${7 ** 7 - 3}, ${7 ** 7 - 2}, ${7 ** 7 - 1}]]]]]]],\n       shape`);
  });

  test("rows longer than a line go on in the next, columns under columns", () => {
    expect(String(arange(40, { device, dtype: "int32" }))).toBe(
      [
        "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,",
        "        17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,",
        `        34, 35, 36, 37, 38, 39], shape [40], int32, ${device})`,
      ].join("\n"),
    );
    const lines = String(randn([50, 20], { device })).split("\n");
    expect(lines.length).toBeGreaterThan(100);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(75);
    expect(String(arange(1000, { device }))).not.toContain("…");
    expect(String(arange(1001, { device }))).toContain("…");
  });

  test("matrices of one tensor have a line between them", () => {
    expect(String(arange(8, { device }).reshape([2, 2, 2]))).toBe(
      [
        "tensor([[[0, 1],",
        "         [2, 3]],",
        "",
        "        [[4, 5],",
        `         [6, 7]]], shape [2, 2, 2], float32, ${device})`,
      ].join("\n"),
    );
  });

  test("floats of one tensor have one notation", () => {
    expect(String(tensor([0.001, 25, NaN], { device, dtype: "float64" }))).toBe(
      `tensor([ 0.001, 25.000,    NaN], shape [3], float64, ${device})`,
    );
    expect(String(tensor([2e-5, -1], { device, dtype: "float64" }))).toBe(
      `tensor([ 2e-05, -1e+00], shape [2], float64, ${device})`,
    );
    expect(String(tensor([-0, 0.5], { device }))).toBe(`tensor([-0.0,  0.5], shape [2], float32, ${device})`);
  });

  test("inside objects and arrays a tensor is one line, without its elements when there are many", () => {
    expect(
      inspect(
        {
          a: tensor(
            [
              [1, 2],
              [3, 4.5],
            ],
            { device },
          ),
          b: [rand([100, 100], { device })],
        },
        { breakLength: 200 },
      ),
    ).toBe(
      `{ a: tensor([[1.0, 2.0], [3.0, 4.5]], shape [2, 2], float32, ${device}), b: [ tensor(shape [100, 100], float32, ${device}) ] }`,
    );
    const x = ones([2, 2], { device });
    expect(inspect(x)).toBe(String(x));
    x.dispose();
    expect(inspect([x])).toBe(`[ tensor(disposed, shape [2, 2], float32, ${device}) ]`);
  });

  test("operators of JavaScript are refused with what to write, text is not", () => {
    const x = ones([3], { device }) as unknown as number;
    const sentence =
      "JavaScript's operators do not compute with tensors. Write x.add(1) for x + 1, x.mul(2) for x * 2, x.neg() for -x, x.lt(y) for x < y, x.item() for the number in a tensor of one element, and `${x}` for its text.";
    expect(() => x + 1).toThrow(sentence);
    expect(() => -x).toThrow(sentence);
    expect(() => x < 1).toThrow(sentence);
    expect(`${x}`).toBe(`tensor([1, 1, 1], shape [3], float32, ${device})`);
  });

  test("a disposed tensor says so and shows nothing else", () => {
    const x = zeros([2], { device });
    x.dispose();
    expect(bundle(x)).toEqual({
      "text/plain": `tensor(disposed, shape [2], float32, ${device})`,
      "text/html": `<div>tensor(disposed, shape [2], float32, ${device})</div>`,
    });
  });

  test("a table of all elements", () => {
    expect(
      bundle(
        tensor(
          [
            [1, 2],
            [3, 4],
          ],
          { device },
        ),
      )["text/html"],
    ).toBe(
      `<div>tensor, shape [2, 2], float32, ${device}</div><table><tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody></table>`,
    );
    expect(bundle(full([], 5, { device }))["text/html"]).toContain("<tr><td>5</td></tr>");
    expect(bundle(zeros([0], { device }))["text/html"]).toBe(`<div>tensor, shape [0], float32, ${device}</div>`);
  });

  test("a table has a row for each of a matrix, and one for a vector", () => {
    const rowsOf = (x: Tensor) =>
      [...bundle(x)["text/html"]!.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row]) =>
        [...row!.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell),
      );
    expect(rowsOf(arange(4, { device }))).toEqual([["0", "1", "2", "3"]]);
    expect(rowsOf(arange(256, { device }).reshape([16, 16]))).toEqual(
      Array.from({ length: 16 }, (_, row) => Array.from({ length: 16 }, (_, column) => String(row * 16 + column))),
    );
    expect(rowsOf(full([1, 1, 1], 2, { device }))).toEqual([["2"]]);
  });

  test("the payload's figures are over finite elements", () => {
    const x = tensor(
      [
        [1, NaN, 3],
        [Infinity, -5, -Infinity],
      ],
      { device },
    );
    expect(payload(x)).toMatchObject({
      version: 1,
      shape: [2, 3],
      dtype: "float32",
      device,
      size: 6,
      bytes: 24,
      min: -5,
      max: 3,
      mean: -1 / 3,
      nan: 1,
      inf: 2,
      suspect: false,
    });
    expect(cells(payload(x))).toEqual([1, NaN, 3, Infinity, -5, -Infinity]);
    expect(payload(full([3], NaN, { device }))).toMatchObject({ min: null, max: null, mean: null, nan: 3, inf: 0 });
    expect(payload(zeros([0], { device }))).toMatchObject({
      min: null,
      max: null,
      mean: null,
      nan: 0,
      inf: 0,
      tile: null,
    });
    expect(payload(tensor([3n, -4n], { device }))).toMatchObject({
      min: -4,
      max: 3,
      mean: -0.5,
      tile: { rows: 1, columns: 2 },
    });
    expect(payload(ones([2, 2], { device, dtype: "bool" }))).toMatchObject({ min: 1, max: 1, mean: 1 });
  });

  test("an element that float32 cannot hold is a cell at the end of its range, not one without a value", () => {
    const limit = 2 ** 128 - 2 ** 104;
    expect(cells(payload(tensor([1e300, -1e300, NaN, 2], { device, dtype: "float64" })))).toEqual([
      limit,
      -limit,
      NaN,
      2,
    ]);
    expect(cells(payload(full([512], Number.MAX_VALUE, { device, dtype: "float64" })))[0]).toBe(limit);
  });

  test("the tile is means of blocks, the last ones smaller", () => {
    const [rows, columns] = [131, 700];
    const x = rand([2, rows, columns], { device, dtype: "float64" });
    const shown = payload(x.transpose([0, 2, 1]).slice([1]).transpose([0, 2, 1]));
    expect(shown.tile).toMatchObject({ rows: 44, columns: 234, rowStep: 3, columnStep: 3 });
    const values = x.slice(1).toArray() as number[][];
    const wanted = Array.from({ length: 44 * 234 }, (_, cell) => {
      const block = values
        .slice(Math.floor(cell / 234) * 3)
        .slice(0, 3)
        .flatMap((row) => row.slice((cell % 234) * 3, (cell % 234) * 3 + 3));
      return block.reduce((sum, value) => sum + value, 0) / block.length;
    });
    const worst = Math.max(...cells(shown).map((value, index) => Math.abs(value - wanted[index]!)));
    // One rounding to float32 of a mean below 1, and nine of float64.
    expect(worst).toBeLessThanOrEqual(2 ** -24 + 9 * 2 ** -53);
    expect(shown.min).toBe(Math.min(...values.flat()));
    expect(shown.max).toBe(Math.max(...values.flat()));
  });

  test.each([
    ["a square", [512, 512], { rows: 128, columns: 128, rowStep: 4, columnStep: 4 }],
    ["a wide one", [64, 256], { rows: 64, columns: 256, rowStep: 1, columnStep: 1 }],
    ["an upright one", [700, 131], { rows: 234, columns: 44, rowStep: 3, columnStep: 3 }],
    ["a ribbon", [10, 4000], { rows: 10, columns: 250, rowStep: 1, columnStep: 16 }],
    ["a wide ribbon", [100, 10_000], { rows: 34, columns: 250, rowStep: 3, columnStep: 40 }],
    ["a column", [1000, 1], { rows: 250, columns: 1, rowStep: 4, columnStep: 1 }],
  ])("both axes of %s are sampled alike, unless one would be lost", (_name, shape, grid) => {
    expect(payload(zeros(shape, { device })).tile).toMatchObject(grid);
  });

  test("a cell of several elements without a finite one says which kind it has, a NaN first", () => {
    const rows = Array.from({ length: 512 }, (_, row) =>
      Array.from({ length: 512 }, (_, column) =>
        row < 4 && column < 12
          ? [Infinity, -Infinity, -Infinity, -Infinity, NaN, Infinity, Infinity, Infinity, NaN, 2, Infinity, -Infinity][
              column
            ]!
          : Infinity,
      ),
    );
    const x = tensor(rows, { device });
    expect(cells(payload(x)).slice(0, 4)).toEqual([-Infinity, NaN, 2, Infinity]);
  });

  test.each<[DType, number[]]>(
    (["float32", "float64", "bfloat16", "int64", "uint8"] as const).flatMap((dtype) =>
      [
        [1, 7],
        [29, 300],
        [131, 700],
        [3, 9001],
        [1, 300_007],
      ].map((shape): [DType, number[]] => [dtype, shape]),
    ),
  )("figures and cells of random %s in %j, some of them not finite", (dtype, shape) => {
    const random = seeded(freshSeed());
    const [rows, columns] = shape as [number, number];
    const isFloat = dtype.includes("float");
    const element = () => {
      const kind = isFloat ? random() : 1;
      if (kind < 0.02) return [NaN, Infinity, -Infinity][Math.floor(random() * 3)]!;
      return isFloat ? rounded(random() * 8 - 4, dtype) : Math.floor(random() * 200);
    };
    const values = Array.from({ length: rows * columns }, element);
    const shown = payload(tensor(values, { device, dtype }).reshape(shape));
    const finite = values.filter(Number.isFinite);
    const meanOf = (list: number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
    expect(shown).toMatchObject({
      min: finite.reduce((a, b) => Math.min(a, b)),
      max: finite.reduce((a, b) => Math.max(a, b)),
      nan: values.filter(Number.isNaN).length,
      inf: values.filter((value) => Math.abs(value) === Infinity).length,
    });
    // Each addition of a sum in float64 rounds once, by at most its partial sum.
    const most = Math.max(Math.abs(shown.min!), Math.abs(shown.max!));
    expect(Math.abs(shown.mean! - meanOf(finite))).toBeLessThanOrEqual(2 * finite.length * most * 2 ** -53);

    const { rows: cellRows, columns: cellColumns, rowStep, columnStep } = shown.tile!;
    const found = cells(shown);
    expect(found).toHaveLength(cellRows * cellColumns);
    found.forEach((value, cell) => {
      const [top, left] = [Math.floor(cell / cellColumns) * rowStep, (cell % cellColumns) * columnStep];
      const block: number[] = [];
      for (let i = top; i < Math.min(rows, top + rowStep); i++)
        for (let j = left; j < Math.min(columns, left + columnStep); j++) block.push(values[i * columns + j]!);
      const kept = block.filter(Number.isFinite);
      if (kept.length > 0) {
        const bound = Math.abs(meanOf(kept)) * 2 ** -24 + 2 * block.length * most * 2 ** -53;
        expect(Math.abs(value - meanOf(kept)), `cell ${cell}`).toBeLessThanOrEqual(bound);
      } else if (block.some(Number.isNaN)) expect(value, `cell ${cell}`).toBeNaN();
      else {
        const positive = block.filter((each) => each > 0).length;
        expect(value, `cell ${cell}`).toBe(positive >= block.length - positive ? Infinity : -Infinity);
      }
    });
  });

  test("a long vector is one row of 256 means", () => {
    const count = 1_000_000;
    const shown = payload(arange(count, { device, dtype: "float64" }));
    expect(shown.tile).toMatchObject({ rows: 1, columns: 256, rowStep: 1, columnStep: 3907 });
    expect(shown.mean).toBeCloseTo((count - 1) / 2, 6);
    expect(cells(shown)[0]).toBeCloseTo(3906 / 2, 3);
  });

  test("a big tensor is reduced on the device: hardly any host memory is taken for showing it", () => {
    const x = rand([4096, 4096], { device });
    bundle(x);
    const { peak } = binding.memory(devices.find(({ name }) => name === device)!.client);
    bundle(x);
    expect(binding.memory(devices.find(({ name }) => name === device)!.client).peak).toBe(peak);
    expect(payload(x).mean).toBeCloseTo(0.5, 2);
  });
});
