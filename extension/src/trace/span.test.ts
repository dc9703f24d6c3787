// Zooming, moving and the marks of the axis.
import { expect, test } from "vitest";
import { around, inside, lengthOf, moved, showing, ticksOf, zoomed } from "./span.ts";

const whole = { start: 0, end: 1000 };

test("zooming keeps a time in place, and both limits", () => {
  expect(zoomed({ start: 100, end: 500 }, 0.5, 200, whole)).toEqual({ start: 150, end: 350 });
  expect(zoomed({ start: 100, end: 500 }, 0.0001, 300, whole)).toEqual({ start: 290, end: 310 });
  expect(zoomed({ start: 100, end: 500 }, 100, 200, whole)).toEqual(whole);
  expect(zoomed({ start: 0, end: 400 }, 2, 400, whole)).toEqual({ start: 0, end: 800 });
});

test("moving stops at the ends", () => {
  expect(moved({ start: 100, end: 300 }, 50, whole)).toEqual({ start: 150, end: 350 });
  expect(moved({ start: 100, end: 300 }, -500, whole)).toEqual({ start: 0, end: 200 });
  expect(moved({ start: 100, end: 300 }, 1e12, whole)).toEqual({ start: 800, end: 1000 });
});

test("any view ends up inside the whole", () => {
  for (let round = 0; round < 500; round++) {
    const [a, b] = [2000 * Math.random() - 500, 2000 * Math.random() - 500];
    const view = inside({ start: Math.min(a, b), end: Math.max(a, b) }, whole);
    expect(view.start).toBeGreaterThanOrEqual(0);
    expect(view.end).toBeLessThanOrEqual(1000 + 1e-9);
    expect(lengthOf(view)).toBeGreaterThanOrEqual(20 - 1e-9);
  }
  // A profile shorter than any view.
  expect(lengthOf(inside({ start: 0, end: 5 }, { start: 0, end: 1 }))).toBe(20);
});

test("what is chosen is brought into view without a change where it is in view", () => {
  const view = { start: 100, end: 300 };
  expect(showing(view, { start: 120, end: 130 }, whole)).toBe(view);
  expect(showing(view, { start: 500, end: 520 }, whole)).toEqual({ start: 410, end: 610 });
  expect(showing(view, { start: 50, end: 900 }, whole)).toBe(view);
  expect(showing(view, { start: 400, end: 800 }, whole)).toEqual(around({ start: 400, end: 800 }, whole));
});

test("the axis has round marks, and no more than fit", () => {
  expect(ticksOf({ start: 0, end: 1000 }, 10)).toEqual({
    step: 100,
    times: [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000],
  });
  expect(ticksOf({ start: 130, end: 870 }, 4)).toEqual({ step: 200, times: [200, 400, 600, 800] });
  for (const end of [1, 37, 1e3, 7.7e6, 3e12])
    expect(ticksOf({ start: 0, end }, 8).times.length).toBeLessThanOrEqual(9);
});
