// Checks a field of a message's content, which a client may have filled with anything.
import type { Json } from "./messages.ts";
import { Problem, kindOf } from "./problem.ts";

interface Kinds {
  string: string;
  number: number;
  boolean: boolean;
  object: Json;
}

/** The field. Throws a `Problem` when it is missing or of another type. */
export function required<K extends keyof Kinds>(content: Json, field: string, kind: K): Kinds[K] {
  const value = content[field];
  if (!isKind(value, kind))
    throw new Problem(
      "CONTENT_INVALID",
      `"${field}" must be ${kind === "object" ? "an object" : `a ${kind}`}, but is ${kindOf(value)}.`,
    );
  return value as Kinds[K];
}

/** The field, or `absent` when it is missing or null. Throws a `Problem` when it is of another type. */
export function optional<K extends keyof Kinds>(content: Json, field: string, kind: K, absent: Kinds[K]): Kinds[K] {
  return content[field] === undefined || content[field] === null ? absent : required(content, field, kind);
}

function isKind(value: unknown, kind: keyof Kinds): boolean {
  return kind === "object"
    ? typeof value === "object" && value !== null && !Array.isArray(value)
    : typeof value === kind;
}

/** A row of a table, looked up by a name from outside: never what every object inherits, such as "constructor". */
export function rowOf<Row>(table: Readonly<Record<string, Row>>, name: string): Row | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
