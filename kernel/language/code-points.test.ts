// Cursor positions before, in and after characters that take two UTF-16 units.
import { expect, test } from "vitest";
import { toCodePoints, toUtf16 } from "./code-points.ts";

const code = "a😀é𝒙\nb";

test.each([
  [0, 0],
  [1, 1],
  [2, 3],
  [3, 4],
  [4, 6],
  [5, 7],
  [6, 8],
])("code point %i is unit %i", (codePoints, units) => {
  expect(toUtf16(code, codePoints)).toBe(units);
  expect(toCodePoints(code, units)).toBe(codePoints);
});

test("positions past the end are the end", () => {
  expect(toUtf16(code, 99)).toBe(code.length);
  expect(toCodePoints(code, 99)).toBe(6);
});

test("a unit inside a pair counts the pair", () => {
  expect(toCodePoints(code, 2)).toBe(2);
});

test("half a pair is a character of its own", () => {
  expect(toUtf16("\ud83d!", 1)).toBe(1);
  expect(toCodePoints("\ud83d!", 1)).toBe(1);
});
