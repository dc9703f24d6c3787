// How values become colours: a map (perceptual, around zero, or one colour a class), the range that it spans, and whether
// steps along it are factors.
import { oklch, type Colour } from "../drawing/oklch.ts";
import { colourAt, divergingAt } from "../tensor-view/colour-map.ts";

export const mapNames = ["perceptual", "diverging", "classes"] as const;
export type MapName = (typeof mapNames)[number];

export interface Colouring {
  readonly map: MapName;
  readonly low: number;
  readonly high: number;
  readonly isLogarithmic: boolean;
}

const steps = 255;
/** Neighbouring classes differ in hue and in lightness. */
const classes: readonly Colour[] = Array.from({ length: 12 }, (_, at) =>
  oklch([0.62, 0.78, 0.48][at % 3]!, (at * 150) % 360, 0.13),
);
/** Of a range that has zero in it, what is smaller than this part of it counts as zero where steps are factors. */
const linear = 1e-4;

/** What suits the values: classes for a few whole numbers, around zero where there are both signs. */
export function suitedMap(dtype: string, low: number, high: number): MapName {
  if (/int/.test(dtype) && high - low > 0 && high - low < 20) return "classes";
  return low < 0 && high > 0 ? "diverging" : "perceptual";
}

/** The range that the map spans: around zero both sides are as long. */
export function spanOf({ map, low, high }: Colouring): { low: number; high: number } {
  if (map !== "diverging") return { low, high };
  const most = Math.max(Math.abs(low), Math.abs(high));
  return { low: -most, high: most };
}

/** Where a value lies along the map, 0 … 1. */
export function placeOf(colouring: Colouring): (value: number) => number {
  const { low, high } = spanOf(colouring);
  const scaled = colouring.isLogarithmic ? logarithm(low, high) : (value: number) => value / 2;
  const [start, end] = [scaled(low), scaled(high)];
  if (!(end > start)) return () => 0.5;
  return (value) => Math.max(0, Math.min(1, (scaled(value) - start) / (end - start)));
}

/** Rises with its argument from the least value on; with both signs the same way on both sides of zero. */
function logarithm(low: number, high: number): (value: number) => number {
  if (low > 0) return (value) => Math.log(Math.max(value, low));
  const unit = linear * Math.max(Math.abs(low), Math.abs(high));
  return (value) => Math.sign(value) * Math.log1p(Math.abs(value) / unit);
}

/** The colour of a finite value. */
export function colourOf(colouring: Colouring): (value: number) => Colour {
  if (colouring.map === "classes")
    return (value) => classes[((Math.round(value) % classes.length) + classes.length) % classes.length]!;
  const table = Array.from({ length: steps + 1 }, (_, step) =>
    colouring.map === "diverging" ? divergingAt(step / steps) : colourAt(step / steps),
  );
  const place = placeOf(colouring);
  return (value) => table[Math.round(place(value) * steps)]!;
}

/** The map as a CSS gradient from left to right; classes in steps. */
export function gradientOf(colouring: Colouring): string {
  const { low, high } = spanOf(colouring);
  const rgb = (colour: Colour) => `rgb(${colour.join(" ")})`;
  if (colouring.map === "classes") {
    const of = colourOf(colouring);
    const count = Math.max(1, Math.min(20, Math.round(high) - Math.round(low) + 1));
    const stops = Array.from({ length: count }, (_, at) => {
      const [from, to] = [at, at + 1].map((edge) => `${((100 * edge) / count).toFixed(2)}%`);
      return `${rgb(of(Math.round(low) + at))} ${from} ${to}`;
    });
    return `linear-gradient(to right, ${stops.join(", ")})`;
  }
  const at = colouring.map === "diverging" ? divergingAt : colourAt;
  return `linear-gradient(to right, ${Array.from({ length: 17 }, (_, stop) => rgb(at(stop / 16))).join(", ")})`;
}
