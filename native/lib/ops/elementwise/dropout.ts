// Dropout as a row of the table: a mask that a seed and a stream determine, so that the gradient has the same.
import { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { withFlat } from "../shape/copy.ts";
import { blocksFor } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import type { Computation } from "../core/operation.ts";
import { cost, floatDType, floats } from "../rows/row-lines.ts";

const dropouts = new KernelFamily("rowwise", floats, (type) => `dropout<${type}>`, [
  "place",
  "out",
  "i64",
  "f64",
  "u64",
  "u64",
]);
const facts = kernelFacts("rowwise", { each: "kDropped" });

export interface DropoutAttributes {
  readonly p: number;
  readonly seed: bigint;
  readonly stream: bigint;
}

const dropoutRow: Computation<[x: DeviceArray], DropoutAttributes> = {
  inPlace: false,
  infer: ([x]) => [{ shape: x.shape, dtype: floatDType("dropout", x) }],
  run([out], [x], { p, seed, stream }, on) {
    const blocks = blocksFor(on.device, out!.size, { each: facts().each });
    withFlat(on, x, out!.dtype, (input) => {
      dropouts.launch(on, out!.dtype, blocks, [input, out!, out!.size, p, seed, stream]);
    });
  },
  // The same mask again.
  gradient: ([g], { attributes }) => [call("dropout", [g!], attributes)],
  cost: cost(2),
};

export const dropoutRows = { dropout: dropoutRow } as const;
