// Paints a picture: the size it is shown at, its colours, and a pattern each for NaN, +∞ and −∞. Pixels are the same in
// every theme.
import { trans } from "../drawing/trans.ts";
import { scaleOf } from "./colour-map.ts";
import { missingOf, type Missing, type Picture } from "./tile.ts";

interface Extent {
  rows: number;
  columns: number;
}

/** The largest picture, in CSS pixels. */
export const widest = 768;
export const highest = 360;
const largestCell = 24;
/** A vector is a strip at least this thick. */
const thinnest = 28;

const between = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

/**
 * The size, in CSS pixels, of a picture of `cells` that stand for `elements`: in the shape of the elements as far as
 * there is room, with a whole number of pixels to a cell each way, so that no cell looks larger than another.
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
  const { colourOf } = scaleOf(low, high);
  values.forEach((value, index) => {
    if (Number.isFinite(value)) pixels.set([...colourOf(value), 255], index * 4);
  });
  return pixels;
}

/** Opaque where a cell is of the kind. */
function maskOf({ values }: Picture, kind: Missing): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(values.length * 4);
  values.forEach((value, index) => {
    if (missingOf(value) === kind) pixels[index * 4 + 3] = 255;
  });
  return pixels;
}

/** Paints the picture over all of `canvas`, whose size is in device pixels. */
export function paint(canvas: HTMLCanvasElement, picture: Picture): void {
  const context = contextOf(canvas);
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  spread(context, picture, pixelsOf(picture));
  for (const kind of picture.missing) {
    const layer = document.createElement("canvas");
    [layer.width, layer.height] = [width, height];
    const layerContext = contextOf(layer);
    spread(layerContext, picture, maskOf(picture, kind));
    layerContext.globalCompositeOperation = "source-in";
    layerContext.drawImage(patternOf(kind, width, height), 0, 0);
    context.drawImage(layer, 0, 0);
  }
}

/** One pixel per cell, over all of a canvas. */
function spread(
  context: CanvasRenderingContext2D,
  { rows, columns }: Extent,
  pixels: Uint8ClampedArray<ArrayBuffer>,
): void {
  const cells = document.createElement("canvas");
  [cells.width, cells.height] = [columns, rows];
  contextOf(cells).putImageData(new ImageData(pixels, columns, rows), 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(cells, 0, 0, context.canvas.width, context.canvas.height);
}

/** Paints nothing but the pattern of a kind, as a sample for the legend. */
export function paintSample(canvas: HTMLCanvasElement, kind: Missing): void {
  contextOf(canvas).drawImage(patternOf(kind, canvas.width, canvas.height), 0, 0);
}

/**
 * Lines that no colour map has, so that each kind is told by shape as well as by hue. `lean`: how far right a line is
 * at the top, of its height.
 */
const patterns: Readonly<Record<Missing, { ground: string; line: string; lean: number }>> = {
  NaN: { ground: "#f4f4f4", line: "#5a5a5a", lean: 1 },
  "+∞": { ground: "#ff4fa3", line: "#7a0046", lean: 0 },
  "−∞": { ground: "#111111", line: "#8a8a8a", lean: -1 },
};

function patternOf(kind: Missing, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = contextOf(canvas);
  const { ground, line, lean } = patterns[kind];
  const pitch = 4 * Math.max(1, Math.round(window.devicePixelRatio));
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
  context.strokeStyle = line;
  context.lineWidth = pitch / 4;
  context.beginPath();
  for (let start = -height; start < width + height; start += pitch) {
    context.moveTo(start, height);
    context.lineTo(start + lean * height, 0);
  }
  context.stroke();
  return canvas;
}

export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d");
  if (!context)
    throw new Error(
      trans.__(
        "The browser gave no canvas to draw on: too many may be open on this page. Clear outputs that you no longer need.",
      ),
    );
  return context;
}
