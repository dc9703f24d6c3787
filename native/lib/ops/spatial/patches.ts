// The elements of windows as columns (im2col) and back: as rows of the table, and convolutions as matrix products with
// them, where no library convolves.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { sizeOf, stridesOf, transposed, type Shape } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import type { Computation } from "../core/operation.ts";
import { arithmeticRows } from "../elementwise/arithmetic.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { KernelFamily } from "../kernels/library.ts";
import { matmulInto } from "../linear/matrix-product.ts";
import { reduceInto } from "../reduce/reduce.ts";
import { floatDType, floats } from "../rows/row-lines.ts";
import { copy, fill, withFlat } from "../shape/copy.ts";
import type { ConvolutionResult, ConvolutionShape } from "./library-convolution.ts";
import {
  imageAxes,
  planeBlocks,
  slidingOver,
  windowFacts,
  windowWords,
  type Sliding,
  type Windows,
} from "./windows.ts";

const facts = windowFacts("convolution");
const kinds = ["place", "struct", "out", "i64"] as const;
const gathers = new KernelFamily("convolution", floats, (type) => `patches<${type}>`, kinds);
const scatters = new KernelFamily("convolution", floats, (type) => `from_patches<${type}>`, kinds);

/** columns[plane][tap][window] of x[plane]. */
function gatherPatches(on: Execution, columns: DeviceArray, x: DeviceArray, windows: Windows): void {
  const planes = x.size / sizeOf(windows.size);
  const blocks = planeBlocks(on, planes, sizeOf(windows.count), columns.size / planes);
  gathers.launch(on, x.dtype, blocks, [x, windowWords(facts(), windows), columns, planes]);
}
/** x[plane] = the sums of columns[plane][tap][window] where they are of. */
function scatterPatches(on: Execution, x: DeviceArray, columns: DeviceArray, windows: Windows): void {
  const planes = x.size / sizeOf(windows.size);
  const blocks = planeBlocks(on, planes, sizeOf(windows.size), columns.size / planes);
  scatters.launch(on, x.dtype, blocks, [columns, windowWords(facts(), windows), x, planes]);
}

export interface PatchAttributes extends Sliding {
  readonly kernel: Shape;
}

/** [images, channels, …] → [images, channels · taps, windows]. */
const patches: Computation<[x: DeviceArray], PatchAttributes> = {
  inPlace: false,
  infer([x], attributes) {
    const { kernel } = attributes;
    const { images, channels, size } = imageAxes("im2col", x, kernel.length);
    const { count } = slidingOver("im2col", size, kernel, attributes);
    return [{ shape: [images, channels * sizeOf(kernel), sizeOf(count)], dtype: floatDType("im2col", x) }];
  },
  run([out], [x], attributes, on) {
    const windows = slidingOver("im2col", x.shape.slice(2), attributes.kernel, attributes);
    withFlat(on, x, out!.dtype, (input) => gatherPatches(on, out!, input, windows));
  },
  gradient: ([g], { inputs: [x], attributes }): [DeviceArray] => [
    call("fromPatches", [g!], { ...attributes, size: x.shape.slice(2) }),
  ],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 0 }),
};

/** The other way round: elements of several windows are added up. */
const fromPatches: Computation<[columns: DeviceArray], PatchAttributes & { readonly size: Shape }> = {
  inPlace: false,
  infer: ([columns], { kernel, size }) => [
    {
      shape: [columns.shape[0]!, columns.shape[1]! / sizeOf(kernel), ...size],
      dtype: floatDType("col2im", columns),
    },
  ],
  run([out], [columns], attributes, on) {
    const windows = slidingOver("col2im", attributes.size, attributes.kernel, attributes);
    withFlat(on, columns, out!.dtype, (input) => scatterPatches(on, out!, input, windows));
  },
  gradient: ([g], { attributes: { kernel, stride, padding, dilation } }): [DeviceArray] => [
    call("patches", [g!], { kernel, stride, padding, dilation }),
  ],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: inputs[0].size }),
};

export const patchRows = { patches, fromPatches } as const;

/** Elements of columns that are made at a time. */
const mostColumns = 2 ** 24;

/** A part of a contiguous array under a shape. */
function part(array: DeviceArray, first: number, shape: Shape): DeviceArray {
  return viewOf(array, { shape, strides: stridesOf(shape), offset: array.offset + first });
}

/** A matrix, or several, with rows and columns swapped. */
function turned(array: DeviceArray): DeviceArray {
  const rank = array.shape.length;
  return viewOf(array, transposed(array, [...Array(rank - 2).keys(), rank - 1, rank - 2]));
}

/** What libraryConvolution does, by matrix products with columns, some images at a time. */
export function convolutionByPatches(
  on: Execution,
  result: ConvolutionResult,
  out: DeviceArray,
  operands: readonly [DeviceArray, DeviceArray],
  shape: ConvolutionShape,
): void {
  const wide = out.dtype === "float16" || out.dtype === "bfloat16" ? "float32" : out.dtype;
  // Sums over windows, images or parts of them are not rounded to 16 bits between.
  if (result !== "output" && out.dtype !== wide) {
    using exact = DeviceArray.allocate(on.device, wide, out.shape);
    withFlat(on, operands[0], wide, (a) =>
      withFlat(on, operands[1], wide, (b) => convolutionByPatches(on, result, exact, [a, b], shape)),
    );
    return copy(on, out, exact);
  }
  const { images, channels, outputs, groups } = shape;
  const [taps, windows] = [sizeOf(shape.kernel), sizeOf(shape.count)];
  const [y, x, w] = placed(result, out, operands);
  const depth = (channels / groups) * taps;
  // A product has one stride for all its matrices, and groups need it.
  const each = groups > 1 ? 1 : Math.max(1, Math.min(images, Math.floor(mostColumns / (depth * windows))));
  const matrices = (rows: number, columns: number, count: number): Shape =>
    groups > 1 ? [groups, rows / groups, columns] : [count, rows, columns];
  using filters = part(w, 0, groups > 1 ? [groups, outputs / groups, depth] : [outputs, depth]);
  if (result === "weight") fill(on, out, 0);
  for (let image = 0; image < images; image += each) {
    const count = Math.min(each, images - image);
    using columns = DeviceArray.allocate(on.device, out.dtype, matrices(depth * groups, windows, count));
    using above = part(y, image * outputs * windows, matrices(outputs, windows, count));
    using planes = part(x, image * channels * sizeOf(shape.size), [count * channels, ...shape.size]);
    if (result === "input") {
      using filtersTurned = turned(filters);
      matmulInto(on, columns, filtersTurned, above);
      scatterPatches(on, planes, columns, shape);
      continue;
    }
    gatherPatches(on, columns, planes, shape);
    if (result === "output") {
      matmulInto(on, above, filters, columns);
      continue;
    }
    using columnsTurned = turned(columns);
    using product = DeviceArray.allocate(on.device, out.dtype, [...above.shape.slice(0, -1), depth]);
    matmulInto(on, product, above, columnsTurned);
    using sum = groups > 1 ? viewOf(product, product) : DeviceArray.allocate(on.device, out.dtype, filters.shape);
    if (groups === 1) reduceInto(on, "sum", sum, product, [0]);
    arithmeticRows.add.run([filters], [filters, sum], {}, on);
  }
}

/** y, x and w, of which one is the result. */
function placed(
  result: ConvolutionResult,
  out: DeviceArray,
  [a, b]: readonly [DeviceArray, DeviceArray],
): readonly [y: DeviceArray, x: DeviceArray, w: DeviceArray] {
  if (result === "output") return [out, a, b];
  return result === "input" ? [a, out, b] : [a, b, out];
}
