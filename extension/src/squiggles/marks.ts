// An editor extension that underlines mistakes and says them where the pointer rests; they move with the text until newer
// ones come.
import type { Extension } from "@codemirror/state";
import { StateEffect, StateField } from "@codemirror/state";
import type { DecorationSet, Tooltip } from "@codemirror/view";
import { Decoration, EditorView, hoverTooltip } from "@codemirror/view";
import type { CellMistake } from "../../../kernel/mime.ts";
import { element } from "../tensor-view/element.ts";

const setMistakes = StateEffect.define<readonly CellMistake[]>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects)
      if (effect.is(setMistakes)) next = marksOf(effect.value, transaction.state.doc.length);
    return next;
  },
  provide: (source) => EditorView.decorations.from(source),
});

export const marking: Extension = [field, hoverTooltip(tooltipAt)];

/** Underlines these and no others. */
export function mark(view: EditorView, mistakes: readonly CellMistake[]): void {
  if (mistakes.length === 0 && view.state.field(field, false)?.size === 0) return;
  view.dispatch({ effects: setMistakes.of(mistakes) });
}

function marksOf(mistakes: readonly CellMistake[], length: number): DecorationSet {
  const ranges = mistakes.flatMap((mistake) => {
    // One that has no width takes the character before it, or behind it.
    const end = Math.min(Math.max(mistake.end, mistake.start + 1), length);
    const start = Math.min(mistake.start, end - 1);
    return start < 0 ? [] : [markOf(mistake).range(start, end)];
  });
  return Decoration.set(ranges, true);
}

function markOf(mistake: CellMistake): Decoration {
  const { severity, message } = mistake;
  return Decoration.mark({
    class: `warpcell-squiggle warpcell-squiggle-${severity}`,
    attributes: { "aria-invalid": "true", "aria-description": `${severity}: ${message}` },
    mistake,
  });
}

function tooltipAt({ state }: EditorView, position: number): Tooltip | null {
  const found: { from: number; to: number; mistake: CellMistake }[] = [];
  state.field(field).between(position, position, (from, to, { spec }) => {
    found.push({ from, to, mistake: (spec as { mistake: CellMistake }).mistake });
  });
  if (found.length === 0) return null;
  return {
    pos: Math.min(...found.map(({ from }) => from)),
    end: Math.max(...found.map(({ to }) => to)),
    above: true,
    create: () => {
      const dom = element("div", "warpcell-mistakes");
      for (const { mistake } of found) {
        const line = element("div", `warpcell-mistake warpcell-mistake-${mistake.severity}`, mistake.message);
        if (mistake.code !== "") line.append(" ", element("span", "warpcell-mistake-code", mistake.code));
        dom.append(line);
      }
      return { dom };
    },
  };
}
