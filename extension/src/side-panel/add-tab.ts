// Adds a tab beside the notebook; where the main area has room for the notebook alone, as in Notebook 7, below it.
import type { JupyterFrontEnd } from "@jupyterlab/application";
import { SplitPanel, TabPanel, type Widget } from "@lumino/widgets";

type Options = Parameters<JupyterFrontEnd.IShell["add"]>[2];

export function addTab(shell: JupyterFrontEnd.IShell, tab: Widget, options: Options): void {
  shell.add(tab, "main", options);
  if (!tab.isAttached) addBelow(shell, tab);
  shell.activateById(tab.id);
}

/** What opens there first has half of the page. */
function addBelow(shell: JupyterFrontEnd.IShell, tab: Widget): void {
  shell.add(tab, "down");
  const below = tab.parent?.parent;
  if (!(below instanceof TabPanel)) return;
  const { parent } = below;
  if (below.isHidden && parent instanceof SplitPanel) parent.setRelativeSizes(parent.widgets.map(() => 1));
  below.show();
  below.currentWidget = tab;
}
