// Template tags that make values of a MIME type: html`<b>${name}</b>`. What is filled in is text, unless it is markup
// itself; null and undefined are nothing.
import { raw } from "./mime-bundle.ts";

export interface Tag {
  (strings: TemplateStringsArray, ...values: unknown[]): object;
  /** Markup that is in a text: it is filled in as it is. */
  raw(markup: string): object;
}

interface Language {
  readonly name: string;
  readonly type: string;
  /** A value that is no markup. */
  readonly fill: (text: string) => string;
  /** What a front end needs around it. */
  readonly whole: (source: string) => string;
}

/** The markup of what a tag has made. */
const sources = new WeakMap<object, string>();

function tagOf({ name, type, fill, whole }: Language): Tag {
  const made = (source: string): object => {
    const complete = whole(source);
    const value = raw({ [type]: complete, "text/plain": complete });
    sources.set(value, source);
    return value;
  };
  const filled = (value: unknown): string => {
    if (value === undefined || value === null) return "";
    if (Array.isArray(value)) return value.map(filled).join("");
    const source = typeof value === "object" && value !== null ? sources.get(value) : undefined;
    return source ?? fill(String(value));
  };
  const tag = (strings: TemplateStringsArray, ...values: unknown[]): object => {
    if (!Array.isArray(strings))
      throw new TypeError(
        `${name} stands before a text in backticks: write ${name}\`…\`, or ${name}.raw(text) for a text that is markup.`,
      );
    return made(strings.map((string, at) => (at === 0 ? string : filled(values[at - 1]) + string)).join(""));
  };
  return Object.assign(tag, { raw: (markup: string) => made(String(markup)) });
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const asItIs = (source: string): string => source;

/** Without this namespace an image of it is broken. */
const namespace = 'xmlns="http://www.w3.org/2000/svg"';

/** The text of an SVG file: of elements alone, with an `svg` around them that is as large as an output is wide. */
function wholeSvg(source: string): string {
  const start = /^\s*(?:<\?xml[^]*?\?>\s*)?(?:<!--[^]*?-->\s*)*<svg\b[^>]*>/.exec(source)?.[0];
  if (start === undefined) return `<svg ${namespace} width="640" height="320" viewBox="0 0 640 320">${source}</svg>`;
  return /\sxmlns\s*=/.test(start) ? source : source.replace("<svg", `<svg ${namespace}`);
}

export const html = tagOf({ name: "html", type: "text/html", fill: escaped, whole: asItIs });
/** Markdown is text: what is filled in may be marked up. */
export const md = tagOf({ name: "md", type: "text/markdown", fill: asItIs, whole: asItIs });
export const svg = tagOf({ name: "svg", type: "image/svg+xml", fill: escaped, whole: wholeSvg });
