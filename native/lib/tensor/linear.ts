// A linear layer as a function.
import { TensorError } from "../errors.ts";
import { apply, isRecording } from "../ops/apply.ts";
import { worded } from "../wording.ts";
import type { Tensor } from "./tensor.ts";

/** `activation`: "gelu" is ½x(1 + tanh(√(2/π)(x + 0.044715x³))), see `gelu({ approximate: "tanh" })`. */
export interface LinearOptions {
  readonly activation?: "gelu" | "relu";
}

/**
 * activation(x · weightᵀ + bias) for x of shape […, in], a weight [out, in] and a bias [out]: one call of the device's library where that has bias and activation, else its
 * product and one pass. A library rounds GELU of float16 and bfloat16 once more, by up to |x|/2 · 2⁻¹¹. Throws TensorError.
 */
export function linear(
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null = null,
  { activation }: LinearOptions = {},
): Tensor {
  if (activation !== undefined && activation !== "gelu" && activation !== "relu")
    throw new TensorError(
      "OPTIONS",
      `linear has the activations "gelu" and "relu", or none, but got ${worded(activation)}.`,
    );
  const operands = bias === null ? [x, weight] : [x, weight, bias];
  const keep = isRecording() && operands.some(({ track }) => track !== null);
  return apply("linear", operands, { activation: activation ?? "none", hasBias: bias !== null, keep }) as Tensor;
}
