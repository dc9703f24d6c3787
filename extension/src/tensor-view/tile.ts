// A payload's base64 picture as numbers with their range, and the elements that a cell of it stands for.
import { trans } from "../drawing/trans.ts";
import type { TensorPayload, TensorTile } from "../../../kernel/mime.ts";
import type { Checked } from "../kernel-link/fields.ts";
import { plane } from "./payload.ts";

/** Values that have no place on a scale, in the order of the legend. */
export const missingKinds = ["NaN", "+∞", "−∞"] as const;
export type Missing = (typeof missingKinds)[number];

/** Which of them a value is; `null` for a finite one. */
export function missingOf(value: number): Missing | null {
  if (Number.isFinite(value)) return null;
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+∞" : "−∞";
}

export interface Picture {
  rows: number;
  columns: number;
  /** Row-major; NaN or an infinity where a cell has no finite element. */
  values: Float32Array;
  /** Range of the finite cells, of all bool ones; `null` when there is none. */
  low: number | null;
  high: number | null;
  /** What cells that are not finite are, of those kinds that there are. */
  missing: readonly Missing[];
}

/** Decodes the cells of a tile: little-endian float32 whatever the machine. */
export function decodeTile({ rows, columns, values: encoded }: TensorTile, dtype: string): Checked<Picture> {
  const bytes = fromBase64(encoded);
  if (!bytes)
    return {
      ok: false,
      problem: trans.__("The picture of a tensor preview cannot be read: its values are not base64."),
    };
  const wanted = rows * columns * 4;
  if (bytes.length !== wanted)
    return {
      ok: false,
      problem: trans.__(
        "The picture of a tensor preview holds %1 bytes, but its %2 × %3 cells take %4.",
        bytes.length,
        rows,
        columns,
        wanted,
      ),
    };

  const view = new DataView(bytes.buffer);
  const values = Float32Array.from({ length: rows * columns }, (_, index) => view.getFloat32(index * 4, true));
  const finite = values.filter(Number.isFinite);
  const low = finite.length > 0 ? finite.reduce((least, value) => Math.min(least, value)) : null;
  const high = finite.length > 0 ? finite.reduce((most, value) => Math.max(most, value)) : null;
  const missing = missingKinds.filter((kind) => values.some((value) => missingOf(value) === kind));
  return {
    ok: true,
    value: { rows, columns, values, ...(dtype === "bool" ? { low: 0, high: 1 } : { low, high }), missing },
  };
}

/**
 * The picture in the range of its tensor, so that one colour is one value in every slice; wider where elements have
 * left that range since.
 */
export function inRangeOf({ shape, min, max }: TensorPayload, picture: Picture): Picture {
  const { low, high } = picture;
  if (shape.length < 3 || min === null || max === null || low === null || high === null) return picture;
  return { ...picture, low: Math.min(low, min), high: Math.max(high, max) };
}

function fromBase64(encoded: string): Uint8Array<ArrayBuffer> | null {
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return null;
  const characters = atob(encoded);
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}

/**
 * The elements that a cell stands for, as an index: `[0, 12, 40…43]`. `index`: the slice, the first one when left out.
 */
export function elementsOf(
  shape: readonly number[],
  tile: TensorTile,
  row: number,
  column: number,
  index?: readonly number[],
): string {
  const whole = plane(shape);
  const leading = shape.slice(0, -2).map((_length, axis) => String(index?.[axis] ?? 0));
  const last = [span(row, tile.rowStep, whole.rows), span(column, tile.columnStep, whole.columns)].slice(-shape.length);
  return `[${(shape.length === 0 ? [] : [...leading, ...last]).join(", ")}]`;
}

function span(cell: number, step: number, length: number): string {
  const first = cell * step;
  const last = Math.min(first + step, length) - 1;
  return first === last ? String(first) : `${first}…${last}`;
}
