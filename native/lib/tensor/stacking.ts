// Tensors stacked side by side, below and behind each other.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { free, tensors } from "./arguments.ts";
import { cat } from "./joining.ts";
import type { Tensor } from "./tensor.ts";

type Stack = <D extends DType>(tensors: readonly Tensor<D>[]) => Tensor<D>;

/** With at least that many axes, where lists are rows. */
const asMatrix = (x: Tensor): Tensor => (x.shape.length < 2 ? x.reshape([1, x.size]) : x);

/**
 * The tensors side by side: along axis 1, lists one after the other.
 * @example
 * hstack([tensor([1, 2]), tensor([3, 4])]); // → tensor([1, 2, 3, 4], shape [4], float32, cpu)
 */
export const hstack: Stack = free("hstack", { required: { tensors } }, ({ tensors: list }) => {
  const parts = list.map((each) => (each.shape.length === 0 ? each.reshape([1]) : each));
  return cat(parts, { axis: parts[0]!.shape.length === 1 ? 0 : 1 });
});
/**
 * The tensors below each other: along axis 0, lists as rows.
 * @example
 * vstack([tensor([1, 2]), tensor([3, 4])]); // → tensor([[1, 2], [3, 4]], shape [2, 2], float32, cpu)
 */
export const vstack: Stack = free("vstack", { required: { tensors } }, ({ tensors: list }) =>
  cat(list.map(asMatrix), { axis: 0 }),
);
/**
 * The tensors one behind the other: along axis 2, lists as rows and matrices as layers.
 * @example
 * dstack([tensor([1, 2]), tensor([3, 4])]).shape; // → [ 1, 2, 2 ]
 */
export const dstack: Stack = free("dstack", { required: { tensors } }, ({ tensors: list }) =>
  cat(
    list.map(asMatrix).map((each) => (each.shape.length === 2 ? each.unsqueeze(2) : each)),
    { axis: 2 },
  ),
);
/**
 * Lists as columns and matrices side by side.
 * @example
 * columnStack([tensor([1, 2]), tensor([3, 4])]); // → tensor([[1, 3], [2, 4]], shape [2, 2], float32, cpu)
 */
export const columnStack: Stack = free("columnStack", { required: { tensors } }, ({ tensors: list }) =>
  cat(
    list.map((each) => (each.shape.length < 2 ? each.reshape([each.size, 1]) : each)),
    { axis: 1 },
  ),
);
/**
 * A matrix with these matrices along its diagonal, and 0 elsewhere; lists count as rows.
 * @example
 * blockDiag([tensor([[1, 2]]), tensor([[3], [4]])]);
 * // → tensor([[1, 2, 0], [0, 0, 3], [0, 0, 4]], shape [3, 3], float32, cpu)
 */
export const blockDiag: Stack = free("blockDiag", { required: { tensors } }, ({ tensors: list }) => {
  const blocks = list.map(asMatrix);
  for (const { shape } of blocks)
    if (shape.length !== 2)
      throw new TensorError("SHAPE", `blockDiag takes matrices and lists but got shape ${formatShape(shape)}.`);
  const width = blocks.reduce((sum, { shape }) => sum + shape[1]!, 0);
  let before = 0;
  const rows = blocks.map((block) => {
    const own = block.shape[1]!;
    const padded = block.pad([before, width - before - own]);
    before += own;
    return padded;
  });
  return cat(rows, { axis: 0 });
});
