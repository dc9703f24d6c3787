// A roofline per device: how near each kernel comes to what the device was measured to do, and what limits it.
import { Widget } from "@lumino/widgets";
import { keepKeys } from "../drawing/own-keys.ts";
import { formatAmount, grouped, formatPart, formatRate } from "../drawing/quantity.ts";
import { shownText } from "../drawing/shown-text.ts";
import { element } from "../tensor-view/element.ts";
import type { KernelFacts } from "./payload.ts";
import type { Point, Roof } from "./roof.ts";
import { radiusOf, roofOf } from "./roof.ts";
import type { Placed, Plot } from "./roof-plot.ts";
import { drawRoof } from "./roof-plot.ts";
import type { Row } from "./rows.ts";
import { ownOf, rowsOf } from "./rows.ts";
import { trans } from "../drawing/trans.ts";
import type { Show } from "./show.ts";

/** A list of more would not be read. */
const mostListed = 20;
const mostDevices = 64;

export class Roofline extends Widget {
  private readonly figures: readonly Figure[];

  constructor(facts: KernelFacts, show: Show) {
    super();
    this.addClass("warpcell-roofline");
    const rows = rowsOf(facts);
    const { devices } = facts;
    this.figures = devices.slice(0, mostDevices).map((device) => new Figure(roofOf(device, rows), show));
    this.node.append(...this.figures.map(({ node }) => node));
    if (devices.length === 0)
      this.node.append(element("div", "warpcell-roofline-note", trans.__("This profile names no device.")));
    if (devices.length > mostDevices)
      this.node.append(
        element(
          "div",
          "warpcell-roofline-note",
          trans._n("%1 more device is not shown.", "%1 more devices are not shown.", devices.length - mostDevices),
        ),
      );
  }

  override dispose(): void {
    for (const figure of this.figures) figure.dispose();
    super.dispose();
  }
}

class Figure {
  readonly node = element("section", "warpcell-roofline-device");
  private readonly roof: Roof;
  private readonly show: Show;
  private readonly field = element("div", "warpcell-roofline-field");
  private readonly reading = element("div", "warpcell-roofline-reading");
  private readonly watch = new ResizeObserver(() => this.draw());
  private plot: Plot | null = null;
  private width = 0;
  private current = -1;

  constructor(roof: Roof, show: Show) {
    this.roof = roof;
    this.show = show;
    const { device, points } = roof;
    this.node.append(
      element(
        "div",
        "warpcell-roofline-title",
        element("b", "", shownText(device.device, 40)),
        ` ${shownText(device.name, 80)}`,
      ),
    );
    const missing = missingRates(roof);
    if (missing) this.node.append(element("div", "warpcell-roofline-note", missing));
    if (points.length > 0) {
      this.setUpField();
      this.node.append(this.field, this.reading);
    }
    this.node.append(...notesOf(roof).map((note) => element("div", "warpcell-roofline-note", note)), ...this.partial());
  }

  dispose(): void {
    this.watch.disconnect();
  }

  private setUpField(): void {
    const { points, device } = this.roof;
    this.field.tabIndex = 0;
    this.field.setAttribute("role", "application");
    this.field.setAttribute("aria-roledescription", "roofline");
    this.field.setAttribute(
      "aria-label",
      trans._n(
        "Roofline of %2: %1 kernel. Arrow keys go from the kernel that took longest to the next, Enter shows it in the timeline.",
        "Roofline of %2: %1 kernels. Arrow keys go from the kernel that took longest to the next, Enter shows it in the timeline.",
        points.length,
        shownText(device.device, 40),
      ),
    );
    keepKeys(this.field);
    this.reading.setAttribute("role", "status");
    this.field.addEventListener("keydown", (event) => this.onKey(event));
    this.field.addEventListener("pointermove", (event) => this.moveTo(this.nearest(event)));
    this.field.addEventListener("pointerleave", () => this.moveTo(-1));
    this.field.addEventListener("blur", () => this.moveTo(-1));
    this.field.addEventListener("click", () => this.choose());
    this.rest();
    this.watch.observe(this.field);
  }

  /** What stands below the picture while no dot is pointed at. */
  private rest(): void {
    this.reading.textContent = trans.__(
      "Lines are what a copy and matrix products were measured to reach here. A dot is a kernel, its area its share of the time: the nearer to its line, the better.",
    );
  }

  private draw(): void {
    const width = Math.floor(this.field.getBoundingClientRect().width);
    if (width === 0 || width === this.width) return;
    this.width = width;
    this.plot = drawRoof(this.roof, width);
    this.plot.node.setAttribute("aria-hidden", "true");
    this.field.replaceChildren(this.plot.node);
    this.mark();
  }

  private onKey(event: KeyboardEvent): void {
    const last = this.roof.points.length - 1;
    const next = {
      ArrowRight: this.current + 1,
      ArrowDown: this.current + 1,
      ArrowLeft: this.current - 1,
      ArrowUp: this.current - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === "Escape") this.moveTo(-1);
    else if (event.key === "Enter") this.choose();
    else if (next !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey)
      this.moveTo(Math.max(0, Math.min(last, next)));
    else return;
    event.preventDefault();
  }

  /** The dot under the pointer, or else the nearest within reach of a hand that is not quite still. */
  private nearest({ clientX, clientY }: PointerEvent): number {
    if (!this.plot) return -1;
    const { left, top } = this.plot.node.getBoundingClientRect();
    const distances = this.plot.placed.map(
      ({ x, y, point }) => Math.hypot(clientX - left - x, clientY - top - y) - radiusOf(point),
    );
    const least = distances.reduce((nearest, distance, index) => (distance < distances[nearest]! ? index : nearest), 0);
    return distances[least]! < 10 ? least : -1;
  }

  private moveTo(index: number): void {
    if (index === this.current) return;
    this.current = index;
    const point = this.roof.points[index];
    if (point) this.reading.replaceChildren(...sentenceOf(point));
    else this.rest();
    this.mark();
  }

  private choose(): void {
    const point = this.roof.points[this.current];
    if (point) this.show({ kernel: point.row.index });
  }

  private mark(): void {
    if (!this.plot) return;
    const at: Placed | undefined = this.plot.placed[this.current];
    this.plot.ring.setAttribute("visibility", at ? "visible" : "hidden");
    if (!at) return;
    for (const [name, value] of Object.entries({ cx: at.x, cy: at.y, r: radiusOf(at.point) + 3 }))
      this.plot.ring.setAttribute(name, String(value));
  }

  /** Kernels of which only one side is known, with how much of that side they reach. */
  private partial(): HTMLElement[] {
    const { partial } = this.roof;
    if (partial.length === 0) return [];
    const items = partial.slice(0, mostListed).map((row) => {
      const button = element(
        "button",
        "warpcell-roofline-partial",
        element("span", "warpcell-roofline-kernel", row.name),
        element("span", "warpcell-roofline-figures", figuresOf(row)),
      );
      button.type = "button";
      button.addEventListener("click", () => this.show({ kernel: row.index }));
      return element("li", "", button);
    });
    const rest = partial.length - items.length;
    return [
      element("div", "warpcell-roofline-heading", trans.__("Only bytes or only operations are known for")),
      element("ul", "warpcell-roofline-list", ...items),
      ...(rest > 0
        ? [
            element(
              "div",
              "warpcell-roofline-note",
              trans._n("%2 more is in the table.", "%2 more are in the table.", rest, grouped(rest)),
            ),
          ]
        : []),
    ];
  }
}

function missingRates({ copy, products }: Roof): string | null {
  if (copy === null && products.length === 0)
    return trans.__("No rates of this device were measured, so the picture has no ceilings.");
  if (copy === null) return trans.__("No copy was measured on this device, so the picture has no ceiling of memory.");
  return products.length === 0
    ? trans.__("No matrix product was measured on this device, so the picture has no ceiling of computing.")
    : null;
}

function notesOf({ unknown, omitted, points, partial }: Roof): string[] {
  if (points.length + partial.length + unknown === 0) return [trans.__("No kernel ran on this device.")];
  const notes: string[] = [];
  if (omitted > 0)
    notes.push(
      trans._n(
        "%2 kernel that took less time has no dot.",
        "%2 kernels that took less time have no dot.",
        omitted,
        grouped(omitted),
      ),
    );
  if (unknown > 0)
    notes.push(
      trans._n(
        "Of %2 kernel neither bytes nor operations are known. Launch with { bytes, flops } to see them here.",
        "Of %2 kernels neither bytes nor operations are known. Launch with { bytes, flops } to see them here.",
        unknown,
        grouped(unknown),
      ),
    );
  return notes;
}

function sentenceOf({ row, intensity, rate, ceiling }: Point): (Node | string)[] {
  const facts = [`${formatAmount(intensity)} FLOP/B`, formatRate(rate, "FLOP/s")];
  if (row.bandwidth !== null) facts.push(formatRate(row.bandwidth, "B/s"));
  if (ceiling)
    facts.push(
      ceiling.by === "memory"
        ? trans.__("%1 of what memory allows", formatPart(rate / ceiling.rate))
        : trans.__(
            "%1 of what %2 arithmetic allows",
            formatPart(rate / ceiling.rate),
            shownText(row.kernel.dtype ?? "", 16),
          ),
    );
  facts.push(trans.__("%1 of the time", formatPart(row.kernel.share)));
  return [element("span", "warpcell-roofline-kernel", row.name), ` ${facts.join(" · ")}`];
}

function figuresOf({ bandwidth, throughput, ofCopy, ofProduct, kernel, device }: Row): string {
  const facts: string[] = [];
  if (bandwidth)
    facts.push(formatRate(bandwidth, "B/s") + (ofCopy === null ? "" : trans.__(", %1 of a copy", formatPart(ofCopy))));
  if (throughput) {
    const isMeasured = ofProduct !== null && device !== null && ownOf(device.product, kernel.dtype ?? "") !== null;
    facts.push(
      formatRate(throughput, "FLOP/s") +
        (isMeasured ? trans.__(", %1 of a %2 product", formatPart(ofProduct), shownText(kernel.dtype!, 16)) : ""),
    );
  }
  facts.push(trans.__("%1 of the time", formatPart(kernel.share)));
  return facts.join(" · ");
}
