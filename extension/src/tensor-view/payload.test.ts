// Which payloads the view trusts, and what it says about the others.
import { expect, test } from "vitest";
import type { TensorPayload, TensorTile } from "../../../kernel/mime.ts";
import { checkPayload, plane } from "./payload.ts";

const tile: TensorTile = { rows: 2, columns: 3, rowStep: 4, columnStep: 2, values: "" };
const payload: TensorPayload = {
  version: 1,
  shape: [5, 8, 6],
  dtype: "float32",
  device: "cpu",
  size: 240,
  bytes: 960,
  min: -1,
  max: 2,
  mean: 0.5,
  nan: 0,
  inf: 0,
  suspect: false,
  tile,
};

test("a payload as kernel/mime.ts describes it is trusted, with or without a picture", () => {
  expect(checkPayload(payload)).toEqual({ ok: true, value: payload });
  expect(checkPayload({ ...payload, tile: null, min: null, max: null, mean: null }).ok).toBe(true);
  expect(checkPayload({ ...payload, shape: [0, 4], size: 0, bytes: 0, tile: null }).ok).toBe(true);
  expect(checkPayload({ ...payload, later: "field" }).ok).toBe(true);
});

const pictured = (changes: object) => ({ ...payload, tile: { ...tile, ...changes } });
test.each<[string, unknown, string]>([
  ["nothing", undefined, "A tensor preview is missing but should be a record of fields."],
  [
    "another version",
    { ...payload, version: 2 },
    '"version" of a tensor preview is 2 but should be 1. Bring the kernel and the JupyterLab extension to the same version.',
  ],
  ["no version", { ...payload, version: undefined }, '"version" of a tensor preview is missing but should be 1.'],
  [
    "a shape of names",
    { ...payload, shape: ["a"] },
    '"shape" of a tensor preview is ["a"] but should be a list of whole numbers ≥ 0.',
  ],
  [
    "a minimum as text",
    { ...payload, min: "low" },
    '"min" of a tensor preview is "low" but should be a finite number or null.',
  ],
  [
    "markup for a type",
    { ...payload, dtype: { html: "<b>" } },
    '"dtype" of a tensor preview is {"html":"<b>"} but should be a string.',
  ],
  [
    "a wrong count",
    { ...payload, size: 241 },
    "A tensor preview of shape [5, 8, 6] counts 241 elements but should count 240.",
  ],
  [
    "a list for a picture",
    { ...payload, tile: [] },
    '"tile" of a tensor preview is [] but should be a record of fields or null.',
  ],
  [
    "too many rows",
    pictured({ rows: 257 }),
    '"rows" of the picture of a tensor preview is 257 but should be a whole number from 1 to 256.',
  ],
  [
    "a step of none",
    pictured({ columnStep: 0 }),
    `"columnStep" of the picture of a tensor preview is 0 but should be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}.`,
  ],
  [
    "a picture of another shape",
    pictured({ rowStep: 3 }),
    "The picture of shape [5, 8, 6] in steps of 3 × 2 has 2 × 3 cells but should have 3 × 3.",
  ],
])("%s is one sentence", (_name, value, problem) => expect(checkPayload(value)).toEqual({ ok: false, problem }));

test("a picture shows the last two axes", () => {
  expect(plane([5, 8, 6])).toEqual({ rows: 8, columns: 6 });
  expect(plane([6])).toEqual({ rows: 1, columns: 6 });
  expect(plane([])).toEqual({ rows: 1, columns: 1 });
});
