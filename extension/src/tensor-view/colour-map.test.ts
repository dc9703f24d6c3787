// The colour map: even, readable in grey, and defined for every value; and the pixels made with it.
import { expect, test } from "vitest";
import { inkOn } from "../drawing/oklch.ts";
import { colourAt, gradient, scaleOf, shareOf } from "./colour-map.ts";
import { naturalSize, paintSample, pixelsOf } from "./painting.ts";

/** CIE lightness L*, 0 … 100, of an sRGB colour (IEC 61966-2-1, CIE 15). */
function lightness(colour: readonly [number, number, number]): number {
  const [red, green, blue] = colour.map((channel) =>
    channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number];
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 216 / 24389 ? 116 * Math.cbrt(luminance) - 16 : (luminance * 24389) / 27;
}

const shares = Array.from({ length: 33 }, (_, index) => index / 32);

test("lightness rises all the way, in even steps, from dark to light", () => {
  const ramp = shares.map((share) => lightness(colourAt(share)));
  const steps = ramp.slice(1).map((value, index) => value - ramp[index]!);
  const mean = (ramp.at(-1)! - ramp[0]!) / steps.length;
  expect(ramp[0]).toBeLessThan(20);
  expect(ramp.at(-1)).toBeGreaterThan(85);
  for (const step of steps) {
    expect(step).toBeGreaterThan(0.5 * mean);
    expect(step).toBeLessThan(1.5 * mean);
  }
});

test("no channel jumps by more than 3 % between two neighbours of the map", () => {
  for (let step = 1; step < 256; step++) {
    const [one, other] = [colourAt((step - 1) / 255), colourAt(step / 255)];
    for (const channel of [0, 1, 2] as const) expect(Math.abs(one[channel] - other[channel])).toBeLessThanOrEqual(8);
  }
});

test("shares outside the range take its ends; equal limits the middle; the widest range does not overflow", () => {
  expect(colourAt(-3)).toEqual(colourAt(0));
  expect(colourAt(7)).toEqual(colourAt(1));
  expect(shareOf(2, 2, 2)).toBe(0.5);
  expect(shareOf(0, -Number.MAX_VALUE, Number.MAX_VALUE)).toBe(0.5);
  expect(shareOf(3, 1, 5)).toBe(0.5);
  expect(gradient(scaleOf(0, 1))).toMatch(/^linear-gradient\(to right, rgb\(\d+ \d+ \d+\), .*\)$/);
});

test("ink reads on every colour of the map: a contrast of 4.5, which WCAG asks of text", () => {
  const luminance = (colour: readonly [number, number, number]) => ((lightness(colour) + 16) / 116) ** 3;
  for (let step = 0; step < 256; step++) {
    const behind = luminance(colourAt(step / 255));
    const ink = inkOn(colourAt(step / 255)) === "#fff" ? 1 : 0;
    expect((Math.max(ink, behind) + 0.05) / (Math.min(ink, behind) + 0.05)).toBeGreaterThanOrEqual(4.5);
  }
});

test("values of both signs have their middle at zero, in a neutral colour, and the same lightness at the same distance from it", () => {
  const { colourOf, low, high, isSigned } = scaleOf(-1, 4);
  expect([low, high, isSigned]).toEqual([-4, 4, true]);
  expect(Math.max(...colourOf(0)) - Math.min(...colourOf(0))).toBeLessThanOrEqual(2);
  expect(lightness(colourOf(0))).toBeGreaterThan(93);
  for (const value of [0.5, 1, 2, 3, 4]) {
    const [below, above] = [colourOf(-value), colourOf(value)];
    expect(Math.abs(lightness(below) - lightness(above))).toBeLessThan(6);
    expect(below[2]).toBeGreaterThan(below[0]);
    expect(above[0]).toBeGreaterThan(above[2]);
    expect(lightness(above)).toBeLessThan(lightness(colourOf(value - 0.5)));
  }
  expect(scaleOf(0, 4).isSigned).toBe(false);
  expect(scaleOf(-4, 0).isSigned).toBe(false);
});

test("pixels: the ends of the range take the ends of the map, cells that are not finite stay clear", () => {
  const pixels = pixelsOf({
    rows: 1,
    columns: 4,
    values: Float32Array.of(1, NaN, 6, Infinity),
    low: 1,
    high: 6,
    missing: ["NaN", "+∞"],
  });
  expect(Array.from(pixels)).toEqual([...colourAt(0), 255, 0, 0, 0, 0, ...colourAt(1), 255, 0, 0, 0, 0]);
  expect(
    Array.from(
      pixelsOf({ rows: 1, columns: 1, values: Float32Array.of(NaN), low: null, high: null, missing: ["NaN"] }),
    ),
  ).toEqual([0, 0, 0, 0]);
});

test.each([
  ["a wide matrix", [64, 256], [64, 256], [768, 192]],
  ["a square one", [128, 128], [1024, 1024], [256, 256]],
  ["an upright one", [60, 200], [300, 200], [200, 300]],
  ["a small one", [2, 3], [2, 3], [72, 48]],
  ["a vector", [1, 256], [1, 1048576], [768, 28]],
  ["a column", [63, 1], [1000, 1], [28, 315]],
  ["a ribbon", [10, 250], [10, 4000], [750, 28]],
] as const)("%s of %j cells for %j elements fits", (_name, [rows, columns], [allRows, allColumns], [width, height]) => {
  expect(naturalSize({ rows, columns }, { rows: allRows, columns: allColumns })).toEqual({ width, height });
});

test("a browser that gives no drawing context is named", () => {
  const canvas = { getContext: () => null } as unknown as HTMLCanvasElement;
  expect(() => paintSample(canvas, "NaN")).toThrow(
    "The browser gave no canvas to draw on: too many may be open on this page. Clear outputs that you no longer need.",
  );
});
