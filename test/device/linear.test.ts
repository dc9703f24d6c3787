// Linear layers on every device against float64: with and without bias and activation, of several shapes and dtypes,
// their gradients, and what they refuse.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  gradients,
  linear,
  noGrad,
  randn,
  tensor,
  TensorError,
  type DType,
  type LinearOptions,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { poison, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectWithin } from "./samples.ts";

const random = seeded(freshSeed());
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];
const root = Math.sqrt(2 / Math.PI);
const gelu = (x: number) => 0.5 * x * (1 + Math.tanh(root * (x + 0.044715 * x ** 3)));
const geluSlope = (x: number) => {
  const t = Math.tanh(root * (x + 0.044715 * x ** 3));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * root * (1 + 0.134145 * x * x);
};
/** Each with its slope and the largest that has. */
const activations: readonly [LinearOptions["activation"], (x: number) => number, (x: number) => number][] = [
  [undefined, (x) => x, () => 1],
  ["relu", (x) => Math.max(x, 0), (x) => Number(x > 0)],
  ["gelu", gelu, geluSlope],
];
const steepest = 1.13;

/** Sums and sums of magnitudes of x (m × k) times the transpose of w (n × k), and a bias. */
function product(
  x: readonly number[],
  w: readonly number[],
  bias: readonly number[] | null,
  [m, n, k]: readonly [number, number, number],
) {
  const [sums, sizes] = [Array<number>(m * n), Array<number>(m * n)];
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      let sum = bias?.[j] ?? 0;
      let size = Math.abs(sum);
      for (let d = 0; d < k; d++) {
        const each = x[i * k + d]! * w[j * k + d]!;
        sum += each;
        size += Math.abs(each);
      }
      sums[i * n + j] = sum;
      sizes[i * n + j] = size;
    }
  return { sums, sizes };
}

describe.each(devices.map(({ name, kind }) => [name, kind] as const))("on %s", (device, kind) => {
  const normals = (shape: readonly number[], dtype: DType = "float64") =>
    randn(shape, { dtype, device, seed: Math.floor(random() * 2 ** 31) });

  describe.each(["float32", "float64", "float16", "bfloat16"] as DType[])("of %s", (dtype) => {
    const u = roundoff[dtype]!;
    const inner = Math.min(u, 2 ** -24);
    const isNarrow = u > 2 ** -24;
    // A library's tanh in 16 bits.
    const own = isNarrow && kind === "cuda" ? 2 ** -11 : 8 * inner;

    test.each([
      [1, 1, 1],
      [3, 5, 0],
      [65, 33, 17],
      // Few rows, of which a GPU's warps each read rows of the matrix.
      [1, 70, 64],
      [3, 33, 1008],
      [64, 48, 80],
      [128, 256, 64],
    ] as const)("%i rows, %i results of %i", (m, n, k) => {
      const [x, w, b] = [normals([m, k], dtype), normals([n, k], dtype), normals([n], dtype)];
      for (const bias of [null, b])
        for (const [activation, of] of activations) {
          const { sums, sizes } = product(numbers(x), numbers(w), bias === null ? null : numbers(bias), [m, n, k]);
          // Without a library's epilogue the product is rounded before the bias is added, and that again.
          const biases = bias === null ? Array<number>(n).fill(0) : numbers(bias);
          const before = (index: number) =>
            sizes[index]! * (k + 2) * (inner + 2 ** -53) +
            (Math.abs(sums[index]!) + Math.abs(biases[index % n]!)) * 2 * u;
          for (const keep of [false, true]) {
            const leaf = keep ? x.clone() : x;
            if (keep) leaf.requiresGrad = true;
            poison(device, m * n);
            const y = linear(leaf as Tensor, w, bias, activation === undefined ? {} : { activation });
            expect([y.shape, y.dtype]).toEqual([[m, n], dtype]);
            expectWithin(
              numbers(y.detach()),
              sums.map(of),
              (index) =>
                steepest * before(index) +
                Math.abs(sums[index]!) * own +
                Math.abs(sums[index]!) * 2 * u +
                2 ** -24 * Number(dtype === "float16"),
            );
          }
        }
    });

    test("gradients of x, weight and bias", () => {
      const [m, n, k] = [40, 24, 56];
      const [x, w, b, upper] = [
        normals([m, k], dtype).div(4) as Tensor,
        normals([n, k], dtype),
        normals([n], dtype),
        normals([m, n], dtype),
      ];
      const [xs, ws, gs] = [numbers(x), numbers(w), numbers(upper)];
      const biases = numbers(b);
      const { sums, sizes } = product(xs, ws, biases, [m, n, k]);
      for (const [activation, , slope] of activations) {
        const leaves = [x, w, b].map((each) => {
          const leaf = each.detach().clone() as Tensor;
          leaf.requiresGrad = true;
          return leaf;
        }) as [Tensor, Tensor, Tensor];
        poison(device, m * k);
        const found = gradients(linear(...leaves, activation === undefined ? {} : { activation }), leaves, {
          gradient: upper,
        });
        // What reaches the product, and how far it may be off: by the rounding of its argument, where the slope's slope
        // is below 1.2, and its own.
        const z = gs.map((g, index) => g * slope(sums[index]!));
        const off = gs.map((g, index) => {
          const error =
            sizes[index]! * (k + 2) * (inner + 2 ** -53) +
            (Math.abs(sums[index]!) + Math.abs(biases[index % n]!)) * 2 * u;
          const isSure = activation !== "relu" || Math.abs(sums[index]!) > 2 * error;
          return activation === undefined
            ? 0
            : isSure
              ? Math.abs(g) * (activation === "gelu" ? 1.2 * error + 24 * inner * (1 + Math.abs(sums[index]!)) : 0) +
                Math.abs(z[index]!) * 2 * u
              : Math.abs(g);
        });
        const check = (
          which: number,
          count: number,
          terms: (index: number) => readonly (readonly [number, number])[],
        ) => {
          const lists = Array.from({ length: count }, (_, index) => terms(index));
          const wanted = lists.map((list) => list.reduce((sum, [at, factor]) => sum + z[at]! * factor, 0));
          expectWithin(
            numbers(found[which]!),
            wanted,
            (index) =>
              lists[index]!.reduce(
                (sum, [at, factor]) =>
                  sum +
                  (off[at]! + Math.abs(z[at]!) * (lists[index]!.length + 4) * (inner + 2 ** -53)) * Math.abs(factor),
                0,
              ) +
              Math.abs(wanted[index]!) * 2 * u +
              2 ** -24 * Number(dtype === "float16"),
          );
        };
        check(0, m * k, (index) =>
          Array.from({ length: n }, (_, j) => [Math.floor(index / k) * n + j, ws[j * k + (index % k)]!]),
        );
        check(1, n * k, (index) =>
          Array.from({ length: m }, (_, i) => [i * n + Math.floor(index / k), xs[i * k + (index % k)]!]),
        );
        check(2, n, (index) => Array.from({ length: m }, (_, i) => [i * n + index, 1]));
      }
    });
  });

  test("one axis, many axes, views, two dtypes, and no rows", () => {
    const [w, b] = [normals([4, 3]), normals([4])];
    const x = normals([2, 5, 3]);
    const flat = linear(x.reshape([10, 3]), w, b, { activation: "gelu" });
    expect(numbers(linear(x, w, b, { activation: "gelu" }))).toEqual(numbers(flat));
    expect(linear(x, w, b).shape).toEqual([2, 5, 4]);
    expect(linear(x.get(0, 0), w, b).shape).toEqual([4]);
    expectWithin(
      numbers(linear(x.get(1, 2), w, b, { activation: "relu" })),
      numbers(linear(x, w, b, { activation: "relu" }).get(1, 2)),
      () => 2 ** -48,
    );
    const turned = normals([3, 4]);
    expectWithin(numbers(linear(x, turned.T, b)), numbers(x.matmul(turned).add(b)), () => 2 ** -47);
    const spaced = normals([4, 6]).slice(null, [0, null, 2]);
    expectWithin(
      numbers(linear(x.transpose([1, 0, 2]), spaced)),
      numbers(x.transpose([1, 0, 2]).contiguous().matmul(spaced.T.contiguous())),
      () => 2 ** -47,
    );
    expect(linear(tensor([[1, 2, 3]], { device, dtype: "int32" }), w, b).dtype).toBe("float64");
    expect(linear(x.slice([0, 0]), w, b, { activation: "gelu" }).shape).toEqual([0, 5, 4]);
  });

  test("gradients once and twice beside finite differences; what is not kept is worked out again", () => {
    for (const activation of [undefined, "gelu"] as const) {
      const options = activation === undefined ? {} : { activation };
      expectGradients(
        (x, w, b) => linear(x!, w!, b!, options).square() as Tensor,
        [normals([2, 3, 4]), normals([5, 4]), normals([5])],
        { twice: true },
      );
      expectGradients((x, w) => linear(x!, w!, null, options), [normals([4]), normals([5, 4])]);
    }
    const [x, w] = [normals([3, 4]), normals([2, 4])];
    const plain = noGrad(() => linear(x, w, null, { activation: "gelu" }));
    x.requiresGrad = true;
    expect(numbers(linear(x, w, null, { activation: "gelu" }).detach())).toEqual(numbers(plain));
  });

  test("what it refuses", () => {
    const [x, w] = [normals([2, 3]), normals([4, 3])];
    expect(() => linear(x, normals([3]))).toThrow(
      new TensorError("SHAPE", "linear takes a weight of shape [out, in] but got [3]."),
    );
    expect(() => linear(x.T, w)).toThrow(
      new TensorError("SHAPE", "linear with a weight of shape [4, 3] takes tensors of shape […, 3] but got [3, 2]."),
    );
    expect(() => linear(x, w, normals([3]))).toThrow(
      new TensorError("SHAPE", "linear with a weight of shape [4, 3] takes a bias of shape [4] but got [3]."),
    );
    expect(() => linear(x, w, null, { activation: "tanh" as never })).toThrow(
      new TensorError("ARGUMENTS", 'linear takes "gelu" or "relu" as activation but got "tanh".'),
    );
    expect(() => linear(x.gt(0), w.gt(0))).toThrow(
      new TensorError(
        "DTYPE",
        'linear takes numbers that compute but got bool: convert them, e.g. with .to("float32").',
      ),
    );
  });
});
