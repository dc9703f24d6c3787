// The words of a payload's one line and of its picture's label.
import type { TensorPayload, TensorTile } from "../../../kernel/mime.ts";
import { formatBytes, formatCount, formatValue } from "../drawing/quantity.ts";

export interface Fact {
  kind: "shape" | "plain" | "statistic" | "warning";
  text: string;
  /** More, for those who ask. */
  detail?: string;
}

/** The facts of the line, in order. */
export function factsOf(payload: TensorPayload): Fact[] {
  return [
    headOf(payload),
    { kind: "plain", text: payload.dtype, detail: formatBytes(payload.bytes) },
    { kind: "plain", text: payload.device },
    ...statisticsOf(payload),
    ...warningsOf(payload),
  ];
}

/** Of a scalar its value: brackets with nothing in them would say that it is empty. */
function headOf(payload: TensorPayload): Fact {
  const { shape, size } = payload;
  if (shape.length > 0)
    return { kind: "shape", text: `[${shape.join(", ")}]`, detail: formatCount(size, "element", "elements") };
  return { kind: "shape", text: `tensor(${valueOf(payload)})`, detail: "A scalar" };
}

/** Of a tensor of one element. */
function valueOf({ dtype, min, nan, inf }: TensorPayload): string {
  if (min !== null) return dtype === "bool" ? String(min === 1) : formatValue(min, 7);
  return nan > 0 || inf === 0 ? "NaN" : "infinite";
}

function statisticsOf(payload: TensorPayload): Fact[] {
  const { shape, dtype, size, min, max, mean } = payload;
  if (shape.length === 0) return [];
  if (size === 0) return [{ kind: "plain", text: "empty" }];
  if (min === null || max === null) return [{ kind: "plain", text: "no finite value" }];
  if (size === 1) return [{ kind: "statistic", text: valueOf(payload) }];
  if (dtype === "bool" && mean !== null) {
    // The mean of zeros and ones, times their count: exact up to 2^52 elements.
    const ones = Math.round(mean * size);
    return [`${ones.toLocaleString("en-US")} true`, `${(size - ones).toLocaleString("en-US")} false`].map((text) => ({
      kind: "statistic",
      text,
    }));
  }
  const statistics: [string, number][] = [
    ["min", min],
    ["max", max],
  ];
  // The mean of finite elements may itself be too large for its type.
  if (mean !== null) statistics.push(["mean", mean]);
  return statistics.map(([name, value]) => ({
    kind: "statistic",
    text: `${name} ${formatValue(value)}`,
    detail: `${name} of the finite elements: ${value}`,
  }));
}

function warningsOf({ nan, inf, suspect }: TensorPayload): Fact[] {
  const warnings: Fact[] = [];
  if (nan > 0)
    warnings.push({
      kind: "warning",
      text: `${nan.toLocaleString("en-US")} NaN`,
      detail: formatCount(nan, "element is NaN", "elements are NaN"),
    });
  if (inf > 0)
    warnings.push({
      kind: "warning",
      text: `${inf.toLocaleString("en-US")} Inf`,
      detail: formatCount(inf, "element is infinite", "elements are infinite"),
    });
  if (suspect)
    warnings.push({
      kind: "warning",
      text: "unfinished",
      detail:
        "A launch that did not finish may have been writing this tensor. It stays marked until it is written again.",
    });
  return warnings;
}

/**
 * Which slice is shown (`index`; the first when left out), whether it may still be changing, and what a cell of the
 * picture is, for the line below it; nothing where it is what anyone would think.
 */
export function cellNote(
  shape: readonly number[],
  { rowStep, columnStep }: TensorTile,
  index?: readonly number[],
  unfinished = false,
): string {
  const slice =
    shape.length > 2
      ? `${index ? "slice" : "the first slice"} [${[...shape.slice(0, -2).map((_length, axis) => index?.[axis] ?? 0), ":", ":"].join(", ")}]${unfinished ? " while the kernel works" : ""}`
      : "";
  if (rowStep * columnStep === 1) return slice;
  return `${slice}${slice === "" ? "" : " · "}a cell is the mean of ${shape.length < 2 ? columnStep : `${rowStep} × ${columnStep}`} elements`;
}

/** The picture in words, for those who do not see it. */
export function pictureLabel(payload: TensorPayload): string {
  const { tile } = payload;
  if (!tile) return "";
  const facts = factsOf(payload)
    .map(({ text }) => text)
    .join(", ");
  return `Heat map, ${tile.rows} by ${tile.columns} cells, of a tensor: ${facts}. Arrow keys move over its cells.`;
}
