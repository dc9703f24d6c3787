// The path of a curve: where points lie, that columns keep their largest, and that gaps stay gaps.
import { expect, test } from "vitest";
import { curvePath } from "./curve-path.ts";

const box = { width: 10, height: 100 };
const range = { start: 0, end: 10_000, top: 50 };
const at = (...points: [time: number, value: number][]) => points.map(([time, value]) => ({ time, value }));

test("points lie by time and value, from the base up", () => {
  expect(curvePath(at([0, 0], [5000, 25], [10_000, 50]), range, box)).toBe("M0.0 100.0L5.0 50.0L10.0 0.0");
  expect(curvePath(at([0, 50], [4000, 50]), range, box, true)).toBe("M0.0 0.0L4.0 0.0L4.0 100L0.0 100Z");
});

test("values beyond the top end there, and of those in one column the largest stays", () => {
  expect(curvePath(at([0, 0], [4100, 10], [4200, 99], [4300, 20]), range, box)).toBe("M0.0 100.0L4.2 0.0");
});

test("what was not sampled in one go is not joined, and what was begins at the start", () => {
  expect(curvePath(at([0, 50], [9000, 50]), range, box)).toBe("M0.0 0.0M9.0 0.0");
  expect(curvePath(at([-9000, 0], [-1000, 25], [1000, 50]), range, box)).toBe("M0.0 50.0L1.0 0.0");
  expect(curvePath([], range, box)).toBe("");
  expect(curvePath(at([-5000, 1]), range, box)).toBe("");
});
