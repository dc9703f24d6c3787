// Goes to a place: in a cell, or in a file beside the notebook, which is opened.
import type { JupyterFrontEnd } from "@jupyterlab/application";
import { Notification } from "@jupyterlab/apputils";
import type { EditorPlace } from "../../../kernel/mime.ts";
import { trans } from "../drawing/trans.ts";
import { besides } from "./file-paths.ts";
import type { NotebookCell, NotebookQuestions } from "./notebook-questions.ts";

/** What an editor of a file is asked for. */
interface FileWidget {
  context?: { ready: Promise<void> };
  content?: { editor?: NonNullable<NotebookCell["editor"]> };
}

export async function goTo(
  { commands }: JupyterFrontEnd,
  notebook: NotebookQuestions,
  cells: readonly { cell: NotebookCell }[],
  place: EditorPlace,
): Promise<void> {
  const { panel } = notebook;
  if (place.cell !== null) {
    const cell = cells[place.cell]?.cell;
    const index = cell === undefined ? -1 : panel.content.widgets.indexOf(cell);
    if (cell === undefined || index < 0) return;
    panel.content.activeCellIndex = index;
    await panel.content.scrollToItem(index);
    panel.content.mode = "edit";
    choose(cell.editor, place.start);
    return;
  }
  const path = besides(panel.context.path, place.file ?? "");
  if (path === null) {
    const sentence = trans.__(
      "%1 lies outside of the folder that is open here: line %2 declares it.",
      place.file,
      place.line,
    );
    Notification.info(sentence, { autoClose: 5000 });
    return;
  }
  const opened = (await commands.execute("docmanager:open", { path, factory: "Editor" })) as FileWidget | undefined;
  await opened?.context?.ready;
  choose(opened?.content?.editor ?? null, place.start);
}

function choose(editor: NotebookCell["editor"] | null, offset: number): void {
  const position = editor?.getPositionAt(offset);
  if (!editor || !position) return;
  editor.setCursorPosition(position);
  editor.revealPosition(position);
  editor.focus();
}
