// Tensors cut into parts, all as views.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { axis, define, either, install, number, numbers, type FunctionOf } from "./arguments.ts";
import { Tensor } from "./tensor.ts";

/** How many parts, or where they are cut: [2, 5] is up to 2, up to 5, and the rest. */
type Parts = number | readonly number[];

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * Views of parts along an axis, the first when left out: of a number of parts whose sizes differ by 1 at most, the
     * larger ones first, or cut at these places; NumPy's array_split.
     * @example
     * arange(5).tensorSplit(2).map((part) => part.toArray()); // → [ [ 0, 1, 2 ], [ 3, 4 ] ]
     * arange(5).tensorSplit([1, 3]).map((part) => part.toArray()); // → [ [ 0 ], [ 1, 2 ], [ 3, 4 ] ]
     */
    tensorSplit(parts: Parts, axis?: number | { readonly axis?: number; readonly dim?: number }): Tensor<D>[];
    /**
     * {@link Tensor.tensorSplit} from left to right: along axis 1, of a list along axis 0. A number must divide the
     * axis.
     * @example
     * tensor([[1, 2], [3, 4]]).hsplit(2)[1]!.toArray(); // → [ [ 2 ], [ 4 ] ]
     */
    hsplit(parts: Parts): Tensor<D>[];
    /**
     * {@link Tensor.tensorSplit} from top to bottom, along axis 0. A number must divide the axis.
     * @example
     * tensor([[1, 2], [3, 4]]).vsplit(2)[1]!.toArray(); // → [ [ 3, 4 ] ]
     */
    vsplit(parts: Parts): Tensor<D>[];
    /**
     * {@link Tensor.tensorSplit} from front to back, along axis 2. A number must divide the axis.
     * @example
     * ones([2, 2, 4]).dsplit(2)[0]!.shape; // → [ 2, 2, 2 ]
     */
    dsplit(parts: Parts): Tensor<D>[];
  }
}

function cutAlong(name: string, x: Tensor, parts: Parts, at: number): Tensor[] {
  const length = x.shape[at]!;
  const isCount = typeof parts === "number";
  const isValid = isCount
    ? Number.isSafeInteger(parts) && parts > 0
    : parts.every((each) => Number.isSafeInteger(each));
  if (!isValid)
    throw new TensorError("VALUE", `${name} takes a number of parts, or places to cut at, but got ${worded(parts)}.`);
  const ends = isCount
    ? Array.from(
        { length: parts },
        (_, part) => (part + 1) * Math.floor(length / parts) + Math.min(part + 1, length % parts),
      )
    : [...parts.map((each) => Math.min(length, Math.max(0, each < 0 ? each + length : each))), length];
  return ends.map((end, part) => {
    const from = part === 0 ? 0 : ends[part - 1]!;
    return x.slice(...Array<null>(at).fill(null), [from, Math.max(from, end)]);
  });
}

const parts = either(number, numbers);

/** {@link Tensor.tensorSplit} as a function. */
export const tensorSplit: FunctionOf<"tensorSplit"> = define(
  "tensorSplit",
  { required: { parts }, options: { axis }, bare: ["axis"] },
  (x, { parts, axis: named = 0 }) => cutAlong("tensorSplit", x, parts, checkedAxis(named, x.shape.length)),
);

function equalParts(name: string, least: number, axisOf: (rank: number) => number): FunctionOf<"hsplit"> {
  return define(name, { required: { parts } }, (x, given) => {
    const rank = x.shape.length;
    if (rank < least)
      throw new TensorError(
        "SHAPE",
        `${name} takes a tensor of at least ${least} ax${least === 1 ? "is" : "es"} but got shape ${formatShape(x.shape)}.`,
      );
    const at = axisOf(rank);
    if (typeof given.parts === "number" && x.shape[at]! % given.parts !== 0)
      throw new TensorError(
        "VALUE",
        `${name} takes a number of parts that divides the ${x.shape[at]} elements of axis ${at} but got ${given.parts}: use tensorSplit.`,
      );
    return cutAlong(name, x, given.parts, at);
  });
}
/** {@link Tensor.hsplit} as a function. */
export const hsplit: FunctionOf<"hsplit"> = equalParts("hsplit", 1, (rank) => (rank === 1 ? 0 : 1));
/** {@link Tensor.vsplit} as a function. */
export const vsplit: FunctionOf<"vsplit"> = equalParts("vsplit", 2, () => 0);
/** {@link Tensor.dsplit} as a function. */
export const dsplit: FunctionOf<"dsplit"> = equalParts("dsplit", 3, () => 2);

install(Tensor.prototype, { tensorSplit, hsplit, vsplit, dsplit });
