// Complex numbers and their parts: the same memory as an axis of two numbers, and back, and two arrays side by side.
import { DeviceArray, halfOf } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { broadcast, formatShape } from "../../memory/shape.ts";
import { promoted } from "../../memory/promotion.ts";
import { TensorError } from "../../errors.ts";
import { call } from "../core/calls.ts";
import type { Computation, Cost, None, Operand, Viewing } from "../core/operation.ts";
import { bytesMoved, unbroadcast } from "../elementwise/elementwise.ts";
import { copy } from "../shape/copy.ts";

export const isComplex = (operand: Operand): operand is DeviceArray =>
  operand instanceof DeviceArray && factsOf(operand.dtype).kind === "complex";

/** The dtype whose parts those are. Throws TensorError for numbers that are none. */
export function complexDType(name: string, parts: DType): DType {
  if (parts === "float32") return "complex64";
  if (parts === "float64") return "complex128";
  throw new TensorError(
    "DTYPE",
    `${name} takes float32 or float64 but got ${parts}: convert it, e.g. with .to("float32").`,
  );
}

const free = (): Cost => ({ bytes: 0, flops: 0 });

/** [B…] complex numbers as [B…, 2] numbers. */
const viewAsReal: Viewing<[x: DeviceArray], None> = {
  view({ dtype, shape, strides, offset }) {
    if (factsOf(dtype).kind !== "complex")
      throw new TensorError("DTYPE", `viewAsReal takes complex numbers but got ${dtype}.`);
    return { shape: [...shape, 2], strides: [...strides.map((stride) => 2 * stride), 1], offset: 2 * offset };
  },
  dtype: ({ dtype }) => factsOf(dtype).parts!,
  gradient: ([g]) => [joined(g!)],
  cost: free,
};

/** Whether pairs lie as complex numbers do. */
const isPaired = ({ size, strides, offset, shape }: DeviceArray) =>
  offset % 2 === 0 &&
  (size === 0 ||
    (strides.at(-1) === 1 && strides.slice(0, -1).every((stride, axis) => stride % 2 === 0 || shape[axis] === 1)));

/** [B…, 2] numbers that lie in pairs as [B…] complex numbers. */
const viewAsComplex: Viewing<[x: DeviceArray], None> = {
  view(x) {
    const { shape, strides, offset } = x;
    complexDType("viewAsComplex", x.dtype);
    if (shape.at(-1) !== 2 || !isPaired(x))
      throw new TensorError(
        "SHAPE",
        `viewAsComplex takes tensors of shape […, 2] whose pairs lie side by side but got ${formatShape(shape)} with strides ${formatShape(strides)}: make it contiguous().`,
      );
    return {
      shape: shape.slice(0, -1),
      strides: strides.slice(0, -1).map((stride) => Math.floor(stride / 2)),
      offset: offset / 2,
    };
  },
  dtype: ({ dtype }) => complexDType("viewAsComplex", dtype),
  gradient: ([g]) => [call("viewAsReal", [g!])],
  cost: free,
};

/** re + i · im; both broadcast. */
const complex: Computation<[re: DeviceArray, im: DeviceArray], None> = {
  inPlace: false,
  infer: ([re, im]) => [
    {
      shape: broadcast(re.shape, im.shape),
      dtype: complexDType("complex", promoted(re.dtype, im.dtype)),
    },
  ],
  run([out], parts, _, on) {
    parts.forEach((part, which) => {
      using half = halfOf(out!, which as 0 | 1);
      copy(on, half, part);
    });
  },
  gradient: ([g], { inputs }) =>
    inputs.map((input, which) => unbroadcast(which === 0 ? realOf(g!) : imaginaryOf(g!), input)),
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 0 }),
};

export const complexRows = { viewAsReal, viewAsComplex, complex };

/** Pairs as complex numbers, side by side in memory or not. */
export const joined = (pairs: DeviceArray): DeviceArray =>
  call("viewAsComplex", [isPaired(pairs) ? pairs : call("clone", [pairs])]);

const part = (x: DeviceArray, which: number): DeviceArray =>
  call("slice", [call("viewAsReal", [x])], { slices: [...x.shape.map(() => null), which] });
/** Views of the parts. */
export const realOf = (x: DeviceArray): DeviceArray => part(x, 0);
export const imaginaryOf = (x: DeviceArray): DeviceArray => part(x, 1);
/** With imaginary parts of the other sign. */
export const conjugate = (x: DeviceArray): DeviceArray => call("complex", [realOf(x), call("neg", [imaginaryOf(x)])]);
