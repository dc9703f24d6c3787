// Gives every name a colour of its own, by a hash of its text, for light and for dark pages.
import type { Colour } from "../drawing/oklch.ts";
import { inkOn, oklch } from "../drawing/oklch.ts";

/** Colours as a picture's pixels hold them: alpha, blue, green, red, from the highest byte down. */
export interface Palette {
  /** By name. */
  readonly fill: Uint32Array;
  readonly ink: readonly string[];
  readonly background: number;
}

const hues = 24;
const tones = { light: [0.82, 0.74], dark: [0.52, 0.44] } as const;
const chroma = 0.105;

export const packed = ([red, green, blue]: Colour): number => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** FNV-1a, with the bits mixed once more so that names that differ in their last letter differ in colour. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

const coloursOf = (lightness: readonly number[]): readonly Colour[] =>
  lightness.flatMap((tone) => Array.from({ length: hues }, (_, hue) => oklch(tone, (hue * 360) / hues, chroma)));
const colours = { light: coloursOf(tones.light), dark: coloursOf(tones.dark) };

/** The number of a step or a cell, which many names of one kind end with. */
const ordinal = /[ #([]+\d+[)\]]?$/;

/** What is no work: waiting, and the profiler's own time. */
const quietColours = { light: oklch(0.88, 260, 0.012), dark: oklch(0.36, 260, 0.012) };

/**
 * The colour of a name on a dark page or a light one; `quiet`: it is no work. Names that differ in the number at their
 * end alone share it.
 */
export function colourOf(name: string, dark: boolean, quiet: boolean): Colour {
  if (quiet) return dark ? quietColours.dark : quietColours.light;
  const choice = dark ? colours.dark : colours.light;
  return choice[hashOf(name.replace(ordinal, "")) % choice.length]!;
}

/** `quiet`: 1 for each name that is no work. */
export function paletteOf(names: readonly string[], quiet: Uint8Array, background: Colour, dark: boolean): Palette {
  const chosen = names.map((name, index) => colourOf(name, dark, quiet[index] === 1));
  const inks = new Map<Colour, string>();
  const inkFor = (colour: Colour): string => inks.get(colour) ?? inks.set(colour, inkOn(colour)).get(colour)!;
  return { fill: Uint32Array.from(chosen, packed), ink: chosen.map(inkFor), background: packed(background) };
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
