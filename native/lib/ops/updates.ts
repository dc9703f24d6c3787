// Steps of optimisers over parameters in place (device/ops/updates.cu): one kernel each.
import type { Execution } from "../device/execution.ts";
import { DeviceArray } from "../memory/array.ts";
import { wideOf, type DType } from "../memory/dtype.ts";
import { isChannelsLast, withFormat } from "./spatial/channels-last.ts";
import { blocksFor } from "./kernels/blocks.ts";
import { kernelFactsByDType } from "./kernels/kernel-facts.ts";
import { KernelFamily, type ParameterKind } from "./kernels/library.ts";

const dtypes: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const numbers = (count: number): ParameterKind[] => Array<ParameterKind>(count).fill("wide");
/** A kernel that keeps so many arrays of a parameter, and takes so many numbers. */
const family = (name: string, kept: number, count: number) =>
  new KernelFamily("updates", dtypes, (type) => `${name}<${type}>`, [
    "out",
    "place",
    ...Array<ParameterKind>(kept).fill("out"),
    "i64",
    ...numbers(count),
  ]);
const kernels = {
  plainDescent: family("plain_descent", 0, 2),
  descent: family("descent", 1, 6),
  adam: family("adam", 2, 8),
  plainRmsprop: family("plain_rmsprop", 1, 5),
  rmsprop: family("rmsprop", 2, 6),
};
export type UpdateKernel = keyof typeof kernels;
const facts = kernelFactsByDType("updates", dtypes, (type) => ({ each: `kEach<${type}>` }));

/** In which an optimiser keeps what it knows of parameters of a dtype: float32, of float64 itself. */
export const keptDType = (dtype: DType): DType => (wideOf(dtype) === "f64" ? "float64" : "float32");

/**
 * Changes `weights`, row after row or with channels last, by their gradient, and `kept`, arrays of {@link keptDType}
 * that lie as they do, with them; `numbers` are those of the kernel, in order, asked for anew by each run of what is
 * recorded.
 */
export function update(
  on: Execution,
  kernel: UpdateKernel,
  weights: DeviceArray,
  gradient: DeviceArray,
  kept: readonly DeviceArray[],
  numbers: () => readonly number[],
): void {
  if (weights.size === 0) return;
  const blocks = blocksFor(on.device, weights.size, { each: facts(weights.dtype).each });
  withFormat(on, gradient, weights.dtype, isChannelsLast(weights), (given) =>
    kernels[kernel].launch(
      on,
      weights.dtype,
      blocks,
      [weights, given, ...kept, weights.size, ...numbers()],
      0,
      numbers,
    ),
  );
}
