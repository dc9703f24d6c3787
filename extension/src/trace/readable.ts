// Turns any text of a payload into one short line that people can read and that changes nothing around it.

/** Longer than any name that is read to its end. */
const most = 600;

/** Control characters, and the marks that turn the direction of the text around them. */
const unseen = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Line breaks and tabs become spaces; other characters that cannot be seen become `�`; what is too long ends with `…`. */
export function readable(text: string): string {
  const short = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return short
    .replace(/[\t\r\n]+/g, " ")
    .replace(unseen, "\ufffd")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
