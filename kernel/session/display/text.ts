// Values as text: as a console prints them, and within HTML.
import { inspect } from "node:util";

/** As Node's REPL would print it, without colours. */
export function text(value: unknown): string {
  return inspect(value, { depth: 4, maxArrayLength: 100, maxStringLength: 10_000, breakLength: 100, colors: false });
}

export function escape(value: string): string {
  return value.replace(
    /[&<>"']/g,
    (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[character]!,
  );
}
