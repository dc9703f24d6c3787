// A table of some hundred rows that is sorted by a click on a title, filtered by words and copied for a spreadsheet;
// a row leads to the timeline by its name.
import { Widget } from "@lumino/widgets";
import { copyText } from "../drawing/clipboard.ts";
import { keepKeys } from "../drawing/own-keys.ts";
import { grouped } from "../drawing/quantity.ts";
import { shownText } from "../drawing/shown-text.ts";
import { element } from "../tensor-view/element.ts";
import { inCell } from "./columns.ts";
import { trans } from "../drawing/trans.ts";
import { ordered } from "./rows.ts";

export interface TableColumn<Row> {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly align: "number" | "text";
  /** For sorting, and for a spreadsheet where `raw` says nothing else; in base units. */
  readonly key: (row: Row) => number | string | null;
  readonly raw?: (row: Row) => number | string | null;
  readonly text: (row: Row) => string;
  /** What is read further on: the whole of a text that is cut. */
  readonly hint?: (row: Row) => string;
}

export interface TableWords {
  /** "operations" */
  readonly all: string;
  /** "12 operations" */
  readonly counted: (count: number) => string;
  readonly empty: string;
}

export class SortedTable<Row> extends Widget {
  private readonly rows: readonly Row[];
  private readonly columns: readonly TableColumn<Row>[];
  private readonly words: TableWords;
  private readonly choose: (row: Row) => void;
  private order: { column: TableColumn<Row>; descending: boolean };
  private readonly filter = element("input", "warpcell-search");
  private readonly status = element("span", "warpcell-kernels-status");
  private readonly head = element("thead", "warpcell-kernels-head");
  private readonly body = element("tbody", "warpcell-kernels-rows");
  private shown: readonly Row[] = [];

  /** The first column names a row: it is a button that calls `choose`. */
  constructor(
    rows: readonly Row[],
    columns: readonly TableColumn<Row>[],
    sortedBy: string,
    words: TableWords,
    choose: (row: Row) => void,
  ) {
    super();
    [this.rows, this.columns, this.words, this.choose] = [rows, columns, words, choose];
    this.order = { column: columns.find(({ id }) => id === sortedBy)!, descending: true };
    this.addClass("warpcell-kernels");
    this.addClass("warpcell-sorted");
    if (rows.length === 0) {
      this.node.append(element("div", "warpcell-kernels-empty", words.empty));
      return;
    }
    const table = element("table", "warpcell-kernels-table", this.head, this.body);
    table.setAttribute("aria-label", words.all);
    const field = element("div", "warpcell-kernels-field", table);
    field.tabIndex = 0;
    field.setAttribute("role", "region");
    field.setAttribute("aria-label", trans.__("Table of %1", words.all));
    keepKeys(field);
    this.node.append(this.bar(), field);
    this.refresh();
  }

  private bar(): HTMLElement {
    const { all } = this.words;
    Object.assign(this.filter, { type: "search", placeholder: trans.__("Filter %1", all) });
    this.filter.setAttribute("aria-label", trans.__("Filter %1 by any of their words", all));
    keepKeys(this.filter);
    this.filter.addEventListener("input", () => this.refresh());
    const copy = element("button", "warpcell-button", trans.__("Copy"));
    copy.type = "button";
    copy.title = trans.__("Copy the rows shown as tab-separated values, with unrounded numbers");
    copy.addEventListener("click", () => void this.copy());
    this.status.setAttribute("role", "status");
    return element("div", "warpcell-kernels-tools", this.filter, this.status, copy);
  }

  private refresh(): void {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const texts = this.columns.filter(({ align }) => align === "text");
    const has = (row: Row): boolean => {
      const text = texts.map(({ key }) => String(key(row) ?? "").toLowerCase()).join("\n");
      return words.every((word) => text.includes(word));
    };
    const { column, descending } = this.order;
    this.shown = ordered(this.rows.filter(has), column.key, descending);
    this.head.replaceChildren(element("tr", "", ...this.columns.map((each) => this.titleOf(each))));
    this.body.replaceChildren(...this.shown.map((row) => this.rowOf(row)));
    const all = this.words.counted(this.rows.length);
    this.status.textContent =
      this.shown.length === this.rows.length ? all : trans.__("%1 of %2", grouped(this.shown.length), all);
  }

  private titleOf(column: TableColumn<Row>): HTMLElement {
    const isOrder = column === this.order.column;
    const button = element("button", "warpcell-kernels-title", column.title);
    button.type = "button";
    button.title = column.description;
    button.addEventListener("click", () => {
      this.order = { column, descending: isOrder ? !this.order.descending : column.align === "number" };
      this.refresh();
      this.head.querySelector<HTMLElement>(`th[data-column="${column.id}"] button`)?.focus();
    });
    const node = element("th", `warpcell-kernels-${column.align}`, button);
    node.scope = "col";
    node.dataset["column"] = column.id;
    node.setAttribute("aria-sort", isOrder ? (this.order.descending ? "descending" : "ascending") : "none");
    return node;
  }

  private rowOf(row: Row): HTMLElement {
    const cells = this.columns.map((column, index) => {
      const text = column.text(row);
      const node = element("td", `warpcell-kernels-cell warpcell-kernels-${column.align}`);
      node.title = column.hint?.(row) ?? "";
      if (index > 0) node.textContent = text;
      else {
        const button = element("button", "warpcell-kernels-place", text);
        button.type = "button";
        button.addEventListener("click", () => this.choose(row));
        node.append(button);
      }
      return node;
    });
    return element("tr", "warpcell-kernels-row", ...cells);
  }

  private async copy(): Promise<void> {
    const lines = [
      this.columns.map(({ title }) => title),
      ...this.shown.map((row) => this.columns.map(({ key, raw = key }) => inCell(raw(row)))),
    ];
    const text = lines.map((line) => `${line.join("\t")}\n`).join("");
    this.status.textContent = await copyText(text).then(
      () => trans._n("%2 row copied", "%2 rows copied", this.shown.length, grouped(this.shown.length)),
      (error: unknown) => shownText((error as Error).message),
    );
  }
}
