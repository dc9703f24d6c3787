// Objects and arrays of values that have a small picture of themselves, such as tensors: a table with a row for each.
import { types } from "node:util";
import { escape, text } from "./text.ts";

const { isProxy } = types;

/** A value with this method has a small picture: the method returns `image/png` and `text/plain`, a line. */
const smallSymbol = Symbol.for("Jupyter.display.small");

interface Small {
  readonly "image/png"?: string;
  readonly "text/plain": string;
}

const mostRows = 24;

/** A plain object or an array that has such a value among its own first ones. */
export function hasPictures(value: object): boolean {
  // Whatever stands behind a proxy is not asked.
  if (isProxy(value)) return false;
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false;
  return entriesOf(value).some(([, each]) => isSmall(each));
}

export function picturesOf(value: object): string {
  const rows = entriesOf(value).map(([name, each]) => {
    const { "image/png": png, "text/plain": line } = isSmall(each) ? each[smallSymbol]() : { "text/plain": text(each) };
    const picture = png === undefined ? "" : `<img alt="" src="data:image/png;base64,${png}">`;
    return `<tr>${cell("th", escape(name))}${cell("td", picture)}${cell("td", `<code>${escape(line)}</code>`)}</tr>`;
  });
  const more = (Array.isArray(value) ? value.length : Object.keys(value).length) - rows.length;
  const rest = more > 0 ? `<tr>${cell("th", "")}${cell("td", "")}${cell("td", `and ${more} more`)}</tr>` : "";
  return `<table><tbody>${rows.join("")}${rest}</tbody></table>`;
}

/** Notebooks put what is in tables to the right, as numbers want it. */
const cell = (tag: "th" | "td", html: string): string => `<${tag} style="text-align: left">${html}</${tag}>`;

/** Getters are not called: showing a value must not change it. */
function entriesOf(value: object): [string, unknown][] {
  const names = Array.isArray(value)
    ? Array.from({ length: Math.min(value.length, mostRows) }, (_, at) => String(at))
    : Object.keys(value).slice(0, mostRows);
  return names.map((name) => [name, Object.getOwnPropertyDescriptor(value, name)?.value]);
}

function isSmall(value: unknown): value is Record<typeof smallSymbol, () => Small> {
  return (
    typeof value === "object" && value !== null && typeof (value as Record<symbol, unknown>)[smallSymbol] === "function"
  );
}
