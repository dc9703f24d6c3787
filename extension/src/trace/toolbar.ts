// The line above a timeline: search with its count, zoom, the whole, the keys, and what there is to say of the data.
import { grouped } from "../drawing/quantity.ts";
import { element } from "../tensor-view/element.ts";
import { scopeWords } from "./scope.ts";
import { trans } from "../drawing/trans.ts";
import type { Timeline } from "./timeline.ts";

export class Toolbar {
  readonly node: HTMLElement;
  private readonly timeline: Timeline;
  private readonly search = element("input", "warpcell-search warpcell-trace-search");
  private readonly found = element("span", "warpcell-trace-found");
  private readonly previous: HTMLButtonElement;
  private readonly next: HTMLButtonElement;
  private readonly clear: HTMLButtonElement;
  private readonly help: HTMLButtonElement;
  private readonly problem = element("span", "warpcell-trace-problem-line");

  constructor(timeline: Timeline) {
    this.timeline = timeline;
    const { model } = timeline;
    this.search.type = "search";
    this.search.placeholder = trans.__("Search ( / )");
    this.search.setAttribute("aria-label", trans.__("Search slices by name or place"));
    this.search.addEventListener("input", () =>
      model.search(this.search.value === "" ? null : { text: this.search.value }),
    );
    this.search.addEventListener("keydown", (event) => this.onKey(event));
    this.found.setAttribute("role", "status");
    this.problem.setAttribute("role", "status");
    this.previous = button("‹", trans.__("Previous match (Shift N)"), () => model.stepMatch(-1));
    this.next = button("›", trans.__("Next match (N)"), () => model.stepMatch(1));
    this.clear = button("×", trans.__("End the search (Esc)"), () => model.search(null));
    this.help = button("?", trans.__("Keys (?)"), () => timeline.toggleHelp());
    const zoom = element(
      "span",
      "warpcell-trace-buttons",
      button("−", trans.__("Zoom out (S)"), () => model.zoom(1 / 0.7)),
      button("+", trans.__("Zoom in (W)"), () => model.zoom(0.7)),
      button(trans.__("Whole"), trans.__("Show the whole profile (0)"), () => model.showWhole()),
      this.help,
    );
    this.node = element(
      "div",
      "warpcell-trace-toolbar",
      this.search,
      this.found,
      element("span", "warpcell-trace-buttons", this.previous, this.next, this.clear),
      this.problem,
      zoom,
    );
    this.node.setAttribute("role", "toolbar");
    this.node.setAttribute("aria-label", trans.__("Timeline"));
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  /** Says why there is no more than an overview; nothing takes it back. */
  say(problem: string): void {
    this.problem.textContent = problem;
  }

  update(): void {
    const { matches } = this.timeline.model;
    for (const node of [this.previous, this.next, this.clear, this.found]) node.hidden = matches === null;
    this.help.setAttribute("aria-expanded", String(this.timeline.helpShown));
    const text = matches?.wanted.text ?? "";
    if (this.search.value !== text && document.activeElement !== this.search) this.search.value = text;
    const { text: scope, hint } = scopeWords[this.timeline.model.scope()]();
    const count =
      matches === null
        ? ""
        : (matches.count === 0
            ? trans.__("none")
            : trans._n("%2 slice", "%2 slices", matches.count, grouped(matches.count))) +
          (matches.wanted.text === undefined ? trans.__(" in front") : "") +
          scope;
    if (this.found.textContent !== count) this.found.textContent = count;
    this.found.title = hint;
  }

  private onKey(event: KeyboardEvent): void {
    const { timeline } = this;
    if (event.key === "Enter") timeline.model.stepMatch(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      this.search.value = "";
      timeline.model.search(null);
      timeline.focus();
    } else if (event.key === "ArrowDown") timeline.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function button(text: string, title: string, run: () => void): HTMLButtonElement {
  const node = element("button", "warpcell-button warpcell-trace-button", text);
  node.type = "button";
  node.title = title;
  node.setAttribute("aria-label", title);
  node.addEventListener("click", run);
  return node;
}
