// Checks that an answer is what the question asks for: a kernel of another version may say something else.
import { trans } from "../drawing/trans.ts";
import type { EditorAnswers, EditorQuestion } from "../../../kernel/mime.ts";
import type { Expectation, Expectations } from "../kernel-link/fields.ts";
import { checkFields, count, orNull, text } from "../kernel-link/fields.ts";

const listOf = <T>(expectations: Expectations<T>): Expectation => ({
  expected: () => trans.__("a list"),
  holds: (value) =>
    Array.isArray(value) && value.every((item) => checkFields(trans.__("an item"), item, expectations).ok),
});
const recordOf = <T>(expectations: Expectations<T>): Expectation => ({
  expected: () => trans.__("a record"),
  holds: (value) => checkFields(trans.__("an answer"), value, expectations).ok,
});

const range: Expectation = {
  expected: () => trans.__("two offsets"),
  holds: (value) => Array.isArray(value) && value.length === 2 && value.every(count.holds),
};
const hover = recordOf({ start: count, end: count, markdown: text });
const edits = listOf({ start: count, end: count, text });
const places = listOf({
  cell: orNull(count),
  file: orNull(text),
  start: count,
  end: count,
  line: count,
  text,
});
const changes = recordOf({ cells: listOf({ cell: count, edits }), refused: orNull(text) });

const expected: Readonly<Record<EditorQuestion, Expectation>> = {
  hover: orNull(hover),
  signature: orNull(
    recordOf({ signatures: listOf({ label: text, parameter: orNull(range), markdown: text }), active: count }),
  ),
  complete: recordOf({
    start: count,
    end: count,
    matches: listOf({ text, type: text, signature: text, documentation: text, from: orNull(text), edits }),
  }),
  definition: orNull(recordOf({ places, hover: orNull(hover) })),
  references: orNull(recordOf({ name: text, places })),
  rename: changes,
  format: changes,
  hints: listOf({ offset: count, text }),
};

export function fits<Question extends EditorQuestion>(
  question: Question,
  answer: unknown,
): answer is EditorAnswers[Question] {
  return expected[question].holds(answer);
}
