// Attention of few queries on a GPU by device/ops/attention_decode.cu, of 16 bits by
// device/ops/attention_decode_mma.cu: a model's next token looks at all of before.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { onDevice } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily, type ParameterKind } from "../kernels/library.ts";
import { generic } from "./generic.ts";
import type { AttentionCall, AttentionPath, BackwardCall } from "./paths.ts";
import { partTerms, seenKeys, type Steps } from "./problem.ts";
import { hasTensorCores } from "./tensor-cores.ts";

const dtypes: readonly DType[] = ["float16", "bfloat16", "float32"];
/** What a row of keys or values has at most, bytes, and how many queries go along together. */
const rowBytes = [128, 256, 512, 1024] as const;
const together = [1, 2, 4] as const;
const kinds: readonly ParameterKind[] = [
  ...["place", "place", "place", "out", "out", "out", "i64", "i64", "i64", "struct"],
] as ParameterKind[];
const isGpu = (architecture: string) => architecture.startsWith("sm_");
const ofThreads = rowBytes.map((bytes) =>
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
// Of each width, kernels for eight queries and for twice as many.
const ofTensorCores = ([64, 128, 256] as const).map((width) =>
  ([1, 2] as const)
    .filter((tiles) => width * tiles <= 256)
    .map((tiles) => ({
      kernel: new KernelFamily(
        "attention_decode_mma",
        ["float16", "bfloat16"],
        (type) => `decode_mma<${type}, ${width}, ${tiles}>`,
        kinds,
        hasTensorCores,
      ),
      held: kernelFacts("attention_decode_mma", { blocks: `kHeldBlocks<${width}, ${tiles}>` }),
    })),
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

interface Chosen {
  readonly kernel: KernelFamily;
  /** Queries that go along together in a block, and blocks that a processor holds at a time. */
  readonly together: number;
  readonly held: number;
}
function chosen(on: Execution, { dtype, problem }: AttentionCall): Chosen {
  const { group, queries, width, valueWidth } = problem;
  const rows = group * queries,
    columns = Math.max(width, valueWidth);
  // One query for a head of keys: threads multiply as fast as memory reads.
  if (dtype !== "float32" && rows > 1 && on.device.properties.architectures.some(hasTensorCores)) {
    const sizes = ofTensorCores[[64, 128, 256].findIndex((most) => columns <= most)]!;
    const at = rows > 8 ? sizes.length - 1 : 0;
    return { kernel: sizes[at]!.kernel, together: 8 * (at + 1), held: sizes[at]!.held().blocks };
  }
  const size = rowBytes.findIndex((most) => columns * factsOf(dtype).bytes <= most);
  const most = together.find((each) => each >= Math.min(rows, facts().mostRows))!;
  return { kernel: ofThreads[size]![together.indexOf(most)]!, together: most, held: heldAtOnce[most]! };
}

function forward(on: Execution, call: AttentionCall): void {
  const { dtype, problem, q, k, v, out, lse } = call;
  const { batches, heads, group, queries, valueWidth } = problem;
  const { kernel, together, held } = chosen(on, call);
  const chunks = Math.ceil((group * queries) / together);
  const lines = (batches * heads) / group;
  const seen = Math.max(1, seenKeys(problem));
  const wave = held * on.device.properties.multiprocessors;
  const wanted =
    lines * chunks <= wave ? Math.floor(wave / (lines * chunks)) : Math.ceil((fewestWaves * wave) / (lines * chunks));
  const most = Math.min(wanted, facts().mostParts);
  const parts = Math.ceil(seen / Math.max(fewestKeys, Math.ceil(seen / most)));
  const terms = partTerms(problem, parts);
  const block = facts().threads;
  using kept = DeviceArray.allocate(
    on.device,
    "float32",
    parts === 1 ? [1] : [batches * heads * queries * parts, valueWidth + 2],
  );
  const last = () => {
    const { partKeys, words } = terms();
    return [partKeys, parts, chunks, words];
  };
  const arrays = [q, k, v, out, lse, kept];
  kernel.launch(on, dtype, { grid: lines * parts * chunks, block }, [...arrays, ...last()], 0, problem.now && last);
  if (parts > 1)
    joins.launch(on, dtype, { grid: batches * heads * queries, block }, [kept, out, lse, parts, terms().words]);
}

export const decoding: AttentionPath = {
  name: "decoding",
  grows: true,
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
