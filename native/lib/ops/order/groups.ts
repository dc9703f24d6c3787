// Groups of equal elements of a list, in their order, by sorting it (device/ops/indexing.cu).
import type { Execution } from "../../device/execution.ts";
import { DeviceArray } from "../../memory/array.ts";
import { withFlat } from "../shape/copy.ts";
import { KernelFamily } from "../kernels/library.ts";
import { stridedBlocks } from "../kernels/map.ts";
import { countedTrue, partsOf } from "../index/positions.ts";
import { sortDTypes } from "./short.ts";
import { checkedRows, sortedAs, sortRows } from "./sort.ts";

const mark = new KernelFamily("indexing", sortDTypes, (type) => `mark_groups<${type}>`, ["place", "out", "i64"]);
const place = new KernelFamily("indexing", ["bool"], () => "place_groups", [
  "place",
  "place",
  "place",
  "out",
  "out",
  "out",
  "i64",
  "i64",
]);
const count = new KernelFamily("indexing", ["bool"], () => "count_groups", ["place", "out", "i64", "i64"]);

/** Of each group the position of its first element and how many it has; of each element the number of its group. */
export interface Groups {
  readonly first: DeviceArray<"int64">;
  readonly counts: DeviceArray<"int64">;
  readonly inverse: DeviceArray<"int64">;
}

/** The groups of a list that is not empty; NaNs have one each. Waits for the device to count them. */
export function groupsOf(on: Execution, list: DeviceArray): Groups {
  const { device } = on;
  const { size } = list;
  checkedRows("unique", list, 0);
  const dtype = sortedAs(list.dtype);
  const inverse = DeviceArray.allocate(device, "int64", [size]);
  using order = DeviceArray.allocate(device, "int64", [size]);
  using isFirst = DeviceArray.allocate(device, "bool", [size]);
  withFlat(on, list, dtype, (flat) => {
    using values = DeviceArray.allocate(device, dtype, [size]);
    sortRows(on, { values, indices: order }, flat, { length: size, inner: 1 }, false);
    mark.launch(on, dtype, stridedBlocks(device, size), [values, isFirst, size]);
  });
  using counted = countedTrue(on, isFirst);
  const { total } = counted;
  const { chunk, blocks } = partsOf(isFirst, on);
  using begins = DeviceArray.allocate(device, "int64", [total]);
  const first = DeviceArray.allocate(device, "int64", [total]);
  const counts = DeviceArray.allocate(device, "int64", [total]);
  place.launch(on, "bool", blocks, [isFirst, counted.starts, order, begins, first, inverse, size, chunk]);
  count.launch(on, "bool", stridedBlocks(device, total), [begins, counts, total, size]);
  return { first, counts, inverse };
}
