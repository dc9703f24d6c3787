// Draws a roofline as SVG: axes in powers of ten, ceilings with their names, a dot per kernel, and the names of the
// largest.
import { formatPower, formatRate } from "../drawing/quantity.ts";
import { shownText } from "../drawing/shown-text.ts";
import { svg } from "../drawing/svg.ts";
import type { Point, Roof } from "./roof.ts";
import { radiusOf, ticksOf } from "./roof.ts";

export interface Placed {
  readonly point: Point;
  readonly x: number;
  readonly y: number;
  readonly node: SVGElement;
}

export interface Plot {
  readonly node: SVGSVGElement;
  /** In the order of the roof's points. */
  readonly placed: readonly Placed[];
  /** A ring that is laid around one dot. */
  readonly ring: SVGElement;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const margin = { left: 52, right: 14, top: 12, bottom: 38 };
/** Of a character of the labels, in pixels, about: SVG tells only what is in the page. */
const character = 6.2;
const line = 13;
/** Labels keep off the largest dots; among more than these there would be no room for any. */
const mostAvoided = 40;
let clips = 0;

/** `width` in pixels; the height follows. */
export function drawRoof(roof: Roof, width: number): Plot {
  const height = Math.round(Math.min(400, Math.max(230, width * 0.55)));
  const area: Box = { left: margin.left, right: width - margin.right, top: margin.top, bottom: height - margin.bottom };
  const x = (value: number) =>
    area.left + ((Math.log10(value) - roof.across[0]) / (roof.across[1] - roof.across[0])) * (area.right - area.left);
  const y = (value: number) =>
    area.bottom - ((Math.log10(value) - roof.up[0]) / (roof.up[1] - roof.up[0])) * (area.bottom - area.top);
  const taken: Box[] = [];
  const clip = `warpcell-roofline-clip-${++clips}`;
  const placed = roof.points.map((point) => {
    const at = { x: x(point.intensity), y: y(point.rate) };
    return {
      point,
      ...at,
      node: svg("circle", { class: "warpcell-roofline-dot", cx: at.x, cy: at.y, r: radiusOf(point) }),
    };
  });
  const dots = placed.slice(0, mostAvoided).map(({ point, x: left, y: top }) => around(left, top, radiusOf(point)));
  const ceilings = [...ceilingNodes(roof, area, x, y, taken, dots)];
  const ring = svg("circle", { class: "warpcell-roofline-ring", r: 0 });
  const node = svg(
    "svg",
    { class: "warpcell-roofline-plot", width, height, viewBox: `0 0 ${width} ${height}` },
    svg(
      "defs",
      {},
      svg(
        "clipPath",
        { id: clip },
        svg("rect", { x: area.left, y: area.top, width: area.right - area.left, height: area.bottom - area.top }),
      ),
    ),
    ...axisNodes(roof, area, x, y),
    svg("g", { "clip-path": `url(#${clip})` }, ...ceilings.map(({ line }) => line)),
    ...ceilings.flatMap(({ label }) => label ?? []),
    ...placed.map(({ node }) => node),
    ...dotLabels(placed, area, taken, dots),
    ring,
  );
  return { node, placed, ring };
}

type Scale = (value: number) => number;

function* axisNodes(roof: Roof, area: Box, x: Scale, y: Scale): Generator<SVGElement> {
  for (const power of ticksOf(roof.across, (area.right - area.left) / 70)) {
    const at = x(10 ** power);
    yield svg("line", { class: "warpcell-roofline-grid", x1: at, x2: at, y1: area.top, y2: area.bottom });
    yield svg(
      "text",
      { class: "warpcell-roofline-tick", x: at, y: area.bottom + 15, "text-anchor": "middle" },
      formatPower(power),
    );
  }
  for (const power of ticksOf(roof.up, (area.bottom - area.top) / 36)) {
    const at = y(10 ** power);
    yield svg("line", { class: "warpcell-roofline-grid", x1: area.left, x2: area.right, y1: at, y2: at });
    yield svg(
      "text",
      { class: "warpcell-roofline-tick", x: area.left - 6, y: at + 4, "text-anchor": "end" },
      formatPower(power),
    );
  }
  yield svg(
    "text",
    { class: "warpcell-roofline-axis", x: (area.left + area.right) / 2, y: area.bottom + 32, "text-anchor": "middle" },
    "operations per byte",
  );
  const middle = (area.top + area.bottom) / 2;
  yield svg(
    "text",
    {
      class: "warpcell-roofline-axis",
      x: 11,
      y: middle,
      "text-anchor": "middle",
      transform: `rotate(-90 11 ${middle})`,
    },
    "operations per second",
  );
}

interface CeilingNodes {
  line: SVGElement;
  label: SVGElement | null;
}

function* ceilingNodes(
  { copy, products, across }: Roof,
  area: Box,
  x: Scale,
  y: Scale,
  taken: Box[],
  dots: readonly Box[],
): Generator<CeilingNodes> {
  const fastest = products[0]?.rate;
  if (copy !== null) {
    const end = fastest === undefined ? 10 ** across[1] : Math.min(fastest / copy, 10 ** across[1]);
    const from = { x: area.left, y: y(copy * 10 ** across[0]) };
    const to = { x: x(end), y: y(copy * end) };
    yield {
      line: svg("line", { class: "warpcell-roofline-ceiling", x1: from.x, y1: from.y, x2: to.x, y2: to.y }),
      label: slopeLabel(`copy ${formatRate(copy, "B/s")}`, from, to, area, taken),
    };
  }
  for (const { dtype, rate } of products) {
    const start = copy === null ? area.left : Math.max(area.left, x(rate / copy));
    const label = endLabel(`${shownText(dtype, 16)} ${formatRate(rate, "FLOP/s")}`, y(rate), start, area, taken, dots);
    yield {
      line: svg("line", { class: "warpcell-roofline-ceiling", x1: start, x2: area.right, y1: y(rate), y2: y(rate) }),
      label,
    };
  }
}

/** Along the diagonal, above it, in the middle of what is seen of it; none where it is too short. */
function slopeLabel(
  text: string,
  from: { x: number; y: number },
  to: { x: number; y: number },
  area: Box,
  taken: Box[],
): SVGElement | null {
  const slope = (to.y - from.y) / (to.x - from.x);
  const seenFrom = Math.max(area.left, from.y > area.bottom ? from.x + (area.bottom - from.y) / slope : from.x);
  const seenTo = Math.min(area.right, to.y < area.top ? from.x + (area.top - from.y) / slope : to.x);
  const length = Math.hypot(seenTo - seenFrom, slope * (seenTo - seenFrom));
  if (!(length > text.length * character)) return null;
  const at = { x: (seenFrom + seenTo) / 2, y: from.y + slope * ((seenFrom + seenTo) / 2 - from.x) };
  const half = (text.length * character) / 2 / Math.hypot(1, slope);
  taken.push({
    left: at.x - half,
    right: at.x + half,
    top: at.y - Math.abs(slope) * half - line,
    bottom: at.y + Math.abs(slope) * half,
  });
  const degrees = (Math.atan(slope) * 180) / Math.PI;
  return svg(
    "text",
    {
      class: "warpcell-roofline-label",
      x: at.x,
      y: at.y,
      dy: -6,
      "text-anchor": "middle",
      transform: `rotate(${degrees} ${at.x} ${at.y})`,
    },
    text,
  );
}

/** At the right end of a horizontal, above it or, where another is in the way, below it; none where neither fits. */
function endLabel(
  text: string,
  at: number,
  start: number,
  area: Box,
  taken: Box[],
  dots: readonly Box[],
): SVGElement | null {
  const width = text.length * character;
  const right = area.right - 4;
  // Where the line itself is shorter, the text may begin before it: it stands above the roof.
  const left = Math.max(area.left, right - width);
  if (right - left < width - 1 || start > right) return null;
  for (const bottom of [at - 3, at + line + 1]) {
    const box = { left, right, top: bottom - line, bottom };
    if (box.top < area.top - line || !isFree(box, taken) || !isFree(box, dots)) continue;
    taken.push(box);
    return svg("text", { class: "warpcell-roofline-label", x: right, y: bottom - 2, "text-anchor": "end" }, text);
  }
  return null;
}

const around = (x: number, y: number, radius: number): Box => ({
  left: x - radius,
  right: x + radius,
  top: y - radius,
  bottom: y + radius,
});
const isFree = (box: Box, taken: readonly Box[]) =>
  taken.every(
    (other) => box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom,
  );

/** Names beside the largest dots, as long as none is in the way of another. */
function* dotLabels(placed: readonly Placed[], area: Box, taken: Box[], dots: readonly Box[]): Generator<SVGElement> {
  for (const [index, { point, x, y }] of placed.slice(0, 8).entries()) {
    const text = shortName(point);
    const width = text.length * character;
    const gap = radiusOf(point) + 4;
    const others = dots.filter((_dot, other) => other !== index);
    const sides = [
      { left: x + gap, anchor: "start" },
      { left: x - gap - width, anchor: "end" },
    ] as const;
    for (const { left, anchor } of sides) {
      const box = { left, right: left + width, top: y - line / 2, bottom: y + line / 2 };
      if (box.left < area.left || box.right > area.right || !isFree(box, taken) || !isFree(box, others)) continue;
      taken.push(box);
      yield svg(
        "text",
        { class: "warpcell-roofline-name", x: anchor === "start" ? x + gap : x - gap, y: y + 4, "text-anchor": anchor },
        text,
      );
      break;
    }
  }
}

/** The operation, or the kernel without its template's arguments. */
function shortName({ row }: Point): string {
  return shownText(row.kernel.operation ?? row.name.replace(/[<(].*/, ""), 24) || shownText(row.name, 24);
}
