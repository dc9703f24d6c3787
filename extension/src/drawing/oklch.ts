// Colours of sRGB from lightness, chroma and hue, and the ink that reads on a colour. OKLCH after B. Ottosson, "A
// perceptual color space for image processing", 2020; a little muted where sRGB has no room.

export type Colour = readonly [red: number, green: number, blue: number];

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

/** The most chroma, up to `most`, that sRGB can show at this lightness and hue: bisection, to 1e-5. */
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

/** The colour of this lightness (0 … 1) and hue (degrees), with `most` chroma or as much of it as there is. */
export function oklch(lightness: number, hue: number, most: number): Colour {
  const [red, green, blue] = toLinear(lightness, chromaWithin(lightness, hue, most), hue);
  return [encode(red), encode(green), encode(blue)];
}

/** Relative luminance by WCAG: 0 is black, 1 is white. */
export function luminanceOf(colour: Colour): number {
  const [red, green, blue] = colour.map((channel) =>
    channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * Black or white, whichever reads better on a colour, by WCAG's contrast: the two are equal at a luminance of 0.179.
 */
export function inkOn(colour: Colour): string {
  return luminanceOf(colour) > 0.179 ? "#000" : "#fff";
}
