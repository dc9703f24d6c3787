// The colour of a value in a range. Numbers of one sign: lightness rises evenly from violet through teal to yellow. Of
// both: blue below zero, brown above, lightest at zero, the same shade for the same distance. Both maps read without
// red and green. The path is straight in OKLCH.
import type { Colour } from "../drawing/oklch.ts";
import { oklch } from "../drawing/oklch.ts";

const dark = { lightness: 0.27, hue: 312 };
const light = { lightness: 0.91, hue: 106 };
const mostChroma = 0.115;
const steps = 256;
/** The map of both signs: the lightness in the middle and at the ends, and the hues below and above. */
const middle = 0.97;
const ends = 0.36;
const below = 255;
const above = 50;

const table: readonly Colour[] = Array.from({ length: steps }, (_, step) => {
  const share = step / (steps - 1);
  const lightness = dark.lightness + share * (light.lightness - dark.lightness);
  const hue = dark.hue + share * (light.hue - dark.hue);
  return oklch(lightness, hue, mostChroma);
});

/** From −1 to 1, in an odd number of steps: zero is one of them. */
const signedTable: readonly Colour[] = Array.from({ length: steps - 1 }, (_, step) => {
  const distance = (2 * step) / (steps - 2) - 1;
  const size = Math.abs(distance);
  return oklch(middle + size * (ends - middle), distance < 0 ? below : above, 0.12 * size);
});

/** The colour at `share` of the way from the lowest value to the highest; outside 0 … 1 the nearest end. */
export function colourAt(share: number): Colour {
  const step = Math.round(Math.min(1, Math.max(0, share)) * (steps - 1));
  return table[step]!;
}

/** The colour at `share` of the way from the lowest value to the highest of a range around zero. */
export function divergingAt(share: number): Colour {
  return signedTable[Math.round(Math.min(1, Math.max(0, share)) * (signedTable.length - 1))]!;
}

/**
 * Where `value` lies between `low` and `high`; the middle when they are equal. No overflow for the whole range of
 * float64.
 */
export function shareOf(value: number, low: number, high: number): number {
  return high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
}

/** How the values of a picture become colours. */
export interface Scale {
  /** The values at both ends of the map. */
  readonly low: number;
  readonly high: number;
  /** Zero is the middle, and both ends are as far from it. */
  readonly isSigned: boolean;
  colourOf(value: number): Colour;
}

/** The scale for values from `low` to `high`. */
export function scaleOf(low: number, high: number): Scale {
  if (low < 0 && high > 0) {
    const most = Math.max(-low, high);
    return {
      low: -most,
      high: most,
      isSigned: true,
      colourOf: (value) => divergingAt(shareOf(value, -most, most)),
    };
  }
  return { low, high, isSigned: false, colourOf: (value) => colourAt(shareOf(value, low, high)) };
}

/** A whole scale as a CSS gradient from left to right. */
export function gradient({ low, high, colourOf }: Scale): string {
  const stops = Array.from(
    { length: 17 },
    (_, index) => `rgb(${colourOf(low + (high / 16 - low / 16) * index).join(" ")})`,
  );
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
