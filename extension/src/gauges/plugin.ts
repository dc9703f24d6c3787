// Follows the notebook in front to its kernel and shows that kernel's device in the status bar; hidden when the kernel
// is not ours. Where there is no status bar, it stands in the line of the menu.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { INotebookTracker } from "@jupyterlab/notebook";
import type { Kernel } from "@jupyterlab/services";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { IStatusBar } from "@jupyterlab/statusbar";
import { Signal } from "@lumino/signaling";
import { showMemory } from "../side-panel/commands.ts";
import type { Report } from "./feed.ts";
import { GaugeHistory } from "./history.ts";
import { readingOf, shownDevice } from "./reading.ts";
import { GaugeItem } from "./status-item.ts";

const id = "@warpcell/jupyterlab:gauges";

/** Owns the item and uses at most one history: that of the notebook in front. */
class GaugeFollower {
  readonly item: GaugeItem;
  readonly shownChanged = new Signal<this, void>(this);
  shown = false;
  private panel: NotebookPanel | null = null;
  private kernel: Kernel.IKernelConnection | null = null;
  private history: GaugeHistory | null = null;
  private end: () => void = () => undefined;

  constructor(open: () => void) {
    this.item = new GaugeItem(open);
  }

  follow(panel: NotebookPanel | null): void {
    if (panel === this.panel) return;
    this.panel?.sessionContext.kernelChanged.disconnect(this.onKernelChanged, this);
    this.panel = panel;
    panel?.sessionContext.kernelChanged.connect(this.onKernelChanged, this);
    this.onKernelChanged();
  }

  private onKernelChanged(): void {
    const kernel = this.panel?.sessionContext.session?.kernel ?? null;
    if (kernel === this.kernel) return;
    this.end();
    this.setShown(false);
    this.kernel = kernel;
    this.history = kernel && GaugeHistory.of(kernel);
    this.end = this.history?.use((report) => this.show(report)) ?? (() => undefined);
    if (this.history?.last) this.show(this.history.last);
  }

  private show(report: Report): void {
    if (report?.ok) {
      const device = shownDevice(report.value)?.device ?? "";
      this.item.display(readingOf(report.value), this.history?.samples.get(device) ?? []);
    } else if (report) this.item.showProblem(report.problem);
    this.setShown(report !== null);
  }

  private setShown(shown: boolean): void {
    if (shown === this.shown) return;
    this.shown = shown;
    this.item.setHidden(!shown);
    this.shownChanged.emit();
  }
}

export const gauges: JupyterFrontEndPlugin<void> = {
  id,
  description: "Shows the active kernel's device and memory in the status bar.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [IStatusBar, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    statusBar: IStatusBar | null,
    settings: ISettingRegistry | null,
  ) => {
    const follower = new GaugeFollower(() => {
      if (app.commands.hasCommand(showMemory)) void app.commands.execute(showMemory);
    });
    const { item } = follower;
    if (statusBar)
      statusBar.registerStatusItem(id, {
        item,
        align: "left",
        rank: 10,
        priority: 1,
        isActive: () => follower.shown,
        activeStateChanged: follower.shownChanged,
      });
    else {
      // Notebook 7 has a menu's line instead, with the kernel's state at its right end.
      item.id = "warpcell-gauges";
      item.hide();
      app.shell.add(item, "menu", { rank: 900 });
    }
    void settings?.load(id).then((loaded) => {
      const read = () => {
        item.hasCurve = loaded.get("curve").composite !== false;
      };
      loaded.changed.connect(read);
      read();
    });
    tracker.currentChanged.connect((_tracker, panel) => follower.follow(panel));
    follower.follow(tracker.currentWidget);
    // The kernel notices a page that goes without a word, but not when it was the last one: the server keeps listening
    // for it. What is said here may still be lost.
    window.addEventListener("pagehide", () => follower.follow(null));
  },
};
