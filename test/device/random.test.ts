// Random tensors: the same numbers for a seed, ranges, moments, permutations and draws by weight.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  bernoulli,
  full,
  multinomial,
  rand,
  randint,
  randn,
  randperm,
  tensor,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

const flat = (x: Tensor) => [x.reshape([-1]).toArray()].flat().map(Number);
const count = 40_000;
const average = (values: readonly number[], power = 1) =>
  values.reduce((sum, value) => sum + value ** power, 0) / values.length;

describe.each(devices.map(({ name }) => name))("random tensors on %s", (device) => {
  test.each([
    "float32",
    "float64",
    "float16",
    "bfloat16",
  ] as const)("%s: a longer tensor begins with a shorter one, and devices agree", (dtype) => {
    const long = flat(rand(30_001, { dtype, device, seed: 5 }));
    for (const size of [1, 2, 3, 65, 8193])
      expect(flat(rand(size, { dtype, device, seed: 5 }))).toEqual(long.slice(0, size));
    expect(long.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(long).toEqual(flat(rand(30_001, { dtype, device: "cpu", seed: 5 })));
    const normal = flat(randn(30_001, { dtype, device, seed: 5 }));
    const there = flat(randn(30_001, { dtype, device: "cpu", seed: 5 }));
    if (dtype === "float64")
      normal.forEach((value, at) =>
        expect(Math.abs(value - there[at]!)).toBeLessThanOrEqual(1e-14 * (1 + Math.abs(value))),
      );
    else expect(normal).toEqual(there);
    expect(flat(randn(77, { dtype, device, seed: 5 }))).toEqual(normal.slice(0, 77));
  });

  test("normal numbers are those of Box and Muller for the uniform ones of the seed", () => {
    const u = flat(rand(20_000, { dtype: "float64", device, seed: 9 }));
    const z = flat(randn(20_000, { dtype: "float64", device, seed: 9 }));
    for (let i = 0; i < u.length; i += 2) {
      const radius = Math.sqrt(-2 * Math.log(1 - u[i]!));
      const angle = 2 * Math.PI * u[i + 1]!;
      expect(Math.abs(z[i]! - radius * Math.cos(angle))).toBeLessThanOrEqual(4e-15 * (1 + radius));
      expect(Math.abs(z[i + 1]! - radius * Math.sin(angle))).toBeLessThanOrEqual(4e-15 * (1 + radius));
    }
  });

  test("bounds, mean and standard deviation", () => {
    const u = flat(rand(count, { device, seed: 1, low: -2, high: 3 }));
    expect(u.every((value) => value >= -2 && value <= 3)).toBe(true);
    // Five standard errors.
    expect(Math.abs(average(u) - 0.5)).toBeLessThan((5 * 5) / Math.sqrt(12 * count));
    const z = flat(randn(count, { device, seed: 1, mean: 10, std: 2 }));
    expect(Math.abs(average(z) - 10)).toBeLessThan((5 * 2) / Math.sqrt(count));
    expect(
      Math.abs(
        average(
          z.map((value) => (value - 10) / 2),
          2,
        ) - 1,
      ),
    ).toBeLessThan(5 * Math.sqrt(2 / count));
    const x = zeros([3, 4], { device }).transpose();
    expect(x.uniform_({ low: 1, high: 2, seed: 3 })).toBe(x);
    expect(flat(x)).toEqual(flat(rand([4, 3], { low: 1, high: 2, seed: 3, device })));
    expect(flat(x.normal_({ seed: 3 }))).toEqual(flat(randn([4, 3], { seed: 3, device })));
  });

  test("whole numbers", () => {
    const dice = flat(randint(1, 7, count, { device, seed: 2 }));
    for (let face = 1; face <= 6; face++)
      expect(Math.abs(dice.filter((value) => value === face).length - count / 6)).toBeLessThan(
        5 * Math.sqrt((count * 5) / 36),
      );
    expect(dice.every((value) => value >= 1 && value <= 6)).toBe(true);
    expect(flat(randint(1, 7, 101, { device: "cpu", seed: 2 }))).toEqual(dice.slice(0, 101));
    expect(
      flat(randint(-(2 ** 53) + 1, 2 ** 53 - 1, 1000, { device, seed: 2 })).some((value) => Math.abs(value) > 2 ** 51),
    ).toBe(true);
    expect(randint(0, 256, 5, { device, dtype: "uint8", seed: 4 }).toArray()).toEqual(
      flat(randint(0, 256, 5, { device, dtype: "float32", seed: 4 })),
    );
    expect(randint(0, 5, [0, 2], { device }).shape).toEqual([0, 2]);
  });

  test("a permutation has every number once", () => {
    const order = flat(randperm(1000, { device, seed: 6 }));
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    expect(order).not.toEqual([...order].sort((a, b) => a - b));
    expect(order).toEqual(flat(randperm(1000, { device: "cpu", seed: 6 })));
    expect(randperm(0, { device }).shape).toEqual([0]);
  });

  test("draws by probability and by weight", () => {
    const coins = bernoulli(full([count], 0.25, { device }), { seed: 8 });
    expect(coins.dtype).toBe("float32");
    expect(Math.abs(average(flat(coins)) - 0.25)).toBeLessThan(5 * Math.sqrt(0.1875 / count));
    expect(flat(bernoulli(tensor([0, 1], { device })))).toEqual([0, 1]);
    const drawn = multinomial(
      tensor(
        [
          [1, 0, 3],
          [0, 5, 0],
        ],
        { device },
      ),
      20_000,
      { replacement: true, seed: 8 },
    );
    expect(drawn.shape).toEqual([2, 20_000]);
    const [first, second] = drawn.toArray() as bigint[][] as [bigint[], bigint[]];
    expect(Math.abs(first.filter((at) => at === 2n).length / 20_000 - 0.75)).toBeLessThan(
      5 * Math.sqrt(0.1875 / 20_000),
    );
    expect(first).not.toContain(1n);
    expect(second.every((at) => at === 1n)).toBe(true);
    const without = flat(multinomial(tensor([1, 2, 3, 4], { device }), 4, { seed: 8 }));
    expect(without.sort()).toEqual([0, 1, 2, 3]);
  });

  test.each([
    [
      "integers the wrong way round",
      () => randint(3, 3, 2, { device }),
      "randint takes whole numbers, the smaller first, but got 3 and 3.",
    ],
    [
      "numbers that the dtype does not hold",
      () => randint(0, 300, 2, { device, dtype: "uint8" }),
      "uint8 does not hold all of 0 to 299.",
    ],
    [
      "bounds the wrong way round",
      () => rand(2, { device, low: 2, high: 1 }),
      "rand takes bounds with the smaller first but got low 2 and high 1.",
    ],
    ["a spread below 0", () => randn(2, { device, std: -1 }), "randn takes a std ≥ 0 but got -1."],
    ["a mean that is none", () => randn(2, { device, mean: NaN }), "randn takes a number as mean but got NaN."],
    ["a permutation of nothing", () => randperm(-1, { device }), "randperm takes a whole number ≥ 0 but got -1."],
    [
      "more than there are",
      () => multinomial(zeros([3], { device }), 4),
      "multinomial takes a count from 0 to 3, the number of weights in a row, but got 4 for weights of shape [3].",
    ],
    [
      "random integers in a float's place",
      () => zeros([2], { device, dtype: "int32" }).uniform_(),
      "Random numbers are drawn as floats, not as int32: convert them afterwards",
    ],
  ])("%s is refused in a sentence", (_, run, message) => {
    expect(run).toThrow(message);
  });
});
