// Masks: elements chosen, replaced and found by a tensor of bool.
import type { DeviceArray } from "../memory/array.ts";
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { broadcast, sizeOf } from "../memory/shape.ts";
import { apply, applyInto } from "../ops/core/apply.ts";
import { coordinatesOf, countedTrue, positionsOfTrue } from "../ops/index/positions.ts";
import { worded } from "../wording.ts";
import { anything, define, install, scalarOrTensor, type FunctionOf } from "./arguments.ts";
import type { Scalar } from "./create.ts";
import { written } from "./indexing.ts";
import { Tensor } from "./tensor.ts";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * A copy in which elements are `value`, a number or a tensor without axes, where the mask, a tensor of bool that
     * broadcasts, is true.
     * @example
     * const x = tensor([1, -2, 3]);
     * x.maskedFill(x.lt(0), 0); // → tensor([1, 0, 3], shape [3], float32, cpu)
     */
    maskedFill(mask: Tensor, value: Scalar | Tensor): Tensor<D>;
    /** {@link Tensor.maskedFill} in place. */
    maskedFill_(mask: Tensor, value: Scalar | Tensor): this;
    /**
     * The elements where the mask is true, as one axis; both broadcast. Waits for the device to count them.
     * @example
     * const x = tensor([1, -2, 3]);
     * x.maskedSelect(x.gt(0)); // → tensor([1, 3], shape [2], float32, cpu)
     */
    maskedSelect(mask: Tensor): Tensor<D>;
    /**
     * Indices of the elements that are not 0, in row-major order: int64 of shape [count, axes]. Waits for the device to
     * count them.
     * @example
     * tensor([[0, 5], [6, 0]]).nonzero(); // → tensor([[0, 1], [1, 0]], shape [2, 2], int64, cpu)
     */
    nonzero(): Tensor<"int64">;
  }
}

const asTensor = (array: DeviceArray) => new Tensor(array.living().hold(), array.dtype, array);

function checkedMask(mask: unknown, use: string): Tensor {
  if (mask instanceof Tensor && mask.dtype === "bool") return mask;
  throw new TensorError(
    "DTYPE",
    `${use} takes a mask, a tensor of bool, but got ${mask instanceof Tensor ? mask.dtype : worded(mask)}: compare one, e.g. with .gt(0).`,
  );
}

function filled(x: Tensor, mask: unknown, value: Scalar | Tensor, use: string): readonly [Tensor, DeviceArray, Tensor] {
  const checked = checkedMask(mask, use);
  return [checked, written(x, value, [], use), x];
}

/** {@link Tensor.maskedFill} as a function. */
export const maskedFill: FunctionOf<"maskedFill"> = define(
  "maskedFill",
  { required: { mask: anything, value: scalarOrTensor } },
  (x, { mask: given, value }) => {
    const mask = given as Tensor;
    return apply("where", filled(x, mask, value, "maskedFill"), {});
  },
);

const maskedFill_: FunctionOf<"maskedFill_"> = define(
  "maskedFill_",
  { required: { mask: anything, value: scalarOrTensor } },
  (x, { mask: given, value }) => {
    const mask = given as Tensor;
    applyInto("where", x, filled(x, mask, value, "maskedFill_"), {});
    return x;
  },
);

/** {@link Tensor.maskedSelect} as a function. */
export const maskedSelect: FunctionOf<"maskedSelect"> = define(
  "maskedSelect",
  { required: { mask: anything } },
  (x, { mask: given }) => {
    const mask = checkedMask(given, "maskedSelect");
    const shape = broadcast(x.shape, checkedMask(mask, "maskedSelect").shape);
    const { mask: flat, starts, total } = countedTrue(mask.execution, mask.expand(shape));
    return apply("selectTrue", [x.expand(shape), flat, starts], { total });
  },
);

/** {@link Tensor.nonzero} as a function. */
export const nonzero: FunctionOf<"nonzero"> = define("nonzero", {}, (x, {}) => {
  using mask = x.dtype === "bool" ? null : x.ne(0);
  using positions = positionsOfTrue(x.execution, mask ?? x);
  using found = coordinatesOf(x.execution, positions, x.shape);
  return asTensor(found);
});

install(Tensor.prototype, { maskedFill, maskedFill_, maskedSelect, nonzero });
