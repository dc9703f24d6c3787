// Turns a value of a range into a colour. Numbers of one sign: lightness rises evenly from violet through teal to yellow. Of both: blue below zero, brown above,
// lightest at zero, the same shade for the same distance. Both maps read without red and green.
// The path is straight in OKLCH (B. Ottosson, "A perceptual color space for image processing", 2020), a little muted where sRGB has no room.

export type Colour = readonly [red: number, green: number, blue: number];

const dark = { lightness: 0.27, hue: 312 };
const light = { lightness: 0.91, hue: 106 };
const mostChroma = 0.115;
const steps = 256;
/** The map of both signs: the lightness in the middle and at the ends, and the hues below and above. */
const middle = 0.97;
const ends = 0.36;
const below = 255;
const above = 50;

/** OKLCH to linear sRGB; hue in degrees. Channels outside 0 … 1 are not in sRGB. */
function toLinear(lightness: number, chroma: number, hue: number): [number, number, number] {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** The most chroma, up to the map's own, `most`, that sRGB can show at this lightness and hue: bisection, to 1e-5. */
function chromaWithin(lightness: number, hue: number, most: number): number {
  let [inside, outside] = [0, most];
  while (outside - inside > 1e-5) {
    const between = (inside + outside) / 2;
    if (toLinear(lightness, between, hue).every((channel) => channel >= 0 && channel <= 1)) inside = between;
    else outside = between;
  }
  return inside;
}

function encode(linear: number): number {
  const clamped = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055));
}

function colour(lightness: number, hue: number, most: number): Colour {
  const [red, green, blue] = toLinear(lightness, chromaWithin(lightness, hue, most), hue);
  return [encode(red), encode(green), encode(blue)];
}

const table: readonly Colour[] = Array.from({ length: steps }, (_, step) => {
  const share = step / (steps - 1);
  const lightness = dark.lightness + share * (light.lightness - dark.lightness);
  const hue = dark.hue + share * (light.hue - dark.hue);
  return colour(lightness, hue, mostChroma);
});

/** From −1 to 1, in an odd number of steps: zero is one of them. */
const signedTable: readonly Colour[] = Array.from({ length: steps - 1 }, (_, step) => {
  const distance = (2 * step) / (steps - 2) - 1;
  const size = Math.abs(distance);
  return colour(middle + size * (ends - middle), distance < 0 ? below : above, 0.12 * size);
});

/** The colour at `share` of the way from the lowest value to the highest; outside 0 … 1 the nearest end. */
export function colourAt(share: number): Colour {
  const step = Math.round(Math.min(1, Math.max(0, share)) * (steps - 1));
  return table[step]!;
}

/** Where `value` lies between `low` and `high`; the middle when they are equal. No overflow for the whole range of float64. */
export function shareOf(value: number, low: number, high: number): number {
  return high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
}

/** Black or white, whichever reads better on a colour, by WCAG's contrast: the two are equal at a luminance of 0.179. */
export function inkOn(colour: Colour): string {
  const [red, green, blue] = colour.map((channel) => (channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
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
    const last = signedTable.length - 1;
    return { low: -most, high: most, isSigned: true, colourOf: (value) => signedTable[Math.round(Math.min(1, Math.max(0, shareOf(value, -most, most))) * last)]! };
  }
  return { low, high, isSigned: false, colourOf: (value) => colourAt(shareOf(value, low, high)) };
}

/** A whole scale as a CSS gradient from left to right. */
export function gradient({ low, high, colourOf }: Scale): string {
  const stops = Array.from({ length: 17 }, (_, index) => `rgb(${colourOf(low + (high / 16 - low / 16) * index).join(" ")})`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
