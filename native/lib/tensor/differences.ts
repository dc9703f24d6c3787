// Differences of neighbours along an axis, and the area below points.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { floatOf, type FloatOf } from "../memory/promotion.ts";
import { checkedAxis, formatShape, type AxisSlice } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import {
  axis,
  count,
  define,
  either,
  install,
  number,
  operand,
  tensor,
  type FunctionOf,
  type Kind,
} from "./arguments.ts";
import { full } from "./create.ts";
import { Tensor } from "./tensor.ts";

type Scalar = number | bigint | boolean;

/** `n`: how often, 1 when left out. `prepend`, `append`: what comes before and after, a number or rows. */
export interface DifferenceOptions {
  readonly n?: number;
  readonly axis?: number;
  readonly dim?: number;
  readonly prepend?: Tensor | Scalar;
  readonly append?: Tensor | Scalar;
}
/** `x`: where the points are, along the axis or for each; else `dx` apart, 1 when left out. */
export interface AreaOptions {
  readonly x?: Tensor;
  readonly dx?: number;
  readonly axis?: number;
  readonly dim?: number;
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * Each element less the one before along an axis, the last when left out; of bool whether they differ.
     * @example
     * tensor([1, 4, 9]).diff(); // → tensor([3, 5], shape [2], float32, cpu)
     */
    diff(n?: number | DifferenceOptions, axis?: number): Tensor<D>;
    /**
     * The area below points, by trapezoids, along an axis, the last when left out; the points are 1 apart, see {@link
     * AreaOptions}.
     * @example
     * tensor([0, 1, 4]).trapezoid(); // → tensor(3, shape [], float32, cpu)
     */
    trapezoid(options?: AreaOptions): Tensor;
    /**
     * The areas below points, by trapezoids, from the first to each of the others, see {@link Tensor.trapezoid}.
     * @example
     * tensor([0, 1, 4]).cumulativeTrapezoid(); // → tensor([0.5, 3.0], shape [2], float32, cpu)
     */
    cumulativeTrapezoid(options?: AreaOptions): Tensor;
  }
}

const orders: Kind<1 | 2> = { wanted: "1 or 2", has: (value) => value === 1 || value === 2 };

/** A part of one axis. */
const part = (x: Tensor, at: number, slice: AxisSlice): Tensor => x.slice(...Array<null>(at).fill(null), slice);

function alongAxis(name: string, x: Tensor, named = -1): number {
  if (x.shape.length === 0) throw new TensorError("AXIS", `${name} takes a tensor with axes but got one without.`);
  return checkedAxis(named, x.shape.length);
}

/** A number as a row along an axis. */
const asRow = (value: Tensor | Scalar, x: Tensor, at: number): Tensor =>
  value instanceof Tensor ? value : full(x.shape.with(at, 1), value, { dtype: x.dtype, device: x.device });

/** {@link Tensor.diff} as a function. */
export const diff: FunctionOf<"diff"> = define(
  "diff",
  { options: { n: count, axis, prepend: operand, append: operand }, bare: ["n", "axis"] },
  (x, { n = 1, axis: named, prepend, append }) => {
    const at = alongAxis("diff", x, named);
    const parts = [prepend, x, append].flatMap((each) => (each === undefined ? [] : [asRow(each, x, at)]));
    let rest = parts.length === 1 ? x : (apply("cat", parts, { axis: at }) as Tensor);
    for (let turn = 0; turn < n; turn++) {
      const [later, earlier] = [part(rest, at, [1, null]), part(rest, at, [0, -1])];
      rest = rest.dtype === "bool" ? later.ne(earlier) : later.sub(earlier);
    }
    return n === 0 ? rest.clone() : rest;
  },
);

/** The areas between neighbours along an axis. */
function trapezoids(name: string, y: Tensor, at: number, { x, dx = 1 }: AreaOptions): Tensor {
  const means = part(y, at, [1, null])
    .add(part(y, at, [0, -1]))
    .div(2);
  if (x === undefined) return dx === 1 ? means : means.mul(dx);
  const isList = x.shape.length === 1;
  if (x.shape.at(isList ? 0 : at) !== y.shape[at])
    throw new TensorError(
      "SHAPE",
      `${name} takes a place for each of the ${y.shape[at]} points along axis ${at} but got shape ${formatShape(x.shape)}.`,
    );
  const steps = diff(x, { axis: isList ? 0 : at });
  const shape = y.shape.map((_, each) => (each === at ? steps.size : 1));
  return means.mul(isList ? steps.reshape(shape) : steps);
}
const areaOptions = { x: tensor, dx: number, axis };

/** {@link Tensor.trapezoid} as a function. */
export const trapezoid: FunctionOf<"trapezoid"> = define(
  "trapezoid",
  { options: areaOptions },
  (y, { axis: named, ...given }) => {
    const at = alongAxis("trapezoid", y, named);
    return trapezoids("trapezoid", y, at, given).sum(at);
  },
);

/** {@link Tensor.cumulativeTrapezoid} as a function. */
export const cumulativeTrapezoid: FunctionOf<"cumulativeTrapezoid"> = define(
  "cumulativeTrapezoid",
  { options: areaOptions },
  (y, { axis: named, ...given }) => {
    const at = alongAxis("cumulativeTrapezoid", y, named);
    return trapezoids("cumulativeTrapezoid", y, at, given).cumsum({ axis: at });
  },
);

/**
 * `spacing`: how far points are apart, 1 when left out, or where they are. `edgeOrder` 2: at the ends the slope of a
 * parabola through three points, not of a line through two.
 */
export interface SlopeOptions {
  readonly spacing?: number | Tensor;
  readonly axis?: number;
  readonly dim?: number;
  readonly edgeOrder?: 1 | 2;
}

/**
 * The slope at each point along an axis, the last when left out: of the parabola through a point and its neighbours,
 * see {@link SlopeOptions}. For the gradient of a program use {@link grad}. Throws TensorError.
 * @example
 * gradient(tensor([1, 4, 9, 16])); // → tensor([3, 4, 6, 7], shape [4], float32, cpu)
 */
export const gradient: <D extends DType>(y: Tensor<D>, options?: SlopeOptions) => Tensor<FloatOf<D>> = define(
  "gradient",
  { options: { spacing: either(number, tensor), axis, edgeOrder: orders }, aliases: { edge_order: "edgeOrder" } },
  (y, { spacing = 1, axis: named, edgeOrder = 1 }) => {
    const at = alongAxis("gradient", y, named);
    const length = y.shape[at]!;
    if (length <= edgeOrder)
      throw new TensorError(
        "SHAPE",
        `gradient takes at least ${edgeOrder + 1} points along axis ${at} but got ${length}.`,
      );
    const isList = spacing instanceof Tensor;
    if (isList && (spacing.shape.length !== 1 || spacing.size !== length))
      throw new TensorError(
        "SHAPE",
        `gradient takes a list of places as spacing, one for each of the ${length} points along axis ${at}, but got shape ${formatShape(spacing.shape)}.`,
      );
    const float = floatOf(y.dtype);
    const along = y.shape.map((_, each) => (each === at ? length - 1 : 1));
    const steps = isList ? diff(spacing.to(float)).reshape(along) : spacing;
    const slopes = diff(y.to(float), { axis: at }).div(steps);
    const of = (x: Tensor, slice: AxisSlice) => part(x, at, slice);
    /** The slope that is `share` of the way from each one slice of slopes to the other. */
    const between = (first: AxisSlice, second: AxisSlice, turn: "middle" | "start" | "end") => {
      const [one, other] = [of(slopes, first), of(slopes, second)];
      const [before, after] = isList ? [of(steps as Tensor, first), of(steps as Tensor, second)] : [1, 1];
      const whole = isList ? (before as Tensor).add(after) : 2;
      const change = other.sub(one).div(whole);
      if (turn === "middle") return one.add(change.mul(before));
      return turn === "start" ? one.sub(change.mul(before)) : other.add(change.mul(after));
    };
    const middle = length > 2 ? [between([0, -1], [1, null], "middle")] : [];
    const ends =
      edgeOrder === 1
        ? [of(slopes, [0, 1]), of(slopes, [-1, null])]
        : [between([0, 1], [1, 2], "start"), between([-2, -1], [-1, null], "end")];
    return apply("cat", [ends[0]!, ...middle, ends[1]!], { axis: at }) as Tensor;
  },
);

install(Tensor.prototype, { diff, trapezoid, cumulativeTrapezoid });
