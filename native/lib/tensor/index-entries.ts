// What stands between the brackets of an index: turns the entries that a user gives into a window on the tensor and
// positions over its leading axes.
import { TensorError } from "../errors.ts";
import { DeviceArray } from "../memory/array.ts";
import { factsOf } from "../memory/dtype.ts";
import { broadcast, formatShape, maxRank, sizeOf, type AxisSlice, type Shape, type Window } from "../memory/shape.ts";
import { positionsOf, positionsOfTrue, type IndexTerm } from "../ops/index/positions.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { worded } from "../wording.ts";
import { tensor } from "./create.ts";
import { Tensor, type Nested } from "./tensor.ts";

/**
 * Among the entries of {@link Tensor.get}: a new axis of size 1, as NumPy's `None`.
 * @example
 * zeros([3]).get(newAxis).shape; // → [ 1, 3 ]
 */
export const newAxis = "newAxis" as const;

/**
 * One entry of an index. An integer, `[start, stop, step]` or `null` (all) for an axis, as in `slice`; `"..."` for all
 * axes that no other entry takes; {@link newAxis}; indices: a tensor of integers, an Int32Array, a BigInt64Array, or
 * either of them, or arrays, as `{ at: [0, 2, 1] }`; a mask: a tensor of bool, which takes as many axes as it has.
 */
export type IndexEntry =
  | AxisSlice
  | "..."
  | typeof newAxis
  | Tensor
  | Int32Array
  | BigInt64Array
  | { readonly at: Nested<number> | Tensor };

/**
 * What entries select: a part of a tensor, and there, if there are index arrays or masks, positions over its first
 * `lead` axes.
 */
export interface Selection {
  readonly window: Window;
  readonly lead: number;
  readonly positions: DeviceArray<"int64"> | null;
  readonly isUnique: boolean;
  /** Axes behind the leading ones that come before those of the positions in the result. */
  readonly before: number;
}

/** Indices that a user gave; `numbers`: those in arrays of JavaScript's, of which the tensor was made here. */
export interface Given {
  readonly indices: Tensor;
  readonly numbers: Iterable<unknown> | null;
}

/** Indices as a tensor. Throws TensorError for other than integers. */
export function indicesOf(given: unknown, like: DeviceArray, use: string): Given {
  const { name } = like.deviceProcess;
  if (given instanceof Tensor) {
    if (factsOf(given.dtype).kind !== "int")
      throw new TensorError(
        "DTYPE",
        `${use} takes integer indices but got a tensor of ${given.dtype}: convert it, e.g. with .to("int64").`,
      );
    if (given.deviceProcess !== like.deviceProcess)
      throw new TensorError(
        "DEVICE",
        `${use} got indices on ${given.device} for a tensor on ${name}: copy them with .to("${name}").`,
      );
    return { indices: given, numbers: null };
  }
  if (given instanceof Int32Array || given instanceof BigInt64Array)
    return { indices: tensor(given as Int32Array, { device: name }), numbers: given };
  if (typeof given === "number" || Array.isArray(given))
    return {
      indices: tensor(given as Nested<number>, { dtype: "int64", device: name }),
      numbers: ([given] as unknown[]).flat(maxRank + 1),
    };
  throw new TensorError("INDEX", `${use} takes indices as a tensor of integers or an array but got ${worded(given)}.`);
}

type Dimension = { readonly kind: "kept" | "new" } | { readonly kind: "indexed"; readonly group: number };
interface Group {
  readonly axis: number;
  readonly size: number;
  readonly indices: DeviceArray;
  readonly isChecked: boolean;
}

const isMask = (entry: unknown): entry is Tensor => entry instanceof Tensor && entry.dtype === "bool";
const isListed = (entry: unknown): entry is { readonly at: unknown } =>
  typeof entry === "object" && entry !== null && Object.hasOwn(entry, "at");
const isIndices = (entry: unknown): boolean =>
  (entry instanceof Tensor && !isMask(entry)) || ArrayBuffer.isView(entry) || isListed(entry);
const axesOf = (entry: IndexEntry): number =>
  entry === newAxis || entry === "..." ? 0 : isMask(entry) ? entry.shape.length : 1;

/**
 * Reads the entries. Waits for the device where there is a mask, or indices that only the device knows. Throws
 * TensorError for entries that do not fit the tensor.
 */
export function selected(x: Tensor, entries: readonly IndexEntry[]): Selection {
  const rank = x.shape.length;
  const taken = entries.reduce<number>((sum, entry) => sum + axesOf(entry), 0);
  if (taken > rank)
    throw new TensorError(
      "INDEX",
      `The index has entries for ${taken} axes, but shape ${formatShape(x.shape)} has ${rank}.`,
    );
  if (entries.filter((entry) => entry === "...").length > 1)
    throw new TensorError("INDEX", 'An index has "..." at most once.');
  const whole = Array<null>(rank - taken).fill(null);
  const full = entries.includes("...")
    ? entries.flatMap<IndexEntry>((entry) => (entry === "..." ? whole : [entry]))
    : [...entries, ...whole];

  const slices: AxisSlice[] = [];
  const dimensions: Dimension[] = [];
  const groups: Group[] = [];
  for (const entry of full) {
    const axis = slices.length;
    if (entry === newAxis) dimensions.push({ kind: "new" });
    else if (isMask(entry)) {
      const covered = x.shape.slice(axis, axis + entry.shape.length);
      // An axis of a mask without elements fits every axis, as in NumPy: nothing is chosen.
      const fits =
        covered.length === entry.shape.length && covered.every((size, at) => [size, 0].includes(entry.shape[at]!));
      if (!fits)
        throw new TensorError(
          "INDEX",
          `A mask of shape ${formatShape(entry.shape)} does not fit ${covered.length === 1 ? `axis ${axis}` : `the ${covered.length} axes from ${axis} on`} of shape ${formatShape(x.shape)}.`,
        );
      if (entry.deviceProcess !== x.deviceProcess)
        throw new TensorError(
          "DEVICE",
          `The mask is on ${entry.device}, the tensor on ${x.device}: copy one with .to("${x.device}").`,
        );
      covered.forEach(() => {
        slices.push(null);
        dimensions.push({ kind: "indexed", group: groups.length });
      });
      groups.push({ axis, size: sizeOf(covered), indices: positionsOfTrue(entry.execution, entry), isChecked: true });
    } else if (isIndices(entry)) {
      const given = indicesOf(isListed(entry) ? entry.at : entry, x, "get");
      slices.push(null);
      dimensions.push({ kind: "indexed", group: groups.length });
      groups.push({ ...alongAxis(x, axis, given) });
    } else {
      slices.push(entry as AxisSlice);
      if (typeof entry !== "number") dimensions.push({ kind: "kept" });
    }
  }
  const added = dimensions.flatMap(({ kind }, at) => (kind === "new" ? [at] : []));
  if (groups.length === 0) return { window: { slices, added }, lead: 0, positions: null, isUnique: true, before: 0 };

  const indexed = dimensions.flatMap(({ kind }, at) => (kind === "indexed" ? [at] : []));
  const others = dimensions.flatMap(({ kind }, at) => (kind === "indexed" ? [] : [at]));
  const isTogether = indexed.at(-1)! - indexed[0]! === indexed.length - 1;
  const isMaskAlone = groups.length === 1 && full.some(isMask);
  return {
    window: { slices, added, axes: [...indexed, ...others] },
    lead: indexed.length,
    positions: isMaskAlone ? (groups[0]!.indices as DeviceArray<"int64">) : combined(x, groups),
    isUnique: isMaskAlone,
    before: isTogether ? indexed[0]! : 0,
  };
}

/**
 * The indices for an axis. What JavaScript gave is little: it is looked at here, so that nobody waits for the device;
 * what is outside is left to the message of positionsOf.
 */
export function alongAxis(x: DeviceArray, axis: number, { indices, numbers }: Given): Group {
  const size = x.shape[axis]!;
  return {
    axis,
    size,
    indices,
    isChecked: numbers !== null && [...numbers].every((index) => Number(index) >= -size && Number(index) < size),
  };
}

/**
 * The indices, for an operation that checks on its way those that only the device knows. Throws TensorError for others
 * that are outside, and for any along an axis without elements.
 */
export function indicesAlong(x: DeviceArray, axis: number, given: Given): Tensor {
  const group = alongAxis(x, axis, given);
  const isKnown = given.numbers !== null || group.size === 0;
  if (isKnown && !group.isChecked) positionsOf(x.execution, given.indices.shape, [{ ...group, stride: 1 }]).dispose();
  return given.indices;
}

function combined(x: Tensor, groups: readonly Group[]): DeviceArray<"int64"> {
  const shape = groups.reduce<Shape>((joint, { indices }) => broadcast(joint, indices.shape), []);
  let stride = 1;
  const terms: IndexTerm[] = [];
  for (const group of [...groups].reverse()) {
    terms.unshift({ ...group, stride });
    stride *= group.size;
  }
  return positionsOf(x.execution, shape, terms);
}
