// Marks code that was put into a function of a cell, so that it can be taken out of the function's text again.

const marked = /\/\*(\${2,})<\*\/.*?\/\*>\1\*\//gs;

/** `prefix` is a run of `$` that the cell does not use. */
export function inserted(code: string, prefix: string): string {
  return `/*${prefix}<*/${code}/*>${prefix}*/`;
}

/** Whether there may be such code. */
export function isInserted(text: string): boolean {
  return text.includes("/*$$");
}

export function withoutInserted(text: string): string {
  return text.replace(marked, "");
}
