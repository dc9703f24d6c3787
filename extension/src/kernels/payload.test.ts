// Profiles that are not what they should be: each is one sentence that names the field, never an exception.
import { expect, test } from "vitest";
import { checkKernels } from "./payload.ts";
import { device, facts, kernel } from "../../../test/helpers/kernel-facts.ts";

const advice = { text: "idle", place: 0, start: 0, end: 1 };
const { name: _name, ...nameless } = kernel();

test("a profile that keeps to the contract is taken as it is", () => {
  const profile = facts([kernel({ counters: { "dram bytes": 7, change: -1 }, places: [1] })], { advice: [advice] });
  expect(checkKernels(profile)).toEqual({ ok: true, value: profile });
  expect(checkKernels(facts([], { devices: [], places: [] })).ok).toBe(true);
});

test.each<[string, unknown, string]>([
  ["nothing", undefined, "Expected a profile to be a record of fields but got nothing."],
  ["a list", [], "Expected a profile to be a record of fields but got []."],
  ["no kernels", { ...facts([]), kernels: undefined }, 'Expected "kernels" of a profile to be a list but got nothing.'],
  ["a kernel that is none", { ...facts([]), kernels: [null] }, "Expected kernel 1 of a profile to be a record of fields but got null."],
  ["no name", { ...facts([]), kernels: [kernel(), nameless] }, 'Expected "name" of kernel 2 of a profile to be a string but got nothing.'],
  ["NaN", facts([kernel({ mean: NaN })]), 'Expected "mean" of kernel 1 of a profile to be a number of 0 or more but got null.'],
  ["a negative time", facts([kernel({ total: -5 })]), 'Expected "total" of kernel 1 of a profile to be a number of 0 or more but got -5.'],
  ["a count that is none", facts([kernel({ calls: 1.5 })]), 'Expected "calls" of kernel 1 of a profile to be a whole number of 0 or more but got 1.5.'],
  ["an infinite size", facts([kernel({ bytes: Infinity })]), 'Expected "bytes" of kernel 1 of a profile to be a number of 0 or more, or null but got null.'],
  ["a counter in words", facts([kernel({ counters: { sm: "busy" as unknown as number } })]), 'Expected "counters" of kernel 1 of a profile to be a record of finite numbers but got {"sm":"busy"}.'],
  ["a place that is not there", facts([kernel({ places: [2] })]), "Expected kernel 1 of a profile to name one of its 2 places but got 2."],
  ["advice to nowhere", facts([], { advice: [{ ...advice, place: 9 }] }), "Expected advice 1 of a profile to name one of its 2 places but got 9."],
  ["a rate below zero", facts([], { devices: [device({ product: { float32: -1 } })] }), 'Expected "product" of device 1 of a profile to be a record of numbers of 0 or more but got {"float32":-1}.'],
  ["10 MB in the wrong place", facts([kernel({ grid: "x".repeat(1e7) as unknown as number[] })]), `Expected "grid" of kernel 1 of a profile to be a list of whole numbers of 0 or more but got "${"x".repeat(56)}….`],
])("%s", (_case, value, problem) => expect(checkKernels(value)).toEqual({ ok: false, problem }));
