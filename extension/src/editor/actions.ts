// What the commands of the editor's help do: go to a definition, list references, rename, format.
import type { JupyterFrontEnd } from "@jupyterlab/application";
import { InputDialog, Notification } from "@jupyterlab/apputils";
import { getIndentUnit, indentUnit } from "@codemirror/language";
import type { EditorView } from "@codemirror/view";
import type { EditorChanges } from "../../../kernel/mime.ts";
import { trans } from "../drawing/trans.ts";
import { goTo } from "./go-to.ts";
import type { Help } from "./help.ts";
import { hoverBox } from "./hover.ts";
import type { Answered, CellModel, NotebookCell, NotebookQuestions } from "./notebook-questions.ts";
import { placesList } from "./places-list.ts";
import { closePopup, showPopup } from "./popup.ts";

/** Where a command acts. */
export interface Here {
  app: JupyterFrontEnd;
  help: Help;
  notebook: NotebookQuestions;
  cell: NotebookCell;
  view: EditorView;
  offset: number;
}

const modelOf = ({ cell }: Here): CellModel => cell.model;

/** What stands at the cursor; where nothing does, the call around it. */
export async function showHover(here: Here): Promise<void> {
  const { notebook, offset, help, view } = here;
  const hover = (await notebook.ask("hover", modelOf(here), offset))?.answer;
  if (hover != null) return showPopup(view, hover.start, await hoverBox(help, hover.markdown));
  const call = (await notebook.ask("signature", modelOf(here), offset))?.answer;
  const signature = call?.signatures[call.active];
  if (signature === undefined) return;
  const { label, markdown } = signature;
  showPopup(view, offset, await hoverBox(help, `\`\`\`typescript\n${label}\n\`\`\`\n\n${markdown}`));
}

export async function goToDefinition(here: Here): Promise<void> {
  const { app, notebook, view, help } = here;
  const found = await notebook.ask("definition", modelOf(here), here.offset);
  const [first, ...others] = found?.answer?.places ?? [];
  if (found && first !== undefined) {
    // Where several declare it, the user chooses.
    if (others.length > 0) return list(here, found, { name: "this name", places: [first, ...others] });
    return goTo(app, notebook, found.cells, first);
  }
  const hover = found?.answer?.hover;
  if (hover == null) return say(trans.__("Nothing that is declared stands here."));
  // What the library declares has no cell and no file of the user's: what is known of it is shown.
  showPopup(view, hover.start, await hoverBox(help, hover.markdown));
}

export async function findReferences(here: Here): Promise<void> {
  const found = await here.notebook.ask("references", modelOf(here), here.offset);
  if (found?.answer == null || found.answer.places.length === 0)
    return say(trans.__("Nothing that has a name of its own stands here."));
  list(here, found, found.answer);
}

function list(
  { app, notebook, view, offset }: Here,
  { cells }: Pick<Answered<"references">, "cells">,
  references: Parameters<typeof placesList>[0],
): void {
  const { dom, focus } = placesList(references, cells.map(labelOf), {
    go: (place) => {
      closePopup(view);
      void goTo(app, notebook, cells, place);
    },
    leave: () => {
      closePopup(view);
      view.focus();
    },
  });
  showPopup(view, offset, dom, () => requestAnimationFrame(focus));
}

/** As its prompt says: "Cell [3]"; one that has not run by its number among the code cells. */
function labelOf({ cell }: { cell: NotebookCell }, index: number): string {
  const count = (cell.model as { executionCount?: number | null }).executionCount;
  return count == null ? trans.__("Cell %1 (not run)", index + 1) : trans.__("Cell [%1]", count);
}

export async function rename(here: Here): Promise<void> {
  const { notebook, view, offset } = here;
  const word = view.state.wordAt(offset);
  const name = word === null ? "" : view.state.sliceDoc(word.from, word.to);
  const { button, value } = await InputDialog.getText({
    title: name === "" ? trans.__("New name") : trans.__("New name of %1, in all cells", name),
    text: name,
    okLabel: trans.__("Rename"),
  });
  if (button.accept && value !== null && value !== "" && value !== name) {
    const found = await notebook.ask("rename", modelOf(here), offset, { name: value });
    const made = found && write(found);
    if (made === null || made === undefined)
      say(trans.__("The type service did not answer: nothing was renamed. Try again."));
    else if (typeof made === "string") say(made);
    else say(trans.__("%1 is %2 now: %3 in %4.", name, value, placesOf(made.edits), cellsOf(made.cells)));
  }
  view.focus();
}

/** Of one cell, or of all. */
export async function format(here: Here, all: boolean): Promise<void> {
  const { state } = here.view;
  const indent = state.facet(indentUnit).includes("\t") ? 0 : getIndentUnit(state);
  const found = await here.notebook.ask("format", modelOf(here), 0, { indent, all });
  const made = found && write(found);
  if (made === null || made === undefined)
    say(trans.__("The type service did not answer: nothing was formatted. Try again."));
  else if (typeof made === "string") say(made);
  else if (all) say(trans.__("%1 formatted.", cellsOf(made.cells)));
}

/** Makes the changes, each cell's as one step of its undo; a sentence where they cannot be made. */
function write({ answer, cells }: Answered<"rename"> | Answered<"format">): string | { edits: number; cells: number } {
  const { refused, cells: changed }: EditorChanges = answer;
  if (refused !== null) return refused;
  const isStale = changed.some(({ cell }) => cells[cell]?.cell.model.sharedModel.getSource() !== cells[cell]?.text);
  if (isStale) return trans.__("The cells have changed meanwhile: nothing was written. Try again.");
  for (const { cell, edits } of changed) {
    const { sharedModel } = cells[cell]!.cell.model;
    sharedModel.transact(() => {
      for (const { start, end, text } of [...edits].reverse()) sharedModel.updateSource(start, end, text);
    });
  }
  return { edits: changed.reduce((sum, { edits }) => sum + edits.length, 0), cells: changed.length };
}

const placesOf = (count: number): string => trans._n("%1 place", "%1 places", count);
const cellsOf = (count: number): string => trans._n("%1 cell", "%1 cells", count);

function say(sentence: string): void {
  Notification.info(sentence, { autoClose: 5000 });
}
