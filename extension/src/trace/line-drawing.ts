// Draws what surrounds the slices: the names of lines, the grid, the axis, counters.
import { formatBytes, formatPoint, formatTime } from "../drawing/quantity.ts";
import type { Geometry } from "./geometry.ts";
import { axisHeight, fieldOf, timeAt, xOf } from "./geometry.ts";
import type { Line } from "./layout.ts";
import type { TimelineModel } from "./model.ts";
import { lengthOf, ticksOf } from "./span.ts";
import type { Theme } from "./theme.ts";

type Context = CanvasRenderingContext2D;

/** CSS pixels between the marks of an axis, at least. */
const tickWidth = 96;

/** Widths of texts in the fonts that are used, measured once each. */
const widths = new Map<string, number>();
const mostWidths = 20_000;

function widthOf(context: Context, text: string): number {
  const key = `${context.font}\n${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size >= mostWidths) widths.clear();
  const { width } = context.measureText(text);
  widths.set(key, width);
  return width;
}

/** As much of a text as has room; nothing when that is less than three letters and the dots. */
export function shortened(context: Context, text: string, room: number): string {
  const width = widthOf(context, text);
  if (width <= room) return text;
  const letters = Math.floor((room / width) * text.length) - 1;
  return letters < 3 ? "" : `${text.slice(0, letters)}…`;
}

const ticksIn = (model: TimelineModel, geometry: Geometry) =>
  ticksOf(model.view, Math.max(1, Math.floor(fieldOf(geometry) / tickWidth)));

/** One line of pixels, device pixels wide, with the marks of the axis; it is what lies behind slices. */
export function groundOf(model: TimelineModel, geometry: Geometry, theme: Theme, width: number): Uint32Array {
  const ground = new Uint32Array(width).fill(theme.palette.background);
  const { view } = model;
  for (const time of ticksIn(model, geometry).times) {
    const x = Math.round((Math.round(xOf(time, view, geometry)) - geometry.gutter) * geometry.ratio);
    if (x > 0) ground.fill(theme.grid, x, x + Math.max(1, Math.floor(geometry.ratio)));
  }
  return ground;
}

/** The edge between names and times; headings lie over it. */
export function drawEdge(context: Context, { gutter, height }: Geometry, theme: Theme): void {
  context.fillStyle = theme.line;
  context.fillRect(gutter - 1, axisHeight, 1, height - axisHeight);
}

/** Over all lines, which are scrolled below it. */
export function drawAxis(context: Context, model: TimelineModel, geometry: Geometry, theme: Theme): void {
  const { width, gutter } = geometry;
  const { step, times } = ticksIn(model, geometry);
  context.font = theme.font;
  context.fillStyle = theme.back;
  context.fillRect(0, 0, width, axisHeight);
  context.fillStyle = theme.line;
  context.fillRect(0, axisHeight - 1, width, 1);
  context.fillRect(gutter - 1, 0, 1, axisHeight);
  context.textAlign = "left";
  for (const time of times) {
    const x = Math.round(xOf(time, model.view, geometry));
    if (x < gutter) continue;
    context.fillStyle = theme.line;
    context.fillRect(x, axisHeight - 7, 1, 7);
    context.fillStyle = theme.faint;
    const label = formatPoint(time, step, model.view.end);
    if (x + 4 + widthOf(context, label) <= width) context.fillText(label, x + 4, axisHeight / 2 - 1);
  }
  context.fillStyle = theme.text;
  context.textAlign = "right";
  context.fillText(shortened(context, formatTime(lengthOf(model.view)), gutter - 10), gutter - 8, axisHeight / 2 - 1);
  context.textAlign = "left";
}

/** The name of a line, in the column at the left; a heading spans the whole width. */
export function drawName(context: Context, model: TimelineModel, line: Line, geometry: Geometry, theme: Theme): void {
  const y = axisHeight + line.y - geometry.scroll;
  const { gutter, width } = geometry;
  if (line.kind === "heading") return drawHeading(context, model, line, y, width, theme);
  const isTrack = line.kind === "track";
  const name = isTrack ? model.trace.payload.tracks[line.track]!.name : model.counters[line.counter]!.counter.name;
  const rowHeight = isTrack ? line.rowHeight : 15;
  context.fillStyle = theme.back;
  context.fillRect(0, y, gutter - 1, line.height);
  context.font = theme.font;
  context.fillStyle = theme.text;
  context.fillText(shortened(context, name, gutter - 22), 16, y + rowHeight / 2 + 0.5);
  if (!isTrack) {
    context.fillStyle = theme.faint;
    context.fillText(
      shortened(context, `to ${formatBytes(model.counters[line.counter]!.most)}`, gutter - 22),
      16,
      y + 15 + rowHeight / 2,
    );
  }
}

function drawHeading(
  context: Context,
  model: TimelineModel,
  { group, height }: Line,
  y: number,
  width: number,
  theme: Theme,
): void {
  const { title, detail } = model.groups[group]!;
  const middle = y + height / 2 + 0.5;
  context.fillStyle = theme.heading;
  context.fillRect(0, y, width, height);
  context.fillStyle = theme.text;
  context.beginPath();
  const corners = model.isOpen(group)
    ? [
        [4, -2],
        [12, -2],
        [8, 3],
      ]
    : [
        [6, -4],
        [6, 4],
        [11, 0],
      ];
  corners.forEach(([x, by], index) =>
    index === 0 ? context.moveTo(x!, middle + by!) : context.lineTo(x!, middle + by!),
  );
  context.fill();
  context.font = theme.bold;
  context.fillText(title, 16, middle);
  const room = width - 16 - widthOf(context, title) - 20;
  const left = 16 + widthOf(context, title) + 10;
  context.font = theme.font;
  context.fillStyle = theme.faint;
  context.fillText(shortened(context, detail, room), left, middle);
}

/** A quantity as a filled line of steps, each pixel as high as the highest value in it. */
export function drawCounter(
  context: Context,
  model: TimelineModel,
  line: Line & { kind: "counter" },
  geometry: Geometry,
  theme: Theme,
): void {
  const areas = model.counters[line.counter]!;
  const { gutter, width } = geometry;
  const bottom = axisHeight + line.y + line.height - geometry.scroll;
  const room = line.height - 4;
  const heightOf = (value: number): number => (areas.most > 0 ? Math.max(0, (value / areas.most) * room) : 0);
  context.save();
  context.beginPath();
  context.rect(gutter, axisHeight, width - gutter, geometry.height - axisHeight);
  context.clip();
  context.fillStyle = theme.accent;
  // Pixels of the same height are one rectangle.
  let from = gutter;
  let height = 0;
  const close = (x: number): void => {
    if (height <= 0 || x <= from) return;
    context.globalAlpha = 0.28;
    context.fillRect(from, bottom - height, x - from, height);
    context.globalAlpha = 1;
    context.fillRect(from, bottom - height - 0.5, x - from, 1);
  };
  let at = areas.lastAt(timeAt(gutter, model.view, geometry));
  for (let x = gutter; x < width; x++) {
    const next = areas.lastAt(timeAt(x + 1, model.view, geometry), Math.max(0, at));
    const now = next < 0 ? 0 : heightOf(areas.mostBetween(Math.max(0, at), next));
    at = next;
    if (now === height) continue;
    close(x);
    from = x;
    height = now;
  }
  close(width);
  context.restore();
}
