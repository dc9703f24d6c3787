// The one error type for wrong input from outside: a stable code, a sentence for the user.

export type ProblemCode =
  | "CONNECTION_UNREADABLE"
  | "CONNECTION_INVALID"
  | "PORT_IN_USE"
  | "BIND_FAILED"
  | "FRAMES_MALFORMED"
  | "MESSAGE_TOO_LARGE"
  | "SIGNATURE_INVALID"
  | "SIGNATURE_REPLAYED"
  | "PART_NOT_TEXT"
  | "PART_NOT_JSON"
  | "PART_INVALID"
  | "MESSAGE_UNKNOWN"
  | "CONTENT_INVALID"
  | "CODE_TOO_DEEP"
  | "KERNEL_ENDED"
  | "COMMAND_UNKNOWN"
  | "COMMAND_WORDS"
  | "NOTEBOOK_UNREADABLE"
  | "NOTEBOOK_INVALID"
  | "INSTALL_FAILED"
  | "TESTS_MISSING"
  | "TEMPORARY_UNWRITABLE";

/** A refusal that says what was expected, what came and what to do. */
export class Problem extends Error {
  readonly code: ProblemCode;

  constructor(code: ProblemCode, sentence: string) {
    super(sentence);
    this.name = "Problem";
    this.code = code;
  }
}

/** How a value of unknown origin is called in a sentence: "a string", "null", "an array". */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
