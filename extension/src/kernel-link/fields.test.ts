// The sentences about a value that is not what a table of fields expects.
import { expect, test } from "vitest";
import {
  between,
  checkFields,
  count,
  counts,
  exactly,
  finite,
  flag,
  list,
  oneOf,
  orNull,
  record,
  text,
} from "./fields.ts";

const check = (value: unknown, expectation: typeof text) => {
  const checked = checkFields<{ field: unknown }>("a thing", { field: value }, { field: expectation });
  return checked.ok ? "ok" : checked.problem;
};

test.each([
  ["x", text],
  [false, flag],
  [0, count],
  [-1.5, finite],
  [[], list],
  [[1, 0], counts],
  [1, exactly(1)],
  [64, between(1, 64)],
  ["b", oneOf("a", "b")],
  [null, orNull(finite)],
  [2, orNull(finite)],
  [{}, record],
])("%j fits", (value, expectation) => expect(check(value, expectation)).toBe("ok"));

test.each([
  [3, text, '"field" of a thing is 3 but should be a string.'],
  ["yes", flag, '"field" of a thing is "yes" but should be true or false.'],
  [-1, count, '"field" of a thing is -1 but should be a whole number ≥ 0.'],
  [0.5, count, '"field" of a thing is 0.5 but should be a whole number ≥ 0.'],
  ["1", finite, '"field" of a thing is "1" but should be a finite number.'],
  [{}, list, '"field" of a thing is {} but should be a list.'],
  [[1, -1], counts, '"field" of a thing is [1,-1] but should be a list of whole numbers ≥ 0.'],
  [2, exactly(1), '"field" of a thing is 2 but should be 1.'],
  ["c", oneOf("a", "b"), '"field" of a thing is "c" but should be "a" or "b".'],
  [65, between(1, 64), '"field" of a thing is 65 but should be a whole number from 1 to 64.'],
  [undefined, orNull(finite), '"field" of a thing is missing but should be a finite number or null.'],
  [[], record, '"field" of a thing is [] but should be a record of fields.'],
])("%j does not fit, and the sentence says so", (value, expectation, sentence) =>
  expect(check(value, expectation)).toBe(sentence));

test.each([
  [null, "null"],
  ["text", '"text"'],
  [[1], "[1]"],
  [undefined, undefined],
])("%j is no record", (value, got) => {
  expect(checkFields("a thing", value, {})).toEqual({
    ok: false,
    problem: `A thing is ${got ?? "missing"} but should be a record of fields.`,
  });
});

test("a long value is cut in the sentence", () => {
  expect(check("x".repeat(100), count)).toBe(
    `"field" of a thing is "${"x".repeat(56)}… but should be a whole number ≥ 0.`,
  );
});
