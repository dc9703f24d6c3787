// Chooses the colour map and the range that it spans, and shows both as a bar with its ends.
import { trans } from "../drawing/trans.ts";
import type { ViewedStatistics } from "../../../kernel/mime.ts";
import { formatValue } from "../drawing/quantity.ts";
import { element } from "../tensor-view/element.ts";
import { check, choice, numberBox } from "./controls.ts";
import { gradientOf, spanOf, suitedMap, type Colouring, type MapName } from "./colouring.ts";
import type { Shown } from "./painting.ts";

type RangeName = "all" | "percentiles" | "fixed";

export class RangeControls {
  readonly nodes: readonly HTMLElement[];
  readonly legend = element("div", "warpcell-viewer-legend");
  shown: Shown = "mean";
  private readonly dtype: string;
  private readonly changed: () => void;
  private readonly map = choice<MapName | "suited">(
    trans.__("colours"),
    [
      ["suited", trans.__("automatic")],
      ["perceptual", trans.__("perceptual")],
      ["diverging", trans.__("around zero")],
      ["classes", trans.__("classes")],
    ],
    () => this.changed(),
  );
  private readonly range = choice<RangeName>(
    trans.__("range"),
    [
      ["all", trans.__("all elements")],
      ["percentiles", trans.__("1 % to 99 %")],
      ["fixed", trans.__("fixed")],
    ],
    () => this.onRange(),
  );
  private readonly log = check(trans.__("logarithmic"), () => this.changed());
  private readonly cells = choice<Shown>(
    trans.__("cells"),
    [
      ["mean", trans.__("means")],
      ["min", trans.__("least")],
      ["max", trans.__("greatest")],
    ],
    (shown) => {
      this.shown = shown;
      this.changed();
    },
  );
  private readonly low = numberBox(trans.__("Lowest value of the colours"), () => this.changed());
  private readonly high = numberBox(trans.__("Highest value of the colours"), () => this.changed());
  private known: { all: readonly [number, number]; percentiles: readonly [number, number] } | null = null;
  private readonly bar = element("span", "warpcell-viewer-bar");
  private readonly ends = [element("span", ""), element("span", "")] as const;

  constructor(dtype: string, changed: () => void) {
    this.dtype = dtype;
    this.changed = changed;
    this.low.hidden = this.high.hidden = true;
    this.nodes = [this.map.node, this.range.node, this.low, this.high, this.log.node, this.cells.node];
    this.legend.append(this.ends[0], this.bar, this.ends[1]);
  }

  /** The range of what is there, for fixed ranges to begin with. */
  learn({ min, max, low, high }: Pick<ViewedStatistics, "min" | "max" | "low" | "high">): void {
    this.known = min === null || max === null ? null : { all: [min, max], percentiles: [low ?? min, high ?? max] };
    this.changed();
  }

  get colouring(): Colouring {
    const [low, high] = this.limits;
    const map = this.map.value === "suited" ? suitedMap(this.dtype, low, high) : this.map.value;
    return { map, low, high, isLogarithmic: this.log.box.checked };
  }

  say(colouring: Colouring): void {
    const { low, high } = spanOf(colouring);
    this.bar.style.background = gradientOf(colouring);
    const [first, last] = this.dtype === "bool" ? ["false", "true"] : [formatValue(low), formatValue(high)];
    this.ends[0].textContent = first;
    this.ends[1].textContent = last;
  }

  private get limits(): readonly [number, number] {
    if (this.range.value === "fixed") {
      const [low, high] = [this.low.valueAsNumber, this.high.valueAsNumber];
      return Number.isFinite(low) && Number.isFinite(high) ? [Math.min(low, high), Math.max(low, high)] : [0, 1];
    }
    if (this.dtype === "bool") return [0, 1];
    return this.known?.[this.range.value] ?? [0, 1];
  }

  private onRange(): void {
    const isFixed = this.range.value === "fixed";
    if (isFixed && this.low.value === "" && this.known !== null)
      [this.low.value, this.high.value] = this.known.all.map(String) as [string, string];
    this.low.hidden = this.high.hidden = !isFixed;
    this.changed();
  }
}
