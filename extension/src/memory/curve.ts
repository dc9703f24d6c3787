// One device's memory over the last minutes: in tensors, held for them, the most so far, and everybody's; below it how
// busy the device was.
import { setAttribute, setText } from "../drawing/changed.ts";
import { curvePath } from "../drawing/curve-path.ts";
import { formatBytes, formatShare } from "../drawing/quantity.ts";
import { svg } from "../drawing/svg.ts";
import type { GaugeSample } from "../gauges/history.ts";
import { trans } from "../drawing/trans.ts";
import { element } from "../tensor-view/element.ts";

const box = { width: 400, height: 100 };
const strip = { width: 400, height: 24 };

/** What fits: this notebook's memory, or that of all on the device. */
export type Reach = "notebook" | "device";

/** The smallest of 1, 2 and 5 times a power of two that is not less, so that the axis ends at a round number. */
export function roundBytes(bytes: number): number {
  const power = 1024 ** Math.max(0, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)));
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1024];
  return power * (steps.find((step) => step * power >= bytes) ?? 1024);
}

export class MemoryCurve {
  readonly node: HTMLElement;
  private readonly others = svg("path", { class: "warpcell-curve-others" });
  private readonly reserved = svg("path", { class: "warpcell-curve-reserved" });
  private readonly allocated = svg("path", { class: "warpcell-curve-allocated" });
  private readonly peak = svg("path", { class: "warpcell-curve-peak" });
  private readonly busy = svg("path", { class: "warpcell-curve-busy" });
  private readonly top = element("span", "warpcell-curve-top");
  private readonly start = element("span", "");
  private readonly busyText = element("span", "warpcell-curve-now");
  private readonly picture = element("div", "warpcell-curve-box");

  constructor() {
    const frame = ({ width, height }: typeof box, ...paths: SVGElement[]) =>
      svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...paths);
    this.picture.append(frame(box, this.others, this.reserved, this.allocated, this.peak), this.top);
    this.picture.setAttribute("role", "img");
    const strips = element("div", "warpcell-curve-strip", frame(strip, this.busy), this.busyText);
    const times = element("div", "warpcell-curve-times", this.start, element("span", "", trans.__("now")));
    this.node = element("div", "warpcell-curve", this.picture, strips, times);
  }

  show(samples: readonly GaugeSample[], minutes: number, reach: Reach): void {
    // In steps of a pixel: between them nothing moves.
    const step = (minutes * 60_000) / box.width;
    const end = Math.ceil((samples.at(-1)?.time ?? Date.now()) / step) * step;
    const start = end - minutes * 60_000;
    const of = (value: (sample: GaugeSample) => number | null | undefined) =>
      samples.flatMap((sample) => {
        const found = value(sample);
        return found === null || found === undefined ? [] : [{ time: sample.time, value: found }];
      });
    const used = of(({ gauge }) => (reach === "device" ? gauge.memoryUsed : null));
    const reserved = of(({ gauge }) => gauge.reserved);
    const peak = of(({ gauge }) => gauge.peak);
    const allocated = of(({ gauge }) => gauge.allocated);
    const shown = [...used, ...reserved, ...peak].filter(({ time }) => time >= start);
    const top = roundBytes(Math.max(2 ** 20, ...shown.map(({ value }) => value)));
    const range = { start, end, top };
    setAttribute(this.others, "d", curvePath(used, range, box, true));
    setAttribute(this.reserved, "d", curvePath(reserved, range, box, true));
    setAttribute(this.allocated, "d", curvePath(allocated, range, box, true));
    setAttribute(this.peak, "d", curvePath(peak, range, box));
    const busy = of(({ gauge }) => gauge.utilization);
    setAttribute(this.busy, "d", curvePath(busy, { start, end, top: 1 }, strip, true));
    setText(this.busyText, busy.length === 0 ? "" : trans.__("busy %1", formatShare(busy.at(-1)!.value)));
    setText(this.top, formatBytes(top));
    setText(this.start, trans.__("%1 min ago", minutes));
    setAttribute(this.picture, "aria-label", labelOf(samples, minutes));
  }
}

function labelOf(samples: readonly GaugeSample[], minutes: number): string {
  const last = samples.at(-1)?.gauge;
  if (last === undefined) return trans.__("No figures yet.");
  const peak = last.peak === undefined ? "" : trans.__(", %1 at most", formatBytes(last.peak));
  return trans.__(
    "Memory over the last %1 minutes. Now %2 in tensors%3, %4 held for them.",
    minutes,
    formatBytes(last.allocated),
    peak,
    formatBytes(last.reserved),
  );
}
