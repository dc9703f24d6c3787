// The brace that is never closed: compares the brackets of a source, and its indentation, which tells which one was
// forgotten.
import type { Token } from "./tokens.ts";

/** The opening brace that lacks its partner; `null` when every brace has one. */
export function unclosedBrace(tokens: readonly Token[]): Token | null {
  const open: { brace: Token; indent: number }[] = [];
  let suspect: Token | null = null;
  let indent = 0;
  let line = 0;
  for (const token of tokens) {
    const startsLine = token.line !== line;
    if (startsLine) indent = token.column;
    line = token.line;
    if (token.text === "{") open.push({ brace: token, indent });
    if (token.text !== "}") continue;
    const opened = open.pop();
    // A } further left than the line of its { was written for another one further out.
    if (opened !== undefined && startsLine && indent < opened.indent) suspect ??= opened.brace;
  }
  return open.length === 0 ? null : (suspect ?? open.at(-1)!.brace);
}
