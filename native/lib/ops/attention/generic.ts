// Attention by device/ops/attention.cu: all dtypes, shapes and options, on every device.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { blocksFor, onDevice, threadsOf, type Blocks, type ByBlock } from "../kernels/blocks.ts";
import { differing, kernelFacts, kernelFactsByDType } from "../kernels/kernel-facts.ts";
import { KernelFamily, type LibraryArgument, type ParameterKind } from "../kernels/library.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { floats } from "../rows/row-lines.ts";
import type { AttentionCall, AttentionPath, BackwardCall } from "./paths.ts";
import { gradientWords, problemWords, type PairSteps, type Problem } from "./problem.ts";

// A kernel for each number of columns that a thread of a GPU holds, for 16 times as many columns.
const shares = [4, 8, 16] as const;
const operands = ["place", "place", "place", "place"] as const;
const above = [...operands, "place", "place", "place"] as const;
type GenericKernel = "attend" | "attention_keys" | "attention_queries" | "attention_mask";
const kinds: Readonly<Record<GenericKernel, readonly ParameterKind[]>> = {
  attend: [...operands, "out", "out", "struct"],
  attention_keys: [...above, "out", "out", "out", "i64", "struct", "struct"],
  attention_queries: [...above, "out", "place", "i64", "struct", "struct"],
  attention_mask: [...above, "out", "struct", "struct"],
};
const families = (name: GenericKernel) =>
  shares.map((share) => new KernelFamily("attention", floats, (type) => `${name}<${type}, ${share}>`, kinds[name]));
const kernels = {
  attend: families("attend"),
  attention_keys: families("attention_keys"),
  attention_queries: families("attention_queries"),
  attention_mask: [new KernelFamily("attention", floats, (type) => `attention_mask<${type}>`, kinds.attention_mask)],
} as const;
const deltas = new KernelFamily("attention", floats, (type) => `attention_delta<${type}>`, [
  ...["place", "place", "place", "out", "struct", "struct", "i64"],
] as ParameterKind[]);

// Where a block is one thread, gradients of queries are sums of what blocks of keys made: no score is among them.
const isBentOn: ByBlock<Readonly<Record<GenericKernel, boolean>>> = {
  serial: { attend: true, attention_keys: true, attention_queries: false, attention_mask: true },
  threads: { attend: true, attention_keys: true, attention_queries: true, attention_mask: true },
};

/** Runs a kernel of the library, or the one with the function of the user's in it. */
function launch(
  on: Execution,
  { dtype, problem: { bend } }: AttentionCall,
  name: GenericKernel,
  share: number,
  blocks: Blocks,
  args: readonly LibraryArgument[],
): void {
  if (bend === undefined || !onDevice(on.device, isBentOn)[name]) kernels[name][share]!.launch(on, dtype, blocks, args);
  else bend.launch(on, { name, dtype, parameters: [shares[share]!], kinds: kinds[name] }, blocks, args);
}

const facts = kernelFacts("attention", {
  deltaRows: "kDeltaRows",
  deltaThreads: "kDeltaThreads",
  summed: differing("kSummed"),
  threads: differing("kBlockThreads"),
  columns: "4 * 16",
});
const tiles = kernelFactsByDType("attention", floats, (type) => ({
  queries4: differing(`kQueries<${type}, 4>`),
  queries8: differing(`kQueries<${type}, 8>`),
  queries16: differing(`kQueries<${type}, 16>`),
  maskQueries: differing(`kMaskQueries<${type}>`),
  maskKeys: differing(`kMaskKeys<${type}>`),
  columns: differing(`kColumns<${type}>`),
  deltaWidth: `kDeltaWidth<${type}>`,
}));

/** Which of `shares` serves these columns. */
const shareOf = ({ width, valueWidth }: Problem) =>
  shares.findIndex((share) => Math.max(width, valueWidth) <= share * (facts().columns / 4));

const blockOf = ({ device }: Execution) => threadsOf(device, facts().threads.threads);

/** Parts of each head's keys, so that every core has some. */
function partsOf({ device }: Execution, dtype: DType, { batches, heads, group, keys }: Problem): number {
  const blocks = Math.ceil(keys / onDevice(device, tiles(dtype).maskKeys));
  const wanted = Math.ceil((2 * device.properties.multiprocessors) / Math.max(1, (batches * heads) / group));
  return onDevice(device, { serial: Math.max(1, Math.min(blocks, wanted)), threads: 1 });
}

const readOf = ({ q, k, v, mask, dOut, lse, delta }: BackwardCall) => [q, k, v, mask, dOut, lse, delta];

function forward(on: Execution, call: AttentionCall): void {
  const { dtype, problem, q, k, v, mask, out, lse } = call;
  const share = shareOf(problem);
  const { queries4, queries8, queries16 } = tiles(dtype);
  const rows = onDevice(on.device, [queries4, queries8, queries16][share]!);
  const grid = Math.ceil(problem.queries / rows) * problem.heads * problem.batches;
  if (grid > 0)
    launch(on, call, "attend", share, { grid, block: blockOf(on) }, [q, k, v, mask, out, lse, problemWords(problem)]);
}

function backward(on: Execution, call: BackwardCall): void {
  const { dtype, problem, steps, dq, dk, dv } = call;
  const { device } = on;
  const { batches, heads, group, queries, keys, width } = problem;
  const share = shareOf(problem);
  const words = [problemWords(problem), gradientWords(steps)];
  const read = readOf(call);
  const parts = partsOf(on, dtype, problem);
  const block = blockOf(on);
  const { columns, maskKeys } = tiles(dtype);
  const padded = Math.ceil(width / columns.serial) * columns.serial;
  const keyBlocks = onDevice(device, { serial: parts, threads: Math.ceil(keys / maskKeys.threads) });
  const queryRows = batches * heads * queries;
  // Where a block is one thread, blocks of keys work out what they add to the gradients of queries, too.
  using sums = onDevice<() => DeviceArray | null>(device, {
    serial: () => DeviceArray.allocate(device, accumulatorOf(dtype), [parts * queryRows * padded]),
    threads: () => null,
  })();
  const keyGrid = (keyBlocks * batches * heads) / group;
  if (keyGrid > 0)
    launch(on, call, "attention_keys", share, { grid: keyGrid, block }, [...read, dk, dv, sums, parts, ...words]);
  const queryGrid = onDevice(device, {
    serial: Math.ceil(queryRows / facts().summed.serial),
    threads: Math.ceil(queries / tiles(dtype).maskQueries.threads) * heads * batches,
  });
  if (queryGrid > 0)
    launch(on, call, "attention_queries", share, { grid: queryGrid, block }, [...read, dq, sums, parts, ...words]);
}

/** Fills `delta`: of every path, what its backward reads. */
export function deltaInto(on: Execution, { dtype, problem, steps, out, dOut, dLse, delta }: BackwardCall): void {
  const { deltaRows, deltaThreads } = facts();
  const rows = problem.batches * problem.heads * problem.queries;
  if (rows === 0) return;
  let lanes = 1;
  while (lanes < 32 && lanes * tiles(dtype).deltaWidth < problem.valueWidth) lanes *= 2;
  const blocks = blocksFor(on.device, rows, { serial: deltaRows, threads: deltaThreads, each: 1 / lanes });
  deltas.launch(on, dtype, blocks, [dOut, out, dLse, delta, problemWords(problem), gradientWords(steps), lanes]);
}

/** Fills the gradient of an added mask, which is summed over axes whose steps are 0. */
export function maskGradientInto(on: Execution, call: BackwardCall, dMask: DeviceArray): void {
  const { dtype, problem, steps } = call;
  const { maskQueries, maskKeys } = tiles(dtype);
  const tiled = (step: keyof PairSteps, count: number) => (steps.dMask[step] === 0 ? 1 : count);
  const grid =
    tiled("batch", problem.batches) *
    tiled("head", problem.heads) *
    tiled("query", Math.ceil(problem.queries / onDevice(on.device, maskQueries))) *
    tiled("key", Math.ceil(problem.keys / onDevice(on.device, maskKeys)));
  if (grid > 0)
    launch(on, call, "attention_mask", 0, { grid, block: blockOf(on) }, [
      ...readOf(call),
      dMask,
      problemWords(problem),
      gradientWords(steps),
    ]);
}

export const generic: AttentionPath = {
  name: "generic",
  takes: () => true,
  forward,
  backward,
};

/** The same kernels with a function of the user's in them, compiled when it is first called. */
export const compiled: AttentionPath = { ...generic, name: "compiled" };
