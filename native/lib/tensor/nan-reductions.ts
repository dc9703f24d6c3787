// Reductions that pass over NaN, and NaN replaced by numbers.
import { factsOf, type DType } from "../memory/dtype.ts";
import { floatOf, type FloatOf, type SumOf } from "../memory/promotion.ts";
import { define, dtype, install, number, scalar, type FunctionOf } from "./arguments.ts";
import { largestOf } from "./dtype-facts.ts";
import {
  bareReduction,
  reduceOptions,
  type Axes,
  type ReduceOptions,
  type TotalOptions,
  type VarianceOptions,
} from "./reductions.ts";
import { Tensor } from "./tensor.ts";

/** What NaN and the infinities become: 0, and the largest and smallest number of the dtype, when left out. */
export interface ReplacementOptions {
  readonly nan?: number;
  readonly posinf?: number;
  readonly neginf?: number;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * The sum of the elements that are not NaN, over all axes or those named, as {@link Tensor.sum}; 0 where all are
     * NaN.
     * @example
     * tensor([1, NaN, 3]).nansum(); // → tensor(4, shape [], float32, cpu)
     */
    nansum<E extends DType = SumOf<D>>(axis?: Axes | TotalOptions<E>, keepdims?: boolean): Tensor<E>;
    /**
     * The product of the elements that are not NaN, over all axes or those named, as {@link Tensor.prod}; 1 where all
     * are NaN.
     * @example
     * tensor([2, NaN, 3]).nanprod(); // → tensor(6, shape [], float32, cpu)
     */
    nanprod<E extends DType = SumOf<D>>(axis?: Axes | TotalOptions<E>, keepdims?: boolean): Tensor<E>;
    /**
     * The mean of the elements that are not NaN, over all axes or those named, as {@link Tensor.mean}; NaN where all
     * are.
     * @example
     * tensor([1, NaN, 3]).nanmean(); // → tensor(2, shape [], float32, cpu)
     */
    nanmean(axis?: Axes | ReduceOptions, keepdims?: boolean): Tensor<FloatOf<D>>;
    /**
     * The largest of the elements that are not NaN, over all axes or those named, as {@link Tensor.max}; NaN where all
     * are.
     * @example
     * tensor([1, NaN, 3]).nanmax(); // → tensor(3, shape [], float32, cpu)
     */
    nanmax(axis?: Axes | ReduceOptions, keepdims?: boolean): Tensor<D>;
    /**
     * The smallest of the elements that are not NaN, over all axes or those named, as {@link Tensor.min}; NaN where all
     * are.
     * @example
     * tensor([1, NaN, 3]).nanmin(); // → tensor(1, shape [], float32, cpu)
     */
    nanmin(axis?: Axes | ReduceOptions, keepdims?: boolean): Tensor<D>;
    /**
     * {@link Tensor.var} of the elements that are not NaN; NaN where there are no more than the correction.
     * @example
     * tensor([1, NaN, 3]).nanvar(); // → tensor(2, shape [], float32, cpu)
     */
    nanvar(axis?: Axes | VarianceOptions, keepdims?: boolean): Tensor<D>;
    /**
     * {@link Tensor.std} of the elements that are not NaN; as {@link Tensor.nanvar}.
     * @example
     * tensor([1, NaN, 4]).nanstd(); // → tensor(2.12132, shape [], float32, cpu)
     */
    nanstd(axis?: Axes | VarianceOptions, keepdims?: boolean): Tensor<D>;
    /**
     * A copy with numbers for NaN and infinities, see {@link ReplacementOptions}.
     * @example
     * tensor([1, NaN, Infinity]).nanToNum({ posinf: 100 }); // → tensor([1, 0, 100], shape [3], float32, cpu)
     */
    nanToNum(options?: ReplacementOptions): Tensor<D>;
  }
}

const isFloat = (x: Tensor): boolean => factsOf(x.dtype).kind === "float";
const numbersOf = (x: Tensor): Tensor<"bool"> => x.isnan().logicalNot();

const total = <F extends (x: never, ...args: never[]) => unknown>(name: "nansum" | "nanprod"): F =>
  define(name, { options: { ...reduceOptions, dtype }, bare: bareReduction }, (x, given) => {
    const filled = isFloat(x) ? x.where(numbersOf(x), name === "nansum" ? 0 : 1) : x;
    return name === "nansum" ? filled.sum(given) : filled.prod(given);
  });

const extreme = <F extends (x: never, ...args: never[]) => unknown>(name: "nanmax" | "nanmin"): F =>
  define(name, { options: reduceOptions, bare: bareReduction }, (x, given) => {
    if (!isFloat(x)) return name === "nanmax" ? x.max(given) : x.min(given);
    const isNumber = numbersOf(x);
    const found = name === "nanmax" ? x.where(isNumber, -Infinity).max(given) : x.where(isNumber, Infinity).min(given);
    return found.where(isNumber.any(given), NaN);
  });

/** The mean over numbers, how many there are, and which; in float32 at least, which counts them exactly. */
function meanOf(
  x: Tensor,
  given: ReduceOptions,
): { wide: Tensor; mean: Tensor; count: Tensor; isNumber: Tensor<"bool"> } {
  const wide = x.to(x.dtype === "float64" ? "float64" : "float32");
  const isNumber = numbersOf(wide);
  const count = isNumber.sum(given).to(wide.dtype);
  return { wide, count, isNumber, mean: wide.where(isNumber, 0).sum(given).div(count) };
}

/** {@link Tensor.nanmean} as a function. */
export const nanmean: FunctionOf<"nanmean"> = define(
  "nanmean",
  { options: reduceOptions, bare: bareReduction },
  (x, given) => (isFloat(x) ? meanOf(x, given).mean.to(floatOf(x.dtype)) : x.mean(given)),
);

const spread = <F extends (x: never, ...args: never[]) => unknown>(name: "nanvar" | "nanstd"): F =>
  define(
    name,
    {
      options: { ...reduceOptions, correction: number },
      bare: bareReduction,
      aliases: { ddof: "correction", unbiased: (value) => ({ correction: value === false ? 0 : 1 }) },
    },
    (x, { correction = 1, ...given }) => {
      if (!isFloat(x)) return name === "nanvar" ? x.var({ ...given, correction }) : x.std({ ...given, correction });
      const { wide, mean, isNumber } = meanOf(x, { ...given, keepdims: true });
      const free = isNumber.sum(given).to(wide.dtype).sub(correction);
      const squares = wide.sub(mean).where(isNumber, 0).square().sum(given);
      const variance = squares.div(free).where(free.gt(0), NaN);
      return (name === "nanvar" ? variance : variance.sqrt()).to(x.dtype);
    },
  );

/** {@link Tensor.nansum} as a function. */
export const nansum: FunctionOf<"nansum"> = total("nansum");
/** {@link Tensor.nanprod} as a function. */
export const nanprod: FunctionOf<"nanprod"> = total("nanprod");
/** {@link Tensor.nanmax} as a function. */
export const nanmax: FunctionOf<"nanmax"> = extreme("nanmax");
/** {@link Tensor.nanmin} as a function. */
export const nanmin: FunctionOf<"nanmin"> = extreme("nanmin");
/** {@link Tensor.nanvar} as a function. */
export const nanvar: FunctionOf<"nanvar"> = spread("nanvar");
/** {@link Tensor.nanstd} as a function. */
export const nanstd: FunctionOf<"nanstd"> = spread("nanstd");

/** {@link Tensor.nanToNum} as a function. */
export const nanToNum: FunctionOf<"nanToNum"> = define(
  "nanToNum",
  { options: { nan: scalar, posinf: scalar, neginf: scalar } },
  (x, { nan = 0, posinf, neginf }) => {
    if (!isFloat(x)) return x.clone();
    const most = largestOf(x.dtype);
    return x
      .where(numbersOf(x), nan)
      .where(x.ne(Infinity), posinf ?? most)
      .where(x.ne(-Infinity), neginf ?? -most);
  },
);

install(Tensor.prototype, { nansum, nanprod, nanmean, nanmax, nanmin, nanvar, nanstd, nanToNum });
