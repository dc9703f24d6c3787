// Adds the panel of variables to the right of the notebook, and the command that shows it.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
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
  optional: [ICommandPalette],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker, palette: ICommandPalette | null) => {
    const front = new NotebookInFront(tracker);
    const panel = new VariablesPanel(
      front,
      openIn(app.commands, () => front.panel?.id ?? null),
    );
    panel.title.caption = "Variables (Warpcell)";
    addPanel(app, palette, panel, { command: showVariables, label: "Show variables", rank: 700 });
  },
};
