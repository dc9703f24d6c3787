// Times, rates and powers as people read them.
import { expect, test } from "vitest";
import { formatAmount, formatExtent, formatPart, formatPower, formatRate, formatTimes } from "./units.ts";

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
])("%j is %s", (times, between, text) => expect(formatTimes(times, between)).toBe(text));

test("rates, amounts, parts, powers and extents", () => {
  expect([3.91e12, 999.6e9, 12, 0, 1e30].map((rate) => formatRate(rate, "B/s"))).toEqual(["3.91 TB/s", "1.00 TB/s", "12 B/s", "0 B/s", "1.00e12 EB/s"]);
  expect([0, 0.001, 0.17, 42, 3684.2, 1e12].map(formatAmount)).toEqual(["0", "1.00e-3", "0.17", "42", "3,684", "1.00e12"]);
  expect([0, 0.0004, 0.042, 0.98, 1, 12.5].map(formatPart)).toEqual(["0 %", "<0.1 %", "4.2 %", "98 %", "100 %", "1,250 %"]);
  expect([-4, -2, -1, 0, 1, 2, 3, 11, 12, 15, 21].map(formatPower)).toEqual(["1e-4", "0.01", "0.1", "1", "10", "100", "1 k", "100 G", "1 T", "1 P", "1e21"]);
  expect([[4096, 1, 1], [64, 32, 1], [1, 1, 8], [1, 1, 1], []].map(formatExtent)).toEqual(["4096", "64×32", "1×1×8", "1", ""]);
});
