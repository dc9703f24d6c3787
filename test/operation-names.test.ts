// The names that cells are searched for are those of the library: an operation that is not among them would have no
// line in a profile.
import { expect, test } from "vitest";
import { isOperation, sharedNames } from "../kernel/language/operation-names.ts";
import * as warpcell from "../native/lib/index.ts";
import { operations } from "../native/lib/ops/table.ts";

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
