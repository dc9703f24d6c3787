// Attention of few queries on a processor by device/ops/attention_decode_serial.cu: all rows of a head of keys go along
// together, and vectors lie as keys and values do.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { onDevice } from "../kernels/blocks.ts";
import { KernelFamily, type Reach } from "../kernels/library.ts";
import { accumulatorOf } from "../reduce/reducers.ts";
import { floats } from "../rows/row-lines.ts";
import { generic } from "./generic.ts";
import type { AttentionCall, AttentionPath } from "./paths.ts";
import { partTerms, seenKeys } from "./problem.ts";

const isProcessor: Reach = (architecture) => !architecture.startsWith("sm_");
const parted = new KernelFamily(
  "attention_decode_serial",
  floats,
  (type) => `decode_serial<${type}>`,
  ["place", "place", "place", "out", "out", "out", "i64", "i64", "struct"],
  isProcessor,
);
const joins = new KernelFamily(
  "attention_decode_serial",
  floats,
  (type) => `decode_join_serial<${type}>`,
  ["place", "out", "out", "i64", "struct"],
  isProcessor,
);

/** Rows of queries that share a head of keys: more of them fill the vectors of the path for everything. */
const mostRows = 16;
/** Keys of a part: fewer are not worth what joining takes. */
const fewestKeys = 256;

function forward(on: Execution, { dtype, problem, q, k, v, out, lse }: AttentionCall): void {
  const { batches, heads, group, queries, valueWidth } = problem;
  const lines = (batches * heads) / group;
  const seen = Math.max(1, seenKeys(problem));
  // Twice as many as cores, so that none waits long for another.
  const wanted = Math.ceil((2 * on.device.properties.multiprocessors) / lines);
  const parts = Math.ceil(seen / Math.max(fewestKeys, Math.ceil(seen / wanted)));
  const terms = partTerms(problem, parts);
  const rows = batches * heads * queries;
  using kept = DeviceArray.allocate(
    on.device,
    accumulatorOf(dtype),
    parts === 1 ? [1] : [rows * parts, valueWidth + 2],
  );
  const last = () => {
    const { partKeys, words } = terms();
    return [partKeys, parts, words];
  };
  const arrays = [q, k, v, out, lse, kept];
  parted.launch(on, dtype, { grid: lines * parts, block: 1 }, [...arrays, ...last()], 0, problem.now && last);
  if (parts > 1) joins.launch(on, dtype, { grid: rows, block: 1 }, [kept, out, lse, parts, terms().words]);
}

export const decodingOnCores: AttentionPath = {
  name: "decoding",
  grows: true,
  takes(on, call) {
    const { batches, group, queries, maskKind, p } = call.problem;
    return (
      !("steps" in call) &&
      onDevice(on.device, { serial: true, threads: false }) &&
      batches * queries > 0 &&
      group * queries <= mostRows &&
      maskKind === "none" &&
      p === 0
    );
  },
  forward,
  backward: generic.backward,
};
