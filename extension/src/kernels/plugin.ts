// Shows the kernels of profiles until the timeline does: a renderer with the three views of this folder, one above the other.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { PanelLayout, Widget } from "@lumino/widgets";
import type { TracePayload } from "../../../kernel/mime.ts";
import { traceMime } from "../../../kernel/mime.ts";
import { Advice, KernelTable, Roofline } from "./index.ts";

class KernelViews extends Widget implements IRenderMime.IRenderer {
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const payload = model.data[traceMime] as unknown as TracePayload;
    const show = (target: object) => (this.node.dataset["shown"] = JSON.stringify(target));
    const layout = new PanelLayout();
    for (const view of [new Advice(payload, show), new KernelTable(payload, show), new Roofline(payload, show)]) layout.addWidget(view);
    this.layout = layout;
  }
}

export const kernelViews: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:kernels",
  description: "Shows the kernels of a profile.",
  autoStart: true,
  requires: [IRenderMimeRegistry],
  activate: (_app: JupyterFrontEnd, rendermime: IRenderMimeRegistry) => rendermime.addFactory({ safe: true, mimeTypes: [traceMime], defaultRank: 10, createRenderer: () => new KernelViews() }),
};
