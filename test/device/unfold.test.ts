// Overlapping parts of an axis, and convolutions of lists, on every device against float64, on random numbers of a
// printed seed.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  convolve,
  correlate,
  GradientError,
  tensor,
  unfold,
  zeros,
  type ConvolutionMode,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { at, expectNear, floats, indicesOf, numbersOf, sampler, type Wanted } from "./samples.ts";

const random = seeded(freshSeed());

/** Σₖ a[k] · b[i − k] for all i, and the sums of the magnitudes. */
function convolved(a: readonly number[], b: readonly number[]): Wanted[] {
  return Array.from({ length: a.length + b.length - 1 }, (_, i) => {
    let [sum, size] = [0, 0];
    for (let k = Math.max(0, i - b.length + 1); k < Math.min(a.length, i + 1); k++) {
      sum += a[k]! * b[i - k]!;
      size += Math.abs(a[k]! * b[i - k]!);
    }
    return [sum, size];
  });
}
/** The part that a mode keeps of all results, of lists of these lengths. */
function kept<T>(all: readonly T[], longer: number, shorter: number, mode: ConvolutionMode): T[] {
  if (mode === "full") return [...all];
  const start = mode === "same" ? Math.floor((shorter - 1) / 2) : shorter - 1;
  return all.slice(start, start + (mode === "same" ? longer : longer - shorter + 1));
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);

  test.each([...floats, "int32", "bool"] as const)("parts of %s", (dtype) => {
    const x = sample([3, 10, 2], dtype);
    for (const [axis, size, step] of [
      [1, 4, 1],
      [1, 4, 3],
      [1, 1, 4],
      [1, 10, 1],
      [1, 0, 2],
      [0, 2, 1],
      [-1, 2, 5],
    ] as const) {
      const along = axis < 0 ? 2 : axis;
      const parts = Math.floor((x.shape[along]! - size) / step) + 1;
      const shape = [...x.shape.with(along, parts), size];
      const got = unfold(x.x, axis, size, step);
      expect(got.storage).toBe(x.x.storage);
      expect(got.shape).toEqual(shape);
      expect(numbersOf(got)).toEqual(
        indicesOf(shape).map((index) =>
          at(
            x,
            index.slice(0, 3).map((place, each) => (each === along ? place * step + index[3]! : place)),
          ),
        ),
      );
    }
    expect(x.x.transpose([2, 1, 0]).unfold(1, 4, { step: 2 }).shape).toEqual([2, 4, 3, 4]);
  });

  const modes = ["full", "same", "valid"] as const;
  test.each([...floats, "int32", "int64"] as const)("convolutions and correlations of %s", (dtype: DType) => {
    for (const [n, m] of [
      [1, 1],
      [5, 3],
      [3, 5],
      [4, 4],
      [300, 7],
      [6, 530],
      [1000, 300],
    ] as const) {
      if (n * m > 3000 && (dtype === "float16" || dtype === "bfloat16")) continue;
      const [a, b] = [sample([n], dtype), sample([m], dtype)];
      for (const mode of modes) {
        const [longer, shorter] = [Math.max(n, m), Math.min(n, m)];
        const sums = kept(convolved(a.values, b.values), longer, shorter, mode);
        expectNear(convolve(a.x, b.x, mode), [sums.length], sums, shorter + 2, dtype);
        // With the shorter list slid over the longer one, whichever comes first.
        const all = n >= m ? convolved(a.values, b.values.toReversed()) : convolved(b.values, a.values.toReversed());
        const products = kept(all, longer, shorter, mode);
        const wanted = n >= m ? products : products.toReversed();
        expectNear(correlate(a.x, b.x, mode), [wanted.length], wanted, shorter + 2, dtype);
      }
    }
  });

  test("defaults, and dtypes together", () => {
    const [a, b] = [tensor([1, 2, 3], { dtype: "int32", device }), tensor([0, 1, 0.5], { device })];
    expect(a.convolve(b).toArray()).toEqual([0, 1, 2.5, 4, 1.5]);
    expect(a.correlate(b).toArray()).toEqual([3.5]);
    expect(a.convolve(b).dtype).toBe("float32");
    expect(
      tensor([100, 100], { dtype: "int8", device })
        .convolve(tensor([1, 1], { dtype: "int8", device }))
        .toArray(),
    ).toEqual([100, -56, 100]);
  });

  test("gradients, and changes in place where parts overlap", () => {
    const of = (...shape: number[]): { shape: number[] } => ({ shape });
    expectGradients((x) => x!.unfold(1, 3, 2).square(), [of(2, 7, 2)], device);
    expectGradients((x) => x!.unfold(0, 2, 3), [of(7)], device);
    expectGradients((x) => x!.unfold(0, 2).unfold(1, 2), [of(4)], device);
    expectGradients((a, b) => convolve(a!, b!), [of(5), of(3)], device);
    expectGradients((a, b) => correlate(a!, b!, "same"), [of(3), of(4)], device);
    const x = tensor([1, 2, 3], { device });
    x.requiresGrad = true;
    const y = x.mul(2);
    expect(() => y.unfold(0, 2).mul_(2)).toThrow(GradientError);
    expect(() => y.unfold(0, 2).mul_(2)).toThrow("a view that shows elements several times");
    const apart = x.mul(2);
    apart.unfold(0, 1, 2).mul_(3);
    apart.sum().backward();
    expect(x.grad!.toArray()).toEqual([6, 2, 6]);
  });

  const of = (...shape: number[]): Tensor => zeros(shape, { device });
  test.each<[string, () => unknown, string]>([
    [
      "parts that are too large",
      () => unfold(of(3), 0, 4),
      "unfold takes parts of at most 3 elements, the size of axis 0, at least 1 apart, but got size 4 and step 1.",
    ],
    ["parts that do not move", () => unfold(of(3), 0, 2, 0), "at least 1 apart, but got size 2 and step 0."],
    ["an axis that is not there", () => unfold(of(3), 1, 2), "There is no axis 1 in a tensor with 1 axis"],
    [
      "nothing to convolve",
      () => convolve(of(0), of(2)),
      "convolve takes two lists that are not empty but got shapes [0] and [2].",
    ],
    [
      "matrices",
      () => correlate(of(2, 2), of(2)),
      "correlate takes two lists that are not empty but got shapes [2, 2] and [2].",
    ],
    [
      "a mode that is none",
      () => convolve(of(2), of(2), "half" as never),
      'convolve takes "full", "same" or "valid" as mode but got "half".',
    ],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });
});
