// The shapes of queries, keys and values that go together.
import { TensorError } from "../../errors.ts";
import { broadcast, formatShape, sizeOf, type Shape } from "../../memory/shape.ts";
import type { Sizes } from "./problem.ts";

/** The shapes that go together, see {@link shapesOf}. */
export interface Shapes extends Sizes {
  /** The axes before the heads, broadcast. */
  readonly before: Shape;
  /** Whether there is an axis of heads. */
  readonly hasHeads: boolean;
}

/** The sizes of q […, heads, queries, width], k […, heads, keys, width] and v […, heads, keys, values]. Throws TensorError. */
export function shapesOf(q: Shape, k: Shape, v: Shape): Shapes {
  const [queries, width] = q.slice(-2),
    [keys, other] = k.slice(-2);
  if (q.length < 2 || k.length < 2 || v.length < 2 || width !== other || keys !== v.at(-2)) {
    throw new TensorError(
      "SHAPE",
      `attention takes q […, queries, width], k […, keys, width] and v […, keys, values] but got ${formatShape(q)}, ${formatShape(k)} and ${formatShape(v)}.`,
    );
  }
  const headsOf = (shape: Shape) => shape.at(-3) ?? 1;
  const keyHeads = broadcast([headsOf(k)], [headsOf(v)])[0]!;
  const heads = headsOf(q) === 1 ? keyHeads : headsOf(q);
  if (keyHeads === 0 ? heads > 0 : heads % keyHeads !== 0)
    throw new TensorError(
      "SHAPE",
      `attention takes keys and values of a number of heads that divides that of q but got ${keyHeads} for ${heads}.`,
    );
  return {
    before: [q, k, v].map((shape) => shape.slice(0, -3)).reduce<Shape>(broadcast, []),
    hasHeads: [q, k, v].some(({ length }) => length > 2),
    batches: sizeOf([q, k, v].map((shape) => shape.slice(0, -3)).reduce<Shape>(broadcast, [])),
    heads,
    group: keyHeads === 0 ? 1 : heads / keyHeads,
    queries: queries!,
    keys: keys!,
    width: width!,
    valueWidth: v.at(-1)!,
  };
}
