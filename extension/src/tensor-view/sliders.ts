// Small sliders that choose a position on each axis before the last two.
import { keepKeys, leaveToCell } from "../drawing/own-keys.ts";
import { trans } from "../drawing/trans.ts";
import { element } from "./element.ts";

export class Sliders {
  readonly node = element("div", "warpcell-tensor-sliders");
  /** Where they stand while a slice is on its way; `null` when there is none. */
  wanted: number[] | null = null;
  private readonly index: number[];
  private readonly problem = element("span", "warpcell-tensor-slider-problem");

  constructor(shape: readonly number[], moved: (index: number[]) => void) {
    const leading = shape.slice(0, -2);
    this.index = leading.map(() => 0);
    leading.forEach((length, axis) => {
      if (length > 1) this.node.append(this.slider(axis, length, moved));
    });
    this.problem.setAttribute("role", "status");
    this.node.append(this.problem);
  }

  /** Says why there is no slice; nothing when there is one. */
  say(problem: string): void {
    this.problem.textContent = problem;
  }

  private slider(axis: number, length: number, moved: (index: number[]) => void): HTMLElement {
    const input = element("input", "warpcell-tensor-slider");
    Object.assign(input, { type: "range", min: "0", max: String(length - 1), step: "1", value: "0" });
    // The notebook's own arrow keys would leave the cell.
    keepKeys(input);
    input.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") leaveToCell(input);
    });
    const position = element("span", "warpcell-tensor-slider-position", "0");
    input.addEventListener("input", () => {
      this.index[axis] = Number(input.value);
      position.textContent = input.value;
      moved([...this.index]);
    });
    return element("label", "warpcell-tensor-slider-label", trans.__("axis %1", axis), input, position);
  }
}
