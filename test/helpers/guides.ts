// Reads guides: their tables, the code in them, and the blocks that are cells.

/** The cells of all rows of the tables of a page, without heads. */
export function rowsOf(text: string): string[][] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const isRow = line.startsWith("|") && !/^\|[\s|:-]+\|$/.test(line) && !/^\|[\s|:-]+\|$/.test(lines[at + 1] ?? "");
    return isRow
      ? [
          line
            .slice(1, -1)
            .split(/(?<!\\)\|/)
            .map((cell) => cell.trim().replaceAll("\\|", "|")),
        ]
      : [];
  });
}

/** What stands between backticks. */
export function codeIn(cell: string): string[] {
  return [...cell.matchAll(/(`+)\s?(.*?)\s?\1(?!`)/g)].map(([, , code]) => code!);
}

/** Fenced blocks of a page with their languages. */
export function blocksOf(text: string): { language: string; code: string }[] {
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language, code]) => ({
    language: language!,
    code: code!.trimEnd(),
  }));
}

/** What stands before the lines of the tables: the first block of TypeScript, without its imports. */
export function preambleOf(text: string): string {
  const first = blocksOf(text).find(({ language }) => language === "ts")!;
  return first.code.replace(/^import .*;$/gm, "");
}

/** Whether a message has the sentence of a page in it, with "…" for what differs from machine to machine. */
export function says(message: string, sentence: string): boolean {
  const pattern = sentence
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[^]*");
  return sentence !== "" && new RegExp(pattern).test(message);
}
