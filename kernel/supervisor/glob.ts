// Matches texts against a glob as SQLite has it, `*`, `?` and `[…]` over the whole text, in time proportional to both.

type Part = "*" | ((character: string) => boolean);

/** Not a regular expression: a few stars over one long text would keep that busy for ever. */
export function glob(pattern: string): (text: string) => boolean {
  const parts = [...pattern.matchAll(/\[(\^?)([^\]]+)\]|[^]/gu)].map(([whole, negation, set]): Part => {
    if (set !== undefined) return (character) => isInSet(set, character) !== (negation === "^");
    return whole === "*" ? "*" : (character) => whole === "?" || character === whole;
  });
  return (text) => matches(parts, [...text]);
}

/** Goes back to the last star only: what an earlier one could take, that one can take too. */
function matches(parts: readonly Part[], text: readonly string[]): boolean {
  let part = 0,
    star = -1,
    resume = 0;
  for (let at = 0; at < text.length; ) {
    const wanted = parts[part];
    if (wanted === "*") {
      star = part++;
      resume = at;
    } else if (wanted?.(text[at]!) === true) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest === "*");
}

/** `a-z` in a set is a range; one whose ends are the wrong way round is empty. */
function isInSet(set: string, character: string): boolean {
  return [...set.matchAll(/([^])-([^])|[^]/gu)].some(([whole, first, last]) =>
    first === undefined
      ? whole === character
      : first.codePointAt(0)! <= character.codePointAt(0)! && character.codePointAt(0)! <= last!.codePointAt(0)!,
  );
}
