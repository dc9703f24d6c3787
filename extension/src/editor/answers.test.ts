// Answers that fit their question, and those of another version that do not.
import { expect, test } from "vitest";
import type { EditorQuestion } from "../../../kernel/mime.ts";
import { fits } from "./answers.ts";

const place = { cell: 0, file: null, start: 1, end: 2, line: 1, text: "x" };

test.each<[EditorQuestion, unknown]>([
  ["hover", null],
  ["hover", { start: 0, end: 1, markdown: "x" }],
  ["signature", { signatures: [{ label: "f(x)", parameter: [2, 3], markdown: "" }], active: 0 }],
  ["complete", { start: 0, end: 0, matches: [] }],
  ["definition", { places: [place], hover: null }],
  ["references", { name: "x", places: [{ ...place, cell: null, file: "a.ts" }] }],
  ["rename", { cells: [{ cell: 0, edits: [{ start: 0, end: 1, text: "y" }] }], refused: null }],
  ["format", { cells: [], refused: "no" }],
  ["hints", [{ offset: 3, text: "n:" }]],
])("%s: %j fits", (question, answer) => expect(fits(question, answer)).toBe(true));

test.each<[EditorQuestion, unknown]>([
  ["hover", undefined],
  ["hover", { start: -1, end: 1, markdown: "x" }],
  ["signature", { signatures: [{ label: "f(x)", parameter: [2], markdown: "" }], active: 0 }],
  ["complete", null],
  ["complete", { start: 0, end: 0, matches: [{ text: 3 }] }],
  ["definition", { places: [{ ...place, line: "1" }], hover: null }],
  ["references", { places: [] }],
  ["rename", { cells: [{ cell: 0, edits: [{ start: 0, text: "y" }] }], refused: null }],
  ["format", null],
  ["hints", null],
])("%s: %j does not", (question, answer) => expect(fits(question, answer)).toBe(false));
