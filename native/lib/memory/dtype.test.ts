// Element types: what their numbers become in memory, against definitions worked out another way.
import { describe, expect, test } from "vitest";
import { admits, dtypeNames, dtypeOfArray, factsOf, type DType } from "./dtype.ts";

/** All finite values of a 16-bit float by its definition, sign × significand × 2^exponent. */
function allValues(mantissa: number, bias: number): Map<number, number> {
  const values = new Map<number, number>();
  const exponents = 2 ** (15 - mantissa);
  for (let bits = 0; bits < 0x8000; bits++) {
    const exponent = bits >> mantissa;
    if (exponent === exponents - 1) continue;
    const fraction = (bits & (2 ** mantissa - 1)) / 2 ** mantissa;
    values.set(bits, exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
  }
  return values;
}

const formats: [DType, number, number][] = [
  ["float16", 10, 15],
  ["bfloat16", 7, 127],
];

describe.each(formats)("%s", (dtype, mantissa, bias) => {
  const { encode, decode } = factsOf(dtype);
  const values = allValues(mantissa, bias);

  test("every finite value decodes and encodes to itself, with either sign", () => {
    const wrong = [...values].filter(
      ([bits, value]) =>
        decode(bits) !== value || encode(value) !== BigInt(bits) || encode(-value) !== BigInt(bits | 0x8000),
    );
    expect(wrong).toEqual([]);
  });

  test("what lies between two values goes to the nearest, and halfway to the even one", () => {
    const wrong = [...values].filter(([bits, low]) => {
      const high = values.get(bits + 1);
      if (high === undefined) return false;
      const rounded = [
        encode((low + high) / 2),
        encode(low + (high - low) * 0.49),
        encode(low + (high - low) * 0.51),
      ].map(Number);
      return rounded[0] !== (bits % 2 === 0 ? bits : bits + 1) || rounded[1] !== bits || rounded[2] !== bits + 1;
    });
    expect(wrong).toEqual([]);
  });

  test("float64 rounds once: just above the middle goes up although float32 would fall on the middle", () => {
    const one = encode(1);
    const step = 2 ** -mantissa;
    expect(encode(1 + step / 2 + 2 ** -40)).toBe(one + 1n);
    expect(encode(1 + step / 2)).toBe(one);
  });

  test("infinities, NaN and overflow", () => {
    const largest = Math.max(...values.values());
    const ulp = largest - [...values.values()].sort((a, b) => b - a)[1]!;
    expect(decode(Number(encode(Infinity)))).toBe(Infinity);
    expect(decode(Number(encode(-Infinity)))).toBe(-Infinity);
    expect(decode(Number(encode(NaN)))).toBe(NaN);
    expect(decode(Number(encode(largest + ulp / 2)))).toBe(Infinity);
    expect(decode(Number(encode(largest + ulp * 0.49)))).toBe(largest);
    expect(Object.is(decode(Number(encode(-0))), -0)).toBe(true);
  });
});

describe("what a dtype holds", () => {
  const rows: [DType, unknown[], unknown[]][] = [
    ["int8", [-128, 127, 0n, true], [128, -129, 1.5, NaN, "1"]],
    ["uint8", [0, 255], [-1, 256]],
    ["int32", [-(2 ** 31), 2 ** 31 - 1], [2 ** 31, 0.5]],
    ["int64", [2n ** 63n - 1n, -(2n ** 63n), 2 ** 53 - 1], [2n ** 63n, 2 ** 53]],
    ["bool", [true, false, 0, 1], [2, "true"]],
    ["float32", [1.5, NaN, Infinity, 1n, true], ["1", null, undefined]],
  ];
  test.each(rows)("%s", (dtype, held, refused) => {
    expect(held.filter((value) => !admits(dtype, value))).toEqual([]);
    expect(refused.filter((value) => admits(dtype, value))).toEqual([]);
  });

  test("integers wrap into their bits", () => {
    expect(factsOf("int8").encode(-1)).toBe(0xffn);
    expect(factsOf("int64").encode(-2)).toBe(2n ** 64n - 2n);
    expect(factsOf("float64").encode(-2)).toBe(0xc000000000000000n);
    expect(factsOf("float32").encode(1)).toBe(0x3f800000n);
  });

  test("typed arrays and their dtypes", () => {
    const narrow = ["float16", "bfloat16", "float8_e4m3", "float8_e5m2", "complex64", "complex128", "bool"];
    for (const dtype of dtypeNames) {
      const { array } = factsOf(dtype);
      if (!narrow.includes(dtype)) expect(dtypeOfArray(new array(1))).toBe(dtype);
    }
    expect(dtypeOfArray(new Uint16Array(1))).toBe("uint16");
    expect(dtypeOfArray(new Uint8ClampedArray(1))).toBe("uint8");
    expect(dtypeOfArray(new DataView(new ArrayBuffer(1)))).toBeNull();
  });
});

// OCP 8-bit Floating Point Specification, revision 1.0, tables 1 and 2: every code by its definition.
describe.each([
  ["float8_e4m3", 4, 7, 448],
  ["float8_e5m2", 5, 15, 57344],
] as const)("%s", (dtype, exponentBits, bias, most) => {
  const { encode, decode } = factsOf(dtype);
  const mantissaBits = 7 - exponentBits;
  const value = (code: number): number => {
    const [sign, exponent, fraction] = [
      code >> 7 ? -1 : 1,
      (code >> mantissaBits) & (2 ** exponentBits - 1),
      code & (2 ** mantissaBits - 1),
    ];
    const isTop = exponent === 2 ** exponentBits - 1;
    if (dtype === "float8_e5m2" && isTop) return fraction === 0 ? sign * Infinity : NaN;
    if (dtype === "float8_e4m3" && isTop && fraction === 7) return NaN;
    return exponent === 0
      ? sign * fraction * 2 ** (1 - bias - mantissaBits)
      : sign * (1 + fraction / 2 ** mantissaBits) * 2 ** (exponent - bias);
  };

  test("every code is its number, and every number its code", () => {
    for (let code = 0; code < 256; code++) {
      expect(decode(code)).toBe(value(code));
      if (!Number.isNaN(value(code))) expect(Number(encode(value(code)))).toBe(code);
    }
    expect(decode(Number(encode(NaN)))).toBe(NaN);
    expect(decode(Number(encode(most)))).toBe(most);
  });

  test("numbers between are rounded to the nearest, ties to even", () => {
    const finite = Array.from({ length: 128 }, (_, code) => code).filter((code) => Number.isFinite(value(code)));
    finite.slice(1).forEach((code, index) => {
      const [low, high] = [value(finite[index]!), value(code)];
      expect(Number(encode((low + high) / 2))).toBe(code % 2 === 0 ? code : finite[index]!);
      expect(Number(encode(low + (high - low) * 0.51))).toBe(code);
      expect(Number(encode(-(low + (high - low) * 0.49)))).toBe(finite[index]! | 0x80);
    });
    expect(decode(Number(encode(1e9)))).toBe(dtype === "float8_e4m3" ? 448 : Infinity);
  });
});
