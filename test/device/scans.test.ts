// Cumulative operations against float64: along every axis, in parts, of views, with NaN and zeros, and their gradients.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { arange, cumsum, tensor, zeros, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { poison, randomValues, roundoff } from "./numbers.ts";

const flat = (x: Tensor) => [x.reshape([-1]).toArray()].flat().map(Number);

/** Calls `visit` with the indices of each row along an axis, in order. */
function alongAxis(shape: readonly number[], axis: number, visit: (row: number[]) => void): void {
  const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const length = shape[axis]!;
  const outer = shape.slice(0, axis).reduce((a, b) => a * b, 1);
  for (let o = 0; o < outer; o++)
    for (let j = 0; j < inner; j++) visit(Array.from({ length }, (_, i) => (o * length + i) * inner + j));
}

// Roundings of an element on the way into a running total: within a tile of 4096, from tile to tile, from part to part.
const depth = (length: number) => Math.min(length, 64 + Math.ceil(length / 2048));

describe.each(devices.map(({ name }) => name))("cumulative operations on %s", (device) => {
  function check(dtype: DType, x: Tensor, values: readonly number[], shape: readonly number[], axis: number): void {
    poison(device, 2 * x.size);
    const u = roundoff[dtype] ?? 0;
    const wide = roundoff[dtype === "float64" ? "float64" : "float32"]! * (u === 0 ? 0 : 1);
    const [sums, most, least] = [x.cumsum({ axis }), x.cummax({ axis }), x.cummin({ axis })];
    const got = {
      sums: flat(sums),
      most: flat(most.values),
      mostAt: flat(most.indices),
      least: flat(least.values),
      leastAt: flat(least.indices),
    };
    let wrong = "";
    alongAxis(shape, axis, (row) => {
      let sum = 0;
      let magnitude = 0;
      let [high, low] = [0, 0];
      row.forEach((at, i) => {
        const value = values[at]!;
        sum += value;
        magnitude += Math.abs(value);
        if (value >= values[row[high]!]!) high = i;
        if (value <= values[row[low]!]!) low = i;
        const bound = magnitude * (depth(row.length) * wide + row.length * 2 ** -53) * 1.01 + Math.abs(sum) * u * 1.01;
        if (!(Math.abs(got.sums[at]! - sum) <= bound))
          wrong ||= `sum ${i} of ${row.length}: ${got.sums[at]} is not ${sum} within ${bound}`;
        if (got.most[at] !== values[row[high]!] || got.mostAt[at] !== high)
          wrong ||= `max ${i}: ${got.most[at]} at ${got.mostAt[at]} is not ${values[row[high]!]} at ${high}`;
        if (got.least[at] !== values[row[low]!] || got.leastAt[at] !== low)
          wrong ||= `min ${i}: ${got.least[at]} at ${got.leastAt[at]} is not ${values[row[low]!]} at ${low}`;
      });
    });
    expect(wrong, `${dtype} [${shape.join(", ")}] along ${axis}`).toBe("");
  }

  test.each([
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int32",
    "int8",
    "uint8",
    "bool",
  ] as const)("of %s along every axis", (dtype) => {
    for (const shape of [[1], [65], [3, 5, 7], [2, 300, 3], [1025, 4], [4, 1000], [1, 768, 1]]) {
      const values = randomValues(
        shape.reduce((a, b) => a * b, 1),
        dtype,
      );
      const x = tensor(dtype === "bool" ? values.map(Boolean) : values, { dtype, device }).reshape(shape);
      shape.forEach((_, axis) => check(dtype, x, values, shape, axis));
    }
  });

  test("in parts: long rows, few columns, sizes that are no multiple of anything", () => {
    for (const [shape, axis] of [
      [[300_001], 0],
      [[2, 140_003], 1],
      [[150_001, 2], 0],
      [[3, 5001, 17], 1],
      [[70_001, 3], 1],
      [[9001, 300], 0],
    ] as const) {
      const values = randomValues(
        shape.reduce((a: number, b) => a * b, 1),
        "float32",
      );
      check("float32", tensor(values, { device }).reshape(shape), values, shape, axis);
    }
  });

  // A block of a GPU takes several of up to 1024 elements; a CPU knows some lengths.
  test.each([2, 3, 4, 7, 17, 64, 257, 511, 513, 1000, 1024, 1025])("many rows of %d, from both ends", (length) => {
    const shape = [Math.ceil(5000 / length) + 1, length];
    const size = shape[0]! * length;
    for (const dtype of ["float32", "bfloat16", "float64", "int32"] as const) {
      const values = randomValues(size, dtype);
      check(dtype, tensor(values, { dtype, device }).reshape(shape), values, shape, 1);
      if (dtype === "int32") continue;
      // The gradient of a running sum is one from the end.
      const x = zeros(shape, { dtype, device });
      x.requiresGrad = true;
      const weights = tensor(randomValues(size, "int8"), { dtype, device }).reshape(shape);
      x.cumsum({ axis: 1 }).mul(weights).sum().backward();
      const [got, given] = [flat(x.grad!), flat(weights)];
      const exact = dtype === "bfloat16" ? 2 ** -8 : 0;
      for (let row = 0; row < shape[0]!; row++) {
        let sum = 0;
        for (let i = length - 1; i >= 0; i--) {
          sum += given[row * length + i]!;
          expect(Math.abs(got[row * length + i]! - sum)).toBeLessThanOrEqual(Math.abs(sum) * exact);
        }
      }
    }
  });

  test("of views", () => {
    const x = tensor(randomValues(24 * 10, "float32"), { device }).reshape([4, 6, 10]);
    for (const view of [
      x.transpose([2, 0, 1]),
      x.slice(null, [1, 6, 2], [0, 9, 3]),
      x.slice([0, 1]).expand([3, 6, 10]),
    ])
      [0, 1, 2].forEach((axis) => check("float32", view, flat(view), view.shape, axis));
  });

  test("products, also of integers, which wrap around", () => {
    const x = tensor(
      [
        [1, 2, 3],
        [0.5, 0, 4],
      ],
      { device },
    );
    expect(x.cumprod({ axis: 1 }).toArray()).toEqual([
      [1, 2, 6],
      [0.5, 0, 0],
    ]);
    expect(x.cumprod({ axis: -2 }).toArray()).toEqual([
      [1, 2, 3],
      [0.5, 0, 12],
    ]);
    expect(tensor([3, -5, 2], { dtype: "int8", device }).cumprod({ axis: 0 }).toArray()).toEqual([3n, -15n, -30n]);
    expect(
      tensor([2n ** 62n, 2n, 2n], { device })
        .cumprod({ axis: 0 })
        .toArray(),
    ).toEqual([2n ** 62n, -(2n ** 63n), 0n]);
    expect(
      tensor([2n ** 63n, 1n, 2n ** 63n], { dtype: "uint64", device })
        .cumsum({ axis: 0 })
        .toArray(),
    ).toEqual([2n ** 63n, 2n ** 63n + 1n, 1n]);
  });

  test("NaN stays, infinities, scalars, nothing", () => {
    const x = tensor([1, NaN, 3, NaN, -Infinity], { device });
    expect(x.cumsum({ axis: 0 }).toArray()).toEqual([1, NaN, NaN, NaN, NaN]);
    for (const found of [x.cummax({ axis: 0 }), x.cummin({ axis: 0 })]) {
      expect(found.values.toArray()).toEqual([1, NaN, NaN, NaN, NaN]);
      expect(found.indices.toArray()).toEqual([0n, 1n, 1n, 3n, 3n]);
    }
    expect(tensor([Infinity, 1, -Infinity], { device }).cumsum({ axis: 0 }).toArray()).toEqual([
      Infinity,
      Infinity,
      NaN,
    ]);
    expect(tensor(5, { device }).cumsum({ axis: 0 }).toArray()).toBe(5);
    expect(zeros([0, 3], { device }).cumsum({ axis: 1 }).shape).toEqual([0, 3]);
    expect(zeros([0, 3], { device }).cummax({ axis: 0 }).indices.shape).toEqual([0, 3]);
    expect(arange(5, { dtype: "uint32", device }).cummax({ axis: 0 }).values.dtype).toBe("uint32");
  });

  test("the same bits from run to run", () => {
    const x = tensor(randomValues(200_000, "float32"), { device });
    expect(flat(x.cumsum({ axis: 0 }))).toEqual(flat(x.cumsum({ axis: 0 })));
  });

  test.each(["float32", "float64", "float16", "bfloat16"] as const)("logarithms of sums of %s", (dtype) => {
    for (const [shape, axis] of [
      [[1], 0],
      [[4, 7], 1],
      [[3, 300, 2], 1],
      [[3, 4], 1],
      [[2, 40_003], 1],
      [[5000, 3], 0],
    ] as const) {
      const size = shape.reduce((a: number, b) => a * b, 1);
      // Far from each other, so that most sums are hidden by one of theirs; and nothing at all.
      const values = randomValues(size, dtype).map((value) => (Math.random() < 0.1 ? -Infinity : value * 64));
      const x = tensor(values, { dtype, device }).reshape(shape);
      poison(device, size);
      const y = x.logcumsumexp({ axis });
      expect(y.dtype).toBe(dtype);
      const got = flat(y);
      const u = roundoff[dtype]!;
      const wide = roundoff[dtype === "float64" ? "float64" : "float32"]!;
      let wrong = "";
      alongAxis(shape, axis, (row) => {
        let [most, sum, size] = [-Infinity, 0, 0];
        row.forEach((at, i) => {
          const value = values[at]!;
          if (value > most) [most, sum] = [value, most === -Infinity ? 1 : sum * Math.exp(most - value) + 1];
          else if (value > -Infinity) sum += Math.exp(value - most);
          const wanted = most === -Infinity ? most : most + Math.log(sum);
          if (wanted > -Infinity) size = Math.max(size, Math.abs(wanted));
          // Each joining is off by a few roundings of what it gives, and of log 2 at most.
          const bound = 4 * depth(row.length) * wide * (size + 1) + row.length * 2 ** -52 + Math.abs(wanted) * u;
          const isRight = wanted === -Infinity ? got[at] === wanted : Math.abs(got[at]! - wanted) <= bound;
          if (!isRight) wrong ||= `${i} of ${shape.join(" × ")}: ${got[at]} is not ${wanted} within ${bound}`;
        });
      });
      expect(wrong).toBe("");
    }
    const odd = tensor([1, Infinity, Infinity, NaN, 2], { dtype, device }).logcumsumexp();
    expect(flat(odd)).toEqual([1, Infinity, Infinity, NaN, NaN]);
    expect(flat(tensor([1, 2], { dtype: "int32", device }).logcumsumexp())[0]).toBe(1);
  });

  test("gradients: sums, products with zeros, extremes with ties", () => {
    const x = tensor(
      [
        [0.5, -1.25, 2],
        [1.5, 0.75, -0.4],
        [2.5, -3, 0.1],
      ],
      { dtype: "float64", device },
    );
    for (const axis of [0, 1]) {
      for (const run of [
        (y: Tensor) => y.cumsum({ axis }),
        (y: Tensor) => y.cumprod({ axis }),
        (y: Tensor) => y.logcumsumexp({ axis }),
        (y: Tensor) => y.cummax({ axis }).values,
        (y: Tensor) => y.cummin({ axis }).values,
      ])
        expectGradients(run, [x], { twice: true });
    }
    expectGradients(
      (y) => y.cumprod({ axis: 1 }),
      [
        tensor(
          [
            [2, 0, 3, 4],
            [0, 5, 0, 1],
            [1, 2, 3, 0],
            [0, 0, 0, 0],
          ],
          { dtype: "float64", device },
        ),
      ],
    );
    const leaf = tensor([2, 1, 1, 3], { device });
    leaf.requiresGrad = true;
    leaf
      .cummax({ axis: 0 })
      .values.mul(tensor([1, 2, 4, 8], { device }))
      .sum()
      .backward();
    expect(leaf.grad!.toArray()).toEqual([7, 0, 0, 8]);
  });

  test("a list needs no axis; NumPy's and PyTorch's spellings; the elements' dtype; with the empty sum in front", () => {
    const x = tensor(
      [
        [1, 2],
        [3, 4],
      ],
      { device, dtype: "int32" },
    );
    expect(x.get(0).cumsum().toArray()).toEqual([1n, 3n]);
    expect(x.cumsum(1).toArray()).toEqual([
      [1n, 3n],
      [3n, 7n],
    ]);
    expect(x.cumprod({ dim: 0 }).toArray()).toEqual([
      [1n, 2n],
      [3n, 8n],
    ]);
    expect(x.cumsum({ axis: 1, dtype: "float64" })).toMatchObject({ dtype: "float64", shape: [2, 2] });
    expect(x.cumsum({ axis: 1, includeInitial: true }).toArray()).toEqual([
      [0n, 1n, 3n],
      [0n, 3n, 7n],
    ]);
    expect(x.cumprod({ axis: 0, includeInitial: true }).toArray()).toEqual([
      [1n, 1n],
      [1n, 2n],
      [3n, 8n],
    ]);
    expect(cumsum(tensor(5, { device }), { includeInitial: true }).toArray()).toEqual([0, 5]);
    expect(zeros([0], { device }).cumsum({ includeInitial: true }).toArray()).toEqual([0]);
  });

  test.each([
    [
      "no axis",
      () => zeros([2, 2], { device }).cumsum(),
      "cumsum of a tensor of shape [2, 2] needs an axis: write { axis: 0 }, for example.",
    ],
    [
      "an axis that is not there",
      () => zeros([2], { device }).cummax({ axis: 1 }),
      "There is no axis 1 in a tensor with 1 axis: give a whole number from -1 to 0.",
    ],
    [
      "a dtype that only stores",
      () => zeros([2], { device, dtype: "float8_e4m3" }).cumprod({ axis: 0 }),
      'cumprod takes numbers that compute but got float8_e4m3: convert it, e.g. with .to("float32").',
    ],
  ])("%s is refused in a sentence", (_, run, message) => {
    expect(run).toThrow(message);
  });
});
