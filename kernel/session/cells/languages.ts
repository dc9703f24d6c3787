// The languages of cells: how each runs a cell. Another language is a line here and a file of its own.
import type { Cell } from "../../language/cell.ts";
import type { CellResult, Run } from "./run.ts";
import { runCuda } from "./run-cuda.ts";
import { runTypeScript } from "./run-typescript.ts";

type Runner<L extends Cell["language"]> = (cell: Extract<Cell, { language: L }>, run: Run) => Promise<CellResult>;

const languages: { [L in Cell["language"]]: Runner<L> } = { typescript: runTypeScript, cuda: runCuda };

export function runCell(cell: Cell, run: Run): Promise<CellResult> {
  return (languages[cell.language] as (cell: Cell, run: Run) => Promise<CellResult>)(cell, run);
}
