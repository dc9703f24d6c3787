// Adds a panel to the right of the notebook, with an icon and a command of the palette.
import type { JupyterFrontEnd } from "@jupyterlab/application";
import type { ICommandPalette } from "@jupyterlab/apputils";
import type { Widget } from "@lumino/widgets";

export function addPanel(
  { shell, commands }: JupyterFrontEnd,
  palette: ICommandPalette | null,
  panel: Widget,
  { command, label, caption, rank }: { command: string; label: () => string; caption: string; rank: number },
): void {
  panel.title.iconClass = `warpcell-icon ${panel.id}-icon`;
  panel.title.caption = caption;
  shell.add(panel, "right", { rank });
  commands.addCommand(command, { label: () => `Warpcell: ${label()}`, execute: () => shell.activateById(panel.id) });
  palette?.addItem({ command, category: "Warpcell" });
}
