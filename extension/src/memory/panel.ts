// The panel of memory: for each device of the notebook in front what it holds, now and over the last minutes, and what can
// be given back.
import type { Kernel } from "@jupyterlab/services";
import { Widget } from "@lumino/widgets";
import type { ReleaseRequest } from "../../../kernel/mime.ts";
import { setText } from "../drawing/changed.ts";
import { formatBytes } from "../drawing/quantity.ts";
import { GaugeHistory } from "../gauges/history.ts";
import { goToPlace } from "../kernel-link/cell-places.ts";
import type { NotebookInFront } from "../kernel-link/notebook-in-front.ts";
import { element } from "../tensor-view/element.ts";
import { CellHues } from "./cell-colours.ts";
import type { Reach } from "./curve.ts";
import { DeviceSection } from "./device-section.ts";
import type { ListActions } from "./lists.ts";
import { trans } from "../drawing/trans.ts";
import { MemorySource } from "./payload.ts";

const noNotebook = () => trans.__("Open a notebook of the kernel TypeScript + CUDA to see its memory.");
const noFigures = () => trans.__("Waiting for the kernel's figures.");

/** While a cell runs, what it allocates is looked for so often, in ms. */
const runningInterval = 1000;

export class MemoryPanel extends Widget {
  /** How far back curves go. */
  minutes = 5;
  private readonly front: NotebookInFront;
  private readonly source: MemorySource;
  private readonly note = element("div", "warpcell-panel-note");
  private readonly said = element("span", "warpcell-panel-said");
  private readonly reach = element("input", "");
  private readonly devices = element("div", "warpcell-panel-scroll");
  private readonly sections = new Map<string, DeviceSection>();
  private readonly actions: ListActions;
  private readonly buttons: HTMLButtonElement[];
  private history: GaugeHistory | null = null;
  private end: () => void = () => undefined;
  private asking = false;
  private isDue = false;
  private asked = 0;

  constructor(front: NotebookInFront) {
    super();
    this.id = "warpcell-memory";
    this.addClass("warpcell-panel");
    this.addClass("warpcell-memory");
    this.front = front;
    this.source = new MemorySource(front);
    const goTo: ListActions["goTo"] = (place) => front.panel && goToPlace(front.panel.content, place);
    this.actions = { hues: new CellHues(), goTo };
    this.buttons = [
      this.button(trans.__("Collect"), "collect", trans.__("Free what no variable leads to any more")),
      this.button(trans.__("Trim"), "trim", trans.__("Give memory that no tensor uses back to the devices")),
    ];
    this.reach.type = "checkbox";
    this.reach.addEventListener("change", () => this.draw());
    const all = element("label", "warpcell-panel-check", this.reach, trans.__("whole device"));
    all.title = trans.__("Draw what all programs have on the device, too");
    this.note.setAttribute("role", "status");
    this.said.setAttribute("role", "status");
    this.node.append(
      element("div", "warpcell-panel-toolbar", ...this.buttons, all, this.said),
      this.note,
      this.devices,
    );
    front.changed.connect(this.onChanged, this);
    front.ran.connect((_, isBusy) => {
      if (!isBusy) void this.refresh();
    });
    this.onChanged();
  }

  /** Draws what is known. */
  draw(): void {
    if (!this.isVisible) return;
    const report = this.history?.last ?? null;
    const devices = report?.ok ? report.value.devices : [];
    for (const button of this.buttons) button.disabled = devices.length === 0;
    this.note.hidden = devices.length > 0;
    setText(
      this.note,
      this.front.kernel === null ? noNotebook() : report !== null && !report.ok ? report.problem : noFigures(),
    );
    const reach: Reach = this.reach.checked ? "device" : "notebook";
    for (const gauge of devices) {
      const samples = this.history!.samples.get(gauge.device) ?? [];
      this.section(gauge.device).showGauge(gauge, samples, this.minutes, reach);
    }
  }

  protected override onAfterShow(): void {
    this.draw();
    void this.refresh();
  }

  protected override onAfterHide(): void {
    this.source.close();
  }

  private button(text: string, release: ReleaseRequest["release"], title: string): HTMLButtonElement {
    const button = element("button", "warpcell-button", text);
    button.type = "button";
    button.title = title;
    button.addEventListener("click", () => void this.release(release));
    return button;
  }

  private async release(what: ReleaseRequest["release"]): Promise<void> {
    const answer = await this.source.release(what);
    const done = (bytes: string) =>
      what === "collect" ? trans.__("%1 freed.", bytes) : trans.__("%1 given back.", bytes);
    this.said.textContent = answer.ok ? done(formatBytes(answer.value)) : answer.problem;
    void this.refresh();
  }

  private section(device: string): DeviceSection {
    const known = this.sections.get(device);
    if (known !== undefined) return known;
    const section = new DeviceSection(this.actions);
    this.sections.set(device, section);
    this.devices.append(section.node);
    return section;
  }

  private onChanged(): void {
    this.end();
    for (const { node } of this.sections.values()) node.remove();
    this.sections.clear();
    this.said.textContent = "";
    this.source.close();
    const { kernel } = this.front;
    this.history = kernel && GaugeHistory.of(kernel);
    this.end = this.history?.use(() => this.onGauges()) ?? (() => undefined);
    this.draw();
    void this.refresh();
  }

  private onGauges(): void {
    this.draw();
    if (this.front.isBusy && Date.now() - this.asked >= runningInterval) void this.refresh();
  }

  /** One question at a time; what was asked meanwhile is asked once more. */
  private async refresh(): Promise<void> {
    if (!this.isVisible || this.isDisposed || this.front.kernel === null) return;
    this.isDue = true;
    if (this.asking) return;
    this.asking = true;
    while (this.isDue) {
      this.isDue = false;
      const kernel: Kernel.IKernelConnection | null = this.front.kernel;
      this.asked = Date.now();
      const answer = await this.source.ask();
      if (kernel !== this.front.kernel) continue;
      if (!answer.ok) this.said.textContent = answer.problem;
      else
        for (const memory of answer.value.devices) this.section(memory.device).showMemory(memory, answer.value.cells);
    }
    this.asking = false;
  }
}
