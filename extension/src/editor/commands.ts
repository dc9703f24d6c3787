// The commands of the editor's help, for keys, palette and menus; what they do is loaded when one is first used.
import type { JupyterFrontEnd } from "@jupyterlab/application";
import type { ICommandPalette } from "@jupyterlab/apputils";
import type { EditorView } from "@codemirror/view";
import type { INotebookTracker } from "@jupyterlab/notebook";
import type { Here } from "./actions.ts";
import { trans } from "../drawing/trans.ts";
import type { Help } from "./help.ts";

type Actions = typeof import("./actions.ts");

const table: Readonly<Record<string, { label: () => string; act: (actions: Actions, here: Here) => Promise<void> }>> = {
  "warpcell:show-hover": { label: () => trans.__("What is this?"), act: ({ showHover }, here) => showHover(here) },
  "warpcell:go-to-definition": {
    label: () => trans.__("Go to definition"),
    act: ({ goToDefinition }, here) => goToDefinition(here),
  },
  "warpcell:find-references": {
    label: () => trans.__("Find references"),
    act: ({ findReferences }, here) => findReferences(here),
  },
  "warpcell:rename": { label: () => trans.__("Rename…"), act: ({ rename }, here) => rename(here) },
  "warpcell:format-cell": { label: () => trans.__("Format cell"), act: ({ format }, here) => format(here, false) },
  "warpcell:format-all-cells": {
    label: () => trans.__("Format all cells"),
    act: ({ format }, here) => format(here, true),
  },
};

export const definitionCommand = "warpcell:go-to-definition";

export function addCommands(
  app: JupyterFrontEnd,
  palette: ICommandPalette | null,
  tracker: INotebookTracker,
  help: Help,
): void {
  const here = (): Here | null => {
    const panel = tracker.currentWidget;
    const notebook = help.ofPanel(panel);
    const cell = panel?.content.activeCell;
    const view = (cell?.editor as { editor?: EditorView } | null | undefined)?.editor;
    if (!panel || !notebook?.isAnswered || !cell || cell.model.type !== "code" || !view) return null;
    return { app, help, notebook, cell, view, offset: view.state.selection.main.head };
  };
  for (const [command, { label, act }] of Object.entries(table)) {
    app.commands.addCommand(command, {
      label,
      isEnabled: () => here() !== null,
      execute: async () => {
        const place = here();
        if (place) await act(await import("./actions.ts"), place);
      },
    });
    palette?.addItem({ command, category: "Warpcell" });
  }
}
