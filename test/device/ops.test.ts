// Operations on every device beyond the table of cases (table.test.ts): their options, dtypes, sizes beyond a grid,
// random numbers, and the sentences of their errors.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  arange,
  cat,
  clamp,
  compile,
  exp,
  eye,
  full,
  matmul,
  maximum,
  linspace,
  ones,
  rand,
  randn,
  seed,
  stack,
  tensor,
  where,
  zeros,
  type DType,
  type Kernel,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { randomValues } from "./numbers.ts";

const floats: DType[] = ["float32", "float64", "float16", "bfloat16"];
const integers: DType[] = ["int8", "uint8", "int32", "int64"];
function flat(result: Tensor): number[] {
  return [result.reshape([-1]).toArray()].flat(1).map(Number);
}

describe.each(devices.map((device) => device.name))("on %s", (device) => {
  describe.each(floats)("%s", (dtype) => {
    test("uniform numbers fill [0, 1) evenly; normal ones have the moments of theirs", () => {
      const count = 20_000;
      const u01 = flat(rand([count], { dtype, device, seed: Math.floor(Math.random() * 1e9) }).to("float64"));
      expect(Math.min(...u01)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...u01)).toBeLessThan(1);
      const mean = u01.reduce((sum, value) => sum + value, 0) / count;
      // Six standard deviations of a mean of uniform numbers, and half a step of the coarsest dtype.
      expect(Math.abs(mean - 0.5)).toBeLessThan(6 / Math.sqrt(12 * count) + 2 ** -9);
      const normal = flat(randn([count], { dtype, device, seed: Math.floor(Math.random() * 1e9) }).to("float64"));
      const moment = (power: number) => normal.reduce((sum, value) => sum + value ** power, 0) / count;
      expect(Math.abs(moment(1))).toBeLessThan(6 / Math.sqrt(count));
      expect(Math.abs(moment(2) - 1)).toBeLessThan(6 * Math.sqrt(2 / count) + 2 ** -8);
      expect(Math.abs(moment(4) - 3)).toBeLessThan(6 * Math.sqrt(96 / count) + 2 ** -6);
    });
  });

  describe.each(integers)("%s", (dtype) => {
    test("division is true division, also by zero", () => {
      const got = tensor([6, 7, 0, 5], { dtype, device }).div(tensor([3, 2, 0, 0], { dtype, device }));
      expect(got.dtype).toBe("float32");
      expect(got.toArray()).toEqual([2, 3.5, NaN, Infinity]);
    });

    test("sums are int64, products of matrices exact", () => {
      const values = randomValues(5000, dtype);
      const sum = tensor(values, { dtype, device }).sum();
      expect(sum.dtype).toBe("int64");
      expect(sum.toArray()).toBe(values.reduce((total, value) => total + BigInt(value), 0n));
      const [a, b] = [
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
        [
          [1, 0],
          [2, 1],
          [0, 3],
        ],
      ];
      expect(tensor(a, { dtype, device }).matmul(tensor(b, { dtype, device })).toArray()).toEqual(
        [
          [5, 11],
          [14, 23],
        ].map((row) => row.map((value) => (dtype === "int64" ? BigInt(value) : value))),
      );
    });
  });

  test("a sum over several axes, kept or not, and over none of the elements", () => {
    const x = arange(24, { device }).reshape([2, 3, 4]);
    expect(x.sum({ axis: [0, 2] }).toArray()).toEqual([60, 92, 124]);
    expect(x.sum({ axis: [-1, 0], keepdims: true }).shape).toEqual([1, 3, 1]);
    expect(
      x
        .transpose([2, 0, 1])
        .sum({ axis: [0] })
        .toArray(),
    ).toEqual([
      [6, 22, 38],
      [54, 70, 86],
    ]);
    expect(x.sum().shape).toEqual([]);
    expect(x.sum({ axis: [] }).toArray()).toEqual(x.toArray());
    expect(zeros([0, 3], { device }).sum({ axis: 0 }).toArray()).toEqual([0, 0, 0]);
    expect(zeros([0], { device }).mean().item()).toBe(NaN);
    expect(ones([3], { device, dtype: "bool" }).sum().item()).toBe(3);
  });

  test("a mean of int64 is right where their sum does not fit int64", () => {
    const x = tensor(
      [
        [2n ** 62n, 2n ** 62n],
        [-(2n ** 63n), -(2n ** 63n)],
      ],
      { device },
    );
    expect(x.mean({ axis: 1 }).toArray()).toEqual([2 ** 62, -(2 ** 63)]);
    expect(
      tensor([2n ** 24n + 1n, 2n ** 24n + 3n], { device })
        .mean()
        .item(),
    ).toBe(2 ** 24 + 2);
  });

  test("a number takes the dtype of the tensor", () => {
    expect(tensor([1, 2], { device }).mul(2.5).toArray()).toEqual([2.5, 5]);
    expect(tensor([1, 2], { device, dtype: "int64" }).add(3n).toArray()).toEqual([4n, 5n]);
    expect(tensor([1, 2], { device, dtype: "float16" }).div(2).toArray()).toEqual([0.5, 1]);
  });

  test("matrix products broadcast their batches and take vectors", () => {
    const a = arange(24, { device }).reshape([2, 1, 3, 4]);
    const b = arange(40, { device }).reshape([5, 4, 2]);
    const product = a.matmul(b);
    expect(product.shape).toEqual([2, 5, 3, 2]);
    const [x, y, z] = [a.toArray() as number[][][][], b.toArray() as number[][][], product.toArray() as number[][][][]];
    for (let i = 0; i < 2; i++)
      for (let j = 0; j < 5; j++)
        for (let r = 0; r < 3; r++)
          for (let c = 0; c < 2; c++) {
            expect(z[i]![j]![r]![c]).toBe([0, 1, 2, 3].reduce((sum, k) => sum + x[i]![0]![r]![k]! * y[j]![k]![c]!, 0));
          }
    const v = tensor([1, 2, 3], { device });
    expect(v.matmul(v).item()).toBe(14);
    expect(
      tensor(
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
        { device },
      )
        .matmul(v)
        .toArray(),
    ).toEqual([14, 32]);
    expect(
      tensor([1, 1], { device })
        .matmul(
          tensor(
            [
              [1, 2, 3],
              [4, 5, 6],
            ],
            { device },
          ),
        )
        .toArray(),
    ).toEqual([5, 7, 9]);
  });

  test("a matrix product has more rows than a grid", () => {
    const rows = 64 * devices.find(({ name }) => name === device)!.properties.maxGrid[1] + 3;
    const tall = (shape: number[]) => arange(rows, { device, dtype: "int32" }).reshape(shape);
    const got = tall([rows, 1]).matmul(tensor([[2]], { device, dtype: "int32" }));
    expect(got.sum().toArray()).toBe(BigInt(rows) * BigInt(rows - 1));
    expect(got.slice([-2]).toArray()).toEqual([[2 * (rows - 2)], [2 * (rows - 1)]]);
    const batched = tensor([[[1]], [[-1]]], { device, dtype: "int32" });
    expect(tall([1, rows, 1]).matmul(batched).slice(null, -1).toArray()).toEqual([[rows - 1], [1 - rows]]);
  });

  test("evenly spaced numbers", () => {
    expect(arange(5, { device }).toArray()).toEqual([0, 1, 2, 3, 4]);
    expect(arange(2, 3, 0.25, { device, dtype: "float64" }).toArray()).toEqual([2, 2.25, 2.5, 2.75]);
    expect(arange(5, 0, -2, { device, dtype: "int32" }).toArray()).toEqual([5, 3, 1]);
    expect(arange(0, { device }).toArray()).toEqual([]);
    expect(linspace(0, 1, 5, { device }).toArray()).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(linspace(3, 9, 1, { device }).toArray()).toEqual([3]);
    // 49 · (1/49) is less than 1.
    expect(linspace(0, 1, 50, { device, dtype: "float64" }).slice(-1).item()).toBe(1);
    expect(linspace(1, 0, 50, { device, dtype: "float64" }).slice([-1]).toArray()).toEqual([0]);
    expect(linspace(0, 10.5, 4, { device, dtype: "int8" }).toArray()).toEqual([0, 3, 7, 10]);
    const big = Number.MAX_SAFE_INTEGER;
    expect(arange(big - 2, big, 1, { device, dtype: "int64" }).toArray()).toEqual([BigInt(big) - 2n, BigInt(big) - 1n]);
  });

  test("a seed gives the same numbers again, and none gives others", () => {
    expect(randn([5], { device, seed: 7 }).toArray()).toEqual(randn([5], { device, seed: 7 }).toArray());
    expect(rand([5], { device, seed: 7 }).toArray()).not.toEqual(rand([5], { device, seed: 8 }).toArray());
    expect(rand([5], { device }).toArray()).not.toEqual(rand([5], { device }).toArray());
    seed(3);
    const first = [rand([3], { device }).toArray(), rand([3], { device }).toArray()];
    seed(3);
    expect([rand([3], { device }).toArray(), rand([3], { device }).toArray()]).toEqual(first);
    expect(first[0]).not.toEqual(first[1]);
  });

  // Known answers of Philox4x32-10 (kat_vectors of Random123, the authors' library).
  test("the generator is Philox4x32-10", async () => {
    const source = `#include <warpcell/philox.cuh>
      __global__ void words(unsigned* out, unsigned long long counter, unsigned long long stream, unsigned long long seed) {
        for (int i = 0; i < 4; i++) out[i] = warpcell::philox(counter, stream, seed).word[i];
      }`;
    const { kernels } = await compile(source, { device });
    const out = zeros([4], { device, dtype: "int32" });
    const words = (...args: bigint[]) => {
      (kernels["words"] as Kernel).launch({ grid: 1, block: 1 }, out, ...args);
      return (out.toArray() as number[]).map((word) => (word >>> 0).toString(16));
    };
    expect(words(0n, 0n, 0n)).toEqual(["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]);
    expect(words(2n ** 64n - 1n, 2n ** 64n - 1n, 2n ** 64n - 1n)).toEqual([
      "408f276d",
      "41c83b0e",
      "a20bc7c6",
      "6d5451fd",
    ]);
    expect(words(0x85a308d3243f6a88n, 0x0370734413198a2en, 0x299f31d0a4093822n)).toEqual([
      "d16cfe09",
      "94fdcceb",
      "5001e420",
      "24126ea1",
    ]);
  });

  test("floats truncate, beyond the range the limit, NaN 0", () => {
    const x = tensor([1.9, -1.9, 300, -300, 1e20, NaN], { device, dtype: "float64" });
    expect(x.to("int8").toArray()).toEqual([1, -1, 127, -128, 127, 0]);
    expect(x.to("uint8").toArray()).toEqual([1, 0, 255, 0, 255, 0]);
    expect(x.to("int64").toArray()).toEqual([1n, -1n, 300n, -300n, 2n ** 63n - 1n, 0n]);
    expect(x.to("bool").toArray()).toEqual([true, true, true, true, true, true]);
    expect(tensor([300, -1], { device, dtype: "int32" }).to("uint8").toArray()).toEqual([44, 255]);
  });

  test("new tensors as PyTorch and NumPy have them: sizes in a row, diagonals, dtypes of values, ends left out", () => {
    expect(zeros(2, 3).shape).toEqual([2, 3]);
    expect(rand(2, 3).shape).toEqual([2, 3]);
    expect(eye(3, { device, k: 1 }).toArray()).toEqual([
      [0, 1, 0],
      [0, 0, 1],
      [0, 0, 0],
    ]);
    expect(eye(2, 3, { device, dtype: "int32", k: -1 }).toArray()).toEqual([
      [0, 0, 0],
      [1, 0, 0],
    ]);
    expect(eye(2, { device, k: 5 }).toArray()).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(full([2], true, { device }).dtype).toBe("bool");
    expect(full([1], 2n ** 60n, { device }).toArray()).toEqual([2n ** 60n]);
    expect(full([1], 2n, { device, dtype: "float32" }).toArray()).toEqual([2]);
    expect(tensor([1, 2n, true], { device, dtype: "int64" }).toArray()).toEqual([1n, 2n, 1n]);
    expect(linspace(0, 1, 4, { device, endpoint: false }).toArray()).toEqual([0, 0.25, 0.5, 0.75]);
    expect(linspace(-1e308, 1e308, 3, { device, dtype: "float64" }).toArray()).toEqual([-1e308, 0, 1e308]);
    const x = tensor([1, 2], { device });
    const copy = tensor(x, { dtype: "float64" });
    expect(copy).toMatchObject({ dtype: "float64", device: x.device });
    expect(tensor(x).storage).not.toBe(x.storage);
  });

  test("rounding and bounds leave integers as they are; bounds may be tensors", () => {
    const big = tensor([16777217, -5], { device, dtype: "int32" });
    for (const name of ["floor", "ceil", "round", "trunc"] as const) {
      expect(big[name]()).toMatchObject({ dtype: "int32" });
      expect(big[name]().toArray()).toEqual([16777217, -5]);
    }
    expect(big.clamp({ min: 0 }).toArray()).toEqual([16777217, 0]);
    expect(big.clamp(0, 7).toArray()).toEqual([7, 0]);
    expect(
      tensor([2n ** 53n + 1n], { device })
        .clamp({ min: 0 })
        .toArray(),
    ).toEqual([2n ** 53n + 1n]);
    expect(tensor([3, 200], { device, dtype: "uint8" }).clamp({ min: -5, max: 300 })).toMatchObject({ dtype: "uint8" });
    expect(big.clamp({ min: 0.5 })).toMatchObject({ dtype: "float32" });
    const x = tensor([1, 5, 9], { device });
    expect(x.clamp({ min: tensor([2, 2, 2], { device }), max: tensor([4, 8, 8], { device }) }).toArray()).toEqual([
      2, 5, 8,
    ]);
    expect(clamp(x, { max: 4 }).toArray()).toEqual([1, 4, 4]);
    // As the smaller and the larger of two are, of numbers and of tensors.
    for (const bound of [NaN, tensor([NaN, NaN, NaN], { device })]) {
      expect(x.clamp({ min: bound }).toArray()).toEqual([NaN, NaN, NaN]);
      expect(x.clamp({ min: 2, max: bound }).toArray()).toEqual([NaN, NaN, NaN]);
    }
    expect(tensor([NaN, 3], { device }).clamp(0, 1).toArray()).toEqual([NaN, 1]);
    expect(() => x.clamp({} as never)).toThrow("clamp takes a min, a max or both, such as { min: 0 }.");
    expect(() => x.clamp({ min: "a" as never })).toThrow('clamp takes a number or a tensor as min but got "a".');
    expect(() => tensor([3], { device, dtype: "uint8" }).clamp({ min: 300 })).toThrow(
      "clamp gives uint8, which does not hold 300.",
    );
  });

  test("numbers in the place of a tensor of where, and in fill_, are those that the dtype holds", () => {
    const mask = tensor([true, false], { device });
    const x = tensor([1, 2], { device, dtype: "uint8" });
    expect(x.where(mask, 7).toArray()).toEqual([1, 7]);
    expect(where(mask, 0, x).toArray()).toEqual([0, 2]);
    expect(where(mask, x, x.add(1)).toArray()).toEqual([1, 3]);
    expect(() => where(mask, 1, 2)).toThrow("where of two numbers has no dtype: make a tensor of one");
    const whole = "It holds whole numbers from";
    for (const value of [300, -1])
      expect(() => x.where(mask, value)).toThrow(`where gives uint8, which does not hold ${value}. ${whole}`);
    expect(() => tensor([1], { device, dtype: "int64" }).where(tensor([true], { device }), 2n ** 64n)).toThrow(
      "where gives int64, which does not hold 18446744073709551616n.",
    );
    expect(() => x.fill_(300)).toThrow(`fill_ writes uint8, which does not hold 300. ${whole} 0 to 255.`);
    expect(() => x.fill_(1.5)).toThrow("fill_ writes uint8, which does not hold 1.5.");
    for (const value of [undefined, null, "3", [1]])
      expect(() => x.fill_(value as never)).toThrow(/^fill_ takes a number as value but got /);
    expect(x.toArray()).toEqual([1, 2]);
  });

  test("shapes and axes as PyTorch and NumPy have them", () => {
    const x = tensor(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      { device },
    );
    expect(x.reshape(3, -1).shape).toEqual([3, 2]);
    expect(x.transpose(-1, -2).toArray()).toEqual(x.T.toArray());
    expect(x.transpose(0, 1).shape).toEqual([3, 2]);
    expect(zeros([2, 3, 4], { device }).transpose(0, 2).shape).toEqual([4, 3, 2]);
    expect(zeros([2, 3, 4], { device }).permute(2, 0, 1).shape).toEqual([4, 2, 3]);
    expect(x.get(0).expand(4, -1).shape).toEqual([4, 3]);
    expect(x.get(0).expand([2, 3]).shape).toEqual([2, 3]);
    expect(x.repeat(1, 2).shape).toEqual([2, 6]);
    expect(x.tile(2).shape).toEqual([2, 6]);
    expect(x.split(1, 1)).toHaveLength(3);
    expect(x.chunk(3, { dim: 1 })).toHaveLength(3);
    expect(cat([x, x], 1).shape).toEqual([2, 6]);
    expect(stack([x, x], { dim: -1 }).shape).toEqual([2, 3, 2]);
    expect(x.roll(1, 0).toArray()).toEqual([
      [4, 5, 6],
      [1, 2, 3],
    ]);
    const times = tensor([2, 0], { device, dtype: "int32" });
    expect(x.repeatInterleave(times, { axis: 0 }).toArray()).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(matmul(x, x.T).shape).toEqual([2, 2]);
    expect(() => x.transpose(0 as never)).toThrow(
      "transpose takes a list of axes, or two that are swapped, but got 0.",
    );
    expect(() => x.split(2, 1, 0 as never)).toThrow(
      "split does not take 0 there. Options are an object: split(size, { axis }).",
    );
    expect(() => x.reshape("a" as never)).toThrow(
      'reshape takes a list of whole numbers as shape but got "a". Write reshape(shape).',
    );
    expect(() => x.copy_([1] as never)).toThrow("copy_ takes a tensor as source but got [1]. Write copy_(source).");
    expect(() => x.lerp(1 as never, 0.5)).toThrow("lerp takes a tensor as end but got 1.");
  });

  test("a range of int64 beyond 2^53 by bigints", () => {
    const start = 2n ** 53n;
    expect(arange(start, start + 4n, 1, { device }).toArray()).toEqual([start, start + 1n, start + 2n, start + 3n]);
    expect(arange(5n, { device }).toArray()).toEqual([0n, 1n, 2n, 3n, 4n]);
    expect(arange(2n ** 63n, 2n ** 63n + 6n, 4n, { device, dtype: "uint64" }).toArray()).toEqual([
      2n ** 63n,
      2n ** 63n + 4n,
    ]);
    expect(arange(3n, -3n, -2n, { device }).toArray()).toEqual([3n, 1n, -1n]);
    expect(arange(0n, -3n, 1n, { device }).shape).toEqual([0]);
  });

  test.each<[string, () => unknown, RegExp | string]>([
    [
      "shapes that do not broadcast",
      () => zeros([2, 3], { device }).add(zeros([4], { device })),
      "Shapes [2, 3] and [4] do not broadcast: from the last axis on, two sizes must be equal, or one of them 1.",
    ],
    [
      "dtypes that no integer holds",
      () => zeros([2], { device, dtype: "int64" }).add(zeros([2], { device, dtype: "uint64" })),
      `No integer holds all of int64 and uint64: convert one, e.g. with .to("int64").`,
    ],
    [
      "a dtype that only stores",
      () => zeros([2], { device, dtype: "float8_e4m3" }).add(zeros([2], { device })),
      `float8_e4m3 only stores numbers and does not mix with float32: convert it first, e.g. with .to("float32").`,
    ],
    [
      "arithmetic of a dtype that only stores",
      () => zeros([2], { device, dtype: "float8_e5m2" }).exp(),
      `exp takes numbers that compute but got float8_e5m2: convert it, e.g. with .to("float32").`,
    ],
    [
      "bits of floats",
      () => zeros([2], { device }).bitwiseAnd(1),
      `bitwiseAnd takes integers or bool but got float32: convert it, e.g. with .to("int32").`,
    ],
    [
      "too many operands",
      () => (exp as (...operands: unknown[]) => unknown)(zeros([1], { device }), 1),
      "exp takes 1 operand but got 2.",
    ],
    [
      "an option that add has elsewhere",
      () => zeros([1], { device }).add_(...([zeros([1], { device }), { alpha: 2 }] as unknown as [Tensor])),
      "add_ does not take an object with alpha there. Write x.add_(y.mul(2)).",
    ],
    [
      "a way to round",
      () => zeros([1], { device }).div(...([3, { rounding_mode: "floor" }] as unknown as [number])),
      "div does not take an object with rounding_mode there. Write x.floorDivide(y), or x.div(y).trunc().",
    ],
    [
      "a place for the result",
      () => zeros([1], { device }).exp(...([{ out: 1 }] as unknown as [])),
      "exp does not take an object with out there. Write out.copy_(x.exp(…)).",
    ],
    [
      "an operand too many",
      () => zeros([1], { device }).eq(...([1, 2] as unknown as [number])),
      "eq does not take 2 there. Write x.eq(y).",
    ],
    [
      "numbers alone",
      () => (maximum as (...operands: unknown[]) => unknown)(1, 2),
      "maximum takes at least one tensor but got 1 and 2. Use Math for numbers.",
    ],
    [
      "a result that does not fit in place",
      () => zeros([1], { device }).add_(zeros([2], { device })),
      "add_ would give shape [2], which does not fit in place of [1].",
    ],
    [
      "a dtype that does not fit in place",
      () => zeros([1], { device, dtype: "int32" }).add_(0.5),
      "add_ computes in float32, which int32 does not hold: use add, or convert the tensor first.",
    ],
    [
      "a condition that is no mask",
      () => zeros([1], { device }).where(zeros([1], { device }) as never, 1),
      "where takes a condition of bool but got float32: compare it, e.g. with .ne(0).",
    ],
    [
      "an expansion that does not fit",
      () => zeros([2], { device }).expand([3]),
      "Shapes [2] and [3] do not broadcast: ",
    ],
    [
      "an expansion that shrinks",
      () => zeros([2], { device }).expand([1]),
      "A tensor of shape [2] does not expand to [1]: only axes of size 1 stretch.",
    ],
    [
      "a sum of a dtype that only stores",
      () => zeros([2], { device, dtype: "float8_e4m3" }).sum(),
      `sum takes numbers that compute but got float8_e4m3: convert it, e.g. with .to("float32").`,
    ],
    [
      "a matrix product of masks",
      () => zeros([2, 2], { device, dtype: "bool" }).matmul(zeros([2, 2], { device, dtype: "bool" })),
      `matmul takes numbers that compute but got bool: convert them, e.g. with .to("float32").`,
    ],
    [
      "a matrix product with a number",
      () => zeros([2, 2], { device }).matmul(2 as never),
      "matmul takes a tensor (mul multiplies by a number) as other but got 2. Write matmul(other).",
    ],
    [
      "bool arithmetic",
      () => ones([2], { device, dtype: "bool" }).mul(ones([2], { device, dtype: "bool" })),
      `mul takes numbers but got bool: convert it, e.g. with .to("int32").`,
    ],
    [
      "a gradient that is not there",
      () => zeros([2], { device }).add(zeros([2], { device }).grad as never),
      "add takes a tensor or a number but got null. A gradient is null before backward() and after zeroGrad().",
    ],
    [
      "nothing",
      () => zeros([2], { device }).add(undefined as never),
      "add takes a tensor or a number but got undefined. Perhaps a function returned nothing, or there is no property of that name.",
    ],
    [
      "a tensor that is made by its class",
      () => new (zeros([2], { device }).constructor as new (values: unknown) => unknown)([1, 2]),
      "Tensors are made by functions: write tensor([1, 2]), without new, or zeros([2, 3]).",
    ],
    [
      "a value that is no number",
      () => zeros([2], { device }).add("1" as never),
      'add takes a tensor or a number but got "1". Make a tensor of it with tensor(…).',
    ],
    [
      "a number out of range",
      () => zeros([2], { device, dtype: "uint8" }).add(256),
      "add of a tensor of uint8 computes in uint8, which does not hold 256. It holds whole numbers from 0 to 255.",
    ],
    [
      "a number that may have been rounded",
      () => zeros([2], { device, dtype: "int64" }).eq(2 ** 53),
      "eq of a tensor of int64 computes in int64, which does not hold 9007199254740992. A number of 2^53 and more may have been rounded: write 9007199254740992n.",
    ],
    [
      "matrices that do not fit",
      () => zeros([2, 3], { device }).matmul(zeros([2, 3], { device })),
      "matmul takes matrices m × k and k × n but got shapes [2, 3] and [2, 3].",
    ],
    [
      "the maximum of nothing",
      () => zeros([0], { device }).max(),
      "max over no elements has no value: the shape is [0].",
    ],
    [
      "an axis that is not there",
      () => zeros([2], { device }).sum({ axis: 1 }),
      "There is no axis 1 in a tensor with 1 axis: give a whole number from -1 to 0.",
    ],
    [
      "an axis that is text",
      () => zeros([2], { device }).sum({ axis: "0" as never }),
      'sum takes an axis or a list of them as axis but got "0".',
    ],
    ["a range up to text", () => arange(0, "5" as never), 'arange takes a number or a bigint as stop but got "5".'],
    [
      "a range up to nothing",
      () => arange(undefined as never),
      "arange takes a number or a bigint as start but got nothing.",
    ],
    [
      "a range beyond its dtype",
      () => arange(-3, 3, 1, { device, dtype: "uint8" }),
      "arange makes uint8, which does not hold -3. It holds whole numbers from 0 to 255.",
    ],
    [
      "a range of numbers that may have been rounded",
      () => arange(2 ** 53, 2 ** 53 + 4, 1, { device, dtype: "int64" }),
      "arange makes int64, which does not hold 9007199254740992. A number of 2^53 and more may have been rounded: write 9007199254740992n.",
    ],
    [
      "a fraction beside a bigint",
      () => arange(1n, 2.5, { device }),
      "arange takes whole numbers beside a bigint and a step other than 0 but got 1n, 2.5, 1.",
    ],
    [
      "a last number beyond the dtype",
      () => linspace(0, 300, 4, { device, dtype: "uint8" }),
      "linspace makes uint8, which does not hold 300. It holds whole numbers from 0 to 255.",
    ],
    [
      "an option that is none",
      () => zeros([2], { device, requiresGrad: true } as never),
      "zeros has no option requiresGrad. Set x.requiresGrad = true on the tensor.",
    ],
    [
      "random numbers with a dtype alone",
      () => rand([2], "float64" as never),
      'rand does not take "float64" there. Options are an object: rand(shape, { low, high, dtype, device, seed, generator }).',
    ],
    [
      "random integers",
      () => rand([2], { device, dtype: "int32" }),
      'Random numbers are drawn as floats, not as int32: convert them afterwards, e.g. rand([3]).mul(10).to("int32").',
    ],
    [
      "a negative seed",
      () => rand([2], { device, seed: -1 }),
      "rand takes a whole number from 0 to 2^64 - 1 as seed but got -1.",
    ],
    [
      "a step of zero",
      () => arange(0, 1, 0, { device }),
      "arange takes a finite start and stop and a step other than 0 but got 0, 1, 0.",
    ],
    [
      "a count that is none",
      () => linspace(0, 1, -1, { device }),
      "linspace takes a whole number of at least 0 as count but got -1.",
    ],
    [
      "spaced booleans",
      () => arange(2, { device, dtype: "bool" }),
      "Evenly spaced elements are numbers, which bool does not hold: choose another dtype, such as int32.",
    ],
    [
      "an operand that is gone",
      () => {
        const x = full([2], 1, { device });
        x.dispose();
        return ones([2], { device }).add(x);
      },
      "An operand of add, shape [2], has been disposed of.",
    ],
  ])("a sentence for %s", (_, act, sentence) => {
    expect(act).toThrow(sentence);
  });
});

test.runIf(devices.length > 1)("random numbers are the same on every device", () => {
  const [a, b] = devices.map((device) => [
    rand([999], { device: device.name, seed: 5 }).toArray(),
    randn([999], { device: device.name, seed: 5 }).toArray(),
  ]);
  expect(a).toEqual(b);
});
