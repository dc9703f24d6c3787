// Steps of optimisers over parameters in place (device/ops/updates.cu): one kernel for all parameters of a dtype that
// take the same numbers, or as few as have room for them.
import type { Execution } from "../device/execution.ts";
import { DeviceArray, viewOf } from "../memory/array.ts";
import { wideOf, type DType } from "../memory/dtype.ts";
import { channelsLastStrides, hasChannelsLast, isChannelsLast } from "./spatial/channels-last.ts";
import { kernelFactsByDType } from "./kernels/kernel-facts.ts";
import { KernelFamily, type ParameterKind } from "./kernels/library.ts";
import { listsOf, type ListRow } from "./kernels/lists.ts";
import { copy } from "./shape/copy.ts";

const dtypes: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const numbers = (count: number): ParameterKind[] => Array<ParameterKind>(count).fill("wide");
/** A kernel that takes so many numbers, and so many of float64 behind them. */
const family = (name: string, count: number, exact = 0) =>
  new KernelFamily("updates", dtypes, (type) => `${name}<${type}>`, [
    "list",
    "i32",
    "i64",
    "place",
    "out",
    ...numbers(count),
    ...Array<ParameterKind>(exact).fill("f64"),
  ]);
const kernels = {
  plainDescent: family("plain_descent", 2),
  descent: family("descent", 8),
  adam: family("adam", 12),
  plainRmsprop: family("plain_rmsprop", 5),
  rmsprop: family("rmsprop", 6),
  adagrad: family("adagrad", 6),
  adadelta: family("adadelta", 5),
  adamax: family("adamax", 8),
  nesterovAdam: family("nesterov_adam", 9, 5),
  rectifiedAdam: family("rectified_adam", 8, 4),
  averagedDescent: family("averaged_descent", 4, 5),
  resilientPropagation: family("resilient_propagation", 4),
};
export type UpdateKernel = keyof typeof kernels;
const facts = kernelFactsByDType("updates", dtypes, (type) => ({ each: `kEach<${type}>` }));

/** In which an optimiser keeps what it knows of parameters of a dtype: float32, of float64 itself. */
export const keptDType = (dtype: DType): DType => (wideOf(dtype) === "f64" ? "float64" : "float32");

/**
 * One parameter of a step. `weights` lie row after row or with channels last, and `master` and `kept`, arrays of
 * {@link keptDType}, as they do. `master`: the weights as they are changed, `null` where that is `weights`.
 */
export interface Updated {
  readonly weights: DeviceArray;
  readonly gradient: DeviceArray;
  readonly master: DeviceArray | null;
  readonly kept: readonly DeviceArray[];
  /** The number of the parameter. */
  readonly slot: number;
}

/** Steps that a device leaves out by itself. */
export interface Skipping {
  /** One float32: not 0 leaves this step out; `null`: it is taken. */
  readonly skip: DeviceArray | null;
  /** How often each slot's steps have been left out, int32; `null`: never. */
  readonly skips: DeviceArray | null;
}

/**
 * Changes the weights of all by their gradients, and what is kept with them. They have one dtype; `numbers` are those
 * of the kernel, in order, asked for anew by each run of what is recorded.
 */
export function updateAll(
  on: Execution,
  kernel: UpdateKernel,
  all: readonly Updated[],
  { skip, skips }: Skipping,
  numbers: () => readonly number[],
): void {
  const { dtype } = all[0]!.weights;
  const copies: DeviceArray[] = [];
  const rows = all.map(({ weights, gradient, master, kept, slot }): ListRow => {
    const given = weights.size === 0 ? gradient : lyingAs(on, gradient, weights);
    if (given !== gradient) copies.push(given);
    return { arrays: [weights, given, master, ...kept], count: weights.size, slot };
  });
  const isWritten = [true, false, true, true, true];
  for (const list of listsOf(on.device, rows, { each: facts(dtype).each, isWritten }))
    kernels[kernel].launch(
      on,
      dtype,
      list.blocks,
      [list, list.rows.length, list.length, skip, skips, ...numbers()],
      0,
      numbers,
    );
  for (const each of copies) each.dispose();
}

/** A gradient, or a copy of it that lies as the weights do. */
function lyingAs(on: Execution, gradient: DeviceArray, weights: DeviceArray): DeviceArray {
  const isLast = isChannelsLast(weights);
  if (isLast ? hasChannelsLast(gradient) : gradient.isContiguous) return gradient;
  const [first, channels, ...rest] = weights.shape;
  using made = DeviceArray.allocate(on.device, weights.dtype, isLast ? [first!, ...rest, channels!] : weights.shape);
  const strides = isLast ? channelsLastStrides(weights.shape) : made.strides;
  const laid = viewOf(made, { shape: weights.shape, strides, offset: 0 });
  copy(on, laid, gradient);
  return laid;
}
