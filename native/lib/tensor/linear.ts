// Matrix products, and a linear layer, as functions.
import type { DType } from "../memory/dtype.ts";
import type { FloatOf, Promoted } from "../memory/promotion.ts";
import { apply } from "../ops/core/apply.ts";
import { isRecording } from "../ops/core/hooks.ts";
import { define, either, install, oneOf, orNull, tensor, type Kind } from "./arguments.ts";
import { matmulQuantized, QuantizedTensor, quantizedTensor } from "./quantized.ts";
import { Tensor } from "./tensor.ts";

/** `activation`: "gelu" is ½x(1 + tanh(√(2/π)(x + 0.044715x³))), see `gelu({ approximate: "tanh" })`. */
export interface LinearOptions {
  readonly activation?: "gelu" | "relu";
}

declare module "./tensor.ts" {
  interface Tensor<D extends DType> {
    /**
     * Matrix product of the last two axes; axes before them broadcast. float16 and bfloat16 accumulate in float32,
     * integers in 64 bits.
     * @example
     * tensor([[1, 2], [3, 4]]).matmul(tensor([[5], [6]])); // → tensor([[17], [39]], shape [2, 1], float32, cpu)
     */
    matmul<E extends DType>(other: Tensor<E>): Tensor<Promoted<D, E>>;
    /**
     * The product with a quantised matrix [k, n], whose groups lie along axis 0; of x's dtype, summed in float32. Up to
     * 16 rows are multiplied with the codes as they are read, and the matrix is written nowhere; for more, or float64,
     * it is written in x's dtype for the while, which rounds it once more, and multiplied by the device's library. Its
     * gradient is that of x.
     * @example
     * const w = quantize(tensor([[1, 2], [3, -4]]), { bits: 8, axis: 0 });
     * tensor([[1, 1]]).matmul(w).sub(tensor([[4, -2]])).abs().max().item() < 0.02; // → true
     */
    matmul(other: QuantizedTensor): Tensor<D>;
  }
}

const matrix: Kind<Tensor | QuantizedTensor> = {
  ...either(tensor, quantizedTensor),
  wanted: "a tensor (mul multiplies by a number)",
};

/** {@link Tensor.matmul} as a function. */
export const matmul: {
  <D extends DType, E extends DType>(x: Tensor<D>, other: Tensor<E>): Tensor<Promoted<D, E>>;
  <D extends DType>(x: Tensor<D>, other: QuantizedTensor): Tensor<D>;
} = define("matmul", { required: { other: matrix } }, (x, { other }) =>
  other instanceof QuantizedTensor ? matmulQuantized(x, other) : apply("matmul", [x, other], {}),
);

/**
 * activation(x · weightᵀ + bias) for x of shape […, in], a weight [out, in] and a bias [out]: one call of the device's
 * library where that has bias and activation, else its product and one pass. A library rounds GELU of float16 and
 * bfloat16 once more, by up to |x|/2 · 2⁻¹¹. Throws TensorError.
 * @example
 * linear(tensor([[1, 2]]), tensor([[3, 4], [5, 6]]), tensor([10, 20]));
 * // → tensor([[21, 37]], shape [1, 2], float32, cpu)
 */
export const linear: <D extends DType, E extends DType>(
  x: Tensor<D>,
  weight: Tensor<E>,
  bias?: Tensor | null,
  options?: LinearOptions,
) => Tensor<FloatOf<Promoted<D, E>>> = define(
  "linear",
  {
    required: { weight: tensor },
    options: { bias: orNull(tensor), activation: oneOf("gelu", "relu") },
    bare: ["bias"],
  },
  (x, { weight, bias = null, activation }) => {
    const operands = [x, weight, ...(bias === null ? [] : [bias])] as const;
    const keep = isRecording() && operands.some(({ track }) => track !== null);
    return apply("linear", operands, { activation: activation ?? "none", hasBias: bias !== null, keep });
  },
);

install(Tensor.prototype, { matmul });
