// float32 functions on every device against float64: over all magnitudes, and at the ends of their ranges. Sine, cosine
// and power of 16 bits, of all numbers.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { nextafter, pow, tensor, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

// Units in the last place: ours on the CPU; CUDA's own from the CUDA C++ Programming Guide, "Mathematical Functions".
const functions: Record<string, [cpu: number, cuda: number]> = {
  exp: [2, 2],
  exp2: [2, 2],
  expm1: [2, 2],
  log: [2, 2],
  log2: [2, 2],
  log10: [2, 3],
  log1p: [2, 2],
  sinh: [2, 3],
  cosh: [2, 2],
  tanh: [2, 2],
  erf: [2, 2],
  // 3.82 units at 0.5033279, the most of all 39 million floats from 0.4 to 10.1.
  erfc: [3.9, 4],
  sin: [2, 2],
  cos: [2, 2],
  tan: [2, 4],
  asin: [2, 2],
  acos: [2, 2],
  atan: [2, 2],
  cbrt: [1, 1],
  asinh: [2, 3],
  acosh: [2, 4],
  atanh: [2, 3],
  erfinv: [3.1, 2],
  // Of magnitudes: below 0 it has poles.
  lgamma: [3.6, 6],
};
const ends = [
  NaN,
  Infinity,
  -Infinity,
  0,
  -0,
  1e-45,
  -1e-45,
  1e-40,
  -1e-40,
  1,
  -1,
  88.72283,
  88.72284,
  -87.4,
  -103.9,
  -104.1,
  127.99999,
  128,
  -149,
  -151,
  3.4e38,
  -3.4e38,
  1e-7,
  -1e-7,
  0.5,
  -0.5,
  9.2,
  10.05,
  -0.99999994,
  1.5707964,
  -3.1415927,
  355,
  65536,
  -65536,
  65536.01,
  65537,
  1e10,
  -6.3876e37,
];

/** Bits behind the point, and what an exponent has added. */
const sixteenBits = { bfloat16: { digits: 7, bias: 127 }, float16: { digits: 10, bias: 15 } } as const;
type SixteenBits = keyof typeof sixteenBits;

function allOf(dtype: SixteenBits): number[] {
  const { digits, bias } = sixteenBits[dtype];
  return Array.from({ length: 65_536 }, (_, bits) => {
    const exponent = (bits & 0x7fff) >> digits,
      fraction = (bits & (2 ** digits - 1)) / 2 ** digits;
    const size =
      exponent > 2 * bias
        ? fraction === 0
          ? Infinity
          : NaN
        : exponent === 0
          ? fraction * 2 ** (1 - bias)
          : (1 + fraction) * 2 ** (exponent - bias);
    return bits & 0x8000 ? -size : size;
  });
}

/**
 * Half a unit in the last place of 16 bits, and as much as one more rounding of them hides: the nearest number, or
 * beside a tie its other neighbour.
 */
function isNearest(result: number, value: number, dtype: SixteenBits): boolean {
  const { digits, bias } = sixteenBits[dtype];
  if (!Number.isFinite(value)) return Object.is(result, value);
  const isNegative = (x: number) => x < 0 || Object.is(x, -0);
  if (isNegative(result) !== isNegative(value)) return false;
  const size = Math.abs(value),
    unit = 2 ** (Math.max(1 - bias, Math.min(bias, Math.floor(Math.log2(size)))) - digits),
    allowed = unit / 2 + 2 ** -13 * size;
  return Number.isFinite(result)
    ? Math.abs(result - value) <= allowed
    : !Number.isNaN(result) && size + allowed >= 2 ** (bias + 1);
}

describe.each(devices.map(({ name, kind }) => [name, kind] as const))("on %s", (device, kind) => {
  test.each(Object.entries(functions))("%s", (name, [cpu, cuda]) => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    // Every 21,001st float from a random one on: all exponents and both signs.
    const bits = new Uint32Array(204_513).map((_, index) => (seed + index * 21_001) >>> 0);
    const near = Array.from({ length: 20_000 }, (_, index) => ((index + (seed % 1000) / 1000) / 20_000) * 24 - 12);
    const input = tensor([...new Float32Array(bits.buffer), ...near, ...ends], { device, dtype: "float32" });
    const apply = (x: Tensor) =>
      ((name === "lgamma" ? x.abs() : x) as unknown as Record<string, () => Tensor>)[name]!();
    const got = apply(input).toArray() as number[];
    const wanted = apply(input.to("float64")).toArray() as number[];
    const given = input.toArray() as number[];
    const wrong = wanted.flatMap((value, at) => {
      const rounded = Math.fround(value),
        result = got[at]!;
      if (Number.isNaN(value)) return Number.isNaN(result) ? [] : [{ x: given[at], result, value }];
      // Beyond the largest float, half a unit of it apart.
      if (!Number.isFinite(rounded))
        return result === rounded || (Math.abs(value) < 2 ** 128 * (1 + 2 ** -21) && Math.abs(result) > 3.4e38)
          ? []
          : [{ x: given[at], result, value }];
      // CUDA's figures are distances from the correctly rounded result, which is half a unit off itself.
      const unit = 2 ** Math.max(-149, Math.floor(Math.log2(Math.abs(value))) - 23);
      return Math.abs(result - value) <=
        (kind === "cpu" ? cpu : cuda + 0.5) * (Number.isFinite(unit) && unit > 0 ? unit : 2 ** -149) ||
        (!Number.isFinite(result) && Math.abs(value) > 3.4028e38)
        ? []
        : [{ x: given[at], result, value }];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
    // Zeros keep their sign where the function is odd.
    if (
      [
        "expm1",
        "log1p",
        "sinh",
        "tanh",
        "erf",
        "sin",
        "tan",
        "asin",
        "atan",
        "cbrt",
        "asinh",
        "atanh",
        "erfinv",
      ].includes(name)
    )
      expect(apply(tensor([-0], { device })).toArray()).toEqual([-0]);
  });

  test("fmod, remainder and floorDivide, exactly, of operands of all magnitudes and of neighbours of multiples", () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const bits = new Uint32Array(60_000).map((_, index) => (seed + index * 71_563) >>> 0);
    const any = [...new Float32Array(bits.buffer)];
    // Each divisor's magnitude is near its operand's, or a few hundred times less; then multiples and their neighbours.
    const divisors = any.map((x, index) => Math.fround(x / (1 + ((index * 7919) % 70_000) / 97)));
    const multiples = divisors.slice(0, 20_000).map((y, index) => Math.fround(y * ((index % 999) - 499)));
    const beside = multiples.map((x) => Math.fround(x * (1 + 2 ** -23)));
    const pairs = [
      ...any.map((x, index) => [x, any[(index * 31 + 7) % any.length]!]),
      ...any.map((x, index) => [x, divisors[index]!]),
      ...[multiples, beside].flatMap((list) => list.map((x, index) => [x, divisors[index]!])),
      ...ends.flatMap((x) => ends.map((y) => [x, y])),
    ] as [number, number][];
    const [x, y] = [0, 1].map((at) =>
      tensor(
        pairs.map((pair) => pair[at]!),
        { device, dtype: "float32" },
      ),
    ) as [Tensor, Tensor];
    const [left, right, rests, remainders, quotients] = [x, y, x.fmod(y), x.remainder(y), x.floorDivide(y)].map(
      (each) => each.toArray() as number[],
    );
    const wrong = pairs.flatMap((_, at) => {
      const [a, b] = [left![at]!, right![at]!];
      const rest = a % b;
      const remainder =
        rest === 0 ? (b < 0 || Object.is(b, -0) ? -0 : 0) : rest < 0 !== b < 0 ? Math.fround(rest + b) : rest;
      const whole = (a - (rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest)) / b;
      const isCounted = Math.abs(a / b) < 2 ** 21 && Math.abs(b) !== Infinity;
      return Object.is(rests![at], rest) &&
        Object.is(remainders![at], remainder) &&
        (!isCounted || quotients![at] === Math.round(whole))
        ? []
        : [{ a, b, rest: rests![at], remainder: remainders![at], quotient: quotients![at] }];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  test("sin, cos and tan near multiples of π/2, and among arguments that are too far for vectors", () => {
    // What is left of a float near a multiple is short of the bits that π/2 lacks: each float around 40,000 of them.
    const seed = Math.floor(Math.random() * 2 ** 32);
    const multiples = Array.from({ length: 40_000 }, (_, index) =>
      Math.fround(((seed % 97) + index + 1) * (Math.PI / 2)),
    );
    const list = [
      ...multiples,
      ...Array.from({ length: 3000 }, (_, index) => (index % 700 === 3 ? 1e9 + index * 64 : index / 10)),
    ];
    const x = tensor(list, { device, dtype: "float32" });
    const given = x.toArray() as number[];
    for (const name of ["sin", "cos", "tan"] as const) {
      const got = x[name]().toArray() as number[];
      const wanted = x.to("float64")[name]().toArray() as number[];
      const wrong = wanted.flatMap((value, at) =>
        Math.abs(got[at]! - value) <=
        (kind === "cpu" ? 2 : functions[name]![1] + 0.5) * 2 ** (Math.floor(Math.log2(Math.abs(value))) - 23)
          ? []
          : [{ x: given[at], got: got[at], value }],
      );
      expect(wrong.slice(0, 5)).toEqual([]);
      const turned = x.to("bfloat16")[name]().toArray() as number[];
      const near = (x.to("bfloat16").to("float64") as Tensor)[name]().toArray() as number[];
      expect(
        near
          .flatMap((value, at) =>
            Math.abs(turned[at]! - value) <= 2 ** -8 * Math.abs(value) * (1 + 2 ** -14)
              ? []
              : [{ at, got: turned[at], value }],
          )
          .slice(0, 5),
      ).toEqual([]);
    }
  });

  test.each(["bfloat16", "float16"] as const)("sin, cos and pow of all numbers of %s", (dtype) => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const list = allOf(dtype),
      x = tensor(list, { device, dtype }),
      exact = x.to("float64");
    const check = (what: unknown, got: Tensor, wanted: Tensor) => {
      expect(got.dtype).toBe(dtype);
      const results = got.toArray() as number[],
        values = wanted.toArray() as number[];
      const wrong = values.flatMap((value, at) =>
        isNearest(results[at]!, value, dtype) ? [] : [{ what, x: list[at], result: results[at], value }],
      );
      expect(wrong.slice(0, 5)).toEqual([]);
    };
    check("sin", x.sin(), exact.sin());
    check("cos", x.cos(), exact.cos());
    // Whole numbers, halves, what is 0, huge or tiny; and some that nobody chose, all as float32 has them.
    const random = [1, 2, 3, 4].map((index) => (Math.imul(seed + index, 0x9e3779b1) | 0) / 2 ** 31);
    const numbers = [
      0,
      -0,
      1,
      -1,
      2,
      3,
      -3,
      0.5,
      -0.5,
      2.5,
      -1.5,
      100,
      511.5,
      512,
      513,
      1e30,
      1e-30,
      Infinity,
      -Infinity,
      NaN,
      ...random,
      ...random.map((y) => y * 10),
      ...random.map((y) => y * 300),
    ].map(Math.fround);
    for (const number of numbers) {
      check({ number }, x.pow(number), exact.pow(number));
      check({ base: number }, pow(number, x), pow(number, exact));
    }
    // Each with another of them.
    const y = tensor(
      list.map((_, index) => list[(Math.imul(index, 40_503) + seed) & 0xffff]!),
      { device, dtype },
    );
    check("pow", x.pow(y), exact.pow(y.to("float64")));
  });

  test("pow, of all magnitudes and of what C says of zeros, infinities and NaN", () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const bits = new Uint32Array(100_000).map((_, index) => (Math.imul(index + 1, 0x9e3779b1) + seed) >>> 0);
    const exponents = Array.from({ length: 100_000 }, (_, index) =>
      index % 5 === 0 ? (index % 41) - 20 : ((index * 7919) % 4001) / 50 - 40,
    );
    const special = [
      0,
      -0,
      1,
      -1,
      Infinity,
      -Infinity,
      NaN,
      2,
      -2,
      0.5,
      -0.5,
      3,
      -3,
      2.5,
      -2.5,
      1e-45,
      -1e-45,
      3.4e38,
      -3.4e38,
      16777215,
      16777216,
    ];
    const pairs = special.flatMap((x) => special.map((y) => [x, y] as const));
    const near = Array.from(
      { length: 20_000 },
      (_, index) => [1 + ((index % 2001) - 1000) * 2 ** -23 * (index % 7), (index - 10_000) * 100] as const,
    );
    const x = tensor([...new Float32Array(bits.buffer), ...pairs.map(([x]) => x), ...near.map(([x]) => x)], {
      device,
      dtype: "float32",
    });
    const y = tensor([...exponents, ...pairs.map(([, y]) => y), ...near.map(([, y]) => y)], {
      device,
      dtype: "float32",
    });
    const got = x.pow(y).toArray() as number[];
    const wanted = x.to("float64").pow(y.to("float64")).toArray() as number[];
    const given = [x.toArray() as number[], y.toArray() as number[]] as const;
    const wrong = wanted.flatMap((value, at) => {
      const result = got[at]!,
        rounded = Math.fround(value);
      const unit = 2 ** Math.max(-149, Math.floor(Math.log2(Math.abs(value))) - 23);
      const isRight = Number.isNaN(value)
        ? Number.isNaN(result)
        : !Number.isFinite(rounded) || value === 0 || rounded === 0
          ? Object.is(result, rounded) ||
            Math.abs(result - rounded) <= 2 ** -149 ||
            (Math.abs(value) < 2 ** 128 * (1 + 2 ** -21) && Math.abs(result) > 3.4e38)
          : Math.abs(result - value) <= (kind === "cpu" ? 1 : 4.5) * unit ||
            (!Number.isFinite(result) && Math.abs(value) > 3.4028e38);
      return isRight ? [] : [{ x: given[0][at], y: given[1][at], result, value }];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  test("atan2, of all magnitudes and of what C says of zeros, infinities and NaN", () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const bits = (step: number) =>
      new Float32Array(new Uint32Array(100_000).map((_, index) => (Math.imul(index + 1, step) + seed) >>> 0).buffer);
    const special = [0, -0, 1, -1, Infinity, -Infinity, NaN, 1e-45, -1e-45, 1e-40, 3.4e38, -3.4e38, 0.5];
    const pairs = special.flatMap((y) => special.map((x) => [y, x] as const));
    // Around the unit circle, the axes and the diagonals among the points.
    const circle = Array.from(
      { length: 40_000 },
      (_, index) => [Math.sin((index * Math.PI) / 20_000), Math.cos((index * Math.PI) / 20_000)] as const,
    );
    const y = tensor([...bits(0x9e3779b1), ...[...pairs, ...circle].map(([y]) => y)], { device, dtype: "float32" });
    const x = tensor([...bits(0x85ebca6b), ...[...pairs, ...circle].map(([, x]) => x)], { device, dtype: "float32" });
    const got = y.atan2(x).toArray() as number[];
    const wanted = y.to("float64").atan2(x.to("float64")).toArray() as number[];
    const given = [y.toArray() as number[], x.toArray() as number[]] as const;
    const wrong = wanted.flatMap((value, at) => {
      const result = got[at]!;
      const unit = 2 ** Math.max(-149, Math.floor(Math.log2(Math.abs(value))) - 23);
      const isRight =
        Number.isNaN(value) || value === 0
          ? Object.is(result, value)
          : Math.abs(result - value) <= (kind === "cpu" ? 2 : 3.5) * unit &&
            (result < 0 || Object.is(result, -0)) === value < 0;
      return isRight ? [] : [{ y: given[0][at], x: given[1][at], result, value }];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});

/** The number next to `x` in the direction of `y`, by the bits of a float of 32 or 64. */
function next(x: number, y: number, dtype: "float32" | "float64"): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  if (x === y) return y;
  const bits = dtype === "float32" ? new Int32Array(1) : new BigInt64Array(1);
  const value = dtype === "float32" ? new Float32Array(bits.buffer) : new Float64Array(bits.buffer);
  value[0] = x;
  if (x === 0) {
    bits[0] = (typeof bits[0] === "bigint" ? 1n : 1) as never;
    return y < 0 ? -value[0] : value[0];
  }
  const step = x < y === x > 0 ? 1 : -1;
  bits[0] = (typeof bits[0] === "bigint" ? bits[0] + BigInt(step) : (bits[0] as number) + step) as never;
  return value[0];
}

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test.each(["float32", "float64"] as const)("nextafter of %s, bit for bit", (dtype) => {
    const most = dtype === "float32" ? (2 - 2 ** -23) * 2 ** 127 : Number.MAX_VALUE;
    const least = dtype === "float32" ? 2 ** -149 : 2 ** -1074;
    const points = [0, -0, 1, -1, least, -least, most, -most, Infinity, -Infinity, NaN, 0.1, -2.5].map((x) =>
      dtype === "float32" ? Math.fround(x) : x,
    );
    for (let index = 0; index < 200; index++)
      points.push(Math.fround((Math.random() - 0.5) * 2 ** Math.floor(Math.random() * 200 - 100)));
    const [from, to] = [points.flatMap((x) => points.map(() => x)), points.flatMap(() => points)];
    const of = (values: number[]) => tensor(values, { dtype, device });
    const got = nextafter(of(from), of(to)).toArray() as number[];
    const wrong = got.filter((value, index) => !Object.is(value, next(from[index]!, to[index]!, dtype)));
    expect(wrong).toEqual([]);
    expect(nextafter(of([0, 1]), Infinity).toArray()).toEqual([least, next(1, 2, dtype)]);
    expect(nextafter(0, of([-1])).toArray()).toEqual([-least]);
  });

  test("nextafter has no result between two floats of 16 bits", () => {
    expect(() => nextafter(tensor([1], { dtype: "float16", device }), 2)).toThrow(
      'nextafter takes float32 or float64 but got float16: convert it, e.g. with .to("float32").',
    );
    expect(() => tensor([true], { device }).bitwiseLeftShift(true)).toThrow(
      'bitwiseLeftShift takes integers but got bool: convert it, e.g. with .to("int32").',
    );
    expect(() => tensor([1.5], { device }).bitwiseRightShift(1)).toThrow(
      'bitwiseRightShift takes integers but got float32: convert it, e.g. with .to("int32").',
    );
  });
});
