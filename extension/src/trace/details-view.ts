// Shows as text what is chosen of a timeline: a slice with its facts, or the sums of a span of time.
import type { Colour } from "../drawing/oklch.ts";
import { grouped, formatPart, formatTime } from "../drawing/quantity.ts";
import { element } from "../tensor-view/element.ts";
import type { Details } from "./details.ts";
import type { ScopeWords } from "./scope.ts";
import { lengthOf } from "./span.ts";
import { trans } from "../drawing/trans.ts";
import type { Sums } from "./sums.ts";

/** Names and tracks of a span's sums; the rest is one line. */
const mostNames = 60;
const mostTracks = 60;

/** The colour of a name, by its index. */
export type Colours = (name: number) => Colour;

export interface DetailActions {
  /** `null` where there is no notebook to go to. */
  readonly goToLine: (() => void) | null;
  readonly toCause: () => void;
  readonly toEffect: () => void;
}

/** Without actions, as under the pointer, there are no buttons. */
export function sliceNodes(details: Details, colours: Colours, actions: DetailActions | null): HTMLElement[] {
  const { name, index, kind, duration, where, place, facts, cause, effects, stack } = details;
  const nodes: HTMLElement[] = [
    element(
      "div",
      "warpcell-trace-head",
      swatch(colours(index)),
      element("strong", "warpcell-trace-name", name),
      element("span", "warpcell-trace-duration", duration),
    ),
    element(
      "div",
      "warpcell-trace-where",
      trans.__("%1 on %2", kind, where),
      ...(place ? [" · ", element("span", "warpcell-trace-place", place.text)] : []),
      ...(place && actions?.goToLine ? [" ", button(trans.__("Go to line"), actions.goToLine)] : []),
    ),
  ];
  const links: (string | HTMLElement)[] = [];
  if (cause !== null)
    links.push(trans.__("follows from "), actions ? button(cause, actions.toCause) : element("em", "", cause));
  if (effects > 0)
    links.push(
      cause === null ? "" : " · ",
      actions
        ? button(trans._n("%2 slice follows", "%2 slices follow", effects, grouped(effects)), actions.toEffect)
        : trans._n("%2 slice follows", "%2 slices follow", effects, grouped(effects)),
    );
  if (links.length > 0) nodes.push(element("div", "warpcell-trace-flow", ...links));
  if (facts.length > 0)
    nodes.push(
      element(
        "dl",
        "warpcell-trace-facts",
        ...facts.map(([key, value]) => element("div", "", element("dt", "", key), element("dd", "", value))),
      ),
    );
  if (stack.length > 0)
    nodes.push(
      element(
        "ol",
        "warpcell-trace-stack",
        ...stack.slice(0, actions ? 100 : 4).map((line) => element("li", "", line)),
      ),
    );
  return nodes;
}

export function sumNodes(
  sums: Sums,
  scope: ScopeWords,
  names: readonly string[],
  tracks: readonly string[],
  colours: Colours,
): HTMLElement[] {
  const words = element(
    "span",
    "warpcell-trace-where",
    trans.__("chosen, %1", trans._n("%2 slice", "%2 slices", sums.count, grouped(sums.count))) + scope.text,
  );
  words.title = scope.hint;
  const head = element("div", "warpcell-trace-head", element("strong", "", formatTime(lengthOf(sums.span))), words);
  const rows = sums.names.slice(0, mostNames).map(({ track, name, count, total }, at) => {
    const cells = [
      element("td", "", sums.names[at - 1]?.track === track ? "" : tracks[track]!),
      element("td", "", swatch(colours(name)), names[name]!),
      element("td", "", formatTime(total)),
      element("td", "", count.toLocaleString("en-US")),
    ];
    return element("tr", "", ...cells);
  });
  if (sums.names.length > mostNames)
    rows.push(
      element(
        "tr",
        "",
        element("td", "", ""),
        element(
          "td",
          "",
          trans.__(
            "and %1",
            trans._n(
              "%2 other name",
              "%2 other names",
              sums.names.length - mostNames,
              grouped(sums.names.length - mostNames),
            ),
          ),
        ),
      ),
    );
  const busy = sums.busy
    .map((share, track) => ({ share, name: tracks[track]! }))
    .filter(({ share }) => share > 0)
    .slice(0, mostTracks)
    .map(({ share, name }) => {
      const bar = element("span", "warpcell-trace-busy-bar");
      bar.style.setProperty("--warpcell-share", String(share));
      return element("tr", "", element("td", "", name), element("td", "", bar, formatPart(share)));
    });
  return [
    head,
    element(
      "div",
      "warpcell-trace-sums",
      table(["track", "name", "total", "count"], rows),
      table(["track", "busy"], busy),
    ),
  ];
}

function table(heads: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  const row = element("tr", "", ...heads.map((head) => element("th", "", head)));
  return element("table", "", element("thead", "", row), element("tbody", "", ...rows));
}

function swatch(colour: Colour): HTMLElement {
  const node = element("span", "warpcell-trace-swatch");
  node.style.background = `rgb(${colour.join(" ")})`;
  return node;
}

function button(text: string, run: () => void): HTMLButtonElement {
  const node = element("button", "warpcell-trace-link", text);
  node.type = "button";
  node.addEventListener("click", run);
  return node;
}
