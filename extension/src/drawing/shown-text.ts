// Makes text of unknown origin fit to be shown anywhere: on one line, every character visible, no longer than there is
// room for.

/** Longer than any name or sentence that is read to its end. */
export const mostCharacters = 600;

/** Controls, line breaks, and the marks that turn the direction of text around: a name could hide behind them. */
const unseen = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : "\ufffd";
}

/** At most `most` characters of `text`, with "…" for the rest. */
export function shownText(text: string, most = 200): string {
  // A pair of surrogates is cut before its first half, never in its middle.
  const cut = text.length > most ? text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "") : text;
  return cut.toWellFormed().replace(unseen, visible) + (text.length > most ? "…" : "");
}
