// What a list of matches says of each: its name with its parameters, or where it comes from.
import type { EditorMatch } from "../../../kernel/mime.ts";

/** A list has no room for more. */
const longest = 72;

/** The name comes first, and what is in brackets behind it is not compared with what is typed. */
export function labelOf({ text, signature, from }: Pick<EditorMatch, "text" | "signature" | "from">): string {
  if (from !== null) return `${text} (from "${from}")`;
  const at = signature.indexOf(text);
  const behind = at < 0 ? "" : signature.slice(at + text.length);
  const open = /^(?:<[^(]*>)?\(/.exec(behind);
  if (open === null) return text;
  const parameters = behind.slice(open[0].length - 1, closing(behind, open[0].length - 1));
  const label = text + parameters;
  return label.length > longest ? `${label.slice(0, longest - 2)}…)` : label;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")" && --depth === 0) return at + 1;
  }
  return text.length;
}
