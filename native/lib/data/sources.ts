// What batches are made of: tensors and lists side by side, of which each is taken whole, or samples one by one.
import { noGrad } from "../autograd/gradients.ts";
import { TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { collated, moved, type Collated } from "./collate.ts";
import { isNumbers } from "./layout.ts";
import type { Rows } from "./rows.ts";

/** Anything with samples by number, also such as come later: what PyTorch calls a map-style data set. */
export interface Samples<S = unknown> {
  readonly length: number;
  get(index: number): S;
}
type Column = Tensor | ArrayLike<unknown>;
/**
 * A tensor, whose first axis counts; several or a record of them, or of lists, side by side; a list of samples; or
 * {@link Samples}.
 */
export type Data = Tensor | Samples | readonly unknown[] | ArrayLike<unknown> | { readonly [name: string]: Column };

/** What a batch of such data is. */
export type BatchOf<D> = D extends Tensor
  ? Tensor
  : D extends readonly Tensor[]
    ? { -readonly [K in keyof D]: Tensor }
    : D extends readonly (infer S)[]
      ? Collated<S>
      : D extends { readonly length: number; get(index: number): infer S }
        ? Collated<Awaited<S>>
        : D extends ArrayLike<infer S>
          ? Collated<S>
          : D extends { readonly [name: string]: Column }
            ? {
                -readonly [K in keyof D]: D[K] extends Tensor
                  ? Tensor
                  : D[K] extends ArrayLike<infer S>
                    ? Collated<S>
                    : never;
              }
            : unknown;

/** Makes batches. */
export interface Source {
  readonly length: number;
  /** Batches are rows of tensors, which their device gathers. */
  readonly isGathered: boolean;
  batch(rows: Rows, device: string | undefined): unknown;
  sample(index: number): unknown;
  /** Samples without tensors, for transforms; promises of them, where they come later. */
  plain(rows: Rows): readonly unknown[];
}

/** Each row of a tensor as a typed array, or as a number. */
function plainRows(x: Tensor, rows: Rows, name: string): readonly unknown[] {
  const { kind, bytes, decode } = factsOf(x.dtype as DType);
  if (kind === "complex" || (kind === "float" && bytes < 4))
    throw new TensorError(
      "DTYPE",
      `A transform takes what JavaScript has arrays of, but ${name} is ${x.dtype}: convert it, e.g. with .to("float32").`,
    );
  using chosen = noGrad(() => rows.of(x));
  const elements = chosen.data() as Float32Array;
  const { length } = rows;
  if (x.ndim === 1) return Array.from({ length }, (_, row) => decode(elements[row]!));
  const width = elements.length / length;
  return Array.from({ length }, (_, row) => elements.slice(row * width, (row + 1) * width));
}

const isList = (value: unknown): value is ArrayLike<unknown> => Array.isArray(value) || isNumbers(value);

/** Throws TensorError for what has no rows. */
export function sourceOf(data: unknown): Source {
  if (data instanceof Tensor || (isList(data) && !isColumns(data))) return columnOf(data, "the data");
  if (isColumns(data))
    return columnsOf(
      data.map((each, index) => [String(index), each] as const),
      (batch) => batch.map(([, each]) => each),
    );
  if (hasSamples(data)) return samplesOf(data);
  if (isRecord(data)) return columnsOf(Object.entries(data), (batch) => Object.fromEntries(batch));
  throw new TensorError(
    "OPERANDS",
    `DataLoader takes a tensor, an array or a record of them, a list of samples, or an object with length and get(index), but got ${worded(data)}.`,
  );
}

const isColumns = (data: unknown): data is readonly Tensor[] =>
  Array.isArray(data) && data.length > 0 && data.every((each) => each instanceof Tensor);
const hasSamples = (data: unknown): data is Samples =>
  typeof data === "object" &&
  data !== null &&
  typeof (data as { length?: unknown }).length === "number" &&
  typeof (data as { get?: unknown }).get === "function";
const isRecord = (data: unknown): data is Readonly<Record<string, unknown>> =>
  typeof data === "object" && data !== null && Object.keys(data).length > 0;

function columnOf(column: unknown, name: string): Source {
  if (column instanceof Tensor) {
    if (column.ndim === 0)
      throw new TensorError("SHAPE", `DataLoader takes tensors with rows, but ${name} has no axes.`);
    return {
      length: column.shape[0]!,
      isGathered: true,
      plain: (rows) => plainRows(column, rows, name),
      batch: (rows, device) => noGrad(() => moved(rows.of(column), device)),
      sample: (index) => noGrad(() => column.get(index)),
    };
  }
  if (!isList(column))
    throw new TensorError("OPERANDS", `DataLoader takes tensors and lists, but ${name} is ${worded(column)}.`);
  return {
    length: column.length,
    isGathered: false,
    plain: (rows) => rows.numbers.map((each) => column[each]),
    batch: (rows, device) =>
      collated(
        rows.numbers.map((each) => column[each]),
        device,
      ),
    sample: (index) => column[index],
  };
}

function columnsOf(
  columns: readonly (readonly [string, unknown])[],
  joined: (entries: readonly (readonly [string, unknown])[]) => unknown,
): Source {
  const sources = columns.map(([name, column]) => [name, columnOf(column, name)] as const);
  const [first, { length }] = sources[0]!;
  const odd = sources.find(([, each]) => each.length !== length);
  if (odd !== undefined)
    throw new TensorError(
      "SHAPE",
      `DataLoader takes data of one length, but ${first} has ${length} rows and ${odd[0]} has ${odd[1].length}.`,
    );
  return {
    length,
    isGathered: sources.every(([, each]) => each.isGathered),
    plain(rows) {
      const columns = sources.map(([name, each]) => [name, each.plain(rows)] as const);
      return Array.from({ length: rows.length }, (_, at) => joined(columns.map(([name, each]) => [name, each[at]])));
    },
    batch: (rows, device) => joined(sources.map(([name, each]) => [name, each.batch(rows, device)])),
    sample: (index) => joined(sources.map(([name, each]) => [name, each.sample(index)])),
  };
}

function samplesOf(data: Samples): Source {
  return {
    get length() {
      return data.length;
    },
    isGathered: false,
    plain: (rows) => rows.numbers.map((each) => data.get(each)),
    batch(rows, device) {
      const samples = rows.numbers.map((each) => data.get(each));
      const isLater = samples.some((each) => each instanceof Promise);
      return isLater ? Promise.all(samples).then((all) => collated(all, device)) : collated(samples, device);
    },
    sample: (index) => data.get(index),
  };
}
