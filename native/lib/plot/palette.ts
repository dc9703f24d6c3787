// Colours of what charts tell apart, which read on white and on black, and colour maps of what they grade.
import { pictureScale } from "../tensor/picture-colours.ts";

/** Neighbours differ in hue and in lightness, also for eyes that see fewer hues. */
export const classColours = [
  "#3b7dd8",
  "#e0762b",
  "#1f9d78",
  "#d8478c",
  "#8a68d6",
  "#b08a10",
  "#2f9fc4",
  "#d2483a",
  "#6f9a26",
  "#8c8c8c",
] as const;

export const classColour = (at: number): string => classColours[at % classColours.length]!;

/** Grades of a colour map, evenly from `low` to `high`; the middle of one that diverges would be lost on white. */
export function gradesOf(low: number, high: number, count: number): string[] {
  const { palette, placeOf } = pictureScale(low, high, "sequential");
  return Array.from({ length: count }, (_, at) => {
    const share = (at + 0.5) / count;
    const [red, green, blue] = palette[placeOf(low * (1 - share) + high * share)]!;
    return `#${[red, green, blue].map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
  });
}

/** Red, green and blue of "#rrggbb". */
export function channelsOf(colour: string): [number, number, number] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number, number];
}
