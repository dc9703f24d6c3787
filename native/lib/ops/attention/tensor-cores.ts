// Attention on a GPU's tensor cores: of 16-bit elements by device/ops/attention_wgmma.cu on Hopper, by
// device/ops/attention_mma.cu on the others and where a function of the user's has tiles be skipped; of floats by
// device/ops/attention_tf32.cu.
import type { Execution } from "../../device/execution.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { isNamed, type PathOf } from "../core/dispatch.ts";
import type { Blocks } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily, type LibraryArgument, type ParameterKind, type Reach } from "../kernels/library.ts";
import { float32Precision } from "../linear/precision.ts";
import type { AttentionCall, AttentionPath, BackwardCall } from "./paths.ts";
import { gradientWords, problemWords, type BentKernel, type Problem, type Steps } from "./problem.ts";

const read = ["place", "place", "place", "place"] as const;
const forwardKinds: readonly ParameterKind[] = [...read, "out", "out", "struct"];
const gradientKinds: readonly ParameterKind[] = [...read, "place", "place", "place", "out", "out", "struct", "struct"];

/** More than to leave out keys by their places, and a scale that keeps the order of scores, takes a kernel of its own. */
const isGeneral = ({ maskKind, softcap, scale }: Problem) => maskKind !== "none" || softcap !== 0 || !(scale > 0);

/** Those that multiply 16-bit elements, also bfloat16, and floats of 11 bits. */
export const hasTensorCores: Reach = (architecture) => /^sm_(8|9|1\d)\d[af]?$/.test(architecture);

/** Elements of 16 bytes, as they are copied. */
const piece = (dtype: DType) => 16 / factsOf(dtype).bytes;

/** Whether copies of 16 bytes reach all operands. */
export function areAligned(call: AttentionCall | BackwardCall): boolean {
  const elements = piece(call.dtype);
  const isAligned = (array: DeviceArray, { batch, head, token }: Steps) =>
    array.placeLow % 16 === 0 && [batch, head, token].every((step) => step % elements === 0);
  const { problem: p, q, k, v, out } = call;
  if (![isAligned(q, p.q), isAligned(k, p.k), isAligned(v, p.v), isAligned(out, p.out)].every(Boolean)) return false;
  if (!("steps" in call)) return true;
  const { dOut, dq, dk, dv, steps } = call;
  return isAligned(dOut, steps.dOut) && isAligned(dq, steps.dq) && isAligned(dk, steps.dk) && isAligned(dv, steps.dv);
}

// What indices of 32 bits reach.
const most = 2 ** 30;

const fits = ({ batches, heads, queries, keys, width, valueWidth, p }: Problem, dtype: DType, mostWidth: number) =>
  width === valueWidth &&
  width % piece(dtype) === 0 &&
  width > 0 &&
  width <= mostWidth &&
  queries > 0 &&
  keys > 0 &&
  batches * heads * Math.max(queries, keys) < most &&
  p === 0;

/**
 * `widths`: for which there are kernels, for narrower rows, too. `isResident`: as many blocks as run at a time share the
 * queries. `choices`: what kernels are made for beside that, the one that `choice` names is taken.
 */
interface Source {
  readonly file: string;
  readonly name: PathOf<"attention">;
  readonly isFor: Reach;
  readonly dtypes: readonly DType[];
  readonly widths: readonly number[];
  readonly isResident?: boolean;
  readonly choices?: readonly (readonly boolean[])[];
  readonly choice?: () => number;
  readonly bent?: BentSource;
}

/** Kernels that a function of the user's stands in. */
interface BentSource {
  readonly forward: BentKernel;
  readonly gradient: BentKernel;
  /** What the shape of their blocks is told. */
  readonly shape: string;
  /** It may have tiles be left out, which they then skip. */
  readonly skips: boolean;
  /** They run on every device, but are quick on tensor cores alone. */
  readonly isEverywhere: boolean;
}

/** The path of a file: each has kernels and shapes of blocks of the same names. */
function tensorCores(source: Source): AttentionPath {
  const { file, name, isFor, dtypes, widths, isResident = false, choices = [[]], choice = () => 0, bent } = source;
  const family = (kernel: string, kinds: readonly ParameterKind[], parameters: readonly (number | boolean)[]) =>
    new KernelFamily(file, dtypes, (type) => `${kernel}<${[type, ...parameters].join(", ")}>`, kinds, isFor);
  const kernels = widths.map((width) =>
    choices.map((more) => {
      const instances = (isGeneral: boolean) => ({
        forward: family("attention_forward", forwardKinds, [width, isGeneral, ...more]),
        keys: family("attention_gradient", gradientKinds, [width, isGeneral, true, ...more]),
        queries: family("attention_gradient", gradientKinds, [width, isGeneral, false, ...more]),
      });
      return { plain: instances(false), general: instances(true) };
    }),
  );
  const shapesOf = (more: string) =>
    widths.map((width) =>
      kernelFacts(file, {
        queries: `ForwardShape<${width}>::kQueries`,
        threads: `ForwardShape<${width}>::kThreads`,
        shared: `ForwardShape<${width}>::kShared`,
        keptKeys: `GradientShape<${width}, true${more}>::kKept`,
        keyParts: `GradientShape<${width}, true${more}>::kParts`,
        keyThreads: `GradientShape<${width}, true${more}>::kThreads`,
        keyShared: `GradientShape<${width}, true${more}>::kShared`,
        keptQueries: `GradientShape<${width}, false${more}>::kKept`,
        queryThreads: `GradientShape<${width}, false${more}>::kThreads`,
        queryShared: `GradientShape<${width}, false${more}>::kShared`,
      }),
    );
  const shapes = shapesOf("");
  const bentShapes = bent === undefined ? [] : shapesOf(bent.shape);
  const bentKernels = bent && {
    forward: { name: bent.forward, more: [], kinds: forwardKinds },
    keys: { name: bent.gradient, more: [true], kinds: gradientKinds },
    queries: { name: bent.gradient, more: [false], kinds: gradientKinds },
  };
  const chosen = (problem: Problem) => {
    const at = widths.findIndex((width) => problem.width <= width);
    const { plain, general } = kernels[at]![choice()]!;
    const own = isGeneral(problem) ? general : plain;
    const launch = (
      on: Execution,
      which: keyof typeof own,
      dtype: DType,
      blocks: Blocks,
      args: readonly LibraryArgument[],
      shared: number,
    ) => {
      if (problem.bend === undefined) return own[which].launch(on, dtype, blocks, args, shared);
      const { name, more, kinds } = bentKernels![which];
      problem.bend.launch(on, { name, dtype, parameters: [widths[at]!, ...more], kinds }, blocks, args, shared);
    };
    return { launch, shape: (problem.bend === undefined ? shapes : bentShapes)[at]!() };
  };

  return {
    name,
    takes(on, call) {
      const { bend } = call.problem;
      if (bend !== undefined && (bent === undefined || (bend.skips && !bent.skips))) return false;
      return (
        dtypes.includes(call.dtype) &&
        (on.device.properties.architectures.some(isFor) ||
          (bend !== undefined && bent!.isEverywhere && isNamed("attention", name))) &&
        fits(call.problem, call.dtype, widths.at(-1)!) &&
        areAligned(call)
      );
    },
    forward(on: Execution, { dtype, problem, q, k, v, mask, out, lse }) {
      const { launch, shape } = chosen(problem);
      const blocks = Math.ceil(problem.queries / shape.queries) * problem.heads * problem.batches;
      const grid = isResident ? Math.min(blocks, on.device.properties.multiprocessors) : blocks;
      const args = [q, k, v, mask, out, lse, problemWords(problem)];
      launch(on, "forward", dtype, { grid, block: shape.threads }, args, shape.shared);
    },
    backward(on: Execution, { dtype, problem, steps, q, k, v, mask, dOut, lse, delta, dq, dk, dv }) {
      const { batches, heads, group, queries, keys } = problem;
      const { launch, shape } = chosen(problem);
      const inputs = [q, k, v, mask, dOut, lse, delta];
      const words = [problemWords(problem), gradientWords(steps)];
      const keyGrid = (Math.ceil(keys / shape.keptKeys) * shape.keyParts * batches * heads) / group;
      const queryGrid = Math.ceil(queries / shape.keptQueries) * batches * heads;
      launch(
        on,
        "keys",
        dtype,
        { grid: keyGrid, block: shape.keyThreads },
        [...inputs, dk, dv, ...words],
        shape.keyShared,
      );
      launch(
        on,
        "queries",
        dtype,
        { grid: queryGrid, block: shape.queryThreads },
        [...inputs, dq, null, ...words],
        shape.queryShared,
      );
    },
  };
}

export const halves: readonly DType[] = ["float16", "bfloat16"];
export const hopper = tensorCores({
  file: "attention_wgmma",
  name: "wgmma",
  isFor: (architecture) => architecture === "sm_90a",
  dtypes: halves,
  widths: [64, 128, 256],
  isResident: true,
  bent: { forward: "group_forward", gradient: "group_gradient", shape: ", true", skips: false, isEverywhere: false },
});
export const ampere = tensorCores({
  file: "attention_mma",
  name: "mma",
  isFor: hasTensorCores,
  dtypes: halves,
  widths: [64, 128, 256],
  bent: { forward: "attention_forward", gradient: "attention_gradient", shape: "", skips: true, isEverywhere: true },
});
// Three products of numbers of 11 bits, or one.
export const ofFloats = tensorCores({
  file: "attention_tf32",
  name: "tf32",
  isFor: hasTensorCores,
  dtypes: ["float32"],
  widths: [32, 64, 128, 256],
  choices: [[true], [false]],
  choice: () => (float32Precision() === "tf32" ? 1 : 0),
});
