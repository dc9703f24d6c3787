// Which payloads the view trusts, and what it says about the others.
import { expect, test } from "vitest";
import type { TensorPayload, TensorTile } from "../../../kernel/mime.ts";
import { checkPayload, plane } from "./payload.ts";

const tile: TensorTile = { rows: 2, columns: 3, rowStep: 4, columnStep: 2, values: "" };
const payload: TensorPayload = { version: 1, shape: [5, 8, 6], dtype: "float32", device: "cpu", size: 240, bytes: 960, min: -1, max: 2, mean: 0.5, nan: 0, inf: 0, suspect: false, tile };

test("a payload as kernel/mime.ts describes it is trusted, with or without a picture", () => {
  expect(checkPayload(payload)).toEqual({ ok: true, value: payload });
  expect(checkPayload({ ...payload, tile: null, min: null, max: null, mean: null }).ok).toBe(true);
  expect(checkPayload({ ...payload, shape: [0, 4], size: 0, bytes: 0, tile: null }).ok).toBe(true);
  expect(checkPayload({ ...payload, later: "field" }).ok).toBe(true);
});

const pictured = (changes: object) => ({ ...payload, tile: { ...tile, ...changes } });
test.each<[string, unknown, string]>([
  ["nothing", undefined, "Expected a tensor preview to be a record of fields but got nothing."],
  ["another version", { ...payload, version: 2 }, 'Expected "version" of a tensor preview to be 1 but got 2. Bring the kernel and the JupyterLab extension to the same version.'],
  ["no version", { ...payload, version: undefined }, 'Expected "version" of a tensor preview to be 1 but got nothing.'],
  ["a shape of names", { ...payload, shape: ["a"] }, 'Expected "shape" of a tensor preview to be a list of whole numbers of 0 or more but got ["a"].'],
  ["a minimum as text", { ...payload, min: "low" }, 'Expected "min" of a tensor preview to be a finite number, or null but got "low".'],
  ["markup for a type", { ...payload, dtype: { html: "<b>" } }, 'Expected "dtype" of a tensor preview to be a string but got {"html":"<b>"}.'],
  ["a wrong count", { ...payload, size: 241 }, "Expected a tensor preview of shape [5, 8, 6] to count 240 elements but got 241."],
  ["a list for a picture", { ...payload, tile: [] }, 'Expected "tile" of a tensor preview to be a record of fields, or null but got [].'],
  ["too many rows", pictured({ rows: 257 }), 'Expected "rows" of the picture of a tensor preview to be a whole number from 1 to 256 but got 257.'],
  ["a step of none", pictured({ columnStep: 0 }), `Expected "columnStep" of the picture of a tensor preview to be a whole number from 1 to ${Number.MAX_SAFE_INTEGER} but got 0.`],
  ["a picture of another shape", pictured({ rowStep: 3 }), "Expected the picture of shape [5, 8, 6] in steps of 3 × 2 to have 3 × 3 cells but got 2 × 3."],
])("%s is one sentence", (_name, value, problem) => expect(checkPayload(value)).toEqual({ ok: false, problem }));

test("a picture shows the last two axes", () => {
  expect(plane([5, 8, 6])).toEqual({ rows: 8, columns: 6 });
  expect(plane([6])).toEqual({ rows: 1, columns: 6 });
  expect(plane([])).toEqual({ rows: 1, columns: 1 });
});
