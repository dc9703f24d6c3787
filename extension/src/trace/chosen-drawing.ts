// Draws over a timeline what is chosen of it: slices, what they follow from and what follows from them, marks, a span
// of time.
import { formatTime } from "../drawing/quantity.ts";
import type { Geometry } from "./geometry.ts";
import { axisHeight, xOf } from "./geometry.ts";
import type { TimelineModel } from "./model.ts";
import type { Span } from "./span.ts";
import { lengthOf } from "./span.ts";
import type { Theme } from "./theme.ts";

type Context = CanvasRenderingContext2D;

/** Of one slice: more arrows than that are no longer told apart. */
const mostArrows = 200;
/** From effect to cause, and on. */
const mostCauses = 8;

export function drawChosen(context: Context, model: TimelineModel, geometry: Geometry, theme: Theme): void {
  const { width, height, gutter } = geometry;
  context.save();
  context.beginPath();
  context.rect(gutter, 0, width - gutter, height);
  context.clip();
  for (const mark of model.marks) drawSpan(context, model, mark, geometry, theme, theme.faint);
  if (model.range) drawSpan(context, model, model.range, geometry, theme, theme.accent);
  context.beginPath();
  context.rect(gutter, axisHeight, width - gutter, height - axisHeight);
  context.clip();
  const chosen = model.hovered ?? model.selected;
  if (chosen !== null) drawArrows(context, model, chosen, geometry, theme);
  if (model.hovered !== null) drawFrame(context, model, model.hovered, geometry, theme, 1);
  if (model.selected !== null) drawFrame(context, model, model.selected, geometry, theme, 2);
  context.restore();
}

/** A span with its length on the axis. */
function drawSpan(
  context: Context,
  model: TimelineModel,
  span: Span,
  geometry: Geometry,
  theme: Theme,
  colour: string,
): void {
  const from = xOf(span.start, model.view, geometry);
  const to = Math.max(from + 1, xOf(span.end, model.view, geometry));
  if (to < geometry.gutter || from > geometry.width) return;
  const left = Math.max(from, geometry.gutter - 2);
  const right = Math.min(to, geometry.width + 2);
  context.fillStyle = colour;
  context.globalAlpha = 0.1;
  context.fillRect(left, axisHeight, right - left, geometry.height - axisHeight);
  context.globalAlpha = 1;
  context.fillRect(left, axisHeight - 3, right - left, 3);
  context.fillRect(from, axisHeight, 1, geometry.height - axisHeight);
  context.fillRect(to - 1, axisHeight, 1, geometry.height - axisHeight);
  const label = formatTime(lengthOf(span));
  context.font = theme.bold;
  const room = context.measureText(label).width + 12;
  const x = Math.min(Math.max((left + right - room) / 2, geometry.gutter + 2), geometry.width - room - 2);
  const y = geometry.height - 22;
  context.fillStyle = theme.back;
  context.fillRect(x, y, room, 18);
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, room - 1, 17);
  context.fillStyle = theme.text;
  context.textAlign = "left";
  context.fillText(label, x + 6, y + 9.5);
}

/** Ink inside paper: seen on every colour. */
function drawFrame(
  context: Context,
  model: TimelineModel,
  index: number,
  geometry: Geometry,
  theme: Theme,
  weight: number,
): void {
  const { y, height } = model.placeOf(index);
  const { start, end } = model.slices.spanOf(index);
  const from = Math.max(xOf(start, model.view, geometry), -10);
  const to = Math.min(Math.max(from + 2, xOf(end, model.view, geometry)), geometry.width + 10);
  const top = axisHeight + y - geometry.scroll;
  context.lineWidth = weight + 2;
  context.strokeStyle = theme.back;
  context.strokeRect(from, top, to - from, height - 1);
  context.lineWidth = weight;
  context.strokeStyle = theme.text;
  context.strokeRect(from, top, to - from, height - 1);
}

function drawArrows(context: Context, model: TimelineModel, index: number, geometry: Geometry, theme: Theme): void {
  const { slices } = model;
  const arrows: [from: number, to: number][] = [...slices.effectsOf(index, mostArrows).items].map((effect) => [
    index,
    effect,
  ]);
  let to = index;
  for (let steps = 0; steps < mostCauses; steps++) {
    const from = slices.causeOf(to);
    if (from === null) break;
    arrows.push([from, to]);
    to = from;
  }
  for (const [colour, weight] of [
    [theme.back, 4],
    [theme.text, 1.5],
  ] as const) {
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = weight;
    for (const [from, effect] of arrows)
      drawArrow(context, pointOf(model, from, effect, geometry), pointOf(model, effect, effect, geometry), weight);
  }
}

/**
 * Where an arrow touches a slice: at its start when the arrow ends there, else at its end or, if that is later than the
 * effect's start, at the effect's start.
 */
function pointOf(model: TimelineModel, index: number, effect: number, geometry: Geometry): { x: number; y: number } {
  const { y, height } = model.placeOf(index);
  const { start, end } = model.slices.spanOf(index);
  const time = index === effect ? start : Math.max(start, Math.min(end, model.slices.columns.start[effect]!));
  // Far outside, a curve of a canvas is lost to rounding.
  const x = Math.min(Math.max(xOf(time, model.view, geometry), -2000), geometry.width + 2000);
  return { x, y: axisHeight + y + height / 2 - geometry.scroll };
}

function drawArrow(
  context: Context,
  from: { x: number; y: number },
  to: { x: number; y: number },
  weight: number,
): void {
  const bend = Math.min(60, Math.max(14, Math.abs(to.x - from.x) / 2));
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x - 1, to.y);
  context.stroke();
  const size = 3.5 + weight;
  context.beginPath();
  context.moveTo(to.x, to.y);
  context.lineTo(to.x - size, to.y - size * 0.6);
  context.lineTo(to.x - size, to.y + size * 0.6);
  context.fill();
}
