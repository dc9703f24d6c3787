// The languages of cells: what each turns a cell and its run into. Another language is a line here and a file of its own.
import type { Cell } from "../language/cell.ts";
import type { Guard } from "./interrupts.ts";
import type { Request } from "./request.ts";
import type { RanCell } from "./cell-registry.ts";
import { runCuda } from "./run-cuda.ts";
import { runTypeScript } from "./run-typescript.ts";
import type { Session } from "./session.ts";

/** A cell on its way: what runs it, and as what. */
export interface Run {
  session: Session;
  request: Request;
  /** How the user knows the cell, and its text: for tracebacks. */
  ran: RanCell;
  /** Calls user code so that it can be interrupted. */
  guard: Guard;
}

/** What a cell came to: `value` is absent when it has none. `after` runs when the value has been shown. */
export interface CellResult { value?: unknown; after?: () => Promise<void>; }

type Runner<L extends Cell["language"]> = (cell: Extract<Cell, { language: L }>, run: Run) => Promise<CellResult>;

const languages: { [L in Cell["language"]]: Runner<L> } = { typescript: runTypeScript, cuda: runCuda };

export function runCell(cell: Cell, run: Run): Promise<CellResult> {
  return (languages[cell.language] as (cell: Cell, run: Run) => Promise<CellResult>)(cell, run);
}
