// Elements by masks and classes.
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { count, define, dtype, install, tensor, type FunctionOf } from "./arguments.ts";
import { arange } from "./create.ts";
import { Tensor } from "./tensor.ts";

/** `classes`: one more than the largest when left out. `dtype`: "int64" when left out. */
export interface OneHotOptions<E extends DType = DType> {
  readonly classes?: number;
  readonly dtype?: E;
}
declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * Classes as vectors: 1 at the class of each element and 0 at the others, along a new last axis, see {@link
     * OneHotOptions}. Waits for the device. Throws TensorError for a class that is not there.
     * @example
     * tensor([0, 2], { dtype: "int64" }).oneHot({ classes: 3 });
     * // → tensor([[1, 0, 0], [0, 0, 1]], shape [2, 3], int64, cpu)
     */
    oneHot<E extends DType = "int64">(classes?: number | OneHotOptions<E>): Tensor<E>;
    /**
     * A copy with the elements of `source`, in their order, where the mask, which broadcasts, is true. Waits to count
     * them.
     * @example
     * zeros([3]).maskedScatter(tensor([true, false, true]), tensor([5, 6]));
     * // → tensor([5, 0, 6], shape [3], float32, cpu)
     */
    maskedScatter(mask: Tensor, source: Tensor): Tensor<D>;
  }
}

/** {@link Tensor.oneHot} as a function. */
export const oneHot: FunctionOf<"oneHot"> = define(
  "oneHot",
  { options: { classes: count, dtype }, bare: ["classes"] },
  (x, { classes, dtype: wanted = "int64" }) => {
    if (factsOf(x.dtype).kind !== "int")
      throw new TensorError(
        "DTYPE",
        `oneHot takes classes as integers but got ${x.dtype}: convert it, e.g. with .to("int64").`,
      );
    const [least, most] = x.size === 0 ? [0, -1] : [Number(x.min().item()), Number(x.max().item())];
    const many = classes ?? most + 1;
    if (least < 0 || most >= many)
      throw new TensorError(
        "VALUE",
        `oneHot of ${many} classes takes them from 0 on but got ${least < 0 ? least : most}.`,
      );
    return x
      .unsqueeze(-1)
      .to("int64")
      .eq(arange(many, { dtype: "int64", device: x.device }))
      .to(wanted);
  },
);

/** {@link Tensor.maskedScatter} as a function. */
export const maskedScatter: FunctionOf<"maskedScatter"> = define(
  "maskedScatter",
  { required: { mask: tensor, source: tensor } },
  (x, { mask, source }) => {
    if (mask.dtype !== "bool")
      throw new TensorError(
        "DTYPE",
        `maskedScatter takes a mask, a tensor of bool, but got ${mask.dtype}: compare one, e.g. with .gt(0).`,
      );
    const chosen = mask.expand(x.shape) as Tensor<"bool">;
    const wanted = Number(chosen.sum().item());
    if (wanted > source.size)
      throw new TensorError(
        "SHAPE",
        `maskedScatter takes a source of at least ${wanted} elements, as many as the mask has true ones, but got shape ${formatShape(source.shape)}.`,
      );
    if (wanted === 0) return x.clone();
    const places = chosen.reshape([-1]).cumsum(0).sub(1).maximum(0).reshape(x.shape);
    const values = apply("takeAt", [source.to(x.dtype).reshape([-1]), places], { lead: 1 }) as Tensor;
    return values.where(chosen, x);
  },
);

install(Tensor.prototype, { oneHot, maskedScatter });
