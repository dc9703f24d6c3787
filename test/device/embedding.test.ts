// Rows of a table by their numbers, and the table's gradient, on every device.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { embedding, gradients, randn, tensor, TensorError, type DType, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { poison, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const below = (limit: number) => Math.floor(random() * limit);
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test.each([
    "float32",
    "float64",
    "float16",
    "bfloat16",
  ] as DType[])("rows of %s, and the sums of their gradients, the same from run to run", (dtype) => {
    for (const [count, width, places] of [
      [1, 1, 1],
      [7, 5, 33],
      [50, 64, 1000],
      [3, 17, 0],
    ] as const) {
      const weight = randn([count, width], { dtype, device, seed: below(2 ** 31) });
      const list = Array.from({ length: places }, () => below(count));
      const [table, padding] = [numbers(weight), count - 1];
      poison(device, places * width);
      const rows = embedding(tensor(list, { dtype: "int64", device }), weight);
      expect([rows.shape, rows.dtype]).toEqual([[places, width], dtype]);
      expect(numbers(rows)).toEqual(list.flatMap((row) => table.slice(row * width, (row + 1) * width)));

      weight.requiresGrad = true;
      const upper = randn([places, width], { dtype, device, seed: below(2 ** 31) });
      const above = numbers(upper);
      for (const options of [{}, { paddingIndex: -1 }]) {
        poison(device, count * width);
        const run = () =>
          gradients(embedding(tensor(list, { dtype: "int32", device }), weight, options), [weight], {
            gradient: upper,
          })[0]!;
        const found = run();
        expect(numbers(run())).toEqual(numbers(found));
        const [sums, sizes] = [Array<number>(count * width).fill(0), Array<number>(count * width).fill(0)];
        list.forEach((row, place) => {
          if ("paddingIndex" in options && row === padding) return;
          for (let at = 0; at < width; at++) {
            sums[row * width + at]! += above[place * width + at]!;
            sizes[row * width + at]! += Math.abs(above[place * width + at]!);
          }
        });
        // A sum of at most `places` terms in float32 at least, then a rounding to the dtype.
        const u = dtype === "float64" ? 2 ** -53 : 2 ** -24;
        const wrong = numbers(found).filter(
          (value, at) =>
            Math.abs(value - sums[at]!) > 2 * places * u * sizes[at]! + 1.01 * roundoff[dtype]! * Math.abs(sums[at]!),
        );
        expect(wrong).toEqual([]);
      }
    }
  });

  const normals = (shape: readonly number[]) => randn(shape, { dtype: "float64", device, seed: below(2 ** 31) });

  test("indices of any shape, negative ones, arrays, and a table that is a view", () => {
    const weight = tensor(
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      { device, dtype: "float32" },
    );
    expect(
      embedding(
        [
          [0, -1],
          [1, 1],
        ],
        weight,
      ).toArray(),
    ).toEqual([
      [
        [1, 2],
        [5, 6],
      ],
      [
        [3, 4],
        [3, 4],
      ],
    ]);
    expect(embedding(new Int32Array([2]), weight.T.contiguous().T).toArray()).toEqual([[5, 6]]);
    expect(embedding(tensor(1, { device, dtype: "int64" }), weight).toArray()).toEqual([3, 4]);
    expectGradients(
      (w) =>
        embedding(
          [
            [0, -1],
            [1, 1],
          ],
          w!,
        ).square() as Tensor,
      [normals([3, 4])],
      { twice: true },
    );
    // The padding row has a gradient of 0, whatever the rest of the loss says.
    const leaf = normals([3, 2]);
    leaf.requiresGrad = true;
    const [slope] = gradients(embedding([0, 2, 2], leaf, { paddingIndex: 0 }).square().sum(), [leaf], {
      createGraph: true,
    });
    expect(slope!.detach().toArray()).toEqual(
      leaf
        .detach()
        .mul(tensor([[0], [0], [4]], { device, dtype: "float64" }))
        .add(0)
        .toArray(),
    );
    const [bend] = gradients(slope!.sum(), [leaf]);
    expect(bend!.toArray()).toEqual([
      [0, 0],
      [0, 0],
      [4, 4],
    ]);
  });

  test("an index outside, another shape and another padding are refused", () => {
    const weight = randn([3, 2], { device });
    expect(() => embedding([0, 3], weight)).toThrow(
      "Index 3 is outside axis 0, which has 3 elements: give one from -3 to 2.",
    );
    expect(() => embedding(tensor([-4], { device, dtype: "int64" }), weight).data()).toThrow(
      "Index -4 is outside axis 0, which has 3 elements: give one from -3 to 2.",
    );
    expect(() => embedding([0], randn([3], { device }))).toThrow(
      new TensorError("SHAPE", "embedding takes a weight of shape [count, width] but got [3]."),
    );
    expect(() => embedding([0], weight, { paddingIndex: 3 })).toThrow(
      new TensorError("INDEX", "The paddingIndex of embedding must be an integer from -3 to 2 but got 3."),
    );
  });
});
