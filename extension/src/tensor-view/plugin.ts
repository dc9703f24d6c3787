// Registers the renderer of tensor outputs for notebooks, consoles and files.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import { tensorMime } from "../../../kernel/mime.ts";
import { TensorRenderer } from "./renderer.ts";

export const tensorView: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:tensor-view",
  description: "Shows tensors below a cell as a line of facts and a heat map.",
  autoStart: true,
  requires: [IRenderMimeRegistry],
  activate: (_app: JupyterFrontEnd, rendermime: IRenderMimeRegistry) => {
    // Before text/html, which each of these outputs carries too. Safe: everything is checked, and nothing is markup.
    rendermime.addFactory({ safe: true, mimeTypes: [tensorMime], defaultRank: 10, createRenderer: (options) => new TensorRenderer(options) });
  },
};
