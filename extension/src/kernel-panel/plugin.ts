// Adds the panel of the kernel to the right of the notebook, and the command that shows it.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import { NotebookInFront } from "../kernel-link/notebook-in-front.ts";
import { addPanel } from "../side-panel/add-panel.ts";
import { showKernel } from "../side-panel/commands.ts";
import { KernelPanel } from "./panel.ts";

export const kernelPanel: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:kernel",
  description: "Shows what the kernel of the notebook in front has compiled and runs on, and restarts it.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker, palette: ICommandPalette | null) => {
    const panel = new KernelPanel(new NotebookInFront(tracker));
    panel.title.caption = "Kernel (Warpcell)";
    addPanel(app, palette, panel, { command: showKernel, label: "Show kernel", rank: 702 });
  },
};
