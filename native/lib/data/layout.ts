// Samples as the plan of a batch: which numbers lie where, before there is any memory for them. Both this thread and
// the workers of a loader make batches of it.
import { TensorError } from "../errors.ts";
import { dtypeOfArray, type DType, type TypedArray } from "../memory/dtype.ts";
import { promoted } from "../memory/promotion.ts";
import { worded } from "../wording.ts";

export type Numbers = TypedArray | Uint8ClampedArray;

/** Numbers that become a tensor; `fill` writes them. */
export interface NumbersLayout {
  readonly dtype: DType;
  readonly shape: readonly number[];
  fill(target: TypedArray): void;
}
/** What a batch is made of: `leaf` makes of the numbers what stands in their place. */
type Leaf<T> = (numbers: NumbersLayout) => T;
/** Of samples that are no plain values; `undefined` for those that are. */
export type Others = (samples: readonly unknown[]) => unknown;

export const isNumbers = (value: unknown): value is Numbers =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);
const isLong = (value: object): boolean => value instanceof BigInt64Array || value instanceof BigUint64Array;

type Plain = "number" | "bigint" | "boolean";
const dtypes: Record<Plain, DType> = { number: "float32", bigint: "int64", boolean: "bool" };

/** The batch of some samples: numbers as `leaf` makes them, texts in an array, arrays and records entry by entry. */
export function laidOut<T>(samples: readonly unknown[], leaf: Leaf<T>, others: Others): unknown {
  const known = others(samples);
  if (known !== undefined) return known;
  const first = samples[0];
  const all = (test: (each: unknown) => boolean) => samples.every(test);
  for (const kind of ["number", "bigint", "boolean"] as const)
    if (all((each) => typeof each === kind))
      return leaf({
        dtype: dtypes[kind],
        shape: [samples.length],
        fill: (target) => (target as Float32Array).set(samples as number[]),
      });
  if (all((each) => typeof each === "string")) return [...samples];
  if (all(isNumbers)) return leaf(stacked(samples as readonly Numbers[]));
  if (all(Array.isArray)) {
    const lists = samples as readonly (readonly unknown[])[];
    const odd = lists.find((each) => each.length !== lists[0]!.length);
    if (odd !== undefined) throw otherLength(lists[0]!.length, odd.length);
    return lists[0]!.map((_, index) =>
      laidOut(
        lists.map((each) => each[index]),
        leaf,
        others,
      ),
    );
  }
  if (all((each) => typeof each === "object" && each !== null && !Array.isArray(each))) {
    const records = samples as readonly Readonly<Record<string, unknown>>[];
    const keys = Object.keys(records[0]!);
    const odd = records.find((each) => keys.some((key) => !(key in each)));
    if (odd !== undefined)
      throw new TensorError(
        "OPERANDS",
        `A batch takes samples of the same names, but one has ${keys.join(", ")} and another ${Object.keys(odd).join(", ")}: pass collate.`,
      );
    return Object.fromEntries(
      keys.map((key) => [
        key,
        laidOut(
          records.map((each) => each[key]),
          leaf,
          others,
        ),
      ]),
    );
  }
  const odd = samples.find((each) => typeof each !== typeof first || (each === null) !== (first === null));
  throw new TensorError(
    "OPERANDS",
    `A batch is made of numbers, texts, tensors, or arrays and records of them, but a sample has ${worded(odd ?? first)}: pass collate, which makes a batch of samples.`,
  );
}

const otherLength = (one: number, another: number) =>
  new TensorError(
    "SHAPE",
    `A batch takes samples of one length, but one has ${one} entries and another ${another}: pass collate, which pads them.`,
  );

function stacked(rows: readonly Numbers[]): NumbersLayout {
  const { length } = rows[0]!;
  const odd = rows.find((each) => each.length !== length);
  if (odd !== undefined) throw otherLength(length, odd.length);
  const dtype = rows.map((each) => dtypeOfArray(each)!).reduce(promoted);
  const fill = (target: TypedArray) => {
    const to = target as Float64Array;
    for (const [index, row] of rows.entries()) {
      const isSame = isLong(target) === isLong(row);
      const numbers = isSame ? row : Array.from(row as Float64Array, isLong(target) ? (BigInt as never) : Number);
      to.set(numbers as Float64Array, index * length);
    }
  };
  return { dtype, shape: [rows.length, length], fill };
}
