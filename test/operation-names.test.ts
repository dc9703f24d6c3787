// The names that cells are searched for are those of the library: an operation that is not among them would have no
// line in a profile.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isOperation, sharedNames } from "../kernel/language/operation-names.ts";
import * as warpcell from "../native/lib/index.ts";
import { operations } from "../native/lib/ops/core/table.ts";

/** Methods that have no device do anything. */
const idle = new Set(["constructor", "detach", "retainGrad", "registerHook", "isContiguousIn", "dispose"]);

const methods = Object.entries(Object.getOwnPropertyDescriptors(warpcell.Tensor.prototype))
  .filter(([, { value }]) => typeof value === "function")
  .map(([name]) => name);
const isKnown = (name: string): boolean =>
  isOperation(name) || sharedNames.has(name) || sharedNames.has(name.replace(/_$/, ""));

test("every method of a tensor is known", () => {
  expect(methods.filter((name) => !idle.has(name) && !isKnown(name))).toEqual([]);
});

test("every operation that is a function is known", () => {
  const functions = Object.keys(operations).filter((name) => name in warpcell);
  expect(functions.length).toBeGreaterThan(20);
  expect(functions.filter((name) => !isKnown(name))).toEqual([]);
});

// Gradients name the operations that they are made of, which a type cannot check without a circle of the table's rows.
test("every operation that a gradient is made of is in the table", () => {
  const folder = fileURLToPath(new URL("../native/lib", import.meta.url));
  const named = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      return [...text.matchAll(/\b(?:call|callAll|of)\(\s*"(\w+)"/g)].map(([, name]) => ({ file, name: name! }));
    });
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => !(name in operations))).toEqual([]);
});
