// Adds the panel of the kernel to the right of the notebook, and the command that shows it.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ITranslator } from "@jupyterlab/translation";
import { speakBy, trans } from "../drawing/trans.ts";
import { NotebookInFront } from "../kernel-link/notebook-in-front.ts";
import { addPanel } from "../side-panel/add-panel.ts";
import { showKernel } from "../side-panel/commands.ts";
import { KernelPanel } from "./panel.ts";

export const kernelPanel: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:kernel",
  description: "Shows what the kernel of the notebook in front has compiled and runs on, and restarts it.",
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
    const panel = new KernelPanel(new NotebookInFront(tracker));
    addPanel(app, palette, panel, {
      command: showKernel,
      label: () => trans.__("Show kernel"),
      caption: trans.__("Kernel (Warpcell)"),
      rank: 702,
    });
  },
};
