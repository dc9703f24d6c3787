// Mixtures of two tensors on every device against float64: a number or a tensor as the weight, however operands lie,
// and in place.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { tensor, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { poison, rounded, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const flat = (x: Tensor) => [x.reshape([-1]).toArray()].flat() as number[];

/** A view of a shape: without gaps, cut out, turned, or stretched. */
const ways: Record<string, (make: (shape: readonly number[]) => Tensor, shape: readonly [number, number]) => Tensor> = {
  contiguous: (make, shape) => make(shape),
  sliced: (make, [rows, columns]) => make([rows, columns + 3]).slice(null, [1, columns + 1]),
  turned: (make, [rows, columns]) => make([columns, rows]).T,
  stretched: (make, [rows, columns]) => make([columns]).expand([rows, columns]),
};

describe.each(devices.map(({ name }) => name))("lerp on %s", (device) => {
  test.each<DType>(["float32", "float64", "float16", "bfloat16"])("%s: however operands lie", (dtype) => {
    const make = (shape: readonly number[], from = -4, to = 4) =>
      tensor(
        Array.from({ length: shape.reduce((size, length) => size * length, 1) }, () =>
          rounded(from + (to - from) * random(), dtype),
        ),
        { dtype, device },
      ).reshape(shape);
    const weights = (shape: readonly number[]) => make(shape, -0.5, 1.5);
    // Each of three roundings is at most u of what stands there, and the result's own.
    const u = dtype === "float64" ? 2 ** -53 : 2 ** -24;
    const check = (got: Tensor, x: Tensor, end: Tensor, weight: Tensor | number) => {
      const [xs, ends, many] = [flat(x), flat(end), typeof weight === "number" ? null : flat(weight)];
      let worst = 0;
      flat(got).forEach((value, at) => {
        const [a, b, w] = [xs[at]!, ends[at]!, many?.[at] ?? (weight as number)];
        const wanted = a + w * (b - a);
        const allowed = 8 * u * (Math.abs(a) + Math.abs(b)) * (1 + Math.abs(w)) + roundoff[dtype]! * Math.abs(wanted);
        worst = Math.max(worst, Math.abs(value - wanted) / (allowed + 2 ** -40));
      });
      expect(worst).toBeLessThan(1.001);
    };
    for (const shape of [
      [1, 1],
      [3, 5],
      [130, 264],
    ] as const)
      for (const lie of Object.values(ways)) {
        const [x, end] = [lie(make, shape), make(shape)];
        for (const weight of [0.25, 0.75, 1.5, -0.5].map((each) => rounded(each * (0.9 + 0.1 * random()), "float32"))) {
          poison(device, shape[0] * shape[1]);
          check(x.lerp(end, weight), x, end, weight);
          check(lie(make, shape).mul(0).add(x).lerp(x, weight), x, x, weight);
        }
        const weight = lie(weights, shape);
        poison(device, shape[0] * shape[1]);
        check(x.lerp(end, weight), x, end, weight);
        const one = weights([1]);
        check(end.lerp(x, one), end, x, one.expand([shape[0], shape[1]]));
      }
  });

  test("the ends exactly, and what is not finite", () => {
    const [x, end] = [tensor([1e30, -3, Infinity], { device }), tensor([0.1, 7, 1], { device })];
    expect(flat(x.lerp(end, 0)).slice(0, 2)).toEqual(flat(x).slice(0, 2));
    expect(flat(x.lerp(end, 1)).slice(0, 2)).toEqual(flat(end).slice(0, 2));
    expect(flat(x.lerp(end, tensor([NaN], { device })))).toEqual([NaN, NaN, NaN]);
  });

  test("dtypes are promoted, shapes broadcast", () => {
    const mixed = tensor([[0], [10]], { device, dtype: "int32" }).lerp(
      tensor([10, 20], { device, dtype: "float16" }),
      tensor([0.5], { device, dtype: "float32" }),
    );
    expect([mixed.dtype, mixed.toArray()]).toEqual([
      "float32",
      [
        [5, 10],
        [10, 15],
      ],
    ]);
    expect(
      tensor([0, 10], { device, dtype: "int64" }).lerp(tensor([10, 20], { device, dtype: "int64" }), 0.25).dtype,
    ).toBe("float32");
    expect(tensor([], { device }).lerp(tensor([1], { device }), 0.5).shape).toEqual([0]);
  });

  test("gradients of all three", () => {
    const made = (shape: readonly number[]) =>
      tensor(
        Array.from({ length: shape.reduce((size, length) => size * length, 1) }, () => random()),
        { dtype: "float64", device },
      ).reshape(shape);
    expectGradients((x, y, z) => x.lerp(y, z), [made([3, 2]), made([2]), made([3, 1])], { twice: true });
    for (const weight of [0.25, 0.75]) expectGradients((x, y) => x.lerp(y, weight), [made([3]), made([3])]);
  });
});
