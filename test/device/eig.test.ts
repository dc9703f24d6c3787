// Eigenvalues of matrices that need not be symmetric, on every device: residuals in float64 of fresh random matrices,
// gradients against differences, and what is refused.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { eye, linalg, tensor, zeros, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { bound, layouts, matricesOf, matrixMaker, minus, size, times, vectorsOf, type Rows } from "./matrices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const batches: readonly (readonly number[])[] = [[], [3], [2, 2]];
const plus = (a: Rows, b: Rows): Rows => a.map((row, i) => row.map((each, j) => each + b[i]![j]!));
const scaled = (a: Rows, by: readonly number[]): Rows => a.map((row) => row.map((each, j) => each * by[j]!));

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const make = matrixMaker(random, device);
  const any = (...shape: number[]) => make.any(shape.slice(0, -2), shape.at(-2)!, shape.at(-1)!, "float64").x;

  test.each([
    ["float32", 1],
    ["float32", 17],
    ["float64", 2],
    ["float64", 5],
    ["float64", 40],
  ] as const)("x · V is V · diag(w): %s, %i rows", (dtype, n) => {
    batches.forEach((batch, which) => {
      const { x, matrices } = make.any(batch, n, n, dtype, layouts[which]!);
      const { eigenvalues, eigenvectors } = linalg.eig(x);
      const wanted = dtype === "float32" ? "complex64" : "complex128";
      expect([eigenvalues.dtype, eigenvalues.shape]).toEqual([wanted, x.shape.slice(0, -1)]);
      expect([eigenvectors.dtype, eigenvectors.shape]).toEqual([wanted, x.shape]);
      const [re, im] = [vectorsOf(eigenvalues.real), vectorsOf(eigenvalues.imag)];
      const [vr, vi] = [matricesOf(eigenvectors.real), matricesOf(eigenvectors.imag)];
      const alone = linalg.eigvals(x);
      const byPlace = (at: number) => re[at]!.map((each, k) => [each, im[at]![k]!]);
      matrices.forEach((a, at) => {
        const most = bound(n, dtype) * n * size(a);
        // The parts of x · V − V · diag(w).
        const parts = [
          minus(times(a, vr[at]!), minus(scaled(vr[at]!, re[at]!), scaled(vi[at]!, im[at]!))),
          minus(times(a, vi[at]!), plus(scaled(vr[at]!, im[at]!), scaled(vi[at]!, re[at]!))),
        ];
        for (const part of parts) expect(size(part)).toBeLessThanOrEqual(most);
        for (let column = 0; column < n; column++) {
          const length = vr[at]!.reduce((sum, row, i) => sum + row[column]! ** 2 + vi[at]![i]![column]! ** 2, 0);
          expect(Math.abs(length - 1)).toBeLessThanOrEqual(bound(n, dtype));
        }
        // Numbers that are not real come in pairs, and all add to the trace.
        for (const [value, imaginary] of byPlace(at).filter(([, part]) => part !== 0))
          expect(byPlace(at)).toContainEqual([value, -imaginary!]);
        const trace = a.reduce((sum, row, i) => sum + row[i]!, 0);
        expect(Math.abs(re[at]!.reduce((sum, each) => sum + each, 0) - trace)).toBeLessThanOrEqual(most);
        const sum = vectorsOf(alone.real)[at]!.reduce((total, each) => total + each, 0);
        expect(Math.abs(sum - trace)).toBeLessThanOrEqual(most);
      });
    });
  });

  test("gradients of eigenvalues, and of vectors whatever their phase, and theirs", () => {
    // Turned by a quarter and more, and apart: pairs of numbers that are not real beside real ones.
    const turn = tensor(
      [
        [1, -2, 0, 0],
        [2, 1, 0, 0],
        [0, 0, 4, 0],
        [0, 0, 0, -3],
      ],
      { dtype: "float64", device },
    );
    const x = turn.add(any(4, 4).mul(0.3)) as Tensor;
    const parts = (values: Tensor) => values.real.square().add(values.imag.sin()) as Tensor;
    expectGradients((a) => parts(linalg.eig(a!).eigenvalues), [x], { twice: true });
    expectGradients((a) => linalg.eigvals(a!).abs().sum() as Tensor, [x]);
    expectGradients((a) => linalg.eig(a!).eigenvectors.abs().square() as Tensor, [x], { twice: true });
    const batch = turn.add(any(2, 4, 4).mul(0.3)) as Tensor;
    expectGradients((a) => linalg.eig(a!).eigenvectors.abs().square() as Tensor, [batch]);
  });

  test("nothing in it, and what is refused", () => {
    expect(linalg.eig(zeros([2, 0, 0], { device })).eigenvectors.shape).toEqual([2, 0, 0]);
    expect(linalg.eigvals(eye(3, { device })).toArray()).toEqual(linalg.eigvals(eye(3, { device })).toArray());
    expect(linalg.eigvals(eye(2, { dtype: "int32", device })).dtype).toBe("complex64");
    for (const [run, sentence] of [
      [
        () => linalg.eig(zeros([2, 3], { device })),
        "eig takes square matrices, the last two axes of a tensor, but got",
      ],
      [() => linalg.eigvals(zeros([3], { device })), "eigvals takes matrices, the last two axes of a tensor, but got"],
      [
        () => linalg.eig(zeros([2, 2], { dtype: "float16", device })),
        'eig computes in float32 and float64, complex64 and complex128, but got float16: convert it with .to("float32").',
      ],
    ] as const)
      expect(run).toThrow(sentence);
  });
});
