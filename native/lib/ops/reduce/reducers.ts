// The operations of device/include/warpcell/reduction.cuh: the dtypes each is compiled for, its results' dtype, and its
// result over no elements.
import { dtypeNames, factsOf, type DType } from "../../memory/dtype.ts";
import { kernelFactsByDType } from "../kernels/kernel-facts.ts";

/** One operation. `empty`: `null` where it has no result over no elements. */
export interface Reducer {
  readonly functor: string;
  readonly dtypes: readonly DType[];
  readonly result: (dtype: DType) => DType;
  readonly empty: number | null;
}

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const all = dtypeNames.filter((dtype) => factsOf(dtype).isStorage !== true);

/** What sums of a dtype are kept in. */
export function accumulatorOf(dtype: DType): DType {
  if (dtype === "float64" || dtype === "uint64") return dtype;
  return factsOf(dtype).kind === "float" ? "float32" : "int64";
}

const same = (dtype: DType) => dtype;
const sumDType = (dtype: DType): DType => (factsOf(dtype).kind === "float" || dtype === "uint64" ? dtype : "int64");

export const reducers = {
  sum: { functor: "SumOf", dtypes: all, result: sumDType, empty: 0 },
  mean: { functor: "FloatMeanOf", dtypes: floats, result: same, empty: NaN },
  integerMean: {
    functor: "MeanOf",
    dtypes: all.filter((dtype) => factsOf(dtype).kind !== "float"),
    result: () => "float32",
    empty: NaN,
  },
  prod: { functor: "ProdOf", dtypes: all, result: sumDType, empty: 1 },
  norm: { functor: "NormOf", dtypes: floats, result: same, empty: 0 },
  max: { functor: "MaxOf", dtypes: all, result: same, empty: null },
  min: { functor: "MinOf", dtypes: all, result: same, empty: null },
  any: {
    functor: "AnyOf",
    dtypes: [...floats, "int32", "int64", "uint8", "bool"],
    result: () => "bool",
    empty: 0,
  },
  all: {
    functor: "AllOf",
    dtypes: [...floats, "int32", "int64", "uint8", "bool"],
    result: () => "bool",
    empty: 1,
  },
  argmax: { functor: "ArgMaxOf", dtypes: all, result: () => "int64", empty: null },
  argmin: { functor: "ArgMinOf", dtypes: all, result: () => "int64", empty: null },
  logsumexp: {
    functor: "LogSumExpOf",
    dtypes: floats,
    result: same,
    empty: -Infinity,
  },
  variance: {
    functor: "VarOf",
    dtypes: floats,
    result: same,
    empty: NaN,
  },
  std: {
    functor: "StdOf",
    dtypes: floats,
    result: same,
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
