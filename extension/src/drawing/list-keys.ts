// Where a key leads in a list of rows or lines.

const moves: Readonly<Record<string, (from: number, page: number, last: number) => number>> = {
  ArrowUp: (from) => from - 1,
  ArrowDown: (from) => from + 1,
  PageUp: (from, page) => from - page,
  PageDown: (from, page) => from + page,
  Home: () => 0,
  End: (_from, _page, last) => last,
};

/**
 * From item `from` of `length`, of which as many are seen at once as fit into `height`; `null`: the key leads nowhere.
 */
export function ledTo(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  from: number,
  length: number,
  height: number,
): number | null {
  const move = moves[key];
  if (!move || ctrlKey || metaKey || altKey || length === 0) return null;
  // Two lines of the page before stay in view.
  const page = Math.max(1, Math.floor(height) - 2);
  return Math.max(0, Math.min(length - 1, move(from, page, length - 1)));
}
