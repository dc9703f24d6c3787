// Views of matrices turned and mirrored.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { listed } from "../wording.ts";
import { define, install, wholeNumber, wholeNumbers, type FunctionOf } from "./arguments.ts";
import { Tensor } from "./tensor.ts";

/**
 * `k`: how many quarter turns, 1 when left out; `axes`: from the first of these to the second, [0, 1] when left out.
 */
export interface TurnOptions {
  readonly k?: number;
  readonly axes?: readonly [number, number];
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * A view turned by quarters, see {@link TurnOptions}.
     * @example
     * tensor([[1, 2], [3, 4]]).rot90(); // → tensor([[2, 4], [1, 3]], shape [2, 2], float32, cpu)
     */
    rot90(k?: number | TurnOptions, axes?: readonly [number, number]): Tensor<D>;
    /**
     * A view with the columns, axis 1, in reverse order.
     * @example
     * tensor([[1, 2], [3, 4]]).fliplr(); // → tensor([[2, 1], [4, 3]], shape [2, 2], float32, cpu)
     */
    fliplr(): Tensor<D>;
    /**
     * A view with the rows, axis 0, in reverse order.
     * @example
     * tensor([[1, 2], [3, 4]]).flipud(); // → tensor([[3, 4], [1, 2]], shape [2, 2], float32, cpu)
     */
    flipud(): Tensor<D>;
  }
}

function needs(name: string, axes: number, { shape }: Tensor): void {
  if (shape.length < axes)
    throw new TensorError(
      "SHAPE",
      `${name} takes a tensor of at least ${axes === 1 ? "one axis" : "two axes"} but got shape ${formatShape(shape)}.`,
    );
}

/** {@link Tensor.rot90} as a function. */
export const rot90: FunctionOf<"rot90"> = define(
  "rot90",
  { options: { k: wholeNumber, axes: wholeNumbers }, bare: ["k", "axes"] },
  (x, { k = 1, axes = [0, 1] }) => {
    needs("rot90", 2, x);
    const [from, to] = axes.map((each) => checkedAxis(each, x.shape.length));
    if (axes.length !== 2 || from === to)
      throw new TensorError("AXIS", `rot90 takes two different axes but got ${listed(axes)}.`);
    const turns = ((k % 4) + 4) % 4;
    if (turns === 0) return x.reshape(x.shape);
    if (turns === 2) return x.flip([from!, to!]);
    return turns === 1 ? x.flip(to!).swapAxes(from!, to!) : x.swapAxes(from!, to!).flip(to!);
  },
);
/** {@link Tensor.fliplr} as a function. */
export const fliplr: FunctionOf<"fliplr"> = define("fliplr", {}, (x) => {
  needs("fliplr", 2, x);
  return x.flip(1);
});
/** {@link Tensor.flipud} as a function. */
export const flipud: FunctionOf<"flipud"> = define("flipud", {}, (x) => {
  needs("flipud", 1, x);
  return x.flip(0);
});

install(Tensor.prototype, { rot90, fliplr, flipud });
