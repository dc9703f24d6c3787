// Splits a magic's line into words with their columns.

/** `column` counts from 1. */
export interface Word {
  text: string;
  column: number;
}

/** Words of a line, split at spaces outside quotes; the quotes themselves are left out. */
export function words(line: string): Word[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map((match) => ({
    text: match[0].replace(
      /"([^"]*)"|'([^']*)'/g,
      (_, double: string | undefined, single: string | undefined) => double ?? single ?? "",
    ),
    column: match.index + 1,
  }));
}
