// Marks code that was put into a function of a cell, so that it can be taken out of the function's text again.

const marked = /\/\*(\${2,})<\*\/.*?\/\*>\1\*\//gs;
const replacing = /\/\*(\${2,})=\*\/.*?\/\*([^*]+?)\1\*\//gs;

/** `prefix` is a run of `$` that the cell does not use. */
export function inserted(code: string, prefix: string): string {
  return `/*${prefix}<*/${code}/*>${prefix}*/`;
}

/** Code that stands for what was written, `original`. */
export function replaced(original: string, code: string, prefix: string): string {
  return `/*${prefix}=*/${code}/*${original}${prefix}*/`;
}

/** Whether there may be such code, or a name of the notebook's or an import that reads otherwise there. */
export function isLowered(text: string): boolean {
  return text.includes("$$");
}

/**
 * What stands for a name of the notebook's, `import` and `import.meta`, and notes a line; the longest run is that of
 * the cell.
 */
const lowered = /(?<![\w$.])(\${2,})(?=\d+\.|\.(?:dynamic|meta|origin)\b)/g;

/** The text of a function without what cells are given. */
export function asWritten(text: string): string {
  const own = text.replace(marked, "").replace(replacing, "$2");
  const runs = Array.from(own.matchAll(lowered), ([, run]) => run!);
  if (runs.length === 0) return own;
  const prefix = runs.reduce((longest, run) => (run.length > longest.length ? run : longest)).replaceAll("$", "\\$");
  const within = (pattern: string) => new RegExp(`(?<![\\w$.])${prefix}${pattern}`, "g");
  const note = `${prefix}\\.origin\\.current = \\d+`;
  return own
    .replace(new RegExp(`\\((?:0|${note}), ${prefix}\\d+\\.([\\p{ID_Continue}$]+)\\)`, "gu"), "$1")
    .replace(new RegExp(`(?<![\\w$.])${note}[,;] `, "g"), "")
    .replace(within("\\d+\\."), "")
    .replace(within("\\.dynamic\\b"), "import")
    .replace(within("\\.meta\\b"), "import.meta");
}
