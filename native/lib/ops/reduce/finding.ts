// The first element of a kind behind a place of a contiguous array, looked for on the device.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { onDevice, threadsOf } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { bytesOf, viewedDTypes } from "./cells.ts";

/** What an element is: NaN, an infinity of either sign, or equal to a number. */
export type Sought = "nan" | "infinity" | { readonly equal: number };

const kinds = kernelFacts("views", { nan: "kIsNan", infinity: "kIsInfinite", equal: "kIsEqual" });
const find = new KernelFamily("views", viewedDTypes, (type) => `find<${type}>`, [
  "place",
  "i64",
  "i64",
  "i64",
  "i64",
  "f64",
  "out",
]);
const threads = 256;
/** Elements that are looked through before what was found is read. */
const stride = 2 ** 26;

/** The first of the elements `first` … `end` − 1; `null`: there is none. */
export function findFirst(
  on: Execution,
  array: DeviceArray,
  sought: Sought,
  first: number,
  end: number,
): number | null {
  const { device } = on;
  const block = threadsOf(device, threads);
  const most = onDevice(device, { serial: 64, threads: 8 * device.properties.multiprocessors });
  const isEqual = typeof sought === "object";
  for (let from = first; from < end; from += stride) {
    const to = Math.min(end, from + stride);
    const chunk = Math.max(Math.ceil((to - from) / most), 16 * threads);
    const grid = Math.ceil((to - from) / chunk);
    using found = DeviceArray.allocate(device, "int64", [grid * block]);
    const kind = kinds()[isEqual ? "equal" : sought];
    find.launch(on, array.dtype, { grid, block }, [array, from, to, chunk, kind, isEqual ? sought.equal : 0, found]);
    const places = new BigInt64Array(bytesOf(on, found).buffer);
    const least = places.reduce((least, place) => (place >= 0n && (least < 0n || place < least) ? place : least), -1n);
    if (least >= 0n) return Number(least);
  }
  return null;
}
