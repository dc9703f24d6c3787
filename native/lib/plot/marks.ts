// The lines, points and bars of a chart as SVG. Points in the thousands become one small picture.
import { pngOf } from "../tensor/png.ts";
import { channelsOf, classColour } from "./palette.ts";
import { shortNumber, type Axis } from "./axis.ts";
import { kindOf, type Figure } from "./figure.ts";
import { reduced, type Series } from "./series.ts";
import { element, short } from "./svg-text.ts";

/** Where the axes lie, in pixels. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Frame {
  readonly area: Area;
  readonly x: Axis;
  readonly y: Axis;
}

/** Points of all lines of a chart together. */
const mostPoints = 12_000;
/** Lines of fewer points show each. */
const fewPoints = 24;
/** So many points in different places are drawn one by one. */
const mostDots = 6000;
/** Marks of infinite values of a series. */
const mostArrows = 200;

/** The colour of a series: its own, or the next one of the palette. */
export const colourOf = (series: Series, at: number): string => series.colour ?? classColour(at);

export function marksOf(figure: Figure, frame: Frame): string {
  if (figure.kind === "bars") return bars(figure, frame);
  const most = Math.max(256, Math.min(2048, Math.floor(mostPoints / Math.max(1, figure.series.length))));
  const lines = figure.series.map((series, at) =>
    kindOf(figure, series) === "line" ? line(reduced(series, most), colourOf(series, at), frame) : "",
  );
  // Lines lead through points, not behind them.
  return points(figure, frame) + lines.join("");
}

const across = ({ area, x }: Frame, value: number) => area.left + x.shareOf(value) * area.width;
const down = ({ area, y }: Frame, value: number) => area.top + (1 - y.shareOf(value)) * area.height;
/** Far outside is as good as further outside, and what draws does not like it. */
const near = (pixel: number) => Math.min(1e5, Math.max(-1e5, pixel));

function line(series: Series, colour: string, frame: Frame): string {
  const { x, y } = series;
  let path = "";
  let isBroken = true;
  /** Points without a neighbour, which a line does not show, and all of a short line. */
  let dots = "";
  const places = Array.from(x, (value, at): readonly [number, number] => [across(frame, value), down(frame, y[at]!)]);
  const isSeen = (at: number) => at >= 0 && at < places.length && places[at]!.every(Number.isFinite);
  const isShort = y.length <= fewPoints;
  places.forEach(([left, top], at) => {
    if (!isSeen(at)) {
      isBroken = true;
      return;
    }
    const place = `${short(near(left))} ${short(near(top))}`;
    path += isBroken ? `M${place}` : `L${place}`;
    if (isShort || (!isSeen(at - 1) && !isSeen(at + 1))) dots += `M${place}h0`;
    isBroken = false;
  });
  const look = { fill: "none", stroke: colour, "stroke-linecap": "round", "stroke-linejoin": "round" };
  return [
    path === ""
      ? ""
      : element("path", { class: "line", "data-name": series.name, d: path, ...look, "stroke-width": 1.6 }),
    dots === ""
      ? ""
      : element("path", { class: "dots", "data-name": series.name, d: dots, ...look, "stroke-width": 5 }),
    arrows(series, colour, frame),
  ].join("");
}

/** Small triangles at the upper and the lower edge, where values are infinite. */
function arrows({ x, y }: Series, colour: string, frame: Frame): string {
  const { top, height } = frame.area;
  const places = new Set<string>();
  y.forEach((value, at) => {
    if (Number.isFinite(value) || Number.isNaN(value) || places.size >= mostArrows) return;
    const left = across(frame, x[at]!);
    if (!Number.isFinite(left)) return;
    places.add(
      value > 0
        ? `M${short(left - 4)} ${short(top + 7)}h8l-4-7z`
        : `M${short(left - 4)} ${short(top + height - 7)}h8l-4 7z`,
    );
  });
  return places.size === 0 ? "" : element("path", { d: [...places].join(""), fill: colour });
}

function bars({ series, edges }: Figure, frame: Frame): string {
  const zero = Math.min(
    frame.area.top + frame.area.height,
    Math.max(frame.area.top, down(frame, frame.y.isLogarithmic ? frame.y.low : 0)),
  );
  const floor = Number.isFinite(zero) ? zero : frame.area.top + frame.area.height;
  const step = edges === null ? distanceOf(series.flatMap(({ x }) => [...x])) : 0;
  return series
    .map((each, at) => {
      const shown = reduced(each);
      const share = 0.8 / series.length;
      let path = "";
      const drawn: number[] = [];
      shown.y.forEach((value, place) => {
        const from = shown.x[place]! + (at * share - 0.4) * step;
        const [left, right] =
          edges === null
            ? [across(frame, from), across(frame, from + share * step)]
            : [across(frame, edges[place]!), across(frame, edges[place + 1]!)];
        const top = down(frame, value);
        if (![left, right, top].every(Number.isFinite) || value === 0) return;
        // A hair of the ground between the bars of a histogram, where there is room for it.
        const hair = edges !== null && right - left > 3 ? 1 : 0;
        drawn.push(value);
        path += `M${short(near(left))} ${short(floor)}V${short(near(top))}H${short(near(Math.max(right - hair, left + 0.5)))}V${short(floor)}z`;
      });
      return path === ""
        ? ""
        : element("path", {
            class: "bars",
            "data-name": each.name,
            "data-values": drawn.map((value) => shortNumber(value, 6)).join(" "),
            d: path,
            fill: colourOf(each, at),
          });
    })
    .join("");
}

/** The least distance of two different values; 1 where there is none. */
export function distanceOf(values: readonly number[]): number {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  let least = Infinity;
  for (let at = 1; at < sorted.length; at++) {
    const distance = sorted[at]! - sorted[at - 1]!;
    if (distance > 0) least = Math.min(least, distance);
  }
  return Number.isFinite(least) ? least : 1;
}

function points(figure: Figure, frame: Frame): string {
  const { series, radius } = figure;
  const isPoints = series.map((each) => kindOf(figure, each) === "points");
  let count = 0;
  const paths = series.map(({ x, y }, index) => {
    if (!isPoints[index]) return "";
    // Points that a screen shows in one place are one.
    const places = new Set<string>();
    for (let at = 0; at < y.length && count + places.size <= mostDots; at++) {
      const [left, top] = [across(frame, x[at]!), down(frame, y[at]!)];
      if (Number.isFinite(left) && Number.isFinite(top) && isWithin(frame.area, left, top))
        places.add(`M${short(left)} ${short(top)}h0`);
    }
    count += places.size;
    return [...places].join("");
  });
  if (count > mostDots) return cloud(figure, frame);
  const opacity = count > 1500 ? 0.55 : count > 300 ? 0.7 : 0.85;
  return paths
    .map((path, at) =>
      path === ""
        ? ""
        : element("path", {
            class: "points",
            "data-name": series[at]!.name,
            d: path,
            fill: "none",
            stroke: colourOf(series[at]!, at),
            "stroke-width": 2 * radius,
            "stroke-linecap": "round",
            "stroke-opacity": String(opacity),
          }),
    )
    .join("");
}

const isWithin = ({ left, top, width, height }: Area, x: number, y: number) =>
  x >= left - 1 && x <= left + width + 1 && y >= top - 1 && y <= top + height + 1;

/** Pixels of the picture for one of the chart. */
const sharpness = 2;
const mostShades = 40;

/** A pixel has the colour of the last series there, the less transparent the more points it has. */
function cloud(figure: Figure, frame: Frame): string {
  const { series } = figure;
  const { area } = frame;
  const [width, height] = [Math.ceil(area.width * sharpness), Math.ceil(area.height * sharpness)];
  const counts = new Uint32Array(width * height);
  const owners = new Uint8Array(width * height);
  const colours = [...new Set(series.map(colourOf))];
  // By how many points share a pixel.
  const shades = Math.min(mostShades, Math.floor(255 / colours.length));
  series.forEach((each, at) => {
    if (kindOf(figure, each) !== "points") return;
    const { x, y } = each;
    const owner = colours.indexOf(colourOf(each, at));
    const paint = (column: number, row: number) => {
      if (!(column >= 0 && row >= 0 && column < width && row < height)) return;
      const place = row * width + column;
      counts[place] = counts[place]! + 1;
      owners[place] = owner;
    };
    for (let point = 0; point < y.length; point++) {
      const column = Math.round((across(frame, x[point]!) - area.left) * sharpness);
      const row = Math.round((down(frame, y[point]!) - area.top) * sharpness);
      paint(column, row);
      paint(column + 1, row);
      paint(column, row + 1);
      paint(column + 1, row + 1);
    }
  });
  const most = counts.reduce((sum, count) => Math.max(sum, count), 1);
  const bytes = Uint8Array.from(counts, (count, place) => {
    if (count === 0) return 0;
    const shade = most === 1 ? shades - 1 : Math.round((Math.log2(count) / Math.log2(most)) * (shades - 1));
    return 1 + owners[place]! * shades + shade;
  });
  const palette = colours.flatMap((colour) =>
    Array.from(
      { length: shades },
      (_, shade) => [...channelsOf(colour), Math.round(80 + (175 * shade) / (shades - 1))] as const,
    ),
  );
  const file = pngOf({
    width,
    height,
    bytes,
    channels: 1,
    palette: [[0, 0, 0, 0], ...(palette as [number, number, number, number][])],
  });
  return element("image", {
    x: area.left,
    y: area.top,
    width: width / sharpness,
    height: height / sharpness,
    href: `data:image/png;base64,${file.toString("base64")}`,
  });
}
