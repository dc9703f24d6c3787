// The list of a timeline's keys and gestures.
import { element } from "../tensor-view/element.ts";
import { trans } from "../drawing/trans.ts";
import { gestures, keys } from "./keys.ts";

export function helpNode(): HTMLElement {
  const rows = [
    ...keys.flatMap(({ shown, does }) => (shown === null ? [] : [[shown, does()] as const])),
    ...gestures.map(([gesture, does]) => [gesture(), does()] as const),
  ];
  const items = rows.map(([shown, does]) =>
    element(
      "div",
      "",
      element("dt", "", ...shown.split("  ").map((key) => element("kbd", "", key))),
      element("dd", "", does),
    ),
  );
  const node = element("dl", "warpcell-trace-help", ...items);
  node.setAttribute("aria-label", trans.__("Keys of the timeline"));
  return node;
}
