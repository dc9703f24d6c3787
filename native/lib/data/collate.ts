// Samples as one batch: what is a number in each becomes a tensor of them, and so does what is a tensor.
import { TensorError } from "../errors.ts";
import { tensor } from "../tensor/create.ts";
import { stack } from "../tensor/joining.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";

type Numbers =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** What a batch of samples is. */
export type Collated<S> = S extends Tensor | Numbers | number | bigint | boolean
  ? Tensor
  : S extends string
    ? string[]
    : S extends readonly unknown[]
      ? { -readonly [K in keyof S]: Collated<S[K]> }
      : S extends object
        ? { -readonly [K in keyof S]: Collated<S[K]> }
        : S[];

export const isNumbers = (value: unknown): value is Numbers =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);

/** Tensors of numbers are made on `device`, or on the default one. */
export function collated(samples: readonly unknown[], device: string | undefined): unknown {
  const on = device === undefined ? {} : { device };
  const first = samples[0];
  const all = (test: (each: unknown) => boolean) => samples.every(test);
  if (all((each) => each instanceof Tensor)) return moved(stack(samples as Tensor[]) as Tensor, device);
  if (all((each) => typeof each === "number")) return tensor(samples as number[], on);
  if (all((each) => typeof each === "bigint")) return tensor(samples as bigint[], { ...on, dtype: "int64" });
  if (all((each) => typeof each === "boolean")) return tensor(samples as boolean[], { ...on, dtype: "bool" });
  if (all((each) => typeof each === "string")) return [...samples];
  if (all(isNumbers)) return stackedNumbers(samples as Numbers[], on);
  if (all(Array.isArray)) {
    const lists = samples as readonly (readonly unknown[])[];
    const odd = lists.find((each) => each.length !== lists[0]!.length);
    if (odd !== undefined)
      throw new TensorError(
        "SHAPE",
        `A batch takes samples of one length, but one has ${lists[0]!.length} entries and another ${odd.length}: pass collate, which pads them.`,
      );
    return lists[0]!.map((_, index) =>
      collated(
        lists.map((each) => each[index]),
        device,
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
        collated(
          records.map((each) => each[key]),
          device,
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

function stackedNumbers(samples: readonly Numbers[], on: { readonly device?: string }): Tensor {
  const rows = samples.map((each) => tensor(each as Float32Array, on));
  const made = stack(rows);
  for (const each of rows) each.dispose();
  return made as Tensor;
}

/** On the device, if one is named. */
export function moved(x: Tensor, device: string | undefined): Tensor {
  if (device === undefined || x.device === device) return x;
  const there = x.to(device);
  if (there !== x) x.dispose();
  return there;
}
