// Shows a reading in the status bar: a meter of the memory, a curve of the last minute, and the line; all figures on
// hover and focus. It is a button, which opens the panel of memory where there is one.
import { trans } from "../drawing/trans.ts";
import { Widget } from "@lumino/widgets";
import { setAttribute, setText } from "../drawing/changed.ts";
import { curvePath } from "../drawing/curve-path.ts";
import { svg } from "../drawing/svg.ts";
import type { GaugeSample } from "./history.ts";
import type { Reading } from "./reading.ts";

const sparkline = { width: 48, height: 14 };
/** The curve is of so long, in ms. */
const sparkTime = 60_000;

/** To what is seen of a meter of some 30 pixels. */
const percentOf = (share = 0): string => `${(share * 100).toFixed(1)}%`;

export class GaugeItem extends Widget {
  private readonly button = document.createElement("button");
  private readonly mine = document.createElement("span");
  private readonly all = document.createElement("span");
  private readonly line = document.createElement("span");
  private readonly meter = document.createElement("span");
  private readonly curve = svg("path", { class: "warpcell-gauges-curve" });
  private readonly spark = svg(
    "svg",
    {
      class: "warpcell-gauges-spark",
      viewBox: `0 0 ${sparkline.width} ${sparkline.height}`,
      "aria-hidden": "true",
      ...sparkline,
    },
    this.curve,
  );

  constructor(open: () => void) {
    super();
    this.addClass("warpcell-gauges");
    this.meter.className = "warpcell-gauges-meter";
    this.meter.setAttribute("aria-hidden", "true");
    this.all.className = "warpcell-gauges-all";
    this.mine.className = "warpcell-gauges-mine";
    this.meter.append(this.all, this.mine);
    this.line.className = "warpcell-gauges-line";
    this.button.type = "button";
    this.button.className = "warpcell-gauges-button";
    this.button.append(this.meter, this.spark, this.line);
    this.button.addEventListener("click", open);
    this.node.append(this.button);
  }

  set hasCurve(hasCurve: boolean) {
    this.spark.style.display = hasCurve ? "" : "none";
  }

  display(reading: Reading, samples: readonly GaugeSample[]): void {
    setText(this.line, reading.text);
    setAttribute(this.node, "title", reading.tooltip);
    setAttribute(this.button, "aria-label", trans.__("Memory: %1", reading.text));
    setAttribute(this.button, "aria-description", reading.tooltip);
    setAttribute(this.node, "data-busy", String(reading.busy));
    this.meter.hidden = reading.share === null;
    this.mine.style.width = percentOf(reading.share?.mine);
    this.all.style.width = percentOf(reading.share?.all);
    this.draw(samples);
  }

  showProblem(sentence: string): void {
    this.display({ text: trans.__("gauges unreadable"), tooltip: sentence, share: null, busy: false }, []);
  }

  /** Bytes in tensors, up to the most of the minute. */
  private draw(samples: readonly GaugeSample[]): void {
    const end = samples.at(-1)?.time ?? 0;
    const points = samples.map(({ time, gauge }) => ({ time, value: gauge.allocated }));
    const top = points.reduce((most, { time, value }) => (time >= end - sparkTime ? Math.max(most, value) : most), 0);
    setAttribute(this.curve, "d", curvePath(points, { start: end - sparkTime, end, top }, sparkline, true));
  }
}
