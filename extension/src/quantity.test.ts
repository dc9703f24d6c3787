// How numbers read: bytes, shares and values.
import { expect, test } from "vitest";
import { formatBytes, formatBytesOf, formatCount, formatShare, formatValue } from "./quantity.ts";

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
  [0, "0"], [-0, "-0"], [1, "1"], [-3, "-3"], [9999999, "9999999"], [10000000, "1e+7"], [0.1, "0.1"], [1 / 3, "0.33333"], [-1234.56789, "-1234.6"],
  [0.0001, "0.0001"], [0.00001234567, "1.2346e-5"], [1.5e9, "1.5e+9"], [3.4028234663852886e38, "3.4028e+38"], [5e-324, "4.9407e-324"], [999999.99, "1000000"], [524288.5, "524289"], [-123456.7, "-123457"],
  [NaN, "NaN"], [Infinity, "Infinity"], [-Infinity, "-Infinity"],
])("the value %d reads %s", (value, text) => expect(formatValue(value)).toBe(text));

test("a value reads back within half a unit of its last digit", () => {
  for (let round = 0; round < 2000; round++) {
    const value = (Math.random() * 2 - 1) * 10 ** Math.floor(Math.random() * 60 - 30);
    // Five digits: the relative error of the nearest is at most half of 1e-4.
    expect(Math.abs(Number(formatValue(value)) - value)).toBeLessThanOrEqual(0.5e-4 * Math.abs(value));
  }
});

test("counts agree with their noun", () => {
  expect(formatCount(1, "element", "elements")).toBe("1 element");
  expect(formatCount(1048576, "element", "elements")).toBe("1,048,576 elements");
  expect(formatShare(0.374)).toBe("37 %");
});
