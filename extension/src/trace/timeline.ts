// A timeline on the page: its canvas, toolbar, details and keys over one model, drawn when it is seen and something has
// changed.
import { trans } from "../drawing/trans.ts";
import { keepKeys, leaveToCell } from "../drawing/own-keys.ts";
import type { TracePlace } from "../../../kernel/mime.ts";
import type { Colour } from "../drawing/oklch.ts";
import { formatBytes, grouped, formatPoint, formatTime } from "../drawing/quantity.ts";
import { element } from "../tensor-view/element.ts";
import { sliceNodes, sumNodes } from "./details-view.ts";
import { detailsOf, sentenceOf } from "./details.ts";
import { Frame } from "./frame.ts";
import type { Geometry } from "./geometry.ts";
import { axisHeight, fieldOf, gutterOf } from "./geometry.ts";
import { helpNode } from "./help.ts";
import type { KeyActions } from "./keys.ts";
import { keyFor } from "./keys.ts";
import { TimelineModel } from "./model.ts";
import type { Trace } from "./payload.ts";
import type { Spot } from "./pointer.ts";
import { PointerGestures } from "./pointer.ts";
import { scopeWords } from "./scope.ts";
import { lengthOf } from "./span.ts";
import type { Theme } from "./theme.ts";
import { readTheme } from "./theme.ts";
import { Toolbar } from "./toolbar.ts";
import type { AskWindow } from "./window-feed.ts";
import { WindowFeed } from "./window-feed.ts";

/** What a timeline has around it; `null` where there is none. */
export interface Surroundings {
  readonly ask: AskWindow | null;
  readonly links: { light(place: TracePlace | null): void; goTo(place: TracePlace): void } | null;
}

/** CSS pixels: an output is as high as its lines, up to this. */
const mostHeight = 440;
const leastHeight = 120;

export class Timeline implements KeyActions {
  readonly node: HTMLElement;
  readonly model: TimelineModel;
  private readonly trace: Trace;
  private readonly surroundings: Surroundings;
  private readonly canvas = element("canvas", "warpcell-trace-canvas");
  private readonly ground: HTMLElement;
  private readonly scroller: HTMLElement;
  private readonly tip = element("div", "warpcell-trace-tip");
  private readonly details = element("div", "warpcell-trace-details");
  private readonly colours = (name: number): Colour => this.themeNow().palette.colours[name]!;
  private readonly announcer = element("div", "warpcell-trace-announcer");
  private readonly help = helpNode();
  private readonly toolbar: Toolbar;
  private readonly frame: Frame;
  private readonly feed: WindowFeed | null;
  private readonly watches: { disconnect(): void }[];
  private theme: Theme | null = null;
  /** The names that the theme's colours know to be no work. */
  private coloured: Uint8Array | null = null;
  private geometry: Geometry = { width: 0, height: 0, ratio: 1, scroll: 0, gutter: 0 };
  private seen = false;
  private requested = 0;
  private shown: unknown[] = [];
  private said: unknown = null;
  private fed: unknown = null;

  constructor(trace: Trace, surroundings: Surroundings) {
    this.trace = trace;
    this.surroundings = surroundings;
    this.model = new TimelineModel(trace);
    this.frame = new Frame(this.canvas, this.model);
    this.toolbar = new Toolbar(this);
    this.ground = element("div", "warpcell-trace-ground", this.canvas);
    this.scroller = element("div", "warpcell-trace-scroller", this.ground);
    this.tip.hidden = this.help.hidden = true;
    const field = element("div", "warpcell-trace-field", this.scroller, this.tip);
    this.node = element(
      "div",
      "warpcell-trace-timeline",
      this.toolbar.node,
      field,
      this.details,
      this.help,
      this.announcer,
    );
    const { id, complete } = trace.payload;
    this.feed =
      complete || id === undefined || surroundings.ask === null
        ? null
        : new WindowFeed(
            this.model,
            id,
            surroundings.ask,
            () => fieldOf(this.geometry) * this.geometry.ratio,
            (problem) => this.toolbar.say(problem),
          );
    this.setUpCanvas();
    this.watches = this.watch();
    this.model.onChange(() => this.onChange());
    this.update();
  }

  dispose(): void {
    for (const watch of this.watches) watch.disconnect();
    if (this.requested !== 0) cancelAnimationFrame(this.requested);
    this.feed?.dispose();
    this.surroundings.links?.light(null);
  }

  focus(): void {
    this.canvas.focus({ preventScroll: true });
  }

  private setUpCanvas(): void {
    const { title, count, duration } = this.trace.payload;
    this.scroller.style.height = `${Math.min(mostHeight, Math.max(leastHeight, this.model.layout.height + axisHeight))}px`;
    this.canvas.tabIndex = 0;
    // Keys mean here what the list of keys says: a reader of the screen passes them on.
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "timeline");
    this.canvas.setAttribute(
      "aria-label",
      trans.__(
        "Timeline of %1: %2 in %3. Arrow keys go from slice to slice; the question mark lists all keys.",
        title,
        trans._n("%2 slice", "%2 slices", count, grouped(count)),
        formatTime(duration),
      ),
    );
    this.announcer.setAttribute("aria-live", "polite");
    // The notebook's own keys would leave the cell.
    keepKeys(this.node);
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    new PointerGestures(this.canvas, {
      model: this.model,
      geometry: () => this.geometry,
      scrollBy: (pixels) => (this.scroller.scrollTop += pixels),
      pointed: (spot) => this.point(spot),
    });
    this.scroller.addEventListener("scroll", () => this.draw());
  }

  private watch(): { disconnect(): void }[] {
    const sizes = new ResizeObserver(() => this.draw());
    sizes.observe(this.scroller);
    const sight = new IntersectionObserver((entries) => {
      this.seen = entries.at(-1)!.isIntersecting;
      this.draw();
    });
    sight.observe(this.scroller);
    const themes = new MutationObserver(() => this.forgetTheme());
    themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-name", "data-jp-theme-light"] });
    const onResize = (): void => this.draw();
    window.addEventListener("resize", onResize);
    return [sizes, sight, themes, { disconnect: () => window.removeEventListener("resize", onResize) }];
  }

  private forgetTheme(): void {
    this.theme = null;
    this.shown = [];
    this.update();
    this.draw();
  }

  private themeNow(): Theme {
    if (this.coloured !== this.model.quiet) this.theme = null;
    this.coloured = this.model.quiet;
    return (this.theme ??= readTheme(this.node, this.trace.payload.names, this.model.quiet));
  }

  // Drawing

  private onChange(): void {
    this.update();
    this.draw();
    if (this.model.view === this.fed) return;
    this.fed = this.model.view;
    this.feed?.consider();
  }

  /** At most once a frame, and not while nobody can see it. */
  private draw(): void {
    if (!this.seen || this.requested !== 0) return;
    this.requested = requestAnimationFrame(() => {
      this.requested = 0;
      if (this.node.isConnected) this.drawNow();
    });
  }

  private drawNow(): void {
    const { clientWidth: width, clientHeight: height, scrollTop: scroll } = this.scroller;
    // JupyterLab hides the page for a moment when its theme has changed, which no observer sees.
    if (width === 0 || height === 0) return this.draw();
    const ratio = window.devicePixelRatio;
    this.geometry = { width, height, ratio, scroll, gutter: gutterOf(width) };
    this.ground.style.height = `${Math.max(height, this.model.layout.height + axisHeight)}px`;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    this.frame.draw(this.geometry, this.themeNow());
  }

  // Words

  /** Brings the text around the canvas to what is chosen. */
  private update(): void {
    const { model } = this;
    this.toolbar.update();
    const shown = [model.selected, model.range, model.slices];
    if (shown.length === this.shown.length && shown.every((part, index) => part === this.shown[index])) return;
    this.shown = shown;
    this.details.replaceChildren(...this.detailNodes());
    this.announce();
    this.light();
    if (model.selected !== null) this.scrollTo(model.selected);
  }

  private detailNodes(): (HTMLElement | string)[] {
    const { model } = this;
    const { names, tracks } = this.trace.payload;
    const sums = model.sums();
    if (sums)
      return sumNodes(
        sums,
        scopeWords[model.scope(sums.span)](),
        names,
        tracks.map(({ name }) => name),
        this.colours,
      );
    if (model.selected === null)
      return [
        element(
          "span",
          "warpcell-trace-hint",
          trans.__("Click a slice, or drag with Shift over a span of time. Ctrl and wheel zoom, ? lists the keys."),
        ),
      ];
    const details = detailsOf(model, model.selected);
    return sliceNodes(details, this.colours, {
      goToLine: details.place && this.surroundings.links ? () => this.goToLine() : null,
      toCause: () => this.thenFocus(() => model.selectCause()),
      toEffect: () => this.thenFocus(() => model.selectEffect()),
    });
  }

  /** A link that was clicked is replaced: the keys go on in the canvas. */
  private thenFocus(act: () => void): void {
    act();
    this.focus();
  }

  private announce(): void {
    const { model } = this;
    const sums = model.sums();
    const sentence = sums
      ? trans.__(
          "%1 chosen, %2",
          formatTime(lengthOf(sums.span)),
          trans._n("%2 slice", "%2 slices", sums.count, grouped(sums.count)),
        ) + scopeWords[model.scope(sums.span)]().text
      : model.selected === null
        ? ""
        : sentenceOf(detailsOf(model, model.selected));
    if (sentence === this.said) return;
    this.said = sentence;
    this.announcer.textContent = sentence;
  }

  /** The cell and line of the slice under the pointer, else of the chosen one. */
  private light(): void {
    const index = this.model.hovered ?? this.model.selected;
    this.surroundings.links?.light(index === null ? null : this.placeOf(index));
  }

  private placeOf(index: number): TracePlace | null {
    const place = this.model.slices.columns.place[index]!;
    return place === 0 ? null : this.trace.payload.places[place - 1]!;
  }

  private point(spot: Spot | null): void {
    const before = this.model.hovered;
    this.model.pointed = spot?.time ?? null;
    this.model.hover(spot?.slice ?? null);
    if (this.model.hovered !== before) this.light();
    const nodes = spot ? this.tipNodes(spot) : [];
    this.tip.hidden = nodes.length === 0;
    this.canvas.style.cursor = spot?.line?.kind === "heading" || (spot?.slice ?? null) !== null ? "pointer" : "";
    if (!spot || nodes.length === 0) return;
    this.tip.replaceChildren(...nodes);
    // Beside the pointer, and never outside the timeline.
    const { offsetWidth, offsetHeight } = this.tip;
    const left =
      spot.x + 14 + offsetWidth <= this.geometry.width ? spot.x + 14 : Math.max(0, spot.x - 10 - offsetWidth);
    const below = this.geometry.height + this.details.offsetHeight;
    const top = spot.y + 16 + offsetHeight <= below ? spot.y + 16 : Math.max(0, spot.y - 10 - offsetHeight);
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  private tipNodes({ line, slice, time, x }: Spot): (HTMLElement | string)[] {
    const { model, geometry } = this;
    if (slice !== null) return sliceNodes(detailsOf(model, slice), this.colours, null);
    if (line?.kind === "track" && x < geometry.gutter) return [this.trace.payload.tracks[line.track]!.name];
    if (line?.kind !== "counter") return [];
    const areas = model.counters[line.counter]!;
    const value = areas.valueAt(time);
    const now =
      value === null ? "" : trans.__("%1 at %2", formatBytes(value), formatPoint(time, lengthOf(model.view) / 1000));
    return [
      element("div", "warpcell-trace-head", element("strong", "", areas.counter.name)),
      `${now}${now && ", "}at most ${formatBytes(areas.most)}`,
    ];
  }

  private scrollTo(index: number): void {
    const { y, height } = this.model.placeOf(index);
    const room = this.scroller.clientHeight - axisHeight;
    if (room <= 0) return;
    if (y < this.scroller.scrollTop) this.scroller.scrollTop = y;
    else if (y + height > this.scroller.scrollTop + room) this.scroller.scrollTop = y + height - room;
  }

  // Keys

  private onKey(event: KeyboardEvent): void {
    const key = keyFor(event);
    if (!key) return;
    event.preventDefault();
    event.stopPropagation();
    key.run(this);
  }

  openSearch(): void {
    this.toolbar.focusSearch();
  }

  toggleHelp(): void {
    this.help.hidden = !this.help.hidden;
    if (!this.help.hidden) this.help.scrollIntoView({ block: "nearest" });
    this.toolbar.update();
  }

  get helpShown(): boolean {
    return !this.help.hidden;
  }

  goToLine(): void {
    const { selected } = this.model;
    const place = selected === null ? null : this.placeOf(selected);
    if (place) this.surroundings.links?.goTo(place);
  }

  scroll(share: number): void {
    this.scroller.scrollTop += share * this.scroller.clientHeight;
  }

  leave(): void {
    leaveToCell(this.canvas);
  }
}
