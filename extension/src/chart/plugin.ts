// Registers the renderer of charts, for notebooks, consoles and files alike.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import { chartMime } from "../../../kernel/mime.ts";
import { ChartRenderer } from "./renderer.ts";

export const chartView: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:chart",
  description: "Shows charts in the colours of the page, with the values under the pointer.",
  autoStart: true,
  requires: [IRenderMimeRegistry],
  activate: (_app: JupyterFrontEnd, rendermime: IRenderMimeRegistry) => {
    // Before the SVG that it draws. Safe: what is drawn is made anew of shapes and numbers, and nothing is markup.
    rendermime.addFactory({
      safe: true,
      mimeTypes: [chartMime],
      defaultRank: 10,
      createRenderer: (options) => new ChartRenderer(options),
    });
  },
};
