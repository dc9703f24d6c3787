// Shows a picture as a heat map with its numbers where there is room, a legend and a cursor that names the elements
// under it and their value.
import { trans } from "../drawing/trans.ts";
import { keepKeys, leaveToCell } from "../drawing/own-keys.ts";
import type { TensorPayload, TensorTile } from "../../../kernel/mime.ts";
import { formatValue } from "../drawing/quantity.ts";
import { gradient, scaleOf } from "./colour-map.ts";
import type { Cell } from "./cursor.ts";
import { cellAt, moved } from "./cursor.ts";
import { element } from "./element.ts";
import type { Numbers } from "./numbers.ts";
import { numbersOf, write } from "./numbers.ts";
import { naturalSize, paint, paintSample } from "./painting.ts";
import { plane } from "./payload.ts";
import { cellNote, pictureLabel } from "./summary.ts";
import type { Picture } from "./tile.ts";
import { elementsOf, missingOf } from "./tile.ts";

export class HeatMap {
  readonly node: HTMLElement;
  private readonly canvas = element("canvas", "warpcell-heat-map-canvas");
  private readonly mark = element("div", "warpcell-heat-map-mark");
  private readonly reading = element("span", "warpcell-heat-map-reading");
  private readonly note: HTMLElement;
  private readonly watch: ResizeObserver;
  private readonly shape: readonly number[];
  private readonly dtype: string;
  private readonly index: readonly number[] | undefined;
  private readonly tile: TensorTile;
  private readonly picture: Picture;
  private readonly numbers: Numbers | null;
  private cell: Cell | null = null;

  /** `index`: the slice that the picture shows, the first one when left out; `unfinished`: it may still be changing. */
  constructor(
    payload: TensorPayload,
    tile: TensorTile,
    picture: Picture,
    index?: readonly number[],
    unfinished = false,
  ) {
    this.index = index;
    this.shape = payload.shape;
    this.dtype = payload.dtype;
    this.tile = tile;
    this.picture = picture;
    this.numbers = numbersOf(picture, tile);
    this.setUpCanvas(pictureLabel(payload));
    this.mark.hidden = true;
    this.reading.setAttribute("aria-live", "polite");
    this.note = element("span", "warpcell-heat-map-note", cellNote(payload.shape, tile, index, unfinished));
    const field = element("div", "warpcell-heat-map-field", this.canvas, this.mark);
    const words = element("div", "warpcell-heat-map-words", this.note, this.reading);
    this.node = element(
      "div",
      "warpcell-heat-map",
      field,
      legend(picture, payload.dtype, this.numbers !== null),
      words,
    );
    // Below a small picture a line that is empty most of the time would be as large as the picture: it stands beside
    // it.
    this.node.classList.toggle("warpcell-heat-map-small", this.numbers !== null);
    this.watch = new ResizeObserver(([entry]) => entry && this.paintFor(entry));
    this.watch.observe(this.canvas);
  }

  dispose(): void {
    this.watch.disconnect();
  }

  private setUpCanvas(label: string): void {
    const { width, height } = this.numbers ?? naturalSize(this.picture, plane(this.shape));
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
    // The notebook's own arrow keys would leave the cell.
    keepKeys(this.canvas);
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("pointermove", (event) => this.onPointer(event));
    this.canvas.addEventListener("pointerleave", () => this.moveTo(null));
    this.canvas.addEventListener("blur", () => this.moveTo(null));
  }

  /** Observed sizes change with the layout and, once laid out, tell the first size too. */
  private paintFor(entry: ResizeObserverEntry): void {
    const { width, height } = entry.contentRect;
    if (width === 0 || height === 0) return;
    this.canvas.width = Math.round(width * window.devicePixelRatio);
    this.canvas.height = Math.round(height * window.devicePixelRatio);
    try {
      paint(this.canvas, this.picture);
      if (this.numbers) write(this.canvas, this.picture, this.numbers);
    } catch (error) {
      this.dispose();
      this.node.replaceChildren(element("div", "warpcell-problem", (error as Error).message));
    }
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      leaveToCell(this.canvas);
      return;
    }
    const cell = moved(this.cell, event.key, event.ctrlKey || event.metaKey, this.picture);
    if (!cell) return;
    event.preventDefault();
    this.moveTo(cell);
  }

  private onPointer(event: PointerEvent): void {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    this.moveTo(cellAt((event.clientX - left) / width, (event.clientY - top) / height, this.picture));
  }

  private moveTo(cell: Cell | null): void {
    this.cell = cell;
    this.mark.hidden = cell === null;
    this.note.hidden = cell !== null;
    this.reading.textContent = cell ? this.read(cell) : "";
    if (!cell) return;
    const { rows, columns } = this.picture;
    Object.assign(this.mark.style, {
      left: `${(cell.column / columns) * 100}%`,
      top: `${(cell.row / rows) * 100}%`,
      width: `${100 / columns}%`,
      height: `${100 / rows}%`,
    });
  }

  private read({ row, column }: Cell): string {
    const value = this.picture.values[row * this.picture.columns + column]!;
    const elements = elementsOf(this.shape, this.tile, row, column, this.index);
    const missing = missingOf(value);
    if (missing !== null) return `${elements} ${missing}`;
    const isMean = elements.includes("…");
    if (this.dtype === "bool") return `${elements} ${isMean ? `${formatValue(value * 100, 3)} % true` : value === 1}`;
    return `${elements} ${isMean ? "mean " : ""}${formatValue(value)}`;
  }
}

/** Where the numbers stand in the cells, the colours need no words. */
function legend({ low, high, missing }: Picture, dtype: string, hasNumbers: boolean): HTMLElement {
  const node = element("div", "warpcell-heat-map-legend");
  if (low !== null && high !== null && !hasNumbers) node.append(...scaleNodes(low, high, dtype));
  for (const kind of missing) {
    const sample = element("canvas", "warpcell-heat-map-sample");
    [sample.width, sample.height] = [24, 12];
    paintSample(sample, kind);
    node.append(element("span", "warpcell-heat-map-missing", sample, kind));
  }
  node.hidden = node.childElementCount === 0;
  return node;
}

function scaleNodes(low: number, high: number, dtype: string): HTMLElement[] {
  if (low === high)
    return [element("span", "warpcell-heat-map-limit", trans.__("every cell %1", formatValue(low + 0)))];
  const scale = scaleOf(low, high);
  const bar = element("span", "warpcell-heat-map-bar");
  bar.style.background = gradient(scale);
  const [first, last] = dtype === "bool" ? ["false", "true"] : [formatValue(scale.low), formatValue(scale.high)];
  return [element("span", "warpcell-heat-map-limit", first), bar, element("span", "warpcell-heat-map-limit", last)];
}
