// Which tensors of a file are wanted, and what they are called here.
import { TensorError } from "../errors.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";

/** What a tensor of a file is called here; `null` leaves it out. */
export type Rename = (name: string) => string | null;

/** Names of a file to load, all when `null`, and what becomes of them. */
export interface Naming {
  readonly only: ReadonlySet<string> | null;
  readonly rename: Rename | null;
  /** What they are, for messages; "tensor" when left out. */
  readonly noun?: string;
}

/**
 * What is wanted of the names of a file: their places, and what they are called here. Throws TensorError for a name
 * that the file does not have, and for two that would become one.
 */
export function chosenNames(
  file: string,
  names: readonly string[],
  { only, rename, noun = "tensor" }: Naming,
): { readonly index: number; readonly name: string; readonly called: string }[] {
  const present = new Set(names);
  const missing = [...(only ?? [])].find((name) => !present.has(name));
  if (missing !== undefined)
    throw new TensorError(
      "NAME",
      `${file} has no ${noun} ${JSON.stringify(missing)}. It has ${
        names
          .slice(0, 20)
          .map((name) => JSON.stringify(name))
          .join(", ") || "none"
      }${names.length > 20 ? ", …" : ""}.`,
    );
  const takenBy = new Map<string, string>();
  return names.flatMap((name, index) => {
    if (only?.has(name) === false) return [];
    const called: unknown = rename === null ? name : rename(name);
    if (called === null) return [];
    if (typeof called !== "string")
      throw new TensorError(
        "OPTIONS",
        `rename gives the name of a ${noun}, or null to leave it out, but gave ${worded(called)} for ${JSON.stringify(name)}.`,
      );
    const other = takenBy.get(called);
    // A file may name the same entry twice by itself: the later one counts.
    if (other !== undefined && other !== name)
      throw new TensorError(
        "NAME",
        `rename gives ${JSON.stringify(called)} for both ${JSON.stringify(other)} and ${JSON.stringify(name)}.`,
      );
    takenBy.set(called, name);
    return [{ index, name, called }];
  });
}

/** What is wanted of a file with its names, made by `make` one after another; no tensor is left over when one fails. */
export function entriesMade<T extends Tensor | string[]>(
  file: string,
  names: readonly string[],
  naming: Naming,
  make: (index: number) => T,
): [name: string, made: T][] {
  const made: [string, T][] = [];
  try {
    for (const { index, called } of chosenNames(file, names, naming)) made.push([called, make(index)]);
  } catch (error) {
    for (const [, each] of made) if (!Array.isArray(each)) each.dispose();
    throw error;
  }
  return made;
}

/** {@link entriesMade} as a record. */
export const madeOf = (
  file: string,
  names: readonly string[],
  naming: Naming,
  make: (index: number) => Tensor,
): Record<string, Tensor> => Object.fromEntries(entriesMade(file, names, naming, make));
