// Adds the panel of variables to the right of the notebook, and the command that shows it.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ITranslator } from "@jupyterlab/translation";
import { speakBy, trans } from "../drawing/trans.ts";
import { NotebookInFront } from "../kernel-link/notebook-in-front.ts";
import { showVariables } from "../side-panel/commands.ts";
import { addPanel } from "../side-panel/add-panel.ts";
import { openIn } from "../viewer/open.ts";
import { VariablesPanel } from "./panel.ts";

export const variables: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:variables",
  description: "Lists the variables of the notebook in front, and shows its tensors.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
  ) => {
    speakBy(translator);
    const front = new NotebookInFront(tracker);
    const panel = new VariablesPanel(
      front,
      openIn(app.commands, () => front.panel?.id ?? null),
    );
    addPanel(app, palette, panel, {
      command: showVariables,
      label: () => trans.__("Show variables"),
      caption: trans.__("Variables (Warpcell)"),
      rank: 700,
    });
  },
};
