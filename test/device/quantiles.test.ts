// Quantiles and medians beside their definition: parts as numbers, lists and tensors, between elements in every way,
// and over elements that are not there.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  gradients,
  mode,
  nanmedian,
  nanquantile,
  quantile,
  tensor,
  zeros,
  TensorError,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const seed = freshSeed();
const random = seeded(seed);

const isOdd = (place: number) => place % 2 === 1;
/** Which place counts, of one between two. */
const places = {
  linear: (place: number) => place,
  lower: Math.floor,
  higher: Math.ceil,
  midpoint: (place: number) => (Math.floor(place) + Math.ceil(place)) / 2,
  nearest: (place: number) =>
    place % 1 === 0.5 ? (isOdd(Math.floor(place)) ? Math.ceil(place) : Math.floor(place)) : Math.round(place),
};
type Interpolation = keyof typeof places;

function defined(line: readonly number[], q: number, interpolation: Interpolation): number {
  if (line.length === 0 || line.some(Number.isNaN)) return NaN;
  const sorted = [...line].sort((a, b) => a - b);
  const place = places[interpolation](q * (line.length - 1));
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return below === above ? below : below + (above - below) * (place % 1);
}

const present = (line: readonly number[]) => line.filter((each) => !Number.isNaN(each));

describe.each(devices)("on $name", ({ name: device }) => {
  const parts = [0, 0.1, 0.25, 0.375, 0.5, 0.9, 1];

  test.each(["float32", "float64", "float16", "bfloat16"] as const)("of %s, every interpolation and axis", (dtype) => {
    const shape = [3, 9, 5];
    const drawn = Array.from({ length: 135 }, () => random() * 8 - 4);
    for (let i = 0; i < 12; i++) drawn[Math.floor(random() * 135)] = [NaN, Infinity, -Infinity][i % 3]!;
    const x = tensor(drawn, { dtype, device }).reshape(shape);
    const values = (x.to("float64") as Tensor).data() as Float64Array;
    shape.forEach((length, axis) => {
      const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
      const lines = Array.from({ length: 135 / length }, (_, row) =>
        Array.from({ length }, (_, i) => values[(Math.floor(row / inner) * length + i) * inner + (row % inner)]!),
      );
      for (const interpolation of Object.keys(places) as Interpolation[])
        for (const [name, find, of] of [
          ["quantile", quantile, (line: number[]) => line],
          ["nanquantile", nanquantile, present],
        ] as const) {
          const found = find(x, parts, { axis, interpolation });
          expect(found.shape).toEqual([parts.length, ...shape.filter((_, each) => each !== axis)]);
          const flat = (found.to("float64") as Tensor).data() as Float64Array;
          parts.forEach((q, at) =>
            lines.forEach((line, row) => {
              const wanted = defined(of(line), q, interpolation);
              const got = flat[at * lines.length + row]!;
              const what = `${name} ${q} ${interpolation} of [${line}], seed ${seed}`;
              if (!Number.isFinite(wanted)) return expect(got, what).toBe(wanted);
              // The difference, its part and the sum are rounded, of numbers below 4; then the result is.
              expect(Math.abs(got - wanted), what).toBeLessThanOrEqual(
                32 * roundoff[dtype === "float64" ? "float64" : "float32"]! + Math.abs(wanted) * roundoff[dtype]!,
              );
            }),
          );
        }
    });
  });

  test("parts are a number, a list or a tensor, and give their shape; NumPy's method, keepdims", () => {
    const x = tensor([[1, 2, 4, 8]], { device });
    expect(x.quantile(0.5, 1).toArray()).toEqual([3]);
    expect(x.quantile(tensor(0.5, { device }), -1).toArray()).toEqual([3]);
    expect(x.quantile([], 1).shape).toEqual([0, 1]);
    expect(x.quantile(tensor([[0, 1]], { device, dtype: "float64" }), 1).toArray()).toEqual([[[1], [8]]]);
    expect(x.quantile([0, 1], { axis: 1, keepdims: true }).shape).toEqual([2, 1, 1]);
    expect(x.quantile(0.5, { method: "higher", dim: 1 }).toArray()).toEqual([4]);
    expect(tensor(3, { device }).quantile([0, 1]).toArray()).toEqual([3, 3]);
    expect(tensor(3, { device }).nanquantile(0.2, { keepdims: true }).item()).toBe(3);
  });

  test("with no axis they are of all elements, as median's are", () => {
    const x = tensor(
      [
        [9, 1, 5],
        [7, 3, NaN],
      ],
      { device },
    );
    expect(x.nanquantile([0, 0.5, 1]).toArray()).toEqual([1, 5, 9]);
    expect(x.nanquantile(0.5, { keepdims: true }).toArray()).toEqual([[5]]);
    expect(x.slice([0, 1]).quantile(0.5).item()).toBe(5);
    expect(x.quantile(0.5).item()).toBe(NaN);
    const { values, indices } = x.slice(null, [0, 2]).median();
    expect([values.item(), indices.item()]).toEqual([3, 3]);
    expect([x.nanmedian().values.item(), x.nanmedian().indices.item()]).toEqual([5, 2]);
    expectGradients((y) => y!.median().values, [x.slice(null, [0, 2]).to("float64")]);
  });

  test.each([
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int8",
    "int32",
    "uint64",
    "bool",
  ] as const)("the mode of %s: the most frequent, of several the smallest, and where its last is", (dtype) => {
    const [shape, count] = [[4, 9, 5], 180];
    const drawn = Array.from({ length: count }, () => Math.floor(random() * (dtype === "bool" ? 2 : 4)));
    const x = tensor(dtype === "bool" ? drawn.map(Boolean) : drawn, { dtype, device }).reshape(shape);
    shape.forEach((length, axis) => {
      const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
      const { values, indices } = mode(x, axis);
      expect(values).toMatchObject({ shape: shape.filter((_, each) => each !== axis), dtype });
      const [got, places] = [values, indices].map((each) => each.to("float64").data() as Float64Array);
      for (let row = 0; row < count / length; row++) {
        const line = Array.from(
          { length },
          (_, i) => drawn[(Math.floor(row / inner) * length + i) * inner + (row % inner)]!,
        );
        const often = (value: number) => line.filter((each) => each === value).length;
        const most = Math.max(...line.map(often));
        const wanted = Math.min(...line.filter((value) => often(value) === most));
        expect([got![row], places![row]], `[${line}], seed ${seed}`).toEqual([wanted, line.lastIndexOf(wanted)]);
      }
    });
  });

  test("the mode of NaN, zeros, one row, and its gradient", () => {
    const of = (x: Tensor, axis?: number) => Object.values(x.mode(axis)).map((each) => (each as Tensor).toArray());
    expect(of(tensor([NaN, 2, NaN, 2, 1], { device }))).toEqual([2, 3n]);
    expect(of(tensor([NaN, NaN], { device }))).toEqual([NaN, 0n]);
    expect(of(tensor([1, -0, 0, 1, 0], { device }))).toEqual([0, 4n]);
    expect(of(tensor([[3], [1]], { device }))).toEqual([1, 1n]);
    expect(of(tensor([[3], [1]], { device }), 1)).toEqual([
      [3, 1],
      [0n, 0n],
    ]);
    expect(of(tensor(7, { device }))).toEqual([7, 0n]);
    expect(mode(zeros([0, 2], { device }), 1).values.shape).toEqual([0]);
    expect(() => zeros([2, 0], { device }).mode(1)).toThrow(
      "mode of an empty axis takes a whole number from 1 to the size of the axis, 0, but got 0.",
    );
    // The element that it is has it all.
    const x = tensor([2, 5, 2, 3], { device });
    x.requiresGrad = true;
    expect(gradients(x.mode().values, [x])[0]!.toArray()).toEqual([0, 0, 1, 0]);
  });

  test("nanmedian: the lower middle of what is there, and where it is", () => {
    const x = tensor(
      [
        [5, NaN, 3, 2],
        [NaN, NaN, NaN, NaN],
        [4, 1, NaN, NaN],
      ],
      { device },
    );
    const { values, indices } = nanmedian(x, 1);
    expect(values.toArray()).toEqual([3, NaN, 1]);
    expect(indices.toArray()).toEqual([2n, 0n, 1n]);
    expect(x.nanmedian(0).values.toArray()).toEqual([4, 1, 3, 2]);
    expect(tensor([3, 1, 2], { device, dtype: "int32" }).nanmedian().values.item()).toBe(2);
    expect(tensor(7, { device }).nanmedian().values.item()).toBe(7);
  });

  test("gradients", () => {
    const x = tensor(
      [
        [0.5, -1.25, 2, 0.1],
        [1.5, 0.75, -0.4, 3],
      ],
      { dtype: "float64", device },
    );
    for (const interpolation of Object.keys(places) as Interpolation[])
      expectGradients((y) => y!.quantile([0.3, 0.31, 0.9], { axis: 1, interpolation }), [x]);
    expectGradients((y) => y!.nanquantile(0.3, 0), [x], { twice: true });
    expectGradients((y) => y!.nanmedian(1).values, [x]);
  });

  test.each([
    [
      "a part beyond 1 in a tensor",
      () => zeros([2], { device }).quantile(tensor([0.5, 1.5], { device })),
      new TensorError("VALUE", "quantile takes a number from 0 to 1 but got 1.5."),
    ],
    [
      "an interpolation that is none",
      () => zeros([2], { device }).quantile(0.5, { interpolation: "cubic" as never }),
      new TensorError(
        "ARGUMENTS",
        'quantile takes "linear", "lower", "higher", "midpoint" or "nearest" as interpolation but got "cubic".',
      ),
    ],
    [
      "an axis of nothing",
      () => zeros([2, 0], { device }).nanquantile(0.5),
      new TensorError(
        "VALUE",
        "nanquantile of an empty axis takes a whole number from 1 to the size of the axis, 0, but got 0.",
      ),
    ],
    [
      "integers",
      () => zeros([2], { device, dtype: "int32" }).nanquantile(0.5),
      new TensorError(
        "DTYPE",
        'nanquantile takes floats that compute but got int32: convert it, e.g. with .to("float32").',
      ),
    ],
    [
      "the middle of an axis of nothing",
      () => zeros([2, 0], { device }).nanmedian(),
      new TensorError(
        "VALUE",
        "nanmedian of an empty axis takes a whole number from 1 to the size of the axis, 0, but got 0.",
      ),
    ],
  ] as const)("%s is refused in a sentence", (_, run, error) => {
    expect(run).toThrow(error);
  });
});
