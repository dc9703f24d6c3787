// The words of a payload's first line, and the sentence about what is pointed at.
import { trans } from "../drawing/trans.ts";
import type { AsmPayload } from "../../../kernel/mime.ts";
import { formatBytes, grouped } from "../drawing/quantity.ts";
import { shownText } from "../drawing/shown-text.ts";

/** The facts of the line, in order; what nobody knows is left out. */
export function factsOf({ title, device, arch, registers, shared, spills }: AsmPayload): string[] {
  const facts = [title, device, arch].filter((text) => text !== "").map((text) => shownText(text, 60));
  if (registers !== null) facts.push(trans._n("%2 register", "%2 registers", registers, grouped(registers)));
  if (shared !== null) facts.push(trans.__("%1 shared", formatBytes(shared)));
  if (spills !== null) facts.push(spills === 0 ? trans.__("no spills") : trans.__("%1 spilled", formatBytes(spills)));
  return facts;
}

/** "Line 4: 3 lines of PTX, 5 of SASS." `counts` in the order of `names`. */
export function linkSentence(line: number, names: readonly string[], counts: readonly number[]): string {
  const found = names.map((name, index) => ({ name, count: counts[index] ?? 0 })).filter(({ count }) => count > 0);
  if (found.length === 0) return trans.__("Line %1: no instructions", line);
  const parts = found.map(({ name, count }, index) =>
    index === 0
      ? trans._n("%2 line of %3", "%2 lines of %3", count, grouped(count), name)
      : trans.__("%1 of %2", grouped(count), name),
  );
  return trans.__("Line %1: %2", line, parts.join(", "));
}
