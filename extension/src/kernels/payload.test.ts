// Kernels that are not what they should be: each is one sentence that names the field, never an exception.
import { expect, test } from "vitest";
import type { KernelFacts } from "./payload.ts";
import { problemWith } from "./payload.ts";
import { device, facts, kernel } from "../../../test/helpers/kernel-facts.ts";

const advice = { text: "idle", place: 0, start: 0, end: 1 };
const { name: _name, ...nameless } = kernel();

test("nothing is wrong with kernels that keep to the contract", () => {
  expect(
    problemWith(
      facts([kernel({ counters: { "dram bytes": 7, change: -1 }, samples: { "long scoreboard": 3 }, places: [1] })], {
        advice: [advice],
      }),
    ),
  ).toBeNull();
  expect(problemWith(facts([], { devices: [], places: [] }))).toBeNull();
});

test.each<[string, unknown, string]>([
  [
    "a kernel that is none",
    { ...facts([]), kernels: [null] },
    "Kernel 1 of a profile is null but should be a record of fields.",
  ],
  [
    "no name",
    { ...facts([]), kernels: [kernel(), nameless] },
    '"name" of kernel 2 of a profile is missing but should be a string.',
  ],
  ["NaN", facts([kernel({ mean: NaN })]), '"mean" of kernel 1 of a profile is null but should be a number ≥ 0.'],
  [
    "a negative time",
    facts([kernel({ total: -5 })]),
    '"total" of kernel 1 of a profile is -5 but should be a number ≥ 0.',
  ],
  [
    "a count that is none",
    facts([kernel({ calls: 1.5 })]),
    '"calls" of kernel 1 of a profile is 1.5 but should be a whole number ≥ 0.',
  ],
  [
    "an infinite size",
    facts([kernel({ bytes: Infinity })]),
    '"bytes" of kernel 1 of a profile is null but should be a number ≥ 0 or null.',
  ],
  [
    "a counter in words",
    facts([kernel({ counters: { sm: "busy" as unknown as number } })]),
    '"counters" of kernel 1 of a profile is {"sm":"busy"} but should be a record of finite numbers.',
  ],
  [
    "samples below zero",
    facts([kernel({ samples: { wait: -1 } })]),
    '"samples" of kernel 1 of a profile is {"wait":-1} but should be a record of numbers ≥ 0 or left out.',
  ],
  [
    "a place that is not there",
    facts([kernel({ places: [2] })]),
    "Kernel 1 of a profile names place 2 but there are 2, counted from 0.",
  ],
  [
    "advice to nowhere",
    facts([], { advice: [{ ...advice, place: 9 }] }),
    "Advice 1 of a profile names place 9 but there are 2, counted from 0.",
  ],
  [
    "a rate below zero",
    facts([], { devices: [device({ product: { float32: -1 } })] }),
    '"product" of device 1 of a profile is {"float32":-1} but should be a record of numbers ≥ 0.',
  ],
  [
    "10 MB in the wrong place",
    facts([kernel({ grid: "x".repeat(1e7) as unknown as number[] })]),
    `"grid" of kernel 1 of a profile is "${"x".repeat(56)}… but should be a list of whole numbers ≥ 0.`,
  ],
])("%s", (_case, value, problem) => expect(problemWith(value as KernelFacts)).toBe(problem));
