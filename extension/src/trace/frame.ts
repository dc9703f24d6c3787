// Draws one frame of a timeline: slices as pixels first, then names, counters and the grid, then all that is chosen
// over them.
import type { Geometry } from "./geometry.ts";
import { axisHeight, fieldOf } from "./geometry.ts";
import type { Line } from "./layout.ts";
import { firstLineBelow } from "./layout.ts";
import type { TimelineModel } from "./model.ts";
import { drawChosen } from "./chosen-drawing.ts";
import { drawAxis, drawCounter, drawEdge, drawName, groundOf, shortened } from "./line-drawing.ts";
import type { Labels, RowView } from "./row-pixels.ts";
import { newLabels, paintRow } from "./row-pixels.ts";
import { lengthOf } from "./span.ts";
import type { Theme } from "./theme.ts";

const mostLabels = 4000;
/** CSS pixels that a name needs. */
const labelWidth = 26;
/** From this height on, rows have names. */
const labelHeight = 14;

export class Frame {
  private readonly context: CanvasRenderingContext2D;
  private readonly model: TimelineModel;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  /** What the pixels show: they are painted again when it changes. */
  private painted: readonly unknown[] = [];
  private readonly labels: Labels = newLabels(mostLabels);
  /** The end of each row's labels, with its top and height. */
  private rows: { end: number; y: number; height: number }[] = [];

  constructor(canvas: HTMLCanvasElement, model: TimelineModel) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.model = model;
  }

  draw(geometry: Geometry, theme: Theme): void {
    const { context, model } = this;
    const { width, height, ratio, gutter } = geometry;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.back;
    context.fillRect(0, 0, width, axisHeight);
    context.fillRect(0, 0, gutter, height);
    this.drawPixels(geometry, theme);
    context.textBaseline = "middle";
    drawEdge(context, geometry, theme);
    this.drawLabels(geometry, theme);
    for (const line of this.linesSeen(geometry)) {
      if (line.kind === "counter") drawCounter(context, model, line, geometry, theme);
      drawName(context, model, line, geometry, theme);
    }
    drawAxis(context, model, geometry, theme);
    drawChosen(context, model, geometry, theme);
  }

  private linesSeen({ scroll, height }: Geometry): readonly Line[] {
    const { layout } = this.model;
    const from = firstLineBelow(layout, scroll);
    let to = from;
    while (to < layout.lines.length && layout.lines[to]!.y < scroll + height) to++;
    return layout.lines.slice(from, to);
  }

  private drawPixels(geometry: Geometry, theme: Theme): void {
    const { model } = this;
    const width = Math.max(1, Math.round(fieldOf(geometry) * geometry.ratio));
    const height = Math.max(1, Math.round((geometry.height - axisHeight) * geometry.ratio));
    if (this.image === null || this.image.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    const shown = [this.image, model.view, model.slices, model.matches, model.layout, geometry.scroll, theme];
    if (shown.some((part, index) => part !== this.painted[index])) this.paint(width, height, geometry, theme);
    this.painted = shown;
    this.context.putImageData(
      this.image,
      Math.round(geometry.gutter * geometry.ratio),
      Math.round(axisHeight * geometry.ratio),
    );
  }

  private paint(width: number, height: number, geometry: Geometry, theme: Theme): void {
    const { model, pixels, labels } = this;
    const { ratio, scroll } = geometry;
    const perPixel = lengthOf(model.view) / width;
    const view: RowView = {
      // Whole pixels of one grid: what is moved does not flicker.
      start: Math.round(model.view.start / perPixel) * perPixel,
      perPixel,
      palette: theme.palette,
      ground: groundOf(model, geometry, theme, width),
      matches: model.matches,
      labelWidth: labelWidth * ratio,
    };
    for (let row = 0; row < height; row++) pixels.set(view.ground, row * width);
    labels.count = 0;
    this.rows = [];
    const line = new Uint32Array(width);
    for (const track of this.linesSeen(geometry)) {
      if (track.kind !== "track") continue;
      const firstRow = model.slices.rowOfTrack[track.track]!;
      for (let depth = 0; depth * track.rowHeight < track.height; depth++) {
        const y = track.y + depth * track.rowHeight - scroll;
        const top = Math.max(0, Math.round(y * ratio));
        const bottom = Math.min(height, Math.round((y + track.rowHeight - 1) * ratio));
        if (bottom <= top) continue;
        const before = labels.count;
        paintRow(line, model.slices, firstRow + depth, view, labels);
        if (track.rowHeight < labelHeight) labels.count = before;
        pixels.set(line, top * width);
        for (let row = top + 1; row < bottom; row++) pixels.copyWithin(row * width, top * width, (top + 1) * width);
        if (labels.count > before) this.rows.push({ end: labels.count, y, height: track.rowHeight - 1 });
      }
    }
  }

  private drawLabels({ ratio, gutter, height }: Geometry, theme: Theme): void {
    const { context, model, labels, rows } = this;
    const { columns } = model.slices;
    const { names } = model.trace.payload;
    const { palette } = theme;
    context.save();
    context.beginPath();
    context.rect(gutter, axisHeight, context.canvas.width, height - axisHeight);
    context.clip();
    context.font = theme.font;
    context.textAlign = "left";
    let at = 0;
    let style = "";
    for (const row of rows) {
      const y = axisHeight + row.y + row.height / 2 + 0.5;
      for (; at < row.end; at++) {
        const from = labels.from[at]! / ratio;
        const index = labels.slice[at]!;
        const text = shortened(context, names[columns.name[index]!]!, labels.to[at]! / ratio - from - 8);
        if (text === "") continue;
        const steppedBack = model.matches !== null && model.matches.flags[index] === 0;
        const wanted = steppedBack ? theme.faint : palette.ink[columns.name[index]!]!;
        if (wanted !== style) context.fillStyle = style = wanted;
        context.fillText(text, gutter + from + 4, y);
      }
    }
    context.restore();
  }
}
