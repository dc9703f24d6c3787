// Broadcasting by itself: shapes and tensors brought to one shape.
import { broadcast, checkedShape, type Shape } from "../memory/shape.ts";
import { reader, tensors } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

/** The shape that shapes have together. Throws TensorError where sizes differ and neither is 1. */
export function broadcastShapes(...shapes: readonly Shape[]): number[] {
  return [...shapes.map(checkedShape).reduce<Shape>((joint, shape) => broadcast(joint, shape), [])];
}

const read = reader("broadcastArrays", { required: { tensors } });

/** Views of the tensors in the shape that they have together. Throws TensorError. */
export function broadcastArrays(...given: readonly (Tensor | readonly Tensor[])[]): Tensor[] {
  const { tensors: list } = read([given.flat()]);
  const shape = broadcastShapes(...list.map((each) => each.shape));
  return list.map((each) => each.expand(shape));
}
