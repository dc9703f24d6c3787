// The places where a name is meant, as a list at the cursor: arrows choose, Enter goes there, Escape goes back.
import { ledTo } from "../drawing/list-keys.ts";
import type { EditorPlace, EditorReferences } from "../../../kernel/mime.ts";
import { trans } from "../drawing/trans.ts";
import { element } from "../tensor-view/element.ts";

export interface PlacesList {
  dom: HTMLElement;
  focus(): void;
}

/** `labels`: what each cell is called. */
export function placesList(
  { name, places }: EditorReferences,
  labels: readonly string[],
  { go, leave }: { go: (place: EditorPlace) => void; leave: () => void },
): PlacesList {
  const where = ({ cell, file, line }: EditorPlace) => `${cell === null ? file : labels[cell]}:${line}`;
  const rows = places.map((place, index) => {
    const row = element(
      "div",
      "warpcell-places-row",
      element("span", "warpcell-places-where", where(place)),
      " ",
      element("code", "warpcell-places-text", place.text.trim()),
    );
    row.id = `warpcell-place-${index}`;
    row.setAttribute("role", "option");
    row.addEventListener("click", () => go(place));
    return row;
  });
  const list = element("div", "warpcell-places-list", ...rows);
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", trans.__("Places of %1", name));
  list.tabIndex = 0;
  const count = `${places.length} ${places.length === 1 ? "place" : "places"} of ${name}`;
  const dom = element("div", "warpcell-places", element("div", "warpcell-places-head", count), list);

  let chosen = 0;
  const choose = (index: number): void => {
    rows[chosen]?.setAttribute("aria-selected", "false");
    chosen = index;
    rows[chosen]?.setAttribute("aria-selected", "true");
    rows[chosen]?.scrollIntoView({ block: "nearest" });
    list.setAttribute("aria-activedescendant", `warpcell-place-${chosen}`);
  };
  choose(0);
  dom.addEventListener("keydown", (event) => {
    const led = ledTo(event, chosen, rows.length, list.clientHeight / (rows[0]?.clientHeight || 20));
    const place = places[chosen];
    if (led !== null) choose(led);
    else if (event.key === "Enter" && place !== undefined) go(place);
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { dom, focus: () => list.focus({ preventScroll: true }) };
}
