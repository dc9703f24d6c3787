// Which paths operations take on every device, which they take when they are told, and that all give the same.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import {
  conv2d,
  eye,
  gradients,
  graph,
  lastDispatch,
  linalg,
  nn,
  quantize,
  quantizeFp8,
  scaledMatmul,
  setPath,
  type DispatchedOperation,
  type Tensor,
} from "../../native/lib/index.ts";
import { onDevice } from "../../native/lib/ops/kernels/blocks.ts";
import { devices } from "./devices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";
import { numbersOf, sampler } from "./samples.ts";

const random = seeded(freshSeed());

const farthest = (a: Tensor, b: Tensor): number => {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  expect(left.length).toBe(right.length);
  return left.reduce((most, value, index) => Math.max(most, Math.abs(value - right[index]!)), 0);
};

describe.each(devices)("$name", ({ name: device, kind }) => {
  const sample = sampler(random, device);
  const told = (operation: DispatchedOperation, path: string, run: () => Tensor): Tensor => {
    using _ = setPath(operation, path as never);
    const result = run();
    expect(lastDispatch(operation)).toMatchObject({ operation, path });
    return result;
  };

  test.each(["float32", "bfloat16", "float16"] as const)("few rows or columns of %s by a matrix", (dtype) => {
    const matrix = (...shape: number[]) => sample(shape, dtype).x as Tensor;
    const [a, w, few] = [matrix(70, 136), matrix(300, 136), matrix(4, 136)];
    const products: [string, () => Tensor][] = [
      ["four rows", () => few.matmul(w.T)],
      ["three rows, far apart", () => (a.slice([0, 70, 30]) as Tensor).matmul(w.T)],
      ["a row with axes before it", () => (few.slice([0, 1]) as Tensor).reshape([1, 1, 136]).matmul(w.T)],
      ["a matrix and a vector", () => a.matmul(few.get(1) as Tensor)],
      ["a vector and a matrix", () => (few.get(1) as Tensor).matmul(w.T)],
      ["two columns", () => a.matmul((few.slice([0, 2]) as Tensor).T)],
    ];
    const isServed = onDevice(a.deviceProcess, { serial: false, threads: true });
    // Sums of 136 products of up to 4, rounded at the end.
    const u = { float32: 2 ** -24, float16: 2 ** -11, bfloat16: 2 ** -8 }[dtype];
    for (const [name, product] of products) {
      if (!isServed) {
        using _ = setPath("matmul", "rows");
        expect(product, name).toThrow('matmul is told to take the path "rows", which does not take this call.');
        continue;
      }
      product();
      expect(lastDispatch("matmul"), name).toMatchObject({ path: "rows", library: null });
      const [own, other] = (["rows", "kernel"] as const).map((path) => told("matmul", path, product));
      expect(farthest(own!, other!), name).toBeLessThan(136 * 4 * (136 * 2 ** -23 + 2 * u));
    }
    // Five rows, rows that are no whole 16 bytes, and sums down columns.
    for (const product of [
      () => matrix(5, 136).matmul(w.T),
      () => (few.slice(null, [0, 135]) as Tensor).matmul((w.slice(null, [0, 135]) as Tensor).T),
      () => few.matmul(matrix(136, 9)),
    ]) {
      product();
      expect(lastDispatch("matmul")!.path).not.toBe("rows");
    }
  });

  test("a matrix product by a library or by our kernel", () => {
    const [a, b] = [sample([33, 40]).x, sample([40, 27]).x];
    const [library, kernel] = (["library", "kernel"] as const).map((path) => told("matmul", path, () => a.matmul(b)));
    // Sums of 40 products of up to 4.
    expect(farthest(library!, kernel!)).toBeLessThan(40 * 40 * 4 * 2 ** -24);
    a.matmul(b);
    const last = lastDispatch("matmul")!;
    expect(last).toMatchObject({ operation: "matmul", path: "library" });
    expect(lastDispatch()).toEqual(last);
    expect(last.device.startsWith(kind)).toBe(true);
    expect(last.library!.library).toBe(kind === "cpu" ? "OpenBLAS" : "cuBLASLt");
    a.to("int32").matmul(b.to("int32"));
    expect(lastDispatch("matmul")).toMatchObject({ path: "kernel", library: null });
  });

  test("factors and solutions by our kernels or by a library", () => {
    const m = sample([7, 20, 20]).x;
    const a = m.matmul(m.swapAxes(-1, -2)).add(eye(20, { device }).mul(20));
    const b = sample([7, 20, 3]).x;
    for (const run of [
      () => linalg.cholesky(a),
      () => linalg.solve(a, b),
      () => linalg.solveTriangular(a, b),
      () => linalg.inv(a),
    ]) {
      const [kernel, library] = (["kernel", "library"] as const).map((path) => told("linalg", path, run));
      expect(lastDispatch("linalg")!.library!.library).toMatch(kind === "cpu" ? /^OpenBLAS$/ : /^cu(SOLVER|BLAS)$/);
      // A condition of up to 20 · 4 / 20 + 1, and numbers of up to 20.
      expect(farthest(kernel!, library!)).toBeLessThan(20 * 20 * 5 * 20 * 2 ** -24);
    }
    linalg.inv(sample([70, 70]).x);
    expect(lastDispatch("linalg")!.path).toBe("library");
  });

  test("a convolution and its gradients by each of its paths", () => {
    const x = sample([2, 4, 9, 8]).x;
    for (const [weight, options, paths] of [
      [sample([6, 4, 3, 3]).x, { padding: 1 }, ["library", "patches"]],
      [sample([4, 1, 3, 3]).x, { groups: 4 }, ["depthwise", "patches"]],
      [sample([6, 4, 1, 1]).x, {}, ["library", "patches"]],
    ] as const) {
      for (const each of [x, weight]) each.requiresGrad = true;
      const results = paths.map((path) => {
        let found: Tensor[] = [];
        const y = told("convolution", path, () => {
          const y = conv2d(x, weight, null, options);
          found = gradients(y.square().sum(), [x, weight]);
          return y;
        });
        return [y, ...found];
      });
      // Sums of up to 144 products of numbers up to 160.
      results[0]!.forEach((each, at) =>
        expect(farthest(each, results[1]![at]!)).toBeLessThan(144 * 144 * 640 * 2 ** -24),
      );
      conv2d(x, weight, null, options);
      const usual = kind === "cuda" && weight.shape[3] === 1 ? "pointwise" : paths[0];
      expect(lastDispatch("convolution")!.path).toBe(usual);
    }
  });

  test("attention by the path for everything", () => {
    const [q, k, v] = [1, 2, 3].map(() => sample([1, 2, 70, 64], "bfloat16").x);
    const usual = nn.attention(q!, k!, v!);
    const best = lastDispatch("attention")!;
    if (kind === "cpu") expect(best.path).toBe("generic");
    else expect(["wgmma", "mma"]).toContain(best.path);
    const generic = told("attention", "generic", () => nn.attention(q!, k!, v!));
    // Weighted means of numbers up to 2, of weights in bfloat16.
    expect(farthest(usual, generic)).toBeLessThan(2 * 2 ** -6);
  });

  test("attention by a library, where that is faster for these sizes", () => {
    const [q, k, v] = [1, 2, 3].map(() => sample([2, 2, 70, 64], "bfloat16").x);
    const attend = () => nn.attention(q!, k!, v!, { causal: true });
    if (kind === "cpu") {
      using _ = setPath("attention", "library");
      expect(attend).toThrow('attention is told to take the path "library", which does not take this call.');
      return;
    }
    const [own, library] = [told("attention", "mma", attend), told("attention", "library", attend)];
    expect(lastDispatch("attention")!.library).toMatchObject({ library: "cuDNN", algorithm: expect.any(String) });
    // Weighted means of numbers up to 2, of weights in bfloat16.
    expect(farthest(own, library)).toBeLessThan(2 * 2 ** -6);
    expect(farthest(told("attention", "library", graph(attend)), library)).toBe(0);

    // What takes a while is measured once, and then goes the same way.
    const x = sample([1, 8, 4096, 64], "bfloat16").x;
    const first = nn.attention(x, x, x);
    const { path } = lastDispatch("attention")!;
    expect(["library", "wgmma", "mma"]).toContain(path);
    expect(farthest(nn.attention(x, x, x), first)).toBe(0);
    expect(lastDispatch("attention")).toMatchObject({ path, library: path === "library" ? {} : null });
    nn.attention(x, x, x, { softcap: 2 });
    expect(lastDispatch("attention")!.path).not.toBe("library");
  });

  test("a product with a quantised matrix by each of its paths", () => {
    const q = quantize(sample([40, 256]).x, { bits: 4 }).T;
    for (const dtype of ["float32", "bfloat16"] as const)
      for (const rows of [1, 3, 16]) {
        const x = sample([rows, 256], dtype).x;
        const usual = x.matmul(q);
        const onTensorCores = kind === "cuda" && dtype === "bfloat16";
        expect(lastDispatch("quantizedMatmul")!.path).toBe(onTensorCores ? "tensorCores" : "packs");
        for (const path of ["packs", "anywhere", "floats"]) {
          const found = told("quantizedMatmul", path, () => x.matmul(q));
          // Sums of 256 products of up to 4; "floats" rounds one factor more.
          expect(farthest(usual, found)).toBeLessThan(dtype === "float32" ? 2 ** -9 : 256 * 4 * 2 ** -8);
        }
      }
    sample([17, 256]).x.matmul(q);
    expect(lastDispatch("quantizedMatmul")!.path).toBe("floats");
    sample([1, 100]).x.matmul(quantize(sample([3, 100]).x, { groupSize: 6 }).T);
    expect(lastDispatch("quantizedMatmul")!.path).toBe("anywhere");
  });

  test("a product of 8-bit floats by a library or by float32", () => {
    const [a, b] = [quantizeFp8(sample([32, 64]).x), quantizeFp8(sample([48, 64]).x)];
    const run = () =>
      scaledMatmul(a.values, b.values.T as Tensor, { scaleA: a.scale, scaleB: b.scale, dtype: "float32" });
    const floats = told("scaledMatmul", "floats", run);
    const usual = run();
    const last = lastDispatch("scaledMatmul")!;
    expect(last.path).toBe(kind === "cuda" ? "library" : "floats");
    expect(last.library?.library).toBe(kind === "cuda" ? "cuBLASLt" : undefined);
    // Sums of 64 products of up to 4, of which tensor cores keep 13 bits.
    expect(farthest(usual, floats)).toBeLessThan(64 * 4 * 2 ** -12);
  });

  test("sentences for what is no path, and for one that does not serve a call", () => {
    expect(() => setPath("matmul", "cuda" as never)).toThrow(
      'matmul has the paths rows, library, kernel but got "cuda".',
    );
    expect(() => setPath("add" as never, "kernel" as never)).toThrow(
      'setPath takes an operation with several paths, attention, convolution, fft, linalg, matmul, quantizedMatmul, scaledMatmul, but got "add".',
    );
    expect(() => lastDispatch("add" as never)).toThrow("lastDispatch takes an operation with several paths");
    const whole = sample([3, 3], "int32").x;
    const image = sample([1, 2, 5, 5]).x;
    const [eights, one] = [sample([3, 3]).x.to("float8_e4m3"), sample([1]).x];
    const [q, wide] = [sample([1, 1, 4, 20]).x, sample([4, 2, 3, 3]).x];
    for (const [operation, path, run] of [
      ["matmul", "library", () => whole.matmul(whole)],
      ["convolution", "depthwise", () => conv2d(image, wide)],
      ["convolution", "pointwise", () => conv2d(image, wide)],
      ["attention", "wgmma", () => nn.attention(q, q, q)],
      ["quantizedMatmul", "packs", () => sample([17, 20]).x.matmul(quantize(sample([3, 20]).x).T)],
      ["scaledMatmul", "library", () => scaledMatmul(eights, eights, { scaleA: one, scaleB: one })],
    ] as const) {
      using _ = setPath(operation, path as never);
      expect(run, path).toThrow(
        `${operation} is told to take the path "${path}", which does not take this call. It is for `,
      );
    }
    expect(() => whole.matmul(whole)).not.toThrow();
  });
});
