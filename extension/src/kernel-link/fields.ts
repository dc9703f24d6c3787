// Checks a value of unknown shape against a table of expectations: a typed value, or one sentence that says what was
// expected and what came.
import { trans } from "../drawing/trans.ts";

export type Checked<T> = { ok: true; value: T } | { ok: false; problem: string };

export interface Expectation {
  /** What fits, after "should be". */
  readonly expected: () => string;
  holds(value: unknown): boolean;
}

/** An expectation for every field of T: a field without one does not compile. */
export type Expectations<T> = { readonly [K in keyof Required<T>]: Expectation };

const isCount = (value: unknown): boolean => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
const isFinite = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);

export const text: Expectation = { expected: () => trans.__("a string"), holds: (value) => typeof value === "string" };
export const flag: Expectation = {
  expected: () => trans.__("true or false"),
  holds: (value) => typeof value === "boolean",
};
export const count: Expectation = { expected: () => trans.__("a whole number ≥ 0"), holds: isCount };
export const finite: Expectation = { expected: () => trans.__("a finite number"), holds: isFinite };
export const list: Expectation = { expected: () => trans.__("a list"), holds: Array.isArray };
export const texts: Expectation = {
  expected: () => trans.__("a list of strings"),
  holds: (value) => Array.isArray(value) && value.every(text.holds),
};
export const counts: Expectation = {
  expected: () => trans.__("a list of whole numbers ≥ 0"),
  holds: (value) => Array.isArray(value) && value.every(isCount),
};

export const exactly = (wanted: number): Expectation => ({
  expected: () => String(wanted),
  holds: (value) => value === wanted,
});
export const oneOf = (...wanted: readonly string[]): Expectation => ({
  expected: () => wanted.map((word) => `"${word}"`).join(trans.__(" or ")),
  holds: (value) => wanted.some((word) => word === value),
});
export const between = (low: number, high: number): Expectation => ({
  expected: () => trans.__("a whole number from %1 to %2", low, high),
  holds: (value) => isCount(value) && Number(value) >= low && Number(value) <= high,
});
export const within = (low: number, high: number): Expectation => ({
  expected: () => trans.__("a number from %1 to %2", low, high),
  holds: (value) => isFinite(value) && Number(value) >= low && Number(value) <= high,
});
export const orNull = ({ expected, holds }: Expectation): Expectation => ({
  expected: () => trans.__("%1 or null", expected()),
  holds: (value) => value === null || holds(value),
});

/** A field that may be left out. */
export const optional = ({ expected, holds }: Expectation): Expectation => ({
  expected: () => trans.__("%1 or left out", expected()),
  holds: (value) => value === undefined || holds(value),
});

/** A record, of which the fields are checked elsewhere. */
export const record: Expectation = {
  expected: () => trans.__("a record of fields"),
  holds: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/**
 * Checks `value` field by field. `what` names it in the sentence, such as "a tensor preview". Fields that the table
 * does not name are ignored: a newer writer of the same version may add some.
 */
export function checkFields<T>(what: string, value: unknown, expectations: Expectations<T>): Checked<T> {
  if (!record.holds(value))
    return {
      ok: false,
      problem: trans.__(
        "%1 is %2 but should be %3.",
        `${what[0]!.toUpperCase()}${what.slice(1)}`,
        shown(value),
        record.expected(),
      ),
    };
  const fields = value as Record<string, unknown>;
  for (const [name, { expected, holds }] of Object.entries<Expectation>(expectations)) {
    if (!holds(fields[name]))
      return {
        ok: false,
        problem:
          fields[name] === undefined
            ? trans.__('"%1" of %2 is missing but should be %3.', name, what, expected())
            : trans.__('"%1" of %2 is %3 but should be %4.', name, what, shown(fields[name]), expected()),
      };
  }
  return { ok: true, value: value as T };
}

/** Checks a whole output: a version that is not the expected one is the one mismatch that a reader can mend. */
export function checkOutput<T extends { version: number }>(
  what: string,
  value: unknown,
  expectations: Expectations<T>,
): Checked<T> {
  const checked = checkFields(what, value, expectations);
  const version = record.holds(value) ? (value as Partial<T>).version : undefined;
  if (checked.ok || typeof version !== "number" || expectations.version.holds(version)) return checked;
  return {
    ok: false,
    problem: trans.__("%1 Bring the kernel and the JupyterLab extension to the same version.", checked.problem),
  };
}

/**
 * What is wrong with the first item that does not fit; `null`: all do. `noun` and its number name an item of `what`:
 * "kernel 2 of a profile".
 */
export function problemIn<T>(
  noun: string,
  what: string,
  items: readonly unknown[],
  expectations: Expectations<T>,
): string | null {
  for (const [index, item] of items.entries()) {
    const checked = checkFields(trans.__("%1 %2 of %3", noun, index + 1, what), item, expectations);
    if (!checked.ok) return checked.problem;
  }
  return null;
}

/** A value in a sentence: short, whatever it is. */
function shown(value: unknown): string {
  if (value === undefined) return trans.__("missing");
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
