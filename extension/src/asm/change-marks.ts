// An editor extension that marks lines which are new since the compile before, and shows those that have gone.
import type { Extension, Range } from "@codemirror/state";
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { element } from "../tensor-view/element.ts";

export interface ChangedLines {
  /** Numbers of the editor's lines, from 1. */
  readonly added: readonly number[];
  /** Before which line, or behind the last one, what has gone. */
  readonly gone: readonly (readonly [line: number, lines: readonly string[]])[];
}

export const setChanges = StateEffect.define<ChangedLines>();

const added = Decoration.line({ class: "warpcell-asm-added" });

class Gone extends WidgetType {
  private readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super();
    this.lines = lines;
  }

  override eq(other: Gone): boolean {
    return other.lines.join("\n") === this.lines.join("\n");
  }

  override toDOM(): HTMLElement {
    return element("del", "warpcell-asm-gone", this.lines.join("\n"));
  }
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, { effects, state, docChanged }) {
    const changes = effects.findLast((effect) => effect.is(setChanges))?.value as ChangedLines | undefined;
    if (changes === undefined) return docChanged ? Decoration.none : decorations;
    const ranges: Range<Decoration>[] = changes.added.map((line) => added.range(state.doc.line(line).from));
    for (const [line, lines] of changes.gone) {
      const isEnd = line > state.doc.lines;
      const at = isEnd ? state.doc.length : state.doc.line(line).from;
      ranges.push(Decoration.widget({ widget: new Gone(lines), block: true, side: isEnd ? 1 : -1 }).range(at));
    }
    return Decoration.set(ranges, true);
  },
  provide: (self) => EditorView.decorations.from(self),
});

export const changeMarks: Extension = field;
