// The payloads of a tensor's viewer, beside those of payloads.ts: what it asks, and is answered while a cell runs, too.
// Types only.

/** What a viewer knows of the tensor that it opens. */
export interface OpenPayload {
  readonly version: 1;
  /** Names the tensor on a `tensorTarget`, as long as it lives. */
  readonly id: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  /** "cpu", "cuda:0", … */
  readonly device: string;
}

/**
 * `comm_msg` data on a `tensorTarget`, from the front end: a tile of a viewer, of the tensor or of what is left of
 * it without another one of its shape.
 */
export interface TileRequest {
  readonly request: number;
  readonly id: string;
  readonly tile: TilePlace;
  readonly minus: string | null;
}

/** Where a tile lies: at most 256 × 256 cells of 2^level × 2^level elements each of two axes, at a place of the others. */
export interface TilePlace {
  /** A position on each axis; those of the tile's own axes count for nothing. */
  readonly index: readonly number[];
  /** The axes; `null`: one row, or one column. */
  readonly rows: number | null;
  readonly columns: number | null;
  readonly level: number;
  readonly row: number;
  readonly column: number;
}

/**
 * What a tile's buffers are, in order: `values` are the elements themselves, in `dtype`, of level 0; of others there are
 * `mean`, `min` and `max` of the finite elements of each cell, and a byte each of `missing`: 1 where one is NaN, 2 where
 * one is +∞, 4 where one is −∞. A cell without finite elements has NaN, or the infinity that it has more of, for all
 * three. Complex elements are shown by their size.
 */
export interface ViewedTile {
  readonly rows: number;
  readonly columns: number;
  readonly dtype: "float32" | "float64" | "int64" | "uint64";
  readonly parts: readonly ["values"] | readonly ["mean", "min", "max", "missing"];
}

/** The kernel's reply, or a sentence; `unfinished` as in a SliceReply. */
export interface TileReply {
  readonly request: number;
  readonly tile: ViewedTile | null;
  readonly unfinished: boolean;
  readonly problem: string | null;
}

/** `comm_msg` data on a `tensorTarget`, from the front end: statistics of all elements. */
export interface StatisticsRequest {
  readonly request: number;
  readonly id: string;
  readonly statistics: true;
  readonly minus: string | null;
}

/** The kernel's reply, or a sentence; `unfinished` as in a SliceReply. */
export interface StatisticsReply {
  readonly request: number;
  readonly statistics: ViewedStatistics | null;
  readonly unfinished: boolean;
  readonly problem: string | null;
}

/** Over finite elements; `null` where there are none. */
export interface ViewedStatistics {
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly deviation: number | null;
  readonly nan: number;
  readonly inf: number;
  /** Below them lie 1 % and 99 % of the elements. */
  readonly low: number | null;
  readonly high: number | null;
  /** How many elements lie in bins of one width from the least to the most; none where there are no finite ones. */
  readonly histogram: readonly number[];
}

export type FoundKind = "nan" | "infinity" | "maximum" | "minimum";

/**
 * `comm_msg` data on a `tensorTarget`, from the front end: the next element of a kind behind the index `after`, which
 * begins again at the first one; `null`: the first.
 */
export interface FindRequest {
  readonly request: number;
  readonly id: string;
  readonly find: FoundKind;
  readonly after: readonly number[] | null;
  readonly minus: string | null;
}

/** The kernel's reply: `null` where there is none, or a problem; `unfinished` as in a SliceReply. */
export interface FindReply {
  readonly request: number;
  readonly index: readonly number[] | null;
  readonly unfinished: boolean;
  readonly problem: string | null;
}
