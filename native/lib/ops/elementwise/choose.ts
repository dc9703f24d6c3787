// One of two by a condition: kernels of device/ops/choose.cu for tensors and numbers on either side.
import type { Execution } from "../../device/execution.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { factsOf } from "../../memory/dtype.ts";
import { bySize, fill, withDType } from "../shape/copy.ts";
import { KernelFamily, type LibraryArgument, type ParameterKind } from "../kernels/library.ts";
import { broadcastLayout, flatBlocks, sameShape, stridedBlocks } from "../kernels/map.ts";
import type { Scalar } from "../core/operation.ts";

const sized = Object.values(bySize);
/** What a number fits in that a launch takes. */
const mostOfNumber = 8;
const ofNumbers = sized.filter((dtype) => factsOf(dtype).bytes <= mostOfNumber);
/** A kernel over arrays without gaps, and one over any. */
const pair = (name: string, kinds: readonly ParameterKind[], sized = ofNumbers) => ({
  flat: new KernelFamily("choose", sized, (type) => `${name}<${type}>`, [...kinds, "out", "i64"]),
  strided: new KernelFamily("choose", sized, (type) => `${name}_strided<${type}>`, ["struct", ...kinds, "out", "i64"]),
});
const kernels = {
  arrays: pair("choose", ["place", "place", "place"], sized),
  number: pair("choose_number", ["place", "i32", "place", "wide"]),
  numbers: pair("choose_numbers", ["place", "wide", "wide"]),
};

/** out = condition ? a : b, all broadcast to the shape of `out`, in its dtype, which holds the numbers. */
export function choose(
  on: Execution,
  out: DeviceArray,
  condition: DeviceArray,
  a: DeviceArray | Scalar,
  b: DeviceArray | Scalar,
): void {
  if (out.size === 0) return;
  const { encode, bytes } = factsOf(out.dtype);
  if (bytes > mostOfNumber && !(a instanceof DeviceArray && b instanceof DeviceArray)) {
    using first = asArray(on, out, a);
    using second = asArray(on, out, b);
    return choose(on, out, condition, first, second);
  }
  const [first, second] = [a, b].map((each) => (each instanceof DeviceArray ? null : encode(each)));
  if (first != null && second != null) return launch(on, "numbers", out, [condition], [condition, first, second]);
  const number = first ?? second;
  if (number != null)
    return withDType(on, (first != null ? b : a) as DeviceArray, out.dtype, (x) =>
      launch(on, "number", out, [condition, x], [condition, first != null ? 0 : 1, x, number]),
    );
  withDType(on, a as DeviceArray, out.dtype, (x) =>
    withDType(on, b as DeviceArray, out.dtype, (y) => launch(on, "arrays", out, [condition, x, y], [condition, x, y])),
  );
}

/** A number as an array of the dtype of `like`; an array held once more. */
function asArray(on: Execution, like: DeviceArray, value: DeviceArray | Scalar): DeviceArray {
  if (value instanceof DeviceArray) return viewOf(value, value);
  const one = DeviceArray.allocate(on.device, like.dtype, []);
  fill(on, one, value);
  return one;
}

function launch(
  on: Execution,
  kind: keyof typeof kernels,
  out: DeviceArray,
  operands: readonly DeviceArray[],
  args: readonly LibraryArgument[],
): void {
  const { device } = on;
  const { bytes } = factsOf(out.dtype);
  const dtype = bySize[bytes]!;
  const isFlat = [out, ...operands].every((each) => each.isContiguous && sameShape(each.shape, out.shape));
  const { flat, strided } = kernels[kind];
  if (isFlat) flat.launch(on, dtype, flatBlocks(device, out.size, bytes), [...args, out, out.size]);
  else
    strided.launch(on, dtype, stridedBlocks(device, out.size), [
      broadcastLayout(out, operands),
      ...args,
      out,
      out.size,
    ]);
}
