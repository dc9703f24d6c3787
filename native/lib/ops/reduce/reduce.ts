// Reductions along axes: the array as [outer, length, inner] through one of three kernels, chosen by that shape and its
// strides, in parts where one block would be too few.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { reshapedStrides, sizeOf, stridesOf, transposed, type Shape } from "../../memory/shape.ts";
import { functionRows } from "../elementwise/functions.ts";
import { contiguous, copy, fill, withDType } from "../shape/copy.ts";
import { onDevice } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import { arranged, isRows, type Reduced } from "./reduced.ts";
import { plansFor, type Elements } from "./reduce-plans.ts";
import { reducers, resultOf, stateOf, type Reducer, type ReducerName, type Reduction } from "./reducers.ts";

const kernels = Object.fromEntries(
  (Object.entries(reducers) as [ReducerName, Reducer][]).map(([name, reducer]) => {
    const { functor, dtypes } = reducer;
    const c = (dtype: DType) => factsOf(resultOf(reducer, dtype)).c;
    return [
      name,
      {
        rows: new KernelFamily("reduce", dtypes, (type, dtype) => `rows<${functor}<${type}>, ${type}, ${c(dtype)}>`, [
          "place",
          "out",
          "out",
          "i64",
          "i64",
          "i64",
          "i64",
          "i64",
          "i64",
          "f64",
        ]),
        short: new KernelFamily(
          "reduce",
          dtypes,
          (type, dtype) => `short_rows<${functor}<${type}>, ${type}, ${c(dtype)}>`,
          ["place", "out", "i64", "i64", "i64", "f64"],
        ),
        columns: new KernelFamily(
          "reduce",
          dtypes,
          (type, dtype) => `columns<${functor}<${type}>, ${type}, ${c(dtype)}>`,
          ["place", "out", "out", "i64", "i64", "i64", "i64", "i64", "i32", "i64", "i64", "f64"],
        ),
        join: new KernelFamily("reduce", dtypes, (type, dtype) => `join<${functor}<${type}>, ${c(dtype)}>`, [
          "place",
          "out",
          "i64",
          "i64",
          "i64",
          "i32",
          "f64",
        ]),
      },
    ];
  }),
) as Record<ReducerName, { rows: KernelFamily; short: KernelFamily; columns: KernelFamily; join: KernelFamily }>;

/**
 * Fills the contiguous `out` with `input` reduced over `axes` (sorted). `parameter` is what the reducer's finish takes.
 */
export function reduceInto(
  on: Execution,
  name: ReducerName,
  out: DeviceArray,
  input: DeviceArray,
  axes: readonly number[],
  parameter = 0,
): void {
  const reducer: Reducer = reducers[name];
  const { dtypes, empty } = reducer;

  if (out.size === 0) return;
  const length = sizeOf(axes.map((axis) => input.shape[axis]!));
  if (length === 0) return fill(on, out, empty!);
  if (length === 1 && ofOne(on, name, out, input, parameter)) return;
  const dtype = dtypes.includes(input.dtype)
    ? input.dtype
    : factsOf(input.dtype).kind === "float"
      ? "float32"
      : "int64";
  withDType(on, input, dtype, (operand) => {
    const made = resultOf(reducer, dtype);
    if (out.dtype !== made || !out.isContiguous) {
      using exact = DeviceArray.allocate(on.device, made, out.shape);
      reduceInto(on, name, exact, operand, axes, parameter);
      return copy(on, out, exact);
    }
    if (reduceOnce(on, name, out, operand, axes, parameter)) return;
    const reduced = arranged(on.device, operand, axes);
    if (reduced !== null) return launch(on, name, dtype, out, operand, reduced, parameter);
    const order = [...operand.shape.keys()].filter((axis) => !axes.includes(axis));
    using moved = viewOf(operand, transposed(operand, [...order, ...axes]));
    using gathered = contiguous(on, moved);
    const last = axes.map((_, at) => order.length + at);
    launch(on, name, dtype, out, gathered, arranged(on.device, gathered, last)!, parameter);
  });
}

/** Elements from which on fewer of them are worth a launch more. */
const worthOnce = 2 ** 22;

/** Where many results are the same, because an axis that is kept has one element for all: reduces once, and spreads it. */
function reduceOnce(
  on: Execution,
  name: ReducerName,
  out: DeviceArray,
  input: DeviceArray,
  axes: readonly number[],
  parameter: number,
): boolean {
  const kept = [...input.shape.keys()].filter((axis) => !axes.includes(axis));
  const isOne = (axis: number) => input.strides[axis] === 0 && input.shape[axis]! > 1 && !axes.includes(axis);
  if (input.size < worthOnce || !kept.some(isOne)) return false;
  const { strides, offset } = input;
  using once = viewOf(input, { shape: input.shape.map((size, axis) => (isOne(axis) ? 1 : size)), strides, offset });
  using found = DeviceArray.allocate(
    on.device,
    out.dtype,
    kept.map((axis) => once.shape[axis]!),
  );
  reduceInto(on, name, found, once, axes, parameter);
  const shape = kept.map((axis) => input.shape[axis]!);
  using whole = viewOf(out, { shape, strides: stridesOf(shape), offset: out.offset });
  copy(on, whole, found);
  return true;
}

/** Fills `out` with what a reducer gives of one element; whether that is less than reducing it. */
type OfOne = (on: Execution, out: DeviceArray, element: DeviceArray, parameter: number) => boolean;
const itself: OfOne = (on, out, element) => {
  copy(on, out, element);
  return true;
};
const filled =
  (value: number): OfOne =>
  (on, out) => {
    fill(on, out, value);
    return true;
  };
/** One element has no spread: its square is divided by 0. */
const spread: OfOne = (on, out, element, correction) => correction === 1 && filled(NaN)(on, out, element, correction);
const ofOneElement: Partial<Record<ReducerName, OfOne>> = {
  sum: itself,
  prod: itself,
  max: itself,
  min: itself,
  any: itself,
  all: itself,
  mean: (on, out, element, divisor) => divisor === 1 && itself(on, out, element, divisor),
  norm(on, out, element) {
    functionRows.abs.run([out], [element], {}, on);
    return true;
  },
  variance: spread,
  std: spread,
  argmax: filled(0),
  argmin: filled(0),
};

function ofOne(on: Execution, name: ReducerName, out: DeviceArray, input: DeviceArray, parameter: number): boolean {
  const fillOut = ofOneElement[name];
  if (fillOut === undefined) return false;
  // Only axes of size 1 come or go.
  const strides = reshapedStrides(input, out.shape)!;
  using element = viewOf(input, { shape: out.shape, strides, offset: input.offset });
  return fillOut(on, out, element, parameter);
}

function launch(
  on: Execution,
  name: ReducerName,
  dtype: DType,
  out: DeviceArray,
  source: DeviceArray,
  reduced: Reduced,
  parameter: number,
): void {
  const { device } = on;
  const { outer, length, inner, outerStep, step } = reduced;
  const state = stateOf(name, dtype);
  const { rows, short, columns, join } = kernels[name];
  const plans = onDevice(device, plansFor);
  const elements: Elements = { bytes: factsOf(dtype).bytes, beside: state.beside, place: source.placeLow };
  const slabs = plans.short(device, reduced, elements);
  if (slabs !== null) {
    short.launch(on, dtype, slabs, [source, out, outer, length, inner, parameter]);
    return;
  }
  const { parts, chunk, width, ...blocks } = plans[isRows(reduced) ? "rows" : "columns"](device, reduced, elements);
  using states = parts === 1 ? null : DeviceArray.allocate(device, "uint8", [outer * inner * parts * state.bytes]);
  if (isRows(reduced))
    rows.launch(on, dtype, blocks, [source, out, states, outer, length, outerStep, step, parts, chunk, parameter]);
  else {
    const sizes = [outer, length, inner, outerStep, step, width, parts, chunk];
    columns.launch(on, dtype, blocks, [source, out, states, ...sizes, parameter]);
  }
  if (states === null) return;
  const { byBlock, ...joining } = plans.join(outer * inner, parts);
  join.launch(on, dtype, joining, [states, out, outer, parts, inner, Number(byBlock), parameter]);
}

export function reducedShape(shape: Shape, { axes, keepdims }: Reduction): number[] {
  return keepdims
    ? shape.map((size, axis) => (axes.includes(axis) ? 1 : size))
    : shape.filter((_, axis) => !axes.includes(axis));
}
