// Where keys and pointers lead on a grid.
import { expect, test } from "vitest";
import { cellAt, moved } from "./cursor.ts";

const grid = { rows: 20, columns: 10 };
const middle = { row: 10, column: 5 };

test.each<[string, boolean, [number, number]]>([
  ["ArrowLeft", false, [10, 4]],
  ["ArrowRight", false, [10, 6]],
  ["ArrowUp", false, [9, 5]],
  ["ArrowDown", false, [11, 5]],
  ["PageUp", false, [2, 5]],
  ["PageDown", false, [18, 5]],
  ["Home", false, [10, 0]],
  ["End", false, [10, 9]],
  ["Home", true, [0, 0]],
  ["End", true, [19, 9]],
])("%s (control: %s) leads to %j", (key, control, [row, column]) =>
  expect(moved(middle, key, control, grid)).toEqual({ row, column }));

test("the edges hold, other keys do not move, and the first move lands on the first cell", () => {
  expect(moved({ row: 0, column: 0 }, "ArrowUp", false, grid)).toEqual({ row: 0, column: 0 });
  expect(moved({ row: 19, column: 9 }, "PageDown", false, grid)).toEqual({ row: 19, column: 9 });
  expect(moved(middle, "a", false, grid)).toBeNull();
  expect(moved(middle, "ArrowLeft", true, grid)).toBeNull();
  expect(moved(null, "ArrowDown", false, grid)).toEqual({ row: 0, column: 0 });
  expect(moved(null, "End", false, grid)).toEqual({ row: 0, column: 9 });
});

test("a point is in one cell, also on the far edge", () => {
  expect(cellAt(0, 0, grid)).toEqual({ row: 0, column: 0 });
  expect(cellAt(0.55, 0.5, grid)).toEqual({ row: 10, column: 5 });
  expect(cellAt(1, 1, grid)).toEqual({ row: 19, column: 9 });
  expect(cellAt(-0.1, 1.1, grid)).toEqual({ row: 19, column: 0 });
});
