// The largest singular values of matrices, found among a few random combinations of their columns.
import type { DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { matricesOf, matrixDType, sizeDType } from "../ops/linalg/matrices.ts";
import { count, define, flag } from "../tensor/arguments.ts";
import { randomSource, type RandomSource } from "../tensor/generator.ts";
import { randn } from "../tensor/random.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { adjointOf, type MatrixOf } from "./operands.ts";
import { qr, svd, type SingularValues } from "./spectra.ts";

/**
 * `rank`: how many singular values, 6 when left out, or as many as there are where these are fewer; some more than are
 * wanted make these better. `iterations`: 2 when left out; each multiplies by x and its adjoint once more, for singular
 * values that fall off slowly. Random numbers as of {@link RandomSource}. PyTorch calls them `q` and `niter`.
 */
export interface LowRankOptions extends RandomSource {
  readonly rank?: number;
  readonly iterations?: number;
}

/** {@link LowRankOptions}; `center`: whether the mean of each column is taken off first, true when left out. */
export interface PrincipalOptions extends LowRankOptions {
  readonly center?: boolean;
}

const options = { rank: count, iterations: count, ...randomSource } as const;
const aliases = { q: "rank", niter: "iterations" } as const;

function lowRank(name: string, x: Tensor, { rank, iterations = 2, ...source }: LowRankOptions): SingularValues {
  const { rows, columns } = matricesOf(name, x);
  const most = Math.min(rows, columns);
  if (rank !== undefined && rank > most)
    throw new TensorError(
      "VALUE",
      `${name} takes a rank of up to ${most} for matrices of shape ${formatShape(x.shape)} but got ${rank}.`,
    );
  const dtype = matrixDType(name, x);
  const a = x.to(dtype) as Tensor;
  const size = [columns, rank ?? Math.min(6, most)] as const;
  const mixed = randn(size, { dtype: sizeDType(dtype), device: x.device, ...source }).to(dtype) as Tensor;
  const basis = (columnsOf: Tensor) => qr(columnsOf).Q as Tensor;
  let q = basis(a.matmul(mixed) as Tensor);
  for (let done = 0; done < iterations; done++) q = basis(a.matmul(basis(adjointOf(a).matmul(q) as Tensor)) as Tensor);
  const { U, S, Vh } = svd(adjointOf(q).matmul(a) as Tensor) as SingularValues;
  return { U: q.matmul(U) as Tensor, S, Vh };
}

/**
 * The largest singular values of matrices [B…, m, n] and their vectors, as {@link svd} gives them: those of x within
 * the span of some random combinations of its columns, see {@link LowRankOptions}. Of a matrix of lower rank it is all
 * of it, up to roundings; gradients are those of its steps, and need a full rank (Halko, Martinsson and Tropp 2011,
 * "Finding structure with randomness", algorithms 4.4 and 5.1).
 * @example
 * linalg.svdLowrank(tensor([[3, 0], [0, 4]]), { rank: 2 }).S; // → tensor([4, 3], shape [2], float32, cpu)
 */
export const svdLowrank: <D extends DType>(x: Tensor<D>, options?: LowRankOptions) => SingularValues<MatrixOf<D>> =
  define("svdLowrank", { options, aliases, bare: ["rank", "iterations"] }, (x, given) =>
    lowRank("svdLowrank", x, given),
  );

/**
 * Principal components: {@link svdLowrank} of matrices [B…, m, n] whose m rows are points, less their mean, see
 * {@link PrincipalOptions}. The rows of Vh are the directions, S² / (m − 1) the variances along them.
 * @example
 * linalg.pcaLowrank(tensor([[1, 0], [5, 0]]), { rank: 1 }).S; // → tensor([2.82843], shape [1], float32, cpu)
 */
export const pcaLowrank: <D extends DType>(x: Tensor<D>, options?: PrincipalOptions) => SingularValues<MatrixOf<D>> =
  define(
    "pcaLowrank",
    { options: { ...options, center: flag }, aliases, bare: ["rank", "center", "iterations"] },
    (x, { center = true, ...given }) => {
      matricesOf("pcaLowrank", x);
      const floats = x.to(matrixDType("pcaLowrank", x)) as Tensor;
      return lowRank(
        "pcaLowrank",
        center ? (floats.sub(floats.mean({ axis: -2, keepdims: true })) as Tensor) : floats,
        given,
      );
    },
  );
