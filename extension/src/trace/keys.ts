// The keys of a timeline: what each does, and the text that says so.
import type { TimelineModel } from "./model.ts";

/** What keys do beyond the model. */
export interface KeyActions {
  readonly model: TimelineModel;
  openSearch(): void;
  toggleHelp(): void;
  goToLine(): void;
  scroll(share: number): void;
  leave(): void;
}

export interface Key {
  readonly keys: readonly string[];
  /** As written on the keys; `null`: the same as another row says. */
  readonly shown: string | null;
  readonly does: string;
  run(actions: KeyActions): void;
}

const zoom = 0.7;
const pan = 0.15;

export const keys: readonly Key[] = [
  { keys: ["w", "+", "="], shown: "W  +", does: "zoom in, at the pointer", run: ({ model }) => model.zoom(zoom) },
  { keys: ["s", "-"], shown: "S  −", does: "zoom out", run: ({ model }) => model.zoom(1 / zoom) },
  { keys: ["a"], shown: "A", does: "move to earlier times", run: ({ model }) => model.pan(-pan) },
  { keys: ["d"], shown: "D", does: "move to later times", run: ({ model }) => model.pan(pan) },
  { keys: ["Home", "0"], shown: "Home  0", does: "show the whole profile", run: ({ model }) => model.showWhole() },
  { keys: ["ArrowRight"], shown: "→", does: "next slice of the row", run: ({ model }) => model.stepAlong(1) },
  { keys: ["ArrowLeft"], shown: "←", does: "previous slice of the row", run: ({ model }) => model.stepAlong(-1) },
  { keys: ["ArrowDown"], shown: "↓", does: "nearest slice of the row below", run: ({ model }) => model.stepAcross(1) },
  { keys: ["ArrowUp"], shown: "↑", does: "nearest slice of the row above", run: ({ model }) => model.stepAcross(-1) },
  { keys: ["c"], shown: "C", does: "to the slice that this one follows from", run: ({ model }) => model.selectCause() },
  {
    keys: ["e"],
    shown: "E",
    does: "to the slice that follows from this one",
    run: ({ model }) => model.selectEffect(),
  },
  {
    keys: ["f", "Enter"],
    shown: "F  Enter",
    does: "fill the view with the selection",
    run: ({ model }) => model.focus(),
  },
  { keys: ["g"], shown: "G", does: "go to the line in the notebook", run: (actions) => actions.goToLine() },
  {
    keys: ["Shift+ArrowRight"],
    shown: "Shift → ←",
    does: "select a span of time, as dragging with Shift does",
    run: ({ model }) => model.extendRange(1 / 40),
  },
  { keys: ["Shift+ArrowLeft"], shown: null, does: "", run: ({ model }) => model.extendRange(-1 / 40) },
  { keys: ["m"], shown: "M", does: "mark the selection, or remove its mark", run: ({ model }) => model.mark() },
  { keys: ["/"], shown: "/", does: "search", run: (actions) => actions.openSearch() },
  { keys: ["n"], shown: "N  Shift N", does: "next and previous match", run: ({ model }) => model.stepMatch(1) },
  { keys: ["N"], shown: null, does: "", run: ({ model }) => model.stepMatch(-1) },
  { keys: ["x"], shown: "X", does: "close or open the tracks of the device", run: ({ model }) => model.toggleChosen() },
  { keys: ["PageDown"], shown: "Page ↓ ↑", does: "scroll", run: (actions) => actions.scroll(0.8) },
  { keys: ["PageUp"], shown: null, does: "", run: (actions) => actions.scroll(-0.8) },
  { keys: ["?"], shown: "?", does: "show or hide this list", run: (actions) => actions.toggleHelp() },
  {
    keys: ["Escape"],
    shown: "Esc",
    does: "clear the selection, then leave the timeline",
    run: (actions) => actions.model.clear() || actions.leave(),
  },
];

/** What the mouse does, for the same list. */
export const gestures: readonly (readonly [string, string])[] = [
  ["drag", "move"],
  ["Ctrl wheel, pinch", "zoom at the pointer"],
  ["Shift drag, drag on the axis", "select a span of time"],
  ["double click", "fill the view with the slice"],
];

const byKey = new Map(keys.flatMap((key) => key.keys.map((name) => [name, key])));

/** The row for a key that was pressed; `null`: the timeline has no use for it. */
export function keyFor({
  key,
  shiftKey,
  ctrlKey,
  metaKey,
  altKey,
}: Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">): Key | null {
  if (ctrlKey || metaKey || altKey) return null;
  const name = shiftKey && key.length > 1 ? `Shift+${key}` : key;
  // With caps lock on, letters come large without Shift.
  return byKey.get(shiftKey ? name : name.length === 1 ? name.toLowerCase() : name) ?? null;
}
