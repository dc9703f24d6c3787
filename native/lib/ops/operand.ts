// Tensors as the library's own kernels take them: any strides, as a pointer to the first element and a layout beside it.
import { Tensor } from "../tensor/tensor.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { libraryKernel } from "./library-kernels.ts";
import type { LaunchConfig } from "../cuda/plan.ts";
import type { DeviceProcess } from "../device/process.ts";
import { submitFill } from "../wire/records.ts";
import { maxRank, merged, type View } from "../memory/shape.ts";

/** `struct Layout` of device/include/warpcell/layout.cuh, for one or two operands of one shape. */
export function layoutOf(views: readonly View[]): Record<string, number | number[]> {
  const { shape, strides } = merged(views);
  const padded = (list: readonly number[] = []) => Array.from({ length: maxRank }, (_, axis) => list[axis] ?? 0);
  return { rank: shape.length, shape: padded(shape), first: padded(strides[0]), second: padded(strides[1]) };
}

/** Template arguments of a kernel: dtypes stand for their C++ names. */
export type TemplateArgument = { readonly dtype: DType } | string;

/** A library kernel and where it runs. */
export interface LibraryCall { readonly file: string; readonly name: string; readonly template: readonly TemplateArgument[]; }

/** Launches a library kernel. Tensors among the arguments stand for a pointer to their first element, whatever their strides. */
export function launchLibrary(device: DeviceProcess, { file, name, template }: LibraryCall, config: LaunchConfig | number, args: readonly unknown[]): void {
  const kernel = libraryKernel(device, file, name, ...template.map((argument) => (typeof argument === "string" ? argument : factsOf(argument.dtype).c)));
  const pointers: Tensor[] = [];
  const packed = args.map((argument) => {
    if (!(argument instanceof Tensor) || argument.isContiguous) return argument;
    const pointer = new Tensor(argument.storage!.hold(), argument.dtype, { shape: [1], strides: [1], offset: argument.offset });
    pointers.push(pointer);
    return pointer;
  });
  if (typeof config === "number") kernel.over(config, { block: 256 })(...packed);
  else kernel.launch(config, ...packed);
  for (const pointer of pointers) pointer.dispose();
}

/** Sets every element of a contiguous tensor. `value` is one that its dtype admits. */
export function fill(out: Tensor, value: number | bigint | boolean): void {
  const storage = out.storage!;
  const { bytes, encode } = factsOf(out.dtype);
  if (out.size > 0) storage.writtenBy = submitFill(storage.device, storage.place + out.offset * bytes, out.bytes, encode(value), bytes);
}
