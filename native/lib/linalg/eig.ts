// Eigenvalues and eigenvectors of matrices that need not be symmetric: complex numbers.
import { AutogradFunction, type FunctionContext } from "../autograd/function.ts";
import type { DType } from "../memory/dtype.ts";
import { applyAll } from "../ops/core/apply.ts";
import { exactly } from "../ops/linear/precision.ts";
import { define } from "../tensor/arguments.ts";
import { complex, isComplex, type ComplexOf } from "../tensor/complex.ts";
import { cat, eye } from "../tensor/joining.ts";
import { Tensor } from "../tensor/tensor.ts";
import { isTracked, transposedOf, type MatrixOf } from "./operands.ts";
import { solve } from "./solving.ts";

/** What {@link eig} gives: x · V = V · diag(w). */
export interface GeneralEigen<D extends DType = DType> {
  /** w [B…, n], in no order but that numbers which are each other's conjugates are neighbours. */
  readonly eigenvalues: Tensor<D>;
  /** V [B…, n, n], of which each column is one, of length 1. */
  readonly eigenvectors: Tensor<D>;
}

const adjoint = (x: Tensor): Tensor => transposedOf(x).conj() as Tensor;

/** The complex vectors whose parts are rows, as columns: of a pair, one row has the real and the next the imaginary. */
function vectorsOf(rows: Tensor, imaginary: Tensor): Tensor {
  const sign = imaginary.unsqueeze(-1);
  const [isFirst, isSecond] = [sign.gt(0), sign.lt(0)];
  const re = rows.where(isSecond.logicalNot(), rows.roll(1, -2)) as Tensor;
  const im = rows.roll(-1, -2).where(isFirst, rows.neg().where(isSecond, 0)) as Tensor;
  return transposedOf(complex(re as Tensor<"float64">, im as Tensor<"float64">)).contiguous() as Tensor;
}

/** The real part of a⁻¹ · b, by a system of the parts. */
function realSolution(a: Tensor, b: Tensor): Tensor {
  const n = a.shape.at(-1)!;
  const [re, im] = [a.real, a.imag] as [Tensor, Tensor];
  const whole = cat([cat([re, im.neg()], { axis: -1 }), cat([im, re], { axis: -1 })], { axis: -2 });
  const sides = cat([b.real, b.imag] as Tensor[], { axis: -2 });
  return solve(whole, sides).slice(...a.shape.slice(0, -2).map(() => null), [0, n]) as Tensor;
}

class Eig extends AutogradFunction {
  static forward(context: FunctionContext, x: Tensor): readonly [Tensor, Tensor] {
    const [parts, rows] = applyAll("eigenParts", [x], { vectors: true }) as [Tensor, Tensor];
    if (isComplex(x)) {
      const results = [parts, transposedOf(rows).contiguous() as Tensor] as const;
      context.saveForBackward(...results);
      return results;
    }
    const [re, im] = parts.unbind(-2) as [Tensor<"float64">, Tensor<"float64">];
    const results = [complex(re, im) as Tensor, vectorsOf(rows, im)] as const;
    context["dtype"] = x.dtype;
    context.saveForBackward(...results);
    return results;
  }

  // Boeddeker and others 2017, "On the computation of complex-valued gradients with application to statistically optimum
  // beamforming", section 4.1, of vectors of length 1, whose phase counts for nothing.
  static backward(context: FunctionContext, gValues: Tensor, gVectors: Tensor): Tensor {
    const [values, vectors] = context.savedTensors as [Tensor, Tensor];
    return exactly(() => {
      const back = adjoint(vectors);
      const inner = back.matmul(gVectors);
      const one = eye(values.shape.at(-1)!, { dtype: inner.real.dtype, device: inner.device });
      const lengths = inner.real.mul(one).sum(-2).unsqueeze(-2);
      const gaps = values.unsqueeze(-2).sub(values.unsqueeze(-1)).conj().add(one);
      const apart = inner.sub(back.matmul(vectors).mul(lengths)).div(gaps).mul(one.neg().add(1));
      const slopes = apart.add(gValues.unsqueeze(-2).mul(one)) as Tensor;
      const inside = slopes.matmul(back) as Tensor;
      if (context["dtype"] === undefined) return solve(back, inside) as Tensor;
      return realSolution(back, inside).to(context["dtype"] as "float64");
    });
  }
}

/**
 * Eigenvalues and eigenvectors of square matrices [B…, n, n], as complex numbers; of symmetric ones {@link eigh} gives
 * real ones. Vectors are determined up to their phase, on which what a gradient is taken of must not depend; where two
 * eigenvalues are the same, gradients are not finite. On a GPU by cuSOLVER of CUDA 12.8 and later. Throws TensorError
 * NOT_CONVERGED at the next wait, as for NaN (Golub and Van Loan, "Matrix Computations", 7).
 * @example
 * linalg.eig(tensor([[0, -1], [1, 0]])).eigenvalues; // → tensor([0+1i, 0-1i], shape [2], complex64, cpu)
 */
export const eig: <D extends DType>(x: Tensor<D>) => GeneralEigen<ComplexOf<MatrixOf<D>>> = define("eig", {}, (x) => {
  const [eigenvalues, eigenvectors] = Eig.apply(x);
  return { eigenvalues, eigenvectors };
});

/**
 * The eigenvalues of square matrices, as {@link eig} gives them; without vectors, which takes a part of the time.
 * @example
 * linalg.eigvals(tensor([[2, 0], [0, 3]])); // → tensor([2+0i, 3+0i], shape [2], complex64, cpu)
 */
export const eigvals: <D extends DType>(x: Tensor<D>) => Tensor<ComplexOf<MatrixOf<D>>> = define("eigvals", {}, (x) => {
  if (isTracked(x)) return Eig.apply(x)[0];
  const [parts] = applyAll("eigenParts", [x], { vectors: false }) as [Tensor];
  if (isComplex(x)) return parts;
  const [re, im] = parts.unbind(-2) as [Tensor<"float64">, Tensor<"float64">];
  return complex(re, im);
});
