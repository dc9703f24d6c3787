// The words of a payload's first line, and the sentence about what is pointed at.
import type { AsmPayload } from "../../../kernel/mime.ts";
import { formatBytes } from "../drawing/quantity.ts";
import { shownText } from "../drawing/shown-text.ts";

/** The facts of the line, in order; what nobody knows is left out. */
export function factsOf({ title, device, arch, registers, shared, spills }: AsmPayload): string[] {
  const facts = [title, device, arch].filter((text) => text !== "").map((text) => shownText(text, 60));
  if (registers !== null)
    facts.push(`${registers.toLocaleString("en-US")} ${registers === 1 ? "register" : "registers"}`);
  if (shared !== null) facts.push(`${formatBytes(shared)} shared`);
  if (spills !== null) facts.push(spills === 0 ? "no spills" : `${formatBytes(spills)} spilled`);
  return facts;
}

/** "Line 4: 3 lines of PTX, 5 of SASS." `counts` in the order of `names`. */
export function linkSentence(line: number, names: readonly string[], counts: readonly number[]): string {
  const found = names.map((name, index) => ({ name, count: counts[index] ?? 0 })).filter(({ count }) => count > 0);
  if (found.length === 0) return `Line ${line}: no instructions`;
  return `Line ${line}: ${found.map(({ name, count }, index) => `${count.toLocaleString("en-US")} ${index === 0 ? (count === 1 ? "line of " : "lines of ") : "of "}${name}`).join(", ")}`;
}
