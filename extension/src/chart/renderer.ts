// Renders one chart below its cell: its drawing in the page's colours, and the values at the pointer or, by the arrow
// keys, at a point.
import { trans } from "../drawing/trans.ts";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import type { ChartPayload } from "../../../kernel/mime.ts";
import { svg } from "../drawing/svg.ts";
import { element } from "../tensor-view/element.ts";
import { drawingOf } from "./drawing.ts";
import { checkChart } from "./payload.ts";
import { readingAt, stopsOf, trackOf, type Reading, type Track } from "./reading.ts";

/** Words of a narrower drawing would be too small to read: it is scrolled instead. */
const leastWidth = 480;

export class ChartRenderer extends Widget implements IRenderMime.IRenderer {
  private readonly mimeType: string;

  constructor({ mimeType }: IRenderMime.IRendererOptions) {
    super();
    this.mimeType = mimeType;
    this.addClass("warpcell-chart");
  }

  /** Never rejects: an output that cannot be read is itself the thing to show. */
  async renderModel({ data }: IRenderMime.IMimeModel): Promise<void> {
    const payload = checkChart(data[this.mimeType]);
    if (!payload.ok) {
      this.node.replaceChildren(problem(payload.problem));
      return;
    }
    const { width, height } = payload.value;
    const drawing = drawingOf(data["image/svg+xml"], width, height);
    if (drawing === null) {
      this.node.replaceChildren(
        problem(trans.__("The drawing of this chart cannot be read: it is no SVG of a chart.")),
      );
      return;
    }
    const plain = data["text/plain"];
    drawing.node.setAttribute("aria-label", typeof plain === "string" ? plain : trans.__("Chart"));
    this.node.replaceChildren(new ChartView(payload.value, drawing.node, drawing.marks.map(trackOf)).node);
  }
}

/** The drawing with what is said of a point in it. */
class ChartView {
  readonly node: HTMLElement;
  private readonly payload: ChartPayload;
  private readonly drawing: SVGSVGElement;
  private readonly tracks: readonly Track[];
  private readonly cursor = svg("g", { class: "warpcell-chart-cursor" });
  private readonly words = element("div", "warpcell-chart-reading");
  private stop: number | null = null;

  constructor(payload: ChartPayload, drawing: SVGSVGElement, tracks: readonly Track[]) {
    this.payload = payload;
    this.drawing = drawing;
    this.tracks = tracks;
    drawing.append(this.cursor, clipOf(payload, drawing));
    drawing.setAttribute("role", "img");
    drawing.setAttribute("tabindex", "0");
    // The notebook's own arrow keys would leave the cell.
    drawing.dataset["lmSuppressShortcuts"] = "true";
    this.words.setAttribute("aria-live", "polite");
    this.words.hidden = true;
    this.node = element("div", "warpcell-chart-field", drawing, this.words);
    this.node.style.minWidth = `${Math.min(payload.width, leastWidth)}px`;
    drawing.addEventListener("pointermove", (event) => this.onPointer(event));
    drawing.addEventListener("pointerleave", () => this.show(null));
    drawing.addEventListener("blur", () => this.show(null));
    drawing.addEventListener("keydown", (event) => this.onKey(event));
  }

  private onPointer(event: PointerEvent): void {
    const { left, top, width, height } = this.drawing.getBoundingClientRect();
    const place = {
      left: ((event.clientX - left) / width) * this.payload.width,
      top: ((event.clientY - top) / height) * this.payload.height,
    };
    this.stop = null;
    const { area } = this.payload;
    const isInside =
      place.left >= area.left - 8 &&
      place.left <= area.left + area.width + 8 &&
      place.top >= area.top - 8 &&
      place.top <= area.top + area.height + 8;
    this.show(isInside ? readingAt(this.payload, this.tracks, place) : null);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.drawing.blur();
      return;
    }
    const stops = stopsOf(this.tracks);
    const next = moved(this.stop, event.key, stops.length);
    if (next === null) return;
    event.preventDefault();
    this.stop = next;
    const left = stops[next]!;
    const heights = this.tracks.flatMap(({ points }) => points.filter((point) => point.left === left));
    this.show(readingAt(this.payload, this.tracks, { left, top: heights[0]?.top ?? 0 }));
  }

  private show(reading: Reading | null): void {
    this.words.hidden = reading === null;
    this.cursor.replaceChildren();
    if (reading === null) return;
    const { area, width } = this.payload;
    if (reading.left !== null)
      this.cursor.append(svg("path", { d: `M${reading.left} ${area.top}v${area.height}`, fill: "none" }));
    for (const { left, top, colour } of reading.points)
      this.cursor.append(svg("circle", { cx: left, cy: top, r: 4, fill: colour }));
    const rows = reading.lines.map(({ colour, text }) => {
      const sample = element("span", "warpcell-chart-sample");
      sample.style.background = colour;
      return element("div", "warpcell-chart-reading-line", sample, text);
    });
    const title = reading.title === "" ? [] : [element("div", "warpcell-chart-reading-title", reading.title)];
    this.words.replaceChildren(...title, ...rows);
    // On the side of the point where there is room.
    const at = reading.left ?? reading.points[0]?.left ?? area.left;
    const isRight = at > area.left + area.width / 2;
    this.words.style.insetInlineStart = isRight ? "" : `${((at + 12) / width) * 100}%`;
    this.words.style.insetInlineEnd = isRight ? `${((width - at + 12) / width) * 100}%` : "";
    this.words.style.insetBlockStart = `${(area.top / this.payload.height) * 100}%`;
  }
}

/** Clips of all charts of the page, which have one space of ids. */
let clips = 0;

/** What lies outside of the axes is not seen: for marks, which the clip is given to. */
function clipOf({ area }: ChartPayload, drawing: SVGSVGElement): SVGClipPathElement {
  const id = `warpcell-chart-clip-${++clips}`;
  drawing.querySelector(".warpcell-chart-marks")?.setAttribute("clip-path", `url(#${id})`);
  const { left, top, width, height } = area;
  return svg("clipPath", { id }, svg("rect", { x: left - 3, y: top - 3, width: width + 6, height: height + 6 }));
}

function moved(stop: number | null, key: string, count: number): number | null {
  const last = count - 1;
  if (last < 0) return null;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowRight") return stop === null ? 0 : Math.min(last, stop + 1);
  if (key === "ArrowLeft") return stop === null ? last : Math.max(0, stop - 1);
  return null;
}

function problem(sentence: string): HTMLElement {
  return element("div", "warpcell-problem", sentence);
}
