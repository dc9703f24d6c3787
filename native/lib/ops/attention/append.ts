// Keys and values of new tokens, written behind those that a cache has (device/ops/attention_append.cu).
import type { Execution } from "../../device/execution.ts";
import { viewOf, type DeviceArray } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { blocksFor, onDevice } from "../kernels/blocks.ts";
import { KernelFamily, type ParameterKind } from "../kernels/library.ts";
import { bySize, converted } from "../shape/copy.ts";

const kinds: readonly ParameterKind[] = ["place", "place", "out", "out", ...Array<ParameterKind>(13).fill("i64")];
const appends = new KernelFamily("attention_append", Object.values(bySize), (type) => `append<${type}>`, kinds);

/** An array whose last axis lies side by side: itself, held once more, or a copy. */
const sideBySide = (on: Execution, array: DeviceArray): DeviceArray =>
  array.strides.at(-1) === 1 || array.shape.at(-1)! <= 1 ? viewOf(array, array) : converted(on, array, array.dtype);

/** Lines of a core: a line is a row of keys and one of values. */
const serialLines = 256;

/**
 * Writes k [batch, heads, rows, width] and v [batch, heads, rows, valueWidth] into keys and values of the same dtype,
 * which have room for more rows and lie without gaps, from row `first()` on, which is asked anew by each run of what is
 * recorded.
 */
export function appendRows(
  on: Execution,
  [keys, values]: readonly [DeviceArray, DeviceArray],
  [k, v]: readonly [DeviceArray, DeviceArray],
  first: () => number,
): void {
  const [batches, heads, rows, width] = k.shape as [number, number, number, number];
  const valueWidth = v.shape[3]!;
  const lines = batches * heads * rows;
  if (lines * (width + valueWidth) === 0) return;
  using ownK = sideBySide(on, k);
  using ownV = sideBySide(on, v);
  const dtype = bySize[factsOf(keys.dtype).bytes]!;
  const elements = lines * (width + valueWidth);
  const blocks = blocksFor(on.device, onDevice(on.device, { serial: lines, threads: elements }), {
    serial: serialLines,
  });
  appends.launch(
    on,
    dtype,
    blocks,
    [
      ...[ownK, ownV, keys, values],
      ...[lines, heads, rows, width, valueWidth],
      ...ownK.strides.slice(0, 3),
      ...ownV.strides.slice(0, 3),
      keys.shape[2]!,
      first(),
    ],
    0,
    () => [first()],
  );
}
