// The numbers that charts are given: tensors on any device, arrays, typed arrays and whatever one can go through.
import { TensorError } from "../errors.ts";
import { DeviceArray } from "../memory/array.ts";
import { factsOf } from "../memory/dtype.ts";
import { formatShape } from "../memory/shape.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";

type Scalar = number | bigint | boolean;

/** Numbers for a chart: a tensor of any real dtype on any device, an array, a typed array, or anything iterable. */
export type PlotValues = Tensor | Iterable<Scalar>;

export const isTensor = (value: unknown): value is Tensor => value instanceof DeviceArray;

export function isValues(value: unknown): value is PlotValues {
  return isTensor(value) || (typeof value === "object" && value !== null && Symbol.iterator in value);
}

/** A scalar of JavaScript's or a tensor of one element, as a number; `undefined` for anything else. */
export function scalarOf(value: unknown): number | undefined {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return Number(value);
  return isTensor(value) && value.size === 1 && factsOf(value.dtype).kind !== "complex"
    ? Number(value.item())
    : undefined;
}

/** Throws TensorError for a tensor that has been disposed of, or whose elements have no place on an axis. */
export function checkReal(name: string, tensor: Tensor): void {
  tensor.checkLiving(name);
  if (factsOf(tensor.dtype).kind === "complex")
    throw new TensorError(
      "DTYPE",
      `${name} draws real numbers but got ${tensor.dtype}. Draw x.abs(), x.real or x.imag.`,
    );
}

/** All elements as float64, in row-major order, read from wherever they are. Throws TensorError. */
export function numbersOf(name: string, what: string, values: PlotValues): Float64Array {
  if (isTensor(values)) {
    checkReal(name, values);
    using plain = values.detach();
    using flat = plain.reshape([-1]);
    using numbers = flat.to("float64");
    // A copy: what `data` gives may be the tensor's own memory.
    return Float64Array.from(numbers.data() as Float64Array);
  }
  if (values instanceof Float64Array) return values.slice();
  if (ArrayBuffer.isView(values) && !(values instanceof DataView))
    return Float64Array.from(values as unknown as ArrayLike<number>, Number);
  const found: number[] = [];
  for (const value of values as Iterable<unknown>) {
    const number = scalarOf(value);
    if (number === undefined)
      throw new TensorError(
        "ARGUMENTS",
        `${name} takes numbers as ${what} but got ${worded(value)} at place ${found.length}.${isValues(value) ? ` Several of them have names: ${name}({ a: …, b: … }).` : ""}`,
      );
    found.push(number);
  }
  return Float64Array.from(found);
}

/** The shape of a tensor, the length of anything else that has one, as messages say it. */
export function sizeText(values: PlotValues | Float64Array): string {
  return isTensor(values) ? formatShape(values.shape) : worded(values);
}
