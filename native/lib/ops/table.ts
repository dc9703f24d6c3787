// The table of operations: for each its rule for shape and dtype, and the kernels of native/device/ops that compute it.
import { factsOf, type DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { matmulInto, matmulShape } from "./matrix-product.ts";
import { fill, launchLibrary, layoutOf } from "./operand.ts";
import type { DeviceProcess } from "../device/process.ts";
import { accumulatorOf, reduce } from "./reduction.ts";
import { broadcast, formatShape, sizeOf, stretch, type Shape } from "../memory/shape.ts";
import { Tensor } from "../tensor/tensor.ts";

export interface Facts { readonly shape: Shape; readonly dtype: DType; }
export interface Reduction { readonly axes: readonly number[]; readonly keepdims: boolean; }
type None = Record<never, never>;

/** What each operation is told beside its operands. */
export interface Attributes {
  add: None; sub: None; mul: None; div: None; matmul: None;
  convert: { readonly dtype: DType };
  sum: Reduction; mean: Reduction; max: Reduction; min: Reduction;
}
export type OperationName = keyof Attributes;

export interface Operation<A> {
  /** Shape and dtype of the result. Throws TensorError for operands that do not go together. */
  infer(inputs: readonly Facts[], attributes: A): Facts;
  /** Fills `out`, which has elements, from operands of one dtype on one device. */
  run(device: DeviceProcess, out: Tensor, inputs: readonly Tensor[], attributes: A): void;
}

function refuseBool(name: string, dtype: DType): void {
  if (dtype === "bool") throw new TensorError("DTYPE", `Expected numbers for ${name} but got bool: convert it, e.g. with .to("int32").`);
}

function arithmetic(name: string, op: string, resultOf: (dtype: DType) => DType): Operation<None> {
  return {
    infer([a, b]) {
      refuseBool(name, a!.dtype);
      return { shape: broadcast(a!.shape, b!.shape), dtype: resultOf(a!.dtype) };
    },
    run(device, out, [a, b]) {
      elementwise(device, op, out, a!, b!);
    },
  };
}

function elementwise(device: DeviceProcess, op: string, out: Tensor, a: Tensor, b: Tensor): void {
  const layout = layoutOf([stretch(a, out.shape), stretch(b, out.shape)]);
  const template = [op, { dtype: a.dtype }, { dtype: out.dtype }];
  launchLibrary(device, { file: "elementwise", name: "binary", template }, out.size, [layout, a, b, out, out.size]);
}

/** Copies `input` into the contiguous `out` of the same shape, converting. */
function convertInto(device: DeviceProcess, out: Tensor, input: Tensor): void {
  const template = [{ dtype: input.dtype }, { dtype: out.dtype }];
  launchLibrary(device, { file: "elementwise", name: "cast", template }, out.size, [layoutOf([input]), input, out, out.size]);
}

function reducedShape({ shape }: Facts, { axes, keepdims }: Reduction): number[] {
  return keepdims ? shape.map((size, axis) => (axes.includes(axis) ? 1 : size)) : shape.filter((_, axis) => !axes.includes(axis));
}

/** The reduction in its accumulator's dtype, shaped as the result. Over no elements, sums are 0. */
function accumulated(device: DeviceProcess, op: "SumOf" | "MaxOf" | "MinOf", input: Tensor, axes: readonly number[], shape: Shape, dtype = accumulatorOf(input.dtype)): Tensor {
  if (input.size > 0) {
    using flat = reduce(device, op, input, axes, dtype);
    return flat.reshape(shape);
  }
  const zeros = Tensor.empty(device, dtype, shape);
  fill(zeros, 0);
  return zeros;
}

function extreme(name: string, op: "MaxOf" | "MinOf"): Operation<Reduction> {
  return {
    infer([input], attributes) {
      const empty = sizeOf(attributes.axes.map((axis) => input!.shape[axis]!)) === 0;
      if (empty) throw new TensorError("SHAPE", `Expected at least one element to take the ${name} over but got shape ${formatShape(input!.shape)}.`);
      return { shape: reducedShape(input!, attributes), dtype: input!.dtype };
    },
    run(device, out, [input], { axes }) {
      using result = accumulated(device, op, input!, axes, out.shape);
      convertInto(device, out, result);
    },
  };
}

const isFloat = (dtype: DType) => factsOf(dtype).kind === "float";
const floatOf = (dtype: DType): DType => (isFloat(dtype) ? dtype : "float32");

export const operations: { [N in OperationName]: Operation<Attributes[N]> } = {
  add: arithmetic("add", "Add", (dtype) => dtype),
  sub: arithmetic("sub", "Sub", (dtype) => dtype),
  mul: arithmetic("mul", "Mul", (dtype) => dtype),
  div: arithmetic("div", "Div", floatOf),

  convert: {
    infer: ([input], { dtype }) => ({ shape: input!.shape, dtype }),
    run: (device, out, [input]) => convertInto(device, out, input!),
  },

  matmul: {
    infer([a, b]) {
      refuseBool("matmul", a!.dtype);
      return { shape: matmulShape(a!.shape, b!.shape), dtype: a!.dtype };
    },
    run: (device, out, [a, b]) => matmulInto(device, out, a!, b!),
  },

  sum: {
    infer: ([input], attributes) => ({ shape: reducedShape(input!, attributes), dtype: isFloat(input!.dtype) ? input!.dtype : "int64" }),
    run(device, out, [input], { axes }) {
      using result = accumulated(device, "SumOf", input!, axes, out.shape);
      convertInto(device, out, result);
    },
  },

  mean: {
    infer: ([input], attributes) => ({ shape: reducedShape(input!, attributes), dtype: floatOf(input!.dtype) }),
    run(device, out, [input], { axes }) {
      // A sum of int64 may not fit int64 where the mean does.
      using total = accumulated(device, "SumOf", input!, axes, out.shape, input!.dtype === "int64" ? "float64" : undefined);
      using count = Tensor.empty(device, total.dtype, []);
      fill(count, sizeOf(axes.map((axis) => input!.shape[axis]!)));
      elementwise(device, "Div", out, total, count);
    },
  },

  max: extreme("maximum", "MaxOf"),
  min: extreme("minimum", "MinOf"),
};
