// An editor extension that lights up one line, put into an editor when it is first needed there.
import { StateEffect, StateField } from "@codemirror/state";
import type { DecorationSet, EditorView } from "@codemirror/view";
import { Decoration, EditorView as View } from "@codemirror/view";

/** A line counted from 1; `null`: none. */
const setLine = StateEffect.define<number | null>();

const lit = Decoration.line({ class: "warpcell-trace-lit-line" });

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, transaction) {
    let next = lines.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setLine)) continue;
      const { doc } = transaction.state;
      // The cell may have been edited since: a line that is gone is not lit.
      next =
        effect.value === null || effect.value < 1 || effect.value > doc.lines
          ? Decoration.none
          : Decoration.set(lit.range(doc.line(effect.value).from));
    }
    return next;
  },
  provide: (source) => View.decorations.from(source),
});

export function lightLine(view: EditorView, line: number | null): void {
  const isThere = view.state.field(field, false) !== undefined;
  if (!isThere && line === null) return;
  if (!isThere) view.dispatch({ effects: StateEffect.appendConfig.of(field) });
  view.dispatch({ effects: setLine.of(line) });
}
