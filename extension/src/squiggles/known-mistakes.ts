// What is known to be wrong with each cell, for the editors that show it: an editor that scrolls into view later shows
// the same.
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { ViewPlugin } from "@codemirror/view";
import type { IEditorExtensionFactory } from "@jupyterlab/codemirror";
import type { CellMistake } from "../../../kernel/mime.ts";
import { mark, marking } from "./marks.ts";

type Model = IEditorExtensionFactory.IOptions["model"];

interface Known {
  /** The text that they are of. */
  text: string;
  mistakes: readonly CellMistake[];
  views: Set<EditorView>;
}

export class KnownMistakes {
  private readonly cells = new WeakMap<Model, Known>();

  /** For the editors of a cell. */
  extension(model: Model): Extension {
    const known = this.of(model);
    const registration = ViewPlugin.define((view) => {
      known.views.add(view);
      // An editor cannot be changed while it is being made.
      queueMicrotask(() => {
        if (known.views.has(view)) this.show(known, view);
      });
      return { destroy: () => known.views.delete(view) };
    });
    return [marking, registration];
  }

  /** Whether they are of this text. */
  areOf(model: Model, text: string): boolean {
    return this.cells.get(model)?.text === text;
  }

  set(model: Model, text: string, mistakes: readonly CellMistake[]): void {
    const known = this.of(model);
    known.text = text;
    known.mistakes = mistakes;
    for (const view of known.views) this.show(known, view);
  }

  private of(model: Model): Known {
    const known = this.cells.get(model) ?? { text: "", mistakes: [], views: new Set() };
    this.cells.set(model, known);
    return known;
  }

  private show({ text, mistakes }: Known, view: EditorView): void {
    if (view.state.doc.toString() === text) mark(view, mistakes);
  }
}
