// Numbers spaced evenly in their logarithms.
import { TensorError } from "../errors.ts";
import { fill } from "../ops/shape/copy.ts";
import { admits, type DType } from "../memory/dtype.ts";
import { count, device, dtype, free, number } from "./arguments.ts";
import { linspace, type CreateOptions } from "./create.ts";
import { pow } from "./functions.ts";
import type { Tensor } from "./tensor.ts";

/** `base`: 10 when left out. */
export interface LogarithmicOptions<D extends DType = DType> extends CreateOptions<D> {
  readonly base?: number;
}
type Spaced<O> = <D extends DType = "float32">(
  start: number,
  stop: number,
  count: number,
  options?: O & CreateOptions<D>,
) => Tensor<D>;

const ends = { start: number, stop: number, count };

/**
 * base^x for `count` numbers x evenly from `start` to `stop`, both included.
 * @example
 * logspace(0, 3, 4); // → tensor([1, 10, 100, 1000], shape [4], float32, cpu)
 */
export const logspace: Spaced<LogarithmicOptions> = free(
  "logspace",
  { required: ends, options: { base: number, dtype, device } },
  ({ start, stop, count: many, base = 10, dtype: wanted = "float32", device: on }) => {
    const exponents = linspace(start, stop, many, { dtype: "float64", ...(on !== undefined && { device: on }) });
    return pow(base, exponents).to(wanted);
  },
);

/**
 * `count` numbers from `start` to `stop`, both included, each the same multiple of the one before.
 * @example
 * geomspace(1, 1000, 4); // → tensor([1, 10, 100, 1000], shape [4], float32, cpu)
 */
export const geomspace: Spaced<CreateOptions> = free(
  "geomspace",
  { required: ends, options: { dtype, device } },
  ({ start, stop, count: many, dtype: wanted = "float32", device: on }) => {
    if (!(start * stop > 0) || !Number.isFinite(start) || !Number.isFinite(stop))
      throw new TensorError(
        "RANGE",
        `geomspace takes two finite numbers of one sign, neither of them 0, but got ${start} and ${stop}.`,
      );
    const exponents = linspace(Math.log2(Math.abs(start)), Math.log2(Math.abs(stop)), many, {
      dtype: "float64",
      ...(on !== undefined && { device: on }),
    });
    const result = exponents.exp2().mul(Math.sign(start)).to(wanted);
    // Logarithms and back give the ends only nearly.
    if (many > 0 && admits(wanted, start)) fill(result.execution, result.slice([0, 1]), start);
    if (many > 1 && admits(wanted, stop)) fill(result.execution, result.slice([-1, null]), stop);
    return result;
  },
);
