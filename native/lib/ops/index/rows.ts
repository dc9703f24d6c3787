// Rows at positions, moved or joined by the kernels of device/ops/indexing.cu: into arrays that exist.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { merged, reshapedStrides, sizeOf, type View } from "../../memory/shape.ts";
import { bySize, contiguous, converted, copy } from "../shape/copy.ts";
import { KernelFamily } from "../kernels/library.ts";
import { layoutOf, stridedBlocks } from "../kernels/map.ts";
import { positionsIn, sorted } from "./positions.ts";

// Rows without gaps go by up to 16 bytes at a time.
const take = new KernelFamily("indexing", Object.values(bySize), (type) => `take_rows<${type}>`, [
  "struct",
  "struct",
  "place",
  "place",
  "out",
  "i64",
  "i64",
]);
const takeSixteen = new KernelFamily("indexing", ["uint64"], () => "take_rows<Sixteen>", [
  "struct",
  "struct",
  "place",
  "place",
  "out",
  "i64",
  "i64",
]);
const put = new KernelFamily("indexing", Object.values(bySize), (type) => `put_rows<${type}>`, [
  "struct",
  "struct",
  "place",
  "place",
  "i32",
  "place",
  "out",
  "i64",
  "i64",
  "i64",
]);
/** Dtypes of elements that kernels join; others are joined as a wider one. */
export const joined: readonly DType[] = ["float32", "float64", "float16", "bfloat16", "int32", "int64", "uint64"];
const joins = Object.fromEntries(
  (["add", "prod", "max", "min"] as const).map((name) => [
    name,
    new KernelFamily("indexing", joined, (type) => `join_rows<${name[0]!.toUpperCase()}${name.slice(1)}To, ${type}>`, [
      "struct",
      "struct",
      "place",
      "place",
      "place",
      "out",
      "i64",
      "i64",
      "i64",
    ]),
  ]),
) as Record<Exclude<PutMode, "set">, KernelFamily>;

/**
 * What happens to an element that is written: it becomes the new one (the last, where several come), their sum or
 * product with it, or the largest or smallest of all.
 */
export type PutMode = "set" | "add" | "prod" | "max" | "min";

const part = ({ shape, strides }: View, from: number, to?: number): View => ({
  shape: shape.slice(from, to),
  strides: strides.slice(from, to),
  offset: 0,
});

/** out[b, …] = input[positions[b], …], where positions count the first `lead` axes. `out` is contiguous. */
export function takeRows(
  on: Execution,
  out: DeviceArray,
  input: DeviceArray,
  positions: DeviceArray,
  lead: number,
): void {
  if (out.size === 0) return;
  const { device } = on;
  const count = positions.size;
  const width = sizeOf(input.shape.slice(lead));
  const rest = merged([part(input, lead)]);
  const places = merged([part(input, 0, lead)]);
  const { bytes } = factsOf(input.dtype);
  const isDense = rest.shape.length === 1 && rest.strides[0]![0] === 1;
  const fits = (unit: number) =>
    unit >= bytes &&
    [width * bytes, input.placeLow, out.placeLow, ...places.strides[0]!.map((stride) => stride * bytes)].every(
      (each) => each % unit === 0,
    );
  const unit = isDense ? ([16, 8, 4, 2].find(fits) ?? bytes) : bytes;
  const each = unit / bytes;
  const leadLayout = layoutOf([
    { shape: places.shape, strides: places.strides[0]!.map((stride) => stride / each), offset: 0 },
  ]);
  const restLayout = layoutOf([isDense ? { shape: [width / each], strides: [1], offset: 0 } : part(input, lead)]);
  const kernel = unit === 16 ? takeSixteen.on(device, "uint64") : take.on(device, bySize[unit]!);
  kernel.launch(on, stridedBlocks(device, count * (width / each)), [
    leadLayout,
    restLayout,
    input,
    positions,
    out,
    count,
    width / each,
  ]);
}

/**
 * Writes the rows of `values`, whose shape is that of the positions and then that of a row, to their positions in
 * `out`. `isUnique`: no position comes twice.
 */
export function putRows(
  on: Execution,
  out: DeviceArray,
  positions: DeviceArray<"int64">,
  values: DeviceArray,
  lead: number,
  mode: PutMode,
  isUnique: boolean,
): void {
  if (values.size === 0) return;
  const { device } = on;
  if (mode !== "set" && !joined.includes(out.dtype)) {
    const wide = factsOf(out.dtype).kind === "float" ? "float32" : "int64";
    using target = converted(on, out, wide);
    using source = converted(on, values, wide);
    putRows(on, target, positions, source, lead, mode, isUnique);
    return copy(on, out, target);
  }
  const rank = positions.shape.length;
  const steps = reshapedStrides(part(values, 0, rank), [positions.size]);
  if (steps === null || values.living() === out.living()) {
    using own = DeviceArray.allocate(device, values.dtype, values.shape);
    copy(on, own, values);
    return putRows(on, out, positions, own, lead, mode, isUnique);
  }
  const count = positions.size;
  const width = sizeOf(out.shape.slice(lead));
  const leadLayout = layoutOf([part(out, 0, lead)]);
  const restLayout = layoutOf([part(out, lead), part(values, rank)]);
  const blocks = stridedBlocks(device, count * width);
  using flat = contiguous(on, viewOf(positions, positions));
  if (mode === "set" && isUnique) {
    put.launch(on, bySize[factsOf(out.dtype).bytes]!, blocks, [
      leadLayout,
      restLayout,
      flat,
      null,
      0,
      values,
      out,
      count,
      width,
      steps[0]!,
    ]);
    return;
  }
  using runs = sorted(on, flat, positionsIn(out.shape, lead));
  if (mode === "set")
    put.launch(on, bySize[factsOf(out.dtype).bytes]!, blocks, [
      leadLayout,
      restLayout,
      runs.keys,
      runs.order,
      1,
      values,
      out,
      count,
      width,
      steps[0]!,
    ]);
  else
    joins[mode].launch(on, out.dtype, blocks, [
      leadLayout,
      restLayout,
      runs.keys,
      runs.order,
      values,
      out,
      count,
      width,
      steps[0]!,
    ]);
}
