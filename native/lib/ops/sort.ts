// Sorting along an axis, and searching in what is sorted: stable, by integer keys, NaN last (device/ops/sort.cu).
import { DeviceArray, viewOf } from "../memory/array.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { TensorError } from "../errors.ts";
import { formatShape, sizeOf, transposed } from "../memory/shape.ts";
import { takeAlong } from "./along.ts";
import { call } from "./calls.ts";
import { contiguous, copy, withDType, withFlat } from "./copy.ts";
import { bytesMoved } from "./elementwise.ts";
import { KernelFamily } from "./library.ts";
import { flatGrid, sameShape, stridedGrid, widestOf } from "./map.ts";
import type { Computation } from "./operation.ts";
import { scanInto } from "./scan.ts";

const dtypes: readonly DType[] = ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "uint64"];
const keyDTypes: readonly DType[] = ["uint32", "uint64"];
const keys = new KernelFamily("sort", dtypes, (type) => `sort_keys<${type}>`, ["place", "out", "i64", "i32"]);
const rows = new KernelFamily("sort", dtypes, (type) => `sort_rows<${type}>`, ["place", "out", "out", "i64", "i64", "i32"]);
const search = new KernelFamily("sort", dtypes, (type) => `search_sorted<${type}>`, ["place", "place", "out", "i64", "i64", "i64", "i32"]);
const counting = new KernelFamily("sort", keyDTypes, (type) => `sort_counts<${type}>`, ["place", "out", "i64", "i64", "i64", "i32"]);
const scattering = new KernelFamily("sort", keyDTypes, (type) => `sort_scatter<${type}>`, ["place", "place", "out", "out", "place", "place", "i64", "i64", "i64", "i32"]);

const digits = 256;
const threads = 256;
/** Elements of a tile of the GPU, by the bytes of a key. */
const tileOf = { 4: 4096, 8: 2048 } as const;

/** The dtype whose kernels sort a dtype: itself, or one that holds it in the same order. */
export function sortedAs(dtype: DType): DType {
  if (dtypes.includes(dtype)) return dtype;
  return dtype === "bool" ? "uint8" : dtype === "uint32" ? "int64" : "int32";
}

export interface Sorting { readonly axis: number; readonly descending: boolean; }

/** Fills `out`, int64 of the input's shape, with the positions along the last axis in sorted order. Both are contiguous. */
function sortRows(out: DeviceArray, input: DeviceArray, descending: boolean): void {
  const { device } = out.living();
  const { dtype } = input;
  const { libraryBlock, multiprocessors } = device.properties;
  const isSerial = libraryBlock === 1;
  const length = input.shape.at(-1) ?? 1;
  const outer = input.size / length;
  const bytes = factsOf(dtype).bytes;
  const keyBytes = bytes === 8 ? 8 : 4;
  const direction = Number(descending);
  const isWhole = isSerial ? multiprocessors === 1 || outer >= multiprocessors || length < 65536 : length <= tileOf[keyBytes];
  if (isWhole) {
    const grid = isSerial ? Math.min(outer, Math.max(1, Math.min(multiprocessors * 4, Math.ceil(input.size / 2048)))) : outer;
    using scratch = isSerial ? DeviceArray.allocate(device, "uint8", [grid * 4 * length * keyBytes]) : null;
    rows.on(device, dtype).launch(grid, isSerial ? 1 : threads, [input, out, scratch, outer, length, direction]);
    return;
  }
  const tile = isSerial ? Math.ceil(length / (multiprocessors * 2)) : tileOf[keyBytes];
  const tiles = Math.ceil(length / tile);
  const keyDType = keyBytes === 8 ? "uint64" : "uint32";
  const made = [keyDType, keyDType, "uint32", "uint32"].map((each) => DeviceArray.allocate(device, each as DType, [input.size]));
  using counts = DeviceArray.allocate(device, "int64", [outer, digits * tiles]);
  using sums = DeviceArray.allocate(device, "int64", [outer, digits * tiles]);
  let [from, to, places, toPlaces] = made as [DeviceArray, DeviceArray, DeviceArray, DeviceArray];
  keys.on(device, dtype).launch(flatGrid(device, input.size, widestOf(input, from)), libraryBlock, [input, from, input.size, direction]);
  for (let pass = 0; pass < bytes; pass++) {
    counting.on(device, keyDType).launch(outer * tiles, isSerial ? 1 : threads, [from, counts, length, tiles, tile, 8 * pass]);
    scanInto("cumsum", [sums], counts, { axis: 1 });
    scattering.on(device, keyDType).launch(outer * tiles, isSerial ? 1 : threads, [from, pass === 0 ? null : places, to, toPlaces, counts, sums, length, tiles, tile, 8 * pass]);
    [from, to, places, toPlaces] = [to, from, toPlaces, places];
  }
  using found = new DeviceArray(places.living().hold(), "uint32", { shape: out.shape, strides: out.strides, offset: 0 });
  copy(out, found);
  for (const array of made) array.dispose();
}

/** The array with an axis moved last, contiguous. */
function withAxisLast(array: DeviceArray, axis: number, use: (moved: DeviceArray, order: readonly number[]) => void): void {
  const rank = array.shape.length;
  const order = [...Array(rank).keys()].filter((each) => each !== axis).concat(rank === 0 ? [] : [axis]);
  using view = viewOf(array, transposed(array, order));
  using moved = contiguous(view);
  use(moved, order);
}

/** Positions in sorted order: what sort and argsort share. */
function argsortInto(out: DeviceArray, input: DeviceArray, { axis, descending }: Sorting): void {
  withDType(input, sortedAs(input.dtype), (source) => withAxisLast(source, axis, (moved, order) => {
    if (sameShape(moved.shape, out.shape) && out.isContiguous && axis === Math.max(0, out.shape.length - 1)) return sortRows(out, moved, descending);
    using found = DeviceArray.allocate(out.living().device, "int64", moved.shape);
    sortRows(found, moved, descending);
    using back = viewOf(out, transposed(out, order));
    copy(back, found);
  }));
}

function checked(name: string, x: DeviceArray, axis: number): void {
  if (factsOf(x.dtype).isStorage) throw new TensorError("DTYPE", `${name} takes numbers that compute but got ${x.dtype}: convert it, e.g. with .to("float32").`);
  if ((x.shape[axis] ?? 1) >= 2 ** 32) throw new TensorError("SHAPE", `${name} takes rows of fewer than 2^32 elements but got shape ${formatShape(x.shape)}.`);
}

const work = (x: DeviceArray) => x.size * Math.ceil(Math.log2(Math.max(2, x.size)));

const sort: Computation<Sorting> = {
  inPlace: false,
  infer([x], { axis }) {
    const { shape, dtype } = x as DeviceArray;
    checked("sort", x as DeviceArray, axis);
    return [{ shape, dtype }, { shape, dtype: "int64" }];
  },
  run([values, indices], [x], attributes) {
    argsortInto(indices!, x as DeviceArray, attributes);
    takeAlong.run([values!], [x!, indices!], attributes);
  },
  gradient: ([g], { inputs: [x], outputs: [, indices], attributes: { axis } }) => [g === null ? null : call("putAlong", [g!, indices!], { axis, length: (x as DeviceArray).shape[axis] ?? 1 })],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: work(inputs[0] as DeviceArray) }),
};

const argsort: Computation<Sorting> = {
  inPlace: false,
  infer([x], { axis }) {
    checked("argsort", x as DeviceArray, axis);
    return [{ shape: (x as DeviceArray).shape, dtype: "int64" }];
  },
  run: ([out], [x], attributes) => argsortInto(out!, x as DeviceArray, attributes),
  gradient: null,
  cost: sort.cost,
};

/** Where values go in sorted rows: [rows…, length] and [rows…, values], or one row for values of any shape. */
const searchsorted: Computation<{ right: boolean }> = {
  inPlace: false,
  infer([sorted, values]) {
    const [row, wanted] = [sorted as DeviceArray, values as DeviceArray];
    if (row.dtype !== wanted.dtype) throw new TensorError("DTYPE", `searchsorted takes values of the dtype of the sorted tensor, ${row.dtype}, but got ${wanted.dtype}: convert one, e.g. with .to("${row.dtype}").`);
    checked("searchsorted", row, row.shape.length - 1);
    if (row.shape.length === 0 || (row.shape.length > 1 && !sameShape(row.shape.slice(0, -1), wanted.shape.slice(0, -1)))) {
      throw new TensorError("SHAPE", `searchsorted takes one sorted row, or as many as there are rows of values, but got shapes ${formatShape(row.shape)} and ${formatShape(wanted.shape)}.`);
    }
    return [{ shape: wanted.shape, dtype: "int64" }];
  },
  run([out], [sorted, values], { right }) {
    const { device } = out!.living();
    const dtype = sortedAs((sorted as DeviceArray).dtype);
    withFlat(sorted as DeviceArray, dtype, (row) => withFlat(values as DeviceArray, dtype, (wanted) => {
      const perRow = row.shape.length === 1 ? wanted.size : wanted.shape.at(-1)!;
      const grid = device.properties.libraryBlock === 1 ? stridedGrid(device, out!.size) : Math.ceil(out!.size / threads);
      search.on(device, dtype).launch(grid, device.properties.libraryBlock === 1 ? 1 : threads, [row, wanted, out!, out!.size, row.shape.at(-1)!, perRow, Number(right)]);
    }));
  },
  gradient: null,
  cost: (inputs, outputs) => ({ bytes: bytesMoved(outputs) * 2, flops: outputs[0]!.size * Math.ceil(Math.log2(Math.max(2, sizeOf((inputs[0] as DeviceArray).shape)))) }),
};

export const orderRows = { sort, argsort, searchsorted } as const;
