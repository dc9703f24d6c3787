// An editor extension that gives the CUDA words of a CUDA cell a class of their own, outside comments and strings.
import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { Prec } from "@codemirror/state";
import type { DecorationSet, ViewUpdate } from "@codemirror/view";
import { Decoration, EditorView, MatchDecorator, ViewPlugin } from "@codemirror/view";
import type { CudaWordKind } from "./cuda-words.ts";
import { cudaWords, kindOf } from "./cuda-words.ts";
import { headLength, magicEnd } from "./magic-line.ts";

const marks: Record<CudaWordKind, Decoration> = {
  magic: Decoration.mark({ class: "warpcell-cuda-magic" }),
  qualifier: Decoration.mark({ class: "warpcell-cuda-qualifier" }),
  builtin: Decoration.mark({ class: "warpcell-cuda-builtin" }),
  launch: Decoration.mark({ class: "warpcell-cuda-launch" }),
};

const matcher = new MatchDecorator({
  regexp: cudaWords(),
  decorate: (add, from, to, match, view) => {
    const kind = kindOf(match);
    const isMagicLine = to === endOf(view);
    if (kind === "magic" ? isMagicLine : !isProse(view, from)) add(from, to, marks[kind]);
  },
});

const endOf = (view: EditorView): number | null => magicEnd(view.state.sliceDoc(0, headLength));

function isProse(view: EditorView, position: number): boolean {
  return /Comment|String/.test(syntaxTree(view.state).resolveInner(position, 1).name);
}

function coloursOf(view: EditorView): DecorationSet {
  return endOf(view) !== null ? matcher.createDeco(view) : Decoration.none;
}

class WordColours {
  decorations: DecorationSet;

  constructor(view: EditorView) {
    this.decorations = coloursOf(view);
  }

  update(update: ViewUpdate): void {
    const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
    if (update.docChanged || update.viewportChanged || parsed) this.decorations = coloursOf(update.view);
  }
}

/** The highest precedence puts these marks inside the highlighter's, so that their colour wins. */
export function wordColours(): Extension {
  return Prec.highest(ViewPlugin.fromClass(WordColours, { decorations: (colours) => colours.decorations }));
}
