// Finds the lines of several texts in which a text occurs, in order, and steps from one to the next.

export interface Match {
  readonly pane: number;
  readonly index: number;
}

export interface Searched {
  readonly lines: readonly string[];
  /** Hidden lines are not found. */
  isShown(index: number): boolean;
}

/** `query` is compared without case. */
export function matchesIn(panes: readonly Searched[], query: string): Match[] {
  const wanted = query.toLowerCase();
  if (wanted === "") return [];
  return panes.flatMap((searched, pane) =>
    searched.lines.flatMap((line, index) =>
      searched.isShown(index) && line.toLowerCase().includes(wanted) ? [{ pane, index }] : [],
    ),
  );
}

/** The position after `current`, or before it, round the end; −1 where there are none. */
export function stepped(current: number, length: number, backwards: boolean): number {
  if (length === 0) return -1;
  if (current < 0) return backwards ? length - 1 : 0;
  return (current + (backwards ? length - 1 : 1)) % length;
}
