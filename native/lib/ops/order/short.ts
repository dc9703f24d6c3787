// Rows that a thread of a GPU, or some lanes of a warp, sort in their registers (device/ops/sort_short.cu).
import type { Execution } from "../../device/execution.ts";
import type { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { onDevice } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";

export const sortDTypes: readonly DType[] = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int8",
  "uint8",
  "int32",
  "int64",
  "uint64",
];

/** Elements that a thread has room for: the fewer, the more threads a processor has under way. */
const rooms = [4, 8, 16, 32] as const;
const mostOfThread = rooms.at(-1)!;
const kernels = new Map<number, KernelFamily>(
  rooms.map((room) => [
    room,
    new KernelFamily("sort_short", sortDTypes, (type) => `sort_short<${type}, ${room}>`, [
      "place",
      "out",
      "out",
      "i64",
      "i64",
      "i32",
      "i32",
      "i32",
      "i32",
      "i32",
      "i32",
    ]),
  ]),
);
const facts = kernelFacts("sort_short", { threads: "kThreads", pad: "kPad", placeBytes: "sizeof(ushort)" });

/** The longest row that a warp has room for; where elements have 8 bytes, that it sorts sooner than a block does. */
const mostOfWarp = { narrow: 32 * mostOfThread, wide: 8 * mostOfThread } as const;
/** The longest column: of longer ones too few lie side by side in a block to be read in whole lines. */
export const mostOfColumn = 2 * mostOfThread;

/** How rows lie: elements of each, and how far apart those are. */
export interface Lines {
  readonly length: number;
  readonly inner: number;
}

/** Which of the sorted elements of a row are wanted. */
export interface Wanted {
  readonly first: number;
  readonly kept: number;
}

/** Warps of a processor from which on a row for each of them is sooner sorted than a row for a block. */
const fewRows = 4;

/** Whether threads and warps sort rows of `length` elements: short ones, and longer ones where they are many. */
export function areForWarps(input: DeviceArray, length: number): boolean {
  const { device } = input.living();
  const most = factsOf(input.dtype).bytes > 4 ? mostOfWarp.wide : mostOfWarp.narrow;
  const isMany = input.size / length >= device.properties.multiprocessors * fewRows;
  return onDevice(device, { serial: false, threads: length <= mostOfColumn || (length <= most && isMany) });
}

const bankBytes = 4;

/** Sorts rows that {@link areForWarps}, or columns of up to {@link mostOfColumn}; all contiguous. */
export function sortShort(
  on: Execution,
  values: DeviceArray | null,
  indices: DeviceArray,
  input: DeviceArray,
  { length, inner }: Lines,
  { first, kept }: Wanted,
  descending: boolean,
): void {
  const rows = input.size / length;
  if (rows * kept === 0) return;
  const { threads, pad, placeBytes } = facts();
  const { bytes } = factsOf(input.dtype);
  const room = rooms.find((each) => each >= length) ?? mostOfThread;
  const lanes = 2 ** Math.ceil(Math.log2(Math.max(1, length / mostOfThread)));
  const share = threads / lanes;
  // Elements that the lanes of a row read together lie beside those of the next row, in other banks.
  const banks = Math.max(1, (lanes * bytes) / bankBytes);
  const words = Math.ceil((length * bytes) / bankBytes);
  const padded = Math.ceil(Math.max(0, words - banks) / (2 * banks)) * 2 * banks + banks;
  const stride = (padded * bankBytes) / bytes;
  kernels
    .get(room)!
    .launch(
      on,
      input.dtype,
      { grid: Math.ceil(rows / share), block: threads },
      [input, values, indices, rows, inner, length, lanes, first, kept, stride, Number(descending)],
      inner === 1 ? share * stride * bytes + threads * (room + pad) * placeBytes : 0,
    );
}
