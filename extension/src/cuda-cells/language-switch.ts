// An editor extension that puts the CUDA language over the notebook's own while its magic line says so, in the same
// transaction that changes that line.
import type { LanguageSupport } from "@codemirror/language";
import type { Extension, Text } from "@codemirror/state";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { headLength, magicEnd } from "./magic-line.ts";

const isCuda = (document: Text) => magicEnd(document.sliceString(0, headLength)) !== null;

/**
 * The switch for one editor whose text begins with `initial` at first. The editor's `language` facet takes the value of
 * the highest precedence, so the notebook's own language stays in place below and comes back when the magic line goes.
 */
export function languageSwitch(cuda: LanguageSupport, initial: string): Extension {
  const compartment = new Compartment();
  const language = (on: boolean): Extension => (on ? cuda : []);
  return [
    Prec.highest(compartment.of(language(magicEnd(initial) !== null))),
    EditorState.transactionExtender.of((transaction) => {
      if (!transaction.docChanged) return null;
      const on = isCuda(transaction.newDoc);
      if (on === (compartment.get(transaction.startState) === cuda)) return null;
      return { effects: compartment.reconfigure(language(on)) };
    }),
  ];
}
