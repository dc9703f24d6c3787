// The examples of the documentation and the lines of the guides' tables, as the checker sees them: each public name has
// an example, and none has a mistake. What they compute is test/device/examples.test.ts.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { CheckedText, nameOf } from "./helpers/checked-text.ts";
import { codeIn, preambleOf, rowsOf } from "./helpers/guides.ts";

const text = new CheckedText();
const reference = text.reference();
afterAll(() => text[Symbol.dispose]());

/** What the checker finds in pieces of code that know every name of the library. */
function foundIn(pieces: readonly { readonly name: string; readonly code: string }[]): string[] {
  const names = reference
    .filter(({ owner }) => owner === "")
    .map(({ kind, name }) => (kind === "type" ? `type ${name}` : name));
  const lines = [`import { ${names.join(", ")} } from "warpcell";`];
  const places = [""];
  for (const { name, code } of pieces) {
    const body = ["async () => {", ...code.split("\n"), "};"];
    lines.push(...body);
    places.push(...body.map(() => name));
  }
  return text.check(lines.join("\n")).map(({ line, message }) => `${places[line - 1]}: ${lines[line - 1]}: ${message}`);
}

test("every public name has an example", () => {
  expect(reference.length).toBeGreaterThan(700);
  const bare = reference.filter(({ kind, examples }) => kind === "value" && examples.length === 0);
  expect(bare.map(nameOf)).toEqual([]);
});

test("every name, and every member of a class, has a sentence", () => {
  const silent = reference.filter(({ kind, text }) => kind !== "module" && text === "");
  expect(silent.map(nameOf)).toEqual([]);
  expect(reference.filter(({ kind }) => kind === "member").length).toBeGreaterThan(100);
});

test("the checker finds nothing in them", () => {
  expect(foundIn(reference.flatMap((entry) => entry.examples.map((code) => ({ name: nameOf(entry), code }))))).toEqual(
    [],
  );
});

test.each([
  ["numpy.md", 70],
  ["pytorch.md", 65],
  ["from-cuda.md", 25],
])("nor in the lines of %s", (name, least) => {
  const page = readFileSync(fileURLToPath(new URL(`../docs/guides/${name}`, import.meta.url)), "utf8");
  const rows = rowsOf(page).map((cells) => codeIn(cells.at(-1)!).join(";\n"));
  expect(foundIn(rows.map((row) => ({ name: row, code: `${preambleOf(page)}\n${row}` })))).toEqual([]);
  expect(rows.length).toBeGreaterThanOrEqual(least);
});
