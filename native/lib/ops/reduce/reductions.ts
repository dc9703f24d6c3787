// Reductions as rows of the table: sums, means, products, extremes and their indices, norms, variances, and whether any
// or all.
import { DeviceArray } from "../../memory/array.ts";
import { adviceToCompute, factsOf, type DType } from "../../memory/dtype.ts";
import { TensorError } from "../../errors.ts";
import type { SumOf } from "../../memory/promotion.ts";
import { formatShape, sizeOf, type Shape } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { copy } from "../shape/copy.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { sameShape } from "../kernels/map.ts";
import { reshaped } from "../shape/views.ts";
import type { Computation, Gradient, Gradients } from "../core/operation.ts";
import { productsOfOthers } from "./products.ts";
import { reducedShape, reduceInto } from "./reduce.ts";
import { reducers, resultOf, spread, type Reducer, type ReducerName, type Reduction } from "./reducers.ts";
import { asFloat, div, mul, of, sub } from "../core/terms.ts";

const lengthOf = ({ shape }: DeviceArray, axes: readonly number[]) => sizeOf(axes.map((axis) => shape[axis]!));

interface RowOptions<A> {
  readonly reducer: (input: DeviceArray) => ReducerName;
  readonly parameter?: (input: DeviceArray, attributes: A) => number;
  readonly gradient: Gradient<[x: DeviceArray], A> | null;
}

function reduction<A extends Reduction>(
  name: string,
  { reducer, parameter = () => 0, gradient }: RowOptions<A>,
): Computation<[x: DeviceArray], A> {
  return {
    inPlace: false,
    infer([x], attributes) {
      const input = x;
      if (factsOf(input.dtype).isStorage)
        throw new TensorError(
          "DTYPE",
          `${name} takes numbers that compute but got ${input.dtype}: ${adviceToCompute(input.dtype)}.`,
        );
      const functor: Reducer = reducers[reducer(input)];
      if (functor.empty === null && lengthOf(input, attributes.axes) === 0)
        throw new TensorError(
          "SHAPE",
          `${name} over no elements has no value: the shape is ${formatShape(input.shape)}.`,
        );
      return [{ shape: reducedShape(input.shape, attributes), dtype: resultOf(functor, input.dtype) }];
    },
    reducing: (input, attributes) => ({
      reducer: reducer(input),
      axes: attributes.axes,
      parameter: parameter(input, attributes),
    }),
    run: ([out], [x], attributes, on) => reduceInto(on, reducer(x), out!, x, attributes.axes, parameter(x, attributes)),
    gradient,
    cost: (inputs, outputs) => ({
      bytes: bytesMoved(inputs) + bytesMoved(outputs),
      flops: inputs[0].size,
    }),
  };
}

const floatOnly =
  (name: string, reducer: ReducerName) =>
  (input: DeviceArray): ReducerName => {
    if (factsOf(input.dtype).kind !== "float")
      throw new TensorError(
        "DTYPE",
        `${name} takes floats but got ${input.dtype}: convert it, e.g. with .to("float32").`,
      );
    return reducer;
  };

/** What `variance` and `std` are told: `correction` is taken off the count (1: of a sample, 0: of all there is). */
export interface Spread extends Reduction {
  readonly correction: number;
}

// 2(x − mean)/(n − correction)
function varianceGradient(g: DeviceArray, input: DeviceArray, { axes, correction }: Spread): DeviceArray {
  const mean = call("mean", [input], { axes, keepdims: true });
  return mul(spread(g, input, axes), mul(sub(input, mean), 2 / (lengthOf(input, axes) - correction)));
}

function stretchedAxes(from: Shape, to: Shape): number[] {
  const missing = from.length - to.length;
  return from.flatMap((size, axis) => (axis < missing || (to[axis - missing] === 1 && size !== 1) ? [axis] : []));
}

/** The sum over the axes that were stretched from `shape`, with that shape. */
const sumTo: Computation<[x: DeviceArray], { shape: Shape }> = {
  inPlace: false,
  infer: ([x], { shape }) => [{ shape, dtype: x.dtype }],
  reducing: (input, { shape }) => ({ reducer: "sum", axes: stretchedAxes(input.shape, shape), parameter: 0 }),
  run([out], [x], { shape }, on) {
    const input = x;
    const axes = stretchedAxes(input.shape, shape);
    if (axes.length === 0 && sameShape(input.shape, shape)) copy(on, out!, input);
    else reduceInto(on, "sum", out!, input, axes);
  },
  gradient: ([g], { inputs: [x] }) => [call("expand", [g!], { shape: x.shape })],
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: inputs[0].size,
  }),
};

/** Operations that are a reducer as it stands. */
export type WholeName = {
  [Name in ReducerName]: (typeof reducers)[Name] extends { gradient: unknown } ? Name : never;
}[ReducerName];
/** The dtype of its results. */
export type WholeResult<Name extends WholeName, D extends DType> = (typeof reducers)[Name]["result"] extends infer R
  ? R extends DType
    ? R
    : R extends "sum"
      ? SumOf<D>
      : D
  : never;
export const wholeNames = (Object.keys(reducers) as ReducerName[]).filter(
  (name): name is WholeName => "gradient" in reducers[name],
);

/** The row of a reducer, which refuses what it is not compiled for only where that is all but floats. */
function whole(name: WholeName): Computation<[x: DeviceArray], Reduction> {
  const { dtypes, gradient }: Reducer = reducers[name];
  const isForFloats = dtypes.every((dtype) => factsOf(dtype).kind === "float");
  return reduction<Reduction>(name, { reducer: isForFloats ? floatOnly(name, name) : () => name, gradient: gradient! });
}
const wholeRows = Object.fromEntries(wholeNames.map((name) => [name, whole(name)])) as {
  [Name in WholeName]: Computation<[x: DeviceArray], Reduction>;
};

export const reductionRows = {
  ...wholeRows,
  sum: reduction<Reduction>("sum", {
    reducer: () => "sum",
    gradient: ([g], { inputs: [x], attributes }): Gradients => [spread(g!, x, attributes.axes)],
  }),
  mean: reduction<Reduction>("mean", {
    reducer: ({ dtype }) => (factsOf(dtype).kind === "float" ? "mean" : "integerMean"),
    parameter: (input, { axes }) => lengthOf(input, axes),
    gradient: ([g], { inputs: [x], attributes: { axes } }): Gradients => [spread(div(g!, lengthOf(x, axes)), x, axes)],
  }),
  prod: reduction<Reduction>("prod", {
    reducer: () => "prod",
    // Where one element is 0, only its own slope is not: the product of the others.
    gradient: ([g], { inputs: [x], outputs: [y], attributes: { axes }, isDifferentiated }): Gradients => {
      const input = x;
      if (isDifferentiated && input.size > 0) return [mul(spread(g!, input, axes), productsOfOthers(input, axes))];
      const isZero = call("eq", [input, 0]);
      const zeros = call("sum", [asFloat(isZero, input)], { axes, keepdims: true });
      const others = call("prod", [call("where", [isZero, 1, input])], { axes, keepdims: true });
      const slope = call("where", [
        call("eq", [zeros, 0]),
        div(spread(y!, input, axes), call("where", [isZero, 1, input])),
        mul(mul(asFloat(isZero, input), asFloat(call("eq", [zeros, 1]), input)), others),
      ]);
      return [mul(spread(g!, input, axes), slope)];
    },
  }),
  /** √Σx². */
  norm: reduction<Reduction>("norm", {
    reducer: floatOnly("norm", "norm"),
    gradient: ([g], { inputs: [x], outputs: [y], attributes: { axes } }): Gradients => {
      // Divided by nothing that is 0: the slope's slope would be NaN.
      const isZero = call("eq", [y!, 0]);
      const share = call("where", [isZero, 0, div(g!, call("where", [isZero, 1, y!]))]);
      return [mul(spread(share, x, axes), x)];
    },
  }),
  variance: reduction<Spread>("var", {
    reducer: floatOnly("var", "variance"),
    parameter: (_, { correction }) => correction,
    gradient: ([g], { inputs: [x], attributes }): Gradients => [varianceGradient(g!, x, attributes)],
  }),
  std: reduction<Spread>("std", {
    reducer: floatOnly("std", "std"),
    parameter: (_, { correction }) => correction,
    // Of a constant the slope is 0, as in PyTorch.
    gradient: ([g], { inputs: [x], outputs: [y], attributes }): Gradients => {
      const isZero = call("eq", [y!, 0]);
      const share = div(g!, call("where", [isZero, 1, mul(y!, 2)]));
      return [varianceGradient(call("where", [isZero, 0, share]), x, attributes)];
    },
  }),
  sumTo,
} as const;

export type ReductionName = keyof typeof reductionRows;
