// How deep the next line is, whatever a parser makes of a block that is still open.
import { getIndentation, IndentContext, indentUnit } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { blockIndentation } from "./indentation.ts";

const stateOf = (doc: string) => EditorState.create({ doc, extensions: [blockIndentation, indentUnit.of("    ")] });

test.each<[string, number | null]>([
  ["__global__ void k() {", 4],
  ["void f() {\n    for (int i = 0; i < 3; i++) {", 8],
  ["void f() {\n\tif (x) {  ", 8],
  ["void f() {\n    x = 1;", null],
  // The parameters' indentation is not the function's.
  ["void f(int a,\n       int b) {", null],
])("Enter after %j", (text, columns) => {
  const state = stateOf(text);
  expect(getIndentation(new IndentContext(state, { simulateBreak: text.length }), text.length)).toBe(columns);
});

test.each<[string, number | null]>([
  ["void f() {\n    if (x) {\n", 8],
  ["void f() {\n    if (x) {\n}", 4],
  ["void f() {\n    x = 1;\n}", null],
])("the last line of %j", (text, columns) => {
  expect(getIndentation(stateOf(text), text.lastIndexOf("\n") + 1)).toBe(columns);
});
