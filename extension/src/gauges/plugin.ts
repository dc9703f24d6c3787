// Follows the notebook in front to its kernel and shows that kernel's device in the status bar; hidden when the kernel
// is not ours.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { INotebookTracker } from "@jupyterlab/notebook";
import type { Kernel } from "@jupyterlab/services";
import { IStatusBar } from "@jupyterlab/statusbar";
import { Signal } from "@lumino/signaling";
import type { Report } from "./feed.ts";
import { GaugeFeed } from "./feed.ts";
import { readingOf } from "./reading.ts";
import { GaugeItem } from "./status-item.ts";

/** Owns the item and at most one feed: that of the notebook in front. */
class GaugeFollower {
  readonly item = new GaugeItem();
  readonly shownChanged = new Signal<this, void>(this);
  shown = false;
  private panel: NotebookPanel | null = null;
  private kernel: Kernel.IKernelConnection | null = null;
  private feed: GaugeFeed | null = null;

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
    this.feed?.dispose();
    this.setShown(false);
    this.kernel = kernel;
    this.feed = kernel && new GaugeFeed(kernel, (report) => this.show(report));
  }

  private show(report: Report): void {
    if (report?.ok) this.item.display(readingOf(report.value));
    else if (report) this.item.showProblem(report.problem);
    this.setShown(report !== null);
  }

  private setShown(shown: boolean): void {
    if (shown === this.shown) return;
    this.shown = shown;
    this.shownChanged.emit();
  }
}

export const gauges: JupyterFrontEndPlugin<void> = {
  id: "@warpcell/jupyterlab:gauges",
  description: "Shows the active kernel's device and memory in the status bar.",
  autoStart: true,
  requires: [INotebookTracker, IStatusBar],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker, statusBar: IStatusBar) => {
    const follower = new GaugeFollower();
    statusBar.registerStatusItem("@warpcell/jupyterlab:gauges", {
      item: follower.item,
      align: "left",
      rank: 10,
      priority: 1,
      isActive: () => follower.shown,
      activeStateChanged: follower.shownChanged,
    });
    tracker.currentChanged.connect((_tracker, panel) => follower.follow(panel));
    follower.follow(tracker.currentWidget);
    // The kernel notices a page that goes without a word, but not when it was the last one: the server keeps listening
    // for it. What is said here may still be lost.
    window.addEventListener("pagehide", () => follower.follow(null));
  },
};
