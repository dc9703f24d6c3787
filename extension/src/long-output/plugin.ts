// Folds what cells of our kernels print at length: it scrolls within its output, whose end is in view.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";

/** The notebook says it before its kernel has started, and without one. */
const kernel = "warpcell";

function follow({ content, context }: NotebookPanel): void {
  const mark = (): void => {
    const spec = context.model?.getMetadata("kernelspec") as { name?: unknown } | undefined;
    content.toggleClass("warpcell-folds", spec?.name === kernel);
  };
  context.model?.metadataChanged.connect(mark);
  mark();
}

export const longOutput: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:long-output",
  description: "Folds the long printed outputs of TypeScript + CUDA notebooks.",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, notebooks: INotebookTracker) => {
    const serve = (panel: NotebookPanel): void => void panel.context.ready.then(() => follow(panel));
    notebooks.forEach(serve);
    notebooks.widgetAdded.connect((_tracker, panel) => serve(panel));
  },
};
