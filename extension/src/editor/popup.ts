// One thing at a time that an editor shows at a place of its text: it goes when the text or the cursor changes, and with
// Escape.
import type { Extension } from "@codemirror/state";
import { Prec, StateEffect, StateField } from "@codemirror/state";
import type { Tooltip } from "@codemirror/view";
import { EditorView, keymap, showTooltip } from "@codemirror/view";

const setPopup = StateEffect.define<Tooltip | null>();

const field = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setPopup)) return effect.value;
    return transaction.docChanged || transaction.selection !== undefined ? null : shown;
  },
  provide: (source) => showTooltip.from(source),
});

export const popups: Extension = [
  field,
  Prec.highest(keymap.of([{ key: "Escape", run: closePopup, stopPropagation: true }])),
];

export function showPopup(view: EditorView, position: number, dom: HTMLElement, mounted?: () => void): void {
  if (view.state.field(field, false) === undefined) return;
  const create = () => ({ dom, ...(mounted === undefined ? {} : { mount: mounted }) });
  view.dispatch({ effects: setPopup.of({ pos: Math.min(position, view.state.doc.length), above: false, create }) });
}

/** Whether there was one. */
export function closePopup(view: EditorView): boolean {
  if (!view.state.field(field, false)) return false;
  view.dispatch({ effects: setPopup.of(null) });
  return true;
}
