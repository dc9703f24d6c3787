// Moments along an axis: dates as numbers, and which moments are marked, from years to milliseconds. All are UTC.
import type { Axis, AxisOptions, Tick } from "./axis.ts";
import { niceStep } from "./axis.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** The first Monday after 1970 began. */
const monday = 4 * day;

/** A date of ISO 8601, with or without a time and a zone; years alone are numbers, or names. */
const isoDate = /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?$/;

/** A moment that is none: a date that was made of nonsense has no place. */
function momentOf(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime();
  if (typeof value === "string") {
    if (!isoDate.test(value)) return undefined;
    const text = value.replace(" ", "T");
    // JavaScript takes times without a zone for those of this machine.
    const moment = Date.parse(text.length > 10 && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text);
    return Number.isNaN(moment) ? undefined : moment;
  }
  const { epochMilliseconds } = Object(value) as { epochMilliseconds?: unknown };
  return typeof epochMilliseconds === "number" ? epochMilliseconds : undefined;
}

/** Milliseconds since 1970 of dates, texts of ISO 8601, or moments of `Temporal`; `null` where not all are. */
export function momentsOf(values: unknown): Float64Array | null {
  if (!Array.isArray(values) || values.length === 0) return null;
  const found = Float64Array.from(values, (value) => momentOf(value) ?? Infinity);
  return found.includes(Infinity) ? null : found;
}

/** {@link momentsOf} of one value. */
export const momentFor = (value: unknown): number | undefined =>
  typeof value === "string" ? undefined : momentOf(value);

/** Steps between marks: of one length, … */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 15, 30].map((count) => count * minute),
  ...[1, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7].map((count) => count * day),
];
/** … and months, which have several. */
const months = [1, 3, 6];
const ofMonth = 30.44 * day;
const ofYear = 12 * ofMonth;

/** The axis for moments from `least` to `most`; both infinite, the wrong way round, where there are none. */
export function timeAxis(least: number, most: number, { marks, range, margin }: AxisOptions): Axis {
  const room = least < most ? (most - least) * margin : day / 2;
  const [low, high] = range ?? (least > most ? [0, day] : [least - room, most + room]);
  return {
    low,
    high,
    isLogarithmic: false,
    ...marksOf(low, high, (high - low) / marks),
    shareOf: (value) => (value - low) / (high - low),
  };
}

function marksOf(low: number, high: number, distance: number): Pick<Axis, "ticks" | "offset"> {
  const step = steps.find((each) => each >= distance);
  if (step !== undefined) return evenly(low, high, step);
  const count = months.find((each) => each * ofMonth >= distance) ?? 12 * Math.max(1, niceStep(distance / ofYear));
  const ticks: Tick[] = [];
  const first = new Date(low);
  const from = 12 * first.getUTCFullYear() + first.getUTCMonth();
  for (let month = Math.ceil(from / count) * count; ticks.length < 100; month += count) {
    const moment = new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1);
    if (!(moment <= high)) break;
    if (moment >= low) ticks.push({ value: moment, text: count < 12 ? written(moment, "month") : yearOf(moment) });
  }
  return { ticks, offset: "" };
}

function evenly(low: number, high: number, step: number): Pick<Axis, "ticks" | "offset"> {
  const origin = step === 7 * day ? monday : 0;
  const [first, last] = [Math.ceil((low - origin) / step), Math.floor((high - origin) / step)];
  const moments = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => origin + (first + at) * step);
  const isWithin = (unit: "year" | "date") =>
    moments.length > 0 && written(moments[0]!, unit) === written(moments.at(-1)!, unit);
  if (step >= day) {
    const isOneYear = isWithin("year");
    return {
      ticks: moments.map((value) => ({ value, text: written(value, isOneYear ? "day" : "date") })),
      offset: isOneYear ? yearOf(moments[0]!) : "",
    };
  }
  const isOneDay = isWithin("date");
  const unit = step >= minute ? "minute" : step >= second ? "second" : "millisecond";
  return {
    ticks: moments.map((value) => ({ value, text: written(value, !isOneDay && value % day === 0 ? "day" : unit) })),
    offset: isOneDay ? written(moments[0]!, "date") : "",
  };
}

const yearOf = (moment: number): string => String(new Date(moment).getUTCFullYear());

const formats = {
  year: { year: "numeric" },
  month: { month: "short", year: "numeric" },
  date: { day: "numeric", month: "short", year: "numeric" },
  day: { day: "numeric", month: "short" },
} as const;

/** A moment in as much as is asked for. */
function written(moment: number, unit: keyof typeof formats | "minute" | "second" | "millisecond"): string {
  const iso = new Date(moment).toISOString();
  const time = iso.slice(iso.indexOf("T") + 1);
  if (unit === "minute") return time.slice(0, 5);
  if (unit === "second") return time.slice(0, 8);
  if (unit === "millisecond") return time.slice(3, 12);
  return new Date(moment).toLocaleDateString("en-GB", { ...formats[unit], timeZone: "UTC" });
}
