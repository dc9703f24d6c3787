// Writes SVG: elements as text, with numbers as short as a screen needs and all text escaped.
import { escaped } from "../wording.ts";

type Attributes = Readonly<Record<string, string | number>>;

/** A tenth of a pixel. */
export const short = (value: number): string => String(Math.round(value * 10) / 10);

export function element(name: string, attributes: Attributes, content = ""): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? short(value) : escaped(value)}"`)
    .join("");
  return content === "" ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

export const textElement = (attributes: Attributes, text: string): string =>
  element("text", attributes, escaped(text) || " ");

/** Pixels that a text of this size takes, about, in the fonts of a system: nobody can measure here. */
export function widthOf(text: string, size: number): number {
  let width = 0;
  for (const letter of text)
    width += /[ijl.,'|:;!fIrt ()[\]⁻¹]/.test(letter)
      ? 0.32
      : /[mwMW@—…×]/.test(letter)
        ? 0.88
        : /[A-Z]/.test(letter)
          ? 0.68
          : letter.codePointAt(0)! > 0x2e80
            ? 1
            : 0.57;
  return width * size;
}

/** The text, or as much of its beginning as fits. */
export function fitted(text: string, size: number, room: number): string {
  if (widthOf(text, size) <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && widthOf(`${letters.join("")}…`, size) > room) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}
