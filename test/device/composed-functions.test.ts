// Functions that are made of others, on every device against float64: polynomials, choices, parts, joined blocks,
// slopes, windows, dropout of channels, softmax with noise, pools of powers, positions.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import * as warpcell from "../../native/lib/index.ts";
import {
  alphaDropout,
  arange,
  blockDiag,
  cartesianProd,
  columnStack,
  combinations,
  cosineWindow,
  cumulativeTrapezoid,
  diagEmbed,
  dropout1d,
  dropout2d,
  dropout3d,
  exponentialWindow,
  gaussianWindow,
  generalHamming,
  gradient,
  gumbelSoftmax,
  isneginf,
  isposinf,
  lpPool1d,
  lpPool2d,
  lpPool3d,
  mvlgamma,
  nuttall,
  ones,
  pairwiseDistance,
  randn,
  ravelMultiIndex,
  softmin,
  sphericalBesselJ0,
  tensor,
  tripletMarginWithDistanceLoss,
  unravelIndex,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectNear, floats, indicesOf, numbersOf, sampler, sizeOf, type Wanted } from "./samples.ts";
import { lgamma } from "./special.ts";

const random = seeded(freshSeed());

/** Polynomials by what defines them, at cos θ or by their sums. */
const cosine = (k: number, x: number) => Math.cos(k * Math.acos(x));
const over = (up: (turn: number) => number, down: (turn: number) => number) => (x: number) =>
  up(Math.acos(x)) / down(Math.acos(x));
const choose = (n: number, k: number) =>
  Array.from({ length: k }, (_, i) => (n - i) / (i + 1)).reduce((a, b) => a * b, 1);
const factorial = (n: number) => Array.from({ length: n }, (_, i) => i + 1).reduce((a, b) => a * b, 1);
const sumOf = (count: number, term: (k: number) => number) =>
  Array.from({ length: count }, (_, k) => term(k)).reduce((a, b) => a + b, 0);
const chebyshev: Record<string, (n: number, x: number) => number> = {
  T: (n, x) => cosine(n, x),
  U: (n, x) => over((t) => Math.sin((n + 1) * t), Math.sin)(x),
  V: (n, x) =>
    over(
      (t) => Math.cos((n + 0.5) * t),
      (t) => Math.cos(t / 2),
    )(x),
  W: (n, x) =>
    over(
      (t) => Math.sin((n + 0.5) * t),
      (t) => Math.sin(t / 2),
    )(x),
};
const polynomials: Record<string, (n: number, x: number) => number> = {
  ...Object.fromEntries(Object.entries(chebyshev).map(([kind, of]) => [`chebyshevPolynomial${kind}`, of])),
  ...Object.fromEntries(
    Object.entries(chebyshev).map(([kind, of]) => [
      `shiftedChebyshevPolynomial${kind}`,
      (n: number, x: number) => of(n, 2 * x - 1),
    ]),
  ),
  hermitePolynomialH: (n, x) =>
    factorial(n) *
    sumOf((n >> 1) + 1, (k) => ((-1) ** k * (2 * x) ** (n - 2 * k)) / factorial(k) / factorial(n - 2 * k)),
  hermitePolynomialHe: (n, x) =>
    factorial(n) *
    sumOf((n >> 1) + 1, (k) => ((-1) ** k * x ** (n - 2 * k)) / 2 ** k / factorial(k) / factorial(n - 2 * k)),
  laguerrePolynomialL: (n, x) => sumOf(n + 1, (k) => (choose(n, k) * (-x) ** k) / factorial(k)),
  legendrePolynomialP: (n, x) => sumOf(n + 1, (k) => choose(n, k) ** 2 * (x - 1) ** (n - k) * (x + 1) ** k) / 2 ** n,
};

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const sample = sampler(random, device);
  const doubles = (list: unknown) => tensor(list as number[], { dtype: "float64", device }) as Tensor;
  const numbers = (...values: number[]) => tensor(values, { device });

  test.each(Object.entries(polynomials))("%s of all small degrees", (name, of) => {
    const run = (warpcell as unknown as Record<string, (x: Tensor, n: number) => Tensor>)[name]!;
    for (const dtype of ["float32", "float64"] as const)
      for (let n = 0; n <= 8; n++) {
        const x = sample([3, 5], dtype, name.startsWith("shifted") ? [0.02, 0.98] : [-0.95, 0.95]);
        // Terms of both signs, the largest of which is about that of the alternating sum at 1, and n roundings of each.
        const size = Math.max(1, ...x.values.map((each) => Math.abs(of(n, each))));
        const largest = name.startsWith("hermite") ? factorial(n) * 4 ** n : 4 ** n;
        const bound = 8 * (n + 1) * 2 * (roundoff[dtype]! * size * (n + 1) * 4 + 2 ** -53 * largest * 40);
        numbersOf(run(x.x, n)).forEach((value, at) =>
          expect(Math.abs(value - of(n, x.values[at]!)), `${name} ${n} of ${x.values[at]}`).toBeLessThanOrEqual(bound),
        );
      }
    expect(run(tensor([2], { dtype: "int32", device }), 1).dtype).toBe("float32");
    expectGradients((x) => run(x!, 4), [doubles([0.2, 0.55, 0.7])], { twice: true });
    expect(() => run(numbers(1), -1)).toThrow(`${name} takes a whole number of at least 0 as n but got -1.`);
  });

  test("choices of elements of lists", () => {
    const [a, b, c] = [numbers(1, 2), numbers(3, 4, 5), numbers(6)];
    expect(cartesianProd(a, b, c).toArray()).toEqual([1, 2].flatMap((x) => [3, 4, 5].map((y) => [x, y, 6])));
    expect(cartesianProd([a, b]).shape).toEqual([6, 2]);
    expect(cartesianProd(b).toArray()).toEqual([3, 4, 5]);
    expect(combinations(b, 3).toArray()).toEqual([[3, 4, 5]]);
    expect(combinations(a, { withReplacement: true }).toArray()).toEqual([
      [1, 1],
      [1, 2],
      [2, 2],
    ]);
    expect([combinations(a, 3).shape, combinations(a, 0).shape]).toEqual([[0, 3], [0]]);
    expectGradients((x) => combinations(x!), [doubles([1, -2, 3])]);
    expect(() => combinations(zeros([2, 2], { device }))).toThrow(
      "combinations takes lists of elements but got shape [2, 2].",
    );
  });

  test("parts of tensors", () => {
    const x = arange(7, { device });
    const parts = (list: Tensor[]) => list.map((each) => each.toArray());
    expect(parts(x.tensorSplit(3))).toEqual([
      [0, 1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(parts(x.tensorSplit([2, 2, -1, 20]))).toEqual([[0, 1], [], [2, 3, 4, 5], [6], []]);
    expect(x.tensorSplit(9).map((each) => each.size)).toEqual([1, 1, 1, 1, 1, 1, 1, 0, 0]);
    const y = sample([4, 6, 2]).x;
    expect(y.hsplit(3).map((each) => each.shape)).toEqual(Array(3).fill([4, 2, 2]));
    expect(y.vsplit([1]).map((each) => each.shape)).toEqual([
      [1, 6, 2],
      [3, 6, 2],
    ]);
    expect(y.dsplit(2).map((each) => each.shape)).toEqual(Array(2).fill([4, 6, 1]));
    expect(parts(numbers(1, 2, 3, 4).hsplit(2))).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(numbersOf(warpcell.cat(y.tensorSplit(4, 1), 1))).toEqual(numbersOf(y));
    expect(() => x.tensorSplit(0)).toThrow("tensorSplit takes a number of parts, or places to cut at, but got 0.");
    expect(() => y.hsplit(4)).toThrow(
      "hsplit takes a number of parts that divides the 6 elements of axis 1 but got 4: use tensorSplit.",
    );
    expect(() => x.vsplit(1)).toThrow("vsplit takes a tensor of at least 2 axes but got shape [7].");
  });

  test("blocks, columns and diagonals", () => {
    expect(blockDiag([numbers(1, 2), tensor([[3], [4]], { device }), tensor(5, { device })]).toArray()).toEqual([
      [1, 2, 0, 0],
      [0, 0, 3, 0],
      [0, 0, 4, 0],
      [0, 0, 0, 5],
    ]);
    expect(
      columnStack([
        numbers(1, 2),
        tensor(
          [
            [3, 4],
            [5, 6],
          ],
          { device },
        ),
      ]).toArray(),
    ).toEqual([
      [1, 3, 4],
      [2, 5, 6],
    ]);
    expect(() => blockDiag([zeros([1, 2, 3], { device })])).toThrow(
      "blockDiag takes matrices and lists but got shape [1, 2, 3].",
    );
    const x = sample([2, 3], "float32");
    for (const [offset, axes] of [
      [0, [-2, -1]],
      [1, [-2, -1]],
      [-2, [0, 2]],
      [0, [2, 0]],
    ] as const) {
      const y = x.x.diagEmbed(offset, axes);
      expect(numbersOf(y.diagonal({ offset, axes }))).toEqual(x.values);
      expect(numbersOf(y.ne(0)).reduce((a, b) => a + b, 0)).toBe(x.values.filter((each) => each !== 0).length);
    }
    expect(diagEmbed(zeros([0], { device })).shape).toEqual([0, 0]);
    expectGradients((a, b) => blockDiag([a!, b!]).square(), [doubles([[1, 2]]), doubles([[3], [4]])]);
    expectGradients(
      (a) => diagEmbed(a!, 1).square(),
      [
        doubles([
          [1, 2],
          [3, 4],
        ]),
      ],
      { twice: true },
    );
    expect(() => x.x.diagEmbed(0, [1, 1])).toThrow("diagEmbed takes two different axes but got [1, 1].");
    expect(() => tensor(1, { device }).diagEmbed()).toThrow("diagEmbed takes a tensor with axes but got one without.");
  });

  test.each(floats)("slopes and areas of %s", (dtype) => {
    const x = sample([3, 6], dtype);
    const places = [0, 0.5, 2, 2.25, 4, 7];
    const rows = [0, 1, 2].map((row) => x.values.slice(6 * row, 6 * row + 6));
    for (const [spacing, at] of [
      [1, [0, 1, 2, 3, 4, 5]],
      [0.25, [0, 0.25, 0.5, 0.75, 1, 1.25]],
      [tensor(places, { device }), places],
    ] as const)
      for (const edgeOrder of [1, 2] as const) {
        // The slope at t of the parabola through three points, by Lagrange's formula.
        const slope = (row: number[], from: number, t: number): Wanted => {
          const [i, j, k] = [at[from]!, at[from + 1]!, at[from + 2]!];
          const terms = [
            (row[from]! * (2 * t - j - k)) / (i - j) / (i - k),
            (row[from + 1]! * (2 * t - i - k)) / (j - i) / (j - k),
            (row[from + 2]! * (2 * t - i - j)) / (k - i) / (k - j),
          ];
          return [terms[0]! + terms[1]! + terms[2]!, Math.max(...terms.map(Math.abs), 32)];
        };
        const line = (row: number[], from: number): Wanted => [
          (row[from + 1]! - row[from]!) / (at[from + 1]! - at[from]!),
          32,
        ];
        const wanted = rows.flatMap((row) => [
          edgeOrder === 1 ? line(row, 0) : slope(row, 0, at[0]!),
          ...[1, 2, 3, 4].map((i) => slope(row, i - 1, at[i]!)),
          edgeOrder === 1 ? line(row, 4) : slope(row, 3, at[5]!),
        ]);
        expectNear(gradient(x.x, { spacing, edgeOrder } as never), [3, 6], wanted, 16);
        expectNear(gradient(x.x.T, { spacing, edgeOrder, axis: 0 } as never).T, [3, 6], wanted, 16);
      }
    const areas = rows.flatMap((row) => {
      let [sum, size] = [0, 0];
      return row.slice(1).map((value, i): Wanted => {
        const area = ((value + row[i]!) / 2) * (places[i + 1]! - places[i]!);
        [sum, size] = [sum + area, size + Math.abs(area) + 1];
        return [sum, size];
      });
    });
    expectNear(cumulativeTrapezoid(x.x, { x: tensor(places, { dtype, device }) }), [3, 5], areas, 8);
  });

  test("slopes and areas have gradients, and say what they refuse", () => {
    const y = doubles([1, -2, 0.5, 3]);
    expectGradients((a) => gradient(a!, { edgeOrder: 2 }).square(), [y], { twice: true });
    expectGradients((a, b) => gradient(a!, { spacing: b! }), [y, doubles([0, 1, 2.5, 3])]);
    expectGradients((a) => cumulativeTrapezoid(a!).square(), [y]);
    expect(gradient(numbers(1, 3)).toArray()).toEqual([2, 2]);
    expect(() => gradient(numbers(1, 2), { edgeOrder: 2 })).toThrow(
      "gradient takes at least 3 points along axis 0 but got 2.",
    );
    expect(() => gradient(numbers(1, 2), { spacing: numbers(1) })).toThrow(
      "gradient takes a list of places as spacing, one for each of the 2 points along axis 0, but got shape [1].",
    );
  });

  test("windows", () => {
    const bell = (std: number) => (k: number, steps: number) => Math.exp(-(((k - steps / 2) / std) ** 2) / 2);
    for (const [name, make, of] of [
      ["gaussian", (n: number, o: object) => gaussianWindow(n, { std: 1.7, ...o }), bell(1.7)],
      ["gaussian of 1", gaussianWindow, bell(1)],
      [
        "exponential",
        (n: number, o: object) => exponentialWindow(n, { tau: 3, ...o }),
        (k: number, s: number) => Math.exp(-Math.abs(k - s / 2) / 3),
      ],
      ["cosine", cosineWindow, (k: number, s: number) => Math.sin((Math.PI / (s + 1)) * (k + 0.5))],
      [
        "general Hamming",
        (n: number, o: object) => generalHamming(n, { alpha: 0.7, ...o }),
        (k: number, s: number) => 0.7 - 0.3 * Math.cos((2 * Math.PI * k) / s),
      ],
      [
        "nuttall",
        nuttall,
        (k: number, s: number) =>
          [0.3635819, -0.4891775, 0.1365995, -0.0106411].reduce(
            (sum, a, i) => sum + a * Math.cos((2 * Math.PI * k * i) / s),
            0,
          ),
      ],
    ] as const)
      for (const periodic of [false, true]) {
        const steps = periodic ? 9 : 8;
        numbersOf(make(9, { periodic, dtype: "float64", device } as never) as Tensor).forEach((value, k) =>
          expect(Math.abs(value - of(k, steps)), name).toBeLessThanOrEqual(2 ** -48),
        );
        expect((make(1, { periodic, device } as never) as Tensor).toArray()).toEqual([1]);
      }
  });

  test("dropout of channels, and for selu", () => {
    for (const [drop, shape] of [
      [dropout1d, [6, 50, 3]],
      [dropout2d, [50, 2, 3]],
      [dropout3d, [5, 40, 1, 2, 2]],
    ] as const) {
      const axes = shape.length - (drop === dropout2d ? 1 : 2);
      const y = drop(ones(shape, { device }), { p: 0.25, seed: 5 });
      const each = y.reshape([-1, sizeOf(shape.slice(-axes))]).toArray() as number[][];
      expect(each.every((channel) => new Set(channel).size === 1)).toBe(true);
      expect([...new Set(each.flat())].sort()).toEqual([0, Math.fround(4 / 3)]);
      expect(numbersOf(drop(y, { training: false }))).toEqual(numbersOf(y));
    }
    expect(() => dropout2d(ones([2, 2], { device }))).toThrow(
      "dropout2d takes [images, channels, …] or [channels, …] with 2 axes behind the channels but got shape [2, 2].",
    );
    const count = 200_000;
    const x = randn([count], { device, seed: 3 });
    const y = alphaDropout(x, { p: 0.3, seed: 4 });
    const set = numbersOf(y).filter((value, at, all) => all.indexOf(value) !== at).length / count;
    // Shares and moments of so many draws: six of their deviations.
    expect(Math.abs(set - 0.3)).toBeLessThan(6 * Math.sqrt(0.21 / count) + 0.01);
    expect(Math.abs(y.mean().item() as number)).toBeLessThan(6 / Math.sqrt(count));
    expect(Math.abs((y.var().item() as number) - 1)).toBeLessThan(6 * Math.sqrt(4 / count));
    expect(numbersOf(alphaDropout(numbers(1, 2), 1))).toEqual([0, 0]);
    expect(numbersOf(alphaDropout(numbers(1, 2), { training: false }))).toEqual([1, 2]);
    expectGradients((each) => dropout1d(each!.reshape([1, 3, 2]), { seed: 2 }), [doubles([1, 2, 3, 4, 5, 6])]);
    expectGradients((each) => alphaDropout(each!, { seed: 2 }), [doubles([1, 2, 3, 4])]);
  });

  test("softmax of negated scores, and with noise", () => {
    const x = sample([3, 4], "float64");
    expect(numbersOf(softmin(x.x, 0))).toEqual(numbersOf(x.x.neg().softmax(0)));
    const scores = doubles([0, Math.log(3)]).expand([20_000, 2]);
    const hard = gumbelSoftmax(scores, { hard: true, seed: 1 });
    expect(numbersOf(hard.sum(-1).unique().values)).toEqual([1]);
    // A share of three quarters, within six deviations.
    const share = hard.get(null, 1).mean().item() as number;
    expect(Math.abs(share - 0.75)).toBeLessThan(6 * Math.sqrt(0.1875 / 20_000));
    const soft = gumbelSoftmax(scores, { tau: 0.5, seed: 1 });
    expect(soft.argmax(1).eq(hard.argmax(1)).all().item()).toBe(true);
    expectGradients((each) => gumbelSoftmax(each!, { tau: 0.7, seed: 2 }), [doubles([[1, 2, 0.5]])], { twice: true });
    const leaf = doubles([[1, 2, 0.5]]);
    leaf.requiresGrad = true;
    const slope = (isHard: boolean) =>
      numbersOf(
        warpcell.gradients(
          gumbelSoftmax(leaf, { hard: isHard, seed: 2 })
            .mul(doubles([1, 3, 5]))
            .sum(),
          [leaf],
        )[0]!,
      );
    expect(slope(true)).toEqual(slope(false));
  });

  test.each(floats)("pools of powers of %s", (dtype) => {
    const x = sample([2, 3, 6], dtype, [0.25, 2]);
    const wanted = indicesOf([2, 3, 3]).map(([i, j, k]): Wanted => {
      const window = [0, 1].map((d) => x.values[(i! * 3 + j!) * 6 + 2 * k! + d]! ** 3);
      return [Math.cbrt(window[0]! + window[1]!), 4];
    });
    expectNear(lpPool1d(x.x, 3, 2), [2, 3, 3], wanted, 16);
  });

  test("pools of powers: windows, borders, gradients, refusals", () => {
    expect(lpPool1d(numbers(3, 4, 0, 5, 1).reshape([1, 5]), 2, 2, { ceilMode: true }).toArray()).toEqual([[5, 5, 1]]);
    expect(lpPool2d(ones([1, 1, 4, 4], { device }), 2, [2, 2], { stride: 1 }).shape).toEqual([1, 1, 3, 3]);
    expect(lpPool3d(ones([1, 2, 2, 2, 2], { device }), 1, 2).toArray()).toEqual([[[[[8]]], [[[8]]]]]);
    expectGradients((x) => lpPool1d(x!, 3, 2), [doubles([[[1, 2, 0.5, 3]]])], { twice: true });
    const x = zeros([1, 1, 2], { device });
    x.requiresGrad = true;
    expect(warpcell.gradients(lpPool1d(x, 2, 2).sum(), [x])[0]!.toArray()).toEqual([[[0, 0]]]);
    expect(() => lpPool2d(ones([1, 1, 2, 2], { device }), 0, 2)).toThrow("lpPool2d takes a p above 0 but got 0.");
  });

  test("positions and indices", () => {
    const positions = tensor([0, 5, 23, 17], { dtype: "int64", device });
    const indices = unravelIndex(positions, [2, 3, 4]);
    expect(indices.map((each) => numbersOf(each))).toEqual([
      [0, 0, 1, 1],
      [0, 1, 2, 1],
      [0, 1, 3, 1],
    ]);
    expect(numbersOf(ravelMultiIndex(indices, [2, 3, 4]))).toEqual([0, 5, 23, 17]);
    expect(() => ravelMultiIndex(indices, [2, 3])).toThrow(
      "ravelMultiIndex takes indices for each of the 2 axes but got 3.",
    );
  });

  test("distances, gamma functions of several, spherical Bessel functions, signs of infinities", () => {
    const [a, b] = [sample([4, 3], "float64"), sample([4, 3], "float64")];
    for (const p of [1, 2, 3])
      numbersOf(pairwiseDistance(a.x, b.x, { p })).forEach((value, row) => {
        const parts = [0, 1, 2].map((i) => Math.abs(a.values[3 * row + i]! - b.values[3 * row + i]! + 1e-6) ** p);
        expect(Math.abs(value - parts.reduce((x, y) => x + y, 0) ** (1 / p))).toBeLessThanOrEqual(2 ** -48);
      });
    expect(pairwiseDistance(a.x, b.x, { keepdims: true }).shape).toEqual([4, 1]);
    const distance = (x: Tensor, y: Tensor) => x.sub(y).abs().sum(-1);
    const far = tripletMarginWithDistanceLoss(numbers(0, 0), numbers(0, 3), numbers(1, 1), { distance, margin: 2 });
    expect(far.item()).toBe(3);
    const swapped = { distance, swap: true, reduction: "sum" } as const;
    expect(tripletMarginWithDistanceLoss(numbers(0, 0), numbers(0, 3), numbers(0, 4), swapped).item()).toBe(3);
    const x = [2.25, 4, 11];
    numbersOf(mvlgamma(doubles(x), 3)).forEach((value, at) => {
      const wanted = 1.5 * Math.log(Math.PI) + [0, 1, 2].map((i) => lgamma(x[at]! - i / 2)).reduce((p, q) => p + q);
      // The reference is right to 2e-14 for each of three.
      expect(Math.abs(value - wanted)).toBeLessThanOrEqual(1e-13 + 2 ** -49 * Math.abs(wanted));
    });
    const at = [0, 1e-5, -0.3, 0.5, 0.51, 2, -7, 1e3];
    numbersOf(sphericalBesselJ0(doubles(at))).forEach((value, index) => {
      const wanted = at[index] === 0 ? 1 : Math.sin(at[index]!) / at[index]!;
      expect(Math.abs(value - wanted)).toBeLessThanOrEqual(2 ** -51);
    });
    expect(numbersOf(sphericalBesselJ0(doubles([Infinity, -Infinity, NaN])))).toEqual([0, 0, NaN]);
    expectGradients((each) => sphericalBesselJ0(each!), [doubles([0, 0.2, -3])], { twice: true });
    expectGradients((each) => mvlgamma(each!, 2), [doubles([2, 3.5])], { twice: true });
    const ends = numbers(Infinity, -Infinity, NaN, 1);
    expect([isposinf(ends).toArray(), isneginf(ends).toArray()]).toEqual([
      [true, false, false, false],
      [false, true, false, false],
    ]);
    expect(isposinf(tensor([1], { dtype: "int32", device })).toArray()).toEqual([false]);
  });
});
