// Values of the line through points.
import { TensorError } from "../errors.ts";
import { floatOf, promoted } from "../memory/promotion.ts";
import { formatShape } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { free, operand, scalar, tensor } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

/** What a value below or above all places becomes: the first and the last value when left out. */
export interface InterpolationOptions {
  readonly left?: number;
  readonly right?: number;
}

/**
 * The values at `x` of the line through the points (`places`, `values`), two lists of which the first increases. Beyond
 * the points: see {@link InterpolationOptions}. Throws TensorError.
 * @example
 * interp(tensor([0.5, 1.5]), tensor([0, 1, 2]), tensor([0, 10, 30]));
 * // → tensor([5, 20], shape [2], float32, cpu)
 */
export const interp: (x: Tensor | number, places: Tensor, values: Tensor, options?: InterpolationOptions) => Tensor =
  free(
    "interp",
    { required: { x: operand, places: tensor, values: tensor }, options: { left: scalar, right: scalar } },
    ({ x: given, places, values, left, right }) => {
      const points = places.size;
      if (places.shape.length !== 1 || points === 0 || formatShape(values.shape) !== formatShape(places.shape))
        throw new TensorError(
          "SHAPE",
          `interp takes two lists of the same length, places and values, with at least one element, but got shapes ${formatShape(places.shape)} and ${formatShape(values.shape)}.`,
        );
      const x = typeof given === "object" ? given : places.slice(0).mul(0).add(given);
      const wide = floatOf([x.dtype, places.dtype, values.dtype].reduce(promoted));
      const [at, xs, ys] = [x.to(wide), places.to(wide), values.to(wide)];
      const [first, last] = [xs.slice(0), xs.slice(points - 1)];
      let result = at.mul(0).add(ys.slice(points - 1));
      if (points > 1) {
        const after = xs
          .detach()
          .searchsorted(at.detach(), { right: true })
          .maximum(1)
          .minimum(points - 1);
        const take = (from: Tensor, index: Tensor) => apply("takeAt", [from, index], { lead: 1 }) as Tensor;
        const [x0, y0] = [take(xs, after.sub(1)), take(ys, after.sub(1))];
        const slope = take(ys, after).sub(y0).div(take(xs, after).sub(x0));
        const between = y0.add(slope.mul(at.sub(x0)));
        // On the last place itself the line gives its value only nearly.
        result = between
          .where(at.ge(last).logicalNot(), ys.slice(points - 1))
          .where(at.lt(first).logicalNot(), ys.slice(0));
      }
      if (left !== undefined) result = result.where(at.lt(first).logicalNot(), left);
      return right === undefined ? result : result.where(at.gt(last).logicalNot(), right);
    },
  );
