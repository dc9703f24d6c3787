// Texts as numbers: what a column of names becomes for a model.
import { TensorError } from "../errors.ts";
import { tensor } from "../tensor/create.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";

/** `codes`: for each text its place in `names`, which has each text once, in order. */
export interface Categories {
  readonly codes: Tensor<"int64">;
  readonly names: readonly string[];
}

/**
 * A list of texts as numbers, such as for {@link crossEntropy} or {@link embedding}. Texts are in the order of their
 * characters' codes. Throws TensorError for what is no list of texts.
 * @example
 * const { codes, names } = io.categories(["red", "blue", "red"]);
 * codes; // → tensor([1, 0, 1], shape [3], int64, cpu)
 * names; // → [ 'blue', 'red' ]
 */
export function categories(texts: readonly string[], options: { readonly device?: string } = {}): Categories {
  const odd: unknown = Array.isArray(texts) ? texts.find((each) => typeof each !== "string") : texts;
  if (!Array.isArray(texts) || odd !== undefined)
    throw new TensorError(
      "OPERANDS",
      `categories takes a list of texts, such as a column of a table, but got ${worded(odd)}${Array.isArray(texts) ? " in it" : ""}.`,
    );
  const names = [...new Set(texts)].sort((a, b) => (a < b ? -1 : 1));
  const codes = new Map(names.map((name, code) => [name, BigInt(code)]));
  return {
    codes: tensor(
      BigInt64Array.from(texts, (each) => codes.get(each)!),
      options,
    ),
    names,
  };
}
