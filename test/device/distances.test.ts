// Lengths, distances and the losses that are made of them or of likelihoods, on every device against float64, on random
// numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  binaryCrossEntropy,
  cdist,
  cosineEmbeddingLoss,
  cosineSimilarity,
  gaussianNllLoss,
  gradients,
  klDiv,
  marginRankingLoss,
  normalize,
  pdist,
  poissonNllLoss,
  renorm,
  tensor,
  tripletMarginLoss,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { at, expectNear, floats, indicesOf, numbersOf, sampler, type Sample, type Wanted } from "./samples.ts";

const random = seeded(freshSeed());
const total = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0);
function norm(values: readonly number[], p = 2): number {
  const sizes = values.map(Math.abs);
  if (p === Infinity) return Math.max(0, ...sizes);
  return p === 0 ? sizes.filter((x) => x !== 0).length : total(sizes.map((x) => x ** p)) ** (1 / p);
}
const row = (x: Sample, ...lead: number[]): number[] =>
  Array.from({ length: x.shape.at(-1)! }, (_, k) => at(x, [...lead, k]));
const cosine = (a: readonly number[], b: readonly number[]): number =>
  total(a.map((x, k) => x * b[k]!)) / (norm(a) * norm(b));

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const list = (values: readonly number[]): Tensor => tensor(values, { device });

  test.each(floats)("vectors of %s brought to length 1, and the cosines between them", (dtype) => {
    const x = sample([4, 7], dtype);
    for (const p of [1, 2, 3, Infinity]) {
      const wanted = indicesOf([4, 7]).map(([i, k]): Wanted => [at(x, [i!, k!]) / norm(row(x, i!), p), 1]);
      expectNear(normalize(x.x, { p }), [4, 7], wanted, 8, dtype);
    }
    expect(numbersOf(normalize(x.x.T, { dim: 0 }).T)).toEqual(numbersOf(normalize(x.x)));
    expect(numbersOf(normalize(x.x.slice(0)))).toEqual(numbersOf(normalize(x.x).slice(0)));
    expect(numbersOf(normalize(zeros([1, 3], { dtype, device })))).toEqual([0, 0, 0]);
    const y = sample([5, 1, 7], dtype);
    expectNear(
      cosineSimilarity(y.x, x.x, { axis: -1 }),
      [5, 4],
      indicesOf([5, 4]).map(([i, j]): Wanted => [cosine(row(y, i!, 0), row(x, j!)), 1]),
      24,
      dtype,
    );
    expect(numbersOf(cosineSimilarity(zeros([1, 3], { dtype, device }), zeros([1, 3], { dtype, device })))).toEqual([
      0,
    ]);
  });

  test.each(floats)("distances of each two rows of %s", (dtype) => {
    const x = sample([6, 5], dtype);
    const pairs = indicesOf([6, 6]).filter(([i, j]) => i! < j!);
    for (const p of [0, 1, 2, 3.5, Infinity]) {
      const wanted = pairs.map(([i, j]): Wanted => {
        const length = norm(
          row(x, i!).map((value, k) => value - row(x, j!)[k]!),
          p,
        );
        return [length, Math.max(1, length)];
      });
      expectNear(pdist(x.x, p), [15], wanted, 24, dtype);
    }
    expect(numbersOf(pdist(x.x.T.contiguous().T))).toEqual(numbersOf(pdist(x.x)));
    for (const rows of [0, 1]) expect(pdist(zeros([rows, 3], { dtype, device })).shape).toEqual([0]);
    expect(numbersOf(pdist(zeros([3, 0], { dtype, device })))).toEqual([0, 0, 0]);
    if (dtype !== "float64") return;
    // Not of equal rows, where distances have a kink: their slope there is 0.
    for (const p of [1.5, 2]) expectGradients((each) => pdist(each!, { p }), [{ shape: [4, 3] }], device);
    const same = zeros([2, 2], { dtype, device });
    same.requiresGrad = true;
    expect(numbersOf(gradients(pdist(same).sum(), [same])[0]!)).toEqual([0, 0, 0, 0]);
    expect(() => pdist(zeros([2, 3, 4], { device }))).toThrow("pdist takes rows, [N, M], but got shape [2, 3, 4].");
    expect(() => pdist(same, -1)).toThrow("pdist takes a number of at least 0 as p but got -1.");
  });

  test.each(floats)("parts of %s that are too long, kept short", (dtype) => {
    const x = sample([4, 3, 5], dtype);
    for (const p of [1, 2, 2.5, Infinity]) {
      const lengths = [0, 1, 2].map((j) =>
        norm(
          indicesOf([4, 5]).map(([i, k]) => at(x, [i!, j, k!])),
          p,
        ),
      );
      // One of them at least is, and one is not, unless they are equal.
      const most = (Math.min(...lengths) + Math.max(...lengths)) / 2;
      const wanted = indicesOf([4, 3, 5]).map(([i, j, k]): Wanted => {
        const value = at(x, [i!, j!, k!]);
        return [lengths[j!]! > most ? (value * most) / lengths[j!]! : value, Math.abs(value)];
      });
      expectNear(renorm(x.x, p, 1, most), [4, 3, 5], wanted, 8, dtype);
      expect(numbersOf(renorm(x.x, p, -2, most))).toEqual(numbersOf(renorm(x.x, p, 1, most)));
    }
    expect(numbersOf(renorm(x.x, 2, 0, 0)).every((each) => each === 0)).toBe(true);
    expect(numbersOf(renorm(zeros([2, 2], { dtype, device }), 2, 0, 0))).toEqual([0, 0, 0, 0]);
    expect(renorm(tensor([[3, 4]], { dtype: "int32", device }), 2, 0, 2.5).toArray()).toEqual([[1.5, 2]]);
  });

  test.each(floats)("distances between rows of %s", (dtype) => {
    const [a, b] = [sample([2, 5, 6], dtype), sample([4, 6], dtype)];
    for (const p of [0, 1, 2, 2.5, Infinity])
      expectNear(
        cdist(a.x, b.x, p),
        [2, 5, 4],
        indicesOf([2, 5, 4]).map(([i, j, k]): Wanted => {
          const distance = norm(
            row(a, i!, j!).map((x, m) => x - at(b, [k!, m])),
            p,
          );
          return [distance, Math.max(distance, 4)];
        }),
        12,
        dtype,
      );
    expect(
      numbersOf(cdist(a.x, a.x))
        .filter((_, at) => at % 6 === 0)
        .slice(0, 5),
    ).toEqual([0, 0, 0, 0, 0]);
    expect(cdist(zeros([0, 3], { device }), zeros([2, 3], { device })).shape).toEqual([0, 2]);
    expect(cdist(zeros([2, 0], { device }), zeros([1, 0], { device })).toArray()).toEqual([[0], [0]]);
  });

  test("distances of more rows than are held at a time", () => {
    const [a, b] = [sample([3000, 3]), sample([3000, 3])];
    const got = cdist(a.x, b.x);
    expect(got.shape).toEqual([3000, 3000]);
    for (let turn = 0; turn < 50; turn++) {
      const [i, j] = [Math.floor(random() * 3000), Math.floor(random() * 3000)];
      const wanted = norm(row(a, i).map((x, m) => x - at(b, [j, m])));
      expect(Math.abs(Number(got.slice(i, j).item()) - wanted)).toBeLessThan(1e-6 * Math.max(1, wanted));
    }
  });

  test.each(floats)("losses of distances, of %s", (dtype) => {
    const [a, p, n] = [sample([6, 5], dtype), sample([6, 5], dtype), sample([6, 5], dtype)];
    const apart = (x: Sample, y: Sample, i: number, power: number) =>
      norm(
        row(x, i).map((value, k) => value - at(y, [i, k]) + 1e-6),
        power,
      );
    const rows = [0, 1, 2, 3, 4, 5];
    const each = (of: (i: number) => number): Wanted[] => rows.map((i) => [of(i), 10]);
    const triplet = (i: number, swap: boolean, power: number) => {
      const far = swap ? Math.min(apart(a, n, i, power), apart(p, n, i, power)) : apart(a, n, i, power);
      return Math.max(0, apart(a, p, i, power) - far + 1);
    };
    expectNear(
      tripletMarginLoss(a.x, p.x, n.x, { reduction: "none" }),
      [6],
      each((i) => triplet(i, false, 2)),
      12,
      dtype,
    );
    expectNear(
      tripletMarginLoss(a.x, p.x, n.x, { reduction: "none", swap: true, p: 1 }),
      [6],
      each((i) => triplet(i, true, 1)),
      24,
      dtype,
    );
    const sides = rows.map((i) => (i % 2 === 0 ? 1 : -1));
    const side = tensor(sides, { device });
    expectNear(
      cosineEmbeddingLoss(a.x, p.x, side, { margin: 0.25, reduction: "none" }),
      [6],
      each((i) =>
        sides[i] === 1 ? 1 - cosine(row(a, i), row(p, i)) : Math.max(0, cosine(row(a, i), row(p, i)) - 0.25),
      ),
      4,
      dtype,
    );
    const [x, y] = [sample([6], dtype), sample([6], dtype)];
    expectNear(
      marginRankingLoss(x.x, y.x, side, { margin: 0.5, reduction: "none" }),
      [6],
      each((i) => Math.max(0, 0.5 - sides[i]! * (x.values[i]! - y.values[i]!))),
      4,
      dtype,
    );
  });

  test.each(floats)("losses of likelihoods, of %s", (dtype) => {
    const [logs, parts] = [sample([3, 4], dtype, [-3, -0.1]), sample([3, 4], dtype, [0.05, 0.95])];
    const target = sample([3, 4], dtype, [0.1, 0.9]);
    const each = (of: (x: number, t: number) => number, x: Sample, size: number, t = target): Wanted[] =>
      x.values.map((value, k) => [of(value, t.values[k]!), size]);
    const none = { reduction: "none" } as const;
    expectNear(
      klDiv(logs.x, target.x, none),
      [3, 4],
      each((x, t) => t * (Math.log(t) - x), logs, 4),
      6,
      dtype,
    );
    expectNear(
      klDiv(logs.x, logs.x.neg(), { ...none, logTarget: true }),
      [3, 4],
      logs.values.map((x): Wanted => [Math.exp(-x) * -2 * x, 130]),
      8,
      dtype,
    );
    expectNear(
      binaryCrossEntropy(parts.x, target.x, none),
      [3, 4],
      each((x, t) => -t * Math.log(x) - (1 - t) * Math.log(1 - x), parts, 8),
      8,
      dtype,
    );
    const counts = sample([3, 4], dtype, [0, 5]);
    expectNear(
      poissonNllLoss(logs.x, counts.x, none),
      [3, 4],
      each((x, t) => Math.exp(x) - t * x, logs, 16, counts),
      4,
      dtype,
    );
    expectNear(
      poissonNllLoss(parts.x, counts.x, { ...none, logInput: false, full: true }),
      [3, 4],
      each(
        (x, t) => x - t * Math.log(x + 1e-8) + (t > 1 ? t * Math.log(t) - t + 0.5 * Math.log(2 * Math.PI * t) : 0),
        parts,
        20,
        counts,
      ),
      8,
      dtype,
    );
    const gaussian = (x: number, t: number, v: number) => 0.5 * (Math.log(v) + (x - t) ** 2 / v);
    expectNear(
      gaussianNllLoss(logs.x, target.x, parts.x, none),
      [3, 4],
      logs.values.map((x, k): Wanted => [gaussian(x, target.values[k]!, parts.values[k]!), 16 / parts.values[k]!]),
      8,
      dtype,
    );
    expectNear(
      gaussianNllLoss(logs.x, target.x, parts.x.slice(null, 0), { ...none, full: true }),
      [3, 4],
      logs.values.map((x, k): Wanted => {
        const v = at(parts, [Math.floor(k / 4), 0]);
        return [gaussian(x, target.values[k]!, v) + 0.5 * Math.log(2 * Math.PI), 16 / v];
      }),
      8,
      dtype,
    );
  });

  test("means and sums of losses, weights, and ends", () => {
    const [x, t] = [list([0.25, 0.5]), list([1, 0])];
    const losses = [-Math.log(0.25), -Math.log(0.5)];
    expect(Number(binaryCrossEntropy(x, t).item())).toBeCloseTo(total(losses) / 2, 6);
    expect(Number(binaryCrossEntropy(x, t, { reduction: "sum", weight: list([2, 1]) }).item())).toBeCloseTo(
      2 * losses[0]! + losses[1]!,
      6,
    );
    const ends = binaryCrossEntropy(list([0, 1, 0, 1]), list([0, 1, 1, 0]), { reduction: "none" });
    expect(numbersOf(ends.abs())).toEqual([0, 0, 100, 100]);
    expect(binaryCrossEntropy(x, tensor([1, 0], { dtype: "int64", device })).dtype).toBe("float32");
    expect(klDiv(list([-1]), list([0])).item()).toBe(0);
    const logs = list([-1, -2, -3, -4]).reshape([2, 2]);
    const parts = list([0.5, 0.5, 0.5, 0.5]).reshape([2, 2]);
    expect(klDiv(logs, parts, { reduction: "batchmean" }).item()).toBe(
      Number(klDiv(logs, parts, { reduction: "sum" }).item()) / 2,
    );
    expect(gaussianNllLoss(list([1]), list([1]), list([0])).item()).toBeCloseTo(0.5 * Math.log(1e-6), 5);
  });

  test("gradients", () => {
    const of = (...shape: number[]): { shape: number[] } => ({ shape });
    expectGradients((x) => normalize(x!), [of(2, 3)], device);
    for (const p of [1, 2, 3]) expectGradients((x) => renorm(x!, p, 0, 0.5), [of(2, 3)], device);
    expectGradients((a, b) => cosineSimilarity(a!, b!, { axis: -1 }), [of(2, 3), of(3)], device);
    for (const p of [1, 2, 3]) expectGradients((a, b) => cdist(a!, b!.add(3), { p }), [of(2, 3), of(4, 3)], device);
    expectGradients(
      (a, b) => tripletMarginLoss(a!, b!, a!.mul(b!).add(3), { margin: 9 }),
      [of(2, 3), of(2, 3)],
      device,
    );
    const side = tensor([1, -1], { device });
    expectGradients((a, b) => cosineEmbeddingLoss(a!, b!, side, { margin: -1 }), [of(2, 3), of(2, 3)], device);
    expectGradients((a, b) => marginRankingLoss(a!, b!, side, { margin: 5 }), [of(2), of(2)], device);
    expectGradients((x, t) => klDiv(x!, t!.abs().add(0.5)), [of(3), of(3)], device);
    expectGradients((x, t) => binaryCrossEntropy(x!.sigmoid(), t!.sigmoid()), [of(3), of(3)], device);
    expectGradients((x, t) => poissonNllLoss(x!, t!.add(4), { full: true }), [of(3), of(3)], device);
    expectGradients((x, t, v) => gaussianNllLoss(x!, t!, v!.abs().add(1)), [of(3), of(3), of(3)], device);
  });

  test("a certain mistake has a gradient, a distance of 0 has none", () => {
    const x = list([0, 0.5, 1]);
    x.requiresGrad = true;
    const [wrong] = gradients(binaryCrossEntropy(x, list([1, 1, 0]), { reduction: "sum" }), [x]);
    expect(numbersOf(wrong!)).toEqual([Math.fround(-1e12), -2, Math.fround(1e12)]);
    const same = list([1, 2]).reshape([1, 2]);
    same.requiresGrad = true;
    for (const p of [1, 2])
      expect(numbersOf(gradients(cdist(same, same.detach(), p).sum(), [same])[0]!)).toEqual([0, 0]);
  });

  const of = (...shape: number[]): Tensor => zeros(shape, { device });
  test.each<[string, () => unknown, string]>([
    [
      "rows of other lengths",
      () => cdist(of(2, 3), of(2, 4)),
      "cdist takes rows of one length, […, P, M] and […, R, M], but got shapes [2, 3] and [2, 4].",
    ],
    ["a norm of 0", () => renorm(of(2, 3), 0, 0, 1), "renorm takes a p above 0 but got 0."],
    [
      "a length below 0",
      () => renorm(of(2, 3), 2, 0, -1),
      "renorm takes a number of at least 0 as maxNorm but got -1. Write renorm(p, axis, maxNorm).",
    ],
    ["a norm of less than 0", () => cdist(of(2, 3), of(2, 3), -1), "cdist takes a p of at least 0 but got -1."],
    ["an axis that is not there", () => normalize(of(2, 3), { axis: 2 }), "There is no axis 2 in a tensor with 2 axes"],
    [
      "numbers where vectors go",
      () => tripletMarginLoss(of(), of(), of()),
      "tripletMarginLoss takes vectors along the last axis but got a tensor without axes.",
    ],
    [
      "sides of other vectors",
      () => cosineEmbeddingLoss(of(2, 3), of(2, 3), of(3)),
      "cosineEmbeddingLoss takes a target of 1 and −1 of shape [2] but got [3].",
    ],
    [
      "sides of other scores",
      () => marginRankingLoss(of(2), of(2), of(1)),
      "marginRankingLoss takes a target of 1 and −1 of shape [2] but got [1].",
    ],
    [
      "targets of another shape",
      () => binaryCrossEntropy(of(2), of(1)),
      "binaryCrossEntropy takes an input and a target of one shape but got [2] and [1].",
    ],
    [
      "a variance of another shape",
      () => gaussianNllLoss(of(2), of(2), of(3, 2)),
      "gaussianNllLoss of shape [2] takes a variance that broadcasts to it but got [3, 2].",
    ],
    [
      "a reduction that is none",
      () => klDiv(of(2), of(2), { reduction: "all" as never }),
      'klDiv takes "mean", "sum", "none" or "batchmean" as reduction but got "all".',
    ],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });
});
