// Progress lines: bars, counts, rates and times, cut to the columns that there are.
import { expect, test } from "vitest";
import { bar, duration, progressLine, rate, valueText } from "./progress-line.ts";

const base = { what: "", unit: "items" as const, total: 200, seconds: 10, isOver: false, values: [] };

test("a line has a bar, the count, the rate, the time that is left, and values", () => {
  const values = [["loss", "0.125"]] as const;
  expect(progressLine({ ...base, done: 50, values }, 100)).toBe(
    " 25% │███████▌                      │ 50/200 · 5.00/s · 0:30 left · loss 0.125",
  );
  expect(progressLine({ ...base, done: 200, isOver: true }, 100)).toBe(
    "100% │██████████████████████████████│ 200/200 · 20.0/s · 0:10",
  );
  expect(progressLine({ ...base, done: 0 }, 100)).toBe("  0% │                              │ 0/200 · 0:10");
  expect(progressLine({ ...base, done: 7, total: null }, 100)).toBe("7 · 1.43 s each · 0:10");
  expect(progressLine({ ...base, done: 0, total: 0, seconds: 0, isOver: true }, 60)).toBe(
    "100% │██████████████████████████████│ 0/0 · 0:00",
  );
});

test("it is no longer than the columns", () => {
  const values = [["loss", "0.123456789 of the last batch and of the one before"]] as const;
  for (const columns of [10, 20, 30, 40, 60, 120])
    expect([...progressLine({ ...base, done: 50, values }, columns)].length).toBeLessThanOrEqual(columns);
  expect(progressLine({ ...base, done: 50, values }, 20)).toBe(" 25% 50/200 · 5.00/…");
});

test("times, rates, bars and values", () => {
  expect([0, 59.6, 61, 3723].map(duration)).toEqual(["0:00", "1:00", "1:01", "1:02:03"]);
  expect([rate(0, 5), rate(5, 0), rate(1000, 1), rate(25, 2), rate(1, 12.34)]).toEqual([
    "",
    "",
    "1000/s",
    "12.5/s",
    "12.3 s each",
  ]);
  expect([bar(0, 4), bar(0.5, 4), bar(0.53, 4), bar(2, 4)]).toEqual(["    ", "██  ", "██▏ ", "████"]);
  expect([3, 0.123456789, 1e-9, 12345678, "x", true, 5n].map(valueText)).toEqual([
    "3",
    "0.12346",
    "1e-9",
    "12345678",
    "x",
    "true",
    "5",
  ]);
});

test("work has its name first, and bytes as people read them", () => {
  const reading = { ...base, what: "Reading x.npy", unit: "bytes" as const, total: 2 ** 30, done: 2 ** 28 };
  expect(progressLine(reading, 100)).toBe(
    "Reading x.npy · 25% │███████▌                      │ 256 MiB/1.00 GiB · 25.6 MiB/s · 0:30 left",
  );
  expect(progressLine({ ...reading, total: null }, 100)).toBe("Reading x.npy · 256 MiB · 25.6 MiB/s · 0:10");
  const compiling = { ...base, what: "Compiling Cell [3]", unit: "none" as const, total: null, done: 0 };
  expect(progressLine(compiling, 100)).toBe("Compiling Cell [3] · 0:10");
  expect(progressLine(compiling, 12)).toBe("Compiling C…");
});
