// Sparse matrices on every device: compressed rows, blocks and two of four, their products and gradients against float64,
// and what they refuse.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  eye,
  gradients,
  ones,
  rand,
  randn,
  sparse,
  tensor,
  TensorError,
  zeros,
  type DType,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectWithin } from "./samples.ts";

const random = seeded(freshSeed());
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];

/** Sums and sums of magnitudes of a (m × k) times b (k × n). */
function product(a: readonly number[], b: readonly number[], [m, n, k]: readonly [number, number, number]) {
  const [sums, sizes] = [Array<number>(m * n).fill(0), Array<number>(m * n).fill(0)];
  for (let i = 0; i < m; i++)
    for (let d = 0; d < k; d++) {
      const left = a[i * k + d]!;
      if (left === 0) continue;
      for (let j = 0; j < n; j++) {
        const each = left * b[d * n + j]!;
        sums[i * n + j]! += each;
        sizes[i * n + j]! += Math.abs(each);
      }
    }
  return { sums, sizes };
}

/** Of the shape that the transpose has. */
const transpose = (x: readonly number[], rows: number, columns: number) =>
  Array.from({ length: rows * columns }, (_, at) => x[(at % columns) * rows + Math.floor(at / columns)]!);

describe.each(devices.map(({ name }) => [name] as const))("on %s", (device) => {
  const seed = () => Math.floor(random() * 2 ** 31);
  const normals = (shape: readonly number[], dtype: DType = "float32") =>
    randn(shape, { dtype, device, seed: seed() }) as Tensor;
  const thinned = (shape: readonly number[], share: number, dtype: DType = "float32") =>
    normals(shape, dtype).where(rand(shape, { device, seed: seed() }).lt(share), 0) as Tensor;

  describe.each(["float32", "float64", "float16", "bfloat16"] as DType[])("compressed rows of %s", (dtype) => {
    const u = roundoff[dtype]!;
    const inner = Math.min(u, 2 ** -24);

    test.each([
      [1, 1, 1, 1],
      [7, 5, 1, 0.5],
      [40, 70, 3, 0.1],
      [65, 33, 17, 0.3],
      [33, 129, 32, 0.2],
      [20, 64, 200, 0.05],
      [64, 64, 600, 0.02],
      [9, 4, 5, 0],
    ] as const)("%i × %i by %i columns, of share %f", (m, k, n, share) => {
      const dense = thinned([m, k], share, dtype);
      const a = sparse.csr(dense);
      const kept = numbers(dense);
      expect([a.shape, a.size, a.dtype]).toEqual([[m, k], kept.filter((each) => each !== 0).length, dtype]);
      expect(numbers(a.toDense())).toEqual(kept);
      expect(numbers(a.T.toDense())).toEqual(transpose(kept, k, m));
      const x = normals([k, n], dtype);
      const bound =
        ({ sums, sizes }: ReturnType<typeof product>, count: number) =>
        (index: number) =>
          sizes[index]! * (count + 4) * (inner + 2 ** -53) +
          2 * u * Math.abs(sums[index]!) +
          2 ** -24 * Number(u === 2 ** -11);
      poison(device, m * n);
      const wanted = product(kept, numbers(x), [m, n, k]);
      expectWithin(numbers(a.matmul(x)), wanted.sums, bound(wanted, k));
      // Every second column of a wider one.
      const wide = x.repeatInterleave(2, { axis: 1 }).slice(null, [0, 2 * n, 2]) as Tensor;
      expect(numbers(a.matmul(wide))).toEqual(numbers(a.matmul(x)));
      const above = normals([m, n], dtype);
      poison(device, k * n);
      const back = product(transpose(kept, k, m), numbers(above), [k, n, m]);
      expectWithin(numbers(a.T.matmul(above)), back.sums, bound(back, m));

      a.values.requiresGrad = true;
      x.requiresGrad = true;
      const [ofValues, ofX] = gradients(a.matmul(x), [a.values, x], { gradient: above }) as [Tensor, Tensor];
      expectWithin(numbers(ofX), back.sums, bound(back, m));
      const all = product(numbers(above), transpose(numbers(x.detach()), n, k), [m, k, n]);
      const there = kept.flatMap((each, at) => (each === 0 ? [] : [at]));
      expectWithin(
        numbers(ofValues),
        there.map((at) => all.sums[at]!),
        (index) => bound(all, n)(there[index]!),
      );
    });
  });

  test("a vector, elements at one place, and gradients of gradients", () => {
    const parts = {
      indptr: tensor([0, 3, 3, 4], { dtype: "int64", device }),
      indices: tensor([1, 0, 1, 2], { dtype: "int32", device }),
      values: tensor([2, 1, 5, 3], { device }),
      shape: [3, 3],
    } as const;
    const a = sparse.csr(parts);
    const wanted = [1, 7, 0, 0, 0, 0, 0, 0, 3];
    expect(numbers(a.toDense())).toEqual(wanted);
    expect(numbers(a.matmul(tensor([1, 10, 100], { device })))).toEqual([71, 0, 300]);
    expect(a.matmul(tensor([1, 10, 100], { device })).shape).toEqual([3]);
    expect(String(a)).toBe(`CsrMatrix(shape [3, 3], 4 elements, float32, 48 bytes, ${device})`);

    // Σ (A x)² has the second gradients that the dense matrix has.
    const x = normals([3, 2]);
    const second = (multiply: (x: Tensor) => Tensor) => {
      const leaf = x.clone() as Tensor;
      leaf.requiresGrad = true;
      const [first] = gradients(multiply(leaf).square().sum(), [leaf], { createGraph: true });
      return numbers(gradients(first!.square().sum(), [leaf])[0]!);
    };
    const matrix = a.toDense();
    const right = second((leaf) => matrix.matmul(leaf));
    expectWithin(
      second((leaf) => a.matmul(leaf)),
      right,
      (index) => 2 ** -18 * (1 + Math.abs(right[index]!)),
    );
  });

  test("gradients reach the dense matrix that rows were made of", () => {
    const dense = thinned([6, 8], 0.4);
    dense.requiresGrad = true;
    const x = normals([8, 3]);
    const [found] = gradients(sparse.csr(dense).matmul(x).sum(), [dense]);
    const wanted = ones([6, 3], { device }).matmul(x.T as Tensor);
    const mask = numbers(dense.detach());
    expectWithin(
      numbers(found!),
      numbers(wanted).map((each, at) => (mask[at] === 0 ? 0 : each)),
      () => 2 ** -20,
    );
  });

  test.each([
    [4, 0.3],
    [16, 0.5],
    [1, 0.2],
    [16, 0],
  ] as const)("blocks of %i, of share %f", (block, share) => {
    const [rows, columns, n] = [3 * block, 5 * block, 9];
    const mask = rand([3, 5], { device, seed: seed() }).lt(share);
    const wide = mask.repeatInterleave(block, { axis: 0 }).repeatInterleave(block, { axis: 1 }) as Tensor<"bool">;
    const dense = normals([rows, columns]).where(wide, 0) as Tensor;
    const a = sparse.bsr(dense, { block });
    expect(a.blocks.shape).toEqual([numbers(mask.sum() as Tensor)[0], block, block]);
    expect(numbers(a.toDense())).toEqual(numbers(dense));
    const x = normals([columns, n]);
    const wanted = product(numbers(dense), numbers(x), [rows, n, columns]);
    expectWithin(numbers(a.matmul(x)), wanted.sums, (index) => wanted.sizes[index]! * (columns + 8) * 2 ** -24);
    const [leaf, other] = [dense.clone() as Tensor, x.clone() as Tensor];
    leaf.requiresGrad = true;
    other.requiresGrad = true;
    const g = normals([rows, n]);
    const [ofDense, ofX] = gradients(sparse.bsr(leaf, { block }).matmul(other), [leaf, other], { gradient: g });
    const back = product(transpose(numbers(dense), columns, rows), numbers(g), [columns, n, rows]);
    expectWithin(numbers(ofX!), back.sums, (index) => back.sizes[index]! * (rows + 8) * 2 ** -24);
    const all = product(numbers(g), transpose(numbers(x), n, columns), [rows, columns, n]);
    const isThere = numbers(wide.to("float32") as Tensor);
    expectWithin(
      numbers(ofDense!),
      all.sums.map((each, at) => (isThere[at] === 0 ? 0 : each)),
      (index) => all.sizes[index]! * (n + 4) * 2 ** -24,
    );
  });

  test.each(["float32", "float64", "float16", "bfloat16"] as DType[])("two of four of %s", (dtype) => {
    const x = normals([5, 24], dtype);
    const given = numbers(x);
    const pruned = sparse.prune24(x);
    const wanted = given.map((each, at) => {
      const four = given.slice(at - (at % 4), at - (at % 4) + 4);
      const before = four.filter((other, index) =>
        Math.abs(other) === Math.abs(each) ? index < at % 4 : Math.abs(other) > Math.abs(each),
      );
      return before.length < 2 ? each : 0;
    });
    expect(numbers(pruned)).toEqual(wanted);
    const a = sparse.compress24(pruned);
    expect([a.shape, a.dtype, a.values.shape, a.places.shape]).toEqual([[5, 24], dtype, [5, 12], [5, 3]]);
    poison(device, 5 * 24);
    expect(numbers(a.toDense())).toEqual(wanted);
    const y = normals([24, 7], dtype);
    expect(numbers(a.matmul(y))).toEqual(numbers(pruned.matmul(y)));
    // Fewer than two, and none.
    const few = tensor([[0, 0, 0, 7, 0, 0, 0, 0, 1, 0, 0, 2, 0, 3, 0, 0]], { dtype, device }) as Tensor;
    expect(numbers(sparse.compress24(few).toDense())).toEqual(numbers(few));
    x.requiresGrad = true;
    const [found] = gradients(sparse.prune24(x).sum(), [x]);
    expect(numbers(found!)).toEqual(wanted.map((each) => Number(each !== 0)));
    expect(numbers(sparse.prune24(ones([4], { dtype, device }) as Tensor))).toEqual([1, 1, 0, 0]);
  });

  test("what they refuse", () => {
    const refused = (run: () => unknown, code: string, message: string) => {
      expect(run).toThrow(TensorError);
      expect(run).toThrow(expect.objectContaining({ code, message }));
    };
    const int = (list: number[]) => tensor(list, { dtype: "int64", device });
    const parts = {
      indptr: int([0, 1, 2]),
      indices: int([0, 1]),
      values: ones([2], { device }),
      shape: [2, 2],
    } as const;
    const part = (more: object, what: string) =>
      refused(() => sparse.csr({ ...parts, ...more }), "VALUE", `sparse.csr takes parts of a matrix, but ${what}.`);
    part({ values: 3 }, "values is no tensor with one axis");
    part({ shape: [2] }, "shape is an array of 1, not [rows, columns]");
    part({ indices: ones([2], { device }) }, "indices is float32, not integers");
    part({ indptr: int([0, 2]) }, "indptr has 2 elements for 2 rows, not 3");
    part({ indices: int([0]) }, "there are 1 indices for 2 values");
    part({ indptr: int([0, 3, 2]) }, "indptr does not go from 0 up to 2, the number of values");
    part({ indices: int([0, 2]) }, "indices are not all from 0 to 1");
    refused(() => sparse.csr(3 as never), "OPERANDS", "sparse.csr takes a matrix or parts of one but got 3.");
    refused(() => sparse.csr(ones([2], { device })), "SHAPE", "sparse.csr takes a matrix but got shape [2].");
    refused(
      () => sparse.csr(eye(2, { device, dtype: "int32" })),
      "DTYPE",
      "sparse.csr takes floats that compute but got int32: convert them first.",
    );
    const a = sparse.csr(parts);
    refused(
      () => a.matmul(ones([3, 2], { device })),
      "SHAPE",
      "A sparse matrix of shape [2, 2] multiplies [2, n] or [2] but got [3, 2].",
    );
    refused(
      () => a.matmul(ones([2, 2], { device }).to("float8_e4m3")),
      "DTYPE",
      'float8_e4m3 only stores numbers and does not mix with float32: convert it first, e.g. with .to("float32").',
    );
    refused(
      () => sparse.bsr(ones([4, 6], { device }), { block: 4 }),
      "SHAPE",
      "sparse.bsr takes a matrix whose sizes are multiples of block, 4, but got shape [4, 6].",
    );
    refused(
      () => sparse.bsr(ones([4, 4], { device }), { block: 4 }).matmul(ones([3, 1], { device })),
      "SHAPE",
      "A block-sparse matrix of shape [4, 4] multiplies [4, n] but got [3, 1].",
    );
    refused(
      () => sparse.prune24(ones([6], { device })),
      "SHAPE",
      "sparse.prune24 takes rows of a multiple of 4 elements but got shape [6].",
    );
    refused(
      () => sparse.compress24(zeros([2, 12], { device })),
      "SHAPE",
      "sparse.compress24 takes rows of a multiple of 8 elements but got shape [2, 12].",
    );
    refused(
      () => sparse.compress24(zeros([8], { device })),
      "SHAPE",
      "sparse.compress24 takes a matrix but got shape [8].",
    );
    refused(
      () => sparse.compress24(ones([2, 8], { device })),
      "VALUE",
      "sparse.compress24 takes rows of which at most two of every four elements are not 0: sparse.prune24 makes them.",
    );
  });
});
