// Turns `%%cuda` cells of a TypeScript notebook into C++ with CUDA's words, with the C++ that JupyterLab already has; must not know the kernel.
import { Language, LanguageSupport } from "@codemirror/language";
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import type { IEditorExtensionFactory } from "@jupyterlab/codemirror";
import { EditorExtensionRegistry, IEditorExtensionRegistry, IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { languageSwitch } from "./language-switch.ts";
import { headLength } from "./magic-line.ts";
import { CudaCellParser } from "./masked-input.ts";
import { wordColours } from "./word-colours.ts";

async function cudaLanguage(languages: IEditorLanguageRegistry): Promise<LanguageSupport> {
  const cpp = (await languages.getLanguage("C++"))?.support;
  if (!cpp) throw new Error('Expected JupyterLab to know the language "C++" but it does not: %%cuda cells keep the colours of TypeScript.');
  return new LanguageSupport(new Language(cpp.language.data, new CudaCellParser(cpp.language.parser), [], "cuda"), cpp.support);
}

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
        const head = model.sharedModel.getSource().slice(0, headLength);
        return EditorExtensionRegistry.createImmutableExtension([languageSwitch(cuda, head), wordColours()]);
      },
    });
  },
};
