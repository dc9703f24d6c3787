// A table of the kernels of a profile: sorted, filtered, copied, and linked to the lines that launch them.
import { Widget } from "@lumino/widgets";
import { keepKeys } from "../drawing/own-keys.ts";
import { copyText } from "../drawing/clipboard.ts";
import { ledTo } from "../drawing/list-keys.ts";
import { grouped } from "../drawing/quantity.ts";
import { element } from "../tensor-view/element.ts";
import type { Column } from "./columns.ts";
import { columnsFor, tabSeparated } from "./columns.ts";
import type { KernelFacts } from "./payload.ts";
import type { Row } from "./rows.ts";
import { filtered, rowsOf, ordered } from "./rows.ts";
import type { Show } from "./show.ts";
import { trans } from "../drawing/trans.ts";
import { TableRows } from "./table-rows.ts";

/** Below this width the name comes first and stays in view. */
const narrow = 600;
/** What a cell leaves blank left and right of its text, in pixels. */
const sides = 14;
let tables = 0;

export class KernelTable extends Widget {
  private readonly choose: Show;
  private readonly rows: readonly Row[] = [];
  private readonly columns: Column[] = [];
  private order: { column: Column; descending: boolean } | null = null;
  private current = -1;
  private isNarrow = false;
  private readonly filter = element("input", "warpcell-search");
  private readonly status = element("span", "warpcell-kernels-status");
  private readonly table = element("table", "warpcell-kernels-table");
  private readonly head = element("thead", "warpcell-kernels-head");
  private readonly widths = element("colgroup", "");
  private readonly field = element("div", "warpcell-kernels-field");
  private readonly body: TableRows;
  private readonly watch = new ResizeObserver(() => this.layOut());

  constructor(facts: KernelFacts, show: Show) {
    super();
    this.addClass("warpcell-kernels");
    this.choose = show;
    this.body = new TableRows(`warpcell-kernels-${++tables}`, ({ row, place }) =>
      this.choose({ kernel: row.index, place }),
    );
    this.rows = rowsOf(facts);
    if (this.rows.length === 0) {
      this.node.append(
        element("div", "warpcell-kernels-empty", trans.__("No kernel ran while this profile was taken.")),
      );
      return;
    }
    const { columns, omittedCounters } = columnsFor(this.rows);
    this.columns = columns;
    this.order = { column: columns.find(({ id }) => id === "total")!, descending: true };
    this.node.append(this.bar(omittedCounters), this.field);
    this.setUpTable();
    this.refresh();
    this.watch.observe(this.node);
  }

  override dispose(): void {
    this.watch.disconnect();
    super.dispose();
  }

  private bar(omittedCounters: number): HTMLElement {
    Object.assign(this.filter, { type: "search", placeholder: "Filter kernels" });
    this.filter.setAttribute("aria-label", trans.__("Filter kernels by name, operation, device or line"));
    keepKeys(this.filter);
    this.filter.addEventListener("input", () => this.refresh());
    this.filter.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" && this.body.length > 0) {
        event.preventDefault();
        this.table.focus();
      }
    });
    const copy = element("button", "warpcell-button", trans.__("Copy"));
    copy.type = "button";
    copy.title = trans.__("Copy the rows shown as tab-separated values, with unrounded numbers");
    copy.addEventListener("click", () => void this.copy());
    this.status.setAttribute("role", "status");
    const note =
      omittedCounters > 0
        ? [
            element(
              "span",
              "warpcell-kernels-note",
              trans._n("%1 more counter has no column.", "%1 more counters have no column.", omittedCounters),
            ),
          ]
        : [];
    return element("div", "warpcell-kernels-tools", this.filter, this.status, ...note, copy);
  }

  private setUpTable(): void {
    this.table.tabIndex = 0;
    this.table.setAttribute("role", "grid");
    this.table.setAttribute("aria-label", trans.__("Kernels. Arrow keys choose one, Enter shows it in the timeline."));
    keepKeys(this.table);
    this.table.append(this.widths, this.head, this.body.node);
    this.field.append(this.table);
    this.field.addEventListener("scroll", () => this.showRows());
    this.table.addEventListener("keydown", (event) => this.onKey(event));
    // A pointer chooses a row of its own.
    this.table.addEventListener(
      "focus",
      () => this.current < 0 && this.table.matches(":focus-visible") && this.moveTo(0),
    );
    this.body.node.addEventListener("click", ({ target }) => {
      this.moveTo(this.body.positionOf(target));
      this.chooseCurrent();
    });
  }

  /** Rows of this filter, in this order, under these columns; the current row stays current where it is still there. */
  private refresh(): void {
    const kept = this.body.at(this.current);
    const { column, descending } = this.order!;
    const rows = ordered(filtered(this.rows, this.filter.value), column.key, descending);
    const { columns } = this;
    this.current = kept ? rows.indexOf(kept) : -1;
    this.body.set(rows, columns, this.current);
    this.head.replaceChildren(element("tr", "", ...columns.map((shown) => this.titleOf(shown))));
    this.setWidths(columns);
    this.table.setAttribute("aria-rowcount", String(rows.length + 1));
    this.say(
      rows.length === this.rows.length
        ? trans._n("%2 kernel", "%2 kernels", rows.length, grouped(rows.length))
        : trans.__(
            "%1 of %2",
            grouped(rows.length),
            trans._n("%2 kernel", "%2 kernels", this.rows.length, grouped(this.rows.length)),
          ),
    );
    this.field.scrollTop = 0;
    this.showRows();
    this.nameCurrent();
  }

  /** Of all rows, so that no column changes its width as they scroll by. */
  private setWidths(columns: readonly Column[]): void {
    const characters = columns.map(({ id, title, text }) => {
      // Two more for the arrow of the order.
      const longest = this.rows.reduce((most, row) => Math.max(most, text(row).length), title.length + 2);
      return Math.min(id === "name" ? (this.isNarrow ? 15 : 38) : 28, longest);
    });
    this.widths.replaceChildren(
      ...characters.map((most) => {
        const node = element("col", "");
        node.style.width = `calc(${most}ch + ${sides}px)`;
        return node;
      }),
    );
    const all = characters.reduce((sum, most) => sum + most, 0);
    this.table.style.width = `max(100%, calc(${all}ch + ${columns.length * sides}px))`;
  }

  private titleOf(column: Column): HTMLElement {
    const isOrder = column.id === this.order!.column.id;
    const button = element("button", "warpcell-kernels-title", column.title);
    button.type = "button";
    button.title = column.description;
    button.addEventListener("click", () => this.sortBy(column));
    const node = element("th", `warpcell-kernels-${column.align}`, button);
    node.scope = "col";
    node.dataset["column"] = column.id;
    node.setAttribute("aria-sort", isOrder ? (this.order!.descending ? "descending" : "ascending") : "none");
    return node;
  }

  /** Numbers from the largest, names from A; the same title again turns the order round. */
  private sortBy(column: Column): void {
    const descending = this.order!.column.id === column.id ? !this.order!.descending : column.align === "number";
    this.order = { column, descending };
    this.refresh();
    this.head.querySelector<HTMLElement>(`th[data-column="${CSS.escape(column.id)}"] button`)?.focus();
  }

  private onKey(event: KeyboardEvent): void {
    // Keys on a title or a line are theirs.
    if (event.target !== this.table) return;
    const next = ledTo(event, this.current, this.body.length, this.field.clientHeight / this.body.rowHeight);
    if (next !== null) this.moveTo(next);
    else if (event.key === "Enter") this.chooseCurrent();
    else if (event.key === "/") this.filter.focus();
    else return;
    event.preventDefault();
  }

  private moveTo(position: number): void {
    if (!this.body.at(position)) return;
    this.current = position;
    const { rowHeight } = this.body;
    const top = position * rowHeight;
    const room = this.field.clientHeight - this.head.offsetHeight;
    if (top < this.field.scrollTop) this.field.scrollTop = top;
    else if (room > 0 && top + rowHeight > this.field.scrollTop + room) this.field.scrollTop = top + rowHeight - room;
    this.showRows();
    this.nameCurrent();
  }

  private chooseCurrent(): void {
    const row = this.body.at(this.current);
    if (row) this.choose({ kernel: row.index });
  }

  private nameCurrent(): void {
    this.body.mark(this.current);
    if (this.current >= 0) this.table.setAttribute("aria-activedescendant", this.body.idOf(this.current));
    else this.table.removeAttribute("aria-activedescendant");
  }

  /** Sizes change with the page, with its fonts, and when a tab comes into view. */
  private layOut(): void {
    const { width } = this.node.getBoundingClientRect();
    if (width === 0) return;
    const isNarrow = width < narrow;
    const rowHeight = Math.round(Number.parseFloat(getComputedStyle(this.table).fontSize) * 1.85);
    if (isNarrow !== this.isNarrow || rowHeight !== this.body.rowHeight) {
      this.isNarrow = isNarrow;
      this.body.rowHeight = rowHeight;
      this.toggleClass("warpcell-kernels-narrow", isNarrow);
      this.refresh();
    }
    this.showRows();
  }

  private showRows(): void {
    this.body.show(this.field.scrollTop, this.field.clientHeight || 480);
  }

  private async copy(): Promise<void> {
    const rows = Array.from({ length: this.body.length }, (_, position) => this.body.at(position)!);
    await copyText(tabSeparated(rows, this.columns)).then(
      () => this.say(trans._n("%2 row copied", "%2 rows copied", rows.length, grouped(rows.length))),
      (error: unknown) => this.say((error as Error).message),
    );
  }

  private say(sentence: string): void {
    this.status.textContent = sentence;
  }
}
