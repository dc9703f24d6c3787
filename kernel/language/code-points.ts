// Converts cursor positions between Jupyter's unit (Unicode code points) and JavaScript's (UTF-16 units).

/**
 * The UTF-16 offset in `code` of the position that lies `codePoints` code points from its start; positions past the end
 * become the end.
 */
export function toUtf16(code: string, codePoints: number): number {
  let offset = 0;
  for (let seen = 0; seen < codePoints && offset < code.length; seen++) offset += unitsAt(code, offset);
  return offset;
}

/**
 * The number of code points before the UTF-16 offset `offset` of `code`. An offset inside a surrogate pair counts the
 * pair.
 */
export function toCodePoints(code: string, offset: number): number {
  const end = Math.min(offset, code.length);
  let codePoints = 0;
  for (let at = 0; at < end; at += unitsAt(code, at)) codePoints++;
  return codePoints;
}

function unitsAt(code: string, offset: number): number {
  return (code.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}
