// Statistics of several variables, and of weighted elements.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { floatOf } from "../memory/promotion.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { define, flag, install, number, tensor, type FunctionOf } from "./arguments.ts";
import { ones } from "./create.ts";
import { bareReduction, reduceOptions, type Axes, type ReduceOptions, type VarianceOptions } from "./reductions.ts";
import { Tensor } from "./tensor.ts";

/**
 * `rowvar`: true, rows are variables, or false, columns are. `correction` is taken off the count, 1 when left out.
 * `fweights`: how often each observation occurs. `aweights`: how much each weighs.
 */
export interface CovarianceOptions {
  readonly rowvar?: boolean;
  readonly correction?: number;
  readonly ddof?: number;
  readonly fweights?: Tensor;
  readonly aweights?: Tensor;
}
/** `weights`: of the shape of the tensor, or a list along the one axis. */
export interface AverageOptions extends ReduceOptions {
  readonly weights?: Tensor;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The covariances of variables: a matrix for x of shape [variables, observations], see {@link CovarianceOptions};
     * of a list its variance.
     * @example
     * tensor([[1, 2, 3], [3, 2, 1]]).cov(); // → tensor([[1, -1], [-1, 1]], shape [2, 2], float32, cpu)
     */
    cov(options?: CovarianceOptions): Tensor;
    /**
     * The correlations of variables, from −1 to 1: a matrix for x of shape [variables, observations].
     * @example
     * tensor([[1, 2, 3], [3, 2, 1]]).corrcoef(); // → tensor([[1, -1], [-1, 1]], shape [2, 2], float32, cpu)
     */
    corrcoef(options?: { readonly rowvar?: boolean }): Tensor;
    /**
     * The weighted mean over all axes or those named: Σ weights · x / Σ weights; without weights the mean.
     * @example
     * tensor([1, 2, 3]).average({ weights: tensor([3, 1, 0]) }); // → tensor(1.25, shape [], float32, cpu)
     */
    average(axis?: Axes | AverageOptions, keepdims?: boolean): Tensor;
    /**
     * The variance and the mean over all axes or those named, see {@link VarianceOptions}.
     * @example
     * tensor([1, 2, 3]).varMean();
     * // → { var: tensor(1, shape [], float32, cpu), mean: tensor(2, shape [], float32, cpu) }
     */
    varMean(axis?: Axes | VarianceOptions, keepdims?: boolean): { readonly var: Tensor<D>; readonly mean: Tensor<D> };
    /**
     * The standard deviation and the mean over all axes or those named, see {@link VarianceOptions}.
     * @example
     * tensor([1, 2, 3]).stdMean();
     * // → { std: tensor(1, shape [], float32, cpu), mean: tensor(2, shape [], float32, cpu) }
     */
    stdMean(axis?: Axes | VarianceOptions, keepdims?: boolean): { readonly std: Tensor<D>; readonly mean: Tensor<D> };
  }
}

/** [variables, observations] of floats. */
function variablesOf(name: string, x: Tensor, rowvar: boolean): Tensor {
  if (x.shape.length > 2)
    throw new TensorError("SHAPE", `${name} takes a list or a matrix but got shape ${formatShape(x.shape)}.`);
  const floats = x.to(floatOf(x.dtype));
  if (x.shape.length < 2) return floats.reshape([1, x.size]);
  return rowvar || x.shape[0] === 1 ? floats : floats.T;
}

function checkedWeights(name: string, weights: Tensor | undefined, observations: number): Tensor | null {
  if (weights === undefined) return null;
  if (formatShape(weights.shape) === formatShape([observations])) return weights;
  throw new TensorError(
    "SHAPE",
    `cov of ${observations} observations takes ${name} of shape [${observations}] but got ${formatShape(weights.shape)}.`,
  );
}

/** {@link Tensor.cov} as a function. */
export const cov: FunctionOf<"cov"> = define(
  "cov",
  {
    options: { rowvar: flag, correction: number, fweights: tensor, aweights: tensor },
    aliases: { ddof: "correction" },
  },
  (x, { rowvar = true, correction = 1, fweights, aweights }) => {
    const rows = variablesOf("cov", x, rowvar);
    const [variables, observations] = rows.shape as [number, number];
    const [often, heavy] = [
      checkedWeights("fweights", fweights, observations),
      checkedWeights("aweights", aweights, observations),
    ];
    const weights = [often, heavy].reduce(
      (all, each) => (all === null || each === null ? (all ?? each) : all.mul(each)),
      null,
    );
    const w = (weights ?? ones([observations], { device: x.device })).to(rows.dtype);
    const total = w.sum();
    const deviations = rows.sub(rows.mul(w).sum(1, true).div(total));
    // Of weights that differ the count is Σ w − correction · Σ w · aweights / Σ w.
    const taken = heavy === null ? correction : w.mul(heavy).sum().div(total).mul(correction);
    const result = deviations
      .mul(w)
      .matmul(deviations.T)
      .div(total.sub(taken as Tensor));
    return x.shape.length < 2 ? result.reshape([]) : result.reshape([variables, variables]);
  },
);

/** {@link Tensor.corrcoef} as a function. */
export const corrcoef: FunctionOf<"corrcoef"> = define(
  "corrcoef",
  { options: { rowvar: flag } },
  (x, { rowvar = true }) => {
    const deviations = variablesOf("corrcoef", x, rowvar);
    const centred = deviations.sub(deviations.mean(1, true));
    // Each to length 1 first, so that no product of large numbers overflows.
    const unit = centred.div(centred.norm({ axis: 1, keepdims: true }));
    const result = unit.matmul(unit.T).clamp({ min: -1, max: 1 });
    return x.shape.length < 2 ? result.reshape([]) : result;
  },
);

/** {@link Tensor.average} as a function. */
export const average: FunctionOf<"average"> = define(
  "average",
  { options: { ...reduceOptions, weights: tensor }, bare: bareReduction },
  (x, { weights, ...given }) => {
    if (weights === undefined) return x.mean(given);
    const isWhole = formatShape(weights.shape) === formatShape(x.shape);
    if (!isWhole && (weights.shape.length !== 1 || typeof given.axis !== "number"))
      throw new TensorError(
        "SHAPE",
        `average of shape ${formatShape(x.shape)} takes weights of that shape, or a list of them and one axis, but got ${formatShape(weights.shape)}.`,
      );
    const at = isWhole ? 0 : checkedAxis(given.axis as number, x.shape.length);
    if (!isWhole && weights.size !== x.shape[at])
      throw new TensorError("SHAPE", `average takes ${x.shape[at]} weights for axis ${at} but got ${weights.size}.`);
    const shape = x.shape.map((size, each) => (isWhole || each === at ? size : 1));
    const w = weights.to(floatOf(weights.dtype)).reshape(shape).expand(x.shape);
    return x.mul(w).sum(given).div(w.sum(given));
  },
);

const withMean = <F extends (x: never, ...args: never[]) => unknown>(name: "varMean" | "stdMean"): F =>
  define(
    name,
    {
      options: { ...reduceOptions, correction: number },
      bare: bareReduction,
      aliases: { ddof: "correction", unbiased: (value) => ({ correction: value === false ? 0 : 1 }) },
    },
    (x, given) => {
      const { correction: _, ...over } = given;
      const mean = x.mean(over);
      return name === "varMean" ? { var: x.var(given), mean } : { std: x.std(given), mean };
    },
  );
/** {@link Tensor.varMean} as a function. */
export const varMean: FunctionOf<"varMean"> = withMean("varMean");
/** {@link Tensor.stdMean} as a function. */
export const stdMean: FunctionOf<"stdMean"> = withMean("stdMean");

install(Tensor.prototype, { cov, corrcoef, average, varMean, stdMean });
