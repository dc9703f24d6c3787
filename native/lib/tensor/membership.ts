// Elements counted, and looked for among others.
import { apply } from "../ops/core/apply.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { promoted } from "../memory/promotion.ts";
import { define, flag, install, tensor, type FunctionOf } from "./arguments.ts";
import { full } from "./create.ts";
import { cat } from "./joining.ts";
import { bareReduction, reduceOptions, type Axes, type ReduceOptions } from "./reductions.ts";
import { Tensor } from "./tensor.ts";
import { unique } from "./unique.ts";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * How many elements are not 0, over all axes or those named.
     * @example
     * tensor([0, 3, 0, 5]).countNonzero(); // → tensor(2, shape [], int64, cpu)
     */
    countNonzero(axis?: Axes | ReduceOptions, keepdims?: boolean): Tensor<"int64">;
    /**
     * Whether each element is one of those of `others`, of any shape; with `invert` whether it is not. NaN never is.
     * @example
     * tensor([1, 2, 3]).isin(tensor([2, 3, 4])); // → tensor([false, true, true], shape [3], bool, cpu)
     */
    isin(others: Tensor, options?: { readonly invert?: boolean }): Tensor<"bool">;
  }
}

/** {@link Tensor.countNonzero} as a function. */
export const countNonzero: FunctionOf<"countNonzero"> = define(
  "countNonzero",
  { options: reduceOptions, bare: bareReduction },
  (x, given) => {
    if (x.dtype === "bool") return x.sum(given);
    using mask = x.ne(0);
    return mask.sum(given);
  },
);

/** {@link Tensor.isin} as a function. */
export const isin: FunctionOf<"isin"> = define(
  "isin",
  { required: { others: tensor }, options: { invert: flag } },
  (x, { others, invert = false }) => {
    if (others.size === 0) return full(x.shape, invert, { dtype: "bool", device: x.device });
    const common = promoted(x.dtype, others.dtype);
    if (factsOf(common).kind === "complex") {
      // They have no order but that of their places among all that differ.
      const all = [x, others].map((each) => each.detach().to(common).reshape([-1])) as Tensor[];
      const { inverse } = unique(cat(all) as Tensor);
      return isin(inverse.slice([0, x.size]).reshape(x.shape), inverse.slice([x.size, null]), { invert });
    }
    const dtype = common === "bool" ? "uint8" : common;
    const sorted = others.detach().to(dtype).reshape([-1]).sort().values;
    const elements = x.detach().to(dtype);
    const places = sorted.searchsorted(elements).minimum(sorted.size - 1);
    const found = apply("takeAt", [sorted, places], { lead: 1 }) as Tensor;
    return invert ? found.ne(elements) : found.eq(elements);
  },
);

install(Tensor.prototype, { countNonzero, isin });
