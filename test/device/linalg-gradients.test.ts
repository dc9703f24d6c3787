// Gradients of linear algebra, and gradients of gradients, against differences in float64.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { gradients, linalg, tensor, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradients.ts";
import { matrixMaker } from "./matrices.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const random = seeded(freshSeed());
const flip = (x: Tensor) => x.swapAxes(-1, -2);
const symmetric = (x: Tensor) => x.add(flip(x)) as Tensor;

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const make = matrixMaker(random, device);
  const any = (...shape: number[]) => make.any(shape.slice(0, -2), shape.at(-2)!, shape.at(-1)!, "float64").x;
  /** Singular values that lie apart, so that gradients are moderate. */
  const apart = (...shape: number[]): Tensor => {
    const [rows, columns] = [shape.at(-2)!, shape.at(-1)!];
    const { U, S, Vh } = linalg.svd(any(...shape));
    const values = tensor(
      Array.from({ length: Math.min(rows, columns) }, (_, at) => at * -0.7 + 4),
      { dtype: "float64", device },
    ).expand(S.shape);
    return U.mul(values.unsqueeze(-2)).matmul(Vh) as Tensor;
  };
  const spread = (...shape: number[]): Tensor => {
    const { Q } = linalg.qr(any(...shape));
    const values = tensor(
      Array.from({ length: shape.at(-1)! }, (_, at) => 1 + at),
      { dtype: "float64", device },
    );
    return Q.mul(values).matmul(flip(Q)) as Tensor;
  };
  const twice = { twice: true };

  test("cholesky", () => {
    expectGradients((x) => linalg.cholesky(x!.matmul(flip(x!))), [apart(3, 3)], twice);
    expectGradients((x) => linalg.cholesky(x!.matmul(flip(x!)), { upper: true }), [apart(2, 3, 3)], twice);
  });

  test("solve and inv", () => {
    expectGradients((a, b) => linalg.solve(a!, b!), [apart(3, 3), any(3, 2)], twice);
    expectGradients((a, b) => linalg.solve(a!, b!), [apart(2, 3, 3), any(3, 1)], twice);
    expectGradients((a, b) => linalg.solve(a!, b!.squeeze(-1)), [apart(3, 3), any(3, 1)]);
    expectGradients((x) => linalg.inv(x!), [apart(2, 3, 3)], twice);
  });

  test.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
    [true, true, false],
  ])("solveTriangular: upper %s, transposed %s, unitriangular %s", (upper, transposed, unitriangular) => {
    const a = apart(3, 3).add(tensor([2, 3, 4], { dtype: "float64", device }).diag()) as Tensor;
    const options = { upper, transposed, unitriangular };
    expectGradients((x, b) => linalg.solveTriangular(x!, b!, options), [a, any(3, 2)], twice);
    expectGradients((x, b) => linalg.solveTriangular(x!, b!, { ...options, left: false }), [a, any(2, 3)]);
  });

  test("det and slogdet", () => {
    expectGradients((x) => linalg.det(x!), [apart(2, 3, 3)], twice);
    expectGradients((x) => linalg.slogdet(x!).logabsdet, [apart(2, 3, 3)], twice);
    expectGradients((x) => linalg.det(x!), [any(1, 1)]);
  });

  test("det of singular matrices: the cofactors", () => {
    const rank = (n: number, r: number) => any(n, r).matmul(any(r, n)) as Tensor;
    expectGradients((x) => linalg.det(x!), [rank(3, 2)]);
    expectGradients(
      (x) => linalg.det(x!),
      [
        tensor(
          [
            [1, 2, 3],
            [2, 4, 6],
            [1, 0, 1],
          ],
          { dtype: "float64", device },
        ),
      ],
    );
    const x = tensor([[0]], { dtype: "float64", device });
    x.requiresGrad = true;
    expect(gradients(linalg.det(x), [x])[0]!.toArray()).toEqual([[1]]);
  });

  test("eigh and eigvalsh", () => {
    const x = spread(2, 3, 3);
    // The sign of a vector is not determined: its projection is.
    const projections = (a: Tensor) => {
      const { eigenvalues, eigenvectors } = linalg.eigh(symmetric(a));
      return eigenvectors.mul(eigenvalues.sin().unsqueeze(-2)).matmul(flip(eigenvectors)) as Tensor;
    };
    expectGradients((a) => projections(a!), [x], twice);
    expectGradients((a) => linalg.eigh(symmetric(a!)).eigenvectors.square() as Tensor, [x], twice);
    expectGradients((a) => linalg.eigvalsh(symmetric(a!)), [x], twice);
  });

  test.each([
    [3, 3],
    [5, 3],
    [3, 4],
  ])("svd and svdvals of %i × %i", (m, n) => {
    const x = apart(m, n);
    expectGradients((a) => linalg.svd(a!).U.square() as Tensor, [x], twice);
    expectGradients((a) => linalg.svd(a!).Vh.square() as Tensor, [x], twice);
    expectGradients(
      (a) => {
        const { U, S, Vh } = linalg.svd(a!);
        return U.mul(S.exp().unsqueeze(-2)).matmul(Vh) as Tensor;
      },
      [apart(2, m, n)],
    );
    expectGradients((a) => linalg.svdvals(a!), [apart(2, m, n)], twice);
    expectGradients((a) => linalg.svd(a!, { fullMatrices: true }).S, [x]);
  });

  test.each([
    [3, 3],
    [5, 3],
    [3, 5],
  ])("qr of %i × %i", (m, n) => {
    const x = apart(m, n);
    expectGradients((a) => linalg.qr(a!).Q, [x], twice);
    expectGradients((a) => linalg.qr(a!).R, [apart(2, m, n)], twice);
    expectGradients((a) => linalg.qr(a!).Q.matmul(linalg.qr(a!).R.sin()) as Tensor, [x]);
    expectGradients((a) => linalg.qr(a!, "r").R, [x]);
    if (m <= n) expectGradients((a) => linalg.qr(a!, "complete").Q, [x]);
  });

  test("a gradient of float32 is float32, and that of integers none", () => {
    const x = tensor(
      [
        [2, 1],
        [0, 3],
      ],
      { device },
    );
    x.requiresGrad = true;
    const [g] = gradients(linalg.inv(x).sum(), [x]);
    expect(g!.dtype).toBe("float32");
  });

  test.each([
    [
      (x: Tensor) => linalg.svd(x, { fullMatrices: true }).U,
      "The vectors that fullMatrices adds to U or Vᵀ are not determined, so they have no gradient: use { fullMatrices: false }.",
    ],
    [
      (x: Tensor) => linalg.qr(x, "complete").Q,
      'The columns that mode "complete" adds to Q are not determined, so they have no gradient: use { mode: "reduced" }.',
    ],
  ])("what is not determined has no gradient", (run, sentence) => {
    const x = any(3, 2).clone();
    x.requiresGrad = true;
    expect(() => gradients(run(x).sum(), [x])).toThrow(sentence);
  });
});
