// A chart as a few lines of text, for terminals and for readers who hear: each series with a line of braille dots.
import { shortNumber } from "./axis.ts";
import { counted } from "../figures.ts";
import { legendOf, type Figure } from "./figure.ts";
import type { Places, Series } from "./series.ts";

const letters = 24;
const mostSeries = 8;

export function summaryOf(figure: Figure): string {
  const { series, kind, edges, options } = figure;
  const total = series.reduce((sum, each) => sum + each.total, 0);
  const noun = edges !== null ? "bin" : kind === "bars" ? "bar" : "point";
  if (total === 0) return `${options.title ?? "Chart"}: no ${noun}s`;
  const head = `${options.title ?? "Chart"}: ${counted(total, noun)}`;
  const shown = series.slice(0, mostSeries);
  const more = series.length > mostSeries ? [`and ${series.length - mostSeries} more`] : [];
  if (kind === "points") {
    const classes = legendOf(figure).length === 0 ? [] : shown.map(({ name, total: own }) => `${name} ${own}`);
    return classes.length === 0 ? head : `${head}, ${[...classes, ...more].join(", ")}`;
  }
  const width = shown.reduce((most, { name }) => Math.max(most, name.length), 0);
  const rows = shown.map((each) => `${each.name.padEnd(width)}${width > 0 ? " " : ""}${rowOf(each)}`);
  return rows.length === 1 ? `${head}, ${rows[0]!}` : [head, ...rows, ...more].join("\n");
}

function rowOf({ y }: Series): string {
  const finite = Array.from(y).filter(Number.isFinite);
  if (finite.length === 0) return "no finite values";
  const [least, most] = finite.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)] as const, [
    Infinity,
    -Infinity,
  ] as const);
  const range = least === most ? shortNumber(least) : `${shortNumber(least)} … ${shortNumber(most)}`;
  return y.length < 2 ? range : `${brailleOf(y, least, most)} ${range}`;
}

/** Dots of a braille letter by column and, from below, row (Unicode 16, 8.3). */
const dots = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08],
] as const;

/** Two columns a letter, four rows: the last finite value of each column. */
function brailleOf(y: Places, least: number, most: number): string {
  const columns = Math.min(2 * letters, y.length);
  const codes = new Array<number>(Math.ceil(columns / 2)).fill(0x2800);
  for (let column = 0; column < columns; column++) {
    const from = Math.floor((column * y.length) / columns);
    const to = Math.floor(((column + 1) * y.length) / columns);
    const value = Array.from(y.slice(from, to)).findLast(Number.isFinite);
    if (value === undefined) continue;
    const share = most > least ? (value / 2 - least / 2) / (most / 2 - least / 2) : 0.5;
    codes[column >> 1]! |= dots[column % 2]![Math.min(3, Math.floor(share * 4))]!;
  }
  return String.fromCodePoint(...codes);
}
