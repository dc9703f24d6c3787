// Operations on every device beyond the table of cases (table.test.ts): their options, dtypes, sizes beyond a grid, random numbers, and the sentences of their errors.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  arange,
  compile,
  exp,
  full,
  maximum,
  linspace,
  ones,
  rand,
  randn,
  seed,
  tensor,
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
      expect(sum.item()).toBe(values.reduce((total, value) => total + BigInt(value), 0n));
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
    expect(ones([3], { device, dtype: "bool" }).sum().item()).toBe(3n);
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
    expect(got.sum().item()).toBe(BigInt(rows) * BigInt(rows - 1));
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

  test.each<[string, () => unknown, RegExp | string]>([
    [
      "shapes that do not broadcast",
      () => zeros([2, 3], { device }).add(zeros([4], { device })),
      "Shapes [2, 3] and [4] do not broadcast: from the last axis on, two sizes have to be equal or one of them 1.",
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
      "matmul takes two tensors; multiply by a number with .mul(…).",
    ],
    [
      "bool arithmetic",
      () => ones([2], { device, dtype: "bool" }).mul(ones([2], { device, dtype: "bool" })),
      `mul takes numbers but got bool: convert it, e.g. with .to("int32").`,
    ],
    [
      "a value that is no number",
      () => zeros([2], { device }).add("1" as never),
      'add takes a tensor or a number but got "1". Make a tensor of it with tensor(…).',
    ],
    [
      "a number out of range",
      () => zeros([2], { device, dtype: "uint8" }).add(256),
      "add of a tensor of uint8 computes in uint8, which does not hold 256.",
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
      "an axis without its name",
      () => zeros([2], { device }).sum(0 as never),
      "Options are an object, such as { axis: 0, keepdims: true }, but got 0.",
    ],
    [
      "an axis that is text",
      () => zeros([2], { device }).sum({ axis: "0" as never }),
      'There is no axis "0" in a tensor with 1 axis: give a whole number from -1 to 0.',
    ],
    [
      "a range up to a bigint",
      () => arange(10n as never, { device }),
      "arange takes numbers, then options, but got 10n.",
    ],
    ["a range up to text", () => arange(0, "5" as never), 'arange takes numbers, then options, but got "5".'],
    [
      "random numbers with a dtype alone",
      () => rand([2], "float64" as never),
      'Options are an object, such as { dtype: "int32", device: "cpu" }, but got "float64".',
    ],
    [
      "random integers",
      () => rand([2], { device, dtype: "int32" }),
      'Random numbers are drawn as floats, not as int32: convert them afterwards, e.g. rand([3]).mul(10).to("int32").',
    ],
    [
      "a negative seed",
      () => rand([2], { device, seed: -1 }),
      "A seed is a whole number from 0 to 2^64 - 1, but got -1.",
    ],
    [
      "a step of zero",
      () => arange(0, 1, 0, { device }),
      "arange takes a finite start and stop and a step other than 0 but got 0, 1 and 0.",
    ],
    [
      "a count that is none",
      () => linspace(0, 1, -1, { device }),
      "linspace takes two finite numbers and a whole count ≥ 0 but got 0, 1 and -1.",
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
