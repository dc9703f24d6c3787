// Registers the renderer of a kernel's assembly for notebooks, consoles and files.
import type { Extension } from "@codemirror/state";
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import { asmMime } from "../../../kernel/mime.ts";
import { cudaLanguage } from "../cuda-cells/cuda-language.ts";
import { wordColours } from "../cuda-cells/word-colours.ts";
import { Compiles } from "./changes.ts";
import { AsmRenderer } from "./renderer.ts";

export const asm: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:asm",
  description: "Shows a kernel's source beside its PTX, SASS or assembly, linked line by line.",
  autoStart: true,
  requires: [IRenderMimeRegistry, IEditorLanguageRegistry],
  activate: (_app: JupyterFrontEnd, rendermime: IRenderMimeRegistry, languages: IEditorLanguageRegistry) => {
    let language: Promise<Extension> | null = null;
    // Loaded with the first output that needs it. Without it the source is plain text, and the page's log says why.
    const load = () =>
      (language ??= cudaLanguage(languages).then(
        (cuda): Extension => [cuda, wordColours({ all: true })],
        (error: unknown) => (console.warn((error as Error).message), []),
      ));
    const compiles = new Compiles();
    rendermime.addFactory({
      safe: true,
      mimeTypes: [asmMime],
      defaultRank: 10,
      createRenderer: (options) => new AsmRenderer(options, load(), compiles),
    });
  },
};
