// Asks the kernel of a notebook for tiles, statistics and elements of a tensor, and checks what it says.
import { trans } from "../drawing/trans.ts";
import type { Kernel } from "@jupyterlab/services";
import type { FindRequest, FoundKind, StatisticsRequest, TilePlace, TileRequest } from "../../../kernel/mime.ts";
import { tensorTarget, type ViewedStatistics, type ViewedTile } from "../../../kernel/mime.ts";
import { type Answer, CommQuestions } from "../kernel-link/comm-questions.ts";
import {
  between,
  type Checked,
  checkFields,
  count,
  counts,
  type Expectations,
  finite,
  list,
  oneOf,
  orNull,
} from "../kernel-link/fields.ts";
import { tileSide } from "./geometry.ts";

const gone = () => trans.__("The kernel that made this tensor is gone. Run its cell again to see more of it.");

/** The numbers of a tile; of single elements only values. */
export interface Tile {
  readonly rows: number;
  readonly columns: number;
  readonly values: Numbers;
  readonly min: Numbers;
  readonly max: Numbers;
  /** `null`: the values say it. */
  readonly missing: Uint8Array | null;
  /** Elements as they are written, where a number does not hold them. */
  readonly exact: BigInt64Array | BigUint64Array | null;
}
export type Numbers = Float32Array | Float64Array;

/** Which tensor, or which two. */
export interface Subject {
  readonly id: string;
  readonly minus: string | null;
}

type Told<T> = Checked<{ readonly value: T; readonly unfinished: boolean }>;

const tileFields: Expectations<ViewedTile> = {
  rows: between(1, tileSide),
  columns: between(1, tileSide),
  dtype: oneOf("float32", "float64", "int64", "uint64"),
  parts: list,
};
const statisticsFields: Expectations<ViewedStatistics> = {
  min: orNull(finite),
  max: orNull(finite),
  mean: orNull(finite),
  deviation: orNull(finite),
  nan: count,
  inf: count,
  low: orNull(finite),
  high: orNull(finite),
  histogram: counts,
};
const arrays = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array, uint64: BigUint64Array } as const;

export class ViewerSource {
  private readonly questions: CommQuestions;

  constructor(kernelOf: () => Kernel.IKernelConnection | null) {
    this.questions = new CommQuestions(tensorTarget, gone, kernelOf);
  }

  close(): void {
    this.questions.close();
  }

  async tile({ id, minus }: Subject, tile: TilePlace): Promise<Told<Tile>> {
    const answer = await this.questions.ask({ id, tile, minus } satisfies Omit<TileRequest, "request">);
    if (!answer.ok) return answer;
    return told(answer.value, checkTile((answer.value.data as { tile?: unknown }).tile, answer.value.buffers));
  }

  async statistics({ id, minus }: Subject): Promise<Told<ViewedStatistics>> {
    const answer = await this.questions.ask({ id, statistics: true, minus } satisfies Omit<
      StatisticsRequest,
      "request"
    >);
    if (!answer.ok) return answer;
    const { statistics } = answer.value.data as { statistics?: unknown };
    return told(answer.value, checkFields(trans.__("the statistics of a tensor"), statistics, statisticsFields));
  }

  /** The index of the next element of the kind; `null`: there is none. */
  async find(
    { id, minus }: Subject,
    find: FoundKind,
    after: readonly number[] | null,
    shape: readonly number[],
  ): Promise<Told<readonly number[] | null>> {
    const answer = await this.questions.ask({ id, find, after, minus } satisfies Omit<FindRequest, "request">);
    if (!answer.ok) return answer;
    const { index } = answer.value.data as { index?: unknown };
    return told(answer.value, checkIndex(index, shape));
  }
}

function told<T>({ data }: Answer, checked: Checked<T>): Told<T> {
  if (!checked.ok) return checked;
  return {
    ok: true,
    value: { value: checked.value, unfinished: (data as { unfinished?: unknown }).unfinished === true },
  };
}

function checkIndex(index: unknown, shape: readonly number[]): Checked<readonly number[] | null> {
  const fits = orNull(counts).holds(index);
  const found = index as number[] | null;
  if (fits && (found === null || (found.length === shape.length && found.every((at, axis) => at < shape[axis]!))))
    return { ok: true, value: found };
  return {
    ok: false,
    problem: trans.__("An element was found at no index of a tensor of shape [%1].", shape.join(", ")),
  };
}

/** Checks a tile and its buffers. */
export function checkTile(value: unknown, buffers: Answer["buffers"]): Checked<Tile> {
  const checked = checkFields(trans.__("a tile of a tensor"), value, tileFields);
  if (!checked.ok) return checked;
  const { rows, columns, dtype, parts } = checked.value;
  const Numbers = arrays[dtype];
  const cells = rows * columns;
  const isSingle = parts.length === 1 && parts[0] === "values";
  const isReduced = parts.join() === "mean,min,max,missing" && (dtype === "float32" || dtype === "float64");
  const wanted = isSingle
    ? [cells * Numbers.BYTES_PER_ELEMENT]
    : [...Array<number>(3).fill(cells * Numbers.BYTES_PER_ELEMENT), cells];
  const bytes = buffers.map(bytesOf);
  if (
    !(isSingle || isReduced) ||
    bytes.length !== wanted.length ||
    bytes.some(({ length }, at) => length !== wanted[at])
  )
    return {
      ok: false,
      problem: trans.__("A tile of %1 × %2 cells of %3 does not have the bytes that those take.", rows, columns, dtype),
    };
  const numbers = (at: number) => new Numbers(bytes[at]!.slice().buffer);
  if (isReduced) {
    const [values, min, max] = [0, 1, 2].map((at) => numbers(at) as Numbers) as [Numbers, Numbers, Numbers];
    return { ok: true, value: { rows, columns, values, min, max, missing: bytes[3]!, exact: null } };
  }
  const found = numbers(0);
  const exact = found instanceof BigInt64Array || found instanceof BigUint64Array ? found : null;
  const values = exact === null ? (found as Numbers) : Float64Array.from(exact as BigInt64Array, Number);
  return { ok: true, value: { rows, columns, values, min: values, max: values, missing: null, exact } };
}

const bytesOf = (buffer: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(buffer)
    ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : new Uint8Array(buffer);

/** Bits of what is not finite in a cell: 1 NaN, 2 +∞, 4 −∞. */
export function missingIn({ missing, values }: Tile, cell: number): number {
  if (missing !== null) return missing[cell]!;
  const value = values[cell]!;
  return Number.isFinite(value) ? 0 : Number.isNaN(value) ? 1 : value > 0 ? 2 : 4;
}
