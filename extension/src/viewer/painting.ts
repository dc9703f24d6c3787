// Paints tiles as colours, and numbers where they have room; what is not finite has colours and signs of its own.
import { formatValue } from "../drawing/quantity.ts";
import { inkOn, type Colour } from "../drawing/oklch.ts";
import { contextOf } from "../tensor-view/painting.ts";
import { colourOf, type Colouring } from "./colouring.ts";
import { type Camera, tileSide } from "./geometry.ts";
import { missingIn, type Numbers, type Tile } from "./source.ts";
import type { HeldTile } from "./tile-store.ts";

/** Which number of a cell is shown. */
export type Shown = "mean" | "min" | "max";

export interface Painter {
  readonly colouring: Colouring;
  readonly shown: Shown;
  readonly dtype: string;
}

/** NaN, +∞ and −∞; of a cell that has several the first. */
const missingColours: readonly (readonly [bit: number, colour: Colour, sign: string])[] = [
  [1, [128, 128, 128], "NaN"],
  [2, [255, 79, 163], "+∞"],
  [4, [17, 17, 17], "−∞"],
];
const missingOf = (bits: number) => missingColours.find(([bit]) => (bits & bit) !== 0)!;

/** Cells smaller than this have a ring around them where something is not finite, unless there are many. */
const ringBelow = 8;
const mostRings = 200;
const signFrom = 14;
const numbersFrom = { across: 44, down: 16 };
const fontSize = 11;

export const shownOf = ({ values, min, max }: Tile, shown: Shown): Numbers =>
  shown === "mean" ? values : shown === "min" ? min : max;

/** Paints all that is held over the canvas, whose pixels are `ratio` to one of CSS. */
export function paintTiles(
  canvas: HTMLCanvasElement,
  held: readonly HeldTile[],
  camera: Camera,
  level: number,
  painter: Painter,
  ratio: number,
): void {
  const context = contextOf(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, canvas.width / ratio, canvas.height / ratio);
  context.imageSmoothingEnabled = false;
  for (const each of held) {
    const place = placeOf(each, camera);
    if (place.x > canvas.width || place.y > canvas.height || place.x + place.width < 0 || place.y + place.height < 0)
      continue;
    context.drawImage(paintedOf(each, painter), place.x, place.y, place.width, place.height);
  }
  for (const each of held) if (each.level === level) annotate(context, each, camera, painter, ratio);
}

function placeOf({ level, row, column, tile }: HeldTile, { across, down, left, top }: Camera) {
  const [step, side] = [2 ** level, tileSide * 2 ** level];
  return {
    x: (column * side - left) * across,
    y: (row * side - top) * down,
    width: tile.columns * step * across,
    height: tile.rows * step * down,
  };
}

/** A pixel a cell. */
function paintedOf(held: HeldTile, painter: Painter): HTMLCanvasElement {
  if (held.painted?.painter === painter) return held.painted.canvas;
  const { rows, columns } = held.tile;
  const canvas = held.painted?.canvas ?? document.createElement("canvas");
  [canvas.width, canvas.height] = [columns, rows];
  const pixels = new ImageData(columns, rows);
  const words = new Uint32Array(pixels.data.buffer);
  const colour = colourOf(painter.colouring);
  const values = shownOf(held.tile, painter.shown);
  for (let cell = 0; cell < words.length; cell++) {
    const bits = missingIn(held.tile, cell);
    const [red, green, blue] = bits === 0 ? colour(values[cell]!) : missingOf(bits)[1];
    words[cell] = 0xff000000 | (blue << 16) | (green << 8) | red;
  }
  contextOf(canvas).putImageData(pixels, 0, 0);
  held.painted = { painter, canvas };
  return canvas;
}

/** Numbers, or signs and rings of what is not finite. */
function annotate(
  context: CanvasRenderingContext2D,
  held: HeldTile,
  camera: Camera,
  painter: Painter,
  ratio: number,
): void {
  const { tile, level } = held;
  const step = 2 ** level;
  const [wide, high] = [camera.across * step, camera.down * step];
  const place = placeOf(held, camera);
  const hasNumbers = level === 0 && wide >= numbersFrom.across && high >= numbersFrom.down;
  const hasSigns = !hasNumbers && Math.min(wide, high) >= signFrom;
  const colour = colourOf(painter.colouring);
  const [width, height] = [context.canvas.width / ratio, context.canvas.height / ratio];
  const [left, right] = [Math.floor(-place.x / wide), Math.ceil((width - place.x) / wide)];
  const [top, bottom] = [Math.floor(-place.y / high), Math.ceil((height - place.y) / high)];
  context.font = `${fontSize}px ${getComputedStyle(context.canvas).fontFamily}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const rings: [number, number][] = [];
  for (let row = Math.max(0, top); row < Math.min(tile.rows, bottom); row++)
    for (let column = Math.max(0, left); column < Math.min(tile.columns, right); column++) {
      const cell = row * tile.columns + column;
      const bits = missingIn(tile, cell);
      if (!hasNumbers && bits === 0) continue;
      const [x, y] = [place.x + (column + 0.5) * wide, place.y + (row + 0.5) * high];
      if (bits !== 0 && Math.min(wide, high) < ringBelow) rings.push([x, y]);
      if (!hasNumbers && !hasSigns) continue;
      context.fillStyle = inkOn(bits === 0 ? colour(tile.values[cell]!) : missingOf(bits)[1]);
      context.fillText(writtenAt(tile, cell, painter.dtype, wide), x, y, wide - 2);
    }
  if (rings.length <= mostRings) for (const [x, y] of rings) ring(context, x, y);
}

function ring(context: CanvasRenderingContext2D, x: number, y: number): void {
  for (const [style, lineWidth] of [
    ["#fff", 4],
    ["#000", 1.5],
  ] as const) {
    context.beginPath();
    context.arc(x, y, 7, 0, 2 * Math.PI);
    context.strokeStyle = style;
    context.lineWidth = lineWidth;
    context.stroke();
  }
}

/** An element as it is written; with a width, as it has room there. */
export function writtenAt(tile: Tile, cell: number, dtype: string, width?: number): string {
  const bits = missingIn(tile, cell);
  if (bits !== 0) return missingOf(bits)[2];
  if (tile.exact !== null) return String(tile.exact[cell]);
  const value = tile.values[cell]!;
  if (dtype === "bool") return value === 1 ? "true" : "false";
  if (/int/.test(dtype)) return String(value);
  return formatValue(value, width === undefined ? 8 : Math.max(2, Math.min(6, Math.floor(width / 8) - 2)));
}
