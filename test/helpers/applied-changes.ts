// What cells are once the changes are made that an editor was told.
import type { EditorChanges } from "warpcell/payloads";

/** The cells as they are once the changes are made; a sentence where there are none. */
export function applied(cells: readonly string[], changes: EditorChanges): string[] | string {
  if (changes.refused !== null) return changes.refused;
  return cells.map((text, index) =>
    [...(changes.cells.find(({ cell }) => cell === index)?.edits ?? [])]
      .reverse()
      .reduce((result, { start, end, text: to }) => result.slice(0, start) + to + result.slice(end), text),
  );
}
