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
    const isMagicLine = to === magicEndOf(view);
    if (kind === "magic" ? isMagicLine : !isProse(view, from)) add(from, to, marks[kind]);
  },
});

const magicEndOf = (view: EditorView): number | null => magicEnd(view.state.sliceDoc(0, headLength));

function isProse(view: EditorView, position: number): boolean {
  return /Comment|String/.test(syntaxTree(view.state).resolveInner(position, 1).name);
}

class WordColours {
  decorations: DecorationSet;
  private readonly isCuda: (view: EditorView) => boolean;

  constructor(view: EditorView, isCuda: (view: EditorView) => boolean) {
    this.isCuda = isCuda;
    this.decorations = this.coloursOf(view);
  }

  update(update: ViewUpdate): void {
    const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
    if (update.docChanged || update.viewportChanged || parsed) this.decorations = this.coloursOf(update.view);
  }

  private coloursOf(view: EditorView): DecorationSet {
    return this.isCuda(view) ? matcher.createDeco(view) : Decoration.none;
  }
}

/**
 * For editors of cells, which their magic line makes CUDA; or, where that is known, for `all` text. The highest
 * precedence puts these marks inside the highlighter's, so that their colour wins.
 */
export function wordColours({ all = false } = {}): Extension {
  const isCuda = (view: EditorView) => all || magicEndOf(view) !== null;
  return Prec.highest(
    ViewPlugin.define((view) => new WordColours(view, isCuda), { decorations: (colours) => colours.decorations }),
  );
}
