// Shows a reading in the status bar: a meter of the memory, the line, and all figures on hover.
import { Widget } from "@lumino/widgets";
import type { Reading } from "./reading.ts";

export class GaugeItem extends Widget {
  private readonly fill = document.createElement("span");
  private readonly line = document.createElement("span");
  private readonly meter = document.createElement("span");

  constructor() {
    super();
    this.addClass("warpcell-gauges");
    this.meter.className = "warpcell-gauges-meter";
    this.meter.setAttribute("aria-hidden", "true");
    this.meter.append(this.fill);
    this.line.className = "warpcell-gauges-line";
    this.node.append(this.meter, this.line);
  }

  display(reading: Reading): void {
    this.line.textContent = reading.text;
    this.node.title = reading.tooltip;
    this.node.dataset["busy"] = String(reading.busy);
    this.meter.hidden = reading.share === null;
    this.fill.style.width = `${(reading.share ?? 0) * 100}%`;
  }

  showProblem(sentence: string): void {
    this.display({ text: "gauges unreadable", tooltip: sentence, share: null, busy: false });
  }
}
