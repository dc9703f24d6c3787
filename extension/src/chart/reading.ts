// Which points of a chart are meant by a place in it, and what they are in words. Values come back from pixels, in as
// many digits as pixels have.
import type { ChartAxis, ChartPayload } from "../../../kernel/mime.ts";
import type { Mark } from "./drawing.ts";

export interface Point {
  readonly left: number;
  readonly top: number;
}

/** A series' points, in the order in which they are drawn. */
export interface Track extends Pick<Mark, "kind" | "name" | "colour" | "values"> {
  readonly points: readonly Point[];
  /** Of bars: where each ends on the right, and what it stands on. */
  readonly ends: readonly Point[];
}

export interface ReadingLine {
  readonly colour: string;
  readonly text: string;
}

export interface Reading {
  /** Where the line through the points is; `null` for a cloud, in which one point is meant. */
  readonly left: number | null;
  readonly points: readonly (Point & { readonly colour: string })[];
  readonly title: string;
  readonly lines: readonly ReadingLine[];
}

/** Pixels from a point of a cloud within which it is meant. */
const reach = 16;

/** The points of a path of absolute lines, or of bars: "M left floor V top H right V floor z". */
export function trackOf({ path, ...mark }: Mark): Track {
  if (mark.kind === "bars") {
    const bars = [...path.matchAll(/M(-?[\d.]+) (-?[\d.]+)V(-?[\d.]+)H(-?[\d.]+)/g)].map((found) =>
      found.slice(1).map(Number),
    ) as [number, number, number, number][];
    return {
      ...mark,
      points: bars.map(([left, , top]) => ({ left, top })),
      ends: bars.map(([, floor, , right]) => ({ left: right, top: floor })),
    };
  }
  const points = [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, left, top]) => ({
    left: Number(left),
    top: Number(top),
  }));
  return { ...mark, points, ends: [] };
}

/** The value at a share of an axis, in digits that a tenth of a pixel may have. */
export function valueAt({ low, high, isLogarithmic, isTime }: ChartAxis, share: number, pixels: number): string {
  if (isTime === true) return momentAt(low * (1 - share) + high * share, (high - low) / pixels);
  if (isLogarithmic) {
    const value = 10 ** (Math.log10(low) + share * (Math.log10(high) - Math.log10(low)));
    return written(Number(value.toPrecision(3)));
  }
  const value = low * (1 - share) + high * share;
  const step = (high / 2 - low / 2) / (pixels / 2);
  const power = Math.floor(Math.log10(step));
  // Rounded to the power of ten that a pixel is, in two steps where that is no number.
  const rounded = Math.abs(power) < 300 ? Math.round(value / 10 ** power) * 10 ** power : value;
  const digits = Math.max(1, Math.min(15, Math.ceil(Math.log10(Math.max(Math.abs(rounded), 10 ** power))) - power + 1));
  return written(Number(rounded.toPrecision(digits)));
}

/** Milliseconds that a moment is rounded to. */
const units = [1, 10, 100, 1e3, 5e3, 15e3, 6e4, 3e5, 9e5, 36e5, 3 * 36e5, 24 * 36e5];

/** A moment, UTC, as exactly as `step` milliseconds tell apart. */
function momentAt(value: number, step: number): string {
  const unit = units.find((each) => each >= step) ?? units.at(-1)!;
  const moment = new Date(Math.round(value / unit) * unit);
  if (Number.isNaN(moment.getTime())) return written(value);
  const [date = "", time = ""] = moment.toISOString().replace("Z", "").split("T");
  if (unit < 1e3) return `${date} ${time}`;
  const short = time.slice(0, unit < 6e4 ? 8 : 5);
  return /^[0:]*$/.test(short) ? date : `${date} ${short}`;
}

function written(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return value.toExponential().replace("e+", "e").replace(/-/g, "−");
  return value.toLocaleString("en-US", { maximumFractionDigits: 15 }).replace("-", "−");
}

/** What is meant by a place in the drawing; `null` where nothing is. */
export function readingAt(payload: ChartPayload, tracks: readonly Track[], place: Point): Reading | null {
  const { kind } = payload;
  if (kind === "points") return nearest(payload, tracks, place);
  return kind === "line" ? through(payload, tracks, place) : barAt(payload, tracks, place);
}

/** Places along x at which there are points, from the left: for keys. */
export function stopsOf(tracks: readonly Track[]): number[] {
  const places = tracks.flatMap(({ points, ends }) =>
    points.map(({ left }, at) => (ends[at] === undefined ? left : (left + ends[at].left) / 2)),
  );
  return [...new Set(places)].toSorted((a, b) => a - b);
}

const horizontal = ({ x, area }: ChartPayload, left: number): string =>
  valueAt(x, (left - area.left) / area.width, area.width);
const vertical = ({ y, area }: ChartPayload, top: number): string =>
  valueAt(y, 1 - (top - area.top) / area.height, area.height);
const named = (name: string, value: string): string => (name === "" ? value : `${name}: ${value}`);

function through(payload: ChartPayload, tracks: readonly Track[], place: Point): Reading | null {
  const lines = tracks.filter(({ points }) => points.length > 0);
  const closest = lines.map((track) => ({ track, point: closestAlong(track.points, place) }));
  const main = closest.reduce<(typeof closest)[number] | null>(
    (best, each) => (best === null || distance(each.point, place) < distance(best.point, place) ? each : best),
    null,
  );
  if (main === null) return null;
  // Lines and the dots on them are one series.
  const shown = closest.filter(
    ({ track, point }, at) =>
      Math.abs(point.left - main.point.left) < 1 &&
      closest.findIndex((each) => each.track.name === track.name && each.track.colour === track.colour) === at,
  );
  return {
    left: main.point.left,
    points: shown.map(({ track, point }) => ({ ...point, colour: track.colour })),
    title: horizontal(payload, main.point.left),
    lines: shown.map(({ track, point }) => ({
      colour: track.colour,
      text: named(track.name, vertical(payload, point.top)),
    })),
  };
}

const distance = (point: Point, place: Point): number => Math.abs(point.left - place.left);

function closestAlong(points: readonly Point[], place: Point): Point {
  let best = points[0]!;
  for (const point of points) {
    const nearer = distance(point, place) - distance(best, place);
    // Of several at one place the one that is nearer in height.
    if (nearer < 0 || (nearer === 0 && Math.abs(point.top - place.top) < Math.abs(best.top - place.top))) best = point;
  }
  return best;
}

function nearest(payload: ChartPayload, tracks: readonly Track[], place: Point): Reading | null {
  let best: { track: Track; point: Point; away: number } | null = null;
  for (const track of tracks)
    for (const point of track.points) {
      const away = Math.hypot(point.left - place.left, point.top - place.top);
      if (away <= reach && (best === null || away < best.away)) best = { track, point, away };
    }
  if (best === null) return null;
  const { track, point } = best;
  return {
    left: null,
    points: [{ ...point, colour: track.colour }],
    title: track.name,
    lines: [{ colour: track.colour, text: `x ${horizontal(payload, point.left)}, y ${vertical(payload, point.top)}` }],
  };
}

function barAt(payload: ChartPayload, tracks: readonly Track[], place: Point): Reading | null {
  const bars = tracks.flatMap((track) =>
    track.points.flatMap((point, at) => {
      const end = track.ends[at];
      return end === undefined ? [] : [{ track, point, end, value: track.values[at] ?? "" }];
    }),
  );
  const found = bars.find(({ point, end }) => place.left >= point.left && place.left < end.left + 1);
  if (found === undefined) return null;
  const middle = (found.point.left + found.end.left) / 2;
  const { categories, kind } = payload;
  const title =
    kind === "histogram"
      ? `${horizontal(payload, found.point.left)} … ${horizontal(payload, found.end.left)}`
      : (categories?.[placeOf(payload, middle)] ?? horizontal(payload, middle));
  return {
    left: null,
    points: [],
    title,
    lines: [{ colour: found.track.colour, text: named(found.track.name, found.value) }],
  };
}

/** The whole number that a bar stands at. */
function placeOf({ x, area }: ChartPayload, left: number): number {
  return Math.round(x.low + ((left - area.left) / area.width) * (x.high - x.low));
}
