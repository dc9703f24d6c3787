// Ctrl+click on a name, or ⌘+click, goes to where it is declared.
import type { Extension } from "@codemirror/state";
import { Prec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Help } from "./help.ts";

export function ctrlClick(help: Help, model: unknown, go: () => void): Extension {
  return Prec.high(
    EditorView.domEventHandlers({
      mousedown: (event, view) => {
        const isMeant = event.button === 0 && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
        const notebook = help.of(model);
        if (!isMeant || !help.settings.ctrlClick || !notebook?.isAnswered) return false;
        const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (position === null || view.state.wordAt(position) === null) return false;
        view.dispatch({ selection: { anchor: position } });
        view.focus();
        notebook.choose(model);
        go();
        return true;
      },
    }),
  );
}
