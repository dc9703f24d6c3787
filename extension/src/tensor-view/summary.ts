// The words of a payload's one line and of its picture's label.
import { trans } from "../drawing/trans.ts";
import type { TensorPayload, TensorTile } from "../../../kernel/mime.ts";
import { formatBytes, grouped, formatValue } from "../drawing/quantity.ts";

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
    return {
      kind: "shape",
      text: `[${shape.join(", ")}]`,
      detail: trans._n("%2 element", "%2 elements", size, grouped(size)),
    };
  return { kind: "shape", text: `tensor(${valueOf(payload)})`, detail: trans.__("A scalar") };
}

/** Of a tensor of one element. */
function valueOf({ dtype, min, nan, inf }: TensorPayload): string {
  if (min !== null) return dtype === "bool" ? String(min === 1) : formatValue(min, 7);
  return nan > 0 || inf === 0 ? "NaN" : trans.__("infinite");
}

function statisticsOf(payload: TensorPayload): Fact[] {
  const { shape, dtype, size, min, max, mean } = payload;
  if (shape.length === 0) return [];
  if (size === 0) return [{ kind: "plain", text: trans.__("empty") }];
  if (min === null || max === null) return [{ kind: "plain", text: trans.__("no finite value") }];
  if (size === 1) return [{ kind: "statistic", text: valueOf(payload) }];
  if (dtype === "bool" && mean !== null) {
    // The mean of zeros and ones, times their count: exact up to 2^52 elements.
    const ones = Math.round(mean * size);
    return [
      trans.__("%1 true", ones.toLocaleString("en-US")),
      trans.__("%1 false", (size - ones).toLocaleString("en-US")),
    ].map((text) => ({
      kind: "statistic",
      text,
    }));
  }
  const statistics: [string, number][] = [
    [trans.__("min"), min],
    [trans.__("max"), max],
  ];
  // The mean of finite elements may itself be too large for its type.
  if (mean !== null) statistics.push([trans.__("mean"), mean]);
  return statistics.map(([name, value]) => ({
    kind: "statistic",
    text: `${name} ${formatValue(value)}`,
    detail: trans.__("%1 of the finite elements: %2", name, value),
  }));
}

function warningsOf({ nan, inf, suspect }: TensorPayload): Fact[] {
  const warnings: Fact[] = [];
  if (nan > 0)
    warnings.push({
      kind: "warning",
      text: trans.__("%1 NaN", nan.toLocaleString("en-US")),
      detail: trans._n("%2 element is NaN", "%2 elements are NaN", nan, grouped(nan)),
    });
  if (inf > 0)
    warnings.push({
      kind: "warning",
      text: trans.__("%1 Inf", inf.toLocaleString("en-US")),
      detail: trans._n("%2 element is infinite", "%2 elements are infinite", inf, grouped(inf)),
    });
  if (suspect)
    warnings.push({
      kind: "warning",
      text: trans.__("unfinished"),
      detail: trans.__(
        "A launch that did not finish may have been writing this tensor. It stays marked until it is written again.",
      ),
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
  const at = [...shape.slice(0, -2).map((_length, axis) => index?.[axis] ?? 0), ":", ":"].join(", ");
  const slice =
    shape.length > 2
      ? (index ? trans.__("slice [%1]", at) : trans.__("the first slice [%1]", at)) +
        (unfinished ? trans.__(" while the kernel works") : "")
      : "";
  if (rowStep * columnStep === 1) return slice;
  const block = shape.length < 2 ? columnStep : `${rowStep} × ${columnStep}`;
  return `${slice}${slice === "" ? "" : " · "}${trans.__("a cell is the mean of %1 elements", block)}`;
}

/** The picture in words, for those who do not see it. */
export function pictureLabel(payload: TensorPayload): string {
  const { tile } = payload;
  if (!tile) return "";
  const facts = factsOf(payload)
    .map(({ text }) => text)
    .join(", ");
  return trans.__(
    "Heat map, %1 by %2 cells, of a tensor: %3. Arrow keys move over its cells.",
    tile.rows,
    tile.columns,
    facts,
  );
}
