// Options that PyTorch and NumPy have for what is here, too, on every device against float64.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  embedding,
  gradients,
  interpolate,
  l1Loss,
  linalg,
  logSoftmax,
  mseLoss,
  round,
  scatterReduce,
  softmax,
  softplus,
  tensor,
  TensorError,
  type Tensor,
} from "../../native/lib/index.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { expectNear, expectWithin, numbersOf, sampler, sizeOf, type Wanted } from "./samples.ts";

const random = seeded(freshSeed());

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const doubles = (values: readonly number[]) => tensor([...values], { dtype: "float64", device });
  const near = (dtype: "float32" | "float64") => (dtype === "float32" ? 2 ** -23 : 2 ** -52);

  test.each(["float32", "float64"] as const)("softplus of %s by beta and threshold", (dtype) => {
    for (const [beta, threshold] of [
      [1, 20],
      [2, 3],
      [0.25, Infinity],
      [-1.5, 1],
    ] as const) {
      const { x, values, shape } = sample([3, 17], dtype, [-30, 30]);
      const wanted = values.map((value) =>
        value * beta > threshold
          ? value
          : (Math.max(value * beta, 0) + Math.log1p(Math.exp(-Math.abs(value * beta)))) / beta,
      );
      // The product by beta, softplus of that, whose slope is at most 1, and the quotient.
      const bounds = values.map((value, at): Wanted => [wanted[at]!, Math.abs(value) + Math.abs(wanted[at]!)]);
      expectNear(softplus(x, { beta, threshold }), shape, bounds, 6);
      expect(numbersOf(x.softplus(beta, threshold))).toEqual(numbersOf(softplus(x, { beta, threshold })));
    }
    expect(numbersOf(softplus(sample([5], dtype).x))).toHaveLength(5);
    expectGradients((x) => softplus(x!, { beta: 2, threshold: 1 }), [doubles([-3, -0.2, 0.3, 0.7, 4])], {
      twice: true,
    });
    expect(() => softplus(sample([2]).x, { beta: 0 })).toThrow(
      "softplus takes a number other than 0 as beta but got 0.",
    );
  });

  test("round to decimals, tens and hundreds", () => {
    for (const dtype of ["float32", "float64", "float16"] as const)
      for (const decimals of [0, 1, 3, -1]) {
        const { x, values } = sample([4, 33], dtype, [-90, 90]);
        const got = numbersOf(round(x, { decimals }));
        // At most half a step away, and three roundings of the number that is scaled and back.
        const unit = dtype === "float16" ? 2 ** -10 : near(dtype);
        const half = 0.5 * 10 ** -decimals;
        expectWithin(got, values, (at) => half + 3 * unit * Math.abs(values[at]!));
        // A number with so many places, within those roundings.
        expectWithin(
          got,
          got.map((value) => Math.round(value * 10 ** decimals) / 10 ** decimals),
          (at) => 3 * unit * Math.abs(values[at]!),
        );
        expect(numbersOf(x.round(decimals))).toEqual(got);
      }
    expect(numbersOf(doubles([0.125, -0.375, 1e300, Infinity]).round({ decimals: 2 }))).toEqual([
      0.12,
      -0.38,
      1e300,
      Infinity,
    ]);
    const whole = tensor([1234, -55, 45], { dtype: "int32", device });
    expect([whole.round(-1).dtype, ...numbersOf(whole.round({ decimals: -1 }))]).toEqual(["int32", 1230, -60, 40]);
    expect(numbersOf(whole.round(3))).toEqual([1234, -55, 45]);
    expect(() => (whole as Tensor & { round_(o: object): Tensor }).round_({ decimals: 1 })).toThrow(
      "round_ does not take an object with decimals there. Write x.copy_(x.round({ decimals: 2 })).",
    );
    expect(() => whole.round({ decimals: 0.5 })).toThrow("round takes a whole number as decimals but got 0.5.");
  });

  test("softmax and its logarithm in another dtype", () => {
    const { x, values } = sample([5, 7], "bfloat16", [-8, 8]);
    const rows = Array.from({ length: 5 }, (_, row) => values.slice(7 * row, 7 * row + 7));
    const wanted = rows.flatMap((row) => {
      const total = row.reduce((sum, value) => sum + Math.exp(value), 0);
      return row.map((value) => Math.exp(value) / total);
    });
    const got = softmax(x, -1, { dtype: "float32" });
    // An exponential of a difference, a sum of seven, a quotient.
    expectNear(
      got,
      [5, 7],
      wanted.map((value) => [value, value]),
      24,
      "float32",
    );
    const logs = logSoftmax(x, { dim: 1, dtype: "float64" });
    expectNear(
      logs,
      [5, 7],
      wanted.map((value) => [Math.log(value), 16]),
      8,
    );
    expect(() => softmax(x, { dtype: "int32" as "float32" })).toThrow(
      'softmax takes "float32", "float64", "float16" or "bfloat16" as dtype but got "int32".',
    );
  });

  test("a middle that keeps its axis", () => {
    const { x } = sample([3, 5, 2]);
    for (const axis of [0, 1, -1]) {
      const [kept, plain] = [x.median({ axis, keepdims: true }), x.median(axis)];
      expect(kept.values.shape).toEqual([3, 5, 2].map((size, each) => (each === (axis + 3) % 3 ? 1 : size)));
      expect([numbersOf(kept.values), numbersOf(kept.indices)]).toEqual([
        numbersOf(plain.values),
        numbersOf(plain.indices),
      ]);
      expect(numbersOf(x.nanmedian(axis, true).values)).toEqual(numbersOf(plain.values));
    }
    expect(x.median({ keepdims: true }).values.shape).toEqual([1, 1, 1]);
    expect(x.median({ keepdim: true }).values.item()).toBe(x.median().values.item());
  });

  test("histograms between edges, of every kind of number", () => {
    for (const dtype of ["float32", "float64", "int32", "bfloat16"] as const) {
      const given = Array.from({ length: 500 }, () => Math.round(16 * random() - 4) / (dtype === "int32" ? 1 : 4));
      const values = dtype === "int32" || dtype === "bfloat16" ? given : [...given, NaN];
      const x = tensor(values, { dtype, device });
      const edges = [-0.5, 0, 0.25, 2, 3];
      const binOf = (value: number) =>
        value === 3 ? 3 : edges.findIndex((edge, at) => value >= edge && value < (edges[at + 1] ?? -Infinity));
      const weights = values.map(() => Math.round(8 * random()));
      const sums = (by: readonly number[]) =>
        [0, 1, 2, 3].map((bin) => values.reduce((sum, value, at) => sum + (binOf(value) === bin ? by[at]! : 0), 0));
      const ones = values.map(() => 1);
      for (const bins of [edges, tensor(edges, { device })]) {
        const found = x.histogram({ bins });
        expect(found.counts.toArray()).toEqual(sums(ones).map(BigInt));
        expect(found.edges.toArray()).toEqual(edges);
        expect(x.histogram({ bins, weights: tensor(weights, { device }) }).counts.toArray()).toEqual(sums(weights));
      }
      const shares = x.histogram({ bins: edges, density: true }).counts.toArray() as number[];
      const total = sums(ones).reduce((a, b) => a + b, 0);
      shares.forEach((share, bin) =>
        expect(Math.abs(share - sums(ones)[bin]! / total / (edges[bin + 1]! - edges[bin]!))).toBeLessThan(2 ** -20),
      );
    }
    const x = tensor([1, 2], { device });
    expect(x.histogram({ bins: [0, 1.5, 3] }).counts.dtype).toBe("int64");
    for (const [run, sentence] of [
      [
        () => x.histogram({ bins: [0, 1], range: [0, 1] }),
        "histogram takes a range or edges, not both: the edges have their own.",
      ],
      [
        () => x.histogram({ bins: [0, 2, 1] }),
        "histogram takes at least two edges that rise, as a list, but got [0, 2, 1].",
      ],
      [
        () => x.histogram({ bins: tensor([1], { device }) }),
        "histogram takes at least two edges that rise, as a list, but got [1].",
      ],
      [() => x.norm("nuc" as never), 'norm adds up elements: write linalg.norm(x, "nuc") for singular values.'],
    ] as const)
      expect(run).toThrow(sentence);
  });

  test("histograms by weight and as densities", () => {
    const { x, values } = sample([500], "float64", [0, 4]);
    const { values: weights, x: weight } = sample([500], "float64", [0, 1]);
    const bins = 8;
    for (const given of [undefined, weight]) {
      const own = given === undefined ? values.map(() => 1) : weights;
      const sums = Array<number>(bins).fill(0);
      values.forEach((value, at) => (sums[Math.min(bins - 1, Math.floor(value * 2))]! += own[at]!));
      const total = sums.reduce((a, b) => a + b, 0);
      const options = given === undefined ? {} : { weight: given };
      const { counts, edges } = x.histogram({ bins, range: [0, 4], density: true, ...options });
      // Sums of 500, of those, a product and a quotient.
      expectNear(
        counts,
        [bins],
        sums.map((sum) => [sum / total / 0.5, sum / total / 0.5]),
        1010,
      );
      const widths = edges.slice([1, null]).sub(edges.slice([0, -1]));
      expect(Math.abs(Number(counts.mul(widths).sum().item()) - 1)).toBeLessThan(1e-12);
    }
    expect(() => x.histogram({ min: 0 } as object)).toThrow(
      "histogram has no option min. Write { range: [min, max] }.",
    );
  });

  test("norms as arguments, under PyTorch's name, and in another dtype", () => {
    const { x, values } = sample([4, 6], "float16");
    const sums = Array.from({ length: 4 }, (_, row) =>
      values.slice(6 * row, 6 * row + 6).reduce((sum, value) => sum + Math.abs(value) ** 3, 0),
    );
    const got = x.norm({ p: 3, dim: 1, dtype: "float64" });
    expectNear(
      got,
      [4],
      sums.map((sum) => [Math.cbrt(sum), Math.cbrt(sum)]),
      16,
    );
    expect(numbersOf(x.norm(3, 1))).toEqual(numbersOf(x.norm({ ord: 3, axis: 1 })));
    expect(x.norm("fro", 0, true).shape).toEqual([1, 6]);
    expect(numbersOf(x.to("float64").hardtanh(-0.5, 1))).toEqual(
      numbersOf(x.to("float64").hardtanh({ minVal: -0.5, maxVal: 1 })),
    );
    expect(numbersOf(x.gelu("tanh"))).toEqual(numbersOf(x.gelu({ approximate: "tanh" })));
    expect(numbersOf(x.pad([1, 2], "replicate"))).toEqual(numbersOf(x.pad([1, 2], { mode: "replicate" })));
    expect(numbersOf(x.pad([1, 2], "constant", 3))).toEqual(numbersOf(x.pad([1, 2], { value: 3 })));
  });

  test("a tensor without axes as a value", () => {
    const { x, values } = sample([3, 4]);
    const value = tensor(7, { device });
    const filled = values.map((each) => (each > 0 ? 7 : each));
    expect(numbersOf(x.maskedFill(x.gt(0), value))).toEqual(filled);
    expect(numbersOf(x.clone().maskedFill_(x.gt(0), value))).toEqual(filled);
    const rows = values.map((each, at) => (at >= 4 && at < 8 ? 7 : each));
    expect(numbersOf(x.indexFill(0, [1], value))).toEqual(rows);
    expect(numbersOf(x.clone().indexFill_(0, [1], value))).toEqual(rows);
    expectGradients(
      (x, v) => x!.maskedFill(x!.gt(0), v!),
      [doubles([1, -2, 3]), tensor(0.5, { dtype: "float64", device })],
    );
    expectGradients(
      (x, v) => x!.indexFill(0, [1], v!),
      [doubles([1, -2, 3]), tensor(0.5, { dtype: "float64", device })],
    );
    expect(() => x.maskedFill(x.gt(0), x)).toThrow(
      "maskedFill takes a number or a tensor without axes as value but got a Tensor. Write maskedFill(mask, value).",
    );
  });

  test("what scatter makes of elements, under PyTorch's names", () => {
    const { x, values } = sample([5], "float64");
    const { x: source, values: given } = sample([8], "float64");
    const index = Array.from({ length: 8 }, () => Math.floor(random() * 4));
    const joins = {
      sum: (list: number[]) => list.reduce((a, b) => a + b, 0),
      prod: (list: number[]) => list.reduce((a, b) => a * b, 1),
      mean: (list: number[]) => list.reduce((a, b) => a + b, 0) / list.length,
      amax: (list: number[]) => Math.max(...list),
      amin: (list: number[]) => Math.min(...list),
    };
    for (const [name, join] of Object.entries(joins) as [keyof typeof joins, (list: number[]) => number][])
      for (const includeSelf of [true, false]) {
        const wanted = values.map((own, at): Wanted => {
          const come = given.filter((_, place) => index[place] === at);
          if (come.length === 0) return [own, Math.abs(own)];
          const all = includeSelf ? [own, ...come] : come;
          return [join(all), name === "prod" ? Math.abs(join(all)) : joins.sum(all.map(Math.abs))];
        });
        const got = x.scatterReduce(0, index, source, name, { includeSelf });
        expectNear(got, [5], wanted, 10);
        expect(numbersOf(scatterReduce(x, 0, index, source, name, { includeSelf }))).toEqual(numbersOf(got));
        expect(numbersOf(x.clone().scatterReduce_(0, index, source, name, { includeSelf }))).toEqual(numbersOf(got));
        expect(numbersOf(x.scatter(0, index, source, { reduce: name, includeSelf }))).toEqual(numbersOf(got));
        expectGradients(
          (x, s) => x!.scatterReduce(0, [0, 2, 2], s!, name, { includeSelf }),
          [doubles([0.3, -1, 2]), doubles([1.5, 0.25, 3])],
        );
      }
    expect(() => x.scatterReduce(0, index, source, "max of" as "amax")).toThrow(
      'scatterReduce takes "set", "add", "prod", "mean", "max", "min", "sum", "multiply", "amax" or "amin" as reduce',
    );
  });

  test("rows of a table that are shortened, and one without a gradient", () => {
    const { x: weight, values } = sample([6, 4], "float64", [-2, 2]);
    const lengths = Array.from({ length: 6 }, (_, row) => Math.hypot(...values.slice(4 * row, 4 * row + 4)));
    const looked = [0, 3, 3, -1];
    const rows = embedding(tensor(looked, { dtype: "int64", device }), weight, { maxNorm: 1 });
    const wanted = values.map((value, at): Wanted => {
      const row = Math.floor(at / 4);
      const isShorter = [0, 3, 5].includes(row) && lengths[row]! > 1;
      return [isShorter ? value / (lengths[row]! + 1e-7) : value, Math.abs(value)];
    });
    expectNear(weight, [6, 4], wanted, 12);
    const own = numbersOf(weight);
    expect(numbersOf(rows)).toEqual(looked.flatMap((row) => own.slice(4 * ((row + 6) % 6), 4 * ((row + 6) % 6) + 4)));
    const table = weight.detach().clone();
    table.requiresGrad = true;
    const indices = tensor(looked, { dtype: "int64", device });
    const [gradient] = gradients(embedding(indices, table, { paddingIdx: 3, maxNorm: 0.5, normType: 1 }).sum(), [
      table,
    ]);
    expect(numbersOf(gradient!)).toEqual([1, 0, 0, 0, 0, 1].flatMap((each) => Array<number>(4).fill(each)));
    expect(() => embedding(indices, table, { sparse: true } as object)).toThrow(
      "embedding has no option sparse. Gradients of tables are dense: leave it out.",
    );
  });

  test("losses with weights", () => {
    const [a, b, w] = [sample([4, 3], "float64"), sample([4, 3], "float64"), sample([3], "float64", [0.1, 1])];
    for (const [loss, each] of [
      [mseLoss, (d: number) => d * d],
      [l1Loss, (d: number) => Math.abs(d)],
    ] as const) {
      const losses = a.values.map((value, at) => w.values[at % 3]! * each(value - b.values[at]!));
      const sum = losses.reduce((x, y) => x + y, 0);
      const weights = 4 * w.values.reduce((x, y) => x + y, 0);
      expectNear(loss(a.x, b.x, { weight: w.x }), [], [[sum / weights, sum / weights]], 40);
      expectNear(loss(a.x, b.x, { weight: w.x, reduction: "sum" }), [], [[sum, sum]], 20);
      // A difference errs by a rounding of both.
      const sizes = losses.map((value, at): Wanted => [value, 8 * (Math.abs(a.values[at]!) + 1)]);
      expectNear(loss(a.x, b.x, { weight: w.x, reduction: "none" }), [4, 3], sizes, 4);
      expectGradients((x, y, z) => loss(x!, y!, { weight: z! }), [a.x, b.x, w.x]);
      expect(() => loss(a.x, b.x, { weight: a.x.T })).toThrow(
        `${loss.name} takes a weight that broadcasts to the losses, [4, 3], but got [3, 4].`,
      );
    }
  });

  test("pseudo-inverses and ranks of symmetric matrices, and cutoffs", () => {
    const { x } = sample([4, 4], "float64");
    const symmetric = x.add(x.T);
    const lower = symmetric.tril().add(x.triu(1).mul(5));
    const [got, wanted] = [linalg.pinv(lower, { hermitian: true }), linalg.pinv(symmetric)];
    expect(numbersOf(got)).toEqual(numbersOf(wanted));
    expect(numbersOf(linalg.pinv(x, { rtol: 0.5 }))).toEqual(numbersOf(linalg.pinv(x, 0.5)));
    const steep = tensor(
      [
        [100, 0, 0],
        [0, 1, 0],
        [0, 0, -1e-3],
      ].flat(),
      { dtype: "float64", device },
    ).reshape([3, 3]);
    expect(linalg.matrixRank(steep).item()).toBe(3);
    expect(linalg.matrixRank(steep, { rtol: 1e-3 }).item()).toBe(2);
    expect(linalg.matrixRank(steep, { atol: 1e-2, hermitian: true }).item()).toBe(2);
    expect(linalg.matrixRank(steep, { tol: 2 } as object).item()).toBe(1);
    expect(linalg.matrixRank(steep, { rtol: 1e-6, atol: 2 }).item()).toBe(1);
    expect(() => linalg.pinv(x, { atol: 1 } as object)).toThrow(TensorError);
    expect(() => linalg.pinv(x, { atol: 1 } as object)).toThrow(
      "pinv has no option atol. Write rtol, a part of the largest singular value.",
    );
  });

  test("a scale that is computed again from the size", () => {
    const { x, values } = sample([1, 1, 7], "float64");
    const wanted = (scale: number) =>
      Array.from({ length: sizeOf([10]) }, (_, at): Wanted => {
        const place = Math.max(0, (at + 0.5) * scale - 0.5);
        const low = Math.min(6, Math.floor(place));
        const high = Math.min(6, low + 1);
        return [values[low]! * (1 - (place - low)) + values[high]! * (place - low), 2];
      });
    const given = { scaleFactor: 1.5, mode: "linear" } as const;
    expectNear(interpolate(x, given), [1, 1, 10], wanted(1 / 1.5), 16);
    expectNear(interpolate(x, { ...given, recomputeScaleFactor: true }), [1, 1, 10], wanted(7 / 10), 16);
  });
});
