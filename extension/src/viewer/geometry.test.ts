// Zoom, pan, levels and tiles in view.
import { expect, test } from "vitest";
import { elementAt, fit, levelOf, moved, overviewLevel, revealing, tilesInView, zoomed } from "./geometry.ts";

const size = { width: 800, height: 600 };
const square = { rows: 4096, columns: 4096 };

test("a matrix fits in its proportions, a thin one stays visible, and a small one has room for numbers", () => {
  expect(fit(square, size)).toEqual({ across: 600 / 4096, down: 600 / 4096, left: 2048 - (400 * 4096) / 600, top: 0 });
  const thin = fit({ rows: 2, columns: 1e6 }, size);
  expect([thin.across * 1e6, thin.down * 2]).toEqual([800, 24]);
  expect(fit({ rows: 3, columns: 4 }, size)).toMatchObject({ across: 48, down: 48 });
});

test("zoom keeps the point under the pointer, from the whole to single elements", () => {
  const point = { x: 400, y: 300 };
  let camera = fit(square, size);
  const before = elementAt(camera, point, square);
  camera = zoomed(camera, 50, point, square, size);
  expect(elementAt(camera, point, square)).toEqual(before);
  camera = zoomed(camera, 1e9, point, square, size);
  expect([camera.across, camera.down]).toEqual([96, 48]);
  expect(zoomed(camera, 1e-9, point, square, size)).toEqual(fit(square, size));
});

test("pan stops at the edges; a far element is brought into view", () => {
  const near = zoomed(fit(square, size), 1e9, { x: 400, y: 300 }, square, size);
  expect(moved(near, 1e9, 1e9, square, size)).toMatchObject({ left: 0, top: 0 });
  const end = moved(near, -1e9, -1e9, square, size);
  expect(elementAt(end, { x: 799, y: 599 }, square)).toEqual({ row: 4095, column: 4095 });
  const seen = revealing(end, 10, 20, square, size);
  expect(elementAt(seen, { x: 0, y: 0 }, square)).toEqual({ row: 10, column: 20 });
  expect(revealing(seen, 11, 21, square, size)).toEqual(seen);
  expect(elementAt(fit({ rows: 2, columns: 2 }, size), { x: 1, y: 1 }, { rows: 2, columns: 2 })).toBeNull();
});

test("cells of a level are a pixel of the screen or half of one", () => {
  for (let factor = 1; factor < 2000; factor *= 1.7) {
    const camera = zoomed(fit(square, size), factor, { x: 0, y: 0 }, square, size);
    for (const ratio of [1, 2]) {
      const level = levelOf(camera, square, ratio);
      const cell = camera.across * ratio * 2 ** level;
      expect(cell).toBeGreaterThan(0.5);
      if (level > 0) expect(cell).toBeLessThanOrEqual(1);
    }
  }
  expect([
    overviewLevel(square),
    overviewLevel({ rows: 1, columns: 257 }),
    overviewLevel({ rows: 3, columns: 3 }),
  ]).toEqual([4, 1, 0]);
});

test("tiles in view cover it, the middle first", () => {
  const camera = zoomed(fit(square, size), 6, { x: 400, y: 300 }, square, size);
  const tiles = tilesInView(camera, square, size, 0);
  expect(tiles[0]).toEqual({ level: 0, row: 7, column: 7 });
  for (const [x, y] of [
    [0, 0],
    [799, 0],
    [0, 599],
    [799, 599],
  ] as const) {
    const { row, column } = elementAt(camera, { x, y }, square)!;
    expect(tiles).toContainEqual({ level: 0, row: Math.floor(row / 256), column: Math.floor(column / 256) });
  }
  expect(tilesInView(fit(square, size), square, size, 4)).toEqual([{ level: 4, row: 0, column: 0 }]);
});
