// The sentences about a value that is not what a table of fields expects.
import { expect, test } from "vitest";
import { between, checkFields, count, counts, describe as inSentence, exactly, finite, flag, list, orNull, record, text } from "./fields.ts";

const check = (value: unknown, expectation: typeof text) => {
  const checked = checkFields<{ field: unknown }>("a thing", { field: value }, { field: expectation });
  return checked.ok ? "ok" : checked.problem;
};

test.each([
  ["x", text], [false, flag], [0, count], [-1.5, finite], [[], list], [[1, 0], counts], [1, exactly(1)], [64, between(1, 64)], [null, orNull(finite)], [2, orNull(finite)], [{}, record],
])("%j fits", (value, expectation) => expect(check(value, expectation)).toBe("ok"));

test.each([
  [3, text, 'Expected "field" of a thing to be a string but got 3.'],
  ["yes", flag, 'Expected "field" of a thing to be true or false but got "yes".'],
  [-1, count, 'Expected "field" of a thing to be a whole number of 0 or more but got -1.'],
  [0.5, count, 'Expected "field" of a thing to be a whole number of 0 or more but got 0.5.'],
  ["1", finite, 'Expected "field" of a thing to be a finite number but got "1".'],
  [{}, list, 'Expected "field" of a thing to be a list but got {}.'],
  [[1, -1], counts, 'Expected "field" of a thing to be a list of whole numbers of 0 or more but got [1,-1].'],
  [2, exactly(1), 'Expected "field" of a thing to be 1 but got 2.'],
  [65, between(1, 64), 'Expected "field" of a thing to be a whole number from 1 to 64 but got 65.'],
  [undefined, orNull(finite), 'Expected "field" of a thing to be a finite number, or null but got nothing.'],
  [[], record, 'Expected "field" of a thing to be a record of fields but got [].'],
])("%j does not fit, and the sentence says so", (value, expectation, sentence) => expect(check(value, expectation)).toBe(sentence));

test.each([[null, "null"], ["text", '"text"'], [[1], "[1]"], [undefined, "nothing"]])("%j is no record", (value, got) => {
  expect(checkFields("a thing", value, {})).toEqual({ ok: false, problem: `Expected a thing to be a record of fields but got ${got}.` });
});

test("a long value is cut in the sentence", () => {
  expect(inSentence("x".repeat(100))).toBe(`"${"x".repeat(56)}…`);
});
