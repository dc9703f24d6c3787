// Finds the cell of a notebook that a place names, and goes to its line.
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { TracePlace } from "../../../kernel/mime.ts";

export type Notebook = NotebookPanel["content"];
export type NotebookCell = Notebook["widgets"][number];

/** By its id, else by its execution count; a cell that ran again since keeps its id. */
export function cellOf(
  { widgets }: Notebook,
  { cell, count }: Pick<TracePlace, "cell" | "count">,
): NotebookCell | null {
  const byId = cell === null ? undefined : widgets.find(({ model }) => model.id === cell);
  const ranAs = ({ model }: NotebookCell) => (model as { executionCount?: number | null }).executionCount;
  return byId ?? (count === 0 ? undefined : widgets.find((widget) => ranAs(widget) === count)) ?? null;
}

/** Brings the line into view and puts the cursor there. */
export function goToPlace(notebook: Notebook, place: TracePlace): void {
  const cell = cellOf(notebook, place);
  if (!cell) return;
  const index = notebook.widgets.indexOf(cell);
  notebook.activeCellIndex = index;
  void notebook.scrollToItem(index).then(() => {
    const line = Math.max(0, Math.min(place.line, cell.editor?.lineCount ?? 1) - 1);
    cell.editor?.setCursorPosition({ line, column: 0 });
    cell.editor?.revealPosition({ line, column: 0 });
    cell.editor?.focus();
  });
}
