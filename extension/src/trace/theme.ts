// Reads the colours and fonts of the page's theme for a canvas, which knows no variables of CSS.
import type { Colour } from "../drawing/oklch.ts";
import { luminanceOf } from "../drawing/oklch.ts";
import type { Palette } from "./palette.ts";
import { mixed, packed, paletteOf } from "./palette.ts";

export interface Theme {
  readonly dark: boolean;
  readonly background: Colour;
  readonly back: string;
  readonly heading: string;
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  /** A grid's lines, as pixels. */
  readonly grid: number;
  readonly accent: string;
  readonly font: string;
  readonly bold: string;
  readonly palette: Palette;
}

const pixel = document.createElement("canvas");
pixel.width = pixel.height = 1;

/** A CSS colour over another, as numbers. */
function channelsOf(colour: string, under: string): Colour {
  const context = pixel.getContext("2d", { willReadFrequently: true })!;
  for (const layer of [under, colour]) {
    context.fillStyle = layer;
    context.fillRect(0, 0, 1, 1);
  }
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return [red!, green!, blue!];
}

/** `quiet`: 1 for each name that is no work. */
export function readTheme(node: Element, names: readonly string[], quiet: Uint8Array): Theme {
  const style = getComputedStyle(node);
  const read = (name: string, fallback: string): string => style.getPropertyValue(name).trim() || fallback;
  const back = read("--jp-layout-color0", "white");
  const background = channelsOf(back, "white");
  const dark = luminanceOf(background) < 0.3;
  const family = read("--jp-ui-font-family", "sans-serif");
  const line = read("--jp-border-color2", dark ? "#555" : "#ccc");
  return {
    dark,
    background,
    back,
    heading: read("--jp-layout-color2", dark ? "#333" : "#eee"),
    text: read("--jp-ui-font-color1", dark ? "white" : "black"),
    faint: read("--jp-ui-font-color2", dark ? "#bbb" : "#555"),
    line,
    grid: mixed(packed(channelsOf(line, back)), packed(background), 110),
    accent: read("--jp-brand-color1", "royalblue"),
    font: `11px ${family}`,
    bold: `600 11px ${family}`,
    palette: paletteOf(names, quiet, background, dark),
  };
}
