// Powers of symmetric matrices by eigenvalues and by iteration, and the nearest orthogonal matrix.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { floatOf } from "../memory/promotion.ts";
import { matricesOf, realMatrixDType, squaresOf } from "../ops/linalg/matrices.ts";
import { exactly } from "../ops/linear/precision.ts";
import { atLeast, count, define, number, oneOf } from "../tensor/arguments.ts";
import { eye } from "../tensor/joining.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { adjointOf, transposedOf, type MatrixOf } from "./operands.ts";
import { eigh, svd } from "./spectra.ts";

/**
 * `power`: −¼ when left out. `eps`: added to the diagonal, and what eigenvalues below it count as; 1e-8 when left out.
 * `method`: "eigen", or "newton" for powers −1, −½, −⅓, …, which is products alone and counts no eigenvalue as `eps`.
 */
export interface SymmetricPowerOptions {
  readonly power?: number;
  readonly eps?: number;
  readonly method?: "eigen" | "newton";
}

const unitBeside = (x: Tensor): Tensor => eye(x.shape.at(-1)!, { dtype: x.dtype, device: x.device });

/**
 * (x + eps · 1)ᵖ of symmetric matrices [B…, n, n], of which the lower triangle is looked at: V · diag(max(λ, eps)ᵖ) ·
 * Vᵀ with λ and V of x + eps · 1, or by coupled Newton iterations (Guo and Higham 2006, "A Schur–Newton method for the
 * matrix pth root and its inverse", 6), see {@link SymmetricPowerOptions}: Shampoo's inverse fourth roots, where
 * nothing is said. An error of some ε · cond(x), also with {@link setFloat32Precision} "tf32". Newton's waits for the device, and throws TensorError NOT_CONVERGED.
 * @example
 * linalg.symmetricPower(tensor([[9, 0], [0, 4]]), { power: 0.5, eps: 0 }); // → tensor([[3, 0], [0, 2]], shape [2, 2], float32, cpu)
 */
export const symmetricPower: <D extends DType>(x: Tensor<D>, options?: SymmetricPowerOptions) => Tensor<MatrixOf<D>> =
  define(
    "symmetricPower",
    { options: { power: number, eps: atLeast(0), method: oneOf("eigen", "newton") } },
    (x, { power = -0.25, eps = 1e-8, method = "eigen" }) => {
      squaresOf("symmetricPower", x);
      const floats = x.to(realMatrixDType("symmetricPower", x));
      const shifted = floats.add(unitBeside(floats).mul(eps)) as Tensor;
      if (method === "newton") return exactly(() => inverseRoot(shifted, power));
      const { eigenvalues, eigenvectors } = eigh(shifted);
      const powers = eigenvalues.clamp({ min: eps }).pow(power);
      return exactly(() => eigenvectors.mul(powers.unsqueeze(-2)).matmul(transposedOf(eigenvectors)));
    },
  );

/** Iterations until it is given up, and after how many the device is waited for. */
const mostIterations = 100;
const unseenIterations = 5;

/** x^(−1/p): y → y · t, m → tᵖ · m with t = ((p + 1) · 1 − m) / p, so that m goes to 1 and y to the root. */
function inverseRoot(x: Tensor, power: number): Tensor {
  const p = Math.round(-1 / power);
  if (!(power < 0) || Math.abs(p * power + 1) > 1e-9)
    throw new TensorError(
      "VALUE",
      `symmetricPower by "newton" takes a power of -1, -1/2, -1/3, … but got ${power}: use { method: "eigen" }.`,
    );
  if (x.size === 0) return x.clone() as Tensor;
  const lower = x.tril();
  const whole = lower.add(transposedOf(x.tril(-1) as Tensor)) as Tensor;
  const unit = unitBeside(x);
  const scale = whole
    .norm({ axis: [-2, -1], keepdims: true })
    .reciprocal()
    .mul((1 + p) / 2);
  let m = whole.mul(scale) as Tensor;
  let y = unit.mul(scale.pow(1 / p)) as Tensor;
  const tolerance = (x.dtype === "float32" ? 2 ** -23 : 2 ** -52) * x.shape.at(-1)! * 8;
  let [last, error] = [Infinity, Infinity];
  for (let done = 0; done < mostIterations; done += unseenIterations) {
    for (let step = 0; step < unseenIterations; step++) {
      const t = unit
        .mul(p + 1)
        .sub(m)
        .div(p) as Tensor;
      y = y.matmul(t) as Tensor;
      let factor = t;
      for (let k = 1; k < p; k++) factor = factor.matmul(t) as Tensor;
      m = factor.matmul(m) as Tensor;
    }
    [last, error] = [error, Number(m.detach().sub(unit).abs().max().item())];
    // As near as roundings let it come.
    if (error <= tolerance || (error < 1e-2 && error >= last / 2)) return y;
  }
  throw new TensorError(
    "NOT_CONVERGED",
    `A matrix that symmetricPower was given has no root after ${mostIterations} iterations: it is not positive definite, or holds NaN. Give a larger eps, or use { method: "eigen" }.`,
  );
}

/** `steps`: 5 when left out. */
export interface OrthogonalizeOptions {
  readonly steps?: number;
}

/**
 * Nearly the orthogonal matrix U · Vh of matrices [B…, m, n] with x = U · diag(S) · Vh, by Newton–Schulz iterations of
 * degree 5 that bring singular values to between 0.7 and 1.2 within 5 steps: Muon's, products alone, in the matrices'
 * own dtype of float (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks").
 * @example
 * linalg.orthogonalize(eye(3).mul(7)).sub(eye(3)).abs().max().lt(0.4).item(); // → true
 */
export const orthogonalize: <D extends DType>(x: Tensor<D>, options?: OrthogonalizeOptions) => Tensor<D> = define(
  "orthogonalize",
  { options: { steps: count }, bare: ["steps"] },
  (x, { steps = 5 }) => {
    const { rows, columns } = matricesOf("orthogonalize", x);
    const floats = x.to(floatOf(x.dtype));
    const isHigh = rows > columns;
    const wide = isHigh ? transposedOf(floats) : floats;
    let y = wide.div(wide.norm({ axis: [-2, -1], keepdims: true }).add(1e-7)) as Tensor;
    for (let step = 0; step < steps; step++) {
      const square = y.matmul(adjointOf(y)) as Tensor;
      const terms = square.mul(-4.775).add(square.matmul(square).mul(2.0315)) as Tensor;
      y = y.mul(3.4445).add(terms.matmul(y)) as Tensor;
    }
    return isHigh ? transposedOf(y) : y;
  },
);

/** What {@link polar} gives: x = U · P. */
export interface Polar<D extends DType = DType> {
  /** [B…, m, n], with orthonormal columns, or rows where it is wide. */
  readonly U: Tensor<D>;
  /** [B…, n, n], symmetric, or Hermitian, without negative eigenvalues. */
  readonly P: Tensor<D>;
}

/**
 * Matrices [B…, m, n] as U · P, a rotation of a stretching, by singular values (Higham 1986, "Computing the polar
 * decomposition").
 * @example
 * linalg.polar(tensor([[0, -2], [2, 0]])).P; // → tensor([[2, 0], [0, 2]], shape [2, 2], float32, cpu)
 */
export const polar: <D extends DType>(x: Tensor<D>) => Polar<MatrixOf<D>> = define("polar", {}, (x) => {
  const { U, S, Vh } = svd(x) as { U: Tensor; S: Tensor; Vh: Tensor };
  return { U: U.matmul(Vh), P: adjointOf(Vh).mul(S.unsqueeze(-2)).matmul(Vh) };
});
