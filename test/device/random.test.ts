// Random tensors: the same numbers for a seed, ranges, moments, permutations and draws by weight.
import "./cache.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  bernoulli,
  dropout,
  full,
  Generator,
  generatorState,
  io,
  multinomial,
  nn,
  ones,
  rand,
  randint,
  randn,
  randperm,
  seed,
  setGeneratorState,
  tensor,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";

const flat = (x: Tensor) => [x.reshape([-1]).toArray()].flat().map(Number);
const count = 40_000;
const average = (values: readonly number[], power = 1) =>
  values.reduce((sum, value) => sum + value ** power, 0) / values.length;

test("the generator goes on from a state that was saved", async () => {
  const folder = mkdtempSync(join(tmpdir(), "random-"));
  const file = join(folder, "state.safetensors");
  seed(2n ** 64n - 3n);
  rand([3]);
  await io.save(file, { generator: generatorState() });
  const draw = () => [rand([3]), dropout(ones([64])), randperm(9)].map(flat);
  const wanted = draw();
  seed(1);
  const state = (await io.load(file, { device: "cpu" })) as Record<string, Tensor>;
  setGeneratorState(state["generator"]!);
  expect(draw()).toEqual(wanted);
  rmSync(folder, { recursive: true });
  expect(() => setGeneratorState(ones([2]))).toThrow(
    "setGeneratorState takes what generatorState() gave, two numbers of uint64, but got shape [2] of float32.",
  );
  expect(() => setGeneratorState(7 as never)).toThrow("two numbers of uint64, but got 7.");
});

test("a generator of its own goes on by itself, and from a state that was saved", async () => {
  const draws = (generator: Generator) =>
    [
      rand([3], { generator }),
      randn([3], { generator, dtype: "float64" }),
      randint(0, 100, [5], { generator }),
      randperm(9, { generator }),
      bernoulli(full([9], 0.5), { generator }),
      multinomial(tensor([1, 2, 3]), 4, { replacement: true, generator }),
      multinomial(tensor([1, 2, 3]), 2, { generator }),
      dropout(ones([64]), { generator }),
      ones([64]).dropout(0.3, { generator }),
      zeros([5]).uniform_({ generator }),
      zeros([5]).normal_({ generator }),
      nn.init.xavierNormal(zeros([3, 3]), { generator }),
      nn.init.kaimingUniform(zeros([3, 3]), { generator }),
      nn.init.orthogonal(zeros([3, 3]), { generator }),
    ].map(flat);
  const generator = new Generator(7);
  seed(11);
  const common = generatorState().toArray();
  const first = draws(generator);
  // Others neither disturb it nor are disturbed.
  expect(generatorState().toArray()).toEqual(common);
  rand([3]);
  const saved = generator.state();
  const second = draws(generator);
  expect(second).not.toEqual(first);
  expect(draws(new Generator(7))).toEqual(first);
  expect(draws(new Generator().setState(saved))).toEqual(second);
  expect(draws(generator.restart(7n))).toEqual(first);
  expect(generator.seed).toBe(7n);
  // It is the generator of that seed.
  seed(7);
  expect(flat(rand([3]))).toEqual(first[0]);
  expect(new Generator().seed).not.toBe(new Generator().seed);
  expect([saved.dtype, saved.device, saved.shape]).toEqual(["uint64", "cpu", [2]]);
  for (const wrong of [-1, 0.5, 2n ** 64n, "7", null])
    expect(() => new Generator(wrong as never)).toThrow("A seed must be a whole number from 0 to 2^64 - 1, but got");
  expect(() => generator.setState(ones([2]))).toThrow(
    "setState takes what state() gave, two numbers of uint64, but got shape [2] of float32.",
  );
  expect(() => rand([2], { seed: 1, generator })).toThrow(
    "Random numbers are drawn from a seed or from a generator, not both: leave one out.",
  );
  expect(() => rand([2], { generator: 7 as never })).toThrow(
    "rand takes a generator, such as new Generator(7), as generator but got 7.",
  );
});

describe.each(devices.map(({ name }) => name))("random tensors on %s", (device) => {
  test("a generator gives the same numbers on every device", () => {
    const draw = (on: string) => {
      const generator = new Generator(2n ** 40n);
      return [rand([100], { generator, device: on }), randn([100], { generator, device: on })].map(flat);
    };
    expect(draw(device)).toEqual(draw("cpu"));
  });

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
    expect(u.every((value) => value >= -2 && value < 3)).toBe(true);
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

  // u of 24 bits, of which the normal ones take more: what the rest may add is the bound.
  test("normal numbers in float32 are those of Box and Muller for the uniform ones of the seed", () => {
    const u = flat(rand(40_000, { device, seed: 12 }));
    const z = flat(randn(40_000, { device, seed: 12 }));
    const step = 2 ** -24;
    for (let i = 0; i < u.length; i += 2) {
      const left = u[i]! + step / 2;
      const radius = Math.sqrt(-2 * Math.log(Math.min(left, 1)));
      const angle = 2 * Math.PI * (u[i + 1]! + step / 2);
      // d radius / d left = −1/(left · radius); below that √ of what the logarithm may be off.
      const off =
        Math.min(step / (left * radius), Math.sqrt(2 * step) * 2) + radius * (2 * Math.PI * step + 8 * 2 ** -24);
      expect(Math.abs(z[i]! - radius * Math.cos(angle)), `${i}`).toBeLessThanOrEqual(off + 2 ** -24);
      expect(Math.abs(z[i + 1]! - radius * Math.sin(angle)), `${i}`).toBeLessThanOrEqual(off + 2 ** -24);
    }
  });

  test.each([
    ["float16", 1, 2],
    ["bfloat16", 1, 2],
    ["float32", 100, 101],
    ["float64", 1, 1 + 2 ** -50],
    ["bfloat16", 100.1, 101.3],
    ["float32", -3e38, 3e38],
    ["float16", -60000, 60000],
    ["float64", -1.5e308, 1.5e308],
    ["float32", 0, 1e-40],
    ["float16", 0, 1],
    ["bfloat16", -1, 0],
  ] as const)("%s of [%d, %d): never the upper bound, nor beyond the lower one, and evenly", (dtype, low, high) => {
    const drawn = flat(rand(1 << 16, { dtype, device, low, high, seed: 1 }));
    expect(drawn.every((value) => value >= low && value < high)).toBe(true);
    expect(drawn).toEqual(flat(rand(1 << 16, { dtype, device: "cpu", low, high, seed: 1 })));
    // Six standard errors, and what rounding to few elements moves.
    const part = drawn.filter((value) => value / 2 < low / 4 + high / 4).length / drawn.length;
    if (high - low > Math.abs(high) / 8) expect(Math.abs(part - 0.5)).toBeLessThan((6 * 0.5) / 256 + 0.01);
  });

  test("equal bounds give that number, mean and deviation are taken in one step", () => {
    expect(flat(rand(3, { device, low: 1.5, high: 1.5 }))).toEqual([1.5, 1.5, 1.5]);
    const [z, moved] = [randn(1000, { device, seed: 4 }), randn(1000, { device, seed: 4, mean: 3, std: 2 })].map(flat);
    moved!.forEach((value, at) =>
      expect(Math.abs(value - (3 + 2 * z![at]!))).toBeLessThanOrEqual(2 ** -24 * Math.abs(value)),
    );
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

  test("draws as methods, which are the functions, and in place", () => {
    const chances = full([1000], 0.25, { device });
    expect(flat(chances.bernoulli({ seed: 8 }))).toEqual(flat(bernoulli(chances, { seed: 8 })));
    expect(flat(chances.multinomial(9, { seed: 8 }))).toEqual(flat(multinomial(chances, 9, { seed: 8 })));
    expect(flat(tensor([0, 1], { device }).multinomial(3, true))).toEqual([1, 1, 1]);
    const coins = zeros([count], { device, dtype: "int32" });
    expect(coins.bernoulli_(0.25, { seed: 8 })).toBe(coins);
    expect(Math.abs(average(flat(coins)) - 0.25)).toBeLessThan(5 * Math.sqrt(0.1875 / count));
    expect(new Set(flat(coins))).toEqual(new Set([0, 1]));
    expect(Math.abs(average(flat(zeros([count], { device }).bernoulli_({ seed: 9 }))) - 0.5)).toBeLessThan(
      5 * Math.sqrt(0.25 / count),
    );
    const rows = zeros([3, 2], { device, dtype: "bool" }).bernoulli_(tensor([0, 1], { device }));
    expect(rows.toArray()).toEqual(Array(3).fill([false, true]));
    expect(() => zeros([2], { device }).bernoulli_(1.5)).toThrow(
      "bernoulli_ takes a number from 0 to 1 or a tensor as p but got 1.5.",
    );
  });

  test("multinomial never draws a weight of 0", () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    // Weights far apart, whose waiting times and sums are beyond the range and below its steps.
    const weights = Array.from({ length: 5000 }, (_, at) => (at % 3 === 1 ? 10 ** -((at % 300) + 10) : 0));
    const rows = tensor([weights, [...weights].reverse()], { dtype: "float64", device });
    const above = weights.filter((weight) => weight > 0).length;
    for (const [count, replacement] of [
      [20_000, true],
      [above, false],
    ] as const) {
      const drawn = multinomial(rows, count, { replacement, seed })
        .toArray()
        .map((row) => (row as bigint[]).map(Number));
      const isAbove = drawn.map((row, at) => row.every((place) => weights[at === 0 ? place : 4999 - place]! > 0));
      expect(isAbove, `seed ${seed}`).toEqual([true, true]);
      if (!replacement) expect(new Set(drawn[0]).size).toBe(above);
    }
    expect(multinomial(zeros([0, 3], { device }), 2).shape).toEqual([0, 2]);
    expect(multinomial(zeros([2, 0], { device }), 0).shape).toEqual([2, 0]);
  });

  test.each([
    [[0, 0], "there is a row of zeros."],
    [[NaN, 1], "there is NaN."],
    [[Infinity, 1], "there is Infinity."],
    [[1, -0.5], "there is -0.5."],
  ])("multinomial of weights %j is refused in a sentence", (weights, came) => {
    for (const dtype of ["float32", "float64", "bfloat16"] as const)
      for (const replacement of [true, false])
        expect(() => multinomial(tensor([[1, 1], weights], { dtype, device }), 1, { replacement })).toThrow(
          `multinomial takes weights ≥ 0 that are finite and not all 0 in a row, but ${came}`,
        );
  });

  test.each([
    [
      "different positions where fewer weights are above 0",
      () => multinomial(tensor([1, 2, 0, 0], { device }), 3),
      "multinomial draws 3 different positions of each row, but there is a row with 2 weights above 0: take a smaller count, or { replacement: true }.",
    ],
    [
      "weights whose sum is beyond float64",
      () => multinomial(tensor([1e308, 1e308], { dtype: "float64", device }), 1),
      "multinomial takes rows of weights whose sum float64 holds, but there is one beyond it: divide them by their largest.",
    ],
    [
      "positions of rows without weights",
      () => multinomial(zeros([2, 0], { device }), 1, { replacement: true }),
      "multinomial draws 1 positions of each row, but rows have no weights.",
    ],
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
    [
      "a bound that the dtype does not hold",
      () => rand(2, { device, dtype: "float16", low: 0, high: 1e6 }),
      "float16 cannot hold 1000000.",
    ],
    [
      "bounds between two elements",
      () => rand(2, { device, dtype: "bfloat16", low: 100.1, high: 100.2 }),
      "rand finds no bfloat16 from 100.1 to below 100.2: choose wider bounds.",
    ],
    ["a spread below 0", () => randn(2, { device, std: -1 }), "randn takes a std ≥ 0 but got -1."],
    ["a mean that is none", () => randn(2, { device, mean: NaN }), "randn takes a finite number as mean but got NaN."],
    [
      "a permutation of nothing",
      () => randperm(-1, { device }),
      "randperm takes a whole number of at least 0 as n but got -1.",
    ],
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
