// What the table of variables says of a name, and which names a filter leaves.
import { expect, test } from "vitest";
import type { NotebookVariable } from "../../../kernel/mime.ts";
import { columns, filtered } from "./columns.ts";
import { checkVariables } from "./payload.ts";

const plain: NotebookVariable = {
  name: "n",
  type: "number",
  value: "3",
  isImport: false,
  shape: null,
  dtype: null,
  device: null,
  tensors: 0,
  bytes: 0,
  id: null,
  place: { text: "Cell [2]:1", cell: "a", count: 2, line: 1 },
};
const tensor: NotebookVariable = {
  ...plain,
  name: "x10",
  type: "Tensor",
  value: "",
  shape: [256, 4],
  dtype: "float32",
  device: "cuda:0",
  tensors: 1,
  bytes: 4096,
  id: "id",
  place: { text: "Cell [10]:3", cell: "b", count: 10, line: 3 },
};
const list: NotebookVariable = {
  ...plain,
  name: "x9",
  type: "Array",
  value: "2 items",
  tensors: 2,
  bytes: 3 * 2 ** 30,
};
const imported: NotebookVariable = { ...plain, name: "zeros", type: "function", value: "", isImport: true };
const all = [tensor, plain, list, imported];

const texts = (variable: NotebookVariable) => columns.map(({ text }) => text(variable));
const sorted = (key: string) =>
  all.toSorted(columns.find((column) => column.key === key)!.compare).map(({ name }) => name);

test("each column says one thing", () => {
  expect(texts(tensor)).toEqual(["x10", "Tensor", "[256, 4]", "float32", "cuda:0", "4.0 KiB", "Cell [10]:3"]);
  expect(texts(list)).toEqual(["x9", "Array", "2 items, 2 tensors", "", "", "3.0 GiB", "Cell [2]:1"]);
  expect(texts({ ...tensor, value: "disposed", tensors: 0 })[2]).toBe("[256, 4] disposed");
  expect(texts({ ...plain, place: null })[6]).toBe("");
});

test("names and cells are in the order of their numbers, sizes from the largest", () => {
  expect(sorted("name")).toEqual(["n", "x9", "x10", "zeros"]);
  expect(sorted("size").slice(0, 2)).toEqual(["x9", "x10"]);
  expect(sorted("place").at(-1)).toBe("x10");
});

test("every word of a filter counts, and imports only where they are wanted", () => {
  const names = (filter: string, withImports = false) => filtered(all, filter, withImports).map(({ name }) => name);
  expect(names("")).toEqual(["x10", "n", "x9"]);
  expect(names("", true)).toHaveLength(4);
  expect(names("FLOAT cuda")).toEqual(["x10"]);
  expect(names("x 256")).toEqual(["x10"]);
  expect(names("nothing")).toEqual([]);
});

test.each<[unknown, string]>([
  [{}, "The kernel's answer has no list of variables."],
  [
    { variables: [{ ...plain, bytes: -1 }] },
    '"bytes" of variable 1 of the notebook is -1 but should be a whole number ≥ 0.',
  ],
  [
    { variables: [{ ...plain, place: { ...plain.place, line: "1" } }] },
    '"line" of place 1 of the notebook is "1" but should be a whole number ≥ 0.',
  ],
])("%j is refused with a sentence", (data, problem) => expect(checkVariables(data)).toEqual({ ok: false, problem }));

test("an answer as described is trusted", () =>
  expect(checkVariables({ variables: all, running: true })).toEqual({
    ok: true,
    value: { variables: all, running: true },
  }));
