// An editor extension that colours lines by the line of the source they belong to, lights up those that are pointed at,
// and marks what is searched for.
import type { Extension, Range } from "@codemirror/state";
import { StateEffect, StateField } from "@codemirror/state";
import type { DecorationSet, ViewUpdate } from "@codemirror/view";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";
import { bandCount } from "./links.ts";

export interface Marks {
  /** Numbers of the editor's lines, from 1. */
  readonly lit: ReadonlySet<number>;
  /** 0: none. */
  readonly cursor: number;
  /** Lower case; empty: nothing is searched for. */
  readonly query: string;
  /** The line of the match that was gone to; 0: none. */
  readonly match: number;
}

export const noMarks: Marks = { lit: new Set(), cursor: 0, query: "", match: 0 };
export const setMarks = StateEffect.define<Marks>();

const field = StateField.define<Marks>({
  create: () => noMarks,
  update: (marks, { effects }) => effects.findLast((effect) => effect.is(setMarks))?.value ?? marks,
});

const bands = Array.from({ length: bandCount }, (_, band) => Decoration.line({ class: `warpcell-asm-band-${band}` }));
const lit = Decoration.line({ class: "warpcell-asm-lit" });
const cursor = Decoration.line({ class: "warpcell-asm-cursor" });
const found = Decoration.mark({ class: "warpcell-asm-found" });
const current = Decoration.mark({ class: "warpcell-asm-found warpcell-asm-found-current" });

/** Only what is seen: a listing may have 100,000 lines. */
function decorationsOf({ state, visibleRanges }: EditorView, bandOf: (line: number) => number | null): DecorationSet {
  const marks = state.field(field);
  const ranges: Range<Decoration>[] = [];
  for (const { from, to } of visibleRanges) {
    for (let position = from; position <= to; ) {
      const line = state.doc.lineAt(position);
      const band = bandOf(line.number);
      if (band !== null) ranges.push(bands[band]!.range(line.from));
      if (marks.lit.has(line.number)) ranges.push(lit.range(line.from));
      if (marks.cursor === line.number) ranges.push(cursor.range(line.from));
      for (const start of occurrences(line.text, marks.query))
        ranges.push(
          (marks.match === line.number ? current : found).range(
            line.from + start,
            line.from + start + marks.query.length,
          ),
        );
      position = line.to + 1;
    }
  }
  return Decoration.set(ranges, true);
}

/** Where a lower-case text occurs in a line, whatever its case. */
export function* occurrences(line: string, query: string): Generator<number> {
  if (query === "") return;
  const lower = line.toLowerCase();
  // In a few languages lower case is longer: positions would not be the line's.
  if (lower.length !== line.length) return;
  for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, at + query.length)) yield at;
}

/** `bandOf`: the colour of a line of the editor, counted from 1. */
export function marking(bandOf: (line: number) => number | null): Extension {
  const colouring = ViewPlugin.define(
    (view) => ({
      decorations: decorationsOf(view, bandOf),
      update(update: ViewUpdate) {
        const isMarked = update.startState.field(field) !== update.state.field(field);
        if (isMarked || update.docChanged || update.viewportChanged)
          this.decorations = decorationsOf(update.view, bandOf);
      },
    }),
    { decorations: ({ decorations }) => decorations },
  );
  return [field, colouring];
}
