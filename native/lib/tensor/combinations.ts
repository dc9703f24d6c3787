// All choices of elements of lists.
import type { DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { formatShape } from "../memory/shape.ts";
import { count, define, flag, reader, tensors } from "./arguments.ts";
import { tensor } from "./create.ts";
import { meshgrid, stack } from "./joining.ts";
import { Tensor } from "./tensor.ts";

function checkList(name: string, { shape }: Tensor): void {
  if (shape.length !== 1)
    throw new TensorError("SHAPE", `${name} takes lists of elements but got shape ${formatShape(shape)}.`);
}

const readProduct = reader("cartesianProd", { required: { tensors } });

/**
 * All choices of one element of each list, as rows, the last list's changing first. The lists come as one array or one
 * after the other.
 * @example
 * cartesianProd(tensor([1, 2]), tensor([5, 6]));
 * // → tensor([[1, 5], [1, 6], [2, 5], [2, 6]], shape [4, 2], float32, cpu)
 */
export function cartesianProd<D extends DType>(
  ...lists: [readonly Tensor<D>[]] | [Tensor<D>, ...Tensor<D>[]]
): Tensor<D>;
export function cartesianProd(...args: unknown[]): Tensor {
  const { tensors: lists } = readProduct(args[0] instanceof Tensor ? [args] : args);
  for (const list of lists) checkList("cartesianProd", list);
  if (lists.length === 1) return lists[0]!.clone();
  return stack(
    meshgrid(lists).map((each) => each.flatten()),
    { axis: -1 },
  );
}

/** `withReplacement`: an element may be chosen again. */
export interface CombinationOptions {
  readonly withReplacement?: boolean;
}

/** Places 0 … n − 1, `r` of them in rising order, as rows. */
function placesOf(n: number, r: number, again: boolean): number[][] {
  if (r === 0) return [[]];
  return placesOf(n, r - 1, again).flatMap((row) => {
    const first = row.length === 0 ? 0 : row.at(-1)! + (again ? 0 : 1);
    return Array.from({ length: Math.max(0, n - first) }, (_, at) => [...row, first + at]);
  });
}

/**
 * All choices of `r` elements of a list, two when left out, in their order, as rows, see {@link CombinationOptions}.
 * @example
 * combinations(tensor([1, 2, 3])); // → tensor([[1, 2], [1, 3], [2, 3]], shape [3, 2], float32, cpu)
 */
export const combinations: <D extends DType>(
  x: Tensor<D>,
  r?: number | (CombinationOptions & { readonly r?: number }),
  options?: CombinationOptions,
) => Tensor<D> = define(
  "combinations",
  { options: { r: count, withReplacement: flag }, bare: ["r", "withReplacement"] },
  (x, { r = 2, withReplacement = false }) => {
    checkList("combinations", x);
    const places = placesOf(x.size, r, withReplacement);
    const shape = r === 0 ? [0] : [places.length, r];
    const index = tensor(r === 0 ? [] : places.flat(), { dtype: "int64", device: x.device });
    return x.indexSelect(0, index).reshape(shape);
  },
);
