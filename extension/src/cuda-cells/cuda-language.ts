// Makes the language of CUDA cells out of the C++ that JupyterLab already has, loaded when it is asked for.
import { Language, LanguageSupport } from "@codemirror/language";
import type { IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { blockIndentation } from "./indentation.ts";
import { CudaCellParser } from "./masked-input.ts";

/** Throws when the registry has no C++, or cannot load it. */
export async function cudaLanguage(languages: Pick<IEditorLanguageRegistry, "getLanguage">): Promise<LanguageSupport> {
  const cpp = (await languages.getLanguage("C++"))?.support;
  if (!cpp) throw new Error('JupyterLab knows no language "C++": %%cuda cells keep the colours of TypeScript.');
  return new LanguageSupport(new Language(cpp.language.data, new CudaCellParser(cpp.language.parser), [], "cuda"), [
    cpp.support,
    blockIndentation,
  ]);
}
