// Which chart payloads the view trusts, and what it says about the others.
import { expect, test } from "vitest";
import type { ChartPayload } from "../../../kernel/mime.ts";
import { checkChart } from "./payload.ts";

const axis = { low: 0, high: 10, isLogarithmic: false };
const payload: ChartPayload = {
  version: 1,
  width: 640,
  height: 320,
  area: { left: 40, top: 10, width: 590, height: 280 },
  x: axis,
  y: axis,
  kind: "line",
};

test("a payload as kernel/mime.ts describes it is trusted", () => {
  expect(checkChart(payload)).toEqual({ ok: true, value: payload });
  expect(checkChart({ ...payload, kind: "bars", categories: ["a"], later: 1 }).ok).toBe(true);
});

test.each<[unknown, string]>([
  [undefined, "A chart is missing but should be a record of fields."],
  [
    { ...payload, version: 2 },
    '"version" of a chart is 2 but should be 1. Bring the kernel and the JupyterLab extension to the same version.',
  ],
  [{ ...payload, width: 1e9 }, '"width" of a chart is 1000000000 but should be a number from 1 to 10000.'],
  [
    { ...payload, kind: "pie" },
    '"kind" of a chart is "pie" but should be "line" or "points" or "bars" or "histogram".',
  ],
  [{ ...payload, categories: [1] }, '"categories" of a chart is [1] but should be a list of strings or left out.'],
  [
    { ...payload, area: { ...payload.area, top: "x" } },
    '"top" of the axes\' place in a chart is "x" but should be a number from 0 to 10000.',
  ],
  [{ ...payload, y: { ...axis, low: null } }, '"low" of the y axis of a chart is null but should be a finite number.'],
])("%j is not", (value, problem) => {
  expect(checkChart(value)).toEqual({ ok: false, problem });
});
