// Has the editor treat `%%cuda` cells of a TypeScript notebook as C++ with CUDA's words.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import type { IEditorExtensionFactory } from "@jupyterlab/codemirror";
import { EditorExtensionRegistry, IEditorExtensionRegistry, IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { cudaLanguage } from "./cuda-language.ts";
import { languageSwitch } from "./language-switch.ts";
import { headLength } from "./magic-line.ts";
import { wordColours } from "./word-colours.ts";

/** JupyterLab's name for Markdown: its text may begin with the magic's name, and is no cell that runs. */
const markdown = "text/x-ipythongfm";

export const cudaCells: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:cuda-cells",
  description: "Colours %%cuda cells as CUDA C++.",
  autoStart: true,
  requires: [IEditorExtensionRegistry, IEditorLanguageRegistry],
  activate: async (_app: JupyterFrontEnd, extensions: IEditorExtensionRegistry, languages: IEditorLanguageRegistry) => {
    const cuda = await cudaLanguage(languages);
    extensions.addExtension({
      name: "@warpcell/jupyterlab:cuda-cells",
      factory: ({ model }: IEditorExtensionFactory.IOptions) => {
        if (model.mimeType === markdown) return null;
        const head = model.sharedModel.getSource().slice(0, headLength);
        return EditorExtensionRegistry.createImmutableExtension([languageSwitch(cuda, head), wordColours()]);
      },
    });
  },
};
