// What the table of cases does not say of functions that are seldom wanted: parts of floats, zeta below 0, the gradients
// of all, and the sentences of their errors, on every device.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  aminmax,
  fmax,
  fmin,
  frexp,
  grad,
  gradients,
  ldexp,
  tensor,
  vander,
  zeros,
  zeta,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { rounded } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { numbersOf } from "./samples.ts";
import { zeta as reference } from "./special.ts";

const random = seeded(freshSeed());
const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const doubles = (values: readonly number[]): Tensor => tensor(values, { dtype: "float64", device });

  test.each(floats)("mantissas and exponents of %s, of all magnitudes and of none", (dtype) => {
    const most = dtype === "float64" ? 1000 : dtype === "float16" ? 14 : 120;
    const values = Array.from({ length: 1000 }, () =>
      rounded((random() - 0.5) * 2 ** Math.round((2 * random() - 1) * most), dtype),
    );
    const least = { float32: 2 ** -149, float64: 2 ** -1074, float16: 2 ** -24, bfloat16: 2 ** -133 }[
      dtype as "float32"
    ];
    const x = tensor([...values, least, -least * 3, 1, -0.5, 2], { dtype, device });
    const { mantissa, exponent } = frexp(x);
    expect([mantissa.dtype, exponent.dtype]).toEqual([dtype, "int32"]);
    const [m, e] = [numbersOf(mantissa), numbersOf(exponent)];
    for (const [index, value] of numbersOf(x).entries()) {
      // In two steps: 2^1024 is infinite, 2^-1074 the least.
      const half = Math.trunc(e[index]! / 2);
      expect(m[index]! * 2 ** half * 2 ** (e[index]! - half)).toBe(value);
      if (value !== 0) expect(Math.abs(m[index]!) >= 0.5 && Math.abs(m[index]!) < 1).toBe(true);
    }
    const ends = frexp(tensor([0, -0, Infinity, -Infinity, NaN], { dtype, device }));
    expect(numbersOf(ends.mantissa)).toEqual([0, -0, Infinity, -Infinity, NaN]);
    expect(numbersOf(ends.exponent)).toEqual([0, 0, 0, 0, 0]);
    const views = x.slice([0, 1000]).reshape([25, 40]).T;
    expect(numbersOf(frexp(views).mantissa)).toEqual(numbersOf(frexp(views.contiguous()).mantissa));
    expect(frexp(zeros([0, 3], { dtype, device })).exponent.shape).toEqual([0, 3]);
  });

  test.each(["float32", "float64"] as const)("numbers of %s times powers of 2, rounded once", (dtype) => {
    const [least, most] = dtype === "float32" ? [-149, 127] : [-1074, 1023];
    const exponents = Array.from({ length: 500 }, () => Math.round((2 * random() - 1) * 1.2 * most));
    const mantissas = exponents.map(() => rounded(random() - 0.5, dtype));
    // In two steps, of which the second alone rounds: 2^n may be infinite or 0.
    const exact = (x: number, n: number): number => {
      const half = Math.trunc(n / 2);
      return rounded(x * 2 ** half * 2 ** (n - half), dtype);
    };
    const x = tensor(mantissas, { dtype, device });
    const n = tensor(exponents, { dtype: "int32", device });
    const y = ldexp(x, n);
    expect(y.dtype).toBe(dtype);
    expect(numbersOf(y)).toEqual(mantissas.map((value, index) => exact(value, exponents[index]!)));
    // Where the power alone is no number of the dtype.
    const ends = ldexp(
      tensor([2 ** least, 2 ** -20, 1, 0, Infinity, NaN, -1], { dtype, device }),
      tensor([most - least, least + 19, 5e9, 5e9, -5e9, 1, -5e9], { dtype: "float64", device }).to(dtype),
    );
    expect(numbersOf(ends)).toEqual([2 ** most, 0, Infinity, 0, Infinity, NaN, -0]);
    expect(numbersOf(ldexp(tensor([1, 3], { dtype, device }), 0.5))).toEqual(
      [1, 3].map((value) => expect.closeTo(value * Math.SQRT2, dtype === "float32" ? 6 : 14)),
    );
    expect(numbersOf(ldexp(3, tensor([1, -1], { dtype, device })))).toEqual([6, 1.5]);
  });

  test("zeta: what is known, a recurrence, and below 0 whole exponents", () => {
    const near = (got: Tensor, wanted: readonly number[], units: number) =>
      numbersOf(got).forEach((value, index) =>
        expect(Math.abs(value - wanted[index]!)).toBeLessThanOrEqual(units * 2 ** -53 * Math.abs(wanted[index]!)),
      );
    near(
      zeta(doubles([2, 4, 2, 6]), doubles([1, 1, 0.5, 1])),
      [Math.PI ** 2 / 6, Math.PI ** 4 / 90, Math.PI ** 2 / 2, Math.PI ** 6 / 945],
      16,
    );
    const s = Array.from({ length: 100 }, () => 1.5 + 10 * random());
    const q = s.map(() => 0.2 + 20 * random());
    const less = zeta(doubles(s), doubles(q)).sub(zeta(doubles(s), doubles(q).add(1)));
    // Each of both is a sum of up to s + 9 terms and as large as ζ(s, q).
    numbersOf(less).forEach((value, index) =>
      expect(Math.abs(value - q[index]! ** -s[index]!)).toBeLessThanOrEqual(
        2 ** -53 * 200 * reference(s[index]!, q[index]!),
      ),
    );
    const below = [-0.5, -1.25, -7.75, -100.5];
    for (const exponent of [2, 3, 5])
      numbersOf(zeta(exponent, doubles(below))).forEach((value, index) => {
        let [sum, size] = [0, 0];
        let at = below[index]!;
        for (; at < 0; at += 1) {
          sum += at ** -exponent;
          size += Math.abs(at) ** -exponent;
        }
        const above = reference(exponent, at);
        // Three sums, of at most s + 9 terms before the rest, each beside the largest of them.
        expect(Math.abs(value - sum - above)).toBeLessThanOrEqual(
          2 ** -53 * 240 * (size + above + reference(exponent, 1 - below[index]!)),
        );
      });
    expect(numbersOf(zeta(doubles([2.5, 2, 3, 1, 0.5, NaN]), doubles([-0.5, 0, -4, 3, 3, 1])))).toEqual([
      NaN,
      Infinity,
      Infinity,
      Infinity,
      NaN,
      NaN,
    ]);
    expect(zeta(2, tensor([1], { dtype: "int32", device })).dtype).toBe("float32");
  });

  test("gradients of all of them, and theirs", () => {
    const x = doubles([-3.2, -0.7, 0.4, 1.9]);
    for (const name of ["erfcx", "ndtr", "logNdtr"] as const)
      expectGradients((each) => each![name](), [x], { twice: true });
    expectGradients((each) => zeta(3, each!), [doubles([0.7, 2.5, -1.3])], { twice: true });
    expectGradients((each) => zeta(doubles([2, 4.5, 3]), each!), [doubles([0.7, 2.5, 1.3])], { twice: true });
    expectGradients((a, b) => ldexp(a!, b!), [x, doubles([1, -2, 0.5, 3])], { twice: true });
    expectGradients((each) => frexp(each!).mantissa, [x]);
    expectGradients((a, b) => fmax(a!, b!).add(fmin(a!, b!).mul(2)), [x, doubles([1, -2, 3, -4])]);
    const slope = (at: number) => grad((each: Tensor) => each.logNdtr().sum())(doubles([at])).item() as number;
    expect([slope(-1e150), slope(1e3)]).toEqual([expect.closeTo(1e150, -136), 0]);
    // Equal elements, and NaN on either side.
    const [a, b] = [doubles([1, NaN, 2, NaN]), doubles([1, 1, NaN, NaN])];
    for (const each of [a, b]) each.requiresGrad = true;
    for (const of of [fmax, fmin])
      expect(gradients(of(a, b).sum(), [a, b]).map(numbersOf)).toEqual([
        [1, 0, 1, 1],
        [0, 1, 0, 0],
      ]);
  });

  test("Vandermonde matrices of lists and batches, and their gradients", () => {
    const x = tensor([-2, 0, 3, 0.5], { device });
    const powers = (list: readonly number[], n: number) =>
      list.map((each) => Array.from({ length: n }, (_, k) => each ** k));
    expect(vander(x, { increasing: true }).toArray()).toEqual(powers([-2, 0, 3, 0.5], 4));
    expect(vander(x, 3).toArray()).toEqual(powers([-2, 0, 3, 0.5], 3).map((row) => row.toReversed()));
    expect(vander(x.reshape([2, 2]), 5, true).toArray()).toEqual([powers([-2, 0], 5), powers([3, 0.5], 5)]);
    expect(vander(tensor([2n, -3n], { device }), { n: 4 }).toArray()).toEqual([
      [8n, 4n, 2n, 1n],
      [-27n, 9n, -3n, 1n],
    ]);
    expect(vander(x, 0).shape).toEqual([4, 0]);
    expect(vander(zeros([0], { device })).shape).toEqual([0, 0]);
    expectGradients((each) => vander(each!, 4), [doubles([0, -1.5, 2])], { twice: true });
    expect(() => vander(zeros([], { device }))).toThrow("vander takes a tensor of at least one axis but got shape [].");
  });

  test("the smallest and the largest at once", () => {
    const x = tensor(
      [
        [1, 5, -2],
        [7, 2, NaN],
      ],
      { device },
    );
    const { min, max } = aminmax(x, 1);
    expect([min.toArray(), max.toArray()]).toEqual([
      [-2, NaN],
      [5, NaN],
    ]);
    const all = x.slice(0).aminmax({ keepdims: true });
    expect([all.min.toArray(), all.max.toArray()]).toEqual([[-2], [5]]);
    const integers = tensor([3n, 2n ** 60n, -4n], { device }).aminmax();
    expect([integers.min.data()[0], integers.max.data()[0]]).toEqual([-4n, 2n ** 60n]);
    expectGradients(
      (each) => each!.aminmax(0).max.mul(2).add(each!.aminmax(0).min),
      [doubles([1, 4, 2, -3, 0, 7]).reshape([3, 2])],
    );
    expect(() => zeros([0], { device }).aminmax()).toThrow("min");
  });

  test("what they refuse", () => {
    const half = zeros([2], { dtype: "float16", device });
    expect(() => half.ldexp(1)).toThrow(
      'ldexp takes float32 or float64 but got float16: convert it, e.g. with .to("float32").',
    );
    const exponent = doubles([2, 3]);
    exponent.requiresGrad = true;
    expect(() => zeta(exponent, 1).sum().backward()).toThrow(
      "zeta has no gradient of its exponent, its first operand.",
    );
  });
});
