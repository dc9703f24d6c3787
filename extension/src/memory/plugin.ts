// Adds the panel of memory to the right of the notebook, the command that shows it, and the renderer of what held memory
// when there was not enough of it.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { ITranslator } from "@jupyterlab/translation";
import { speakBy, trans } from "../drawing/trans.ts";
import { memoryMime } from "../../../kernel/mime.ts";
import { goToPlace } from "../kernel-link/cell-places.ts";
import { NotebookInFront } from "../kernel-link/notebook-in-front.ts";
import { addPanel } from "../side-panel/add-panel.ts";
import { showMemory } from "../side-panel/commands.ts";
import { MemoryPanel } from "./panel.ts";
import { ShortageRenderer } from "./shortage-renderer.ts";

const id = "@warpcell/jupyterlab:memory";

export const memory: JupyterFrontEndPlugin<void> = {
  id,
  description: "Shows what holds the memory of the devices of the notebook in front, and what held it when it ran out.",
  autoStart: true,
  requires: [INotebookTracker, IRenderMimeRegistry],
  optional: [ICommandPalette, ISettingRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    rendermime: IRenderMimeRegistry,
    palette: ICommandPalette | null,
    settings: ISettingRegistry | null,
    translator: ITranslator | null,
  ) => {
    speakBy(translator);
    // Safe: everything is checked, and nothing is markup.
    rendermime.addFactory({
      safe: true,
      mimeTypes: [memoryMime],
      defaultRank: 10,
      createRenderer: (options) =>
        new ShortageRenderer(options, (from, place) => {
          const panel = tracker.find(({ node }) => node.contains(from.node));
          if (panel) goToPlace(panel.content, place);
        }),
    });
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
