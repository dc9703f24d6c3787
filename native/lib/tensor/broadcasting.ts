// Broadcasting by itself: shapes and tensors brought to one shape.
import { broadcast, checkedShape, type Shape } from "../memory/shape.ts";
import { reader, tensors } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

/**
 * The shape that shapes have together. Throws TensorError where sizes differ and neither is 1.
 * @example
 * broadcastShapes([2, 1], [3]); // → [ 2, 3 ]
 */
export function broadcastShapes(...shapes: readonly Shape[]): number[] {
  return [...shapes.map(checkedShape).reduce<Shape>((joint, shape) => broadcast(joint, shape), [])];
}

const read = reader("broadcastArrays", { required: { tensors } });

/**
 * Views of the tensors in the shape that they have together. Throws TensorError.
 * @example
 * broadcastArrays(tensor([1, 2]), tensor([[3], [4]])).map((x) => x.shape); // → [ [ 2, 2 ], [ 2, 2 ] ]
 */
export function broadcastArrays(...given: readonly (Tensor | readonly Tensor[])[]): Tensor[] {
  const { tensors: list } = read([given.flat()]);
  const shape = broadcastShapes(...list.map((each) => each.shape));
  return list.map((each) => each.expand(shape));
}
