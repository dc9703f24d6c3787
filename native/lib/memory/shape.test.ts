// Shapes, strides and views, against elements counted one by one.
import { describe, expect, test } from "vitest";
import {
  broadcast,
  checkedAxis,
  checkedShape,
  isContiguous,
  merged,
  reshaped,
  reshapedStrides,
  sizeOf,
  sliced,
  stretch,
  stridesOf,
  transposed,
  type View,
} from "./shape.ts";

const whole = (shape: number[]): View => ({ shape, strides: stridesOf(shape), offset: 0 });

/** Offsets of all elements in row-major order, one by one. */
function elements({ shape, strides, offset }: View): number[] {
  if (shape.length === 0) return [offset];
  return Array.from({ length: shape[0]! }, (_, index) =>
    elements({ shape: shape.slice(1), strides: strides.slice(1), offset: offset + index * strides[0]! }),
  ).flat();
}

function random(low: number, high: number): number {
  return low + Math.floor(Math.random() * (high - low + 1));
}

function randomView(): View {
  let view = whole(Array.from({ length: random(1, 4) }, () => random(1, 5)));
  if (Math.random() < 0.6)
    view = transposed(
      view,
      view.shape.map((_, axis) => axis).sort(() => Math.random() - 0.5),
    );
  if (Math.random() < 0.6)
    view = sliced(
      view,
      view.shape.map((size) => [random(0, size - 1), null, random(1, 2)]),
    );
  return view;
}

describe("views", () => {
  test("row-major strides step through every element", () => {
    expect(elements(whole([2, 3, 4]))).toEqual([...Array(24).keys()]);
    expect(stridesOf([])).toEqual([]);
  });

  test("a view is contiguous exactly when its elements follow each other", () => {
    for (let round = 0; round < 500; round++) {
      const view = randomView();
      const offsets = elements(view);
      expect(isContiguous(view.shape, view.strides)).toBe(
        offsets.every((offset, index) => offset === offsets[0]! + index),
      );
    }
  });

  test("a view without elements is contiguous", () => {
    expect(isContiguous([0, 3], [1, 0])).toBe(true);
    expect(isContiguous([3, 0], [0, 1])).toBe(true);
  });

  test("a reshape without copy shows the same elements, and contiguous views always have one", () => {
    let views = 0;
    for (let round = 0; round < 1000; round++) {
      const view = randomView();
      const size = sizeOf(view.shape);
      const first = [1, 2, 3, 4, 5, 6].filter((candidate) => size % candidate === 0)[random(0, 1)] ?? 1;
      const shape = [first, size / first];
      const strides = reshapedStrides(view, shape);
      if (strides !== null) {
        views += 1;
        expect(elements({ shape, strides, offset: view.offset })).toEqual(elements(view));
      } else expect(isContiguous(view.shape, view.strides)).toBe(false);
    }
    expect(views).toBeGreaterThan(100);
  });

  test("joined axes visit the same elements in the same order, for several views at once", () => {
    for (let round = 0; round < 500; round++) {
      const view = randomView();
      const stretched = stretch({ shape: [view.shape.at(-1)!], strides: [1], offset: 0 }, view.shape);
      const { shape, strides } = merged([view, stretched]);
      expect(elements({ shape, strides: strides[0]!, offset: view.offset })).toEqual(elements(view));
      expect(elements({ shape, strides: strides[1]!, offset: 0 })).toEqual(elements(stretched));
    }
  });

  test("slices: indices drop the axis, negative positions count from the end, ranges clamp", () => {
    const x = whole([4, 5]);
    expect(sliced(x, [-1])).toEqual({ shape: [5], strides: [1], offset: 15 });
    expect(
      elements(
        sliced(x, [
          [1, 3],
          [0, null, 2],
        ]),
      ),
    ).toEqual([5, 7, 9, 10, 12, 14]);
    expect(sliced(x, [null, [-2]])).toEqual({ shape: [4, 2], strides: [5, 1], offset: 3 });
    expect(sliced(x, [[2, 100]]).shape).toEqual([2, 5]);
    expect(sliced(x, [[3, 1]]).shape).toEqual([0, 5]);
  });
});

describe("sentences", () => {
  test.each<[string, () => unknown, RegExp | string]>([
    [
      "a negative size",
      () => checkedShape([2, -1]),
      "[2, -1] is not a shape: give a whole number ≥ 0 or an array of them, such as [2, 3].",
    ],
    ["a size that is no number", () => checkedShape([NaN, 2n]), "[NaN, 2n] is not a shape: "],
    ["a size left out", () => checkedShape(new Array(2)), "[undefined, undefined] is not a shape: "],
    ["no shape", () => checkedShape("2x3"), '"2x3" is not a shape: '],
    ["too many axes", () => checkedShape(Array(17).fill(1)), "A tensor has at most 16 axes, but this shape has 17"],
    [
      "too many elements",
      () => checkedShape([2 ** 30, 2 ** 30]),
      "A tensor has fewer than 2^53 elements, but shape [1073741824, 1073741824] has more.",
    ],
    [
      "shapes that do not broadcast",
      () => broadcast([2, 3], [4]),
      "Shapes [2, 3] and [4] do not broadcast: from the last axis on, two sizes must be equal, or one of them 1.",
    ],
    [
      "a reshape to another size",
      () => reshaped(6, [2, 3], [4]),
      "Shape [2, 3] cannot become [4]: the new shape must have 6 elements too.",
    ],
    [
      "a reshape that leaves a fraction",
      () => reshaped(6, [2, 3], [4, -1]),
      "Shape [2, 3] cannot become [4, -1]: the new shape must have 6 elements too.",
    ],
    [
      "two sizes to fill in",
      () => reshaped(6, [2, 3], [-1, -1]),
      "Shape [2, 3] cannot become [-1, -1]: the new shape must have 6 elements too.",
    ],
    [
      "a reshape to no array",
      () => reshaped(6, [2, 3], 6 as never),
      "Shape [2, 3] cannot become 6: give the new shape as an array of whole numbers, such as [2, -1].",
    ],
    [
      "axes that are no array",
      () => transposed(whole([2, 3]), 0 as never),
      "0 is not an order of 2 axes: give them as an array, such as [1, 0].",
    ],
    [
      "a slice that is none",
      () => sliced(whole([2, 3]), [null, true as never]),
      "true is not a slice of axis 1: give an index, [start, stop, step], or null for all of it.",
    ],
    [
      "a slice of text",
      () => sliced(whole([2, 3]), [["a"] as never]),
      `["a"] is not a slice of axis 0: give [start, stop, step] in whole numbers, with a step other than 0.`,
    ],
    [
      "a slice of nothing",
      () => sliced(whole([2, 3]), [0, [] as never]),
      "[] is not a slice of axis 1: give [start, stop, step] in whole numbers, with a step other than 0.",
    ],
    [
      "indices in lists",
      () =>
        sliced(whole([2, 3]), [
          [
            [0, 1],
            [1, 0],
          ] as never,
        ]),
      "[an array of 2, an array of 2] is not a slice of axis 0: give [start, stop, step] in whole numbers, with a step other than 0. Indices in lists are { at: [0, 2] }.",
    ],
    [
      "a slice of four",
      () => sliced(whole([2, 3]), [[0, 1, 1, 0] as never]),
      "[0, 1, 1, 0] is not a slice of axis 0: ",
    ],
    [
      "an axis twice",
      () => transposed(whole([2, 3]), [0, 0]),
      "[0, 0] is not an order of 2 axes: name each of them once.",
    ],
    [
      "an axis that is not there",
      () => transposed(whole([2, 3]), [0, 2]),
      "There is no axis 2 in a tensor with 2 axes: give a whole number from -2 to 1.",
    ],
    [
      "an axis of one",
      () => checkedAxis(1, 1),
      "There is no axis 1 in a tensor with 1 axis: give a whole number from -1 to 0.",
    ],
    ["an axis of none", () => checkedAxis(0, 0), "There is no axis 0 in a tensor with 0 axes."],
    [
      "an index out of range",
      () => sliced(whole([2, 3]), [2]),
      "There is no index 2 on axis 0, which has 2 elements: give a whole number from -2 to 1.",
    ],
    [
      "an index where there is one",
      () => sliced(whole([1]), [1]),
      "There is no index 1 on axis 0, which has 1 element: give a whole number from -1 to 0.",
    ],
    [
      "an index where there is nothing",
      () => sliced(whole([0]), [0]),
      "There is no index 0 on axis 0, which has 0 elements.",
    ],
    ["a step that goes nowhere", () => sliced(whole([2, 3]), [[0, 2, 0]]), "[0, 2, 0] is not a slice of axis 0: "],
    ["too many slices", () => sliced(whole([2]), [0, 0]), "Shape [2] takes at most 1 slice but got 2."],
  ])("%s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });

  test("broadcasting aligns at the last axis", () => {
    expect(broadcast([3, 1, 5], [4, 1])).toEqual([3, 4, 5]);
    expect(broadcast([], [2, 0])).toEqual([2, 0]);
  });
});
