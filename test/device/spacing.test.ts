// Differences, areas, spacings, values between points, windows and angles on every device against float64, on random
// numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  bartlett,
  blackman,
  deg2rad,
  diff,
  geomspace,
  hamming,
  hann,
  interp,
  kaiser,
  logspace,
  rad2deg,
  tensor,
  trapezoid,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { rounded, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { at, expectNear, floats, indicesOf, integers, numbersOf, sampler, type Wanted } from "./samples.ts";

const random = seeded(freshSeed());

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const list = (values: readonly number[]): Tensor => tensor(values, { device, dtype: "float32" });

  test.each([...floats, ...integers])("differences of %s", (dtype) => {
    const x = sample([3, 6, 2], dtype, [0, 40]);
    const wrapped = (value: number) =>
      dtype.startsWith("uint") ? Number(BigInt.asUintN(Number(dtype.slice(4)), BigInt(value))) : value;
    const once = indicesOf([3, 5, 2]).map(([i, j, k]) => wrapped(at(x, [i!, j! + 1, k!]) - at(x, [i!, j!, k!])));
    expectNear(
      diff(x.x, { axis: 1 }),
      [3, 5, 2],
      once.map((value): Wanted => [value, 40]),
      1,
      dtype,
    );
    const twice = indicesOf([3, 4, 2]).map(([i, j, k]) =>
      wrapped(at(x, [i!, j! + 2, k!]) - 2 * at(x, [i!, j! + 1, k!]) + at(x, [i!, j!, k!])),
    );
    expectNear(
      x.x.diff(2, 1),
      [3, 4, 2],
      twice.map((value): Wanted => [value, 80]),
      2,
      dtype,
    );
    expect(x.x.diff(0, 1).toArray()).toEqual(x.x.toArray());
    expect(diff(x.x, { n: 9, axis: 1 }).shape).toEqual([3, 0, 2]);
    expect(diff(x.x).shape).toEqual([3, 6, 1]);
    const ends = diff(x.x, { axis: 1, prepend: 0, append: x.x.slice(null, [0, 1]) });
    expect(ends.shape).toEqual([3, 7, 2]);
    expect(ends.slice(null, 0).toArray()).toEqual(x.x.slice(null, 0).toArray());
  });

  test("differences of bool, of one element and of nothing", () => {
    expect(tensor([true, true, false, true], { device }).diff().toArray()).toEqual([false, true, true]);
    expect(list([3]).diff().toArray()).toEqual([]);
    expect(zeros([0], { device }).diff().toArray()).toEqual([]);
    expect(trapezoid(list([3])).item()).toBe(0);
    expect(trapezoid(zeros([2, 0], { device })).toArray()).toEqual([0, 0]);
  });

  test.each(floats)("areas below points of %s", (dtype) => {
    const [y, x] = [sample([4, 9], dtype), sample([9], dtype)];
    const area = (i: number, width: (k: number) => number): Wanted => {
      const parts = Array.from({ length: 8 }, (_, k) => ((at(y, [i, k]) + at(y, [i, k + 1])) / 2) * width(k));
      return [parts.reduce((sum, part) => sum + part, 0), 8 * 8];
    };
    const rows = [0, 1, 2, 3];
    expectNear(
      trapezoid(y.x),
      [4],
      rows.map((i) => area(i, () => 1)),
      4,
      dtype,
    );
    expectNear(
      trapezoid(y.x, { dx: 0.5 }),
      [4],
      rows.map((i) => area(i, () => 0.5)),
      4,
      dtype,
    );
    const width = (k: number) => x.values[k + 1]! - x.values[k]!;
    expectNear(
      trapezoid(y.x, { x: x.x }),
      [4],
      rows.map((i) => area(i, width)),
      4,
      dtype,
    );
    expectNear(
      trapezoid(y.x.T, { x: x.x.unsqueeze(1).expand([9, 4]), axis: 0 }),
      [4],
      rows.map((i) => area(i, width)),
      4,
      dtype,
    );
  });

  test.each(["float32", "float64", "float16"] as const)("spaced in logarithms, of %s", (dtype) => {
    const near = (got: Tensor, wanted: readonly number[]) =>
      expectNear(
        got,
        [wanted.length],
        wanted.map((value): Wanted => [value, Math.abs(value)]),
        1,
        dtype,
      );
    const steps = Array.from({ length: 7 }, (_, k) => -2 + (5 * k) / 6);
    // Powers of float64 are off by some units of float64.
    near(
      logspace(-2, 3, 7, { dtype, device }),
      steps.map((x) => 10 ** x),
    );
    near(
      logspace(-2, 3, 7, { base: 2, dtype, device }),
      steps.map((x) => 2 ** x),
    );
    near(geomspace(2, 162, 5, { dtype, device }), [2, 6, 18, 54, 162]);
    near(geomspace(-1, -0.125, 4, { dtype, device }), [-1, -0.5, -0.25, -0.125]);
    expect(numbersOf(geomspace(0.3, 7, 30, { dtype, device })).at(-1)).toBe(rounded(7, dtype));
    expect([0, 1].map((n) => geomspace(3, 5, n, { dtype, device }).toArray())).toEqual([[], [3]]);
    expect(logspace(0, 2, 3, { dtype: "int32", device }).toArray()).toEqual([1, 10, 100]);
  });

  test.each(["float32", "float64"] as const)("values between points, of %s", (dtype) => {
    const places = [-1.5, -1, 0.25, 2];
    const values = [3, -1, 0.5, 8];
    const [xs, ys] = [places, values].map((each) => tensor(each, { dtype, device }));
    const x = sample([5, 20], dtype, [-3, 3]);
    const line = (value: number, left = 3, right = 8): number => {
      if (value < places[0]!) return left;
      if (value > places[3]!) return right;
      const k = Math.min(
        2,
        places.findLastIndex((place) => place <= value),
      );
      return values[k]! + ((values[k + 1]! - values[k]!) / (places[k + 1]! - places[k]!)) * (value - places[k]!);
    };
    expectNear(
      interp(x.x, xs!, ys!),
      [5, 20],
      x.values.map((value): Wanted => [line(value), 12]),
      6,
      dtype,
    );
    expectNear(
      interp(x.x, xs!, ys!, { left: -9, right: NaN }),
      [5, 20],
      x.values.map((value): Wanted => [line(value, -9, NaN), 12]),
      6,
      dtype,
    );
    expect(numbersOf(interp(xs!, xs!, ys!))).toEqual(values);
    expect(numbersOf(interp(tensor([NaN, Infinity, -Infinity], { dtype, device }), xs!, ys!))).toEqual([NaN, 8, 3]);
    expect(interp(0, xs!, ys!).shape).toEqual([]);
    expect(numbersOf(interp(x.x, xs!.slice([0, 1]), ys!.slice([0, 1])))).toEqual(x.values.map(() => 3));
    expect(interp(zeros([0], { device }), xs!, ys!).shape).toEqual([0]);
  });

  test("windows", () => {
    const wave =
      (...heights: number[]) =>
      (t: number) =>
        heights.reduce((sum, height, k) => sum + height * Math.cos(2 * Math.PI * k * t), 0);
    // I₀ as an integral: 1/π ∫ e^(x cos θ) dθ, by the middle of many steps.
    const bessel = (x: number) => {
      const steps = 2000;
      let sum = 0;
      for (let k = 0; k < steps; k++) sum += Math.exp(x * (Math.cos(((k + 0.5) * Math.PI) / steps) - 1));
      return (sum / steps) * Math.exp(x);
    };
    const shapes = [
      [hann, wave(0.5, -0.5)],
      [hamming, wave(0.54, -0.46)],
      [blackman, wave(0.42, -0.5, 0.08)],
      [bartlett, (t: number) => 1 - Math.abs(2 * t - 1)],
      [kaiser, (t: number) => bessel(12 * Math.sqrt(1 - (2 * t - 1) ** 2)) / bessel(12)],
    ] as const;
    for (const [make, of] of shapes) {
      for (const [count, periodic] of [
        [9, false],
        [9, true],
        [8, false],
      ] as const) {
        const got = make(count, { periodic, dtype: "float64", device });
        const wanted = Array.from({ length: count }, (_, k) => of(k / (periodic ? count : count - 1)));
        numbersOf(got).forEach((value, k) => expect(value).toBeCloseTo(wanted[k]!, 12));
      }
      expect([0, 1].map((count) => make(count, { device }).toArray())).toEqual([[], [1]]);
      expect(make(3, { device }).dtype).toBe("float32");
    }
    expect(numbersOf(kaiser(4, { beta: 0, device }))).toEqual([1, 1, 1, 1]);
  });

  test.each(floats)("degrees and radians of %s", (dtype) => {
    const x = sample([40], dtype, [-400, 400]);
    const near = (got: Tensor, factor: number) =>
      expectNear(
        got,
        [40],
        x.values.map((value): Wanted => [value * factor, Math.abs(value * factor)]),
        1 + 2 * roundoff[dtype]!,
        dtype,
      );
    near(deg2rad(x.x), Math.PI / 180);
    near(rad2deg(x.x), 180 / Math.PI);
    expect(tensor([180], { dtype: "int32", device }).deg2rad().toArray()).toEqual([Math.fround(Math.PI)]);
  });

  test("gradients", () => {
    const of = (...shape: number[]): { shape: number[] } => ({ shape });
    expectGradients((x) => diff(x!, { n: 2, axis: 0 }), [of(5, 2)], device);
    expectGradients((x, a) => diff(x!, { append: a! }), [of(2, 3), of(2, 1)], device);
    expectGradients((y, x) => trapezoid(y!, { x: x! }), [of(2, 4), of(4)], device);
    expectGradients((x) => x!.deg2rad().add(x!.rad2deg()), [of(3)], device);
    const places = tensor([-0.7, -0.1, 0.4], { dtype: "float64", device });
    expectGradients((values) => interp(places.mul(0.9).sub(0.05), places, values!), [of(3)], device);
  });

  test.each<[string, () => unknown, string]>([
    [
      "differences without axes",
      () => diff(tensor(3, { device })),
      "diff takes a tensor with axes but got one without.",
    ],
    ["fewer than no differences", () => list([1]).diff(-1), "diff takes a whole number of at least 0 as n but got -1."],
    [
      "places for other points",
      () => trapezoid(list([1, 2]), { x: list([1]) }),
      "trapezoid takes a place for each of the 2 points along axis 0 but got shape [1].",
    ],
    [
      "logarithms of 0",
      () => geomspace(0, 1, 3),
      "geomspace takes two finite numbers of one sign, neither of them 0, but got 0 and 1.",
    ],
    [
      "a count that is none",
      () => logspace(0, 1, 2.5),
      "logspace takes a whole number of at least 0 as count but got 2.5.",
    ],
    [
      "points that do not match",
      () => interp(1, list([1, 2]), list([1])),
      "interp takes two lists of the same length, places and values, with at least one element, but got shapes [2] and [1].",
    ],
    ["a window of less than nothing", () => hann(-1), "hann takes a whole number of at least 0 as count but got -1."],
    ["an option of another window", () => hann(3, { beta: 2 } as never), "hann has no option beta."],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });
});
