// Underlines mistakes in the code cells of notebooks as they are written.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import type { IEditorExtensionFactory } from "@jupyterlab/codemirror";
import { EditorExtensionRegistry, IEditorExtensionRegistry } from "@jupyterlab/codemirror";
import { INotebookTracker } from "@jupyterlab/notebook";
import { NotebookChecks } from "./checks.ts";
import { KnownMistakes } from "./known-mistakes.ts";

export const squiggles: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:squiggles",
  description: "Underlines type errors in cells as they are written.",
  autoStart: true,
  requires: [IEditorExtensionRegistry, INotebookTracker],
  activate: (_app: JupyterFrontEnd, extensions: IEditorExtensionRegistry, notebooks: INotebookTracker) => {
    const known = new KnownMistakes();
    extensions.addExtension({
      name: "@warpcell/jupyterlab:squiggles",
      factory: ({ model }: IEditorExtensionFactory.IOptions) =>
        EditorExtensionRegistry.createImmutableExtension(known.extension(model)),
    });
    notebooks.widgetAdded.connect((_, panel) => new NotebookChecks(panel, known));
    notebooks.forEach((panel) => new NotebookChecks(panel, known));
  },
};
