// The lists of the panel of memory: the largest tensors, what each cell holds, and what cells took.
import type { CellMemory, DeviceMemory, TracePlace } from "../../../kernel/mime.ts";
import { formatBytes } from "../drawing/quantity.ts";
import { element } from "../tensor-view/element.ts";
import type { CellHues } from "./cell-colours.ts";
import { cellOfPlace } from "./cell-colours.ts";
import { trans } from "../drawing/trans.ts";
import { shapeText } from "./words.ts";

/** So many at first. */
const shortList = 8;
const longCells = 12;

export interface ListActions {
  readonly hues: CellHues;
  goTo(place: Pick<TracePlace, "text" | "cell" | "count" | "line">): void;
}

function table(label: string, headings: readonly (readonly [title: string, isNumber: boolean])[], rows: HTMLElement[]) {
  const heads = headings.map(([title, isNumber]) => {
    const head = element("th", isNumber ? "warpcell-number" : "", title);
    head.scope = "col";
    return head;
  });
  const made = element(
    "table",
    "warpcell-table",
    element("thead", "", element("tr", "", ...heads)),
    element("tbody", "", ...rows),
  );
  made.setAttribute("aria-label", label);
  return made;
}

function placeButton(place: TracePlace, { goTo, hues }: ListActions): HTMLElement {
  const button = element("button", "warpcell-place", swatch(cellOfPlace(place.text), hues), place.text);
  button.type = "button";
  button.title = trans.__("Go to the line");
  button.addEventListener("click", () => goTo(place));
  return button;
}

/** The colour of a cell, as the map has it. */
function swatch(cell: string, hues: CellHues): HTMLElement {
  const node = element("span", "warpcell-swatch");
  const hue = hues.of(cell);
  node.classList.toggle("warpcell-swatch-other", hue === null);
  if (hue !== null) node.style.setProperty("--warpcell-hue", String(hue));
  node.setAttribute("aria-hidden", "true");
  return node;
}

export function largestTensors({ largest, places }: DeviceMemory, actions: ListActions): HTMLElement {
  const rows = largest
    .filter(({ shape }) => shape !== null)
    .slice(0, shortList)
    .map((block) => {
      const name =
        block.names.length === 0 ? element("span", "warpcell-quiet", trans.__("no name")) : block.names.join(", ");
      const what = element("span", "warpcell-quiet", shapeText(block));
      const place = block.place > 0 ? placeButton(places[block.place - 1]!, actions) : "";
      return element(
        "tr",
        "",
        element("td", "warpcell-number", formatBytes(block.bytes)),
        element("td", "", element("div", "", name), what),
        element("td", "", place),
      );
    });
  if (rows.length === 0) return element("div", "warpcell-quiet", trans.__("There are no tensors."));
  return table(
    trans.__("Largest tensors"),
    [
      [trans.__("Size"), true],
      [trans.__("Tensor"), false],
      [trans.__("Made at"), false],
    ],
    rows,
  );
}

/** What each cell's blocks add up to: the legend of the map. */
export function legend({ byCell }: DeviceMemory, { hues }: ListActions): HTMLElement {
  const items = byCell.slice(0, longCells).map(({ text, bytes, blocks }) => {
    const item = element(
      "li",
      "",
      swatch(text, hues),
      `${text === "" ? trans.__("others") : text} ${formatBytes(bytes)}`,
    );
    item.title = trans._n("%1 block", "%1 blocks", blocks);
    return item;
  });
  const free = element("li", "", element("span", "warpcell-swatch warpcell-swatch-free"), trans.__("free"));
  return element("ul", "warpcell-legend", ...items, free);
}

/** The last ones first. */
export function cellTable(cells: readonly CellMemory[], device: string, actions: ListActions): HTMLElement {
  const rows = cells
    .filter((cell) => cell.device === device)
    .slice(-longCells)
    .reverse()
    .map(({ text, cell, count, before, peak, after, running }) => {
      const numbers = [before, peak, after].map((bytes) => element("td", "warpcell-number", formatBytes(bytes)));
      const change = Math.sign(after - before);
      numbers[2]!.classList.add(change > 0 ? "warpcell-more" : change < 0 ? "warpcell-less" : "warpcell-same");
      const place = placeButton({ text: `${text}:1`, cell, count, line: 1 }, actions);
      place.lastChild!.textContent = running ? trans.__("%1 runs", text) : text;
      return element("tr", "", element("td", "", place), ...numbers);
    });
  if (rows.length === 0) return element("div", "warpcell-quiet", trans.__("No cell has taken or freed memory yet."));
  return table(
    trans.__("Memory before, during and after cells"),
    [
      [trans.__("Cell"), false],
      [trans.__("Before"), true],
      [trans.__("At most"), true],
      [trans.__("After"), true],
    ],
    rows,
  );
}
