// The palette of a tensor's picture: 251 colours of values, and those of what is no value. The maps are those of the
// extension's heat map, which cannot share them: it imports nothing of the library.

export type PaletteColour = readonly [red: number, green: number, blue: number, opacity: number];

/** Places in the palette; those of values come first. */
const valueSteps = 251;
export const nanPlace = valueSteps;
export const positivePlace = valueSteps + 1;
export const negativePlace = valueSteps + 2;
/** What a picture leaves free. */
export const emptyPlace = valueSteps + 3;
const others: readonly PaletteColour[] = [
  [136, 136, 136, 255],
  [230, 0, 160, 255],
  [0, 190, 230, 255],
  [0, 0, 0, 0],
];

/** How the values of a tensor become places in a palette: one range for all of it. */
export interface PictureScale {
  readonly palette: readonly PaletteColour[];
  placeOf(value: number): number;
}

/** "auto" is "diverging" for values of both signs, "sequential" for others. */
export type ColorMap = "auto" | "sequential" | "diverging" | "grey";

/** For values from `low` to `high`: where colours diverge, zero is in the middle, and both ends are as far from it. */
export function pictureScale(low: number, high: number, map: ColorMap = "auto"): PictureScale {
  const isDiverging = map === "diverging" || (map === "auto" && low < 0 && high > 0);
  const most = Math.max(-low, high);
  const [from, to] = isDiverging ? [-most, most] : [low, high];
  const last = valueSteps - 1;
  const colour = isDiverging ? signedColour : map === "grey" ? greyColour : plainColour;
  return {
    palette: [...Array.from({ length: valueSteps }, (_, step) => colour(step / last)), ...others],
    placeOf(value) {
      if (Number.isNaN(value)) return nanPlace;
      if (!Number.isFinite(value)) return value > 0 ? positivePlace : negativePlace;
      // Halves, since the range of all float64 has no difference.
      const share = to > from ? (value / 2 - from / 2) / (to / 2 - from / 2) : 0.5;
      return Math.round(Math.min(1, Math.max(0, share)) * last);
    },
  };
}

/** From violet through teal to yellow; lightness rises evenly. */
function plainColour(share: number): PaletteColour {
  return oklch(0.27 + share * 0.64, 312 - share * 206, 0.115);
}

/** From black to white in even steps of lightness, as sRGB's are. */
function greyColour(share: number): PaletteColour {
  const light = Math.round(255 * share);
  return [light, light, light, 255];
}

/** Blue below zero, brown above, lightest at zero. */
function signedColour(share: number): PaletteColour {
  const distance = 2 * share - 1;
  const size = Math.abs(distance);
  return oklch(0.97 - size * 0.61, distance < 0 ? 255 : 50, 0.12 * size);
}

/**
 * sRGB of a lightness (0 … 1), a hue (degrees) and as much chroma as there is, up to `most` (B. Ottosson, "A perceptual
 * color space for image processing", 2020).
 */
function oklch(lightness: number, hue: number, most: number): PaletteColour {
  let [inside, outside] = [0, most];
  while (outside - inside > 1e-5) {
    const between = (inside + outside) / 2;
    if (linear(lightness, between, hue).every((channel) => channel >= 0 && channel <= 1)) inside = between;
    else outside = between;
  }
  const [red, green, blue] = linear(lightness, inside, hue).map((channel) => {
    const light = Math.min(1, Math.max(0, channel));
    return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
  });
  return [red!, green!, blue!, 255];
}

function linear(lightness: number, chroma: number, hue: number): number[] {
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
