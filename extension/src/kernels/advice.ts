// A list of what a profile advises: each sentence a button that leads to its line and its time.
import { Widget } from "@lumino/widgets";
import type { TraceAdvice, TracePlace } from "../../../kernel/mime.ts";
import { mostCharacters, shownText } from "../drawing/shown-text.ts";
import { element } from "../tensor-view/element.ts";
import type { KernelFacts } from "./payload.ts";
import { trans } from "../drawing/trans.ts";
import type { Show, Target } from "./show.ts";

/** A list of more would not be read. */
const mostSentences = 50;

export class Advice extends Widget {
  constructor({ advice, places }: KernelFacts, show: Show) {
    super();
    this.addClass("warpcell-advice");
    if (advice.length === 0) {
      this.node.append(
        element("div", "warpcell-advice-none", trans.__("No advice: nothing in this profile stands out.")),
      );
      return;
    }
    const items = advice
      .slice(0, mostSentences)
      .map((one) =>
        element("li", "warpcell-advice-item", buttonOf(one, one.place === null ? null : places[one.place]!, show)),
      );
    this.node.append(element("ul", "warpcell-advice-list", ...items));
    const rest = advice.length - items.length;
    if (rest > 0)
      this.node.append(
        element(
          "div",
          "warpcell-advice-none",
          trans._n("%1 more sentence is not shown.", "%1 more sentences are not shown.", rest),
        ),
      );
  }
}

function buttonOf({ text, place, start, end }: TraceAdvice, line: TracePlace | null, show: Show): HTMLElement {
  const button = element(
    "button",
    "warpcell-advice-button",
    element("span", "warpcell-advice-text", shownText(text, mostCharacters)),
  );
  button.type = "button";
  if (line) button.append(element("span", "warpcell-advice-place", shownText(line.text, 40)));
  const target: Target = { start, end, ...(place === null ? {} : { place }) };
  button.addEventListener("click", () => show(target));
  return button;
}
