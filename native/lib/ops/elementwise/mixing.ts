// Mixtures of two tensors: kernels of device/ops/arithmetic.cu for a number, or a third tensor, that says how much of
// each.
import { DeviceArray } from "../../memory/array.ts";
import type { DType } from "../../memory/dtype.ts";
import { promoted } from "../../memory/promotion.ts";
import { broadcast } from "../../memory/shape.ts";
import { withDType, withoutTurns } from "../shape/copy.ts";
import { KernelFamily, type LibraryArgument } from "../kernels/library.ts";
import { broadcastLayout, flatBlocks, sameShape, stridedBlocks, widestOf } from "../kernels/map.ts";
import type { Execution } from "../../device/execution.ts";
import type { Computation, Operand } from "../core/operation.ts";
import { computingDType, costOf, floats, unbroadcast } from "./elementwise.ts";
import { mul, sub } from "../core/terms.ts";

const flat = new KernelFamily("arithmetic", floats, (type) => `pair_number<Lerp, ${type}, ${type}>`, [
  "place",
  "place",
  "wide",
  "out",
  "i64",
]);
const strided = new KernelFamily("arithmetic", floats, (type) => `pair_number_strided<Lerp, ${type}, ${type}>`, [
  "struct",
  "place",
  "place",
  "wide",
  "out",
  "i64",
]);
const ofThree = new KernelFamily("arithmetic", floats, (type) => `ternary_strided<Lerp, ${type}, ${type}>`, [
  "struct",
  "place",
  "place",
  "place",
  "out",
  "i64",
]);

const arraysOf = (operands: readonly Operand[]) => operands.filter((operand) => operand instanceof DeviceArray);

/** Calls `use` with the arrays among the operands as `dtype`, in rows that a processor goes along. */
function prepared(
  on: Execution,
  operands: readonly Operand[],
  dtype: DType,
  use: (operands: readonly LibraryArgument[]) => void,
  done: readonly LibraryArgument[] = [],
): void {
  const next = operands[done.length];
  if (next === undefined) return use(done);
  if (!(next instanceof DeviceArray)) return prepared(on, operands, dtype, use, [...done, Number(next)]);
  withDType(on, next, dtype, (array) =>
    withoutTurns(on, array, (rows) => prepared(on, operands, dtype, use, [...done, rows])),
  );
}

/** x + weight · (end − x), all broadcast. */
const lerp: Computation<[x: DeviceArray, end: DeviceArray, weight: Operand], Readonly<Record<string, never>>> = {
  inPlace: true,
  infer(operands) {
    const arrays = arraysOf(operands);
    const shape = arrays.map((each) => each.shape).reduce((a, b) => (sameShape(a, b) ? a : broadcast(a, b)));
    return [{ shape, dtype: computingDType("float", arrays.map(({ dtype }) => dtype).reduce(promoted), "lerp") }];
  },
  run([target], operands, _, on) {
    const out = target!;
    prepared(on, operands, out.dtype, (args) => {
      const arrays = args.filter((each) => each instanceof DeviceArray);
      if (
        arrays.length === 2 &&
        [out, ...arrays].every((each) => each.isContiguous && sameShape(each.shape, out.shape))
      )
        return flat.launch(on, out.dtype, flatBlocks(on.device, out.size, widestOf(out)), [...args, out, out.size]);
      const family = arrays.length === 2 ? strided : ofThree;
      family.launch(on, out.dtype, stridedBlocks(on.device, out.size), [
        broadcastLayout(out, arrays),
        ...args,
        out,
        out.size,
      ]);
    });
  },
  element(operands) {
    const dtype = computingDType(
      "float",
      arraysOf(operands)
        .map((each) => each.dtype)
        .reduce(promoted),
      "lerp",
    );
    return { functor: "Lerp", operands: operands.map((operand) => [operand, dtype]), dtype };
  },
  gradient: ([g], { inputs: [x, end, weight], wanted }) => [
    wanted[0] ? unbroadcast(mul(g!, weight instanceof DeviceArray ? sub(1, weight) : 1 - Number(weight)), x) : null,
    wanted[1] ? unbroadcast(mul(g!, weight), end) : null,
    wanted[2] ? unbroadcast(mul(g!, sub(end, x)), weight) : null,
  ],
  cost: costOf(4),
};

export const mixingRows = { lerp } as const;
