// Turns a picture into pixels: the size it is shown at, its colours, and a hatch for cells without a finite value. Pixels are the same in every theme.
import { colourAt, shareOf } from "./colour-map.ts";
import type { Picture } from "./tile.ts";

interface Extent {
  rows: number;
  columns: number;
}

/** The largest picture, in CSS pixels. */
export const widest = 768;
export const highest = 256;
const largestCell = 24;
/** A vector is a strip at least this thick. */
const thinnest = 28;

const between = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

/**
 * The size, in CSS pixels, of a picture of `cells` that stand for `elements`: in the shape of the elements as far as there is room, with a
 * whole number of pixels to a cell each way, so that no cell looks larger than another.
 */
export function naturalSize(cells: Extent, elements: Extent): { width: number; height: number } {
  const widthAtFullHeight = (highest * elements.columns) / elements.rows;
  const across = between(Math.floor(Math.min(widest, widthAtFullHeight) / cells.columns), 1, largestCell);
  const heightInShape = (across * cells.columns * elements.rows) / elements.columns;
  const down = between(Math.round(heightInShape / cells.rows), 1, Math.floor(highest / cells.rows));
  return { width: Math.max(thinnest, across * cells.columns), height: Math.max(thinnest, down * cells.rows) };
}

/** One RGBA pixel per cell, row-major; cells that are not finite are transparent. */
export function pixelsOf({ values, low, high }: Picture): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(values.length * 4);
  if (low === null || high === null) return pixels;
  values.forEach((value, index) => {
    if (Number.isFinite(value)) pixels.set([...colourAt(shareOf(value, low, high)), 255], index * 4);
  });
  return pixels;
}

/** Paints the picture over all of `canvas`, whose size is in device pixels. */
export function paint(canvas: HTMLCanvasElement, picture: Picture): void {
  const context = contextOf(canvas);
  hatch(context, canvas.width, canvas.height);
  const cells = document.createElement("canvas");
  cells.width = picture.columns;
  cells.height = picture.rows;
  contextOf(cells).putImageData(new ImageData(pixelsOf(picture), picture.columns, picture.rows), 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(cells, 0, 0, canvas.width, canvas.height);
}

/** Paints nothing but the hatch, as a sample for the legend. */
export function paintHatch(canvas: HTMLCanvasElement): void {
  hatch(contextOf(canvas), canvas.width, canvas.height);
}

/** Grey diagonals: the colour map has no grey and no lines, so they are told from a value by shape as well as by hue. */
function hatch(context: CanvasRenderingContext2D, width: number, height: number): void {
  const pitch = 4 * Math.max(1, Math.round(window.devicePixelRatio));
  context.fillStyle = "#f4f4f4";
  context.fillRect(0, 0, width, height);
  context.strokeStyle = "#5a5a5a";
  context.lineWidth = pitch / 4;
  context.beginPath();
  for (let start = -height; start < width; start += pitch) {
    context.moveTo(start, height);
    context.lineTo(start + height, 0);
  }
  context.stroke();
}

export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("Expected the browser to draw in two dimensions but it gave no canvas context: too many canvases may be open on this page.");
  return context;
}
