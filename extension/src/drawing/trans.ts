// The page's words in the language of the user, by JupyterLab's translator. Before a plugin has named it, and where there is
// none, they are English.
import { type ITranslator, nullTranslator } from "@jupyterlab/translation";

const domain = "warpcell";

export let trans = nullTranslator.load(domain);

/** Each plugin that has words calls this when it is activated. */
export function speakBy(translator: ITranslator | null): void {
  if (translator !== null) trans = translator.load(domain);
}
