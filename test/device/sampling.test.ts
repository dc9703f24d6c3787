// Images through grids of places, pixels shuffled, and rows in bags, on every device against float64, on random numbers
// of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  affineGrid,
  arange,
  bucketize,
  channelShuffle,
  digamma,
  embeddingBag,
  equal,
  gridSample,
  logit,
  pixelShuffle,
  pixelUnshuffle,
  polygamma,
  tensor,
  zeros,
  type EmbeddingBagOptions,
  type GridSampleOptions,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectNear, numbersOf, sampler, type Wanted } from "./samples.ts";

const random = seeded(freshSeed());

const cubic = (d: number) => {
  const [a, s] = [-0.75, Math.abs(d)];
  if (s <= 1) return (a + 2) * s ** 3 - (a + 3) * s ** 2 + 1;
  return s < 2 ? a * s ** 3 - 5 * a * s ** 2 + 8 * a * s - 4 * a : 0;
};

/** A place back in the image, walked there step by step. */
function walked(place: number, low: number, high: number): number {
  if (low === high) return 0;
  let at = place;
  while (at < low || at > high) at = at < low ? 2 * low - at : 2 * high - at;
  return at;
}

/** What pixels of an axis count at a place of −1 to 1, by the definition of each mode. */
function weightsAt(unit: number, size: number, options: Required<GridSampleOptions>): number[] {
  const { mode, paddingMode, alignCorners } = options;
  const place = alignCorners ? ((unit + 1) / 2) * (size - 1) : ((unit + 1) * size - 1) / 2;
  const pad = (at: number) => {
    if (paddingMode === "zeros") return at;
    const inside =
      paddingMode === "border" ? at : walked(at, alignCorners ? 0 : -0.5, alignCorners ? size - 1 : size - 0.5);
    return Math.min(size - 1, Math.max(0, inside));
  };
  const weights = Array<number>(size).fill(0);
  const add = (at: number, weight: number) => {
    if (at >= 0 && at < size) weights[at]! += weight;
  };
  if (mode === "nearest") add(Math.round(pad(place)), 1);
  else if (mode === "bilinear") for (let at = -1; at <= size; at++) add(at, Math.max(0, 1 - Math.abs(pad(place) - at)));
  else
    for (let tap = -1; tap <= 2; tap++) {
      const at = Math.floor(place) + tap;
      add(Math.round(pad(at)), cubic(place - at));
    }
  return weights;
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const combinations = (["bilinear", "nearest", "bicubic"] as const).flatMap((mode) =>
    (["zeros", "border", "reflection"] as const).flatMap((paddingMode) =>
      [false, true].map((alignCorners) => ({ mode, paddingMode, alignCorners })),
    ),
  );

  test.each(combinations)("a grid, $mode with $paddingMode, corners $alignCorners", (options) => {
    for (const [height, width] of [
      [4, 5],
      [1, 3],
    ] as const) {
      const x = sample([2, 3, height, width], "float64");
      // Not where two pixels are as near, or a place is just at an edge.
      const grid = sample([2, 3, 2, 2], "float64", [-1.7, 1.7]);
      const wanted: Wanted[] = [];
      for (let image = 0; image < 2; image++)
        for (let channel = 0; channel < 3; channel++)
          for (let place = 0; place < 6; place++) {
            const at = (image * 6 + place) * 2;
            const across = weightsAt(grid.values[at]!, width, options);
            const up = weightsAt(grid.values[at + 1]!, height, options);
            let [sum, size] = [0, 0];
            up.forEach((v, row) =>
              across.forEach((u, column) => {
                const term = v * u * x.values[((image * 3 + channel) * height + row) * width + column]!;
                sum += term;
                size += Math.abs(term);
              }),
            );
            wanted.push([sum, size + 8]);
          }
      expectNear(gridSample(x.x, grid.x, options), [2, 3, 3, 2], wanted, 64);
    }
  });

  test("gradients of images and grids by differences", () => {
    const of = (...shape: number[]) => ({ shape });
    for (const options of combinations.filter(({ mode }) => mode === "bicubic" || mode === "bilinear"))
      expectGradients(
        // Places well between pixels, where nothing has a corner.
        (x, g) => gridSample(x!, g!.mul(0.02).add(g!.detach().sign().mul(0.35)), options),
        [of(1, 2, 4, 4), of(1, 2, 2, 2)],
        device,
      );
    expectGradients((theta) => affineGrid(theta!, [2, 1, 2, 3]), [of(2, 2, 3)], device);
  });

  test("a grid of places as matrices say", () => {
    const theta = tensor([1, 0, 0.5, 0, 2, 0], { device, dtype: "float64" }).reshape([1, 2, 3]);
    expect(affineGrid(theta, [1, 1, 2, 2]).toArray()).toEqual([
      [
        [
          [0, -1],
          [1, -1],
        ],
        [
          [0, 1],
          [1, 1],
        ],
      ],
    ]);
    expect(numbersOf(affineGrid(theta, [1, 1, 1, 3], { alignCorners: true }))).toEqual([-0.5, 0, 0.5, 0, 1.5, 0]);
    const x = sample([1, 2, 3, 4]);
    const same = tensor([1, 0, 0, 0, 1, 0], { device }).reshape([1, 2, 3]);
    const seen = gridSample(x.x, affineGrid(same, [1, 2, 3, 4]));
    expectNear(
      seen,
      [1, 2, 3, 4],
      x.values.map((value) => [value, 8]),
      16,
    );
  });

  test("a place that is NaN has no pixel, one at infinity is outside", () => {
    const x = tensor([1, 2, 3, 4], { device }).reshape([1, 1, 2, 2]);
    const grid = tensor([NaN, 0, Infinity, 0, 0, 0], { device }).reshape([1, 1, 3, 2]);
    for (const mode of ["bilinear", "nearest"] as const) {
      const [lost, outside, middle] = numbersOf(gridSample(x, grid, { mode }));
      expect([lost, outside, Number.isNaN(middle)]).toEqual([NaN, 0, false]);
    }
  });

  test("pixels of channels and back", () => {
    const x = arange(2 * 12 * 2 * 3, { device }).reshape([2, 12, 2, 3]);
    const shuffled = pixelShuffle(x, 2);
    expect(shuffled.shape).toEqual([2, 3, 4, 6]);
    // out[b, c, h·r + i, w·r + j] = x[b, c·r² + i·r + j, h, w]
    for (const [b, c, h, w, i, j] of [
      [0, 0, 0, 0, 0, 0],
      [1, 2, 1, 2, 1, 0],
      [0, 1, 1, 0, 0, 1],
    ] as const)
      expect(shuffled.get(b, c, 2 * h + i, 2 * w + j).item()).toBe(x.get(b, 4 * c + 2 * i + j, h, w).item());
    expect(equal(pixelUnshuffle(shuffled, 2), x)).toBe(true);
    expect(equal(pixelShuffle(x, 1), x)).toBe(true);
    expect(pixelShuffle(zeros([4, 1, 1], { device }), 2).shape).toEqual([1, 2, 2]);
    expect(
      channelShuffle(arange(6, { device }).reshape([1, 6, 1]), 3)
        .reshape([6])
        .toArray(),
    ).toEqual([0, 2, 4, 1, 3, 5]);
  });

  test("rows in bags, of a matrix of indices and of a list", () => {
    const weight = sample([7, 3], "float64");
    const row = (index: number) => weight.values.slice(3 * index, 3 * index + 3);
    const bags = [[1, 4, 4], [], [6], [0, 2]];
    const list = tensor(bags.flat(), { dtype: "int64", device });
    const offsets = [0, 3, 3, 4];
    const reduce: Record<string, (terms: number[]) => number> = {
      sum: (terms) => terms.reduce((a, b) => a + b, 0),
      mean: (terms) => terms.reduce((a, b) => a + b, 0) / Math.max(1, terms.length),
      max: (terms) => (terms.length === 0 ? 0 : Math.max(...terms)),
    };
    const expected = (mode: string, of: number[][], scale = (_: number) => 1) => {
      let at = 0;
      return of.flatMap((bag) => {
        const rows = bag.map((index) => {
          const factor = scale(at++);
          return row(index).map((value) => value * factor);
        });
        return [0, 1, 2].map((column): Wanted => [reduce[mode]!(rows.map((each) => each[column]!)), 8]);
      });
    };
    for (const mode of ["sum", "mean", "max"] as const) {
      expectNear(embeddingBag(list, weight.x, { mode, offsets }), [4, 3], expected(mode, bags), 4);
      const last = embeddingBag(list, weight.x, { mode, offsets: [...offsets, 6], includeLastOffset: true });
      expectNear(last, [4, 3], expected(mode, bags), 4);
      const matrix = [
        [1, 5, 1],
        [0, 5, 5],
        [5, 5, 5],
      ];
      const indices = tensor(matrix, { dtype: "int64", device });
      expectNear(embeddingBag(indices, weight.x, { mode }), [3, 3], expected(mode, matrix), 4);
      const without = matrix.map((bag) => bag.filter((index) => index !== 5));
      expectNear(embeddingBag(indices, weight.x, { mode, paddingIndex: -2 }), [3, 3], expected(mode, without), 4);
    }
    const factors = sample([6], "float64");
    expectNear(
      embeddingBag(list, weight.x, { mode: "sum", offsets, perSampleWeights: factors.x }),
      [4, 3],
      expected("sum", bags, (at) => factors.values[at]!),
      8,
    );
    const of = (...shape: number[]) => ({ shape });
    for (const mode of ["sum", "mean", "max"] as const)
      expectGradients((w) => embeddingBag(list, w!, { mode, offsets }), [of(7, 3)], device);
  });

  test("logits, digamma, buckets", () => {
    const p = sample([50], "float64", [0.01, 0.99]);
    expectNear(
      logit(p.x),
      [50],
      p.values.map((value): Wanted => [Math.log(value / (1 - value)), 6]),
      4,
    );
    expect(numbersOf(logit(tensor([0, 1], { device, dtype: "float64" }), 0.25)).map((x) => x.toFixed(6))).toEqual([
      "-1.098612",
      "1.098612",
    ]);
    // ψ(½) = −γ − 2 log 2 (NIST's handbook, 5.4.13).
    const half = digamma(tensor([0.5, 0, -2], { device, dtype: "float64" })).toArray() as number[];
    expect(Math.abs(half[0]! + 0.5772156649015329 + 2 * Math.LN2)).toBeLessThan(1e-14);
    expect(half.slice(1)).toEqual([NaN, NaN]);
    expectGradients((x) => digamma(x!.add(3)), [{ shape: [4] }], device);
    const wide = tensor([0.5, 3], { device, dtype: "float64" });
    // (−1)ⁿ⁺¹ n! Σ 1/(x + j)ⁿ⁺¹, of which two terms are enough where n is large.
    const large = polygamma(170, wide).toArray() as number[];
    let product = -1;
    for (let j = 1; j <= 170; j++) product *= j / 3;
    expect(large[0]).toBe(-Infinity);
    expect(Math.abs(large[1]! / ((product / 3) * (1 + (3 / 4) ** 171)) - 1)).toBeLessThan(1000 * 2 ** -53);
    expect(polygamma(3, tensor([0, -2], { device })).toArray()).toEqual([Infinity, Infinity]);
    expect(polygamma(2, tensor([0, -2], { device })).toArray()).toEqual([NaN, NaN]);
    expect(() => polygamma(1001, wide)).toThrow("polygamma takes an n of up to 1000 but got 1001.");
    expect(() => polygamma(1.5, wide)).toThrow("polygamma takes a whole number of at least 0 as n but got 1.5.");
    const edges = tensor([1, 3, 5], { device });
    expect(
      bucketize(
        tensor(
          [
            [0, 1],
            [3, 9],
          ],
          { device },
        ),
        edges,
      ).toArray(),
    ).toEqual([
      [0n, 0n],
      [1n, 3n],
    ]);
    expect(bucketize(tensor([1, 3], { device }), edges, { right: true }).toArray()).toEqual([1n, 2n]);
  });

  const image = zeros([1, 1, 2, 2], { device });
  const bag = (indices: unknown, options: EmbeddingBagOptions) => () =>
    embeddingBag(tensor(indices as number[], { dtype: "int64", device }), zeros([3, 2], { device }), options);
  test.each<[() => unknown, string]>([
    [
      () => pixelShuffle(image, 2),
      "pixelShuffle takes images of shape […, a multiple of 4, height, width] but got [1, 1, 2, 2].",
    ],
    [() => pixelShuffle(image, 1.5), "pixelShuffle takes a whole number as upscaleFactor but got 1.5."],
    [() => pixelUnshuffle(image, 3), "with multiples of 3 as height and width but got [1, 1, 2, 2]."],
    [
      () => channelShuffle(image, 2),
      "channelShuffle takes images of shape [images, a multiple of 2, …] but got [1, 1, 2, 2].",
    ],
    [
      () => gridSample(zeros([2, 2], { device }), image),
      "gridSample takes images [images, channels, height, width] with elements but got [2, 2].",
    ],
    [
      () => gridSample(image, zeros([2, 1, 1, 2], { device })),
      "gridSample of 1 images takes a grid [1, rows, columns, 2] but got [2, 1, 1, 2].",
    ],
    [
      () => affineGrid(zeros([1, 3, 3], { device }), [1, 1, 2, 2]),
      "affineGrid takes matrices [images, 2, 3] and a size of",
    ],
    [bag([1, 2], {}), "embeddingBag takes indices of shape [bags, each], or a list of them with offsets, but got [2]."],
    [bag([[1, 2]], { offsets: [0] }), "but got [1, 2] and offsets."],
    [
      bag([[1, 2]], { perSampleWeights: zeros([1, 2], { device }) }),
      'embeddingBag takes perSampleWeights with mode "sum" but got "mean".',
    ],
    [
      bag([[1, 2]], { mode: "sum", perSampleWeights: zeros([2], { device }) }),
      "of the indices' shape [1, 2] but got [2].",
    ],
    [() => (bag([[1, 3]], {})() as Tensor).sum().item(), "3"],
  ])("a sentence for a mistake %#", (act, sentence) => {
    expect(act).toThrow(sentence);
  });
});
