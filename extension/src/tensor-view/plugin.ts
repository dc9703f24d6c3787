// Registers the renderer of tensor outputs for notebooks, whose kernel has their other slices, and for consoles and
// files.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { INotebookTracker } from "@jupyterlab/notebook";
import { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { tensorMime } from "../../../kernel/mime.ts";
import { type Open, openIn } from "../viewer/open.ts";
import { TensorRenderer } from "./renderer.ts";
import { SliceSource } from "./slice-source.ts";

export const tensorView: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:tensor-view",
  description: "Shows tensors below a cell as a line of facts and a heat map.",
  autoStart: true,
  requires: [IRenderMimeRegistry, INotebookTracker],
  activate: ({ commands }: JupyterFrontEnd, rendermime: IRenderMimeRegistry, tracker: INotebookTracker) => {
    // Before text/html, which each of these outputs carries too. Safe: everything is checked, and nothing is markup.
    const factory = (
      slices: SliceSource | null,
      openTensor: () => Open | null = () => null,
    ): IRenderMime.IRendererFactory => ({
      safe: true,
      mimeTypes: [tensorMime],
      defaultRank: 10,
      createRenderer: (options) => new TensorRenderer(options, slices, openTensor),
    });
    rendermime.addFactory(factory(null));
    const serve = ({ id, content, sessionContext }: NotebookPanel): void =>
      content.rendermime.addFactory(
        factory(
          new SliceSource(() => sessionContext.session?.kernel ?? null),
          openIn(commands, () => id),
        ),
      );
    tracker.forEach(serve);
    tracker.widgetAdded.connect((_tracker, panel) => serve(panel));
  },
};
