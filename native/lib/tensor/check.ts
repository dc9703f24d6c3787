// What a function wants of a tensor, into one sentence when it gets another: device, axes, shape, dtype, row-major
// order.
import { isDeviceName } from "../device/choice.ts";
import { TensorCheckError, TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import { worded } from "../wording.ts";
import { Tensor } from "./tensor.ts";

/**
 * `shape`: sizes, `null` for any. `dtype`: one or several that will do. `device`: "cuda" admits every GPU. `name`: what
 * messages call the tensor, "input" when left out.
 */
export interface TensorRequirements<D extends DType = DType> {
  readonly device?: string;
  readonly ndim?: number;
  readonly shape?: readonly (number | null)[];
  readonly dtype?: D | readonly D[];
  readonly contiguous?: boolean;
  readonly name?: string;
}

type Check = (tensor: Tensor, wanted: TensorRequirements) => string | null;

const checks: Record<Exclude<keyof TensorRequirements, "name">, Check> = {
  device({ device }, { device: wanted }) {
    if (!isDeviceName(wanted))
      throw new TensorError(
        "OPTIONS",
        `checkTensor knows the devices "cpu", "cuda" and "cuda:N", not ${worded(wanted)}.`,
      );
    const isSame =
      device === wanted ||
      (wanted === "cuda" && device.startsWith("cuda:")) ||
      (wanted === "cpu:0" && device === "cpu");
    return isSame ? null : `must be on ${wanted}, but is on ${device}. Copy it with .to("${wanted}")`;
  },
  ndim: ({ shape }, { ndim }) =>
    shape.length === ndim ? null : `must be ${ndim}D, but has shape ${formatShape(shape)}`,
  shape({ shape }, { shape: wanted }) {
    const fits =
      wanted!.length === shape.length && shape.every((size, axis) => wanted![axis] === null || wanted![axis] === size);
    return fits
      ? null
      : `must have shape [${wanted!.map((size) => size ?? "any").join(", ")}], but has shape ${formatShape(shape)}`;
  },
  dtype({ dtype }, { dtype: wanted }) {
    const list = (Array.isArray(wanted) ? wanted : [wanted]) as readonly DType[];
    return list.includes(dtype)
      ? null
      : `must be ${list.join(" or ")}, but is ${dtype}. Convert it with .to("${list[0]}")`;
  },
  contiguous: ({ isContiguous, strides }, { contiguous }) =>
    contiguous !== true || isContiguous
      ? null
      : `must be contiguous, but has strides ${formatShape(strides)}. Pass .contiguous(), a copy`,
};

/**
 * Returns the tensor when it is what is wanted. Throws TensorCheckError with the first thing that is not: "input must
 * be 2D, but has shape [4].".
 * @example
 * checkTensor(zeros([2, 3]), { ndim: 2, dtype: "float32", shape: [null, 3] }).shape; // → [ 2, 3 ]
 */
export function checkTensor<D extends DType = DType>(tensor: unknown, wanted: TensorRequirements<D> = {}): Tensor<D> {
  const { name = "input", ...rest } = wanted;
  if (!(tensor instanceof Tensor))
    throw new TensorCheckError("TENSOR", `${name} must be a tensor, but is ${worded(tensor)}.`);
  if (tensor.isDisposed)
    throw new TensorCheckError("DISPOSED", `${name} must be a live tensor, but has been disposed of.`);
  for (const key of Object.keys(rest))
    if (!Object.hasOwn(checks, key))
      throw new TensorError(
        "OPTIONS",
        `checkTensor has no check ${worded(key)}. It has ${Object.keys(checks).join(", ")} and name.`,
      );
  for (const [key, check] of Object.entries(checks)) {
    const wrong = rest[key as keyof typeof rest] === undefined ? null : check(tensor, wanted);
    if (wrong !== null) throw new TensorCheckError(key.toUpperCase(), `${name} ${wrong}.`);
  }
  return tensor as Tensor<D>;
}
