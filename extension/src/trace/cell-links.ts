// Links profiles with the cells of their notebook: lights up the cell and line of a slice, goes there, and gives each
// cell a badge that leads back.
import { CodeMirrorEditor } from "@jupyterlab/codemirror";
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { TracePlace } from "../../../kernel/mime.ts";
import { formatTime } from "../drawing/quantity.ts";
import { cellOf, goToPlace, type Notebook, type NotebookCell } from "../kernel-link/cell-places.ts";
import { element } from "../tensor-view/element.ts";
import type { CellTime } from "./cell-times.ts";
import { trans } from "../drawing/trans.ts";
import { lightLine } from "./line-mark.ts";

interface Profile {
  readonly cells: readonly CellTime[];
  /** Shows what places of the profile ran. */
  show(places: readonly number[]): void;
}

const litClass = "warpcell-trace-lit-cell";

export class CellLinks {
  private readonly notebook: Notebook;
  /** The last one that was shown has the badges. */
  private readonly profiles = new Set<Profile>();
  private lit: NotebookCell | null = null;
  private badges: HTMLElement[] = [];
  private waiting = false;

  constructor({ content }: NotebookPanel) {
    this.notebook = content;
    content.modelChanged.connect(() => this.follow());
    this.follow();
  }

  private follow(): void {
    this.notebook.model?.cells.changed.connect(() => this.refreshSoon());
    this.refreshSoon();
  }

  /** Lights up the cell and line of a place, and nothing else. */
  light(place: TracePlace | null): void {
    const cell = place && cellOf(this.notebook, place);
    if (this.lit && this.lit !== cell) {
      this.lit.removeClass(litClass);
      this.lightIn(this.lit, null);
    }
    this.lit = cell;
    if (!cell) return;
    cell.addClass(litClass);
    this.lightIn(cell, place!.line > 0 ? place!.line : null);
  }

  /** Brings the line into view and puts the cursor there. */
  goTo(place: TracePlace): void {
    goToPlace(this.notebook, place);
  }

  /** Gives the cells of a profile their badges; returns what takes them back. */
  add(profile: Profile): () => void {
    this.profiles.add(profile);
    this.refreshSoon();
    return () => {
      this.profiles.delete(profile);
      this.refreshSoon();
    };
  }

  private lightIn(cell: NotebookCell, line: number | null): void {
    if (cell.isDisposed || !(cell.editor instanceof CodeMirrorEditor)) return;
    lightLine(cell.editor.editor, line);
  }

  /** Once for all changes that come together. */
  private refreshSoon(): void {
    if (this.waiting) return;
    this.waiting = true;
    queueMicrotask(() => {
      this.waiting = false;
      if (!this.notebook.isDisposed) this.refresh();
    });
  }

  private refresh(): void {
    for (const badge of this.badges) badge.remove();
    this.badges = [];
    const profile = [...this.profiles].at(-1);
    for (const time of profile?.cells ?? []) {
      const cell = cellOf(this.notebook, time);
      if (!cell) continue;
      const input = cell.node.querySelector(".jp-Cell-inputWrapper");
      if (input) this.badges.push(badgeIn(input, time, () => profile!.show(time.places)));
      // A cell that was not yet near the screen has no input to put it in.
      else void cell.ready.then(() => this.refreshSoon());
    }
  }
}

function badgeIn(input: Element, { time, onDevice }: CellTime, show: () => void): HTMLElement {
  const badge = element("button", "warpcell-trace-badge", trans.__("profile: %1", formatTime(time)));
  badge.type = "button";
  badge.title = trans.__(
    "%1 on the %2. Show in the timeline what this cell ran.",
    formatTime(time),
    onDevice ? "device" : "host",
  );
  badge.addEventListener("click", show);
  input.append(badge);
  return badge;
}
