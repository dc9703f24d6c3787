// What is wrong with the text of a cell, and where: one error for its code and for its magics.

/** The name that a user sees, by the error's code. */
const names = { SYNTAX: "SyntaxError", UNKNOWN_MAGIC: "MagicError" } as const;

/** A cell that cannot run. Positions count from 1, in the text that was given. */
export class CellSyntaxError extends SyntaxError {
  readonly code: keyof typeof names;
  readonly line: number;
  readonly column: number;

  constructor(code: keyof typeof names, message: string, line: number, column: number) {
    super(message);
    this.name = names[code];
    this.code = code;
    this.line = line;
    this.column = column;
  }
}
