// Colour maps of the viewer: order, symmetry, factors and classes.
import { expect, test } from "vitest";
import { luminanceOf } from "../drawing/oklch.ts";
import { colourOf, gradientOf, placeOf, spanOf, suitedMap, type Colouring } from "./colouring.ts";

const made = (change: Partial<Colouring>): Colouring => ({
  map: "perceptual",
  low: 0,
  high: 10,
  isLogarithmic: false,
  ...change,
});

test("a perceptual map grows lighter, also by factors", () => {
  for (const isLogarithmic of [false, true])
    for (const low of [0, 1e-3]) {
      const of = colourOf(made({ isLogarithmic, low }));
      const light = Array.from({ length: 50 }, (_, at) => luminanceOf(of(low + ((10 - low) * at) / 49)));
      expect(light).toEqual(light.toSorted((a, b) => a - b));
    }
  expect(placeOf(made({ low: 1, high: 100, isLogarithmic: true }))(10)).toBeCloseTo(0.5, 12);
  expect(placeOf(made({ low: 3, high: 3 }))(3)).toBe(0.5);
  expect(placeOf(made({ low: -1.7e308, high: 1.7e308 }))(0)).toBe(0.5);
});

test("around zero both signs have the same place on their sides, and zero is in the middle", () => {
  for (const isLogarithmic of [false, true]) {
    const colouring = made({ map: "diverging", low: -2, high: 10, isLogarithmic });
    const place = placeOf(colouring);
    expect(spanOf(colouring)).toEqual({ low: -10, high: 10 });
    expect(place(0)).toBe(0.5);
    expect(place(-1.5) + place(1.5)).toBeCloseTo(1, 12);
  }
});

test("classes differ from their neighbours, negative ones too", () => {
  const of = colourOf(made({ map: "classes" }));
  for (let value = -6; value < 30; value++) expect(of(value)).not.toEqual(of(value + 1));
  expect(gradientOf(made({ map: "classes", low: 0, high: 2 })).match(/rgb/g)).toHaveLength(3);
});

test.each([
  ["int64", 0, 9, "classes"],
  ["uint8", 0, 255, "perceptual"],
  ["float32", -1, 2, "diverging"],
  ["float32", 0, 2, "perceptual"],
  ["bool", 0, 1, "perceptual"],
])("%s from %d to %d: %s", (dtype, low, high, map) => expect(suitedMap(dtype, low, high)).toBe(map));
