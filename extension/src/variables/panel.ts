// The panel of variables: the names of the notebook in front as a table that filters and sorts, and opens tensors.
import type { Kernel } from "@jupyterlab/services";
import { Widget } from "@lumino/widgets";
import type { NotebookVariable } from "../../../kernel/mime.ts";
import { ledTo } from "../drawing/list-keys.ts";
import { goToPlace } from "../kernel-link/cell-places.ts";
import type { NotebookInFront } from "../kernel-link/notebook-in-front.ts";
import { element } from "../tensor-view/element.ts";
import { SliceSource } from "../tensor-view/slice-source.ts";
import type { Open } from "../viewer/open.ts";
import { columns, filtered } from "./columns.ts";
import { VariableSource } from "./payload.ts";
import { trans } from "../drawing/trans.ts";
import { Row, type RowActions } from "./row.ts";

const noNotebook = () => trans.__("Open a notebook of the kernel TypeScript + CUDA to see its variables.");
const noNames = () => trans.__("The notebook has no variables yet. Run a cell that declares some.");

export class VariablesPanel extends Widget {
  private readonly front: NotebookInFront;
  private readonly source: VariableSource;
  private readonly actions: RowActions;
  private readonly filter = element("input", "warpcell-search");
  private readonly imports = element("input", "");
  private readonly note = element("div", "warpcell-panel-note");
  private readonly body = element("tbody", "");
  private readonly table: HTMLElement;
  private readonly headings = new Map<string, HTMLElement>();
  private readonly rows = new Map<string, Row>();
  private variables: readonly NotebookVariable[] = [];
  private order = { key: "place", isReversed: false };
  private asking = false;
  private isDue = false;

  constructor(front: NotebookInFront, open: () => Open | null) {
    super();
    this.id = "warpcell-variables";
    this.addClass("warpcell-panel");
    this.addClass("warpcell-variables");
    this.front = front;
    this.source = new VariableSource(() => front.kernel);
    this.actions = {
      source: this.source,
      slices: new SliceSource(() => front.kernel),
      open,
      goTo: (place) => front.panel && goToPlace(front.panel.content, place),
      changed: () => void this.refresh(),
    };
    this.table = this.makeTable();
    this.node.append(this.makeToolbar(), this.note, element("div", "warpcell-panel-scroll", this.table));
    this.note.setAttribute("role", "status");
    front.changed.connect(this.onChanged, this);
    front.ran.connect(this.onRan, this);
  }

  protected override onAfterShow(): void {
    void this.refresh();
  }

  protected override onAfterHide(): void {
    this.source.close();
  }

  private onChanged(): void {
    this.clear();
    this.source.close();
    void this.refresh();
  }

  private onRan(_: unknown, isBusy: boolean): void {
    if (!isBusy) void this.refresh();
  }

  private clear(): void {
    for (const row of this.rows.values()) row.dispose();
    this.rows.clear();
    this.variables = [];
    this.render();
  }

  /** One question at a time; what was asked meanwhile is asked once more. */
  private async refresh(): Promise<void> {
    if (!this.isVisible || this.isDisposed) return;
    if (this.front.kernel === null) return this.render();
    this.isDue = true;
    if (this.asking) return;
    this.asking = true;
    while (this.isDue) {
      this.isDue = false;
      const kernel: Kernel.IKernelConnection | null = this.front.kernel;
      const answer = await this.source.list();
      if (kernel !== this.front.kernel) continue;
      if (answer.ok) this.variables = answer.value.variables;
      this.render(answer.ok ? null : answer.problem);
    }
    this.asking = false;
  }

  private makeToolbar(): HTMLElement {
    Object.assign(this.filter, { type: "search", placeholder: "Filter" });
    this.filter.setAttribute("aria-label", trans.__("Filter variables"));
    this.filter.addEventListener("input", () => this.render());
    this.imports.type = "checkbox";
    this.imports.addEventListener("change", () => this.render());
    const label = element("label", "warpcell-panel-check", this.imports, "imports");
    return element("div", "warpcell-panel-toolbar", this.filter, label);
  }

  private makeTable(): HTMLElement {
    const heads = columns.map(({ key, title, isNumber }) => {
      const button = element("button", "warpcell-heading", title);
      button.type = "button";
      button.addEventListener("click", () => this.sortBy(key));
      const head = element("th", `warpcell-variables-${key}-cell`, button);
      head.setAttribute("role", "columnheader");
      head.scope = "col";
      head.classList.toggle("warpcell-number", isNumber);
      this.headings.set(key, head);
      return head;
    });
    const row = element("tr", "", ...heads);
    const head = element("thead", "", row);
    const table = element("table", "warpcell-table", head, this.body);
    // Narrow tables are laid out as blocks, and would be no tables to a screen reader.
    table.setAttribute("role", "table");
    row.setAttribute("role", "row");
    for (const group of [head, this.body]) group.setAttribute("role", "rowgroup");
    table.setAttribute("aria-label", trans.__("Variables of the notebook"));
    table.addEventListener("keydown", (event) => this.onKey(event));
    return table;
  }

  private sortBy(key: string): void {
    this.order = { key, isReversed: this.order.key === key && !this.order.isReversed };
    this.render();
  }

  private onKey(event: KeyboardEvent): void {
    const shown = this.shownRows();
    const from = shown.findIndex(({ handle }) => handle === document.activeElement);
    const to = from < 0 ? null : ledTo(event, from, shown.length, 10);
    if (to === null) return;
    event.preventDefault();
    shown[to]!.handle.focus();
  }

  private shownRows(): Row[] {
    const { key, isReversed } = this.order;
    const { compare } = columns.find((column) => column.key === key)!;
    const shown = filtered(this.variables, this.filter.value.trim(), this.imports.checked).toSorted(compare);
    if (isReversed) shown.reverse();
    return shown.map((variable) => this.rows.get(variable.name)!);
  }

  private render(problem: string | null = null): void {
    const names = new Set(this.variables.map(({ name }) => name));
    for (const [name, row] of this.rows) {
      if (names.has(name)) continue;
      row.dispose();
      this.rows.delete(name);
    }
    for (const variable of this.variables) {
      const row = this.rows.get(variable.name);
      if (row === undefined) this.rows.set(variable.name, new Row(variable, this.actions));
      else if (row.variable !== variable) row.update(variable);
    }
    this.arrange(this.shownRows());
    this.say(problem);
    for (const [key, head] of this.headings) {
      const direction = this.order.isReversed ? "descending" : "ascending";
      head.setAttribute("aria-sort", key === this.order.key ? direction : "none");
    }
  }

  /** Nodes that stand where they should are left alone: to move one takes its focus. */
  private arrange(rows: readonly Row[]): void {
    const wanted = rows.flatMap(({ nodes }) => [...nodes]);
    const focused = document.activeElement;
    const isSame =
      wanted.length === this.body.children.length && wanted.every((node, index) => node === this.body.children[index]);
    if (!isSame) {
      this.body.replaceChildren(...wanted);
      if (focused instanceof HTMLElement && this.body.contains(focused)) focused.focus();
    }
    const isStop = rows.some(({ handle }) => handle === document.activeElement);
    rows.forEach(({ handle }, index) => {
      handle.tabIndex = isStop ? (handle === document.activeElement ? 0 : -1) : index === 0 ? 0 : -1;
    });
  }

  private say(problem: string | null): void {
    const shown = this.body.children.length > 0;
    const isEmpty = this.variables.every(({ isImport }) => isImport);
    const none =
      this.front.kernel === null ? noNotebook() : isEmpty ? noNames() : trans.__("No variable matches the filter.");
    this.table.hidden = !shown;
    this.note.hidden = shown && problem === null;
    this.note.textContent = problem ?? (shown ? "" : none);
  }
}
