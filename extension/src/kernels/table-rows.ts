// The rows of a table that are in view: of 10,000 rows only those that can be seen are in the page, between two gaps as
// high as the others.
import { shownText } from "../drawing/shown-text.ts";
import { element } from "../tensor-view/element.ts";
import type { Column } from "./columns.ts";
import { trans } from "../drawing/trans.ts";
import type { Row } from "./rows.ts";

/** Rows above and below those in view, so that scrolling shows no gap. */
const margin = 12;
/** More lines of cells than these are counted, and all are in what is copied. */
const mostPlaces = 3;

/** `place`: of the payload's places. */
export type ChoosePlace = (chosen: { row: Row; place: number }) => void;

export class TableRows {
  readonly node = element("tbody", "warpcell-kernels-rows");
  rowHeight = 24;
  private rows: readonly Row[] = [];
  private columns: readonly Column[] = [];
  private current = -1;
  private first = 0;
  private last = -1;
  private readonly prefix: string;
  private readonly choose: ChoosePlace;

  /**
   * `prefix` begins the ids of the rows, which the table names the current one by; `choose` is called for a line that
   * launches a kernel.
   */
  constructor(prefix: string, choose: ChoosePlace) {
    this.prefix = prefix;
    this.choose = choose;
  }

  /** The row at a position of the order shown. */
  at(position: number): Row | undefined {
    return this.rows[position];
  }

  get length(): number {
    return this.rows.length;
  }

  idOf(position: number): string {
    return `${this.prefix}-row-${position}`;
  }

  /** The position of the row that an element of the page is in; −1: of none. */
  positionOf(target: EventTarget | null): number {
    const found = target instanceof Element ? target.closest<HTMLElement>("[data-position]") : null;
    return found && this.node.contains(found) ? Number(found.dataset["position"]) : -1;
  }

  set(rows: readonly Row[], columns: readonly Column[], current: number): void {
    [this.rows, this.columns, this.current] = [rows, columns, current];
    // None of them are in the page yet.
    [this.first, this.last] = [0, -1];
  }

  mark(current: number): void {
    this.current = current;
    for (const node of this.node.querySelectorAll<HTMLElement>("[data-position]")) this.markOne(node);
  }

  private markOne(node: HTMLElement): void {
    const isCurrent = Number(node.dataset["position"]) === this.current;
    node.setAttribute("aria-selected", String(isCurrent));
    // The table is one stop of the Tab key, and the lines of its current row are the next.
    for (const button of node.querySelectorAll("button")) button.tabIndex = isCurrent ? 0 : -1;
  }

  /** Brings into the page what is seen between two heights of the whole. */
  show(top: number, height: number): void {
    const from = Math.max(0, Math.floor(top / this.rowHeight));
    const to = Math.min(this.rows.length, Math.ceil((top + height) / this.rowHeight));
    if (this.first <= from && to <= this.last) return;
    const [first, last] = [Math.max(0, from - margin), Math.min(this.rows.length, to + margin)];
    [this.first, this.last] = [first, last];
    const nodes = this.rows.slice(first, last).map((row, index) => this.rowNode(row, first + index));
    this.node.replaceChildren(this.gap(first), ...nodes, this.gap(this.rows.length - last));
  }

  private gap(rows: number): HTMLElement {
    const node = element("tr", "warpcell-kernels-gap");
    node.setAttribute("role", "presentation");
    node.style.height = `${rows * this.rowHeight}px`;
    node.hidden = rows === 0;
    return node;
  }

  private rowNode(row: Row, position: number): HTMLElement {
    const node = element("tr", "warpcell-kernels-row", ...this.columns.map((column) => this.cellNode(row, column)));
    node.id = this.idOf(position);
    node.dataset["position"] = String(position);
    node.style.height = `${this.rowHeight}px`;
    // The line of titles is the first.
    node.setAttribute("aria-rowindex", String(position + 2));
    if (row.slowness !== null) node.dataset["slowest"] = String(row.slowness);
    this.markOne(node);
    return node;
  }

  private cellNode(row: Row, column: Column): HTMLElement {
    const node = element(
      "td",
      `warpcell-kernels-cell warpcell-kernels-${column.align}`,
      ...this.contentOf(row, column),
    );
    node.dataset["column"] = column.id;
    return node;
  }

  private contentOf(row: Row, column: Column): (Node | string)[] {
    const special: Readonly<Record<string, () => (Node | string)[]>> = {
      share: () => shareNodes(row, column),
      name: () => nameNodes(row),
      places: () => this.placeNodes(row),
    };
    return special[column.id]?.() ?? [column.text(row)];
  }

  private placeNodes(row: Row): (Node | string)[] {
    const nodes: Node[] = row.places.slice(0, mostPlaces).map(({ index, place }) => {
      const text = shownText(place.text, 40);
      const button = element("button", "warpcell-kernels-place", text);
      button.type = "button";
      button.title = trans.__("Show %1", text);
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        this.choose({ row, place: index });
      });
      return button;
    });
    const rest = row.places.length - nodes.length;
    if (rest > 0) nodes.push(element("span", "warpcell-kernels-more", `+${rest.toLocaleString("en-US")}`));
    return nodes;
  }
}

/** A bar as long as the share, and its number; a row that is among the slowest says so. */
function shareNodes(row: Row, column: Column): (Node | string)[] {
  const bar = element("span", "warpcell-kernels-bar");
  bar.style.width = `${Math.min(100, row.kernel.share * 100)}%`;
  const number = element("span", "warpcell-kernels-share", column.text(row));
  if (row.slowness !== null) number.title = trans.__("Among the %1 % of kernels that took longest", row.slowness);
  return [bar, number];
}

function nameNodes({ name, kernel: { name: whole, operation } }: Row): (Node | string)[] {
  const label = element("span", "warpcell-kernels-name", name);
  label.title = shownText(whole, 2000);
  return operation === null
    ? [label]
    : [element("span", "warpcell-kernels-operation", shownText(operation, 40)), " ", label];
}
