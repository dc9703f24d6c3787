// The words about a tensor: its line, its label, and what a cell of its picture is.
import { expect, test } from "vitest";
import type { TensorPayload } from "../../../kernel/mime.ts";
import { cellNote, factsOf, pictureLabel } from "./summary.ts";

const payload: TensorPayload = {
  version: 1,
  shape: [2, 3],
  dtype: "float32",
  device: "cuda:0",
  size: 6,
  bytes: 24,
  min: -1.5,
  max: 2,
  mean: 1 / 3,
  nan: 0,
  inf: 0,
  suspect: false,
  tile: null,
};
const line = (changes: Partial<TensorPayload>) => factsOf({ ...payload, ...changes }).map(({ text }) => text);

test.each<[string, Partial<TensorPayload>, string[]]>([
  ["a plain one", {}, ["[2, 3]", "float32", "cuda:0", "min -1.5", "max 2", "mean 0.33333"]],
  [
    "warnings",
    { nan: 1200, inf: 1, suspect: true },
    ["[2, 3]", "float32", "cuda:0", "min -1.5", "max 2", "mean 0.33333", "1,200 NaN", "1 Inf", "unfinished"],
  ],
  ["booleans", { dtype: "bool", min: 0, max: 1, mean: 1 / 3 }, ["[2, 3]", "bool", "cuda:0", "2 true", "4 false"]],
  ["one boolean", { shape: [], size: 1, dtype: "bool", min: 1, max: 1, mean: 1 }, ["tensor(true)", "bool", "cuda:0"]],
  ["a list of one", { shape: [1], size: 1, min: 3, max: 3, mean: 3 }, ["[1]", "float32", "cuda:0", "3"]],
  [
    "a scalar that is NaN",
    { shape: [], size: 1, min: null, max: null, mean: null, nan: 1 },
    ["tensor(NaN)", "float32", "cuda:0", "1 NaN"],
  ],
  ["a scalar", { shape: [], size: 1, min: 2.25, max: 2.25, mean: 2.25 }, ["tensor(2.25)", "float32", "cuda:0"]],
  [
    "an empty one",
    { shape: [0, 3], size: 0, min: null, max: null, mean: null },
    ["[0, 3]", "float32", "cuda:0", "empty"],
  ],
  [
    "nothing finite",
    { min: null, max: null, mean: null, nan: 6 },
    ["[2, 3]", "float32", "cuda:0", "no finite value", "6 NaN"],
  ],
  ["a mean too large", { mean: null }, ["[2, 3]", "float32", "cuda:0", "min -1.5", "max 2"]],
])("the line of %s", (_name, changes, texts) => expect(line(changes)).toEqual(texts));

test("details are there for those who ask", () => {
  const details = Object.fromEntries(
    factsOf({ ...payload, nan: 1, suspect: true }).map(({ text, detail }) => [text, detail]),
  );
  expect(details).toMatchObject({
    "[2, 3]": "6 elements",
    float32: "24 B",
    "1 NaN": "1 element is NaN",
    unfinished: expect.stringContaining("did not finish"),
  });
});

test("the note tells what a cell is", () => {
  const tile = { rows: 1, columns: 1, rowStep: 1, columnStep: 1, values: "" };
  expect(cellNote([2, 3], tile)).toBe("");
  expect(cellNote([7, 2, 3], tile)).toBe("the first slice [0, :, :]");
  expect(cellNote([7, 2, 3], tile, [4])).toBe("slice [4, :, :]");
  expect(cellNote([7, 2, 3], tile, [4], true)).toBe("slice [4, :, :] while the kernel works");
  expect(cellNote([4096], { ...tile, columnStep: 16 })).toBe("a cell is the mean of 16 elements");
  expect(cellNote([7, 2, 128, 300], { ...tile, rowStep: 2, columnStep: 2 })).toBe(
    "the first slice [0, 0, :, :] · a cell is the mean of 2 × 2 elements",
  );
});

test("the label reads as a sentence", () => {
  expect(pictureLabel({ ...payload, tile: { rows: 2, columns: 3, rowStep: 1, columnStep: 1, values: "" } })).toBe(
    "Heat map, 2 by 3 cells, of a tensor: [2, 3], float32, cuda:0, min -1.5, max 2, mean 0.33333. Arrow keys move over its cells.",
  );
});
