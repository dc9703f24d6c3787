// Tables of text, for the summary of a model.

/** Text that a cell shows as it is. */
export class Summary {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.#text;
  }
}

/** Rows under a head, in columns as wide as their widest; the last one is of numbers, to the right. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((word, column) => Math.max(word.length, ...rows.map((row) => row[column]!.length)));
  const last = head.length - 1;
  return [head, ...rows]
    .map((row) =>
      row
        .map((word, column) => (column === last ? word.padStart(widths[column]!) : word.padEnd(widths[column]!)))
        .join("  "),
    )
    .join("\n");
}
