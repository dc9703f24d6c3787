// The functors of device/include/warpcell/reduction.cuh: the dtypes each is compiled for, its results' dtype, its result
// over no elements, and its gradient, where it is an operation as it stands.
import type { DeviceArray } from "../../memory/array.ts";
import { dtypeNames, factsOf, type DType } from "../../memory/dtype.ts";
import { call } from "../core/calls.ts";
import type { Gradient, Gradients } from "../core/operation.ts";
import { asFloat, div, mul, of, sub } from "../core/terms.ts";
import { kernelFactsByDType } from "../kernels/kernel-facts.ts";
import { reshaped } from "../shape/views.ts";

/** What a reduction is told: its axes, sorted and from the front, and whether they stay, with size 1. */
export interface Reduction {
  readonly axes: readonly number[];
  readonly keepdims: boolean;
}

/**
 * One functor. `result`: the dtype of the elements (`same`), what sums of them are of, or another. `empty`: `null`
 * where it has no result over no elements. `gradient`: of one that is an operation with axes and nothing else, `null`
 * where it has none; a method and a function derive from such a row, whose words they have. One that is compiled for
 * floats alone refuses the rest.
 */
export interface Reducer {
  readonly functor: string;
  readonly dtypes: readonly DType[];
  readonly result: "same" | "sum" | DType;
  readonly empty: number | null;
  readonly gradient?: Gradient<[x: DeviceArray], Reduction> | null;
}

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const all = dtypeNames.filter((dtype) => factsOf(dtype).isStorage !== true);

/** What sums of a dtype are kept in. */
export function accumulatorOf(dtype: DType): DType {
  if (dtype === "float64" || dtype === "uint64") return dtype;
  return factsOf(dtype).kind === "float" ? "float32" : "int64";
}

/** The dtype of a reducer's results. */
export function resultOf({ result }: Reducer, dtype: DType): DType {
  if (result === "sum") return factsOf(dtype).kind === "float" || dtype === "uint64" ? dtype : "int64";
  return result === "same" ? dtype : result;
}

/** The gradient, of the reduced shape, spread over the input's. */
export function spread(g: DeviceArray, { shape }: DeviceArray, axes: readonly number[]): DeviceArray {
  const kept = shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
  return call("expand", [reshaped(g, kept)], { shape });
}

// Of equal elements each gets an equal share, as in PyTorch's amax.
const extremeGradient: Gradient<[x: DeviceArray], Reduction> = (
  [g],
  { inputs: [x], outputs: [y], attributes: { axes } },
) => {
  const isIt = asFloat(call("eq", [x, spread(y!, x, axes)]), x);
  const count = call("sum", [isIt], { axes, keepdims: false });
  return [mul(isIt, spread(div(g!, call("reshapeTo", [count], { shape: g!.shape })), x, axes))];
};

export const reducers = {
  sum: { functor: "SumOf", dtypes: all, result: "sum", empty: 0 },
  mean: { functor: "FloatMeanOf", dtypes: floats, result: "same", empty: NaN },
  integerMean: {
    functor: "MeanOf",
    dtypes: all.filter((dtype) => factsOf(dtype).kind !== "float"),
    result: "float32",
    empty: NaN,
  },
  prod: { functor: "ProdOf", dtypes: all, result: "sum", empty: 1 },
  norm: { functor: "NormOf", dtypes: floats, result: "same", empty: 0 },
  /**
   * The largest element, over all axes or those named; NaN when there is one. {@link Tensor.argmax} says where.
   * Throws TensorError over no elements.
   * @example
   * tensor([[1, 5], [7, 2]]).max(1); // → tensor([5, 7], shape [2], float32, cpu)
   */
  max: { functor: "MaxOf", dtypes: all, result: "same", empty: null, gradient: extremeGradient },
  /**
   * The smallest element, over all axes or those named; NaN when there is one. {@link Tensor.argmin} says where.
   * Throws TensorError over no elements.
   * @example
   * tensor([[1, 5], [7, 2]]).min(); // → tensor(1, shape [], float32, cpu)
   */
  min: { functor: "MinOf", dtypes: all, result: "same", empty: null, gradient: extremeGradient },
  /**
   * Whether any element is not 0, over all axes or those named; NaN counts as not 0.
   * @example
   * tensor([[0, 1], [0, 0]]).any(1); // → tensor([true, false], shape [2], bool, cpu)
   */
  any: {
    functor: "AnyOf",
    dtypes: [...floats, "int32", "int64", "uint8", "bool"],
    result: "bool",
    empty: 0,
    gradient: null,
  },
  /**
   * Whether no element is 0, over all axes or those named.
   * @example
   * tensor([[1, 1], [0, 1]]).all(1); // → tensor([true, false], shape [2], bool, cpu)
   */
  all: {
    functor: "AllOf",
    dtypes: [...floats, "int32", "int64", "uint8", "bool"],
    result: "bool",
    empty: 1,
    gradient: null,
  },
  /**
   * The position of the largest element among the reduced ones, in row-major order; of equal ones the first, and of
   * NaN the first. Throws TensorError over no elements.
   * @example
   * tensor([[1, 5], [7, 2]]).argmax(1); // → tensor([1, 0], shape [2], int64, cpu)
   */
  argmax: { functor: "ArgMaxOf", dtypes: all, result: "int64", empty: null, gradient: null },
  /**
   * The position of the smallest element among the reduced ones, in row-major order; of equal ones the first, and of
   * NaN the first. Throws TensorError over no elements.
   * @example
   * tensor([4, 1, 3]).argmin(); // → tensor(1, shape [], int64, cpu)
   */
  argmin: { functor: "ArgMinOf", dtypes: all, result: "int64", empty: null, gradient: null },
  /**
   * The logarithm of a sum of exponentials: log Σe^x, without overflow. Throws TensorError for integers.
   * @example
   * tensor([1000, 1000]).logsumexp(); // → tensor(1000.69, shape [], float32, cpu)
   */
  logsumexp: {
    functor: "LogSumExpOf",
    dtypes: floats,
    result: "same",
    empty: -Infinity,
    gradient: ([g], { inputs: [x], outputs: [y], attributes: { axes } }): Gradients => [
      mul(spread(g!, x, axes), of("exp", sub(x, spread(y!, x, axes)))),
    ],
  },
  variance: {
    functor: "VarOf",
    dtypes: floats,
    result: "same",
    empty: NaN,
  },
  std: {
    functor: "StdOf",
    dtypes: floats,
    result: "same",
    empty: NaN,
  },
} as const satisfies Record<string, Reducer>;
export type ReducerName = keyof typeof reducers;

const states = Object.fromEntries(
  (Object.entries(reducers) as [ReducerName, Reducer][]).map(([name, { functor, dtypes }]) => [
    name,
    kernelFactsByDType("reduce", dtypes, (type) => ({
      bytes: `sizeof(${functor}<${type}>::State)`,
      beside: `kBeside<${functor}<${type}>::State, ${type}>`,
    })),
  ]),
);

/** Bytes of what a reducer of a dtype keeps, and how many columns a thread of a GPU takes beside each other. */
export const stateOf = (name: ReducerName, dtype: DType) => states[name]!(dtype);
