// Interpolation of images on every device against float64, on random numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { interpolate, nn, tensor, zeros, type InterpolateOptions } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectNear, floats, indicesOf, numbersOf, sampler, type Wanted } from "./samples.ts";

const random = seeded(freshSeed());

/** What elements of an axis count at a place, as Keys' cubic convolution and hat functions have it. */
const cubic = (d: number, a = -0.75) => {
  const s = Math.abs(d);
  if (s <= 1) return (a + 2) * s ** 3 - (a + 3) * s ** 2 + 1;
  return s < 2 ? a * s ** 3 - 5 * a * s ** 2 + 8 * a * s - 4 * a : 0;
};
function weightsAt(mode: string, place: number, from: number): number[] {
  const weights = Array<number>(from).fill(0);
  const add = (at: number, weight: number) => (weights[Math.min(from - 1, Math.max(0, at))]! += weight);
  if (mode === "bicubic") for (let at = -3; at < from + 3; at++) add(at, cubic(place - at));
  else {
    const inside = Math.max(0, place);
    for (let at = 0; at < from + 2; at++) add(at, Math.max(0, 1 - Math.abs(inside - at)));
  }
  return weights;
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);

  test.each(floats)("linear and cubic, larger and smaller, of %s", (dtype) => {
    for (const [mode, shape, size] of [
      ["linear", [2, 3, 5], [9]],
      ["bilinear", [2, 2, 5, 4], [10, 3]],
      ["bilinear", [1, 2, 1, 3], [4, 1]],
      ["bicubic", [1, 2, 5, 6], [8, 4]],
      ["trilinear", [1, 1, 3, 4, 2], [5, 3, 4]],
    ] as const)
      for (const alignCorners of [false, true]) {
        const x = sample(shape, dtype);
        const y = interpolate(x.x, { size, mode, alignCorners } as InterpolateOptions);
        const sides = shape.slice(2);
        const weights = sides.map((from, axis) =>
          Array.from({ length: size[axis]! }, (_, at) => {
            const to = size[axis]!;
            const place = alignCorners ? (to > 1 ? (at * (from - 1)) / (to - 1) : 0) : ((at + 0.5) * from) / to - 0.5;
            return weightsAt(mode, place, from);
          }),
        );
        const elements = indicesOf(sides);
        const wanted = Array.from({ length: shape[0] * shape[1] }, (_, plane) =>
          indicesOf(size).map((index) => {
            const terms = elements.map(
              (element, at) =>
                x.values[plane * elements.length + at]! *
                element.reduce((all, i, axis) => all * weights[axis]![index[axis]!]![i]!, 1),
            );
            return [terms.reduce((a, b) => a + b, 0), 4 * Math.max(2, ...terms.map(Math.abs))] as Wanted;
          }),
        ).flat();
        expectNear(y, [...shape.slice(0, 2), ...size], wanted, 12);
      }
  });

  test.each(floats)("without patterns, larger and smaller, of %s", (dtype) => {
    for (const [mode, shape, size] of [
      ["bilinear", [2, 1, 9, 11], [4, 3]],
      ["bicubic", [1, 2, 13, 5], [4, 9]],
      ["bicubic", [1, 1, 12, 1], [1, 2]],
    ] as const) {
      const sides = shape.slice(2);
      const weights = sides.map((from, axis) =>
        Array.from({ length: size[axis]! }, (_, at) => {
          const step = from / size[axis]!;
          const wide = Math.max(1, step);
          const heights = Array.from({ length: from }, (_, i) => {
            const d = (i + 0.5 - (at + 0.5) * step) / wide;
            return mode === "bicubic" ? cubic(d, -0.5) : Math.max(0, 1 - Math.abs(d));
          });
          const total = heights.reduce((a, b) => a + b, 0);
          return heights.map((each) => each / total);
        }),
      );
      const x = sample(shape, dtype);
      const elements = indicesOf(sides);
      const wanted = Array.from({ length: shape[0] * shape[1] }, (_, plane) =>
        indicesOf(size).map((index) => {
          const terms = elements.map(
            (element, at) =>
              x.values[plane * elements.length + at]! *
              element.reduce((all, i, axis) => all * weights[axis]![index[axis]!]![i]!, 1),
          );
          return [terms.reduce((a, b) => a + b, 0), 4 * Math.max(2, ...terms.map(Math.abs))] as Wanted;
        }),
      ).flat();
      const y = interpolate(x.x, { size, mode, antialias: true } as InterpolateOptions);
      expectNear(y, [...shape.slice(0, 2), ...size], wanted, 12);
      const last = x.x.contiguous({ memoryFormat: "channelsLast" });
      expectNear(interpolate(last, { size, mode, antialias: true } as InterpolateOptions), y.shape, wanted, 12);
    }
  });

  test("nearest, exactly nearest, areas, factors", () => {
    const x = tensor([1, 2, 3, 4, 5], { device }).reshape([1, 1, 5]);
    expect(numbersOf(interpolate(x, { size: 7 }))).toEqual([1, 1, 2, 3, 3, 4, 5]);
    expect(numbersOf(interpolate(x, { size: 3 }))).toEqual([1, 2, 4]);
    expect(numbersOf(interpolate(x, { size: 3, mode: "nearest-exact" }))).toEqual([1, 3, 5]);
    expect(numbersOf(interpolate(x, { scaleFactor: 2 }))).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    expect(interpolate(x, { scaleFactor: 2.5, mode: "linear" }).shape).toEqual([1, 1, 12]);
    expect(numbersOf(interpolate(x, { size: 2, mode: "area" }))).toEqual([2, 4]);
    expect(interpolate(zeros([1, 2, 3, 4], { device }), { scaleFactor: [2, 3] }).shape).toEqual([1, 2, 6, 12]);
    expect(numbersOf(interpolate(x.to("int32"), { size: 5 }))).toEqual([1, 2, 3, 4, 5]);
    const layer = new nn.Upsample({ scaleFactor: 2, mode: "bilinear" });
    expect(layer(zeros([1, 2, 3, 4], { device })).shape).toEqual([1, 2, 6, 8]);
    expect(String(layer)).toBe('Upsample(scaleFactor 2, mode "bilinear")  0 parameters');
  });

  test("gradients by differences", () => {
    const of = (...shape: number[]) => ({ shape });
    expectGradients((x) => interpolate(x!, { size: [5, 3], mode: "bilinear" }).square(), [of(1, 2, 3, 4)], device);
    expectGradients((x) => interpolate(x!, { size: [5, 2], mode: "bicubic" }), [of(1, 1, 3, 4)], device);
    expectGradients((x) => interpolate(x!, { scaleFactor: 2 }).square(), [of(1, 2, 3)], device);
    const options = { size: [2, 5], mode: "bicubic", antialias: true } as const;
    expectGradients((x) => interpolate(x!, options).square(), [of(1, 2, 5, 3)], device);
  });

  const x = zeros([1, 2, 4, 4], { device });
  test.each<[string, () => unknown, string]>([
    [
      "a matrix",
      () => interpolate(zeros([4, 4], { device }), { size: 2 }),
      "interpolate takes images [images, channels, …] with one to three more axes, which have elements, but got [4, 4].",
    ],
    ["no size", () => interpolate(x, {}), "interpolate takes either a size or a scaleFactor."],
    ["both", () => interpolate(x, { size: 2, scaleFactor: 2 }), "interpolate takes either a size or a scaleFactor."],
    [
      "a factor that leaves nothing",
      () => interpolate(x, { scaleFactor: 0.1 }),
      "interpolate takes a positive scaleFactor, or one for each of the 2 axes, that leaves elements, but got 0.1.",
    ],
    [
      "a mode of other axes",
      () => interpolate(x, { size: 2, mode: "linear" }),
      'interpolate with mode "linear" is for 1 axis behind the channels but got [1, 2, 4, 4].',
    ],
    [
      "corners of the nearest",
      () => interpolate(x, { size: 2, alignCorners: true }),
      'interpolate with mode "nearest" has no corners to align.',
    ],
    ...(
      [
        { mode: "nearest", antialias: true },
        { mode: "bilinear", antialias: true, alignCorners: true },
      ] as const
    ).map(
      (options) =>
        [
          `antialias of ${JSON.stringify(options)}`,
          () => interpolate(x, { size: 2, ...options }),
          'interpolate has antialias for the modes "bilinear" and "bicubic", without alignCorners.',
        ] as [string, () => unknown, string],
    ),
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });
});
