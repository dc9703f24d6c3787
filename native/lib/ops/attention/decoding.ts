// Attention of few queries by device/ops/attention_decode.cu: a model's next token looks at all of before.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { onDevice } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily, type ParameterKind } from "../kernels/library.ts";
import { generic } from "./generic.ts";
import type { AttentionCall, AttentionPath, BackwardCall } from "./paths.ts";
import { problemWords, type Problem, type Steps } from "./problem.ts";

const dtypes: readonly DType[] = ["float16", "bfloat16", "float32"];
/** What a row of keys or values has at most, bytes, and how many queries go along together. */
const rowBytes = [128, 256, 512, 1024] as const;
const together = [1, 2, 4] as const;
const kinds: readonly ParameterKind[] = [
  ...["place", "place", "place", "out", "out", "out", "i64", "i64", "i64", "struct"],
] as ParameterKind[];
const isGpu = (architecture: string) => architecture.startsWith("sm_");
const kernels = rowBytes.map((bytes) =>
  together.map(
    (rows) =>
      new KernelFamily(
        "attention_decode",
        dtypes.filter((dtype) => bytes <= 256 * factsOf(dtype).bytes),
        (type) => `decode<${type}, ${bytes}, ${rows}>`,
        kinds,
        isGpu,
      ),
  ),
);
const joins = new KernelFamily(
  "attention_decode",
  dtypes,
  (type) => `decode_join<${type}>`,
  ["place", "out", "out", "i64", "struct"],
  isGpu,
);
const facts = kernelFacts("attention_decode", {
  threads: "attention::kDecodingThreads",
  mostRows: "kMostRows",
  mostParts: "attention::kMostParts",
});

/** Rows of queries that share a head of keys: more of them are sooner served by tensor cores. */
const mostRows = 16;
/** Blocks that a processor holds at a time, by how many queries go along: those of four take most of its registers. */
const heldAtOnce: Readonly<Record<number, number>> = { 1: 4, 2: 4, 4: 3 };
/** Where blocks do not all run at once, so many times as many leave little for the last ones to wait for. */
const fewestWaves = 4;
/** Keys of a block: fewer are not worth what joining takes. */
const fewestKeys = 64;

const areAligned = ({ dtype, problem: { k: keys, v: values, width, valueWidth }, k, v }: AttentionCall) => {
  const elements = 16 / factsOf(dtype).bytes;
  const isAligned = (array: DeviceArray, { batch, head, token }: Steps) =>
    array.placeLow % 16 === 0 && [batch, head, token].every((step) => step % elements === 0);
  return [width, valueWidth].every((each) => each % elements === 0) && isAligned(k, keys) && isAligned(v, values);
};

/** How many keys all queries together see at most. */
const seenKeys = ({ queries, keys, first, last }: Problem) =>
  Math.min(keys, queries + last) - Math.max(0, Math.min(first, keys));

function forward(on: Execution, { dtype, problem, q, k, v, out, lse }: AttentionCall): void {
  const { batches, heads, group, queries, width, valueWidth } = problem;
  const bytes = Math.max(width, valueWidth) * factsOf(dtype).bytes;
  const rows = group * queries;
  const rowsOfBlock = together.find((each) => each >= Math.min(rows, facts().mostRows))!;
  const kernel = kernels[rowBytes.findIndex((most) => bytes <= most)]![together.indexOf(rowsOfBlock)]!;
  const chunks = Math.ceil(rows / rowsOfBlock);
  const lines = (batches * heads) / group;
  const seen = Math.max(1, seenKeys(problem));
  const wave = heldAtOnce[rowsOfBlock]! * on.device.properties.multiprocessors;
  const wanted =
    lines * chunks <= wave ? Math.floor(wave / (lines * chunks)) : Math.ceil((fewestWaves * wave) / (lines * chunks));
  const partKeys = Math.max(fewestKeys, Math.ceil(seen / Math.min(wanted, facts().mostParts)));
  const parts = Math.ceil(seen / partKeys);
  const words = problemWords(problem);
  const block = facts().threads;
  using kept = DeviceArray.allocate(
    on.device,
    "float32",
    parts === 1 ? [1] : [batches * heads * queries * parts, valueWidth + 2],
  );
  kernel.launch(on, dtype, { grid: lines * parts * chunks, block }, [
    q,
    k,
    v,
    out,
    lse,
    kept,
    partKeys,
    parts,
    chunks,
    words,
  ]);
  if (parts > 1) joins.launch(on, dtype, { grid: batches * heads * queries, block }, [kept, out, lse, parts, words]);
}

export const decoding: AttentionPath = {
  name: "decoding",
  takes(on, call: AttentionCall | BackwardCall) {
    const { dtype, problem } = call;
    const { group, queries, maskKind, p, width, valueWidth } = problem;
    return (
      !("steps" in call) &&
      onDevice(on.device, { serial: false, threads: true }) &&
      dtypes.includes(dtype) &&
      queries > 0 &&
      group * queries <= mostRows &&
      maskKind === "none" &&
      p === 0 &&
      Math.max(width, valueWidth) > 0 &&
      areAligned(call)
    );
  },
  forward,
  backward: generic.backward,
};
