// Colours of names in a profile: as many as are met in one differ, the first of them most.
import { expect, test } from "vitest";
import { paletteOf } from "./palette.ts";

const coloursOf = (names: readonly string[], dark: boolean, quiet = new Uint8Array(names.length)) =>
  paletteOf(names, quiet, dark ? [17, 17, 17] : [255, 255, 255], dark).colours;
const apart = ([r, g, b]: readonly number[], [s, h, c]: readonly number[]) => Math.hypot(r! - s!, g! - h!, b! - c!);
const leastApart = (colours: readonly (readonly number[])[]): number =>
  Math.min(...colours.flatMap((one, at) => colours.slice(at + 1).map((other) => apart(one, other))));

test.each([false, true])("no two of 48 names have one colour, and the first 12 are far apart (dark: %s)", (dark) => {
  const colours = coloursOf(
    Array.from({ length: 48 }, (_, at) => `kernel_${at}`),
    dark,
  );
  expect(leastApart(colours)).toBeGreaterThan(4);
  expect(leastApart(colours.slice(0, 12))).toBeGreaterThan(20);
  // Neighbours in the order of appearance are not neighbours of the circle.
  for (let at = 1; at < 12; at++) expect(apart(colours[at - 1]!, colours[at]!)).toBeGreaterThan(60);
});

test("the order decides, not the text; a number at the end makes no other name; waiting is grey", () => {
  const [saxpy, scattered] = coloursOf(["saxpy", "scattered"], false);
  expect(coloursOf(["a", "b"], false)).toEqual([saxpy, scattered]);
  expect(coloursOf(["step 1", "step 2", "other"], false)).toEqual([saxpy, saxpy, scattered]);
  const [red, green, blue] = coloursOf(["wait", "saxpy"], false, Uint8Array.of(1, 0))[0]!;
  expect(Math.max(red!, green!, blue!) - Math.min(red!, green!, blue!)).toBeLessThan(20);
  expect(coloursOf(["wait", "saxpy"], false, Uint8Array.of(1, 0))[1]).toEqual(saxpy);
});
