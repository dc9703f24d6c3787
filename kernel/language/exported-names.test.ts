// What a module exports, in each way of saying it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { exportedNames } from "./exported-names.ts";

test("each way of exporting, and names that another module passes on", () => {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-exports-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "inner.js"), "export const { a, b: c } = {}; throw new Error('It ran.');");
  writeFileSync(
    join(folder, "outer.js"),
    `export * from "./inner.js"; export * as all from "./inner.js"; export { a as d } from "./inner.js";
    export function f() {} export class G {} const local = 1; export { local as h };`,
  );
  const names = exportedNames(pathToFileURL(join(folder, "outer.js")));
  expect([...names].sort()).toEqual(["G", "a", "all", "c", "d", "f", "h"]);
});
