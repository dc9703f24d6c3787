// Gives every name a colour of its own, in the order in which names appear, for light and for dark pages.
import type { Colour } from "../drawing/oklch.ts";
import { inkOn, oklch } from "../drawing/oklch.ts";

/** Colours as a picture's pixels hold them: alpha, blue, green, red, from the highest byte down. */
export interface Palette {
  /** By name. */
  readonly colours: readonly Colour[];
  readonly fill: Uint32Array;
  readonly ink: readonly string[];
  readonly background: number;
}

const hues = 24;
const tones = { light: [0.82, 0.74], dark: [0.52, 0.44] } as const;
const chroma = 0.105;

export const packed = ([red, green, blue]: Colour): number => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** The first half are a twelfth of the circle apart, and those that follow each other far; then come those between. */
const hueAt = (index: number): number => 2 * ((index * 5) % (hues / 2)) + (index % hues < hues / 2 ? 0 : 1);

/** All hues, then all again where a tone that they had has the other. */
const coloursOf = (lightness: readonly [number, number]): readonly Colour[] =>
  Array.from({ length: 2 * hues }, (_, index) => {
    const isSecond = Math.floor(index / (hues / 2)) === 1 || Math.floor(index / (hues / 2)) === 2;
    return oklch(lightness[isSecond ? 1 : 0], (hueAt(index) * 360) / hues, chroma);
  });
const colours = { light: coloursOf(tones.light), dark: coloursOf(tones.dark) };

/** The number of a step or a cell, which many names of one kind end with. */
const ordinal = /[ #([]+\d+[)\]]?$/;

/** What is no work: waiting, and the profiler's own time. */
const quietColours = { light: oklch(0.88, 260, 0.012), dark: oklch(0.36, 260, 0.012) };

/**
 * The colours of names on a dark page or a light one; `quiet`: 1 for each name that is no work. Names that differ in the
 * number at their end alone share one.
 */
function coloursOfNames(names: readonly string[], quiet: Uint8Array, dark: boolean): readonly Colour[] {
  const choice = dark ? colours.dark : colours.light;
  const given = new Map<string, Colour>();
  return names.map((name, index) => {
    if (quiet[index] === 1) return dark ? quietColours.dark : quietColours.light;
    const kind = name.replace(ordinal, "");
    const colour = given.get(kind) ?? choice[given.size % choice.length]!;
    given.set(kind, colour);
    return colour;
  });
}

export function paletteOf(names: readonly string[], quiet: Uint8Array, background: Colour, dark: boolean): Palette {
  const chosen = coloursOfNames(names, quiet, dark);
  const inks = new Map<Colour, string>();
  const inkFor = (colour: Colour): string => inks.get(colour) ?? inks.set(colour, inkOn(colour)).get(colour)!;
  return {
    colours: chosen,
    fill: Uint32Array.from(chosen, packed),
    ink: chosen.map(inkFor),
    background: packed(background),
  };
}

/** `share` (0 … 256) of one packed colour over another. */
export function mixed(over: number, under: number, share: number): number {
  // Whole, or the fraction of one channel would spill into the next.
  const part = share | 0;
  const rest = 256 - part;
  const outer = (((over & 0xff00ff) * part + (under & 0xff00ff) * rest) >>> 8) & 0xff00ff;
  const green = (((over & 0x00ff00) * part + (under & 0x00ff00) * rest) >>> 8) & 0x00ff00;
  return (0xff000000 | outer | green) >>> 0;
}
