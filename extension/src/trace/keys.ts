// The keys of a timeline: what each does, and the text that says so.
import { trans } from "../drawing/trans.ts";
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
  readonly does: () => string;
  run(actions: KeyActions): void;
}

const zoom = 0.7;
const pan = 0.15;

export const keys: readonly Key[] = [
  {
    keys: ["w", "+", "="],
    shown: "W  +",
    does: () => trans.__("zoom in, at the pointer"),
    run: ({ model }) => model.zoom(zoom),
  },
  { keys: ["s", "-"], shown: "S  −", does: () => trans.__("zoom out"), run: ({ model }) => model.zoom(1 / zoom) },
  { keys: ["a"], shown: "A", does: () => trans.__("move to earlier times"), run: ({ model }) => model.pan(-pan) },
  { keys: ["d"], shown: "D", does: () => trans.__("move to later times"), run: ({ model }) => model.pan(pan) },
  {
    keys: ["Home", "0"],
    shown: "Home  0",
    does: () => trans.__("show the whole profile"),
    run: ({ model }) => model.showWhole(),
  },
  {
    keys: ["ArrowRight"],
    shown: "→",
    does: () => trans.__("next slice of the row"),
    run: ({ model }) => model.stepAlong(1),
  },
  {
    keys: ["ArrowLeft"],
    shown: "←",
    does: () => trans.__("previous slice of the row"),
    run: ({ model }) => model.stepAlong(-1),
  },
  {
    keys: ["ArrowDown"],
    shown: "↓",
    does: () => trans.__("nearest slice of the row below"),
    run: ({ model }) => model.stepAcross(1),
  },
  {
    keys: ["ArrowUp"],
    shown: "↑",
    does: () => trans.__("nearest slice of the row above"),
    run: ({ model }) => model.stepAcross(-1),
  },
  {
    keys: ["c"],
    shown: "C",
    does: () => trans.__("to the slice that this one follows from"),
    run: ({ model }) => model.selectCause(),
  },
  {
    keys: ["e"],
    shown: "E",
    does: () => trans.__("to the slice that follows from this one"),
    run: ({ model }) => model.selectEffect(),
  },
  {
    keys: ["f", "Enter"],
    shown: "F  Enter",
    does: () => trans.__("fill the view with the selection"),
    run: ({ model }) => model.focus(),
  },
  {
    keys: ["g"],
    shown: "G",
    does: () => trans.__("go to the line in the notebook"),
    run: (actions) => actions.goToLine(),
  },
  {
    keys: ["Shift+ArrowRight"],
    shown: "Shift → ←",
    does: () => trans.__("select a span of time, as dragging with Shift does"),
    run: ({ model }) => model.extendRange(1 / 40),
  },
  { keys: ["Shift+ArrowLeft"], shown: null, does: () => "", run: ({ model }) => model.extendRange(-1 / 40) },
  {
    keys: ["m"],
    shown: "M",
    does: () => trans.__("mark the selection, or remove its mark"),
    run: ({ model }) => model.mark(),
  },
  { keys: ["/"], shown: "/", does: () => trans.__("search"), run: (actions) => actions.openSearch() },
  {
    keys: ["n"],
    shown: "N  Shift N",
    does: () => trans.__("next and previous match"),
    run: ({ model }) => model.stepMatch(1),
  },
  { keys: ["N"], shown: null, does: () => "", run: ({ model }) => model.stepMatch(-1) },
  {
    keys: ["x"],
    shown: "X",
    does: () => trans.__("close or open the tracks of the device"),
    run: ({ model }) => model.toggleChosen(),
  },
  { keys: ["PageDown"], shown: "Page ↓ ↑", does: () => trans.__("scroll"), run: (actions) => actions.scroll(0.8) },
  { keys: ["PageUp"], shown: null, does: () => "", run: (actions) => actions.scroll(-0.8) },
  { keys: ["?"], shown: "?", does: () => trans.__("show or hide this list"), run: (actions) => actions.toggleHelp() },
  {
    keys: ["Escape"],
    shown: "Esc",
    does: () => trans.__("clear the selection, then leave the timeline"),
    run: (actions) => actions.model.clear() || actions.leave(),
  },
];

/** What the mouse does, for the same list. */
export const gestures: readonly (readonly [gesture: () => string, does: () => string])[] = [
  [() => trans.__("drag"), () => trans.__("move")],
  [() => trans.__("Ctrl wheel, pinch"), () => trans.__("zoom at the pointer")],
  [() => trans.__("Shift drag, drag on the axis"), () => trans.__("select a span of time")],
  [() => trans.__("double click"), () => trans.__("fill the view with the slice")],
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
