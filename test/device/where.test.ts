// Choices by a condition: tensors and numbers on either side, however they lie, against the same written out.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { tensor, where, zeros, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const whole = (below: number) => Math.floor(random() * below);
const flat = (x: Tensor) => [x.reshape([-1]).toArray()].flat();

/** A view of a shape: without gaps, cut out, turned, stretched, or behind an odd start. */
const ways: Record<string, (make: (shape: readonly number[]) => Tensor, shape: readonly [number, number]) => Tensor> = {
  contiguous: (make, shape) => make(shape),
  sliced: (make, [rows, columns]) => make([rows, columns + 3]).slice(null, [1, columns + 1]),
  turned: (make, [rows, columns]) => make([columns, rows]).T,
  stretched: (make, [rows, columns]) => make([1, columns]).expand([rows, columns]),
  "a column": (make, [rows, columns]) => make([rows, 1]).expand([rows, columns]),
  odd: (make, [rows, columns]) =>
    make([rows * columns + 1])
      .slice([1])
      .reshape([rows, columns]),
};

describe.each(devices.map(({ name }) => name))("where on %s", (device) => {
  test.each<DType>([
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "uint8",
    "int16",
    "bool",
  ])("%s: tensors and numbers on either side, however they lie", (dtype) => {
    const value = () => (dtype === "bool" ? random() < 0.5 : dtype === "int64" ? BigInt(whole(100)) : whole(100));
    const make = (of: DType, each: () => number | bigint | boolean) => (shape: readonly number[]) =>
      tensor(Array.from({ length: shape.reduce((size, length) => size * length, 1) }, each), {
        dtype: of,
        device,
      }).reshape(shape);
    const shapes = [
      [1, 1],
      [3, 5],
      [17, 64],
      [130, 257],
    ] as const;
    for (const shape of shapes)
      for (const lie of Object.values(ways)) {
        const condition = lie(
          make("bool", () => random() < 0.5),
          shape,
        ) as Tensor<"bool">;
        const [a, b] = [ways["contiguous"]!(make(dtype, value), shape), lie(make(dtype, value), shape)];
        const [x, y] = [value(), value()];
        const [mask, left, right] = [flat(condition), flat(a), flat(b)];
        expect(flat(where(condition, a, b))).toEqual(mask.map((each, at) => (each ? left[at] : right[at])));
        expect(flat(where(condition, b, x))).toEqual(mask.map((each, at) => (each ? right[at] : x)));
        expect(flat(where(condition, x, b))).toEqual(mask.map((each, at) => (each ? x : right[at])));
        expect(flat(a.where(condition, y))).toEqual(mask.map((each, at) => (each ? left[at] : y)));
      }
  });

  test("operands of another dtype, of fewer axes, large ones, and none", () => {
    const mask = tensor([true, false, true], { device });
    const mixed = where(mask, tensor([1, 2, 3], { device, dtype: "int32" }), tensor([[0.5], [1.5]], { device }));
    expect(mixed.toArray()).toEqual([
      [1, 0.5, 3],
      [1, 1.5, 3],
    ]);
    expect(where(zeros([0], { device, dtype: "bool" }), zeros([0], { device }), 1).shape).toEqual([0]);
    const count = 3_000_001;
    const x = zeros([count], { device }).add(1);
    expect(x.where(x.gt(0), 5).sum().item()).toBe(count);
    expect(x.where(x.lt(0), 5).sum().item()).toBe(5 * count);
    const top = 2n ** 63n - 1n;
    expect(where(mask, tensor([1n, 2n, 3n], { device }), -top).toArray()).toEqual([1n, -top, 3n]);
    expect(where(mask, NaN, tensor([1, 2, 3], { device, dtype: "bfloat16" })).toArray()).toEqual([NaN, 2, NaN]);
  });
});
