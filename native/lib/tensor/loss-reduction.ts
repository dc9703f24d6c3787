// What becomes of the losses of all elements.
import { oneOf } from "./arguments.ts";
import type { Tensor } from "./tensor.ts";

export const reduction = oneOf("mean", "sum", "none");

/** Their mean, their sum, or the losses themselves. */
export function reduced(losses: Tensor, by: "mean" | "sum" | "none" = "mean"): Tensor {
  if (by === "none") return losses;
  return by === "sum" ? losses.sum() : losses.mean();
}
