// Covariances, weighted means and reductions that pass over NaN, on every device against float64, on random numbers of
// a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  average,
  corrcoef,
  cov,
  nanmax,
  nanmean,
  nanmin,
  nanprod,
  nanstd,
  nansum,
  nanToNum,
  nanvar,
  stdMean,
  tensor,
  varMean,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { at, expectNear, floats, indicesOf, numbersOf, sampler, type Wanted } from "./samples.ts";

const random = seeded(freshSeed());
const total = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0);
const mean = (values: readonly number[]): number => total(values) / values.length;
const variance = (values: readonly number[], correction = 1): number =>
  total(values.map((x) => (x - mean(values)) ** 2)) / (values.length - correction);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const list = (values: readonly number[]): Tensor => tensor(values, { device });

  test.each(floats)("covariances and correlations of %s", (dtype) => {
    const x = sample([3, 20], dtype);
    const row = (i: number) => Array.from({ length: 20 }, (_, k) => at(x, [i, k]));
    const between = (i: number, j: number, correction: number): Wanted => [
      total(row(i).map((value, k) => (value - mean(row(i))) * (row(j)[k]! - mean(row(j))))) / (20 - correction),
      // Deviations have the roundings of numbers up to 2 and of their mean.
      8,
    ];
    const all = indicesOf([3, 3]) as [number, number][];
    expectNear(
      cov(x.x),
      [3, 3],
      all.map(([i, j]) => between(i, j, 1)),
      8,
      dtype,
    );
    expectNear(
      cov(x.x.T, { rowvar: false, ddof: 0 }),
      [3, 3],
      all.map(([i, j]) => between(i, j, 0)),
      8,
      dtype,
    );
    const correlation = ([i, j]: [number, number]): Wanted => [
      between(i, j, 1)[0] / Math.sqrt(between(i, i, 1)[0] * between(j, j, 1)[0]),
      8,
    ];
    expectNear(corrcoef(x.x), [3, 3], all.map(correlation), 8, dtype);
    expect(Math.max(...numbersOf(corrcoef(x.x).abs()))).toBeLessThanOrEqual(1);
    expect(numbersOf(cov(x.x.slice(0)))[0]).toBeCloseTo(variance(row(0)), dtype === "bfloat16" ? 1 : 2);
  });

  test("weights of observations", () => {
    const x = [1, 2, 4, 7];
    const often = [1, 2, 3, 1];
    const repeated = x.flatMap((value, k) => Array<number>(often[k]!).fill(value));
    const got = list(x).cov({ fweights: tensor(often, { dtype: "int64", device }) });
    expect(got.item()).toBeCloseTo(variance(repeated), 4);
    const heavy = [0.5, 0.25, 1, 2];
    const sum = total(heavy);
    const centre = total(x.map((value, k) => value * heavy[k]!)) / sum;
    const wanted =
      total(x.map((value, k) => heavy[k]! * (value - centre) ** 2)) / (sum - total(heavy.map((w) => w * w)) / sum);
    expect(
      list(x)
        .cov({ aweights: list(heavy) })
        .item(),
    ).toBeCloseTo(wanted, 4);
    const both = often.map((f, k) => f * heavy[k]!);
    const middle = total(x.map((value, k) => value * both[k]!)) / total(both);
    const together =
      total(x.map((value, k) => both[k]! * (value - middle) ** 2)) /
      (total(both) - total(both.map((w, k) => w * heavy[k]!)) / total(both));
    expect(
      list(x)
        .cov({ fweights: tensor(often, { dtype: "int64", device }), aweights: list(heavy) })
        .item(),
    ).toBeCloseTo(together, 4);
  });

  test.each([...floats, "int32" as const])("weighted means, and variance with mean, of %s", (dtype) => {
    const [x, w] = [sample([4, 6], dtype), sample([6], dtype === "int32" ? "int32" : dtype, [1, 3])];
    const column = (i: number) => Array.from({ length: 6 }, (_, k) => at(x, [i, k]));
    const weighted = (i: number): Wanted => [
      total(column(i).map((value, k) => value * w.values[k]!)) / total(w.values),
      2,
    ];
    const rows = [0, 1, 2, 3];
    expectNear(
      average(x.x, { axis: 1, weights: w.x }),
      [4],
      rows.map(weighted),
      12,
      dtype === "int32" ? "float32" : dtype,
    );
    expectNear(
      average(x.x, { weights: w.x.expand([4, 6]), axis: 1, keepdims: true }),
      [4, 1],
      rows.map(weighted),
      12,
      dtype === "int32" ? "float32" : dtype,
    );
    expect(numbersOf(average(x.x, 0))).toEqual(numbersOf(x.x.mean(0)));
    if (dtype === "int32") return;
    const { var: spread, mean: middle } = varMean(x.x, { axis: 1, correction: 0 });
    expect(numbersOf(spread)).toEqual(numbersOf(x.x.var({ axis: 1, correction: 0 })));
    expect(numbersOf(middle)).toEqual(numbersOf(x.x.mean(1)));
    const { std } = stdMean(x.x, 1, true);
    expect(std.shape).toEqual([4, 1]);
    expect(numbersOf(std)).toEqual(numbersOf(x.x.std(1)));
  });

  test.each(floats)("reductions of %s that pass over NaN", (dtype) => {
    const dense = sample([5, 30], dtype, [0.5, 1.5]);
    // The first row has none, the last nothing else.
    const isNaN = indicesOf([5, 30]).map(([i]) => i! === 4 || (i! > 0 && random() < 0.4));
    const x = dense.x.where(tensor(isNaN, { device }).reshape([5, 30]).logicalNot(), NaN);
    const rows = [0, 1, 2, 3, 4].map((i) =>
      dense.values.slice(30 * i, 30 * (i + 1)).filter((_, k) => !isNaN[30 * i + k]),
    );
    const check = (got: Tensor, of: (row: readonly number[]) => number, roundings: number) =>
      expectNear(
        got,
        [5],
        rows.map((row): Wanted => [of(row), Math.abs(of(row)) || 1]),
        roundings,
        dtype,
      );
    check(nansum(x, 1), total, 8);
    check(nanprod(x, { axis: 1 }), (row) => row.reduce((product, value) => product * value, 1), 40);
    check(nanmean(x, 1), (row) => (row.length === 0 ? NaN : mean(row)), 8);
    check(nanmax(x, 1), (row) => (row.length === 0 ? NaN : Math.max(...row)), 0);
    check(nanmin(x, 1), (row) => (row.length === 0 ? NaN : Math.min(...row)), 0);
    check(nanvar(x, 1), (row) => (row.length === 0 ? NaN : variance(row)), 64);
    check(nanvar(x, { axis: 1, ddof: 0 }), (row) => (row.length === 0 ? NaN : variance(row, 0)), 64);
    check(nanstd(x, { axis: 1 }), (row) => (row.length === 0 ? NaN : Math.sqrt(variance(row))), 64);
    expect(nanmean(x, { axis: 0, keepdims: true }).shape).toEqual([1, 30]);
    expect(nanmax(x, 1).dtype).toBe(dtype);
    expect(nansum(x, { axis: 1, dtype: "float64" }).dtype).toBe("float64");
    const filled = nanToNum(list([NaN, Infinity, -Infinity, 1]).to(dtype));
    expect(filled.isfinite().all().item()).toBe(true);
    expect(Math.abs(numbersOf(filled)[1]!)).toBe(-numbersOf(filled)[2]!);
    expect(numbersOf(nanToNum(list([NaN, Infinity, -Infinity]).to(dtype), { nan: 1, posinf: 2, neginf: NaN }))).toEqual(
      [1, 2, NaN],
    );
  });

  test("integers, nothing and one element", () => {
    const whole = tensor([1, 2, 6], { dtype: "int32", device });
    expect([nansum(whole), nanprod(whole)].map((each) => Number(each.item()))).toEqual([9, 12]);
    expect([nanmean(whole), nanmax(whole), nanmin(whole)].map((each) => Number(each.item()))).toEqual([3, 6, 1]);
    expect(nanToNum(whole).toArray()).toEqual([1, 2, 6]);
    const none = zeros([0, 2], { device });
    expect(nansum(none, 0).toArray()).toEqual([0, 0]);
    expect(nanmean(none, 0).toArray()).toEqual([NaN, NaN]);
    expect(nanvar(none, 0).toArray()).toEqual([NaN, NaN]);
    expect(nanvar(list([3])).item()).toBe(NaN);
    expect(nanvar(list([3, NaN]), { correction: 0 }).item()).toBe(0);
    expect(cov(list([3]), { correction: 0 }).item()).toBe(0);
    expect(average(list([3]), { weights: list([2]) }).item()).toBe(3);
  });

  test("gradients", () => {
    const of = (...shape: number[]): { shape: number[] } => ({ shape });
    expectGradients((x) => cov(x!), [of(2, 5)], device);
    expectGradients((x) => corrcoef(x!), [of(2, 5)], device);
    expectGradients((x, w) => average(x!, { axis: 0, weights: w!.abs().add(1) }), [of(3, 2), of(3)], device);
    expectGradients((x) => varMean(x!, 1).var.add(varMean(x!, 1).mean), [of(2, 3)], device);
    const holes = tensor(
      [
        [true, false, true],
        [true, true, true],
      ],
      { device },
    );
    for (const reduce of [nansum, nanprod, nanmean, nanmax, nanmin, nanvar, nanstd])
      expectGradients(
        (x) => (reduce as (x: Tensor, axis: number) => Tensor)(x!.where(holes, NaN), 1),
        [of(2, 3)],
        device,
      );
  });

  test.each<[string, () => unknown, string]>([
    [
      "variables of many axes",
      () => cov(zeros([2, 2, 2], { device })),
      "cov takes a list or a matrix but got shape [2, 2, 2].",
    ],
    [
      "weights of other observations",
      () => cov(list([1, 2]), { fweights: list([1]) }),
      "cov of 2 observations takes fweights of shape [2] but got [1].",
    ],
    [
      "weights without an axis",
      () => average(zeros([2, 3], { device }), { weights: list([1, 2, 3]) }),
      "average of shape [2, 3] takes weights of that shape, or a list of them and one axis, but got [3].",
    ],
    [
      "weights of another axis",
      () => average(zeros([2, 3], { device }), { axis: 0, weights: list([1, 2, 3]) }),
      "average takes 2 weights for axis 0 but got 3.",
    ],
    ["the largest of nothing", () => nanmax(zeros([0], { device })), "max over no elements has no value"],
    ["an unknown option", () => nansum(list([1]), { axes: 0 } as never), "nansum has no option axes."],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });
});
