// Adds the panel of memory to the right of the notebook, and the command that shows it.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { ITranslator } from "@jupyterlab/translation";
import { speakBy, trans } from "../drawing/trans.ts";
import { NotebookInFront } from "../kernel-link/notebook-in-front.ts";
import { addPanel } from "../side-panel/add-panel.ts";
import { showMemory } from "../side-panel/commands.ts";
import { MemoryPanel } from "./panel.ts";

const id = "@warpcell/jupyterlab:memory";

export const memory: JupyterFrontEndPlugin<void> = {
  id,
  description: "Shows what holds the memory of the devices of the notebook in front.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, ISettingRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    settings: ISettingRegistry | null,
    translator: ITranslator | null,
  ) => {
    speakBy(translator);
    const panel = new MemoryPanel(new NotebookInFront(tracker));
    addPanel(app, palette, panel, {
      command: showMemory,
      label: () => trans.__("Show memory"),
      caption: trans.__("Memory (Warpcell)"),
      rank: 701,
    });
    void settings?.load(id).then((loaded) => {
      const read = () => {
        panel.minutes = Number(loaded.get("minutes").composite);
        panel.draw();
      };
      loaded.changed.connect(read);
      read();
    });
  },
};
