// Convolutions whose channels have filters of their own: kernels that need no matrix products.
import type { Execution } from "../../device/execution.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { sizeOf } from "../../memory/shape.ts";
import { onDevice } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { floats } from "../rows/row-lines.ts";
import type { ConvolutionResult, ConvolutionShape } from "./library-convolution.ts";
import { planeBlocks, windowFacts, windowWords } from "./windows.ts";

const windows = windowFacts("convolution");
const facts = kernelFacts("convolution", { threads: "kFilterThreads" });
const kernels = {
  output: new KernelFamily("convolution", floats, (type) => `depthwise<${type}>`, [
    "place",
    "place",
    "place",
    "struct",
    "out",
    "i64",
    "i32",
    "i32",
  ]),
  input: new KernelFamily("convolution", floats, (type) => `depthwise_input<${type}>`, [
    "place",
    "place",
    "struct",
    "out",
    "i64",
    "i32",
    "i32",
  ]),
  weight: new KernelFamily("convolution", floats, (type) => `depthwise_weight<${type}>`, [
    "place",
    "place",
    "struct",
    "out",
    "i64",
    "i32",
    "i32",
  ]),
} as const;

export const isDepthwise = ({ channels, groups }: ConvolutionShape) => groups > 1 && groups === channels;

/** What libraryConvolution does. */
export function depthwiseConvolution(
  on: Execution,
  result: ConvolutionResult,
  out: DeviceArray,
  [a, b]: readonly [DeviceArray, DeviceArray],
  bias: DeviceArray | null,
  shape: ConvolutionShape,
): void {
  const { images, channels, outputs } = shape;
  const words = windowWords(windows(), shape);
  const sizes = [images, channels, outputs / channels] as const;
  const taps = sizeOf(shape.kernel);
  const { dtype } = out;
  if (result === "output") {
    const positions = sizeOf(shape.count);
    const blocks = planeBlocks(on, images * outputs, positions, positions * taps);
    return kernels.output.launch(on, dtype, blocks, [a, b, bias, words, out, ...sizes]);
  }
  if (result === "input") {
    const elements = sizeOf(shape.size);
    const blocks = planeBlocks(on, images * channels, elements, elements * taps * sizes[2]);
    return kernels.input.launch(on, dtype, blocks, [a, b, words, out, ...sizes]);
  }
  const blocks = onDevice(on.device, {
    serial: () => planeBlocks(on, outputs * taps, images * sizeOf(shape.count)),
    threads: () => ({ grid: outputs * taps, block: facts().threads }),
  })();
  kernels.weight.launch(on, dtype, blocks, [a, b, words, out, ...sizes]);
}
