// Makes a chart's drawing anew from the text of its SVG: shapes, texts and numbers that a chart has, and nothing else.
import { svg } from "../drawing/svg.ts";

export interface Mark {
  readonly kind: "line" | "dots" | "points" | "bars";
  readonly name: string;
  readonly colour: string;
  readonly path: string;
  /** Of bars: their values as they are written. */
  readonly values: readonly string[];
}

export interface Drawing {
  readonly node: SVGSVGElement;
  readonly marks: readonly Mark[];
}

const number = /^-?\d{1,6}(\.\d{1,4})?$/;
const colour = /^(#[\da-f]{6}([\da-f]{2})?|none)$/;
const any = /^/;

/** What an attribute may be. Ids, references and styles are none of them: the page has its own. */
const attributes: Readonly<Record<string, RegExp>> = {
  x: number,
  y: number,
  width: number,
  height: number,
  rx: number,
  d: /^[MLHVhvlz\d.\s-]*$/,
  fill: colour,
  stroke: colour,
  "stroke-width": number,
  "stroke-opacity": number,
  "stroke-linecap": /^round$/,
  "stroke-linejoin": /^round$/,
  "text-anchor": /^(middle|end)$/,
  "font-size": number,
  "font-weight": number,
  transform: /^translate\(-?[\d.]+ -?[\d.]+\) rotate\(-90\)$/,
  "data-name": any,
  "data-values": any,
  href: /^data:image\/png;base64,[A-Za-z\d+/]+={0,2}$/,
};
/** Classes of a drawing, which the style sheet knows by longer names. */
const classes = /^(title|legend|grid|axis|mark|label|note|marks|line|dots|points|bars)$/;
const shapes = ["g", "path", "rect", "text", "image"] as const;
const mostNodes = 5000;
const deepest = 4;

/** `null` for a text that is no such drawing. `width` and `height` are those of the payload. */
export function drawingOf(source: unknown, width: number, height: number): Drawing | null {
  if (typeof source !== "string") return null;
  const root = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
  if (root.localName !== "svg" || root.getElementsByTagName("*").length > mostNodes) return null;
  const node = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height });
  node.append(...copiesOf(root, 0));
  const marks = [...node.querySelectorAll("path[data-name]")].flatMap(markOf);
  return { node, marks };
}

function copiesOf(parent: Element, depth: number): Element[] {
  return [...parent.children].flatMap((child) => {
    const tag = shapes.find((name) => name === child.localName);
    if (tag === undefined || depth > deepest) return [];
    const kept = [...child.attributes].filter(({ name, value }) => attributes[name]?.test(value) === true);
    const copy = svg(tag, Object.fromEntries(kept.map(({ name, value }) => [name, value])));
    const known = child.getAttribute("class");
    if (known !== null && classes.test(known)) copy.setAttribute("class", `warpcell-chart-${known}`);
    copy.append(...(tag === "text" ? [child.textContent ?? ""] : copiesOf(child, depth + 1)));
    return [copy];
  });
}

function markOf(path: Element): Mark[] {
  const kind = (["line", "dots", "points", "bars"] as const).find(
    (each) => path.getAttribute("class") === `warpcell-chart-${each}`,
  );
  if (kind === undefined) return [];
  const of = (name: string) => path.getAttribute(name) ?? "";
  return [
    {
      kind,
      name: of("data-name"),
      colour: kind === "bars" ? of("fill") : of("stroke"),
      path: of("d"),
      values: of("data-values").split(" "),
    },
  ];
}
