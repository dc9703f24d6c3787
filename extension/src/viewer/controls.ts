// The viewer's buttons, lists, boxes and sliders, with their labels.
import { trans } from "../drawing/trans.ts";
import { element } from "../tensor-view/element.ts";

export function button(text: string, title: string, pressed: () => void): HTMLButtonElement {
  const made = element("button", "warpcell-button", text);
  made.type = "button";
  made.title = title;
  if (text.length < 3) made.setAttribute("aria-label", title);
  made.addEventListener("click", pressed);
  return made;
}

export interface Choice<T extends string> {
  readonly node: HTMLElement;
  readonly select: HTMLSelectElement;
  value: T;
  offer(options: readonly (readonly [value: T, text: string])[]): void;
}

/** A list to choose from. */
export function choice<T extends string>(
  label: string,
  options: readonly (readonly [value: T, text: string])[],
  chosen: (value: T) => void,
): Choice<T> {
  const select = element("select", "warpcell-viewer-select");
  select.setAttribute("aria-label", label);
  select.addEventListener("change", () => chosen(select.value as T));
  const offer = (offered: typeof options) => {
    const { value } = select;
    select.replaceChildren(...offered.map(([value, text]) => Object.assign(element("option", "", text), { value })));
    if (offered.some(([each]) => each === value)) select.value = value;
  };
  offer(options);
  return {
    node: element("label", "warpcell-viewer-label", label, select),
    select,
    offer,
    get value() {
      return select.value as T;
    },
    set value(value: T) {
      select.value = value;
    },
  };
}

export function check(label: string, changed: (isOn: boolean) => void): { node: HTMLElement; box: HTMLInputElement } {
  const box = element("input", "");
  box.type = "checkbox";
  box.addEventListener("change", () => changed(box.checked));
  return { node: element("label", "warpcell-panel-check", box, label), box };
}

export function numberBox(label: string, changed: () => void): HTMLInputElement {
  const box = element("input", "warpcell-viewer-number");
  Object.assign(box, { type: "number", step: "any" });
  box.setAttribute("aria-label", label);
  box.addEventListener("change", changed);
  return box;
}

/** A position on an axis, which can play. */
export class AxisSlider {
  readonly node: HTMLElement;
  private readonly input = element("input", "warpcell-tensor-slider");
  private readonly said = element("output", "warpcell-tensor-slider-position");
  private readonly play: HTMLButtonElement;

  constructor(axis: number, length: number, moved: (at: number) => void, played: () => void) {
    Object.assign(this.input, { type: "range", min: "0", max: String(length - 1), step: "1" });
    this.input.addEventListener("input", () => {
      this.said.textContent = this.input.value;
      moved(Number(this.input.value));
    });
    this.play = button("▶", trans.__("Play along axis %1", axis), played);
    this.node = element(
      "span",
      "warpcell-viewer-axis",
      element("label", "warpcell-tensor-slider-label", trans.__("axis %1", axis), this.input, this.said),
      this.play,
    );
  }

  show(at: number, isPlaying: boolean): void {
    this.input.value = String(at);
    this.said.textContent = String(at);
    this.play.setAttribute("aria-pressed", String(isPlaying));
    this.play.textContent = isPlaying ? "❚❚" : "▶";
  }
}
