// What is under the cursor, in words: an element with its index and value, or the elements of a cell with their figures.
import type { FoundKind, OpenPayload, TilePlace } from "../../../kernel/mime.ts";
import { formatValue } from "../drawing/quantity.ts";
import { trans } from "../drawing/trans.ts";
import { tileSide } from "./geometry.ts";
import { writtenAt } from "./painting.ts";
import { missingIn } from "./source.ts";
import type { HeldTile } from "./tile-store.ts";

const noFinite = (): string => trans.__("There is no finite element.");
export const noneOf: Readonly<Record<FoundKind, () => string>> = {
  nan: () => trans.__("There is no NaN."),
  infinity: () => trans.__("There is no infinite element."),
  maximum: noFinite,
  minimum: noFinite,
};

export const canvasLabel = ({ shape, dtype }: Pick<OpenPayload, "shape" | "dtype">): string =>
  trans.__(
    "Tensor of shape %1, %2: arrows move over elements, plus and minus zoom, 0 shows all, N leads to the next NaN",
    `[${shape.join(", ")}]`,
    dtype,
  );

export function readingAt(
  { tile, level, row: tileRow, column: tileColumn }: Pick<HeldTile, "tile" | "level" | "row" | "column">,
  row: number,
  column: number,
  { index, rows, columns }: TilePlace,
  { shape, dtype }: Pick<OpenPayload, "shape" | "dtype">,
): string {
  const step = 2 ** level;
  const down = Math.floor(row / step) - tileRow * tileSide;
  const across = Math.floor(column / step) - tileColumn * tileSide;
  if (down >= tile.rows || across >= tile.columns) return "";
  const cell = down * tile.columns + across;
  const span = (at: number, length: number) => {
    const first = Math.floor(at / step) * step;
    const last = Math.min(first + step, length) - 1;
    return first === last ? String(first) : `${first}…${last}`;
  };
  const positions = index.map((at, axis) =>
    axis === rows ? span(row, shape[axis]!) : axis === columns ? span(column, shape[axis]!) : String(at),
  );
  const place = positions.length === 0 ? "" : `[${positions.join(", ")}] `;
  if (level === 0) return `${place}${writtenAt(tile, cell, dtype)}`;
  const bits = missingIn(tile, cell);
  const others = ["NaN", "+∞", "−∞"].filter((_name, bit) => (bits & (1 << bit)) !== 0);
  const [mean, min, max] = [tile.values, tile.min, tile.max].map((numbers) => numbers[cell]!);
  if (!Number.isFinite(mean)) return `${place}${others.join(", ")}`;
  const figures = `mean ${formatValue(mean!)}, min ${formatValue(min!)}, max ${formatValue(max!)}`;
  return `${place}${figures}${others.length === 0 ? "" : `, with ${others.join(", ")}`}`;
}
