// Activations with parameters or a second tensor, as users call them: their defaults, halves and channels, and what
// they refuse. Their numbers are in table.test.ts.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  celu,
  glu,
  hardshrink,
  hardtanh,
  prelu,
  randn,
  softshrink,
  tensor,
  TensorError,
  threshold,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { freshSeed } from "../helpers/random.ts";

const seed = freshSeed();
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  /** Numbers away from the kink at 0. */
  const normals = (shape: readonly number[]) => {
    const x = randn(shape, { device, dtype: "float64", seed: seed + shape.length });
    return x.add(x.sign().mul(0.1)) as Tensor;
  };

  test("defaults are PyTorch's, and methods are the functions", () => {
    const x = randn([300], { device, seed }).mul(2) as Tensor;
    const pairs: [Tensor, Tensor, (x: number) => number][] = [
      [x.hardtanh(), hardtanh(x), (x) => Math.min(1, Math.max(-1, x))],
      [x.softshrink(), softshrink(x), (x) => Math.sign(x) * Math.max(0, Math.abs(x) - 0.5)],
      [x.hardshrink(), hardshrink(x), (x) => (Math.abs(x) > 0.5 ? x : 0)],
      [x.celu(), celu(x), (x) => (x > 0 ? x : Math.expm1(x))],
      [x.threshold(0.25, -3), threshold(x, 0.25, -3), (x) => (x > 0.25 ? x : -3)],
      [x.relu6(), x.clamp({ min: 0, max: 6 }), (x) => Math.min(6, Math.max(0, x))],
    ];
    for (const [method, other, of] of pairs) {
      expect(numbers(method)).toEqual(numbers(other));
      numbers(x).forEach((value, at) =>
        expect(Math.abs(numbers(method)[at]! - of(value))).toBeLessThanOrEqual(2 ** -21 * Math.max(1, Math.abs(value))),
      );
    }
  }, 20_000);

  test("glu halves an axis; prelu has one slope, or one for each channel", () => {
    const x = randn([2, 6, 3], { device, dtype: "float64", seed });
    for (const axis of [1, -2]) {
      const [a, b] = [numbers(x.slice(null, [0, 3])), numbers(x.slice(null, [3, 6]))];
      const got = glu(x, { axis });
      expect(got.shape).toEqual([2, 3, 3]);
      numbers(got).forEach((value, at) =>
        expect(Math.abs(value - a[at]! / (1 + Math.exp(-b[at]!)))).toBeLessThanOrEqual(2 ** -49 * Math.abs(a[at]!)),
      );
    }
    expect(x.reshape([6, 6]).glu().shape).toEqual([6, 3]);
    const slopes = randn([6], { device, dtype: "float64", seed: seed + 1 });
    const s = numbers(slopes);
    expect(numbers(prelu(x, slopes))).toEqual(
      numbers(x).map((value, at) => (value > 0 ? value : value * s[Math.floor(at / 3) % 6]!)),
    );
    expect(numbers(x.prelu(slopes.slice([0, 1])))).toEqual(
      numbers(x).map((value) => (value > 0 ? value : value * s[0]!)),
    );
    expectGradients((x) => glu(x!, { axis: 0 }), [normals([4, 3])]);
    expectGradients((x, w) => prelu(x!, w!), [normals([2, 3, 2]), normals([3])]);
    expectGradients((x, w) => prelu(x!, w!), [normals([5]), normals([1])]);
  });

  test("what clips leaves integers what they are, to the last bit", () => {
    const large = 2n ** 53n + 1n;
    const int64 = tensor([-large, -1n, 3n, large], { device });
    const int32 = tensor([16777217, -5, 0, 7], { device, dtype: "int32" });
    const uint8 = tensor([0, 5, 255], { device, dtype: "uint8" });
    const cases: [Tensor, string, (number | bigint)[]][] = [
      [int64.relu6(), "int64", [0n, 0n, 3n, 6n]],
      [int32.clone().relu6_(), "int32", [6, 0, 0, 6]],
      [uint8.relu6(), "uint8", [0, 5, 6]],
      [tensor([2n ** 63n], { device, dtype: "uint64" }).relu6(), "uint64", [6n]],
      [int64.hardtanh({ max: Infinity }), "int64", [-1n, -1n, 3n, large]],
      [int32.hardtanh({ min: -(2 ** 40), max: 2 ** 40 }), "int32", [16777217, -5, 0, 7]],
      [uint8.hardtanh(), "uint8", [0, 1, 1]],
      [int64.threshold(2.5, 9), "int64", [9n, 9n, 3n, large]],
      [int64.threshold(2 ** 53, 0), "int64", [0n, 0n, 0n, large]],
      [int32.threshold(-Infinity, 0), "int32", [16777217, -5, 0, 7]],
      [int32.threshold(2 ** 31, -1), "int32", [-1, -1, -1, -1]],
      [int32.threshold(16777216, -1), "int32", [16777217, -1, -1, -1]],
      [uint8.threshold(-0.5, 3), "uint8", [0, 5, 255]],
    ];
    for (const [found, dtype, wanted] of cases) {
      expect(found.dtype).toBe(dtype);
      expect(found.toArray()).toEqual(wanted);
    }
    expect(() => int32.hardtanh({ min: 0.5 })).toThrow(
      new TensorError("VALUE", "hardtanh of int32 takes whole numbers as bounds but got 0.5."),
    );
    expect(() => uint8.hardtanh({ min: 300, max: 400 })).toThrow(
      new TensorError("VALUE", "hardtanh gives uint8, which does not hold 300. It holds whole numbers from 0 to 255."),
    );
    expect(() => uint8.threshold(1, -1)).toThrow(
      new TensorError("VALUE", "threshold gives uint8, which does not hold -1. It holds whole numbers from 0 to 255."),
    );
    const mask = tensor([true], { device });
    for (const name of ["hardtanh", "threshold"] as const)
      expect(() => (mask as any)[name](...(name === "threshold" ? [0, 1] : []))).toThrow(
        new TensorError("DTYPE", `${name} takes numbers but got bool: convert it, e.g. with .to("int32").`),
      );
  });

  test("what they refuse", () => {
    const x = randn([2, 3], { device, seed });
    expect(() => glu(x)).toThrow(
      new TensorError("SHAPE", "glu halves an axis, but axis 1 of shape [2, 3] has 3 elements."),
    );
    expect(() => prelu(x, randn([2], { device }))).toThrow(
      new TensorError(
        "SHAPE",
        "prelu of a tensor of shape [2, 3] takes a weight of one element or of 3 but got shape [2].",
      ),
    );
    expect(() => celu(x, 0)).toThrow(
      new TensorError("ARGUMENTS", "celu takes a number other than 0 as alpha but got 0."),
    );
    expect(() => softshrink(x, -1)).toThrow(
      new TensorError("ARGUMENTS", "softshrink takes a number of at least 0 as lambda but got -1."),
    );
    expect(() => hardtanh(x, { min: 2, max: 1 })).toThrow(
      new TensorError("VALUE", "hardtanh takes a number above 2 as max but got 1."),
    );
    expect(() => threshold(x, NaN, 1)).toThrow(
      new TensorError(
        "ARGUMENTS",
        "threshold takes a number as threshold but got NaN. Write threshold(threshold, value).",
      ),
    );
  });
});
