// Checks the JSON of an output: a chart payload that the view can trust, or one sentence.
import { trans } from "../drawing/trans.ts";
import type { ChartAxis, ChartPayload } from "../../../kernel/mime.ts";
import {
  checkFields,
  checkOutput,
  exactly,
  finite,
  flag,
  oneOf,
  optional,
  record,
  texts,
  within,
  type Checked,
  type Expectations,
} from "../kernel-link/fields.ts";

const pixels = within(0, 10_000);

const payloadFields: Expectations<ChartPayload> = {
  version: exactly(1),
  width: within(1, 10_000),
  height: within(1, 10_000),
  area: record,
  x: record,
  y: record,
  kind: oneOf("line", "points", "bars", "histogram"),
  categories: optional(texts),
};
const areaFields: Expectations<ChartPayload["area"]> = { left: pixels, top: pixels, width: pixels, height: pixels };
const axisFields: Expectations<ChartAxis> = { low: finite, high: finite, isLogarithmic: flag, isTime: optional(flag) };

/** Checks an output of type `application/vnd.warpcell.chart.v1+json` against kernel/mime.ts. */
export function checkChart(value: unknown): Checked<ChartPayload> {
  const checked = checkOutput(trans.__("a chart"), value, payloadFields);
  if (!checked.ok) return checked;
  const { area, x, y } = checked.value;
  for (const part of [
    checkFields(trans.__("the axes' place in a chart"), area, areaFields),
    checkFields(trans.__("the x axis of a chart"), x, axisFields),
    checkFields(trans.__("the y axis of a chart"), y, axisFields),
  ])
    if (!part.ok) return part;
  return checked;
}
