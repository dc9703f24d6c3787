// The numbers that are written in the cells of a small picture, where each is one element and there is room.
import { formatValue } from "../drawing/quantity.ts";
import { inkOn } from "../drawing/oklch.ts";
import { scaleOf } from "./colour-map.ts";
import { contextOf, highest, widest } from "./painting.ts";
import type { Picture } from "./tile.ts";

/** In CSS pixels; the font itself is the style sheet's, and monospaced. */
const fontSize = 11;
const mostAdvance = 0.62 * fontSize;
const margin = 3;
const cellHeight = 24;
const digits = 4;

/** What is written in each cell, nothing where there is no finite value, and the size of the picture with it. */
export interface Numbers {
  texts: string[];
  width: number;
  height: number;
}

/** `null` where a cell is more than one element, where there is no room, or nothing to write. */
export function numbersOf(
  { rows, columns, values }: Picture,
  { rowStep, columnStep }: { rowStep: number; columnStep: number },
): Numbers | null {
  const height = rows * cellHeight;
  if (rowStep * columnStep !== 1 || height > highest || columns * cellHeight > widest) return null;
  const texts = Array.from(values, (value) => (Number.isFinite(value) ? formatValue(value, digits) : ""));
  const longest = Math.max(...texts.map(({ length }) => length));
  const width = columns * Math.max(cellHeight, Math.ceil(longest * mostAdvance) + 2 * margin);
  return longest === 0 || width > widest ? null : { texts, width, height };
}

/** Writes the numbers over a painted picture; none when the page has no room for the longest. */
export function write(
  canvas: HTMLCanvasElement,
  { rows, columns, values, low, high }: Picture,
  { texts }: Numbers,
): void {
  if (low === null || high === null) return;
  const context = contextOf(canvas);
  const { colourOf } = scaleOf(low, high);
  const [across, down] = [canvas.width / columns, canvas.height / rows];
  context.font = `${fontSize * window.devicePixelRatio}px ${getComputedStyle(canvas).fontFamily}`;
  if (texts.some((text) => context.measureText(text).width > across)) return;
  context.textAlign = "center";
  context.textBaseline = "middle";
  texts.forEach((text, index) => {
    if (text === "") return;
    context.fillStyle = inkOn(colourOf(values[index]!));
    context.fillText(text, ((index % columns) + 0.5) * across, (Math.floor(index / columns) + 0.5) * down);
  });
}
