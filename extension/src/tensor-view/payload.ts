// Checks the JSON of an output: a tensor payload that the view can trust, or one sentence.
import { trans } from "../drawing/trans.ts";
import type { TensorPayload, TensorTile } from "../../../kernel/mime.ts";
import type { Checked, Expectations } from "../kernel-link/fields.ts";
import {
  between,
  checkFields,
  checkOutput,
  count,
  counts,
  exactly,
  finite,
  flag,
  oneOf,
  optional,
  orNull,
  record,
  text,
} from "../kernel-link/fields.ts";

const mostAlong = 256;

const payloadFields: Expectations<TensorPayload> = {
  version: exactly(1),
  shape: counts,
  dtype: text,
  device: text,
  size: count,
  bytes: count,
  min: orNull(finite),
  max: orNull(finite),
  mean: orNull(finite),
  nan: count,
  inf: count,
  suspect: flag,
  tile: orNull(record),
  picture: optional(oneOf("line", "colours", "slices")),
  id: optional(text),
};

const tileFields: Expectations<TensorTile> = {
  rows: between(1, mostAlong),
  columns: between(1, mostAlong),
  rowStep: between(1, Number.MAX_SAFE_INTEGER),
  columnStep: between(1, Number.MAX_SAFE_INTEGER),
  values: text,
};

/** The last two axes of a shape: a vector is one row, a scalar one cell. */
export function plane(shape: readonly number[]): { rows: number; columns: number } {
  return { rows: shape.at(-2) ?? 1, columns: shape.at(-1) ?? 1 };
}

/**
 * Checks an output of type `application/vnd.warpcell.tensor.v1+json` against kernel/mime.ts, and its parts against each
 * other.
 */
export function checkPayload(value: unknown): Checked<TensorPayload> {
  const checked = checkOutput(trans.__("a tensor preview"), value, payloadFields);
  if (!checked.ok) return checked;
  const { shape, size, tile } = checked.value;
  const elements = shape.reduce((product, length) => product * length, 1);
  if (elements !== size)
    return {
      ok: false,
      problem: trans.__(
        "A tensor preview of shape [%1] counts %2 elements but should count %3.",
        shape.join(", "),
        size,
        elements,
      ),
    };
  if (tile === null) return checked;
  const checkedTile = checkTile(tile, shape);
  return checkedTile.ok ? checked : checkedTile;
}

/** Checks the picture of a slice of a tensor of this shape. */
export function checkTile(value: unknown, shape: readonly number[]): Checked<TensorTile> {
  const checkedTile = checkFields(trans.__("the picture of a tensor preview"), value, tileFields);
  if (!checkedTile.ok) return checkedTile;
  const tile = checkedTile.value;
  const whole = plane(shape);
  const rows = Math.ceil(whole.rows / tile.rowStep);
  const columns = Math.ceil(whole.columns / tile.columnStep);
  if (rows !== tile.rows || columns !== tile.columns) {
    return {
      ok: false,
      problem: trans.__(
        "The picture of shape [%1] in steps of %2 × %3 has %4 × %5 cells but should have %6 × %7.",
        shape.join(", "),
        tile.rowStep,
        tile.columnStep,
        tile.rows,
        tile.columns,
        rows,
        columns,
      ),
    };
  }
  return checkedTile;
}
