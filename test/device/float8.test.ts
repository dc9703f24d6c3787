// 8-bit floats with scales on every device: how far they are off, and products with scales of every kind against
// float64.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  ones,
  quantizeFp8,
  randn,
  scaledMatmul,
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

/** What each element of a matrix is multiplied by. */
function spread(scale: Tensor, [rows, columns]: readonly [number, number]): number[] {
  const [count, across] = scale.size === 1 ? [1, 1] : (scale.shape as [number, number]);
  const found = numbers(scale);
  const part = (size: number, parts: number) => (parts === 1 ? size : parts === size ? 1 : 128);
  const [height, width] = [part(rows, count), part(columns, across)];
  return Array.from(
    { length: rows * columns },
    (_, index) =>
      found[Math.floor(Math.floor(index / columns) / height) * across + Math.floor((index % columns) / width)]!,
  );
}

describe.each(devices.map(({ name, kind }) => [name, kind] as const))("on %s", (device, kind) => {
  const normals = (shape: readonly number[], dtype: DType = "float32") =>
    randn(shape, { dtype, device, seed: Math.floor(random() * 2 ** 31) }) as Tensor;

  test.each([
    ["float8_e4m3", 2 ** -4, 2 ** -10, 448],
    ["float8_e5m2", 2 ** -3, 2 ** -17, 57344],
  ] as const)("%s is off by what it says at most", (dtype, relative, absolute, most) => {
    for (const options of [{}, { axis: 0 }, { axis: 1 }, { block: [1, 128] }, { block: [128, 128] }, { block: [3, 7] }])
      for (const shape of [
        [1, 1],
        [130, 260],
        [128, 128],
        [5, 33],
      ] as const)
        for (const from of ["float32", "float16", "bfloat16", "float64"] as const) {
          const x = normals(shape, from).mul(normals([shape[0], 1], from).exp()) as Tensor;
          const { values, scale } = quantizeFp8(x, { ...options, dtype } as { dtype: typeof dtype });
          expect([values.dtype, values.shape, scale.dtype]).toEqual([dtype, shape, "float32"]);
          const block = (options as { block?: [number, number] }).block;
          const scales =
            block === undefined
              ? spread(scale, shape)
              : numbers(
                  scale
                    .repeatInterleave(block[0], { axis: 0 })
                    .repeatInterleave(block[1], { axis: 1 })
                    .slice([0, shape[0]], [0, shape[1]]) as Tensor,
                );
          const given = numbers(x.to("float32"));
          const found = numbers(values);
          expectWithin(
            found.map((value, index) => value * scales[index]!),
            given,
            (index) => Math.max(relative * Math.abs(given[index]!), absolute * scales[index]!) * (1 + 2 ** -16),
          );
          expect(Math.max(...found.map(Math.abs))).toBe(most);
        }
  });

  test("zeros, the smallest numbers, NaN and infinities", () => {
    const x = tensor(
      [
        [0, 0],
        [2 ** -140, -(2 ** -149)],
        [NaN, 1],
        [Infinity, 1],
      ],
      { device },
    );
    const { values, scale } = quantizeFp8(x, { axis: 1 });
    const found = numbers(values).map((value, index) => value * numbers(scale)[index >> 1]!);
    expect(numbers(scale)[0]).toBe(1);
    expectWithin(found.slice(0, 4), numbers(x).slice(0, 4), (index) => (index < 2 ? 0 : 2 ** -126 * 2 ** -10));
    expect(found.slice(4).map(Number.isNaN)).toEqual([true, true, true, true]);
  });

  // Scales of each kind, of a and of b.
  const scalesOf = (lines: number, k: number) => ({
    one: [],
    line: [lines, 1],
    vector: [lines, Math.ceil(k / 128)],
    block: [Math.ceil(lines / 128), Math.ceil(k / 128)],
  });
  const kinds = ["one", "line", "vector", "block"] as const;
  describe.each([
    [64, 48, 80],
    [130, 144, 272],
    [132, 256, 384],
    [3, 5, 7],
    [1, 16, 300],
  ] as const)("products of %i × %i × %i", (m, n, k) => {
    test.each(kinds.flatMap((a) => kinds.map((b) => [a, b] as const)))("scales: %s of a, %s of b", (kindA, kindB) => {
      for (const [typeA, typeB] of [
        ["float8_e4m3", "float8_e4m3"],
        ["float8_e4m3", "float8_e5m2"],
      ] as const) {
        const [a, b] = [normals([m, k]).to(typeA) as Tensor, normals([n, k]).to(typeB) as Tensor];
        const scales = (shape: readonly number[]) => normals(shape).exp() as Tensor;
        const scaleA = scales(scalesOf(m, k)[kindA]);
        const linesB = scales(scalesOf(n, k)[kindB]);
        const scaleB = (linesB.shape.length === 2 ? linesB.T : linesB) as Tensor;
        const [xs, ys] = [numbers(a), numbers(b)];
        const [sa, sb] = [spread(scaleA, [m, k]), spread(linesB, [n, k])];
        const [sums, sizes] = [Array<number>(m * n), Array<number>(m * n)];
        for (let i = 0; i < m; i++)
          for (let j = 0; j < n; j++) {
            let [sum, size] = [0, 0];
            for (let d = 0; d < k; d++) {
              const each = xs[i * k + d]! * sa[i * k + d]! * (ys[j * k + d]! * sb[j * k + d]!);
              sum += each;
              size += Math.abs(each);
            }
            sums[i * n + j] = sum;
            sizes[i * n + j] = size;
          }
        // Hopper's tensor cores keep at least 13 bits below the largest of a sum of 32 products.
        const inner = kind === "cuda" ? (k / 32 + 1) * 2 ** -13 : (k + 4) * 2 ** -24;
        for (const dtype of ["float32", "bfloat16", "float16"] as const)
          for (const isCopied of [false, true]) {
            poison(device, m * n);
            // Row-major, or the transpose of what is.
            const right = isCopied ? (b.T.contiguous() as Tensor) : (b.T as Tensor);
            const out = scaledMatmul(a, right, { scaleA, scaleB, dtype });
            expect([out.shape, out.dtype]).toEqual([[m, n], dtype]);
            expectWithin(
              numbers(out),
              sums,
              (index) => sizes[index]! * inner + Math.abs(sums[index]!) * roundoff[dtype]! * 2,
            );
          }
      }
    });
  });

  test("what quantizeFp8 makes along k is what it takes", () => {
    const [x, w] = [normals([33, 272]), normals([48, 272])];
    const wanted = numbers(x.matmul(w.T as Tensor));
    for (const [ofX, ofW] of [
      [{}, {}],
      [{ axis: 1 }, { axis: 1 }],
      [{ block: [1, 128] }, { block: [128, 128] }],
    ] as const) {
      const [a, b] = [quantizeFp8(x, ofX), quantizeFp8(w, ofW)];
      const scaleB = (b.scale.shape.length === 2 ? b.scale.T : b.scale) as Tensor;
      const y = scaledMatmul(a.values, b.values.T as Tensor, { scaleA: a.scale, scaleB });
      expect(y.dtype).toBe("bfloat16");
      const off = numbers(y).reduce((sum, each, at) => sum + (each - wanted[at]!) ** 2, 0);
      const all = wanted.reduce((sum, each) => sum + each ** 2, 0);
      // Two factors, each off by 2⁻⁴ / √3 of itself or less.
      expect(Math.sqrt(off / all)).toBeLessThan(2 ** -4);
    }
    const empty = scaledMatmul(
      zeros([2, 0], { device }).to("float8_e4m3"),
      zeros([0, 3], { device }).to("float8_e4m3"),
      {
        scaleA: ones([1], { device }),
        scaleB: ones([1], { device }),
      },
    );
    expect(numbers(empty)).toEqual(Array(6).fill(0));
  });

  test("what they refuse", () => {
    const refused = (run: () => unknown, code: string, message: string) => {
      expect(run).toThrow(TensorError);
      expect(run).toThrow(expect.objectContaining({ code, message }));
    };
    const x = ones([4, 256], { device });
    const { values, scale } = quantizeFp8(x);
    const one = { scaleA: scale, scaleB: scale };
    refused(
      () => quantizeFp8(x, { axis: 0, block: [1, 2] }),
      "OPTIONS",
      "quantizeFp8 takes axis or block but got both.",
    );
    refused(
      () => quantizeFp8(x, { block: [0, 2] }),
      "VALUE",
      "quantizeFp8 takes [rows, columns] of at least 1 as block but got [0, 2].",
    );
    refused(
      () => quantizeFp8(ones([2], { device }), { block: [1, 2] }),
      "SHAPE",
      "quantizeFp8 takes a matrix with block but got shape [2].",
    );
    refused(
      () => quantizeFp8(zeros([2, 0], { device })),
      "SHAPE",
      "quantizeFp8 takes a tensor with elements but got shape [2, 0].",
    );
    refused(
      () => scaledMatmul(x, values.T as Tensor, one),
      "DTYPE",
      "scaledMatmul takes float8_e4m3 or float8_e5m2 but got float32: quantizeFp8 makes them.",
    );
    refused(
      () => scaledMatmul(values, values, one),
      "SHAPE",
      "scaledMatmul takes matrices m × k and k × n but got shapes [4, 256] and [4, 256].",
    );
    refused(
      () => scaledMatmul(values, values.T as Tensor, { ...one, scaleA: ones([3, 1], { device }) }),
      "SHAPE",
      "scaledMatmul takes one scale or scales of shape [4, 1], [4, 2], [1, 2] as scaleA of a matrix [4, 256] but got [3, 1].",
    );
    refused(
      () => scaledMatmul(values, values.T as Tensor, { ...one, scaleB: ones([4, 1], { device }) }),
      "SHAPE",
      "scaledMatmul takes one scale or scales of shape [1, 4], [2, 4], [2, 1] as scaleB of a matrix [256, 4] but got [4, 1].",
    );
    refused(
      () => scaledMatmul(values, values.T as Tensor, { scaleA: scale } as never),
      "ARGUMENTS",
      "scaledMatmul takes scaleA and scaleB but got no scaleB.",
    );
  });
});
