// Remembers every cell that ran under the script name that V8 knows it by, so that a place in running code leads back
// to a place in a cell.
import type { Position, Positions } from "../../language/positions.ts";

/** A cell that ran; `label` is how it is named to the user: `Cell [3]`. */
export interface RanCell {
  label: string;
  source: string;
  positions: Positions | null /** The front end's, where it has told one. */;
  id?: string | null;
}

/** A place in a cell, counted from 1. */
export interface CellPlace extends Position {
  cell: RanCell;
}

const scheme = "cell:///";

export class CellRegistry {
  readonly #cells: RanCell[] = [];
  /** `#origins[n]` is where the launch with origin n + 1 stands. */
  readonly #origins: { cell: RanCell; offset: number }[] = [];

  /** Registers a cell and returns the script name to run it under. */
  add(cell: RanCell): string {
    this.#cells.push(cell);
    return scheme + (this.#cells.length - 1);
  }

  /** The number for the next launch site; 0 means unknown to the library. */
  get nextOrigin(): number {
    return this.#origins.length + 1;
  }

  /** `offsets` are what the cell's positions know launch sites by. */
  addOrigins(cell: RanCell, offsets: readonly number[]): void {
    for (const offset of offsets) this.#origins.push({ cell, offset });
  }

  /** `Cell [3]:4`, for the number of a launch site. */
  describeOrigin(origin: number): string | undefined {
    const place = this.#place(this.#origins[origin - 1]);
    return place && `${place.cell.label}:${place.line}`;
  }

  /** The front end's id of the cell with the launch site of that number. */
  idOfOrigin(origin: number): string | undefined {
    return this.#origins[origin - 1]?.cell.id ?? undefined;
  }

  /** The place that {@link describeOrigin} has described; its column is that of the first launch on the line. */
  placed(description: string): CellPlace | undefined {
    for (const origin of this.#origins) {
      const place = description.startsWith(`${origin.cell.label}:`) ? this.#place(origin) : undefined;
      if (place !== undefined && `${place.cell.label}:${place.line}` === description) return place;
    }
    return undefined;
  }

  #place(origin: { cell: RanCell; offset: number } | undefined): CellPlace | undefined {
    const position = origin?.cell.positions?.ofOffset(origin.offset);
    return position && { ...position, cell: origin!.cell };
  }

  isCell(script: string): boolean {
    return script.startsWith(scheme);
  }

  /**
   * The place in its cell of a place in a script; `undefined` when the script is not a cell, or that place is not one
   * that the user wrote: imports are loaded before the first statement.
   */
  find(script: string, line: number, column: number): CellPlace | undefined {
    if (!this.isCell(script)) return undefined;
    const cell = this.#cells[Number(script.slice(scheme.length))];
    const position = cell?.positions?.of(line, column);
    return cell && position && { cell, ...position };
  }
}
