// Turns 0 … 1 into a colour whose lightness rises evenly from violet through teal to yellow, so that it reads in grey and without red and green.
// The path is straight in OKLCH (B. Ottosson, "A perceptual color space for image processing", 2020), a little muted where sRGB has no room.

export type Colour = readonly [red: number, green: number, blue: number];

const dark = { lightness: 0.27, hue: 312 };
const light = { lightness: 0.91, hue: 106 };
const mostChroma = 0.115;
const steps = 256;

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

/** The most chroma, up to the map's own, that sRGB can show at this lightness and hue: bisection, to 1e-5. */
function chromaWithin(lightness: number, hue: number): number {
  let [inside, outside] = [0, mostChroma];
  while (outside - inside > 1e-5) {
    const middle = (inside + outside) / 2;
    if (toLinear(lightness, middle, hue).every((channel) => channel >= 0 && channel <= 1)) inside = middle;
    else outside = middle;
  }
  return inside;
}

function encode(linear: number): number {
  const clamped = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055));
}

const table: readonly Colour[] = Array.from({ length: steps }, (_, step) => {
  const share = step / (steps - 1);
  const lightness = dark.lightness + share * (light.lightness - dark.lightness);
  const hue = dark.hue + share * (light.hue - dark.hue);
  const [red, green, blue] = toLinear(lightness, chromaWithin(lightness, hue), hue);
  return [encode(red), encode(green), encode(blue)];
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

/** The whole map as a CSS gradient from left to right. */
export function gradient(): string {
  const stops = Array.from({ length: 17 }, (_, index) => `rgb(${colourAt(index / 16).join(" ")})`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
