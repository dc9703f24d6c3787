// Draws tiles of one axis as a line: the mean of each cell over the band from its least to its greatest element.
import { contextOf } from "../tensor-view/painting.ts";
import { placeOf, spanOf } from "./colouring.ts";
import { type Camera, tileSide } from "./geometry.ts";
import { missingIn } from "./source.ts";
import type { Painter } from "./painting.ts";
import type { HeldTile } from "./tile-store.ts";

export interface LineColours {
  readonly line: string;
  readonly band: string;
  readonly axis: string;
  readonly missing: string;
}

const margin = 12;

export function paintLine(
  canvas: HTMLCanvasElement,
  held: readonly HeldTile[],
  camera: Camera,
  level: number,
  { colouring }: Painter,
  colours: LineColours,
  ratio: number,
): void {
  const context = contextOf(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const [width, height] = [canvas.width / ratio, canvas.height / ratio];
  context.clearRect(0, 0, width, height);
  const place = placeOf(colouring);
  const y = (value: number) => height - margin - place(value) * (height - 2 * margin);
  const { low, high } = spanOf(colouring);
  if (low < 0 && high > 0) {
    context.fillStyle = colours.axis;
    context.fillRect(0, y(0), width, 1);
  }
  const finest = held.filter((each) => each.level === level).sort((a, b) => a.column - b.column);
  const path = new Path2D();
  let isOn = false;
  const step = 2 ** level;
  const wide = step * camera.across;
  for (const { tile, column } of finest) {
    for (let cell = 0; cell < tile.columns; cell++) {
      const x = ((column * tileSide + cell) * step - camera.left) * camera.across;
      if (x + wide < 0 || x > width) continue;
      const value = tile.values[cell]!;
      if (missingIn(tile, cell) !== 0) {
        context.fillStyle = colours.missing;
        context.fillRect(x, 0, Math.max(2, wide), height);
      }
      if (!Number.isFinite(value)) {
        isOn = false;
        continue;
      }
      context.fillStyle = colours.band;
      const [top, bottom] = [y(tile.max[cell]!), y(tile.min[cell]!)];
      if (level > 0) context.fillRect(x, top, Math.max(1, wide), Math.max(1, bottom - top));
      const [middle, at] = [x + wide / 2, y(value)];
      if (isOn) path.lineTo(middle, at);
      else path.moveTo(middle, at);
      isOn = true;
      if (wide >= 8) path.rect(middle - 1.5, at - 1.5, 3, 3);
      if (wide >= 8) path.moveTo(middle, at);
    }
  }
  context.strokeStyle = colours.line;
  context.lineWidth = 1.5;
  context.stroke(path);
}
