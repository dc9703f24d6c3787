// Convolutions and correlations of lists, as matrix products of their overlapping parts.
import { TensorError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { promoted } from "../memory/promotion.ts";
import { formatShape } from "../memory/shape.ts";
import { define, install, oneOf, tensor, type FunctionOf } from "./arguments.ts";
import { Tensor } from "./tensor.ts";

/**
 * "full": all that overlaps; "same": the middle of it, as long as the longer list; "valid": where one covers the other.
 */
export type ConvolutionMode = "full" | "same" | "valid";

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * Σₖ a[k] · b[i − k] of two lists, see {@link ConvolutionMode}; "full" when left out.
     * @example
     * tensor([1, 2, 3]).convolve(tensor([1, 1])); // → tensor([1, 3, 5, 3], shape [4], float32, cpu)
     */
    convolve(other: Tensor, mode?: ConvolutionMode | { readonly mode?: ConvolutionMode }): Tensor;
    /**
     * Σₖ a[i + k] · b[k] of two lists, see {@link ConvolutionMode}; "valid" when left out.
     * @example
     * tensor([1, 2, 3]).correlate(tensor([1, 1])); // → tensor([3, 5], shape [2], float32, cpu)
     */
    correlate(other: Tensor, mode?: ConvolutionMode | { readonly mode?: ConvolutionMode }): Tensor;
  }
}

const modes = oneOf("full", "same", "valid");
/** Results that are worked out together: a matrix product takes their parts of the one list, which overlap. */
const block = 256;

/** Where the results of a mode begin among all, and how many there are. */
function extent(longer: number, shorter: number, mode: ConvolutionMode): readonly [start: number, length: number] {
  if (mode === "full") return [0, longer + shorter - 1];
  return mode === "same" ? [Math.floor((shorter - 1) / 2), longer] : [shorter - 1, longer - shorter + 1];
}

/** Σᵢ a[j + i] · b[i] of a list and one that is not longer, with zeros beyond the ends of the first. */
function slid(a: Tensor, b: Tensor, mode: ConvolutionMode): Tensor {
  const [start, length] = extent(a.size, b.size, mode);
  const width = Math.min(block, length);
  const blocks = Math.ceil(length / width);
  const before = b.size - 1 - start;
  const reach = width + b.size - 1;
  const padded = a.pad([before, blocks * width + b.size - 1 - before - a.size]);
  // Column c of the matrix holds b from row c on.
  const steps = b
    .pad([width - 1, width - 1])
    .unfold(0, width)
    .flip(1);
  return padded.unfold(0, reach, width).contiguous().matmul(steps.contiguous()).reshape([-1]).slice([0, length]);
}

/** Two lists of one dtype, neither of them empty. */
function lists(name: string, a: Tensor, b: Tensor): readonly [Tensor, Tensor] {
  if (a.shape.length !== 1 || b.shape.length !== 1 || a.size === 0 || b.size === 0)
    throw new TensorError(
      "SHAPE",
      `${name} takes two lists that are not empty but got shapes ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
    );
  const dtype = promoted(a.dtype, b.dtype);
  return [a.to(dtype), b.to(dtype)];
}

/** {@link Tensor.convolve} as a function. */
export const convolve: FunctionOf<"convolve"> = define(
  "convolve",
  { required: { other: tensor }, options: { mode: modes }, bare: ["mode"] },
  (x, { other, mode = "full" }) => {
    const [a, b] = lists("convolve", x, other);
    return a.size < b.size ? slid(b, a.flip(), mode) : slid(a, b.flip(), mode);
  },
);

/** {@link Tensor.correlate} as a function. */
export const correlate: FunctionOf<"correlate"> = define(
  "correlate",
  { required: { other: tensor }, options: { mode: modes }, bare: ["mode"] },
  (x, { other, mode = "valid" }) => {
    const [a, b] = lists("correlate", x, other);
    return a.size < b.size ? slid(b, a, mode).flip() : slid(a, b, mode);
  },
);

install(Tensor.prototype, { convolve, correlate });
