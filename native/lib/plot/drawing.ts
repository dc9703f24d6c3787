// Draws a chart as an SVG file that shows anywhere, on light and on dark: title, legend, axes with their marks, what
// the points are, and what is missing.
import { axisOf, shortNumber, type Axis } from "./axis.ts";
import { kindOf, legendOf, type Figure } from "./figure.ts";
import { timeAxis } from "./time-axis.ts";
import { colourOf, distanceOf, marksOf, type Area } from "./marks.ts";
import { fitted, element, short, textElement, widthOf } from "./svg-text.ts";

/** Reads on white and on black alike; front ends that know the page's colours go by the classes. */
const ink = "#757575";
const lines = "#8080804d";
const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";
const size = 12;
const row = 18;
const barRoom = 64;
const edge = 10;

export interface Drawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  readonly area: Area;
  readonly x: Axis;
  readonly y: Axis;
}

export function drawingOf(figure: Figure): Drawing {
  const { options } = figure;
  const [width, height] = [options.width ?? 640, options.height ?? (figure.isSquare ? 400 : 320)];
  const head = headOf(figure, width);
  const notes = notesOf(figure);
  const below = row + 4 + (options.xLabel === undefined ? 0 : row) + (notes === "" ? 0 : row);
  const top = head.height + edge;
  const tall = Math.max(20, height - top - below - 4);
  const y = yAxis(figure, tall);
  const marked = Math.max(0, ...y.ticks.map(({ text }) => widthOf(text, size)), 0);
  const left = Math.ceil(edge + (options.yLabel === undefined ? 0 : row) + marked + 6);
  const wide = Math.max(20, width - left - edge - 6 - (figure.grades === null ? 0 : barRoom));
  const area: Area = { left, top, width: wide, height: tall };
  const [x, squareY] = squared(figure, area, xAxis(figure, wide), y);
  const frame = { area, x, y: squareY };
  const clip = `chart-${[width, height, left, top].map(short).join("-")}`;
  const content = [
    element("title", {}, escapedTitle(figure)),
    element("clipPath", { id: clip }, element("rect", { x: left - 3, y: top - 3, width: wide + 6, height: tall + 6 })),
    head.svg,
    grid(frame.y, area),
    element("g", { class: "marks", "clip-path": `url(#${clip})` }, marksOf(figure, frame)),
    frameLines(figure, frame),
    labels(figure, area, notes, height),
    figure.grades === null ? "" : colourBar(figure.grades, area, width),
  ].join("");
  const svg = element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${short(width)} ${short(height)}`,
      width,
      height,
      role: "img",
      "font-family": font,
      "font-size": size,
      fill: ink,
    },
    content,
  );
  return { svg, width, height, ...frame };
}

const escapedTitle = ({ options, series }: Figure): string =>
  textElement(
    {},
    options.title ??
      `Chart${
        series.some(({ name }) => name !== "")
          ? ` of ${series
              .map(({ name }) => name)
              .filter(Boolean)
              .slice(0, 10)
              .join(", ")}`
          : ""
      }`,
  ).replace(/^<text>|<\/text>$/g, "");

/** The title and, in rows below, the legend. */
function headOf(figure: Figure, width: number): { svg: string; height: number } {
  const parts: string[] = [];
  let height = 4;
  if (figure.options.title !== undefined) {
    parts.push(
      textElement(
        { class: "title", x: edge, y: height + 15, "font-size": 15, "font-weight": 600 },
        fitted(figure.options.title, 15.5, width - 2 * edge),
      ),
    );
    height += 24;
  }
  const legend = legendOf(figure);
  if (legend.length === 0) return { svg: parts.join(""), height };
  let left = edge;
  height += 2;
  for (const each of legend.slice(0, 40)) {
    const text = fitted(each.name, size, width - 2 * edge - 20);
    const room = 16 + widthOf(text, size) + 14;
    if (left > edge && left + room > width - edge) {
      left = edge;
      height += row;
    }
    const colour = colourOf(each, figure.series.indexOf(each));
    parts.push(
      element(
        "rect",
        kindOf(figure, each) === "line"
          ? { x: left, y: height + 4.5, width: 12, height: 3, rx: 1.5, fill: colour }
          : { x: left + 1, y: height + 1, width: 10, height: 10, rx: figure.kind === "bars" ? 2 : 5, fill: colour },
      ),
      textElement({ class: "legend", x: left + 17, y: height + 10 }, text),
    );
    left += room;
  }
  return { svg: parts.join(""), height: height + row };
}

interface Extent {
  least: number;
  most: number;
}

function extentOf(all: readonly ArrayLike<number>[], isLogarithmic: boolean): Extent {
  let [least, most] = [Infinity, -Infinity];
  const floor = isLogarithmic ? 0 : -Infinity;
  for (const values of all)
    for (let at = 0; at < values.length; at++) {
      const value = values[at]!;
      // NaN is neither.
      if (!(value > floor && value < Infinity)) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  return { least, most };
}

const valuesOf = ({ series }: Figure, which: "x" | "y") => series.map((each) => each[which]);

function xAxis(figure: Figure, width: number): Axis {
  const { kind, options, edges, categories, series } = figure;
  const isLogarithmic = options.logX ?? false;
  const { least, most } = extentOf(edges === null ? valuesOf(figure, "x") : [edges], isLogarithmic);
  // Bars stand around their values.
  const half = kind === "bars" && edges === null ? distanceOf(series.flatMap(({ x }) => [...x])) / 2 : 0;
  const ends: Extent = isLogarithmic ? { least, most } : { least: least - half, most: most + half };
  const isWhole = figure.isNumbered || categories !== null;
  const make = figure.isTime && !isLogarithmic ? timeAxis : axisOf;
  const axis = make(ends.least, ends.most, {
    marks: Math.max(2, width / 90),
    isLogarithmic,
    range: options.xRange,
    margin: kind === "points" ? 0.04 : 0,
    hasZero: false,
    isWhole,
  });
  if (categories === null) return axis;
  const room = width / Math.max(1, categories.length);
  const every = Math.max(1, Math.ceil(24 / room));
  return {
    ...axis,
    ticks: categories.flatMap((name, value) =>
      value % every === 0 ? [{ value, text: fitted(name, size, Math.max(room * every - 4, 20)) }] : [],
    ),
  };
}

function yAxis(figure: Figure, height: number): Axis {
  const { kind, options } = figure;
  const isLogarithmic = options.logY ?? false;
  const { least, most } = extentOf(valuesOf(figure, "y"), isLogarithmic);
  return axisOf(least, most, {
    marks: Math.max(2, height / 45),
    isLogarithmic,
    range: options.yRange,
    margin: 0.05,
    hasZero: kind === "bars" && !isLogarithmic,
    isWhole: figure.edges !== null,
  });
}

/** One scale for both axes, where they are asked for: the axis with room to spare goes on at both ends. */
function squared(figure: Figure, area: Area, x: Axis, y: Axis): [Axis, Axis] {
  const { options } = figure;
  if (!figure.isSquare || x.isLogarithmic || y.isLogarithmic || options.xRange || options.yRange) return [x, y];
  const [across, down] = [(x.high - x.low) / area.width, (y.high - y.low) / area.height];
  // Of quantities that have little to do with each other, one would be a line.
  if (!(Math.max(across, down) / Math.min(across, down) < 4)) return [x, y];
  const each = Math.max(across, down);
  const stretched = (axis: Axis, pixels: number) => {
    const [middle, half] = [(axis.low + axis.high) / 2, (each * pixels) / 2];
    return axisOf(0, 0, {
      marks: Math.max(2, pixels / (axis === x ? 90 : 45)),
      isLogarithmic: false,
      range: [middle - half, middle + half],
      margin: 0,
      hasZero: false,
      isWhole: false,
    });
  };
  return [stretched(x, area.width), stretched(y, area.height)];
}

function grid(y: Axis, { left, top, width, height }: Area): string {
  const path = y.ticks
    .map(({ value }) => `M${short(left)} ${short(top + (1 - y.shareOf(value)) * height)}h${short(width)}`)
    .join("");
  return path === "" ? "" : element("path", { class: "grid", d: path, fill: "none", stroke: lines, "stroke-width": 1 });
}

/** The lower line, the marks, and their words. */
function frameLines({ kind }: Figure, { area, x, y }: { area: Area; x: Axis; y: Axis }): string {
  const { left, top, width, height } = area;
  const bottom = top + height;
  let path = `M${short(left)} ${short(bottom)}h${short(width)}`;
  const parts: string[] = [];
  let end = -Infinity;
  for (const { value, text } of x.ticks) {
    const at = left + x.shareOf(value) * width;
    path += `M${short(at)} ${short(bottom)}v4`;
    const half = widthOf(text, size) / 2;
    if (at - half < end + 4) continue;
    end = at + half;
    parts.push(textElement({ class: "mark", x: at, y: bottom + 17, "text-anchor": "middle" }, text));
  }
  for (const { value, text } of y.ticks)
    parts.push(
      textElement(
        { class: "mark", x: left - 6, y: top + (1 - y.shareOf(value)) * height + 4, "text-anchor": "end" },
        text,
      ),
    );
  // What stands on zero shows where it is.
  const zero =
    kind === "bars" && y.low < 0 && y.high > 0 && !y.isLogarithmic ? top + (1 - y.shareOf(0)) * height : null;
  if (zero !== null) path += `M${short(left)} ${short(zero)}h${short(width)}`;
  if (y.offset !== "") parts.push(textElement({ class: "mark", x: left, y: top - 4 }, y.offset));
  if (x.offset !== "")
    parts.push(textElement({ class: "mark", x: left + width, y: bottom - 5, "text-anchor": "end" }, x.offset));
  return [element("path", { class: "axis", d: path, fill: "none", stroke: ink, "stroke-width": 1 }), ...parts].join("");
}

function labels({ options }: Figure, { left, top, width, height }: Area, notes: string, total: number): string {
  const parts: string[] = [];
  if (options.xLabel !== undefined)
    parts.push(
      textElement(
        { class: "label", x: left + width / 2, y: top + height + 17 + row, "text-anchor": "middle" },
        fitted(options.xLabel, size, width),
      ),
    );
  if (options.yLabel !== undefined) {
    const at = `${short(edge + 8)} ${short(top + height / 2)}`;
    parts.push(
      textElement(
        { class: "label", "text-anchor": "middle", transform: `translate(${at}) rotate(-90)` },
        fitted(options.yLabel, size, height),
      ),
    );
  }
  if (notes !== "")
    parts.push(
      textElement(
        { class: "note", x: left + width, y: total - 6, "text-anchor": "end", "font-size": 11 },
        fitted(notes, 11, left + width - edge),
      ),
    );
  return parts.join("");
}

/** What has no place on the axes. */
function notesOf({ series, options, notes }: Figure): string {
  const sum = (field: "nan" | "infinite") => series.reduce((total, each) => total + each[field], 0);
  const [nan, infinite] = [sum("nan"), sum("infinite")];
  let below = 0;
  for (const { x, y } of options.logX || options.logY ? series : [])
    for (let at = 0; at < y.length; at++) if ((options.logX && x[at]! <= 0) || (options.logY && y[at]! <= 0)) below++;
  const count = (number: number) => number.toLocaleString("en-US");
  return [
    ...(nan > 0 ? [`${count(nan)} NaN`] : []),
    ...(infinite > 0 ? [`${count(infinite)} infinite`] : []),
    ...(below > 0 ? [`${count(below)} not above 0, so not on the logarithmic axis`] : []),
    ...notes,
  ].join(", ");
}

function colourBar({ low, high, colours }: NonNullable<Figure["grades"]>, area: Area, width: number): string {
  const left = width - barRoom + 2;
  const each = area.height / colours.length;
  const steps = colours.map((colour, at) =>
    element("rect", {
      x: left,
      y: area.top + area.height - (at + 1) * each,
      width: 10,
      // No seams where a step ends within a pixel.
      height: each + (at === 0 ? 0 : 0.5),
      fill: colour,
    }),
  );
  const mark = (value: number, y: number) =>
    textElement({ class: "mark", x: left + 14, y }, fitted(shortNumber(value, 3), size, barRoom - 16));
  return [...steps, mark(high, area.top + 9), mark(low, area.top + area.height)].join("");
}
