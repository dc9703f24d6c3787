// Functions of complex numbers on every device: against float64, each component for itself; at zeros, infinities and
// NaN against C99 (annex G) and the array API; their gradients and second gradients.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { complex, gradients, tensor, viewAsReal, type Complex, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { poison, rounded } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const dtypes = ["complex64", "complex128"] as const;
type ComplexName = (typeof dtypes)[number];
const partOf = { complex64: "float32", complex128: "float64" } as const;
/** Half the distance from 1 to the next number, of the dtype and of what computes and of the reference. */
const roundoff = { complex64: 2 ** -24, complex128: 2 ** -53 };
const fine = 2 ** -53;
const [inf, nan, pi] = [Infinity, NaN, Math.PI];

type Name = "exp" | "expm1" | "sinh" | "cosh" | "tanh" | "sin" | "cos" | "tan" | "square" | "reciprocal" | "sign";
type Inverse = "log" | "log1p" | "log2" | "log10" | "sqrt" | "asin" | "acos" | "atan" | "asinh" | "acosh" | "atanh";

const of = (re: number, im = 0): Complex => ({ re, im });
const times = (a: Complex, b: Complex) => of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
const plus = (a: Complex, b: number) => of(a.re + b, a.im);
const minus = (a: Complex, b: Complex) => of(a.re - b.re, a.im - b.im);
const size = (a: Complex) => Math.hypot(a.re, a.im);
const over = (a: Complex, b: Complex) => {
  const { re, im } = times(a, of(b.re, -b.im));
  return of(re / size(b) / size(b), im / size(b) / size(b));
};
const cis = ({ re, im }: Complex, factor = 1) =>
  of(factor * Math.exp(re) * Math.cos(im), factor * Math.exp(re) * Math.sin(im));
const sinh = ({ re, im }: Complex) => of(Math.sinh(re) * Math.cos(im), Math.cosh(re) * Math.sin(im));
const cosh = ({ re, im }: Complex) => of(Math.cosh(re) * Math.cos(im), Math.sinh(re) * Math.sin(im));
const sin = ({ re, im }: Complex) => of(Math.sin(re) * Math.cosh(im), Math.cos(re) * Math.sinh(im));
const cos = ({ re, im }: Complex) => of(Math.cos(re) * Math.cosh(im), -Math.sin(re) * Math.sinh(im));
const tan = (z: Complex) => over(sin(z), cos(z));
const tanh = (z: Complex) => over(sinh(z), cosh(z));

/** What each is, and what its parts are sums of: the roundings of those are what may be wrong. */
const forwards: Record<Name, { of(z: Complex): Complex; terms(z: Complex): number }> = {
  exp: { of: cis, terms: (z) => Math.exp(z.re) },
  expm1: {
    of: (z) => of(Math.expm1(z.re) * Math.cos(z.im) - 2 * Math.sin(z.im / 2) ** 2, cis(z).im),
    terms: (z) => Math.abs(Math.expm1(z.re)) + 2 * Math.sin(z.im / 2) ** 2,
  },
  sinh: { of: sinh, terms: (z) => size(sinh(z)) },
  cosh: { of: cosh, terms: (z) => size(cosh(z)) },
  tanh: { of: tanh, terms: (z) => size(tanh(z)) * (1 + 1 / size(cosh(z)) + 1 / size(cosh(z)) ** 2) },
  sin: { of: sin, terms: (z) => size(sin(z)) },
  cos: { of: cos, terms: (z) => size(cos(z)) },
  tan: { of: tan, terms: (z) => size(tan(z)) * (1 + 1 / size(cos(z)) + 1 / size(cos(z)) ** 2) },
  square: { of: (z) => of((z.re - z.im) * (z.re + z.im), 2 * z.re * z.im), terms: () => 0 },
  reciprocal: { of: (z) => over(of(1), z), terms: (z) => 1 / size(z) },
  sign: { of: (z) => over(z, of(size(z))), terms: () => 1 },
};

/** Where principal values lie (C99, 7.3.5 … 7.3.8), what undoes each, and how that changes there. */
const inStrip = (part: "re" | "im", from: number, to: number) => (w: Complex) =>
  w[part] >= from - 1e-6 && w[part] <= to + 1e-6;
const power = (base: number) => (w: Complex) => cis(of(w.re * Math.log(base), w.im * Math.log(base)));
const inverses: Record<
  Inverse,
  { undo(w: Complex): Complex; slope(w: Complex): number; holds(w: Complex): boolean; scale?: number }
> = {
  log: { undo: cis, slope: (w) => Math.exp(w.re), holds: inStrip("im", -pi, pi) },
  log1p: { undo: (w) => forwards.expm1.of(w), slope: (w) => Math.exp(w.re), holds: inStrip("im", -pi, pi) },
  log2: { undo: power(2), slope: (w) => 2 ** w.re, holds: inStrip("im", -pi / Math.LN2, pi / Math.LN2) },
  log10: { undo: power(10), slope: (w) => 3 * 10 ** w.re, holds: inStrip("im", -pi / Math.LN10, pi / Math.LN10) },
  sqrt: { undo: (w) => times(w, w), slope: (w) => 2 * size(w), holds: (w) => w.re >= 0 },
  asin: { undo: sin, slope: (w) => size(cos(w)), holds: inStrip("re", -pi / 2, pi / 2) },
  acos: { undo: cos, slope: (w) => size(sin(w)), holds: inStrip("re", 0, pi) },
  atan: { undo: tan, slope: (w) => 1 / size(cos(w)) ** 2, holds: inStrip("re", -pi / 2, pi / 2) },
  asinh: { undo: sinh, slope: (w) => size(cosh(w)), holds: inStrip("im", -pi / 2, pi / 2) },
  acosh: { undo: cosh, slope: (w) => size(sinh(w)), holds: (w) => w.re >= 0 && inStrip("im", -pi, pi)(w) },
  atanh: { undo: tanh, slope: (w) => 1 / size(cosh(w)) ** 2, holds: inStrip("im", -pi / 2, pi / 2) },
};
const names = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const numbers = (x: Tensor): Complex[] => [x.reshape([-1]).toArray()].flat() as Complex[];
  const tensorOf = (values: readonly Complex[], dtype: ComplexName) => tensor(values, { dtype, device });

  /** Numbers that the dtype holds exactly, of sizes from 2^-12 to 2^4, some of them on an axis. */
  function sample(count: number, dtype: ComplexName, most = 4): Complex[] {
    const part = () =>
      rounded(random() < 0.1 ? 0 : (random() < 0.5 ? -1 : 1) * 2 ** (most - random() * 16), partOf[dtype]);
    const values = Array.from({ length: count }, () => of(part(), part()));
    poison(device, 2 * count);
    return values.map((z) => (z.re === 0 && z.im === 0 ? of(1, -1) : z));
  }

  function expectNear(
    got: readonly Complex[],
    wanted: readonly Complex[],
    bound: (value: number, at: number) => number,
  ): void {
    expect(got.length).toBe(wanted.length);
    const wrong = got.flatMap((value, at) =>
      (["re", "im"] as const).flatMap((part) => {
        const [error, allowed] = [Math.abs(value[part] - wanted[at]![part]), bound(wanted[at]![part], at)];
        return error <= allowed ? [] : [{ at, part, value, wanted: wanted[at], error, allowed }];
      }),
    );
    expect(wrong.slice(0, 4)).toEqual([]);
  }

  describe.each(dtypes)("%s", (dtype) => {
    test.each(names(forwards))("%s, each part rounded once", (name) => {
      const { of: reference, terms } = forwards[name];
      const values = sample(400, dtype);
      // 24 roundings of functions and products, in the kernel and here; sizes here are those of two squares.
      expectNear(
        numbers(tensorOf(values, dtype)[name]()),
        values.map((z) => reference(z)),
        (part, at) => 1.01 * roundoff[dtype] * Math.abs(part) + 48 * fine * (Math.abs(part) + terms(values[at]!)),
      );
    });

    test.each(names(inverses))("%s undone is where it came from", (name) => {
      const { undo, slope, holds } = inverses[name];
      const values = sample(400, dtype);
      const found = numbers(tensorOf(values, dtype)[name]());
      expect(found.filter((w) => !holds(w))).toEqual([]);
      const undone = found.map((w) => undo(w));
      const wrong = values.flatMap((z, at) => {
        const error = size(minus(undone[at]!, z));
        const w = found[at]!;
        // What rounding w does, and the roundings of kernel and reference.
        const own = slope(w) * size(w);
        const bound =
          2 * roundoff[dtype] * own +
          64 * fine * (own + size(z)) +
          4 * (roundoff[dtype] * size(w)) ** 2 * (size(z) + slope(w) ** 2);
        return error <= bound ? [] : [{ z, w, error, bound }];
      });
      expect(wrong.slice(0, 4)).toEqual([]);
    });

    test("powers", () => {
      const [bases, exponents] = [sample(300, dtype, 2), sample(300, dtype, 1)];
      const got = numbers(tensorOf(bases, dtype).pow(tensorOf(exponents, dtype)));
      const logs = bases.map((z, at) => times(exponents[at]!, of(Math.log(size(z)), Math.atan2(z.im, z.re))));
      const wanted = logs.map((log) => cis(log));
      expectNear(got, wanted, (part, at) => {
        const terms = size(exponents[at]!) * (1 + Math.abs(Math.log(size(bases[at]!))) + pi);
        return 1.01 * roundoff[dtype] * Math.abs(part) + 48 * fine * (1 + terms) * size(wanted[at]!);
      });
      const z = tensorOf([of(2, 0), of(0, 0), of(0, 0), of(0, 0), of(-1, 0)], dtype);
      const w = tensorOf([of(0.5, 0), of(2, 1), of(0, 0), of(-1, 0), of(0.5, 0)], dtype);
      const edge = numbers(z.pow(w));
      // As above, of a base 2 and an exponent ½.
      const ofRoot = 1.01 * roundoff[dtype] + 48 * fine * (1 + 0.5 * (1 + Math.LN2 + pi));
      expect(size(minus(edge[0]!, of(Math.SQRT2, 0)))).toBeLessThan(ofRoot * Math.SQRT2);
      expect(edge.slice(1, 4)).toEqual([of(0), of(1), of(nan, nan)]);
      expect(Math.abs(edge[4]!.im - 1)).toBeLessThan(2 * roundoff[dtype]);
      // A number, a real tensor and a broadcast one on either side.
      const one = tensorOf([of(3, 4)], dtype);
      const root = numbers(one.pow(0.5))[0]!;
      expect(size(minus(root, of(2, 1)))).toBeLessThan(16 * roundoff[dtype]);
      const real = tensor([0.5, 1], { dtype: partOf[dtype], device });
      expect(one.pow(real).shape).toEqual([2]);
      expect(size(minus(numbers(one.pow(real))[0]!, root))).toBeLessThan(8 * roundoff[dtype]);
      expect(
        size(
          minus(
            numbers(tensor(2, { dtype: partOf[dtype], device }).pow(one))[0]!,
            cis(times(one.toArray()[0] as Complex, of(Math.LN2))),
          ),
        ),
      ).toBeLessThan(64 * roundoff[dtype] * 8);
    });

    test("products, running products and spreads", () => {
      // Of sizes whose products stay in range.
      const part = () => (random() < 0.5 ? -1 : 1) * rounded(0.5 + random() / 2, partOf[dtype]);
      const values = Array.from({ length: 30 }, () => of(part(), part()));
      poison(device, 60);
      const x = tensorOf(values, dtype).reshape([2, 5, 3]);
      const at = (i: number, j: number, k: number) => values[15 * i + 3 * j + k]!;
      const product = (list: readonly Complex[]) => list.reduce(times, of(1));
      const range = (n: number) => Array.from({ length: n }, (_, each) => each);
      const near = (got: Tensor, wanted: readonly Complex[]) => {
        const found = numbers(got);
        expect(found.length).toBe(wanted.length);
        // Each of up to 30 products errs by 2√2 roundings.
        found.forEach((value, which) =>
          expect(size(minus(value, wanted[which]!))).toBeLessThanOrEqual(
            30 * 4 * roundoff[dtype] * size(wanted[which]!),
          ),
        );
      };
      const columns = range(2).flatMap((i) => range(3).map((k) => product(range(5).map((j) => at(i, j, k)))));
      near(x.prod(1), columns);
      expect(x.prod(1).shape).toEqual([2, 3]);
      expect(x.prod({ axis: [0, 2], keepdims: true }).shape).toEqual([1, 5, 1]);
      near(
        x.prod({ axis: [0, 2] }),
        range(5).map((j) => product(range(2).flatMap((i) => range(3).map((k) => at(i, j, k))))),
      );
      near(x.prod(), [product(values)]);
      expect(
        numbers(
          tensorOf([of(1)], dtype)
            .slice([0, 0])
            .prod(),
        ),
      ).toEqual([of(1)]);
      near(
        x.cumprod(1),
        range(30).map((flat) => {
          const [i, j, k] = [Math.floor(flat / 15), Math.floor(flat / 3) % 5, flat % 3];
          return product(range(j + 1).map((before) => at(i, before, k)));
        }),
      );
      const mean = times(
        values.reduce((a, b) => of(a.re + b.re, a.im + b.im)),
        of(1 / 30),
      );
      const variance = values.reduce((sum, z) => sum + size(minus(z, mean)) ** 2, 0) / 29;
      expect(Math.abs(Number(x.var().item()) / variance - 1)).toBeLessThan(64 * roundoff[dtype]);
      expect(Math.abs(Number(x.std().item()) / Math.sqrt(variance) - 1)).toBeLessThan(64 * roundoff[dtype]);
      expect(x.var().dtype).toBe(partOf[dtype]);
    });
  });

  test("near where terms cancel, and where sizes overflow", () => {
    const at = (name: Name | Inverse, re: number, im: number) =>
      numbers(tensorOf([of(re, im)], "complex128")[name]())[0]!;
    const near = (got: Complex, re: number, im: number) => {
      expect(Math.abs(got.re - re), `${got.re} for ${re}`).toBeLessThanOrEqual(8 * fine * Math.abs(re));
      expect(Math.abs(got.im - im), `${got.im} for ${im}`).toBeLessThanOrEqual(8 * fine * Math.abs(im));
    };
    // log(1 + ε + iδ) ≈ ε + δ²/2 + iδ
    near(at("log", 1, 1e-10), 5e-21, 1e-10);
    near(at("log1p", 1e-20, 1e-12), 1e-20 + 5e-25, 1e-12);
    near(at("expm1", 1e-20, 1e-12), 1e-20 - 5e-25, 1e-12);
    near(at("asin", 1e-20, 1e-30), 1e-20, 1e-30);
    near(at("atanh", 1e-20, -1e-30), 1e-20, -1e-30);
    near(at("asin", 2, 1e-20), pi / 2, Math.log(2 + Math.sqrt(3)));
    near(at("asin", 2, -1e-20), pi / 2, -Math.log(2 + Math.sqrt(3)));
    near(at("acosh", 1 + 2 ** -40, 0), Math.sqrt(2 ** -39) * (1 - 2 ** -40 / 12), 0);
    near(at("atanh", 1, 1e-200), (Math.LN2 + 200 * Math.LN10) / 2, pi / 4);
    near(at("atanh", 1e-3, 1e200), 0, pi / 2);
    near(at("sqrt", 3 * 2 ** 1020, 2 ** 1022), 2 ** 511, 2 ** 510);
    near(at("sqrt", -3 * 2 ** -1040, 2 ** -1038), 2 ** -520, 2 ** -519);
    near(at("log", 1.5e308, 1.5e308), Math.log(1.5e308) + Math.LN2 / 2, pi / 4);
    near(at("exp", 710, pi / 4), Math.exp(709) * (Math.E / Math.SQRT2), Math.exp(709) * (Math.E / Math.SQRT2));
    near(at("asinh", 1e300, 1e300), Math.log(2e300) + Math.LN2 / 2, pi / 4);
    near(at("reciprocal", 1e200, -1e200), 5e-201, 5e-201);
    near(at("sign", 3e200, -4e200), 0.6, -0.8);
    near(at("square", 1 + 2 ** -40, 1 - 2 ** -40), 2 ** -38, 2 - 2 ** -79);
  });

  // "0" stands for a zero of either sign where the standard says no more.
  test.each<[Name | Inverse, ...(readonly [number, number, number, number])[]]>([
    ["exp", [0, 0, 1, 0], [-inf, inf, 0, 0], [inf, nan, inf, nan], [nan, 0, nan, 0]],
    ["expm1", [-0, 0, 0, 0], [inf, 0, inf, 0], [-inf, 1, -1, 0], [-inf, inf, -1, 0], [inf, inf, inf, nan]],
    ["expm1", [1, inf, nan, nan], [1, nan, nan, nan], [-inf, nan, -1, 0], [nan, 0, nan, 0], [nan, 1, nan, nan]],
    ["log", [-0, 0, -inf, pi], [0, 0, -inf, 0], [1, inf, inf, pi / 2], [1, nan, nan, nan], [-inf, 1, inf, pi]],
    ["log", [-inf, inf, inf, (3 * pi) / 4], [inf, inf, inf, pi / 4], [-inf, nan, inf, nan], [nan, inf, inf, nan]],
    ["log1p", [-1, 0, -inf, 0], [1, inf, inf, pi / 2], [inf, 1, inf, 0], [-inf, 1, inf, pi], [nan, inf, inf, nan]],
    ["sqrt", [0, 0, 0, 0], [nan, inf, inf, inf], [-inf, 1, 0, inf], [inf, -1, inf, 0], [-inf, nan, nan, inf]],
    ["sqrt", [inf, nan, inf, nan], [nan, 1, nan, nan], [1, nan, nan, nan], [-4, -0, 0, -2], [-4, 0, 0, 2]],
    ["sinh", [0, inf, 0, nan], [inf, 1e9, inf, inf], [nan, 0, nan, 0], [1, inf, nan, nan]],
    ["tanh", [0, 0, 0, 0], [1, inf, nan, nan], [0, inf, 0, nan], [0, nan, 0, nan], [inf, 1, 1, 0], [-inf, 1, -1, 0]],
    ["tanh", [inf, inf, 1, 0], [inf, nan, 1, 0], [nan, 0, nan, 0], [nan, 1, nan, nan], [1000, 1, 1, 0]],
    ["tan", [1, inf, 0, 1], [inf, 1, nan, nan], [0, nan, 0, nan], [nan, inf, 0, 1], [inf, 0, nan, 0]],
    ["acos", [0, 0, pi / 2, 0], [0, nan, pi / 2, nan], [1, inf, pi / 2, -inf], [1, nan, nan, nan], [-inf, 1, pi, -inf]],
    ["acos", [inf, 1, 0, -inf], [-inf, inf, (3 * pi) / 4, -inf], [inf, inf, pi / 4, -inf], [nan, -inf, nan, inf]],
    ["asin", [0, 0, 0, 0], [1, inf, 0, inf], [inf, 1, pi / 2, inf], [inf, inf, pi / 4, inf], [nan, 1, nan, nan]],
    ["asin", [0, nan, 0, nan], [nan, inf, nan, inf], [2, 0, pi / 2, Math.log(2 + Math.sqrt(3))]],
    ["acosh", [0, 0, 0, pi / 2], [-0, 0, 0, pi / 2], [1, inf, inf, pi / 2], [0, nan, nan, pi / 2], [1, nan, nan, nan]],
    ["acosh", [-inf, 1, inf, pi], [inf, 1, inf, 0], [-inf, inf, inf, (3 * pi) / 4], [inf, nan, inf, nan]],
    ["asinh", [0, 0, 0, 0], [1, inf, inf, pi / 2], [inf, 1, inf, 0], [inf, inf, inf, pi / 4], [inf, nan, inf, nan]],
    ["asinh", [nan, 0, nan, 0], [nan, 1, nan, nan], [nan, inf, inf, nan], [-inf, 1, -inf, 0], [1, nan, nan, nan]],
    ["atanh", [0, 0, 0, 0], [0, nan, 0, nan], [1, 0, inf, 0], [1, inf, 0, pi / 2], [1, nan, nan, nan]],
    [
      "atanh",
      [inf, 1, 0, pi / 2],
      [inf, inf, 0, pi / 2],
      [inf, nan, 0, nan],
      [nan, 1, nan, nan],
      [nan, inf, 0, pi / 2],
    ],
    ["atan", [0, 1, 0, inf], [inf, 1, pi / 2, 0], [1, nan, nan, nan], [nan, 0, nan, 0], [-inf, nan, -pi / 2, 0]],
    ["sign", [0, 0, 0, 0], [-0, -0, 0, 0], [nan, 1, nan, nan], [0, -3, 0, -1]],
    ["reciprocal", [inf, 1, 0, 0], [0, 0, inf, nan], [-0, 0, -inf, nan], [nan, 1, nan, nan]],
  ])("%s at zeros, infinities and NaN", (name, ...rows) => {
    for (const dtype of dtypes) {
      const got = numbers(
        tensorOf(
          rows.map(([re, im]) => of(re, im)),
          dtype,
        )[name](),
      );
      const round = (value: number) => rounded(value, partOf[dtype]) + 0;
      const near = (value: number, wanted: number) =>
        Object.is(value + 0, round(wanted)) ||
        Math.abs(value - round(wanted)) <= 2 * roundoff[dtype] * Math.abs(wanted);
      const wrong = rows.filter(([, , re, im], at) => !near(got[at]!.re, re) || !near(got[at]!.im, im));
      expect(wrong, `${dtype}: ${JSON.stringify(got)}`).toEqual([]);
    }
  });

  test("a zero's sign says on which side of a cut it is", () => {
    const side = (name: Inverse, re: number, im: number) => numbers(tensorOf([of(re, im)], "complex128")[name]())[0]!;
    for (const name of ["log", "sqrt", "acosh"] as const)
      expect([side(name, -2, 0).im > 0, side(name, -2, -0).im < 0], name).toEqual([true, true]);
    expect([side("asin", 2, 0).im > 0, side("asin", 2, -0).im < 0]).toEqual([true, true]);
    expect([side("acos", 2, 0).im < 0, side("acos", 2, -0).im > 0]).toEqual([true, true]);
    expect([side("atanh", 2, 0).im > 0, side("atanh", 2, -0).im < 0]).toEqual([true, true]);
    expect([side("atan", 0, 2).re > 0, side("atan", -0, 2).re < 0]).toEqual([true, true]);
    expect([side("asinh", 0, 2).re > 0, side("asinh", -0, 2).re < 0]).toEqual([true, true]);
  });

  // Off the axes, where no cut is within a step of a difference, and no slope steep.
  const away = (re: Tensor, im: Tensor) => complex(re.mul(0.3).add(0.6), im.mul(0.3).add(0.7));
  test.each([...names(forwards), ...names(inverses)])("gradient and second gradient of %s", (name) => {
    expectGradients((re, im) => viewAsReal(away(re!, im!)[name]()), [{ shape: [3] }, { shape: [3] }], device);
    expectGradients(
      (re, im) => {
        const z = away(re!, im!);
        if (!z.requiresGrad) z.requiresGrad = true;
        const [slope] = gradients(
          viewAsReal(z[name]())
            .mul(tensor([0.7, -0.4], { dtype: "float64", device }))
            .sum(),
          [z],
          { createGraph: true },
        );
        return viewAsReal(slope!);
      },
      [{ shape: [2] }, { shape: [2] }],
      device,
    );
  });

  test("gradients of powers, products and spreads", () => {
    const forms: ((z: Tensor, w: Tensor) => Tensor)[] = [
      (z, w) => viewAsReal(z.pow(w)),
      (z, w) => viewAsReal(z.pow(w.real.slice([0, 1])).mul(w)),
      (z, w) => viewAsReal(z.prod().mul(w)),
      (z, w) => viewAsReal(z.cumprod(0).mul(w)),
      (z, w) => z.var().mul(w.var()),
      (z, w) => z.std().mul(w.std()),
    ];
    for (const form of forms)
      expectGradients(
        (a, b, c, d) => form(away(a!, b!), complex(c!, d!)),
        Array.from({ length: 4 }, () => ({ shape: [3] })),
        device,
      );
    const z = tensorOf([of(0), of(2, 1)], "complex128");
    z.requiresGrad = true;
    const [ofZero] = gradients(viewAsReal(z.sign()).sum(), [z]);
    expect(numbers(ofZero!)[0]).toEqual(of(0));
    const w = tensorOf([of(1), of(2)], "complex128");
    w.requiresGrad = true;
    expect(numbers(gradients(viewAsReal(z.detach().pow(w)).sum(), [w])[0]!)[0]).toEqual(of(0));
  });
});
