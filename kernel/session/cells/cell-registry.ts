// Remembers every cell that ran under the script name that V8 knows it by, so that a place in running code leads back
// to a place in a cell.
import type { CodePlace } from "warpcell/host";
import type { Position, Positions } from "../../language/positions.ts";

/** Code that ran. */
export interface RanCell {
  /** How it is named to the user: "Cell [3]". */
  readonly label: string;
  /** The cell's execution count; 0 for code that is not a cell. */
  readonly count: number;
  /** The front end's id of the cell, where it has told one. */
  readonly id?: string | null;
  readonly source: string;
  positions: Positions | null;
}

/** A place in a cell, counted from 1. */
export interface CellPlace extends Position {
  cell: RanCell;
}

const scheme = "cell:///";
const kernelOfProgram = /__global__\s+(?:__launch_bounds__\s*\([^()]*\)\s*)?[\w\s]*?\b(\w+)\s*\(/g;

export class CellRegistry {
  readonly #cells: RanCell[] = [];
  /** `#origins[n]` is where the launch with origin n + 1 stands. */
  readonly #origins: { cell: RanCell; offset: number }[] = [];
  readonly #told = new WeakMap<object, CellPlace>();
  /** Kernels of programs, each by the cell of the last program that had one of that name. */
  readonly #ofPrograms = new Map<string, RanCell>();
  readonly #declared = new Map<string, RanCell>();

  /** Registers a cell and returns the script name to run it under. */
  add(cell: RanCell): string {
    this.#cells.push(cell);
    return scheme + (this.#cells.length - 1);
  }

  /** Remembers the kernels of a cell that is a program, which are no functions of the notebook. */
  addProgram(cell: RanCell, code: string): void {
    for (const [, name] of code.matchAll(kernelOfProgram)) this.#ofPrograms.set(name!, cell);
  }

  /** The cell with the program that has a kernel of that name. */
  programWith(kernel: string): RanCell | undefined {
    return this.#ofPrograms.get(kernel);
  }

  /** Remembers what a `%%cuda` cell declares for others of its kind, which has no name in TypeScript. */
  addDeclared(cell: RanCell, labels: readonly string[]): void {
    for (const label of labels) this.#declared.set(label.replace(/^(?:struct|enum|union|class) |\(.*/gs, ""), cell);
  }

  /** The `%%cuda` cell that declared that name. */
  declarerOf(name: string): RanCell | undefined {
    return this.#declared.get(name);
  }

  /** The number for the next launch site; 0 means unknown to the library. */
  get nextOrigin(): number {
    return this.#origins.length + 1;
  }

  /** `offsets` are what the cell's positions know launch sites by. */
  addOrigins(cell: RanCell, offsets: readonly number[]): void {
    for (const offset of offsets) this.#origins.push({ cell, offset });
  }

  /** The launch site of that number, as the library is told it. */
  placeOfOrigin(origin: number): CodePlace | undefined {
    const { cell, offset } = this.#origins[origin - 1] ?? {};
    const position = cell?.positions?.ofOffset(offset!);
    return position && this.toldPlace({ ...position, cell: cell! });
  }

  /** A place as the library is told it. */
  toldPlace(place: CellPlace): CodePlace {
    const { cell, line } = place;
    const told = { label: cell.label, cell: cell.id ?? null, count: cell.count, line };
    this.#told.set(told, place);
    return told;
  }

  /** The place that the library was told, where an error of it comes back with it. */
  placeTold(told: object): CellPlace | undefined {
    return this.#told.get(told);
  }

  isCell(script: string): boolean {
    return script.startsWith(scheme);
  }

  /** What ran under that name. */
  of(script: string): RanCell | undefined {
    return this.isCell(script) ? this.#cells[Number(script.slice(scheme.length))] : undefined;
  }

  /**
   * The place in its cell of a place in a script; `undefined` when the script is not a cell, or that place is not one
   * that the user wrote: imports are loaded before the first statement.
   */
  find(script: string, line: number, column: number): CellPlace | undefined {
    const cell = this.of(script);
    const position = cell?.positions?.of(line, column);
    return cell && position && { cell, ...position };
  }
}
