// What may be saved: a tensor, or tensors and lists of texts by their names.
import { TensorError } from "../errors.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { names } from "./table.ts";

/** What tables are made of; lists of texts only of those that are text. */
export type TableInput = Readonly<Record<string, Tensor | readonly string[]>>;
export type Saved = Tensor | TableInput;

/** Tensors by their names, for a format that holds no texts. Throws TensorError. */
export function recordOf(value: Saved, format: string): Record<string, Tensor> {
  if (value instanceof Tensor)
    throw new TensorError(
      "OPERANDS",
      `A .${format} file holds tensors under names: save { x }, an object, or save one tensor as .npy.`,
    );
  for (const [name, each] of Object.entries(value)) if (!(each instanceof Tensor)) throw noTensor(name, each);
  return value as Record<string, Tensor>;
}

const noTensor = (name: string, value: unknown) =>
  new TensorError(
    "OPERANDS",
    `save takes an object of tensors, but ${JSON.stringify(name)} is ${worded(value)}.${adviceFor(value)}`,
  );

function adviceFor(value: unknown): string {
  if (names.has(value)) return " Lists of texts are saved in .csv and .tsv.";
  if (typeof value === "number") return ` Write tensor(${value}).`;
  const isState = Object.values(Object(value)).some((each) => each instanceof Tensor);
  return isState ? " Save that in a file of its own, or spread it among the others: { ...state }." : "";
}

/** Throws TensorError for what is no tensor, and no object of tensors and lists of texts. */
export function checkedValue(value: unknown): Saved {
  if (value instanceof Tensor) return value;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TensorError("OPERANDS", `save takes a tensor, or an object of tensors, but got ${worded(value)}.`);
  for (const [name, each] of Object.entries(value))
    if (!(each instanceof Tensor || (names.has(each) && (each as string[]).length > 0))) throw noTensor(name, each);
  return value as TableInput;
}
