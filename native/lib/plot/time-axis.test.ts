// Moments that are marked, at every scale, and what is a date.
import { expect, test } from "vitest";
import { momentsOf, timeAxis } from "./time-axis.ts";

const axis = (from: string, to: string, marks = 6) =>
  timeAxis(Date.parse(from), Date.parse(to), {
    marks,
    isLogarithmic: false,
    range: undefined,
    margin: 0,
    hasZero: false,
    isWhole: false,
  });
const marks = (from: string, to: string, count?: number) => {
  const { ticks, offset } = axis(from, to, count);
  return [ticks.map(({ text }) => text).join(", "), offset];
};

test("marks are round moments, and say what they share once", () => {
  expect(marks("2000-05-01", "2024-06-01")).toEqual(["2005, 2010, 2015, 2020", ""]);
  expect(marks("1600-01-01", "2024-06-01")).toEqual(["1600, 1700, 1800, 1900, 2000", ""]);
  expect(marks("2022-11-15", "2024-02-15")).toEqual(["Jan 2023, Apr 2023, Jul 2023, Oct 2023, Jan 2024", ""]);
  expect(marks("2024-01-01", "2024-04-02")).toEqual(["Jan 2024, Feb 2024, Mar 2024, Apr 2024", ""]);
  expect(marks("2024-03-01", "2024-03-31")).toEqual(["4 Mar, 11 Mar, 18 Mar, 25 Mar", "2024"]);
  expect(marks("2023-12-28", "2024-01-03")).toEqual([
    "28 Dec 2023, 29 Dec 2023, 30 Dec 2023, 31 Dec 2023, 1 Jan 2024, 2 Jan 2024, 3 Jan 2024",
    "",
  ]);
  expect(marks("2024-03-05T10:00Z", "2024-03-06T11:00Z")).toEqual(["12:00, 18:00, 6 Mar, 06:00", ""]);
  expect(marks("2024-03-05T10:00Z", "2024-03-05T10:40Z")).toEqual(["10:00, 10:15, 10:30", "5 Mar 2024"]);
  expect(marks("2024-03-05T10:00:58Z", "2024-03-05T10:01:10Z")).toEqual([
    "10:01:00, 10:01:02, 10:01:04, 10:01:06, 10:01:08, 10:01:10".replace(/^/, "10:00:58, "),
    "5 Mar 2024",
  ]);
  expect(marks("2024-03-05T10:00:58.100Z", "2024-03-05T10:00:58.400Z", 3)).toEqual([
    "00:58.100, 00:58.200, 00:58.300, 00:58.400",
    "5 Mar 2024",
  ]);
});

test("one moment has a day around it, none has some axis, and the ends are where they are", () => {
  const one = axis("2024-03-05", "2024-03-05");
  expect([one.high - one.low, one.shareOf(Date.parse("2024-03-05"))]).toEqual([864e5, 0.5]);
  expect(timeAxis(Infinity, -Infinity, { ...options, marks: 5 }).ticks.length).toBeGreaterThan(1);
  expect(timeAxis(0, 1, { ...options, marks: 5, range: [0, 36e5] }).high).toBe(36e5);
  const far = timeAxis(-8.64e15, 8.64e15, { ...options, marks: 5 });
  expect(far.ticks.length).toBeGreaterThan(2);
  expect(far.ticks.every(({ value }) => Number.isFinite(value))).toBe(true);
});

const options = { marks: 5, isLogarithmic: false, range: undefined, margin: 0, hasZero: false, isWhole: false };

test("dates are objects of Date, texts of ISO 8601 and moments with milliseconds; without a zone they are UTC", () => {
  const day = Date.parse("2024-03-05T00:00Z");
  expect([...momentsOf(["2024-03-05", "2024-03", "2024-03-05 14:30", "2024-03-05T14:30:15.5"])!]).toEqual([
    day,
    Date.parse("2024-03-01T00:00Z"),
    day + 870 * 60e3,
    day + 870 * 60e3 + 15_500,
  ]);
  expect([...momentsOf(["2024-03-05T14:30+02:00", "2024-03-05 14:30:00Z"])!]).toEqual([
    day + 750 * 60e3,
    day + 870 * 60e3,
  ]);
  expect([...momentsOf([new Date(day), { epochMilliseconds: 7 }, new Date(NaN)])!]).toEqual([day, 7, NaN]);
  for (const none of [
    [],
    ["2020", "2021"],
    ["a"],
    ["2024-03-05", "b"],
    [1, 2],
    ["2024-13-45"],
    [null],
    "2024-03-05",
    {},
  ])
    expect(momentsOf(none), JSON.stringify(none)).toBeNull();
});
