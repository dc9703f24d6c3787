// Windows that slide over the last axes of images [images, channels, …]: how many there are, and how kernels are told.
import type { DeviceArray } from "../../memory/array.ts";
import { TensorError } from "../../errors.ts";
import { formatShape, sizeOf, type Shape } from "../../memory/shape.ts";
import { blocksFor, onDevice, serialElements, type Blocks } from "../kernels/blocks.ts";
import { kernelFacts, offsetIn } from "../kernels/kernel-facts.ts";
import type { Execution } from "../../device/execution.ts";

/** Of each axis that windows slide along, one to three. */
export interface Sliding {
  readonly stride: readonly number[];
  /** Zeros on both sides, or for a pool elements that do not count. */
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
}

/** Windows of `kernel` elements over axes of `size`, `count` of them along each. */
export interface Windows extends Sliding {
  readonly size: Shape;
  readonly kernel: Shape;
  readonly count: Shape;
}

/** How many windows fit on an axis; below 1 where none does. */
export function windowsAlong(size: number, kernel: number, stride: number, padding: number, dilation: number): number {
  return Math.floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1;
}

/** The windows of a kernel on all axes. Throws TensorError where it does not fit. */
export function slidingOver(name: string, size: Shape, kernel: Shape, sliding: Sliding): Windows {
  const { stride, padding, dilation } = sliding;
  const count = size.map((each, axis) =>
    windowsAlong(each, kernel[axis]!, stride[axis]!, padding[axis]!, dilation[axis]!),
  );
  if (count.some((each) => each < 1)) {
    const padded = size.map((each, axis) => each + 2 * padding[axis]!);
    const reach = kernel.map((each, axis) => dilation[axis]! * (each - 1) + 1);
    throw new TensorError(
      "SHAPE",
      `${name} slides windows of ${formatShape(reach)} over axes of ${formatShape(padded)} with their padding: no window fits.`,
    );
  }
  return { ...sliding, size, kernel, count };
}

const fields = ["size", "count", "kernel", "stride", "padding", "dilation"] as const;
const numbers = ["elements", "positions", "taps"] as const;

/** What a kernel file knows of `struct Windows`. */
export const windowFacts = (file: string) =>
  kernelFacts(file, {
    bytes: "sizeof(Windows)",
    size: offsetIn("Windows", "size"),
    count: offsetIn("Windows", "count"),
    kernel: offsetIn("Windows", "kernel"),
    stride: offsetIn("Windows", "stride"),
    padding: offsetIn("Windows", "padding"),
    dilation: offsetIn("Windows", "dilation"),
    elements: offsetIn("Windows", "elements"),
    positions: offsetIn("Windows", "positions"),
    taps: offsetIn("Windows", "taps"),
  });

const axes = 3;
/** What an axis that is not there has. */
const missing = { size: 1, count: 1, kernel: 1, stride: 1, padding: 0, dilation: 1 } as const;

/** `struct Windows`. Throws TensorError for planes with more elements than kernels count. */
export function windowWords(at: ReturnType<ReturnType<typeof windowFacts>>, windows: Windows): Uint32Array {
  const sums = {
    elements: sizeOf(windows.size),
    positions: sizeOf(windows.count),
    taps: sizeOf(windows.kernel),
  };
  if (Math.max(sums.elements, sums.positions) >= 2 ** 31)
    throw new TensorError(
      "SHAPE",
      `Windows slide over fewer than 2^31 elements of an image's channel, but shape ${formatShape(windows.size)} has more.`,
    );
  const words = new Uint32Array(at.bytes / 4);
  for (const field of fields)
    for (let axis = 0; axis < axes; axis++)
      words[at[field] / 4 + axis] = windows[field][axis - axes + windows.size.length] ?? missing[field];
  for (const number of numbers) words[at[number] / 4] = sums[number];
  return words;
}

/** Blocks for `planes` of so many items each: whole planes where a block is one thread. */
export function planeBlocks({ device }: Execution, planes: number, items: number, work = items): Blocks {
  return onDevice(device, {
    serial: () => ({ grid: Math.max(1, Math.min(planes, Math.ceil((planes * work) / serialElements))), block: 1 }),
    threads: () => blocksFor(device, planes * items),
  })();
}

/** Images, channels and the axes behind them. Throws TensorError where there are fewer axes than that. */
export function imageAxes(
  name: string,
  x: DeviceArray,
  spatial: number,
): { images: number; channels: number; size: Shape } {
  const [images, channels, ...size] = x.shape;
  if (size.length !== spatial || images === undefined || channels === undefined)
    throw new TensorError(
      "SHAPE",
      `${name} takes tensors of shape [images, channels, ${["depth", "height", "width"].slice(3 - spatial).join(", ")}] but got ${formatShape(x.shape)}.${
        x.shape.length === spatial
          ? ` Of one without channels write x.reshape(${formatShape([1, 1, ...x.shape])}).`
          : ""
      }`,
    );
  return { images, channels, size };
}
