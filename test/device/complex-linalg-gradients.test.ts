// Gradients of linear algebra of complex matrices on every device, by differences of both parts. What is looked at of
// vectors does not change with their phases.
import "./cache.ts";
import { describe, test } from "vitest";
import { complex, linalg, tensor, viewAsReal, type Tensor } from "../../native/lib/index.ts";
import { devices } from "./devices.ts";
import { expectGradients } from "./gradient-check.ts";

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test("gradients by differences", () => {
    const parts = (x: Tensor) => viewAsReal(x as Tensor<"complex128">) as Tensor;
    const square = (z: Tensor) => z.slice([0, 3]) as Tensor;
    const hermitian = (z: Tensor) => square(z).add(square(z).T.conj()).mul(0.5) as Tensor;
    const spread = tensor([0, 3, 7], { dtype: "float64", device });
    /** Eigenvalues, and singular values, that lie apart. */
    const apart = (z: Tensor) =>
      z.add(
        complex(
          tensor(
            [
              [0, 0, 0],
              [0, 3, 0],
              [0, 0, 7],
              [0, 0, 0],
            ],
            { dtype: "float64", device },
          ),
          0,
        ),
      ) as Tensor;
    const definite = (z: Tensor) =>
      square(z)
        .matmul(square(z).T.conj())
        .add(
          complex(
            spread.diag().add(
              tensor(
                [
                  [1, 0, 0],
                  [0, 1, 0],
                  [0, 0, 1],
                ],
                { dtype: "float64", device },
              ),
            ),
            0,
          ),
        ) as Tensor;
    const strong = (z: Tensor) =>
      square(z).add(
        complex(
          tensor(
            [
              [4, 0, 0],
              [0, 4, 0],
              [0, 0, 4],
            ],
            { dtype: "float64", device },
          ),
          0,
        ),
      ) as Tensor;
    const forms: Record<string, (z: Tensor) => Tensor> = {
      solve: (z) => parts(linalg.solve(strong(z), z.T as Tensor)),
      inv: (z) => parts(linalg.inv(strong(z))),
      det: (z) => parts(linalg.det(strong(z))),
      sign: (z) => parts(linalg.slogdet(strong(z)).sign),
      logabsdet: (z) => linalg.slogdet(strong(z)).logabsdet as Tensor,
      logdet: (z) => parts(linalg.logdet(strong(z))),
      cholesky: (z) => parts(linalg.cholesky(definite(z))),
      choleskyInverse: (z) => parts(linalg.choleskyInverse(linalg.cholesky(definite(z)))),
      triangular: (z) => parts(linalg.solveTriangular(strong(z), z.T as Tensor, { transposed: true })),
      upperTriangular: (z) => parts(linalg.solveTriangular(strong(z), z.T as Tensor, { upper: true })),
      lu: (z) => parts(linalg.luFactor(strong(z)).LU),
      luWide: (z) => parts(linalg.luFactor(apart(z).T as Tensor).LU.sum(0)),
      luSolve: (z) => {
        const { LU, pivots } = linalg.luFactor(strong(z));
        return parts(linalg.luSolve(LU, pivots, z.T as Tensor, { adjoint: true }));
      },
      eigh: (z) => linalg.eigh(hermitian(apart(z))).eigenvalues as Tensor,
      // What does not change with the phases of vectors.
      eighVectors: (z) => linalg.eigh(hermitian(apart(z))).eigenvectors.abs() as Tensor,
      eigenvalues: (z) => parts(linalg.eigvals(square(apart(z)))),
      eigenvectors: (z) => linalg.eig(square(apart(z))).eigenvectors.abs() as Tensor,
      svdvals: (z) => linalg.svdvals(apart(z)) as Tensor,
      svd: (z) => {
        const { U, S, Vh } = linalg.svd(apart(z));
        return parts(U.mul(S.square().unsqueeze(-2)).matmul(Vh) as Tensor);
      },
      svdWide: (z) => {
        const { U, S, Vh } = linalg.svd(apart(z).T as Tensor);
        return parts(U.mul(S.exp().unsqueeze(-2)).matmul(Vh) as Tensor);
      },
      svdVectors: (z) => linalg.svd(apart(z)).U.abs() as Tensor,
      qr: (z) => {
        const { Q, R } = linalg.qr(apart(z));
        return parts(Q.mul(2).matmul(R.square()) as Tensor);
      },
      pinv: (z) => parts(linalg.pinv(apart(z))),
      lstsq: (z) => parts(linalg.lstsq(apart(z), z).solution as Tensor),
      power: (z) => parts(linalg.matrixPower(strong(z), -2)),
      exponential: (z) => parts(linalg.matrixExp(square(z))),
    };
    for (const form of Object.values(forms))
      expectGradients((re, im) => form(complex(re!, im!) as Tensor), [{ shape: [4, 3] }, { shape: [4, 3] }], device);
  });
});
