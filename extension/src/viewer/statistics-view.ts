// What is said of all elements: figures, and a histogram of the finite ones.
import { trans } from "../drawing/trans.ts";
import type { ViewedStatistics } from "../../../kernel/mime.ts";
import { formatValue } from "../drawing/quantity.ts";
import { svg } from "../drawing/svg.ts";
import { element } from "../tensor-view/element.ts";

const [width, height] = [256, 48];

export class StatisticsView {
  readonly node = element("div", "warpcell-viewer-statistics");

  show({ min, max, mean, deviation, nan, inf, low, high, histogram }: ViewedStatistics): void {
    const said = (value: number | null) => (value === null ? "–" : formatValue(value));
    const figures: [string, string][] = [
      ["min", said(min)],
      ["max", said(max)],
      ["mean", said(mean)],
      ["std", said(deviation)],
      ["1 %", said(low)],
      ["99 %", said(high)],
      ["NaN", nan.toLocaleString("en-US")],
      ["±∞", inf.toLocaleString("en-US")],
    ];
    const list = element(
      "dl",
      "warpcell-viewer-figures",
      ...figures.map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value))),
    );
    this.node.replaceChildren(list, ...(histogram.length > 0 ? [this.histogram(histogram, said(min), said(max))] : []));
  }

  private histogram(counts: readonly number[], least: string, most: string): HTMLElement {
    const highest = counts.reduce((top, count) => Math.max(top, count), 1);
    const bars = counts.map((count, at) => {
      const tall = count === 0 ? 0 : Math.max(1, (count / highest) * height);
      return `M${(at * width) / counts.length} ${height}v${-tall}h${width / counts.length}v${tall}z`;
    });
    const picture = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": trans.__("Histogram of the finite elements from %1 to %2", least, most),
    });
    picture.append(svg("path", { d: bars.join("") }));
    const ends = element("div", "warpcell-viewer-ends", element("span", "", least), element("span", "", most));
    return element("div", "warpcell-viewer-histogram", picture, ends);
  }
}
