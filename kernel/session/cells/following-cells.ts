// Cells that come one below the other: a front end is given one text for the cell below, so each cell, when it has run,
// brings the next one.

export class FollowingCells {
  readonly #next = new Map<string, string>();

  /** Notes which follows which. Returns the first one. */
  begin(cells: readonly string[]): string {
    cells.slice(1).forEach((next, at) => this.#next.set(cells[at]!, next));
    return cells[0]!;
  }

  /** The text of the cell that comes below one that has run; once, since it is there then. */
  after(source: string): string | undefined {
    const next = this.#next.get(source);
    this.#next.delete(source);
    return next;
  }
}
