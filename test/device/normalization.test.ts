// Functions of whole rows on every device against float64: softmax, normalisation and dropout, their edges, and their
// gradients by finite differences.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  dropout,
  full,
  gradients,
  layerNorm,
  logSoftmax,
  randn,
  rmsNorm,
  softmax,
  tensor,
  TensorError,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, roundoff } from "./numbers.ts";

const floats: DType[] = ["float32", "float64", "float16", "bfloat16"];
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];
const newSeed = (): number => {
  return Math.floor(Math.random() * 1e9);
};

interface Matrix {
  readonly x: Tensor;
  readonly rows: number[][];
}
function matrix(
  rows: number,
  length: number,
  dtype: DType,
  device: string,
  seed: number,
  change: (value: number) => number = (value) => value,
): Matrix {
  const base = randn([rows, length], { dtype: "float64", device, seed });
  const x = tensor(numbers(base).map(change), { dtype: "float64", device }).reshape([rows, length]).to(dtype);
  const flat = numbers(x);
  return { x, rows: Array.from({ length: rows }, (_, row) => flat.slice(row * length, (row + 1) * length)) };
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const mean = (values: readonly number[]) => total(values) / values.length;

const reference = {
  softmax(row: readonly number[]) {
    const most = Math.max(...row),
      powers = row.map((x) => Math.exp(x - most)),
      sum = total(powers);
    return powers.map((power) => power / sum);
  },
  logSoftmax(row: readonly number[]) {
    const most = Math.max(...row),
      log = most + Math.log(total(row.map((x) => Math.exp(x - most))));
    return row.map((x) => x - log);
  },
  layerNorm(row: readonly number[], eps = 1e-5) {
    const middle = mean(row),
      rstd = 1 / Math.sqrt(mean(row.map((x) => (x - middle) ** 2)) + eps);
    return row.map((x) => (x - middle) * rstd);
  },
  rmsNorm(row: readonly number[], eps = 1e-5) {
    const scale = 1 / Math.sqrt(mean(row.map((x) => x * x)) + eps);
    return row.map((x) => x * scale);
  },
};

function expectNear(got: readonly number[], wanted: readonly number[], absolute: number, relative: number): void {
  expect(got.length).toBe(wanted.length);
  const wrong = wanted.flatMap((value, at) =>
    Math.abs(got[at]! - value) <= absolute + relative * Math.abs(value) ? [] : [{ at, got: got[at], wanted: value }],
  );
  expect(wrong.slice(0, 5)).toEqual([]);
}

/** The gradients of Σ f·seedOf by the tape beside central differences, in float64. */
function expectGradients(f: (...inputs: Tensor[]) => Tensor, inputs: readonly Tensor[]): void {
  const weigh = (y: Tensor) =>
    y
      .mul(
        tensor(
          Array.from({ length: y.size }, (_, i) => Math.sin(1.3 * i + 0.4)),
          { dtype: "float64", device: y.device },
        ).reshape(y.shape),
      )
      .sum();
  for (const input of inputs) input.requiresGrad = true;
  const found = gradients(weigh(f(...inputs)), inputs);
  const values = inputs.map(numbers);
  const step = 1e-5;
  inputs.forEach((input, which) => {
    const wanted = values[which]!.map((_, at) => {
      const at_ = (by: number) => {
        const moved = values[which]!.map((value, index) => (index === at ? value + by : value));
        return Number(
          weigh(
            f(
              ...inputs.map((other, index) =>
                index === which
                  ? tensor(moved, { dtype: "float64", device: input.device }).reshape(input.shape)
                  : other.detach(),
              ),
            ),
          ).item(),
        );
      };
      return (at_(step) - at_(-step)) / (2 * step);
    });
    // The rest of the difference is of h², its rounding of 2^-53/h: 1e-10 and 1e-11 of the third derivative and the
    // value, which are below 100.
    expectNear(numbers(found[which]!), wanted, 1e-7, 1e-6);
  });
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  describe.each(floats)("%s", (dtype) => {
    const u = Math.max(roundoff[dtype]!, 2 ** -53);
    const accumulate = Math.min(roundoff[dtype]!, 2 ** -24);

    // Each way in which a GPU holds a row: packs or single elements, in registers of 512 or 1024 threads or read by
    // every pass.
    test.each([
      1, 65, 768, 1000, 1025, 4096, 5001, 9000, 16384, 16385, 20480,
    ])("softmax, logSoftmax, layerNorm and rmsNorm of rows of %d", (length) => {
      const { x, rows } = matrix(5, length, dtype, device, newSeed());
      // Sums of `length` positive terms on some tens of lanes, an exponential and few roundings; then one to the
      // dtype.
      const bound = (64 + length / 32) * accumulate;
      for (const [name, f] of [
        ["softmax", softmax],
        ["logSoftmax", logSoftmax],
        ["layerNorm", layerNorm],
        ["rmsNorm", rmsNorm],
      ] as const) {
        poison(device, x.size);
        const y = f(x);
        expect(y.dtype).toBe(dtype);
        // Small parts of float16 are subnormal: half a step of 2^-24.
        expectNear(
          numbers(y),
          rows.flatMap((row) => reference[name](row)),
          name === "softmax" ? (dtype === "float16" ? 2 ** -25 : 0) : bound * 8,
          bound + 1.01 * u,
        );
      }
    });
  });

  // An axis before the last of which a thread holds the elements, few or more, and one that is longer.
  test.each([1, 3, 4, 8, 9, 17, 32, 33])("softmax and logSoftmax along an axis of %d before the last", (length) => {
    for (const dtype of floats)
      for (const [outer, inner] of [
        [1, 1031],
        [5, 3],
        [2, 130],
        [3, 136],
      ] as const) {
        const { x, rows } = matrix(outer * inner, length, dtype, device, newSeed());
        const columns = x.reshape([outer, inner, length]).swapAxes(1, 2).contiguous();
        const bound = 66 * Math.min(roundoff[dtype]!, 2 ** -24) + Math.max(roundoff[dtype]!, 2 ** -53);
        for (const [name, f] of [
          ["softmax", softmax],
          ["logSoftmax", logSoftmax],
        ] as const) {
          poison(device, columns.size);
          const y = f(columns, { axis: 1 });
          expect(y.shape).toEqual([outer, length, inner]);
          const absolute = name === "softmax" ? (dtype === "float16" ? 2 ** -25 : 0) : bound * 8;
          expectNear(numbers(y.swapAxes(1, 2)), rows.flatMap(reference[name]), absolute, bound);
        }
      }
  });

  test("other axes, views, a row that is longer than a block keeps, and no elements", () => {
    const { x } = matrix(6, 20, "float32", device, newSeed());
    const cube = x.reshape([2, 3, 20]);
    expect(numbers(softmax(cube.transpose([0, 2, 1]), { axis: 1 }))).toEqual(
      numbers(softmax(cube).transpose([0, 2, 1])),
    );
    expect(numbers(softmax(x.T))).toEqual(numbers(softmax(x.T.contiguous())));
    expect(numbers(softmax(x.slice(null, [1, 20])))).toEqual(numbers(softmax(x.slice(null, [1, 20]).contiguous())));
    const long = matrix(2, 70_001, "float32", device, newSeed());
    expectNear(numbers(softmax(long.x)), long.rows.flatMap(reference.softmax), 0, 1e-5);
    expectNear(
      numbers(layerNorm(long.x)),
      long.rows.flatMap((row) => reference.layerNorm(row)),
      1e-5,
      0,
    );
    expect(softmax(full([0, 3], 0, { device })).shape).toEqual([0, 3]);
    expect(softmax(full([3, 0], 0, { device })).shape).toEqual([3, 0]);
    expect(layerNorm(full([3, 0], 0, { device })).shape).toEqual([3, 0]);
    expect(softmax(tensor(2, { device })).item()).toBe(1);
    expect(softmax(tensor([1, 1], { device, dtype: "int32" })).toArray()).toEqual([0.5, 0.5]);
  });

  test("softmax of extremes", () => {
    const x = tensor(
      [
        [1e38, -1e38, 0],
        [-Infinity, 0, 0],
        [NaN, 0, 1],
        [-Infinity, -Infinity, -Infinity],
        [-1e30, -1e30, -1e30],
      ],
      { device },
    );
    const third = Math.fround(1 / 3);
    expect(softmax(x).toArray()).toEqual([
      [1, 0, 0],
      [0, 0.5, 0.5],
      [NaN, NaN, NaN],
      [NaN, NaN, NaN],
      [third, third, third],
    ]);
    expect((logSoftmax(x).toArray() as number[][])[1]![0]).toBe(-Infinity);
  });

  test("layerNorm of equal elements gives the bias, of one element too, and holds far from 0", () => {
    for (const length of [1, 7, 1000]) {
      const bias = randn([length], { device, seed: 3 });
      const weight = randn([length], { device, seed: 4 });
      expect(numbers(layerNorm(full([3, length], 0.1, { device }), weight, bias))).toEqual(
        [1, 2, 3].flatMap(() => numbers(bias)),
      );
    }
    const { x, rows } = matrix(4, 1000, "float32", device, newSeed(), (value) => value + 1e4);
    // The reference starts from the rounded input, so only the statistics and the result round.
    expectNear(
      numbers(layerNorm(x)),
      rows.flatMap((row) => reference.layerNorm(row)),
      1e-5,
      1e-5,
    );
  });

  test("weights and biases, over several axes, either alone", () => {
    const { x, rows } = matrix(4, 12, "float64", device, newSeed());
    const weight = randn([3, 4], { device, dtype: "float64", seed: 1 });
    const bias = randn([3, 4], { device, dtype: "float64", seed: 2 });
    const cube = x.reshape([4, 3, 4]);
    const [w, b] = [numbers(weight), numbers(bias)];
    const plain = rows.map((row) => reference.layerNorm(row));
    expectNear(
      numbers(layerNorm(cube, weight, bias)),
      plain.flatMap((row) => row.map((value, i) => value * w[i]! + b[i]!)),
      1e-13,
      1e-13,
    );
    expectNear(
      numbers(layerNorm(cube, weight)),
      plain.flatMap((row) => row.map((value, i) => value * w[i]!)),
      1e-13,
      1e-13,
    );
    expectNear(
      numbers(layerNorm(cube, null, bias)),
      plain.flatMap((row) => row.map((value, i) => value + b[i]!)),
      1e-13,
      1e-13,
    );
    expectNear(
      numbers(rmsNorm(cube, weight, { eps: 1e-6 })),
      rows.flatMap((row) => reference.rmsNorm(row, 1e-6).map((value, i) => value * w[i]!)),
      1e-13,
      1e-13,
    );
    expect(() => layerNorm(cube, randn([4, 3], { device, dtype: "float64" }))).toThrow(
      new TensorError("SHAPE", "layerNorm over the last axes [3, 4] takes a weight of that shape but got [4, 3]."),
    );
    expect(() => layerNorm(cube, null, null, { axes: 4 })).toThrow(
      "layerNorm of a tensor of shape [4, 3, 4] normalises over its last 1 to 3 axes but got 4.",
    );
    expect(() => layerNorm(cube, null, null, { eps: -1 })).toThrow(
      "layerNorm takes a number of at least 0 as eps but got -1.",
    );
  });

  test("gradients", () => {
    const make = (shape: number[], seed: number) => randn(shape, { device, dtype: "float64", seed });
    const start = newSeed();
    expectGradients((x) => softmax(x!), [make([3, 5], start)]);
    expectGradients((x) => softmax(x!, { axis: 0 }), [make([3, 5], start)]);
    expectGradients((x) => softmax(x!, { axis: 1 }), [make([2, 9, 3], start)]);
    expectGradients((x) => logSoftmax(x!, { axis: 1 }), [make([2, 3, 4], start)]);
    expectGradients((x) => logSoftmax(x!, { axis: 0 }), [make([11, 2], start)]);
    expectGradients((x) => logSoftmax(x!), [make([3, 5], start)]);
    expectGradients(
      (x, w, b) => layerNorm(x!, w!, b!),
      [make([4, 7], start), make([7], start + 1), make([7], start + 2)],
    );
    expectGradients((x) => layerNorm(x!, null, null, { axes: 2 }), [make([2, 3, 4], start)]);
    expectGradients((x, b) => layerNorm(x!, null, b!), [make([4, 7], start), make([7], start + 2)]);
    expectGradients((x, w) => rmsNorm(x!, w!), [make([4, 7], start), make([7], start + 1)]);
    expectGradients((x) => dropout(x!, 0.4, { seed: start }), [make([3, 5], start)]);
  });

  test("second gradients of softmax and logSoftmax", () => {
    for (const f of [softmax, logSoftmax, (x: Tensor) => softmax(x, 0), (x: Tensor) => logSoftmax(x, 0)]) {
      expectGradients(
        (x) => {
          const leaf = x!.track === null ? x! : x!.mul(1);
          if (leaf.track === null) leaf.requiresGrad = true;
          return gradients(f(leaf).square().sum(), [leaf], { createGraph: true })[0]!;
        },
        [randn([2, 4], { device, dtype: "float64", seed: newSeed() })],
      );
    }
  });

  test.each([
    [700, 1025],
    [40, 8192],
    [20, 12288],
    [9, 20480],
    [9, 9001],
  ])("gradients of layer norm of %i rows of %i beside their formulas, weights summed the same way every time", (count, length) => {
    const { x, rows } = matrix(count, length, "float32", device, newSeed());
    const upper = matrix(count, length, "float32", device, newSeed());
    const weight = randn([length], { device, seed: 5 });
    const bias = full([length], 0, { device });
    for (const each of [x, weight, bias]) each.requiresGrad = true;
    const run = () => gradients(layerNorm(x, weight, bias), [x, weight, bias], { gradient: upper.x }).map(numbers);
    const [dx, dw, db] = run();
    expect(run()).toEqual([dx, dw, db]);
    const normal = rows.map((row) => reference.layerNorm(row)),
      w = numbers(weight);
    const wanted = rows.flatMap((row, r) => {
      const d = upper.rows[r]!.map((g, i) => g * w[i]!),
        middle = mean(row),
        rstd = 1 / Math.sqrt(mean(row.map((value) => (value - middle) ** 2)) + 1e-5);
      const [a, b] = [mean(d), mean(d.map((value, i) => value * normal[r]![i]!))];
      return d.map((value, i) => rstd * (value - a - normal[r]![i]! * b));
    });
    expectNear(dx!, wanted, 1e-5, 1e-5);
    expectNear(
      dw!,
      w.map((_, i) => total(upper.rows.map((row, r) => row[i]! * normal[r]![i]!))),
      count * 2 ** -24 * 30,
      0,
    );
    expectNear(
      db!,
      w.map((_, i) => total(upper.rows.map((row) => row[i]!))),
      count * 2 ** -24 * 30,
      0,
    );
  });

  test("dropout keeps the share that it says, scaled, by its seed", () => {
    const x = full([200_003], 2, { device });
    const y = numbers(dropout(x, 0.25, { seed: 7 }));
    const kept = y.filter((value) => value !== 0);
    expect(new Set(kept)).toEqual(new Set([Math.fround(2 * Math.fround(1 / 0.75))]));
    // Six standard deviations.
    expect(Math.abs(kept.length / y.length - 0.75)).toBeLessThan(6 * Math.sqrt((0.25 * 0.75) / y.length));
    expect(numbers(dropout(x, 0.25, { seed: 7 }))).toEqual(y);
    expect(numbers(dropout(x, 0.25, { seed: 8 }))).not.toEqual(y);
    expect(numbers(dropout(x, 0.25, { seed: 7, training: false }))[0]).toBe(2);
    expect(dropout(x, 1).sum().item()).toBe(0);
    expect(() => dropout(x, 1.5)).toThrow("dropout takes a probability from 0 to 1 but got 1.5.");
  });
});
