// How numbers read: times, rates, parts, bytes, counts and values.
import { expect, test } from "vitest";
import {
  formatAmount,
  formatBytes,
  formatBytesOf,
  formatExtent,
  formatPart,
  formatPoint,
  formatPower,
  formatRate,
  formatShare,
  formatTime,
  formatTimes,
  formatValue,
  grouped,
} from "./quantity.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1.0 KiB"],
  [1536, "1.5 KiB"],
  [1024 ** 2 - 1, "1.0 MiB"],
  [143771 * 1024 ** 2, "140 GiB"],
  [99.9 * 1024 ** 3, "99.9 GiB"],
  [99.96 * 1024 ** 3, "100 GiB"],
  [2 ** 60, "1024 PiB"],
])("%d bytes are %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test.each([
  [0, 25e9, "0.0 / 23.3 GiB"],
  [1.2 * 2 ** 30, 143771 * 2 ** 20, "1.2 / 140 GiB"],
  [512, 1024, "0.5 / 1.0 KiB"],
])("%d of %d bytes share the unit of the whole", (part, whole, text) => expect(formatBytesOf(part, whole)).toBe(text));

test.each([
  [0, "0"],
  [-0, "-0"],
  [1, "1"],
  [-3, "-3"],
  [9999999, "9999999"],
  [10000000, "1e+7"],
  [0.1, "0.1"],
  [1 / 3, "0.33333"],
  [-1234.56789, "-1234.6"],
  [0.0001, "0.0001"],
  [0.00001234567, "1.2346e-5"],
  [1.5e9, "1.5e+9"],
  [3.4028234663852886e38, "3.4028e+38"],
  [5e-324, "4.9407e-324"],
  [999999.99, "1000000"],
  [524288.5, "524289"],
  [-123456.7, "-123457"],
  [NaN, "NaN"],
  [Infinity, "Infinity"],
  [-Infinity, "-Infinity"],
])("the value %d reads %s", (value, text) => expect(formatValue(value)).toBe(text));

test("a value reads back within half a unit of its last digit", () => {
  for (let round = 0; round < 2000; round++) {
    const value = (Math.random() * 2 - 1) * 10 ** Math.floor(Math.random() * 60 - 30);
    // Five digits: the relative error of the nearest is at most half of 1e-4.
    expect(Math.abs(Number(formatValue(value)) - value)).toBeLessThanOrEqual(0.5e-4 * Math.abs(value));
  }
});

test("counts have groups of three digits, shares a sign", () => {
  expect(grouped(1)).toBe("1");
  expect(grouped(1048576)).toBe("1,048,576");
  expect(formatShare(0.374)).toBe("37 %");
});

test.each<[number[], string, string]>([
  [[0], " ", "0 ns"],
  [[456], " ", "456 ns"],
  [[1.5], " ", "1.50 ns"],
  [[999.4], " ", "999 ns"],
  [[999.6], " ", "1.00 µs"],
  [[12_345], " ", "12.3 µs"],
  [[368_000, 14_720], " ± ", "368 ± 15 µs"],
  [[11_900, 14_100], " … ", "11.9 … 14.1 µs"],
  [[900, 2_000_000], " … ", "0.00 … 2.00 ms"],
  [[7.2e13], " ", "72,000 s"],
  [[1e300], " ", "1.00e291 s"],
])("the times %j are %s", (times, between, text) => expect(formatTimes(times, between)).toBe(text));

test("rates, amounts, parts, powers and extents", () => {
  expect([3.91e12, 999.6e9, 12, 0, 1e30].map((rate) => formatRate(rate, "B/s"))).toEqual([
    "3.91 TB/s",
    "1.00 TB/s",
    "12 B/s",
    "0 B/s",
    "1.00e12 EB/s",
  ]);
  expect(formatRate(4.6e9, "FLOP")).toBe("4.60 GFLOP");
  expect([0, 0.001, 0.17, 42, 3684.2, 1e12].map(formatAmount)).toEqual([
    "0",
    "1.00e-3",
    "0.17",
    "42",
    "3,684",
    "1.00e12",
  ]);
  expect([0, 0.0004, 0.042, 0.98, 1, 12.5].map(formatPart)).toEqual([
    "0 %",
    "<0.1 %",
    "4.2 %",
    "98 %",
    "100 %",
    "1,250 %",
  ]);
  expect([-4, -2, -1, 0, 1, 2, 3, 11, 12, 15, 21].map(formatPower)).toEqual([
    "1e-4",
    "0.01",
    "0.1",
    "1",
    "10",
    "100",
    "1 k",
    "100 G",
    "1 T",
    "1 P",
    "1e21",
  ]);
  expect([[4096, 1, 1], [64, 32, 1], [1, 1, 8], [1, 1, 1], []].map(formatExtent)).toEqual([
    "4096",
    "64 × 32",
    "1 × 1 × 8",
    "1",
    "",
  ]);
});

test("one time, and points in time to a step", () => {
  expect([0, 0.4, 850, 999.6, 3210, 32_100, 9.996e5, 1.5e9, -2500].map(formatTime)).toEqual([
    "0 ns",
    "0.40 ns",
    "850 ns",
    "1.00 µs",
    "3.21 µs",
    "32.1 µs",
    "1.00 ms",
    "1.50 s",
    "-2.50 µs",
  ]);
  expect([
    formatPoint(0, 10),
    formatPoint(500_000, 500_000, 3e6),
    formatPoint(3.001e6, 1000),
    formatPoint(12, 1),
  ]).toEqual(["0", "0.5 ms", "3.001 ms", "12 ns"]);
});
