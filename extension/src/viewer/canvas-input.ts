// What pointer, wheel and keys do on the viewer's canvas.
import type { FoundKind } from "../../../kernel/mime.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface CanvasActions {
  /** Without a point about the cursor. */
  zoom(factor: number, point?: Point): void;
  pan(x: number, y: number): void;
  /** The cursor to a neighbour. */
  step(across: number, down: number): void;
  showWhole(): void;
  jump(kind: FoundKind): void;
  refresh(): void;
  /** The pointer is here. */
  point(at: Point): void;
}

export const zoomStep = 1.5;
const panStep = 48;
const wheelPixels = 300;

const directions: Readonly<Record<string, readonly [across: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

const keys: Readonly<Record<string, (actions: CanvasActions) => void>> = {
  "+": (actions) => actions.zoom(zoomStep),
  "=": (actions) => actions.zoom(zoomStep),
  "-": (actions) => actions.zoom(1 / zoomStep),
  "0": (actions) => actions.showWhole(),
  n: (actions) => actions.jump("nan"),
  i: (actions) => actions.jump("infinity"),
  r: (actions) => actions.refresh(),
};

export function listen(canvas: HTMLCanvasElement, actions: CanvasActions): void {
  canvas.addEventListener("keydown", (event) => onKey(event, actions));
  canvas.addEventListener("wheel", (event) => onWheel(event, actions), { passive: false });
  let dragged: Point | null = null;
  canvas.addEventListener("pointerdown", ({ clientX: x, clientY: y, pointerId }) => {
    dragged = { x, y };
    canvas.setPointerCapture(pointerId);
  });
  canvas.addEventListener("pointermove", ({ clientX: x, clientY: y, offsetX, offsetY }) => {
    if (dragged !== null) {
      actions.pan(x - dragged.x, y - dragged.y);
      dragged = { x, y };
    }
    actions.point({ x: offsetX, y: offsetY });
  });
  for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, () => (dragged = null));
}

function onWheel(event: WheelEvent, actions: CanvasActions): void {
  event.preventDefault();
  const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
  const at = { x: event.offsetX, y: event.offsetY };
  actions.zoom(Math.exp(-pixels / wheelPixels), at);
  actions.point(at);
}

function onKey(event: KeyboardEvent, actions: CanvasActions): void {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return;
  const direction = directions[key];
  const act = keys[key];
  if (direction === undefined && act === undefined) return;
  event.preventDefault();
  if (direction === undefined) return act!(actions);
  const [across, down] = direction;
  if (shiftKey) actions.pan(-across * panStep, -down * panStep);
  else actions.step(across, down);
}
