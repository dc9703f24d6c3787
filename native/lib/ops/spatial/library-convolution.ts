// Convolutions by a device's library: the terms of the call "convolution", and its plan run.
import type { Execution } from "../../device/execution.ts";
import { LibraryPlan } from "../../device/library-plan.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { takes } from "../core/dispatch.ts";
import { float32Precision } from "../linear/precision.ts";
import type { Windows } from "./windows.ts";

/** Which of y = x ∗ w and its gradients is computed, of the other two. */
export type ConvolutionResult = "output" | "input" | "weight";

/** Windows of images and filters. */
export interface ConvolutionShape extends Windows {
  readonly images: number;
  readonly channels: number;
  readonly outputs: number;
  readonly groups: number;
}

/** Bytes that tensors begin at a multiple of, where they are no parts of others: what wide loads need. */
const usualAlignment = 16;
const sizes = (list: readonly number[]) => list.join("x");

const sample =
  "convolution result=output images=1 channels=8 outputs=8 groups=8 type=float32 size=8x8 kernel=3x3 stride=1x1 padding=1x1 dilation=1x1 channelsLast=1";
/** Whether a library of the device takes images with their channels last, each with a filter of its own. */
export const hasDepthwiseLibrary = ({ device }: Execution): boolean => LibraryPlan.find(device, sample) !== null;

/**
 * Fills `out`, y, x or w, from the other two as host/convolution_terms.h has them, all of one dtype and without gaps,
 * row after row or their channels last, by a library of the device; whether one did that. `bias`: for y.
 */
export function libraryConvolution(
  on: Execution,
  result: ConvolutionResult,
  out: DeviceArray,
  operands: readonly [DeviceArray, DeviceArray],
  bias: DeviceArray | null,
  isChannelsLast: boolean,
  { images, channels, outputs, groups, size, kernel, stride, padding, dilation }: ConvolutionShape,
): boolean {
  const places = [out, ...operands, ...(bias === null ? [] : [bias])].map(({ place }) => place);
  const text =
    `convolution result=${result} images=${images} channels=${channels} outputs=${outputs} groups=${groups} type=${out.dtype}` +
    ` size=${sizes(size)} kernel=${sizes(kernel)} stride=${sizes(stride)} padding=${sizes(padding)} dilation=${sizes(dilation)}` +
    (bias === null ? "" : " bias=1") +
    (isChannelsLast ? " channelsLast=1" : "") +
    (out.dtype === "float32" && float32Precision() === "tf32" ? " tf32=1" : "") +
    (places.every((place) => place % usualAlignment === 0) ? "" : " unaligned=1");
  const plan = LibraryPlan.find(on.device, text, { places, scalars: [] });
  if (plan === null) return false;
  takes(on, "convolution", "library", plan.chosen);
  const storage = out.living();
  const sequence = plan.run(on, places, []);
  if (sequence > 0) storage.written(sequence, out.bytes);
  return true;
}
