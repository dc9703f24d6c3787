// Completes a magic line: the words that may stand there.
import { beforeCode, magicWords } from "./magics.ts";
import type { Completion } from "./complete.ts";

/** Matches at `offset` (UTF-16) of a magic line; `null` where there is none. */
export function completeMagic(
  code: string,
  offset: number,
): { matches: Completion[]; start: number; end: number } | null {
  const before = code.slice(0, offset);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (!/^\s*%/.test(line) || !/^(?:\s*(?:%|\/\/).*\n|\s*\n)*$/.test(before.slice(0, before.length - line.length)))
    return null;

  if (beforeCode.test(line) && /\s\S*$/.test(line)) return null;

  const [, head, typed] = /^\s*(?:(%\S*)\s(?:.*\s)?)?(\S*)$/.exec(line)!;
  const words = head === undefined ? Object.keys(magicWords) : Object.hasOwn(magicWords, head) ? magicWords[head]! : [];
  const start = offset - typed!.length;
  const matches = words
    .filter((word) => word.startsWith(typed!))
    .map((text) => ({ text, type: "magic", signature: "", start, end: offset }));
  return { matches, start, end: offset };
}

/** Magics before the first line of code become spaces: offsets stay, and so does code behind `%time`. */
export function withoutMagics(code: string): string {
  const lines = code.split("\n");
  const firstOfCode = lines.findIndex((line) => !/^\s*(?:$|\/\/|%)/.test(line));
  return lines
    .map((line, index) => (/^\s*%/.test(line) && (firstOfCode === -1 || index < firstOfCode) ? blank(line) : line))
    .join("\n");
}

function blank(line: string): string {
  const magic = beforeCode.exec(line)?.[0] ?? line;
  return " ".repeat(magic.length) + line.slice(magic.length);
}
