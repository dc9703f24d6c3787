// What a pointer and a wheel do to a timeline.
import type { Geometry } from "./geometry.ts";
import { axisHeight, fieldOf, timeAt } from "./geometry.ts";
import type { Line } from "./layout.ts";
import { lineAt } from "./layout.ts";
import type { TimelineModel } from "./model.ts";
import type { Span } from "./span.ts";
import { lengthOf } from "./span.ts";

export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly time: number;
  readonly line: Line | null;
  readonly slice: number | null;
}

export interface PointerHooks {
  readonly model: TimelineModel;
  geometry(): Geometry;
  scrollBy(pixels: number): void;
  /** Where the pointer is; `null`: it has left. */
  pointed(spot: Spot | null): void;
}

/** CSS pixels: how far a press may move and still be a click, and how near to a slice counts as on it. */
const stillness = 4;
const reach = 3;

type Drag = {
  readonly kind: "move" | "range" | "press";
  readonly x: number;
  readonly y: number;
  readonly view: Span;
  readonly time: number;
  lastY: number;
};

/** What is at a point of the canvas. */
export function spotAt(model: TimelineModel, geometry: Geometry, x: number, y: number): Spot {
  const time = timeAt(x, model.view, geometry);
  const below = y - axisHeight + geometry.scroll;
  const line = y < axisHeight ? null : lineAt(model.layout, below);
  if (line?.kind !== "track" || x < geometry.gutter) return { x, y, time, line, slice: null };
  const { rowOfTrack } = model.slices;
  const row = Math.min(
    rowOfTrack[line.track + 1]! - 1,
    rowOfTrack[line.track]! + Math.floor((below - line.y) / line.rowHeight),
  );
  return { x, y, time, line, slice: model.slices.at(row, time, (reach * lengthOf(model.view)) / fieldOf(geometry)) };
}

export class PointerGestures {
  private readonly canvas: HTMLCanvasElement;
  private readonly hooks: PointerHooks;
  private drag: Drag | null = null;

  constructor(canvas: HTMLCanvasElement, hooks: PointerHooks) {
    this.canvas = canvas;
    this.hooks = hooks;
    canvas.addEventListener("pointerdown", (event) => this.onDown(event));
    canvas.addEventListener("pointermove", (event) => this.onMove(event));
    canvas.addEventListener("pointerup", (event) => this.onUp(event));
    canvas.addEventListener("pointercancel", () => this.end());
    canvas.addEventListener("pointerleave", () => this.drag ?? hooks.pointed(null));
    canvas.addEventListener("dblclick", () => hooks.model.focus());
    // A wheel that zooms must not scroll the page as well.
    canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
  }

  private spot(event: MouseEvent): Spot {
    const { left, top } = this.canvas.getBoundingClientRect();
    return spotAt(this.hooks.model, this.hooks.geometry(), event.clientX - left, event.clientY - top);
  }

  private onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    const { x, y, time } = this.spot(event);
    const { gutter } = this.hooks.geometry();
    const kind = x < gutter ? "press" : event.shiftKey || y < axisHeight ? "range" : "move";
    this.drag = { kind, x, y, time, view: this.hooks.model.view, lastY: event.clientY };
    this.canvas.setPointerCapture(event.pointerId);
  }

  private onMove(event: PointerEvent): void {
    const spot = this.spot(event);
    if (!this.drag) return this.hooks.pointed(spot);
    if (!this.isMoved(spot)) return;
    const { model } = this.hooks;
    const { kind, x, view, time } = this.drag;
    if (kind === "range") model.selectRange({ start: Math.min(time, spot.time), end: Math.max(time, spot.time) });
    if (kind !== "move") return;
    this.hooks.pointed(null);
    this.canvas.classList.add("warpcell-trace-moving");
    const by = ((x - spot.x) / fieldOf(this.hooks.geometry())) * lengthOf(view);
    model.show({ start: view.start + by, end: view.end + by });
    // Fingers scroll by themselves.
    if (event.pointerType !== "touch") this.hooks.scrollBy(this.drag.lastY - event.clientY);
    this.drag.lastY = event.clientY;
  }

  private isMoved({ x, y }: Spot): boolean {
    return this.drag !== null && Math.hypot(x - this.drag.x, y - this.drag.y) > stillness;
  }

  private onUp(event: PointerEvent): void {
    const spot = this.spot(event);
    if (this.drag && !this.isMoved(spot)) this.click(spot);
    this.end();
  }

  private click({ line, slice }: Spot): void {
    const { model } = this.hooks;
    if (line?.kind === "heading") return model.toggle(line.group);
    if (slice !== null) return model.select(slice);
    model.selectRange(null);
    model.select(null);
  }

  private end(): void {
    this.drag = null;
    this.canvas.classList.remove("warpcell-trace-moving");
  }

  private onWheel(event: WheelEvent): void {
    const { model } = this.hooks;
    const pixels =
      event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 400 : 1;
    // A pinch on a touchpad comes as a wheel with Control.
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const by = Math.min(240, Math.max(-240, event.deltaY * pixels));
      return model.zoom(Math.exp(by * (Math.abs(event.deltaY) < 40 ? 0.01 : 0.0025)), this.spot(event).time);
    }
    const across = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (Math.abs(across) <= Math.abs(event.deltaY) && !event.shiftKey) return;
    event.preventDefault();
    model.pan((across * pixels) / fieldOf(this.hooks.geometry()));
  }
}
