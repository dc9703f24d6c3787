// Shows a profile: its title, the timeline and the other views of it as tabs, and what a reader must know of the data.
import { Panel, Widget } from "@lumino/widgets";
import { keepKeys } from "../drawing/own-keys.ts";
import type { TracePayload } from "../../../kernel/mime.ts";
import type { Show, Target } from "../kernels/show.ts";
import { grouped, formatTime } from "../drawing/quantity.ts";
import { element } from "../tensor-view/element.ts";
import type { CellLinks } from "./cell-links.ts";
import { cellTimesOf } from "./cell-times.ts";
import type { Trace } from "./payload.ts";
import { Timeline } from "./timeline.ts";
import { trans } from "../drawing/trans.ts";
import type { AskWindow } from "./window-feed.ts";

/** A view of a profile beside the timeline. */
export interface PanelKind {
  readonly title: string;
  /** `show`: puts something of the profile in front in the timeline. */
  make(payload: TracePayload, show: Show): Widget;
}

export interface TraceSurroundings {
  readonly panels: readonly PanelKind[];
  readonly ask: AskWindow | null;
  readonly links: CellLinks | null;
  /** Opens the profile in a tab of its own; `null` where it is in one. */
  readonly enlarge: (() => void) | null;
  /** Saves the profile as a file; `null` where the output has not all of it. */
  readonly save: (() => void) | null;
  /** Offers to open it in Perfetto; `null` as above. */
  readonly perfetto: (() => void) | null;
}

let views = 0;

export class TraceView extends Panel {
  readonly timeline: Timeline;
  private readonly trace: Trace;
  private readonly panels: readonly PanelKind[];
  private readonly made: (Widget | null)[];
  private readonly tabs: HTMLButtonElement[];
  private readonly takeBadges: (() => void) | null;

  constructor(trace: Trace, { panels, ask, links, enlarge, save, perfetto }: TraceSurroundings) {
    super();
    this.addClass("warpcell-trace-view");
    const { payload } = trace;
    this.trace = trace;
    this.panels = panels;
    this.timeline = new Timeline(trace, { ask, links });
    const timeline = new Widget({ node: this.timeline.node });
    this.made = [timeline, ...panels.map(() => null)];
    const name = `warpcell-trace-${views++}`;
    this.tabs = [trans.__("Timeline"), ...panels.map(({ title }) => title)].map((title, index) =>
      this.tab(title, index, name),
    );
    this.addWidget(new Widget({ node: head(payload, this.tabs, { enlarge, save, perfetto }) }));
    this.addWidget(timeline);
    this.identify(timeline, 0);
    if (payload.notes.length > 0)
      this.addWidget(
        new Widget({
          node: element("ul", "warpcell-trace-notes", ...payload.notes.map((note) => element("li", "", note))),
        }),
      );
    const cells = cellTimesOf(this.timeline.model.overview, payload.places, payload.tracks);
    this.takeBadges = links === null ? null : links.add({ cells, show: (places) => this.showPlaces(places) });
    this.choose(0);
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.takeBadges?.();
    this.timeline.dispose();
    super.dispose();
  }

  /** Puts something of the profile in front in the timeline. */
  reveal(target: Target): void {
    this.choose(0);
    this.timeline.model.reveal(target);
  }

  private showPlaces(places: readonly number[]): void {
    this.reveal({ places });
    this.node.scrollIntoView({ block: "nearest" });
    this.timeline.focus();
  }

  private tab(title: string, index: number, name: string): HTMLButtonElement {
    const tab = element("button", "warpcell-tab", title);
    tab.type = "button";
    tab.id = `${name}-${index}`;
    tab.setAttribute("role", "tab");
    tab.addEventListener("click", () => this.choose(index));
    tab.addEventListener("keydown", (event) => {
      const steps: Record<string, number> = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 };
      const step = steps[event.key];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      const next = (step + this.tabs.length) % this.tabs.length;
      this.choose(next);
      this.tabs[next]!.focus();
    });
    return tab;
  }

  /** A view is made when it is first chosen. */
  private choose(chosen: number): void {
    if (!this.made[chosen]) {
      const made = this.panels[chosen - 1]!.make(this.trace.payload, (target) => this.reveal(target));
      this.made[chosen] = made;
      this.identify(made, chosen);
      this.insertWidget(this.widgets.indexOf(this.made[0]!) + 1, made);
    }
    this.made.forEach((widget, index) => widget?.setHidden(index !== chosen));
    this.tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(index === chosen));
      tab.tabIndex = index === chosen ? 0 : -1;
    });
  }

  private identify({ node }: Widget, index: number): void {
    const tab = this.tabs[index]!;
    node.id = `${tab.id}-panel`;
    node.setAttribute("role", "tabpanel");
    node.setAttribute("aria-labelledby", tab.id);
    tab.setAttribute("aria-controls", node.id);
  }
}

function head(
  { title, duration, count, complete, devices }: TracePayload,
  tabs: readonly HTMLElement[],
  { enlarge, save, perfetto }: Pick<TraceSurroundings, "enlarge" | "save" | "perfetto">,
): HTMLElement {
  const list = element("div", "warpcell-trace-tabs", ...tabs);
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", trans.__("Views of the profile"));
  // One tab is none.
  list.hidden = tabs.length < 2;
  keepKeys(list);
  const facts = [
    formatTime(duration),
    trans._n("%2 slice", "%2 slices", count, grouped(count)) + (complete ? "" : trans.__(", overview")),
    devices.map(({ device }) => device).join(", "),
  ];
  const words = element(
    "div",
    "warpcell-trace-title",
    element("strong", "", title),
    ...facts.filter(Boolean).map((fact) => element("span", "", fact)),
  );
  const node = element("div", "warpcell-trace-bar", words, list);
  const buttons = [
    button(trans.__("Save"), trans.__("Save the profile as a file, for Compare and Profile.load"), save),
    button(trans.__("Perfetto…"), trans.__("Open the profile in Perfetto, in a new tab; asks first"), perfetto),
    button(trans.__("Enlarge"), trans.__("Open the profile in a tab of its own"), enlarge),
  ];
  node.append(element("span", "warpcell-trace-whole", ...buttons.flat()));
  return node;
}

function button(text: string, title: string, run: (() => void) | null): HTMLElement[] {
  if (run === null) return [];
  const node = element("button", "warpcell-button warpcell-trace-button", text);
  node.type = "button";
  node.title = title;
  node.addEventListener("click", run);
  return [node];
}
