// Registers the renderer of profiles for notebooks, whose cells and kernel it is linked with, and for consoles and
// files.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { INotebookTracker } from "@jupyterlab/notebook";
import { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { ITranslator } from "@jupyterlab/translation";
import type { Widget } from "@lumino/widgets";
import { traceMime } from "../../../kernel/mime.ts";
import { speakBy, trans } from "../drawing/trans.ts";
import { addTab } from "../side-panel/add-tab.ts";
import { CellLinks } from "./cell-links.ts";
import { profilesIn } from "./notebook-profiles.ts";
import type { NotebookSide } from "./renderer.ts";
import { TraceRenderer } from "./renderer.ts";
import { windowsOf } from "./window-feed.ts";

export const traceView: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:trace",
  description: "Shows profiles below a cell as a timeline that is linked with the notebook.",
  autoStart: true,
  requires: [IRenderMimeRegistry, INotebookTracker],
  optional: [ITranslator],
  activate: (
    { shell }: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    tracker: INotebookTracker,
    translator: ITranslator | null,
  ) => {
    speakBy(translator);
    let opened = 0;
    // Below the notebook, which stays in view: its cells light up.
    const open = (view: Widget, title: string): void => {
      view.id = `warpcell-trace-tab-${opened++}`;
      view.title.label = trans.__("Profile: %1", title.length > 40 ? `${title.slice(0, 39)}…` : title);
      view.title.closable = true;
      addTab(shell, view, { mode: "split-bottom" });
    };
    // Before text/html, which each of these outputs carries too. Safe: everything is checked, and nothing is markup.
    const factory = (notebook: NotebookSide | null): IRenderMime.IRendererFactory => ({
      safe: true,
      mimeTypes: [traceMime],
      defaultRank: 10,
      createRenderer: (options) => new TraceRenderer(options, { notebook, open }),
    });
    rendermime.addFactory(factory(null));
    const serve = (panel: NotebookPanel): void => {
      const windows = windowsOf(() => panel.sessionContext.session?.kernel ?? null);
      const profiles = () => profilesIn(panel);
      panel.content.rendermime.addFactory(factory({ windows, links: new CellLinks(panel), profiles }));
    };
    tracker.forEach(serve);
    tracker.widgetAdded.connect((_tracker, panel) => serve(panel));
  },
};
