// Tensors in 8 and 4 bits on every device: how far they are off, in float64, products with few and many rows of every
// kind of group, gradients, the layer, files, and what they refuse.
import "./cache.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  gradients,
  io,
  matmul,
  nn,
  ones,
  quantize,
  QuantizedTensor,
  randn,
  tensor,
  TensorError,
  tidy,
  zeros,
  type DType,
  type QuantizeOptions,
  type Tensor,
} from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { poison, roundoff } from "./numbers.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { expectWithin } from "./samples.ts";

const random = seeded(freshSeed());
const numbers = (x: Tensor): number[] => [x.to("float64").reshape([-1]).toArray()].flat() as number[];
const codeKinds: readonly Required<Pick<QuantizeOptions, "bits" | "symmetric">>[] = [
  { bits: 8, symmetric: true },
  { bits: 8, symmetric: false },
  { bits: 4, symmetric: true },
  { bits: 4, symmetric: false },
];
const said = ({ bits, symmetric }: (typeof codeKinds)[number]) => `${bits} bits${symmetric ? "" : ", zero points"}`;

describe.each(devices.map(({ name }) => [name] as const))("on %s", (device) => {
  const normals = (shape: readonly number[], dtype: DType = "float32") =>
    randn(shape, { dtype, device, seed: Math.floor(random() * 2 ** 31) }) as Tensor;

  describe.each(codeKinds.map((kind) => [said(kind), kind] as const))("%s", (_, kind) => {
    test.each([
      "float32",
      "float64",
      "float16",
      "bfloat16",
    ] as DType[])("%s is off by half a step of its group at most", (dtype) => {
      for (const [rows, length, groupSize] of [
        [1, 1, 128],
        [3, 7, 2],
        [5, 300, 64],
        [2, 257, 32],
        [4, 128, 128],
        [33, 96, 6],
      ] as const) {
        // Some groups are all above 0, one is 0, and sizes are from tiny to large.
        const x = normals([rows, length], dtype)
          .add(normals([rows, 1], dtype).mul(3))
          .mul(normals([rows, 1], dtype).exp()) as Tensor;
        x.set([0, [0, Math.min(length, groupSize)]], 0);
        poison(device, rows * length);
        const q = quantize(x, { ...kind, groupSize });
        expect(q.scales.shape).toEqual([rows, Math.ceil(length / groupSize)]);
        expect(q.codes.shape).toEqual([rows, kind.bits === 8 ? length : Math.ceil(length / 2)]);
        poison(device, rows * length);
        const back = q.dequantize();
        expect([back.shape, back.dtype]).toEqual([[rows, length], "float32"]);
        const scales = numbers(q.scales);
        const groups = Math.ceil(length / groupSize);
        const scaleOf = (index: number) =>
          scales[Math.floor(index / length) * groups + Math.floor((index % length) / groupSize)]!;
        // Half a step, and roundings of up to 2 · 2^bits steps.
        const bound = (index: number) => scaleOf(index) * (0.5 + 2 ** (kind.bits + 2) * 2 ** -24);
        const found = numbers(back);
        expectWithin(found, numbers(x), bound);
        for (const to of ["float64", "float16", "bfloat16"] as const)
          expectWithin(
            numbers(q.dequantize({ dtype: to })),
            found,
            (index) => Math.abs(found[index]!) * roundoff[to]! + (to === "float16" ? 2 ** -25 : 0),
          );
      }
    });

    test("along any axis, with the axis last in the parts", () => {
      const x = normals([5, 6, 7]);
      const q = quantize(x, { ...kind, axis: 1, groupSize: 4 });
      expect([q.shape, q.axis, q.scales.shape]).toEqual([[5, 6, 7], 1, [5, 7, 2]]);
      const steps = numbers(
        q.scales.repeatInterleave(4, { axis: -1 }).slice(null, null, [0, 6]).moveAxis(-1, 1) as Tensor,
      );
      expectWithin(numbers(q.dequantize()), numbers(x), (index) => steps[index]! * (0.5 + 2 ** -12));
    });

    test("the smallest and the largest numbers, and none", () => {
      const x = tensor(
        [
          [2 ** -140, -(2 ** -149)],
          [3e38, -3e38],
          [0, 0],
        ],
        { device },
      );
      const q = quantize(x, kind);
      const steps = numbers(q.scales);
      expectWithin(
        numbers(q.dequantize({ dtype: "float64" })),
        numbers(x),
        (index) => steps[Math.floor(index / 2)]! * 0.5001,
      );
      expect(numbers(q.dequantize()).slice(4)).toEqual([0, 0]);
    });

    test("a group with NaN or an infinity is NaN, and no other", () => {
      const x = tensor(
        [
          [1, NaN, 2, 3],
          [Infinity, 1, 2, 3],
          [1, 2, 3, 4],
        ],
        { device },
      );
      const found = numbers(quantize(x, { ...kind, groupSize: 2 }).dequantize());
      expect(found.map(Number.isNaN)).toEqual([true, true, false, false, true, true, ...Array<boolean>(6).fill(false)]);
    });

    // Rows of every path, lengths and groups that are whole packs of 16 bytes and not.
    test.each(["float32", "float64", "float16", "bfloat16"] as DType[])("products in %s", (dtype) => {
      const u = roundoff[dtype]!;
      for (const [n, k, groupSize] of [
        [1, 1, 2],
        [37, 64, 32],
        [16, 4096, 128],
        [129, 256, 64],
        [130, 640, 128],
        [24, 384, 32],
        [20, 96, 96],
        [5, 200, 6],
        [3, 33, 128],
      ] as const)
        for (const rows of [1, 2, 4, 7, 16, 17, 40]) {
          const w = normals([n, k]);
          const q = quantize(w, { ...kind, groupSize });
          const x = normals([rows, k], dtype);
          const [xs, ws] = [numbers(x), numbers(q.dequantize({ dtype: "float64" }))];
          const scales = numbers(q.scales);
          const most = Math.max(...scales) * 2 ** kind.bits;
          const [sums, sizes, alone] = [Array<number>(rows * n), Array<number>(rows * n), Array<number>(rows)];
          for (let i = 0; i < rows; i++) {
            alone[i] = 0;
            for (let d = 0; d < k; d++) alone[i]! += Math.abs(xs[i * k + d]!);
            for (let j = 0; j < n; j++) {
              let [sum, size] = [0, 0];
              for (let d = 0; d < k; d++) {
                const each = xs[i * k + d]! * ws[j * k + d]!;
                sum += each;
                size += Math.abs(each);
              }
              sums[i * n + j] = sum;
              sizes[i * n + j] = size;
            }
          }
          poison(device, rows * n);
          const y = matmul(x, q.T);
          expect([y.shape, y.dtype]).toEqual([[rows, n], dtype]);
          // Of few rows sums of x · code in float32, with the zero point taken off after; of many the weights are rounded
          // to the dtype first.
          const inner = dtype === "float64" ? 2 ** -53 : 2 ** -24;
          const isMany = rows > 16 || dtype === "float64";
          expectWithin(
            numbers(y),
            sums,
            (index) =>
              (k + 40) * inner * (isMany ? sizes[index]! : 4 * most * alone[Math.floor(index / n)]!) +
              (isMany ? u * sizes[index]! : 0) +
              2 * u * Math.abs(sums[index]!) +
              2 ** -24,
          );
          for (const each of [w, x, y]) each.dispose();
          q.dispose();
        }
    });
  });

  test.each([
    ["float16", 4],
    ["bfloat16", 8],
    ["bfloat16", 4],
  ] as const)("more lines than a GPU has processors for, of %s and %i bits", (dtype, bits) => {
    const [n, k] = [8500 + 32 * 40, 128];
    for (const rows of [1, 9]) {
      const q = quantize(normals([n, k]), { bits, symmetric: rows === 1 });
      const x = normals([rows, k], dtype);
      const [xs, ws, scales] = [numbers(x), numbers(q.dequantize()), numbers(q.scales)];
      poison(device, rows * n);
      const found = numbers(x.matmul(q.T));
      const [sums, sizes] = [Array<number>(rows * n).fill(0), Array<number>(rows * n).fill(0)];
      for (let i = 0; i < rows; i++)
        for (let j = 0; j < n; j++)
          for (let d = 0; d < k; d++) {
            sums[i * n + j]! += xs[i * k + d]! * ws[j * k + d]!;
            sizes[i * n + j]! += Math.abs(xs[i * k + d]!) * scales[j]! * 2 ** bits;
          }
      expectWithin(
        found,
        sums,
        (index) => (k + 40) * 2 ** -22 * sizes[index]! + 2 * roundoff[dtype]! * Math.abs(sums[index]!) + 2 ** -24,
      );
    }
  });

  test("rows that begin anywhere, vectors and batches", () => {
    const q = quantize(normals([12, 64]), { bits: 4, groupSize: 32 }).T;
    const wide = normals([3, 130]);
    const x = wide.slice(null, [1, 65]) as Tensor;
    const plain = x.matmul(q.dequantize());
    const close = (got: Tensor, wanted: Tensor) => expectWithin(numbers(got), numbers(wanted), () => 64 * 2 ** -20);
    close(x.matmul(q), plain);
    close((x.slice(1) as Tensor).matmul(q), plain.slice(1) as Tensor);
    expect((x.slice(1) as Tensor).matmul(q).shape).toEqual([12]);
    const batch = x.reshape([3, 1, 64]);
    expect(batch.matmul(q).shape).toEqual([3, 1, 12]);
    close(batch.matmul(q), plain);
    expect(zeros([0, 64], { device }).matmul(q).shape).toEqual([0, 12]);
  });

  test.each([2, 40])("the gradient of x, of %i rows", (rows) => {
    const q = quantize(normals([24, 64]), { bits: 4, groupSize: 32, symmetric: false }).T;
    const [x, g] = [normals([rows, 64]), normals([rows, 24])];
    x.requiresGrad = true;
    const [found] = gradients(x.matmul(q), [x], { gradient: g });
    const wanted = g.matmul(q.dequantize().T as Tensor);
    expectWithin(numbers(found!), numbers(wanted), () => 24 * 2 ** -18);
  });

  test("a layer of a layer: results, gradients of x and the bias, state, and its text", async () => {
    for (const activation of [undefined, "gelu", "relu"] as const) {
      const linear = new nn.Linear(96, 40, { device, ...(activation === undefined ? {} : { activation }) });
      const layer = nn.QuantizedLinear.from(linear, { bits: 4, groupSize: 32 });
      const same = new nn.Linear(96, 40, { device, ...(activation === undefined ? {} : { activation }) });
      same.loadStateDict({ weight: layer.weight.dequantize(), bias: linear.bias! });
      for (const rows of [1, 33]) {
        const x = normals([rows, 96]);
        x.requiresGrad = true;
        const [y, wanted] = [layer(x), same(x)];
        expectWithin(numbers(y.detach()), numbers(wanted.detach()), () => 2 ** -14);
        const g = normals([rows, 40]);
        const found = gradients(y, [x, layer.bias!], { gradient: g });
        const right = gradients(wanted, [x, same.bias!], { gradient: g });
        if (activation !== "relu")
          found.forEach((each, at) => expectWithin(numbers(each), numbers(right[at]!), () => 2 ** -12));
      }
      expect(Object.keys(layer.stateDict())).toEqual(["codes", "scales", "bias"]);
      expect(layer.parameters()).toHaveLength(1);
      expect(layer.parameters()[0]).toBe(linear.bias);
    }
    const layer = nn.QuantizedLinear.from(new nn.Linear(8, 2, { device, bias: false }), { symmetric: false });
    expect(String(layer)).toContain("QuantizedLinear(8 → 2, 8 bits, no bias)");
    const other = nn.QuantizedLinear.from(new nn.Linear(8, 2, { device, bias: false }), { symmetric: false });
    other.loadStateDict(layer.stateDict());
    const x = normals([3, 8]);
    expect(numbers(other(x))).toEqual(numbers(layer(x)));
  });

  test("its parts through a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "warpcell-quantized-"));
    try {
      for (const kind of codeKinds) {
        const q = quantize(normals([3, 9, 4]), { ...kind, axis: 1, groupSize: 4 });
        const file = join(folder, "q.safetensors");
        await io.save(file, q.parts());
        const again = QuantizedTensor.of((await io.load(file, { device })) as Record<string, Tensor>);
        expect(String(again)).toBe(String(q));
        expect(numbers(again.dequantize())).toEqual(numbers(q.dequantize()));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("what it takes and says", () => {
    const q = quantize(ones([4, 256], { device }), { bits: 4 });
    expect(q.bytes).toBe(4 * 128 + 4 * 2 * 4);
    expect(String(q)).toBe(`QuantizedTensor(shape [4, 256], 4 bits, groups of 128 along axis 1, 544 bytes, ${device})`);
    expect(String(quantize(ones([2, 8], { device }), { symmetric: false }))).toContain("8 bits with zero points");
    const kept = tidy(() => quantize(ones([8], { device })));
    expect(numbers(kept.dequantize())).toEqual(Array(8).fill(1));
    kept.dispose();
    expect(kept.codes.isDisposed).toBe(true);
    expect(q.isSymmetric).toBe(true);
    expect(q.T.shape).toEqual([256, 4]);
  });

  test("what it refuses", () => {
    const said = (code: string, message: string) => expect.objectContaining({ code, message });
    const refused = (run: () => unknown, code: string, message: string) => {
      expect(run).toThrow(TensorError);
      expect(run).toThrow(said(code, message));
    };
    const x = ones([2, 4], { device });
    const q = quantize(x);
    refused(() => quantize(x, { bits: 3 as 4 }), "ARGUMENTS", "quantize takes 8 or 4 as bits but got 3.");
    for (const [bits, groupSize] of [
      [4, 3],
      [8, 0],
    ] as const)
      refused(
        () => quantize(x, { bits, groupSize }),
        "VALUE",
        `quantize takes a groupSize of at least 1, an even one for 4 bits, but got ${groupSize}.`,
      );
    refused(
      () => quantize(zeros([2, 0], { device })),
      "SHAPE",
      "quantize takes a tensor with elements along an axis but got shape [2, 0].",
    );
    refused(
      () => quantize(x.to("int32") as never),
      "DTYPE",
      'quantize takes floats but got int32: convert them, e.g. with .to("float32").',
    );
    refused(
      () => x.to("int32").matmul(q.T),
      "DTYPE",
      'matmul with a quantised matrix takes floats but got int32: convert them, e.g. with .to("float32").',
    );
    refused(
      () => ones([3, 2], { device }).matmul(q),
      "AXIS",
      "matmul takes a matrix that is quantised along the axis that is summed over, 0, but got one along axis 1: quantize it with { axis: 0 }, or dequantize it first.",
    );
    refused(
      () => ones([3, 5], { device }).matmul(q.T),
      "SHAPE",
      "matmul with a quantised matrix of shape [4, 2] takes tensors of shape […, 4] but got [3, 5].",
    );
    const solid = quantize(ones([2, 3, 4], { device }));
    refused(
      () => x.matmul(solid),
      "SHAPE",
      "matmul takes a quantised matrix but got one of shape [2, 3, 4]: dequantize it first.",
    );
    refused(() => solid.T, "SHAPE", "The transpose of a QuantizedTensor is of a matrix but the shape is [2, 3, 4].");
    refused(
      () => q.dequantize({ dtype: "int8" as never }),
      "ARGUMENTS",
      'dequantize takes "float32", "float64", "float16" or "bfloat16" as dtype but got "int8".',
    );
    const parts = q.parts() as Record<string, Tensor>;
    refused(
      () => QuantizedTensor.of({ codes: parts["codes"]! }),
      "STATE",
      "A QuantizedTensor is made of codes, scales and layout, perhaps with zeroPoints, but got codes.",
    );
    refused(
      () => QuantizedTensor.of({ ...parts, scales: ones([2, 2], { device }) }),
      "STATE",
      "A QuantizedTensor of shape [2, 4] in 8 bits has float32 of shape [2, 1] as scales but got float32 of [2, 2].",
    );
    refused(
      () => QuantizedTensor.of({ ...parts, layout: tensor([5, 1, 0, 2], { dtype: "int64", device }) }),
      "STATE",
      "The layout of a QuantizedTensor is bits, group size, axis and shape but got [5, 1, 0, 2].",
    );
    refused(
      () => new nn.QuantizedLinear(quantize(x, { axis: 0 })),
      "OPERANDS",
      `new nn.QuantizedLinear takes a matrix [outputs, inputs] that is quantised along axis 1 but got QuantizedTensor(shape [2, 4], 8 bits, groups of 2 along axis 0, 24 bytes, ${device}).`,
    );
    refused(
      () => nn.QuantizedLinear.from(3 as never),
      "OPERANDS",
      "nn.QuantizedLinear.from takes an nn.Linear but got 3.",
    );
  });
});
