// One device in the panel of memory: its figures, curve, largest tensors, map and cells.
import { trans } from "../drawing/trans.ts";
import type { CellMemory, DeviceGauge, DeviceMemory } from "../../../kernel/mime.ts";
import { setText } from "../drawing/changed.ts";
import { formatBytes, formatShare, formatValue } from "../drawing/quantity.ts";
import type { GaugeSample } from "../gauges/history.ts";
import { element } from "../tensor-view/element.ts";
import { MemoryCurve, type Reach } from "./curve.ts";
import { cellTable, largestTensors, legend, type ListActions } from "./lists.ts";
import { MemoryMap } from "./map.ts";
import { freeText, unnamedText } from "./words.ts";

export class DeviceSection {
  readonly node: HTMLElement;
  private readonly device = element("span", "");
  private readonly name = element("span", "warpcell-quiet");
  private values: readonly HTMLElement[] = [];
  /** Which figures there are. */
  private shown = "";
  private readonly figures = element("dl", "warpcell-figures");
  private readonly curve = new MemoryCurve();
  private readonly map: MemoryMap;
  private readonly notes = element("div", "warpcell-panel-text");
  private readonly largest = element("div", "");
  private readonly legend = element("div", "");
  private readonly cells = element("div", "");
  private readonly details = element("div", "warpcell-memory-details");
  private readonly actions: ListActions;

  constructor(actions: ListActions) {
    this.actions = actions;
    this.map = new MemoryMap(actions.hues);
    const part = (title: string, ...children: HTMLElement[]) =>
      element("section", "warpcell-memory-part", element("h4", "", title), ...children);
    this.details.append(
      part(trans.__("Largest tensors"), this.largest, this.notes),
      part(trans.__("Map"), this.map.node, this.legend),
      part(trans.__("Cells"), this.cells),
    );
    const now = element("div", "warpcell-memory-now", this.figures, this.curve.node);
    this.node = element(
      "section",
      "warpcell-memory-device",
      element("h3", "", this.device, this.name),
      now,
      this.details,
    );
    this.details.hidden = true;
  }

  /** What the gauges say. */
  showGauge(gauge: DeviceGauge, samples: readonly GaugeSample[], minutes: number, reach: Reach): void {
    setText(this.device, gauge.device);
    setText(this.name, ` ${gauge.name}`);
    const figures = figuresOf(gauge);
    const shown = figures.map(([[kind]]) => kind).join();
    if (shown !== this.shown) {
      this.values = figures.map(() => element("dd", ""));
      this.figures.replaceChildren(...figures.map(([term], at) => pair(term, this.values[at]!)));
      this.shown = shown;
    }
    for (const [at, [, text]] of figures.entries()) setText(this.values[at]!, text);
    this.curve.show(samples, minutes, reach);
  }

  /** What the kernel says of the allocator. */
  showMemory(memory: DeviceMemory, cells: readonly CellMemory[]): void {
    this.details.hidden = false;
    this.largest.replaceChildren(largestTensors(memory, this.actions));
    const notes = [unnamedText(memory), freeText(memory)].filter((text) => text !== "");
    this.notes.replaceChildren(...notes.map((text) => element("p", "", `${text}.`)));
    this.map.show(memory);
    this.legend.replaceChildren(legend(memory, this.actions));
    this.cells.replaceChildren(cellTable(cells, memory.device, this.actions));
  }
}

function pair([kind, name]: readonly [kind: string, text: string], value: HTMLElement): HTMLElement {
  const key = element("span", `warpcell-key warpcell-key-${kind}`);
  key.setAttribute("aria-hidden", "true");
  return element("div", "", element("dt", "", key, name), value);
}

function figuresOf(gauge: DeviceGauge): [term: [kind: string, text: string], text: string][] {
  const { allocated, reserved, peak, memoryUsed, memoryTotal, utilization, temperature, power } = gauge;
  const figures: [[string, string], string | null][] = [
    [["allocated", trans.__("in tensors")], formatBytes(allocated)],
    [["reserved", trans.__("held for them")], formatBytes(reserved)],
    [["peak", trans.__("at most so far")], peak === undefined ? null : formatBytes(peak)],
    [["others", trans.__("in use by all")], memoryUsed === null ? null : formatBytes(memoryUsed)],
    [["none", trans.__("on the device")], memoryTotal === null ? null : formatBytes(memoryTotal)],
    [["busy", trans.__("busy")], utilization === null ? null : formatShare(utilization)],
    [["none", trans.__("temperature")], temperature === null ? null : `${formatValue(temperature, 3)} °C`],
    [["none", trans.__("power")], power === null ? null : `${formatValue(power, 3)} W`],
  ];
  return figures.filter((figure): figure is [[string, string], string] => figure[1] !== null);
}
