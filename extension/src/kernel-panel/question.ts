// A question before something that cannot be undone: what is lost, and two buttons, of which the harmless one has the
// focus.
import { trans } from "../drawing/trans.ts";
import { element } from "../tensor-view/element.ts";

export class Question {
  readonly node = element("div", "warpcell-kernel-question");
  /** What asked: it gets the focus back. */
  private asker: HTMLElement | null = null;

  constructor() {
    this.node.hidden = true;
    this.node.setAttribute("role", "group");
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      this.close();
    });
  }

  ask(asker: HTMLElement, { text, yes, act }: { text: string; yes: string; act: () => void }): void {
    this.asker = asker;
    const keep = button(trans.__("Cancel"), () => this.close());
    const go = button(yes, () => {
      this.close();
      act();
    });
    this.node.setAttribute("aria-label", text);
    this.node.replaceChildren(element("p", "", text), go, keep);
    this.node.hidden = false;
    keep.focus();
  }

  close(): void {
    if (this.node.hidden) return;
    this.node.hidden = true;
    this.node.replaceChildren();
    this.asker?.focus();
    this.asker = null;
  }
}

export function button(text: string, act: () => void, title = ""): HTMLButtonElement {
  const made = element("button", "warpcell-button", text);
  made.type = "button";
  made.title = title;
  made.addEventListener("click", act);
  return made;
}
