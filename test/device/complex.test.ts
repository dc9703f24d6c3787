// Complex numbers on every device against float64, on random numbers of a printed seed: their parts, arithmetic,
// products, gradients, files, and what is said of operations that do not take them.
import "./cache.ts";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  angle,
  arange,
  canCast,
  cat,
  complex,
  conj,
  dtypes as allDTypes,
  finfo,
  gradients,
  io,
  isdtype,
  linalg,
  isComplex,
  polar,
  resultType,
  stack,
  sub,
  tensor,
  viewAsComplex,
  viewAsReal,
  where,
  zeros,
  type Complex,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";
import { poison, rounded } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const dtypes = ["complex64", "complex128"] as const;
const unit = { complex64: 2 ** -23, complex128: 2 ** -52 };

const of = (re: number, im = 0): Complex => ({ re, im });
const plus = (a: Complex, b: Complex) => of(a.re + b.re, a.im + b.im);
const minus = (a: Complex, b: Complex) => of(a.re - b.re, a.im - b.im);
const times = (a: Complex, b: Complex) => of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
const size = (a: Complex) => Math.hypot(a.re, a.im);
const over = (a: Complex, b: Complex) => {
  const square = b.re ** 2 + b.im ** 2;
  const { re, im } = times(a, of(b.re, -b.im));
  return of(re / square, im / square);
};
const exp = (a: Complex) => of(Math.exp(a.re) * Math.cos(a.im), Math.exp(a.re) * Math.sin(a.im));
const log = (a: Complex) => of(Math.log(size(a)), Math.atan2(a.im, a.re));
const root = (a: Complex) => exp(times(of(0.5), log(a)));

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  /** Random complex numbers that the dtype holds exactly, of sizes around 1. */
  function sample(shape: readonly number[], dtype: (typeof dtypes)[number]) {
    const count = shape.reduce((a, b) => a * b, 1);
    const part = () => rounded(4 * random() - 2, dtype === "complex64" ? "float32" : "float64");
    const values = Array.from({ length: count }, () => of(part(), part()));
    const x = tensor(values, { dtype, device }).reshape([...shape]);
    poison(device, Math.max(1, 2 * count));
    return { x, values };
  }
  const numbers = (x: Tensor): Complex[] => [x.reshape([-1]).toArray()].flat() as Complex[];

  function expectNear(got: Tensor, wanted: readonly Complex[], bound: (at: number) => number): void {
    const found = numbers(got);
    expect(found.length).toBe(wanted.length);
    const wrong = found.flatMap((value, at) => {
      const error = size(minus(value, wanted[at]!));
      return error <= bound(at) ? [] : [{ at, value, wanted: wanted[at], error, bound: bound(at) }];
    });
    expect(wrong.slice(0, 4)).toEqual([]);
  }

  test.each(dtypes)("arithmetic of %s", (dtype) => {
    const [a, b] = [sample([7, 5], dtype), sample([7, 5], dtype)];
    const eps = unit[dtype];
    const each = (form: (x: Complex, y: Complex) => Complex) => a.values.map((x, at) => form(x, b.values[at]!));
    // Roundings of products and sums of parts; a quotient's and a function's errors grow with their terms.
    expectNear(a.x.add(b.x), each(plus), () => 4 * eps);
    expectNear(a.x.sub(b.x), each(minus), () => 4 * eps);
    expectNear(a.x.mul(b.x), each(times), () => 16 * 4 * eps);
    expectNear(a.x.div(b.x), each(over), (at) => (32 * eps * size(a.values[at]!)) / size(b.values[at]!));
    expectNear(
      a.x.square(),
      a.values.map((x) => times(x, x)),
      () => 64 * eps,
    );
    expectNear(
      a.x.reciprocal(),
      a.values.map((x) => over(of(1), x)),
      (at) => (32 * eps) / size(a.values[at]!),
    );
    expectNear(a.x.exp(), a.values.map(exp), () => 32 * eps * Math.exp(2));
    expectNear(a.x.log(), a.values.map(log), (at) => 32 * eps * (1 + Math.abs(Math.log(size(a.values[at]!)))));
    expectNear(a.x.sqrt(), a.values.map(root), () => 32 * eps * 2);
    expectNear(
      a.x.pow(3),
      a.values.map((x) => times(x, times(x, x))),
      () => 64 * eps * 27,
    );
    expectNear(
      a.x.neg(),
      a.values.map((x) => of(-x.re, -x.im)),
      () => 0,
    );
    expectNear(
      conj(a.x),
      a.values.map((x) => of(x.re, -x.im)),
      () => 0,
    );
    expectNear(
      a.x.sin().square().add(a.x.cos().square()),
      a.values.map(() => of(1)),
      () => 512 * eps * Math.exp(4),
    );
    expectNear(
      a.x.cosh().square().sub(a.x.sinh().square()),
      a.values.map(() => of(1)),
      () => 512 * eps * Math.exp(4),
    );
    for (const [got, wanted] of [
      [a.x.abs(), a.values.map(size)],
      [angle(a.x), a.values.map((x) => Math.atan2(x.im, x.re))],
    ] as const) {
      expect(got.dtype).toBe(dtype === "complex64" ? "float32" : "float64");
      const found = got.reshape([-1]).toArray() as number[];
      found.forEach((value, at) => expect(Math.abs(value - wanted[at]!)).toBeLessThanOrEqual(8 * eps * Math.PI));
    }
  });

  test.each(dtypes)("real numbers beside %s, broadcast", (dtype) => {
    const eps = unit[dtype];
    const [a, row] = [sample([3, 4], dtype), sample([4], dtype)];
    const real = a.x.real;
    const reals = a.values.map(({ re }) => of(re));
    const rows = a.values.map((_, at) => row.values[at % 4]!);
    expectNear(
      row.x.add(real),
      reals.map((x, at) => plus(rows[at]!, x)),
      () => 4 * eps,
    );
    expectNear(
      real.sub(row.x),
      reals.map((x, at) => minus(x, rows[at]!)),
      () => 4 * eps,
    );
    expectNear(
      row.x.mul(real),
      reals.map((x, at) => times(rows[at]!, x)),
      () => 16 * eps,
    );
    expectNear(
      real.div(row.x),
      reals.map((x, at) => over(x, rows[at]!)),
      (at) => (64 * eps) / size(rows[at]!),
    );
    expectNear(
      row.x.mul(2).add(1),
      row.values.map((x) => of(2 * x.re + 1, 2 * x.im)),
      () => 8 * eps,
    );
    expectNear(
      sub(1, row.x),
      row.values.map((x) => of(1 - x.re, -x.im)),
      () => 4 * eps,
    );
    expect(row.x.add(tensor([1], { dtype: "float64", device })).dtype).toBe("complex128");
    expect(row.x.mul(tensor([2], { dtype: "int32", device })).dtype).toBe(dtype);
    const copy = row.x.clone();
    copy.mul_(row.x).add_(1);
    expectNear(
      copy,
      row.values.map((x) => plus(times(x, x), of(1))),
      () => 64 * eps,
    );
  });

  test.each(dtypes)("sums and products of matrices of %s", (dtype) => {
    const [a, b] = [sample([3, 6], dtype), sample([6, 4], dtype)];
    const product = Array.from({ length: 12 }, (_, at) =>
      Array.from({ length: 6 }, (_, k) =>
        times(a.values[Math.floor(at / 4) * 6 + k]!, b.values[k * 4 + (at % 4)]!),
      ).reduce(plus),
    );
    const eps = unit[dtype];
    expectNear(a.x.matmul(b.x), product, () => 12 * 12 * 8 * eps);
    const real = a.values.map(({ re }) => of(re));
    const half = Array.from({ length: 12 }, (_, at) =>
      Array.from({ length: 6 }, (_, k) => times(real[Math.floor(at / 4) * 6 + k]!, b.values[k * 4 + (at % 4)]!)).reduce(
        plus,
      ),
    );
    expectNear(a.x.real.matmul(b.x), half, () => 12 * 12 * 8 * eps);
    expectNear(a.x.sum(), [a.values.reduce(plus)], () => 18 * 18 * 4 * eps);
    expectNear(
      a.x.mean(1),
      [0, 1, 2].map((row) => times(of(1 / 6), a.values.slice(6 * row, 6 * row + 6).reduce(plus))),
      () => 36 * 4 * eps,
    );
    expect(a.x.norm().item()).toBeCloseTo(Math.hypot(...a.values.map(size)), 5);
  });

  test("elements move whole: views, joins, indices, masks", () => {
    for (const dtype of dtypes) {
      const { x, values } = sample([2, 3], dtype);
      const at = (...indices: number[]) => indices.map((index) => values[index]!);
      expect(numbers(x.T)).toEqual(at(0, 3, 1, 4, 2, 5));
      expect(numbers(cat([x, x.slice([0, 1])]))).toEqual([...values, ...at(0, 1, 2)]);
      expect(numbers(stack([x, x], 1)).slice(0, 6)).toEqual([...at(0, 1, 2), ...at(0, 1, 2)]);
      expect(numbers(x.flip(1))).toEqual(at(2, 1, 0, 5, 4, 3));
      expect(numbers(x.gather(1, tensor([[2], [0]], { dtype: "int64", device })))).toEqual(at(2, 3));
      expect(numbers(x.indexSelect(0, [1]))).toEqual(at(3, 4, 5));
      expect(numbers(where(tensor([true, false, true], { device }), x, 0)).slice(0, 3)).toEqual([
        values[0],
        of(0),
        values[2],
      ]);
      expect(numbers(x.tril())).toEqual([values[0], of(0), of(0), values[3], values[4], of(0)]);
      expect(numbers(x.repeat([1, 2])).slice(0, 6)).toEqual([...at(0, 1, 2), ...at(0, 1, 2)]);
      expect(x.eq(x).all().item()).toBe(true);
      expect(x.ne(x.mul(2)).any().item()).toBe(true);
      expect([x.arrayEqual(x), x.allclose(x.mul(1 + 1e-7)), x.allclose(x.mul(2))]).toEqual([true, true, false]);
      const whole = zeros([3], { dtype, device });
      whole.set([1], tensor({ re: 1, im: 2 } as never, { dtype, device }));
      expect(numbers(whole)).toEqual([of(0), of(1, 2), of(0)]);
      expect(numbers(whole.fill_(3))).toEqual([of(3), of(3), of(3)]);
      expect(numbers(x.to(dtype === "complex64" ? "complex128" : "complex64").to(dtype))).toHaveLength(6);
      expect(x.isnan().any().item()).toBe(false);
    }
  });

  test("parts are views, and what is written to one is in the other", () => {
    const x = complex(tensor([1, 2], { device }), tensor([3, 4], { device }));
    expect(viewAsReal(x).toArray()).toEqual([
      [1, 3],
      [2, 4],
    ]);
    x.imag.mul_(10);
    x.real.fill_(7);
    expect(numbers(x)).toEqual([of(7, 30), of(7, 40)]);
    expect(x.T.slice([1]).imag.toArray()).toEqual([40]);
    const pairs = arange(6, { device }).reshape([3, 2]);
    const seen = viewAsComplex(pairs);
    pairs.fill_(1);
    expect(numbers(seen)).toEqual([of(1, 1), of(1, 1), of(1, 1)]);
    expect([isComplex(seen), isComplex(pairs)]).toEqual([true, false]);
    expect(numbers(polar(tensor([2], { device }), tensor([0], { device })))).toEqual([of(2, 0)]);
    expect(x.data()).toEqual(Float32Array.of(7, 30, 7, 40));
    expect(numbers(tensor(Float64Array.of(1, 2, 3, 4), { dtype: "complex128", device }))).toEqual([of(1, 2), of(3, 4)]);
    expect(String(tensor([{ re: 1.5, im: -2 }], { device: "cpu" }))).toBe(
      "tensor([1.5-2.0i], shape [1], complex64, cpu)",
    );
  });

  test("gradients by differences, and of gradients", () => {
    const forms: ((z: Tensor) => Tensor)[] = [
      (z) => z.mul(z).mul(z.conj()).imag,
      (z) => z.div(z.add(3)).real,
      (z) => z.exp().log().imag.add(z.sqrt().real),
      (z) => z.abs().add(z.angle()),
      (z) =>
        z
          .reshape([2, 2])
          .matmul(z.reshape([2, 2]))
          .abs(),
      (z) => viewAsReal(z.sum().mul(z)).square(),
      (z) => z.add(2).pow(2.5).real,
    ];
    for (const form of forms)
      expectGradients((re, im) => form(complex(re!.add(1.5), im!.add(1.5))), [{ shape: [4] }, { shape: [4] }], device);
    const z = tensor([of(1, 2), of(0.5, -1)], { dtype: "complex128", device });
    z.requiresGrad = true;
    // |z|² has the gradient 2 z, and re z² has 2 conj z.
    expect(numbers(gradients(z.abs().square().sum(), [z])[0]!).map((x) => [x.re.toFixed(9), x.im.toFixed(9)])).toEqual([
      ["2.000000000", "4.000000000"],
      ["1.000000000", "-2.000000000"],
    ]);
    const [first] = gradients(z.mul(z).mul(z).real.sum(), [z], { createGraph: true });
    const [second] = gradients(first!.abs().square().sum(), [z]);
    // ∇ Re z³ = 3 conj(z)², whose |·|² = 9 |z|⁴ has the gradient 36 |z|² z.
    const wanted = numbers(z).map((x) => times(of(36 * size(x) ** 2), x));
    expectNear(second!, wanted, (at) => 1e-12 * size(wanted[at]!));
  });

  test("at 0, at infinities and beside cuts", () => {
    const at = (re: number, im: number, dtype: (typeof dtypes)[number] = "complex128") =>
      tensor([of(re, im)], { dtype, device });
    const one = (x: Tensor) => numbers(x).map(({ re, im }) => of(re + 0, im + 0))[0]!; // no −0
    // Powers of 0, and of whole numbers exactly.
    expect([0, 1, 2, 0.5].map((power) => one(at(0, 0).pow(power)))).toEqual([of(1), of(0), of(0), of(0)]);
    expect(one(at(0, 0).pow(tensor([0], { dtype: "float64", device })))).toEqual(of(1));
    expect([one(at(-1, 0).pow(2)), one(at(0, 2).pow(3)), one(at(2, 0).pow(-1))]).toEqual([of(1), of(0, -8), of(0.5)]);
    // C99, annex G.6.3.1 and G.6.4.2.
    expect(one(at(Infinity, 0).exp())).toEqual(of(Infinity));
    expect([one(at(-1, 0).sqrt()), one(at(-4, -0).sqrt()), one(at(0, 0).sqrt())]).toEqual([of(0, 1), of(0, -2), of(0)]);
    expect(one(at(0, 100, "complex64").sin())).toEqual(of(0, Infinity));
    expect(one(at(100, 0, "complex64").sinh())).toEqual(of(Infinity));
    // log(1 + iε) = ε²/2 + iε
    expect(Math.abs(one(at(1, 1e-10).log()).re / 5e-21 - 1)).toBeLessThan(1e-12);
    expect(one(at(3e200, 4e200).log()).re).toBeCloseTo(Math.log(5e200), 12);
    for (const [power, wanted] of [
      [1, of(1)],
      [2, of(0)],
    ] as const) {
      const z = at(0, 0);
      z.requiresGrad = true;
      expect(one(gradients(z.pow(power).real.sum(), [z])[0]!)).toEqual(wanted);
    }
    const z = at(0, 0);
    z.requiresGrad = true;
    expect(one(gradients(z.abs().sum(), [z])[0]!)).toEqual(of(0));
    // ½ z^(−½) on the imaginary axis, conjugated: of i it is (1 + i) / 2√2.
    const i = at(0, 1);
    i.requiresGrad = true;
    const slope = one(gradients(i.sqrt().real.sum(), [i])[0]!);
    expect([slope.re, slope.im].map((each) => Math.abs(each - Math.SQRT1_2 / 2))).toEqual([
      expect.closeTo(0, 14),
      expect.closeTo(0, 14),
    ]);
  });

  // C99, annex G.6.2.4, G.6.2.5 and G.6.3.1, of sin and cos through i · z; "0" stands for a zero of either sign.
  const [inf, nan] = [Infinity, NaN];
  test.each([
    ["exp", [-inf, inf, 0, 0], [-inf, nan, 0, 0], [-inf, 2, 0, 0], [inf, inf, inf, nan], [inf, nan, inf, nan]],
    ["exp", [nan, 0, nan, 0], [nan, 2, nan, nan], [1, inf, nan, nan], [1, nan, nan, nan], [inf, 0, inf, 0]],
    ["cosh", [0, inf, nan, 0], [0, nan, nan, 0], [inf, inf, inf, nan], [inf, nan, inf, nan], [inf, 0, inf, 0]],
    ["cosh", [nan, 0, nan, 0], [nan, 2, nan, nan], [1, inf, nan, nan], [1, nan, nan, nan], [inf, 2, -inf, inf]],
    ["sinh", [0, inf, 0, nan], [0, nan, 0, nan], [inf, inf, inf, nan], [inf, nan, inf, nan], [inf, 0, inf, 0]],
    ["sinh", [nan, 0, nan, 0], [nan, 2, nan, nan], [1, inf, nan, nan], [-inf, nan, -inf, nan], [inf, 2, -inf, inf]],
    ["cos", [inf, 0, nan, 0], [nan, 0, nan, 0], [inf, inf, inf, nan], [nan, inf, inf, nan], [0, inf, inf, 0]],
    ["sin", [inf, 0, nan, 0], [nan, 0, nan, 0], [inf, inf, nan, inf], [nan, inf, nan, inf], [0, nan, 0, nan]],
    // Finite numbers, also where e^x has become 0 or an infinity.
    ["exp", [-1e30, inf, nan, nan], [1e30, nan, nan, nan], [-1e30, nan, nan, nan]],
    ["sinh", [1e30, inf, nan, nan], [-1e30, nan, nan, nan]],
    ["cosh", [1e30, inf, nan, nan], [-1e30, nan, nan, nan]],
  ] as const)("%s at infinities and NaN", (name, ...rows) => {
    const z = dtypes.map((dtype) =>
      tensor(
        rows.map(([re, im]) => of(re, im)),
        { dtype, device },
      ),
    );
    const got = z.map((each) => numbers(each[name]()).map(({ re, im }) => [re + 0, im + 0]));
    expect(got).toEqual(dtypes.map(() => rows.map(([, , re, im]) => [re, im])));
  });

  test("any and all, and norms of every order", () => {
    for (const dtype of dtypes) {
      const rows = [
        [of(0, 0), of(0, -3)],
        [of(0, -0), of(0, 0)],
        [of(NaN, 0), of(3, 4)],
      ];
      const z = tensor(rows, { dtype, device });
      expect([z.any(1), z.all(1)].map((x) => x.toArray())).toEqual([
        [true, false, true],
        [false, false, true],
      ]);
      expect(z.all({ axis: 0, keepdims: true }).toArray()).toEqual([[false, false]]);
      expect([z.any().item(), z.all().item()]).toEqual([true, false]);
      const magnitudes = tensor([5, 0, 13, 1], { dtype: dtype === "complex64" ? "float32" : "float64", device });
      const w = tensor([of(3, 4), of(0, 0), of(-5, 12), of(0, -1)], { dtype, device });
      for (const ord of [0, 1, 2, 3, 0.5, -1, Infinity, -Infinity]) {
        const [got, wanted] = [w, magnitudes].map((x) => linalg.vectorNorm(x, { ord }));
        expect([got!.dtype, got!.toArray()], String(ord)).toEqual([wanted!.dtype, wanted!.toArray()]);
      }
    }
  });

  test("elements that differ, rows that do, and what is among others", () => {
    for (const dtype of dtypes) {
      // Few enough to meet, in the order of the real parts, then of the imaginary ones.
      const part = () => Math.floor(random() * 3) - 1 + 0;
      const values = Array.from({ length: 40 }, () => of(part(), part()));
      poison(device, 80);
      const x = tensor(values, { dtype, device }).reshape([5, 8]) as Tensor;
      const same = (a: Complex, b: Complex) => a.re === b.re && a.im === b.im;
      const order = (a: Complex, b: Complex) => a.re - b.re || a.im - b.im;
      const wanted = values.filter((z, at) => values.findIndex((other) => same(other, z)) === at).sort(order);
      const { values: found, indices, inverse, counts } = x.unique();
      expect(numbers(found)).toEqual(wanted);
      expect(indices.toArray()).toEqual(wanted.map((z) => BigInt(values.findIndex((other) => same(other, z)))));
      expect(inverse.shape).toEqual([5, 8]);
      expect(inverse.reshape([-1]).toArray()).toEqual(
        values.map((z) => BigInt(wanted.findIndex((other) => same(other, z)))),
      );
      expect(counts.toArray()).toEqual(wanted.map((z) => BigInt(values.filter((other) => same(other, z)).length)));
      const rows = x.indexSelect(0, [3, 1, 3]) as Tensor;
      const firsts = [1, 3].map((row) => values.slice(8 * row, 8 * row + 8));
      const isBefore = (a: readonly Complex[], b: readonly Complex[]) =>
        order(a[a.findIndex((z, at) => !same(z, b[at]!))]!, b[a.findIndex((z, at) => !same(z, b[at]!))]!);
      const sorted = firsts.toSorted(isBefore);
      expect(numbers(rows.unique(0).values)).toEqual(sorted.flat());
      expect(rows.unique(0).inverse.toArray()).toEqual(
        [firsts[1], firsts[0], firsts[1]].map((row) => BigInt(sorted.indexOf(row!))),
      );
      const unknown = tensor([of(NaN, 1), of(1, NaN), of(NaN, 1), of(0, -0), of(-0, 0)], { dtype, device });
      expect(unknown.unique().counts.toArray().toSorted()).toEqual([1n, 1n, 1n, 2n]);
      expect(numbers(x.reshape([-1]).repeatInterleave(2).uniqueConsecutive().values).length).toBeLessThanOrEqual(40);

      const others = values.slice(0, 4);
      const isIn = values.map((z) => others.some((other) => same(other, z)));
      const among = tensor(others, { dtype, device }) as Tensor;
      expect(x.isin(among).reshape([-1]).toArray()).toEqual(isIn);
      expect(x.isin(among, { invert: true }).reshape([-1]).toArray()).toEqual(isIn.map((each) => !each));
      expect(unknown.isin(unknown).toArray()).toEqual([false, false, false, true, true]);
      expect(among.real.isin(tensor([of(5)], { dtype, device }) as Tensor).toArray()).toEqual([
        false,
        false,
        false,
        false,
      ]);
      const none = tensor([of(1)], { dtype, device }).slice([0, 0]) as Tensor;
      expect([none.unique().values.shape, none.isin(among).shape, x.isin(none).any().item()]).toEqual([
        [0],
        [0],
        false,
      ]);
    }
  });

  test("what real numbers of every dtype become, and what is known of the dtypes", () => {
    const real = (Object.keys(allDTypes) as DType[]).filter((each) => !isdtype(each, "complex floating"));
    for (const from of real)
      for (const to of dtypes) {
        const x = tensor(from === "bool" ? [true, false] : [3, 0], { dtype: from, device });
        expect(numbers(x.to(to)), `${from} to ${to}`).toEqual([of(from === "bool" ? 1 : 3), of(0)]);
        expect(x.to(to).dtype).toBe(to);
      }
    const third = rounded(1 / 3, "float32");
    expect(numbers(tensor([of(1 / 3, -1 / 3)], { dtype: "complex128", device }).to("complex64"))).toEqual([
      of(third, -third),
    ]);
    expect([canCast("float32", "complex64"), canCast("complex64", "float64"), canCast("float64", "complex64")]).toEqual(
      [true, false, false],
    );
    expect([finfo("complex64").dtype, resultType("complex64", "float64")]).toEqual(["float32", "complex128"]);
  });

  test("through files", async () => {
    const ones = (await io.load(fileURLToPath(new URL("files/complex.npy", import.meta.url)), { device })) as Tensor;
    expect([ones.dtype, numbers(ones)]).toEqual(["complex64", [of(1), of(1)]]);
    const header = "{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }".padEnd(117) + "\n";
    const big = Buffer.concat([
      Buffer.from("\x93NUMPY\x01\0", "latin1"),
      Buffer.of(118, 0),
      Buffer.from(header),
      Buffer.alloc(8),
    ]);
    big.writeFloatBE(1, 128);
    big.writeFloatBE(-2, 132);
    expect(numbers((await io.load(big, { device })) as Tensor)).toEqual([of(1, -2)]);
    const { x, values } = sample([2, 3], "complex64");
    const bytes = await io.encode("safetensors", { x });
    expect(numbers(((await io.load(bytes, { device })) as Record<string, Tensor>)["x"]!)).toEqual(values);
    const npy = await io.load(await io.encode("npy", x.to("complex128")), { device });
    expect([(npy as Tensor).dtype, (npy as Tensor).shape, numbers(npy as Tensor)]).toEqual([
      "complex128",
      [2, 3],
      values,
    ]);
  });

  const z = zeros([2], { dtype: "complex64", device });
  test.each<[() => unknown, string]>([
    [() => z.maximum(z), "maximum takes real numbers but got complex64: take x.real, x.imag, abs() or angle()."],
    [() => z.to("float32"), "complex64 does not become float32 by itself: take x.real, x.imag, abs() or angle()."],
    [() => zeros([2], { device }).copy_(z), "complex64 does not become float32 by itself"],
    [() => zeros([2], { device }).mul_(z), "complex64 does not become float32 by itself"],
    [() => zeros([2], { device }).imag, "imag takes complex numbers but got float32."],
    [() => viewAsReal(zeros([2], { device }) as never), "viewAsReal takes complex numbers but got float32."],
    [
      () => viewAsComplex(zeros([3], { device })),
      "viewAsComplex takes tensors of shape […, 2] whose pairs lie side by side but got [3] with strides [1]",
    ],
    [
      () => viewAsComplex(zeros([2, 2], { device, dtype: "float16" })),
      'viewAsComplex takes float32 or float64 but got float16: convert it, e.g. with .to("float32").',
    ],
    [() => complex(tensor([1], { dtype: "int32", device }), 1), "complex takes float32 or float64 but got int32"],
    [() => z.sort(), "sort takes numbers that compute but got complex64: take x.real, x.imag, abs() or angle()."],
    [() => z.max(), "max takes numbers that compute but got complex64: take x.real, x.imag, abs() or angle()."],
    [() => z.cummax(), "cummax takes numbers that compute but got complex64: take x.real, x.imag, abs() or angle()."],
    [() => z.quantile(0.5), "quantile takes"],
  ])("a sentence for what does not take them %#", (act, sentence) => {
    expect(act).toThrow(sentence);
  });
});
