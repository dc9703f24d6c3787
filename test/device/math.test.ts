// CUDA's special functions and its arithmetic with a named rounding, on every device: beside integrals and series in
// float64, and beside exact integers.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { compile, full, tensor, type DType, type Kernel } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { roundoff } from "./numbers.ts";

const random = (from: number, to: number): number => from + Math.random() * (to - from);

/** ∫ f from a to b by the trapezoidal rule, whose error for a periodic f falls exponentially. */
function periodicIntegral(f: (t: number) => number, b: number, steps = 400): number {
  let sum = 0;
  for (let i = 0; i < steps; i++) sum += f((b * (i + 0.5)) / steps);
  return (sum * b) / steps;
}

/** ∫ f from 0 to b by Simpson's rule. */
function integral(f: (t: number) => number, b: number, steps = 20_000): number {
  let sum = f(0) + f(b);
  for (let i = 1; i < steps; i++) sum += (i % 2 === 0 ? 2 : 4) * f((b * i) / steps);
  return (sum * b) / (3 * steps);
}

const bessel = (n: number, x: number): number =>
  periodicIntegral((t) => Math.cos(n * t - x * Math.sin(t)), Math.PI) / Math.PI;
const modified = (n: number, x: number): number =>
  periodicIntegral((t) => Math.exp(x * Math.cos(t)) * Math.cos(n * t), Math.PI) / Math.PI;

/**
 * Y₀, Y₁ by their series (DLMF 10.8.1), and on by their recurrence (10.6.1), stable upwards. For x below 6, where the
 * series loses at most three digits.
 */
function besselY(n: number, x: number): number {
  const euler = 0.5772156649015329;
  if (n > 1) return ((2 * (n - 1)) / x) * besselY(n - 1, x) - besselY(n - 2, x);
  let sum = 0,
    term = n === 0 ? 1 : x / 2,
    harmonic = 0;
  for (let k = 0; k < 60; k++) {
    sum += term * (n === 0 ? 2 * (harmonic - euler) : 2 * (harmonic - euler) + 1 / (k + 1));
    harmonic += 1 / (k + 1);
    term *= -(x * x) / 4 / ((k + 1) * (k + 1 + n));
  }
  return (2 / Math.PI) * Math.log(x / 2) * bessel(n, x) - sum / Math.PI - (n === 1 ? 2 / (Math.PI * x) : 0);
}

/** e^(x²) erfc(x) for x ≥ 0 (DLMF 7.7.1 by t → t + x). */
const scaledError = (x: number): number =>
  (2 / Math.sqrt(Math.PI)) * integral((t) => Math.exp(-t * t - 2 * x * t), Math.min(7, 40 / (2 * x)));

// By C++ expression of x: the reference, the range of x, and how the error is measured: against the value, or against 1
// where the function oscillates.
const functions: [string, (x: number) => number, [number, number], "relative" | "absolute"][] = [
  ["j0(x)", (x) => bessel(0, x), [0.1, 40], "absolute"],
  ["j1(x)", (x) => bessel(1, x), [0.1, 40], "absolute"],
  ["jn(3, x)", (x) => bessel(3, x), [0.1, 40], "absolute"],
  ["y0(x)", (x) => besselY(0, x), [0.5, 6], "absolute"],
  ["y1(x)", (x) => besselY(1, x), [0.5, 6], "absolute"],
  ["yn(2, x)", (x) => besselY(2, x), [1, 6], "absolute"],
  ["cyl_bessel_i0(x)", (x) => modified(0, x), [0, 100], "relative"],
  ["cyl_bessel_i1(x)", (x) => modified(1, x), [0.5, 100], "relative"],
  ["cyl_bessel_i1(-x)", (x) => -modified(1, x), [0.5, 100], "relative"],
  ["erfcx(x)", scaledError, [0.1, 50], "relative"],
  ["norm(3, p)", (x) => Math.hypot(x, 2 * x, 3 * x), [0.1, 10], "relative"],
  ["rnorm(3, p)", (x) => 1 / Math.hypot(x, 2 * x, 3 * x), [0.1, 10], "relative"],
];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const kernel = async (source: string): Promise<Kernel> => (await compile(source, { device })).kernels["k"] as Kernel;

  // CUDA gives Bessel functions to 5e-12 and 2.2e-6 where they oscillate, everything else here to 9 ulp (CUDA C++
  // Programming Guide, "Mathematical Functions"). The references: e^(x cos t) has an error of x ≤ 100 roundings, the
  // integral of 20,000 steps one of (40 / 20,000)⁴ / 180, 1e-13; Y loses three digits of 16 to its series.
  test.each([
    ["float64", "double", "", { absolute: 5e-12 + 1e-13, relative: 18 * roundoff.float64! + 2e-13 }],
    ["float32", "float", "f", { absolute: 2.2e-6 + 1e-13, relative: 18 * roundoff.float32! + 2e-13 }],
  ] as [
    DType,
    string,
    string,
    { absolute: number; relative: number },
  ][])("special functions of %s", async (dtype, type, suffix, bounds) => {
    const count = 200;
    const body = functions
      .map(
        ([expression], row) =>
          `{ const T x = in[${row} * n + i]; const T p[] = {x, 2 * x, 3 * x}; out[${row} * n + i] = ${expression.replace("(", `${suffix}(`)}; }`,
      )
      .join("\n");
    const k = await kernel(
      `using T = ${type};\n__global__ void k(int n, const T* in, T* out) { int i = threadIdx.x;\n${body} }`,
    );
    const hold = dtype === "float32" ? Math.fround : Number;
    const inputs = functions.map(([, , [low, high]]) =>
      Array.from({ length: count }, () => hold(random(low, dtype === "float32" ? Math.min(high, 80) : high))),
    );
    const out = full([functions.length, count], NaN, { dtype, device });
    k.launch({ grid: 1, block: count }, count, tensor(inputs, { dtype, device }), out);
    const results = out.toArray() as number[][];
    functions.forEach(([expression, reference, , measure], row) => {
      const errors = inputs[row]!.map(
        (x, i) =>
          Math.abs(results[row]![i]! - reference(x)) /
          (measure === "relative" ? Math.abs(reference(x)) : Math.max(1, Math.abs(reference(x)))),
      );
      expect({ expression, error: Math.max(...errors) }).toEqual({
        expression,
        error: expect.toSatisfy((error: number) => error <= bounds[measure], `at most ${bounds[measure]}`),
      });
    });
  });

  test("special functions at the ends of their ranges", async () => {
    const cases: [string, number][] = [
      ["erfcx(-30.0)", Infinity],
      ["erfcx(-1e300)", Infinity],
      ["erfcx(0.0)", 1],
      ["erfcx(INFINITY)", 0],
      ["cyl_bessel_i0(0.0)", 1],
      ["cyl_bessel_i1(0.0)", 0],
      ["cyl_bessel_i0((double)INFINITY)", Infinity],
      ["cyl_bessel_i0(710.0) > 1e306", 1],
      ["cyl_bessel_i0(720.0)", Infinity],
      ["norm(2, huge)", 5e300],
      ["norm(2, tiny)", 5e-300],
      ["norm(2, none)", 0],
      ["rnorm(2, none)", Infinity],
      ["isnan(norm(2, wrong))", 1],
      ["y0(0.0)", -Infinity],
      ["fabs(j0(0.0) - 1) < 1e-15", 1],
      ["llmax(1ll << 40, -1ll)", 2 ** 40],
      ["ullmin(1ull << 63, 5ull)", 5],
      ["scalbln(1.5, 4l)", 24],
    ];
    const out = full([cases.length], -77, { dtype: "float64", device });
    const k = await kernel(
      `__global__ void k(double* out) { const double huge[] = {3e300, 4e300}, tiny[] = {3e-300, 4e-300}, none[] = {0, 0}, wrong[] = {NAN, 0};\n${cases.map(([expression], i) => `out[${i}] = ${expression};`).join("\n")} }`,
    );
    k.launch({ grid: 1, block: 1 }, out);
    const results = out.toArray() as number[];
    expect(cases.map(([expression], i) => [expression, results[i]])).toEqual(
      cases.map(([expression, value]) => [
        expression,
        value === 5e300 || value === 5e-300 ? expect.closeTo(value, -290) : value,
      ]),
    );
    expect(
      Math.abs(results[cases.findIndex(([expression]) => expression === "norm(2, tiny)")]! / 5e-300 - 1),
    ).toBeLessThan(1e-15);
  });

  describe.each([
    ["float", "float32", "f", "fmaf"],
    ["double", "float64", "d", "fma"],
  ] as [string, DType, string, string][])("arithmetic of %s with a named rounding", (type, dtype, letter, fused) => {
    // What is exact minus what the device says, as an integer, by operation. All numbers are multiples of 2^-400.
    const one = 1n << 400n;
    const operations: Record<
      string,
      {
        call: string;
        inputs: number;
        difference: (r: bigint, a: bigint, b: bigint, c: bigint) => bigint;
        positive?: boolean;
      }
    > = {
      add: { call: `__${letter}add`, inputs: 2, difference: (r, a, b) => a + b - r },
      sub: { call: `__${letter}sub`, inputs: 2, difference: (r, a, b) => a - b - r },
      mul: { call: `__${letter}mul`, inputs: 2, difference: (r, a, b) => a * b - r * one },
      div: { call: `__${letter}div`, inputs: 2, difference: (r, a, b) => (a * one - r * b) * (b < 0n ? -1n : 1n) },
      rcp: { call: `__${letter}rcp`, inputs: 1, difference: (r, a) => (one * one - r * a) * (a < 0n ? -1n : 1n) },
      sqrt: { call: `__${letter}sqrt`, inputs: 1, difference: (r, a) => a * one - r * r, positive: true },
      fma: { call: `__${fused}`, inputs: 3, difference: (r, a, b, c) => a * b + c * one - r * one },
    };

    test.each(Object.entries(operations))("%s", async (_, { call, inputs, difference, positive }) => {
      const count = 1000;
      const make = (): number => {
        const x = random(positive === true ? 0.5 : -1, 1) * 2 ** Math.round(random(-20, 20));
        return dtype === "float32" ? Math.fround(x) : x;
      };
      const values = Array.from({ length: 3 }, () => Array.from({ length: count }, make));
      const given = ["a[i]", "b[i]", "c[i]"].slice(0, inputs).join(", ");
      const k =
        await kernel(`__global__ void k(int n, const ${type}* a, const ${type}* b, const ${type}* c, ${type}* out) { for (int i = threadIdx.x; i < n; i += blockDim.x) {
        ${["rn", "rd", "ru", "rz"].map((suffix, i) => `out[${i} * n + i] = ${call}_${suffix}(${given});`).join(" ")} } }`);
      const out = full([4, count], NaN, { dtype, device });
      k.launch({ grid: 1, block: 256 }, count, ...values.map((row) => tensor(row, { dtype, device })), out);
      const [rn, rd, ru, rz] = out.toArray() as number[][];
      for (let i = 0; i < count; i++)
        expectRounded(
          [rn![i]!, rd![i]!, ru![i]!, rz![i]!],
          dtype,
          (r) => difference(exact(r), exact(values[0]![i]!), exact(values[1]![i]!), exact(values[2]![i]!)),
          values.map((row) => row[i]),
        );
    });
  });

  test.each([
    ["double2float", "double", "float", "float64", "float32", () => random(-1, 1) * 2 ** Math.round(random(-20, 20))],
    ["int2float", "int", "float", "int32", "float32", () => Math.round(random(-(2 ** 31), 2 ** 31 - 1))],
    ["uint2float", "unsigned", "float", "int64", "float32", () => Math.round(random(0, 2 ** 32 - 1))],
    ["ll2float", "long long", "float", "int64", "float32", () => randomLong()],
    ["ull2float", "unsigned long long", "float", "int64", "float32", () => randomLong()],
    ["ll2double", "long long", "double", "int64", "float64", () => randomLong()],
    ["ull2double", "unsigned long long", "double", "int64", "float64", () => randomLong()],
  ] as [
    string,
    string,
    string,
    DType,
    DType,
    () => number | bigint,
  ][])("%s with a named rounding", async (name, from, to, inputs, outputs, make) => {
    const count = 1000;
    const values = Array.from({ length: count }, make);
    const stored = inputs === "int64" ? values.map(BigInt) : values;
    const storage = { float64: "double", int32: "int", int64: "long long" }[inputs as string];
    const k =
      await kernel(`__global__ void k(int n, const ${storage}* a, ${to}* out) { for (int i = threadIdx.x; i < n; i += blockDim.x) {
      ${["rn", "rd", "ru", "rz"].map((suffix, i) => `out[${i} * n + i] = __${name}_${suffix}((${from})a[i]);`).join(" ")} } }`);
    const out = full([4, count], NaN, { dtype: outputs, device });
    k.launch({ grid: 1, block: 256 }, count, tensor(stored as number[], { dtype: inputs, device }), out);
    const [rn, rd, ru, rz] = out.toArray() as number[][];
    values.forEach((value, i) => {
      const given =
        typeof value === "bigint" ? (name.startsWith("u") ? BigInt.asUintN(64, value) : value) << 400n : exact(value);
      expectRounded([rn![i]!, rd![i]!, ru![i]!, rz![i]!], outputs, (r) => given - exact(r), [value]);
    });
  });
});

const randomLong = (): bigint =>
  BigInt.asIntN(64, (BigInt(Math.floor(random(0, 2 ** 32))) << 32n) | BigInt(Math.floor(random(0, 2 ** 32))));

/** A number as a multiple of 2^-400. */
function exact(x: number): bigint {
  if (x === 0) return 0n;
  const exponent = Math.floor(Math.log2(Math.abs(x))) - 53;
  return (BigInt(x * 2 ** -exponent) << 400n) >> BigInt(-exponent) || fail(x);
}

function fail(x: number): never {
  throw new Error(`Expected a number of moderate size but got ${x}.`);
}

/** The number after x, or before it. */
function neighbour(x: number, dtype: DType, step: 1 | -1): number {
  const [floats, bits] =
    dtype === "float32"
      ? ([new Float32Array([x]), Int32Array] as const)
      : ([new Float64Array([x]), BigInt64Array] as const);
  const word = new bits(floats.buffer);
  const away = x < 0 ? -step : step;
  word[0] = (typeof word[0] === "bigint" ? word[0] + BigInt(away) : word[0]! + away) as never;
  return floats[0]!;
}

/**
 * `difference`: what is exact minus a candidate. Each result is on its own side of what is exact, and no number lies
 * between.
 */
function expectRounded(
  [rn, rd, ru, rz]: [number, number, number, number],
  dtype: DType,
  difference: (candidate: number) => bigint,
  of: unknown,
): void {
  const said = { of, rn, rd, ru, rz };
  const isDown = difference(rd) >= 0n && (rd === 0 || difference(neighbour(rd, dtype, 1)) < 0n);
  const isUp = difference(ru) <= 0n && (ru === 0 || difference(neighbour(ru, dtype, -1)) > 0n);
  expect({ ...said, isDown, isUp }).toEqual({ ...said, isDown: true, isUp: true });
  expect({ ...said, rz }).toEqual({ ...said, rz: rd > 0 ? rd : ru });
  expect([rd, ru]).toContain(rn);
}
