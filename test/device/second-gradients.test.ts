// Gradients of gradients where rules by division or by one launch have none: products with zeros, losses and
// normalisation; and gradients at points where a formula has no value but the function has a slope.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  crossEntropy,
  grad,
  gradients,
  layerNorm,
  norm,
  ones,
  polygamma,
  randn,
  rmsNorm,
  tensor,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { freshSeed } from "../helpers/random.ts";

const runSeed = freshSeed();

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const numbers = (list: unknown, dtype: "float32" | "float64" = "float64") =>
    tensor(list as number[], { dtype, device }) as Tensor;

  test("elements that a mask selects", () => {
    const x = numbers([
      [1.5, -0.5, 2],
      [0.25, 3, -1],
    ]);
    const mask = tensor(
      [
        [true, false, true],
        [false, true, true],
      ],
      { device },
    );
    expectGradients((each) => each!.mul(each!).maskedSelect(mask).mul(each!.maskedSelect(mask)), [x], { twice: true });
  });

  test.each([
    ["none", [1.5, 0.5, -2, 3]],
    ["one", [1.5, 0, -2, 3]],
    ["two", [0, 1.5, 0, -2]],
    ["three", [0, 1.5, 0, 0]],
    ["all", [0, 0, 0, 0]],
  ])("products with zeros: %s", (_, row) => {
    const x = numbers([row, [2, -1, 0.5, 1]]);
    expectGradients((each) => each!.prod({ axis: 1 }), [x], { twice: true });
    expectGradients((each) => each!.prod({ axis: 0 }), [x], { twice: true });
    expectGradients((each) => each!.prod(), [x], { twice: true });
    expectGradients((each) => each!.cumprod({ axis: 1 }), [x], { twice: true });
    expectGradients((each) => each!.cumprod({ axis: 0 }), [x], { twice: true });
    expectGradients((each) => each!.reshape([2, 2, 2]).prod({ axis: [0, 2], keepdims: true }), [x], { twice: true });
  });

  test.each([
    ["none", [1.5, 0.5, -2, 3], [1, 2]],
    ["one that comes", [1.5, 0, -2, 3], [1, 2]],
    ["one that was there", [1.5, 0.5, -2, 3], [0, 2]],
    ["two", [0, 1.5, 0, -2], [1, 2]],
    ["both", [0, 1.5, 1, -2], [0, 2]],
    ["three", [0, 0, 0, 3], [1, 2]],
  ])("products at places, with zeros: %s", (_, row, own) => {
    const [x, values] = [numbers(own), numbers(row)];
    const places = tensor([0, 0, 0, 1], { dtype: "int64", device });
    for (const includeSelf of [true, false])
      expectGradients((to, from) => to!.scatter(0, places, from!, { reduce: "prod", includeSelf }), [x, values], {
        twice: true,
      });
  });

  test("products to the third order, and of rows whose length is no power of 2", () => {
    const x = numbers([0, 1.5, 0]);
    const third = grad((a: Tensor) =>
      grad((b: Tensor) => (grad((c: Tensor) => c.prod())(b) as Tensor).mul(numbers([1, 2, 3])).sum())(a)
        .mul(numbers([5, 7, 11]))
        .sum(),
    );
    // Σ over i ≠ j ≠ k of v[i] · w[j], the derivative in k of x₀x₁x₂.
    expect(third(x).toArray()).toEqual([2 * 11 + 3 * 7, 1 * 11 + 3 * 5, 1 * 7 + 2 * 5]);
    expectGradients((each) => each!.cumprod({ axis: 0 }), [numbers([0.5, -1, 0, 2, 1.5, 0, 3])], { twice: true });
    expectGradients((each) => each!.cumprod({ axis: 0 }).add(each!.prod()), [numbers([2])], { twice: true });
  });

  test.each([0, 0.3])("cross entropy with smoothing %f, and classes that do not count", (labelSmoothing) => {
    const x = randn([4, 5], { dtype: "float64", device, seed: runSeed });
    const classes = tensor([1, -100, 4, 0], { dtype: "int64", device });
    for (const reduction of ["mean", "sum", "none"] as const)
      expectGradients((each) => crossEntropy(each!, classes, { labelSmoothing, reduction }), [x], { twice: true });
  });

  test("layer norm and RMS norm, with and without parameters, over one axis and two", () => {
    const x = randn([3, 2, 4], { dtype: "float64", device, seed: runSeed + 1 });
    const [w, b] = [2, 3].map((at) => randn([4], { dtype: "float64", device, seed: runSeed + at })) as [Tensor, Tensor];
    const [wide, shift] = [4, 5].map((at) => randn([2, 4], { dtype: "float64", device, seed: runSeed + at })) as [
      Tensor,
      Tensor,
    ];
    expectGradients((...xs) => layerNorm(xs[0]!, xs[1]!, xs[2]!), [x, w, b], { twice: true });
    expectGradients((...xs) => layerNorm(xs[0]!, xs[1]!, xs[2]!), [x, wide, shift], { twice: true });
    expectGradients((...xs) => rmsNorm(xs[0]!, xs[1]!), [x, w], { twice: true });
  });

  test("a gradient penalty in bfloat16 goes through a norm and a loss", () => {
    const x = randn([4, 8], { dtype: "bfloat16", device, seed: runSeed });
    x.requiresGrad = true;
    const weight = ones([8], { dtype: "bfloat16", device });
    weight.requiresGrad = true;
    const loss = crossEntropy(layerNorm(x, weight), tensor([1, 2, 3, 4], { dtype: "int64", device }));
    const [slope] = gradients(loss, [x], { createGraph: true });
    slope!.to("float32").square().sum().backward();
    expect([x.grad!.dtype, weight.grad!.dtype]).toEqual(["bfloat16", "bfloat16"]);
    expect([x.grad!, weight.grad!].every((each) => each.isfinite().all().item())).toBe(true);
  });

  test("slopes where the formula has none are PyTorch's", () => {
    const slope = (fn: (x: Tensor) => Tensor, at: unknown) => [grad(fn)(numbers(at)).toArray()].flat(3);
    const constant = [3, 3, 3];
    expect(slope((x) => x.std(), constant)).toEqual([0, 0, 0]);
    expect(slope((x) => x.var(), constant)).toEqual([0, 0, 0]);
    expect(slope((x) => x.std({ axis: 1 }).sum(), [constant, [0, 3, 0]])[0]).toBe(0);
    for (const ord of [-1, 0.5, 1, 1.5, 2, 3, 5, Infinity]) {
      expect(slope((x) => norm(x, { ord }), [0, 0])).toEqual([0, 0]);
      const mixed = slope((x) => norm(x, { ord }), [0, 4]);
      expect(mixed).toEqual([0, expect.closeTo(ord === -1 ? 0 : 1, 12)]);
    }
    const both = (fn: (a: Tensor, b: Tensor) => Tensor, a: number, b: number) =>
      (grad(fn)(numbers([a]), numbers([b])) as Tensor[]).map((each) => (each.toArray() as number[])[0]! + 0);
    expect(both((a, b) => a.atan2(b).sum(), 0, 0)).toEqual([0, 0]);
    expect(both((a, b) => a.atan2(b).sum(), 3e200, 4e200).map((each) => each * 1e200)).toEqual([
      expect.closeTo(0.16, 12),
      expect.closeTo(-0.12, 12),
    ]);
    expect(both((a, b) => a.logaddexp(b).sum(), Infinity, 0)).toEqual([1, 0]);
    expect(both((a, b) => a.logaddexp(b).sum(), 0, -Infinity)).toEqual([1, 0]);
    expect(both((a, b) => a.logaddexp2(b).sum(), -Infinity, 7)).toEqual([0, 1]);
    const x = numbers([
      [3, 3, 3],
      [1, 2, 4],
    ]);
    expectGradients((each) => each!.std({ axis: 1 }), [x.slice([1, 2])], { twice: true });
    expectGradients((a, b) => a!.atan2(b!), [numbers([0.3, -2]), numbers([-1, 0.5])], { twice: true });
    expectGradients((a, b) => a!.logaddexp(b!).add(a!.logaddexp2(b!)), [numbers([0.3, -2]), numbers([-1, 0.5])], {
      twice: true,
    });
    for (const ord of [0.5, 3])
      expectGradients(
        (a) => norm(a!, { ord, axis: 1 }),
        [
          numbers([
            [1, -2],
            [0.5, 3],
          ]),
        ],
      );
  });

  test("the slope of lgamma is digamma, and has a slope itself", () => {
    const slopes = (list: number[], dtype: "float32" | "float64") =>
      grad((x: Tensor) => x.lgamma().sum())(numbers(list, dtype)).toArray() as number[];
    // ψ(1) = −γ, ψ(½) = −γ − 2 log 2, ψ(10) and ψ(−½) by recurrence from them, ψ(10⁶) by its series.
    const euler = 0.5772156649015329;
    const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9].reduce((sum, k) => sum + 1 / k, -euler);
    const half = -euler - 2 * Math.LN2;
    const known = [
      [1, -euler],
      [0.5, half],
      [10, ten],
      [-0.5, half + 2],
      [-9.5, [...Array(10).keys()].reduce((sum, k) => sum + 1 / (k + 0.5), half)],
      [1e6, Math.log(1e6) - 0.5e-6 - 1e-12 / 12],
      [1e-3, -1000 - euler + 1e-3 * (Math.PI ** 2 / 6) - 1e-6 * 1.2020569031595942 + 1e-9 * (Math.PI ** 4 / 90)],
    ] as const;
    for (const [dtype, u] of [
      ["float64", 2 ** -53],
      ["float32", 2 ** -24],
    ] as const)
      slopes(
        known.map(([x]) => x),
        dtype,
      ).forEach((value, at) => {
        const [x, wanted] = known[at]!;
        // Some 20 roundings of terms whose sizes add up to less than 40 and 1/|x|; x itself is off by u in float32.
        const bound = u * 40 * (40 + 2 / Math.abs(x) + (Math.abs(wanted) + 10) * 2);
        expect(Math.abs(value - wanted), `${dtype} ${x}: ${value} for ${wanted}`).toBeLessThan(bound);
      });
    expect(slopes([0, -3], "float64")).toEqual([NaN, NaN]);
    expectGradients((x) => x!.lgamma(), [numbers([0.3, 2.5, -1.7, 12])], { twice: true });
  });

  test("slopes of digamma, and of Bessel functions where their formulas divide by 0", () => {
    const x = numbers([0.3, 2.5, -1.7, 12]);
    for (const n of [0, 1, 4]) expectGradients((each) => polygamma(n, each!), [x], { twice: true });
    const at = numbers([0.7, -2, 9.5, -20]);
    for (const name of ["i0e", "i1e"] as const) expectGradients((each) => each![name](), [at], { twice: true });
    const near = numbers([0.7, -2, 3.5]);
    for (const name of ["i0", "i1"] as const) expectGradients((each) => each![name](), [near], { twice: true });
    const slope = (name: "i0" | "i0e" | "i1" | "i1e") =>
      grad((each: Tensor) => each[name]().sum())(numbers([0])).item();
    expect([slope("i0"), slope("i0e"), slope("i1"), slope("i1e")]).toEqual([0, 0, 0.5, 0.5]);
  });

  test("powers of narrow floats do not overflow between", () => {
    const x = zeros([300, 2, 3], { dtype: "float16", device }).add(100);
    expect(norm(x, { ord: 5, axis: 0 }).toArray()).toEqual(
      Array(2).fill(Array(3).fill(Math.fround(Math.round((100 * 300 ** 0.2) / 0.25) * 0.25))),
    );
    expect(norm(x, { ord: 5 }).dtype).toBe("float16");
  });
});
