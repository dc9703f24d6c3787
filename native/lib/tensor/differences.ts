// Differences of neighbours along an axis, and the area below points.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { checkedAxis, formatShape, type AxisSlice } from "../memory/shape.ts";
import { apply } from "../ops/core/apply.ts";
import { axis, count, define, install, number, operand, tensor, type FunctionOf } from "./arguments.ts";
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
  }
}

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

/** {@link Tensor.trapezoid} as a function. */
export const trapezoid: FunctionOf<"trapezoid"> = define(
  "trapezoid",
  { options: { x: tensor, dx: number, axis } },
  (y, { x, dx = 1, axis: named }) => {
    const at = alongAxis("trapezoid", y, named);
    const means = part(y, at, [1, null])
      .add(part(y, at, [0, -1]))
      .div(2);
    if (x === undefined) return means.sum(at).mul(dx);
    const isList = x.shape.length === 1;
    if (x.shape.at(isList ? 0 : at) !== y.shape[at])
      throw new TensorError(
        "SHAPE",
        `trapezoid takes a place for each of the ${y.shape[at]} points along axis ${at} but got shape ${formatShape(x.shape)}.`,
      );
    const steps = diff(x, { axis: isList ? 0 : at });
    const shape = y.shape.map((_, each) => (each === at ? steps.size : 1));
    return means.mul(isList ? steps.reshape(shape) : steps).sum(at);
  },
);

install(Tensor.prototype, { diff, trapezoid });
