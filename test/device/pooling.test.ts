// Pools on every device against float64, on random numbers of a printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  adaptiveAvgPool1d,
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool2d,
  avgPool1d,
  avgPool2d,
  avgPool3d,
  gradients,
  maxPool1d,
  maxPool1dWithIndices,
  maxPool2d,
  maxPool2dWithIndices,
  maxPool3d,
  maxPool3dWithIndices,
  maxUnpool1d,
  maxUnpool2d,
  maxUnpool3d,
  nn,
  synchronize,
  tensor,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectNear, floats, numbersOf, sampler, sizeOf, type Sample, type Wanted } from "./samples.ts";
import { countOf, windowsOf, type Sliding } from "./windows.ts";

const random = seeded(freshSeed());
const byAxes = {
  1: [maxPool1d, avgPool1d, maxPool1dWithIndices],
  2: [maxPool2d, avgPool2d, maxPool2dWithIndices],
  3: [maxPool3d, avgPool3d, maxPool3dWithIndices],
} as const;

interface Case {
  readonly what: string;
  readonly x: readonly number[];
  readonly kernel: readonly number[];
  readonly stride?: readonly number[];
  readonly padding?: readonly number[];
  readonly dilation?: readonly number[];
}
const cases: readonly Case[] = [
  { what: "windows side by side", x: [2, 3, 6, 8], kernel: [2, 2] },
  { what: "windows that overlap", x: [2, 3, 7, 9], kernel: [3, 3], stride: [2, 2], padding: [1, 1] },
  { what: "windows apart", x: [1, 2, 9, 11], kernel: [2, 3], stride: [4, 5] },
  { what: "dilation", x: [1, 2, 9, 11], kernel: [3, 2], stride: [1, 2], padding: [1, 1], dilation: [2, 3] },
  { what: "images of one element", x: [3, 2, 1, 1], kernel: [3, 3], padding: [1, 1], stride: [1, 1] },
  { what: "one window", x: [2, 70, 5, 5], kernel: [5, 5] },
  { what: "long lines", x: [1, 2, 300], kernel: [3], stride: [1], padding: [1] },
  { what: "volumes", x: [2, 2, 4, 5, 6], kernel: [2, 3, 2], padding: [1, 1, 0] },
];

function whole({ x, kernel, stride = kernel, padding, dilation }: Case): { sliding: Sliding; y: number[] } {
  const sliding = {
    stride,
    padding: padding ?? kernel.map(() => 0),
    dilation: dilation ?? kernel.map(() => 1),
  };
  return { sliding, y: [...x.slice(0, 2), ...countOf(x.slice(2), kernel, sliding)] };
}

/** What a pool makes of the elements of each window: places in the tensor. */
function pooled<R>(x: Sample, windows: readonly (readonly number[])[], of: (places: readonly number[]) => R): R[] {
  const elements = sizeOf(x.shape.slice(2));
  return Array.from({ length: x.shape[0]! * x.shape[1]! }, (_, plane) =>
    windows.map((window) => of(window.map((element) => plane * elements + element))),
  ).flat();
}
const elementsOf = (size: readonly number[], kernel: readonly number[], sliding: Sliding) =>
  windowsOf(size, kernel, sliding).map((window) => window.map(({ element }) => element));
/** Windows that cover each axis evenly. */
function adaptive(size: readonly number[], count: readonly number[]): number[][] {
  const along = size.map((each, axis) =>
    Array.from({ length: count[axis]! }, (_, at) => {
      const begin = Math.floor((at * each) / count[axis]!);
      return Array.from({ length: Math.ceil(((at + 1) * each) / count[axis]!) - begin }, (_, i) => begin + i);
    }),
  );
  return along.reduce<number[][]>(
    (all, windows, axis) =>
      all.flatMap((one) => windows.map((next) => one.flatMap((each) => next.map((i) => each * size[axis]! + i)))),
    [[0]],
  );
}
const largest = (x: Sample, places: readonly number[]) =>
  places.reduce((best, place) => (x.values[place]! > x.values[best]! ? place : best), places[0]!);
const meanOf = (x: Sample, places: readonly number[], by = places.length): Wanted => [
  places.reduce((sum, place) => sum + x.values[place]!, 0) / by,
  places.reduce((sum, place) => sum + Math.abs(x.values[place]!), 0) / by,
];
/** What elements get of windows' gradients, each window's shared among those places by those parts. */
function spread(x: Sample, shares: readonly (readonly (readonly [place: number, part: number])[])[]): Wanted[] {
  const sums = x.values.map((): [number, number] => [0, 0]);
  for (const share of shares)
    for (const [place, part] of share) {
      sums[place]![0] += part;
      sums[place]![1] += Math.abs(part);
    }
  return sums;
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);

  describe.each(floats)("%s", (dtype) => {
    test.each(cases)("$what", (given) => {
      const { sliding, y: shape } = whole(given);
      const axes = given.kernel.length as 1 | 2 | 3;
      const [maxPool, avgPool, maxPoolWithIndices] = byAxes[axes];
      const x = sample(given.x, dtype);
      const g = sample(shape, dtype);
      const windows = elementsOf(given.x.slice(2), given.kernel, sliding);
      const places = pooled(x, windows, (each) => largest(x, each));
      x.x.requiresGrad = true;
      const most = maxPool(x.x, given.kernel, sliding);
      expectNear(
        most,
        shape,
        places.map((place) => [x.values[place]!, 0]),
        0,
      );
      const plane = sizeOf(given.x.slice(2));
      const { values, indices } = maxPoolWithIndices(x.x, given.kernel, sliding);
      expect(numbersOf(values)).toEqual(numbersOf(most));
      expect(numbersOf(indices)).toEqual(places.map((place) => place % plane));
      const [dx] = gradients(most, [x.x], { gradient: g.x });
      expectNear(
        dx!,
        given.x,
        spread(
          x,
          places.map((place, at) => [[place, g.values[at]!]]),
        ),
        sizeOf(given.kernel) + 1,
      );

      if (given.dilation !== undefined) return;
      const { dilation: _, ...even } = sliding;
      for (const countIncludePad of [true, false]) {
        const by = (count: number) => (countIncludePad ? sizeOf(given.kernel) : count);
        const mean = avgPool(x.x, given.kernel, { ...even, countIncludePad });
        // Sums in float32 at least, a quotient and a rounding.
        const n = dtype === "float16" || dtype === "bfloat16" ? 2 : sizeOf(given.kernel) + 2;
        expectNear(
          mean,
          shape,
          pooled(x, windows, (each) => meanOf(x, each, by(each.length))),
          n,
        );
        const [slope] = gradients(mean, [x.x], { gradient: g.x });
        const shares = pooled(x, windows, (each) => each).map((each, at) =>
          each.map((place): [number, number] => [place, g.values[at]! / by(each.length)]),
        );
        expectNear(slope!, given.x, spread(x, shares), n + 2);
      }
    });

    test("as many windows as are wanted", () => {
      for (const [shape, count] of [
        [
          [2, 3, 7, 10],
          [3, 4],
        ],
        [
          [2, 3, 6, 8],
          [3, 2],
        ],
        [
          [1, 2, 5, 3],
          [5, 3],
        ],
        [
          [1, 2, 3, 2],
          [5, 7],
        ],
        [
          [2, 5, 6, 7],
          [1, 1],
        ],
      ] as const) {
        const x = sample(shape, dtype);
        const wanted = adaptive(shape.slice(2), count);
        const y = [...shape.slice(0, 2), ...count];
        const g = sample(y, dtype);
        x.x.requiresGrad = true;
        const n = dtype === "float16" || dtype === "bfloat16" ? 2 : 50;
        const mean = adaptiveAvgPool2d(x.x, count);
        expectNear(
          mean,
          y,
          pooled(x, wanted, (each) => meanOf(x, each)),
          n,
        );
        const [slope] = gradients(mean, [x.x], { gradient: g.x });
        const shares = pooled(x, wanted, (each) => each).map((each, at) =>
          each.map((place): [number, number] => [place, g.values[at]! / each.length]),
        );
        expectNear(slope!, shape, spread(x, shares), n + 2);
        const places = pooled(x, wanted, (each) => largest(x, each));
        const most = adaptiveMaxPool2d(x.x, count);
        expectNear(
          most,
          y,
          places.map((place) => [x.values[place]!, 0]),
          0,
        );
        const [dx] = gradients(most, [x.x], { gradient: g.x });
        expectNear(
          dx!,
          shape,
          spread(
            x,
            places.map((place, at) => [[place, g.values[at]!]]),
          ),
          20,
        );
      }
    });
  });

  test("a last window beyond the end, a divisor, one image, no images", () => {
    const x = tensor([1, 2, 3, 4, 5], { device }).reshape([1, 1, 5]);
    expect(numbersOf(maxPool1d(x, 2, { ceilMode: true }))).toEqual([2, 4, 5]);
    expect(numbersOf(maxPool1d(x, 2))).toEqual([2, 4]);
    expect(numbersOf(maxPool1d(x, 3, { stride: 2, padding: 1, ceilMode: true }))).toEqual([2, 4, 5]);
    expect(numbersOf(avgPool1d(x, 2, { ceilMode: true }))).toEqual([1.5, 3.5, 5]);
    expect(numbersOf(avgPool1d(x, 3, { stride: 2, padding: 1 }))).toEqual([1, 3, 3]);
    expect(numbersOf(avgPool1d(x, 2, { divisorOverride: 1 }))).toEqual([3, 7]);
    expect(avgPool2d(zeros([3, 4, 4], { device }), 2).shape).toEqual([3, 2, 2]);
    expect(maxPool2d(zeros([0, 3, 4, 4], { device }), 2).shape).toEqual([0, 3, 2, 2]);
    expect(adaptiveAvgPool1d(zeros([2, 7], { device }), 3).shape).toEqual([2, 3]);
    expect(adaptiveAvgPool2d(zeros([1, 2, 4, 6], { device }), [null, 3]).shape).toEqual([1, 2, 4, 3]);
    expect(adaptiveAvgPool3d(zeros([1, 2, 4, 6, 5], { device }), [2, 2, 3]).shape).toEqual([1, 2, 2, 2, 3]);
    const strange = tensor([1, NaN, 3, -Infinity], { device }).reshape([1, 1, 4]);
    expect(numbersOf(maxPool1d(strange, 2))).toEqual([NaN, 3]);
    expect(numbersOf(maxPool1d(strange.slice(null, null, [3, 4]), 1))).toEqual([-Infinity]);
    expect(numbersOf(maxPool1dWithIndices(tensor([2, 2, 2], { device }).reshape([1, 1, 3]), 3).indices)).toEqual([0]);
  });

  test("gradients by differences, gradients of gradients, layers", () => {
    const of = (...shape: number[]) => ({ shape });
    expectGradients((x) => avgPool2d(x!, 3, { stride: 2, padding: 1 }).square(), [of(1, 2, 5, 4)], device);
    expectGradients((x) => adaptiveAvgPool2d(x!, [2, 3]).square(), [of(1, 2, 5, 4)], device);
    const slope = (pool: (x: Tensor) => Tensor) => (x: Tensor) => {
      const leaf = x.requiresGrad ? x : Object.assign(x, { requiresGrad: true });
      const [dx] = gradients(pool(leaf).square().sum(), [leaf], { createGraph: true });
      return dx!.square();
    };
    expectGradients((x) => slope((each) => avgPool2d(each, 2, { stride: 1 }))(x!).mul(0.1), [of(1, 2, 3, 4)], device);
    const apart = tensor([3, 1, 4, 1.5, 9, 2.6, 5, 3.5, 8], { dtype: "float64", device }).reshape([1, 1, 3, 3]);
    apart.requiresGrad = true;
    const [first] = gradients(maxPool2d(apart, 2, { stride: 1 }).square().sum(), [apart], { createGraph: true });
    // 9 is the largest of all four windows: 4 · 2 · 9, whose slope is 8.
    expect(numbersOf(first!)).toEqual([0, 0, 0, 0, 72, 0, 0, 0, 0]);
    expect(numbersOf(gradients(first!.sum(), [apart])[0]!)).toEqual([0, 0, 0, 0, 8, 0, 0, 0, 0]);
    const layer = new nn.MaxPool2d(3, { stride: 2, padding: 1 });
    expect(String(layer)).toBe("MaxPool2d(3, stride 2, padding 1)  0 parameters");
    expect(String(new nn.AdaptiveAvgPool2d([null, 1]))).toBe("AdaptiveAvgPool2d(null × 1)  0 parameters");
    expect(String(new nn.Flatten(0, 1))).toBe("Flatten(0 to 1)  0 parameters");
    expect(layer(zeros([1, 2, 8, 8], { device })).shape).toEqual([1, 2, 4, 4]);
  });

  const x = zeros([1, 2, 4, 4], { device });
  test.each<[string, () => unknown, string]>([
    [
      "a matrix",
      () => maxPool2d(zeros([4, 4], { device }), 2),
      "maxPool2d takes tensors of shape [images, channels, height, width], or one image without the first axis, but got [4, 4].",
    ],
    [
      "windows that are too large",
      () => avgPool2d(x, 5),
      "avgPool2d slides windows of [5, 5] over axes of [4, 4]: no window fits.",
    ],
    [
      "much padding",
      () => maxPool2d(x, 2, { padding: 2 }),
      "maxPool2d takes padding of at most half a window, 1, but got 2.",
    ],
    [
      "a divisor of 0",
      () => avgPool2d(x, 2, { divisorOverride: 0 }),
      "avgPool2d takes a divisorOverride of at least 1 but got 0.",
    ],
    [
      "indices as an option",
      () => maxPool2d(x, 2, { returnIndices: true } as never),
      "maxPool2d has no option returnIndices. Write maxPool2dWithIndices.",
    ],
    [
      "no windows",
      () => adaptiveAvgPool2d(x, 0),
      "adaptiveAvgPool2d takes a whole number of at least 1, null, or a list of these as outputSize but got 0.",
    ],
    [
      "windows of other axes",
      () => adaptiveAvgPool2d(x, [1, 2, 3]),
      "adaptiveAvgPool2d takes a number of windows for all axes or each of the 2",
    ],
    [
      "nothing to pool",
      () => adaptiveMaxPool2d(zeros([1, 2, 0, 4], { device }), 1),
      "adaptiveMaxPool2d takes images with elements but got axes of [0, 4].",
    ],
    [
      "what does not compute",
      () => maxPool2d(x.to("float8_e4m3"), 2),
      "maxPool2d takes numbers that compute but got float8_e4m3",
    ],
    [
      "a layer of no size",
      () => new nn.MaxPool2d("2" as never),
      'MaxPool2d takes a whole number of at least 0 or a list of whole numbers as kernelSize but got "2".',
    ],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });

  test.each([1, 2, 3] as const)("what was pooled comes back where it lay, along %i axes", (axes) => {
    const [, , withIndices] = byAxes[axes];
    const back = { 1: maxUnpool1d, 2: maxUnpool2d, 3: maxUnpool3d }[axes];
    for (const [kernel, given, isWhole] of [
      [2, {}, true],
      [3, { stride: 2, padding: 1 }, false],
      [[3, 2, 2].slice(0, axes), {}, true],
    ] as const)
      for (const dtype of floats) {
        const size = [6, 6, 6].slice(0, axes);
        const { x, values } = sample([2, 3, ...size], dtype);
        const pooled = withIndices(x, kernel, given);
        const options = isWhole ? given : { ...given, outputSize: size };
        const found = back(pooled.values, pooled.indices, kernel, options);
        expect([found.dtype, found.shape]).toEqual([dtype, [2, 3, ...size]]);
        const plane = sizeOf(size);
        const places = numbersOf(pooled.indices);
        const many = places.length / 6;
        const kept = new Set(places.map((place, at) => Math.floor(at / many) * plane + place));
        expect(numbersOf(found)).toEqual(values.map((value, at) => (kept.has(at) ? value : 0)));
        // One image without its axis.
        const one = back(pooled.values.slice(0), pooled.indices.slice(0), kernel, options);
        expect(numbersOf(one)).toEqual(numbersOf(found.slice(0)));
      }
    const { x } = sample([1, 2, ...[4, 4, 4].slice(0, axes)], "float64");
    const { indices } = withIndices(x, 2);
    expectGradients((y) => back(withIndices(y, 2).values, indices, 2).square(), [x]);
  });

  test("what unpooling refuses", async () => {
    const x = zeros([1, 1, 2, 2], { device });
    const places = zeros([1, 1, 2, 2], { device, dtype: "int64" });
    for (const [run, message] of [
      [
        () => maxUnpool2d(zeros([2, 2], { device }), places, 2),
        "maxUnpool2d takes tensors of shape [images, channels, height, width], or one image without the first axis, but got [2, 2].",
      ],
      [
        () => maxUnpool2d(x, places.slice(0), 2),
        "maxUnpool2d takes an index for each element, [1, 1, 2, 2], but got [1, 2, 2].",
      ],
      [
        () => maxUnpool2d(x, places, 1, { padding: 1 }),
        "maxUnpool2d of axes [2, 2] would give [0, 0]: say the outputSize that was pooled.",
      ],
      [
        () => maxUnpool2d(x, places, 2, { outputSize: [4] }),
        "maxUnpool2d takes a whole number of at least 1 as outputSize, or a list of 2, but got [4].",
      ],
    ] as const)
      expect(run).toThrow(message);
    maxUnpool2d(x, places.add(16) as Tensor, 2);
    await expect(synchronize()).rejects.toThrow("Index 16 is outside axis 2, which has 16 elements");
  });
});
