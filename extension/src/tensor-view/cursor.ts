// A cursor over the cells of a grid, moved by pointer and keys.

export interface Cell {
  row: number;
  column: number;
}

export interface Grid {
  rows: number;
  columns: number;
}

type Move = (from: Cell, grid: Grid) => Cell;

const page = 8;

/** By `KeyboardEvent.key`, with `Control+` before it when that is held. */
const moves: Readonly<Record<string, Move>> = {
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  PageUp: ({ row, column }) => ({ row: row - page, column }),
  PageDown: ({ row, column }) => ({ row: row + page, column }),
  Home: ({ row }) => ({ row, column: 0 }),
  End: ({ row }, { columns }) => ({ row, column: columns - 1 }),
  "Control+Home": () => ({ row: 0, column: 0 }),
  "Control+End": (_from, { rows, columns }) => ({ row: rows - 1, column: columns - 1 }),
};

const clamp = (value: number, length: number) => Math.min(length - 1, Math.max(0, value));

/** The cell that a key leads to, or `null` when the key does not move. The first move lands on the first cell. */
export function moved(from: Cell | null, key: string, control: boolean, grid: Grid): Cell | null {
  const move = moves[control ? `Control+${key}` : key];
  if (!move) return null;
  const { row, column } = from
    ? move(from, grid)
    : key === "End"
      ? move({ row: 0, column: 0 }, grid)
      : { row: 0, column: 0 };
  return { row: clamp(row, grid.rows), column: clamp(column, grid.columns) };
}

/** The cell under a point, given as shares of the grid's width and height. */
export function cellAt(across: number, down: number, grid: Grid): Cell {
  return {
    row: clamp(Math.floor(down * grid.rows), grid.rows),
    column: clamp(Math.floor(across * grid.columns), grid.columns),
  };
}
