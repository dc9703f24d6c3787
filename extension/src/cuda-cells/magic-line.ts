// Tells from the beginning of a cell whether it is a CUDA cell and where its magic line ends.

/** As the kernel reads it: the first word of the first line that is not empty. */
const magicLine = /^\s*%%cuda(?!\S)[^\n]*/;

/** Enough of a cell to hold its magic line. */
export const headLength = 4096;

/** Where the magic line of a cell that begins with `head` ends, without its line break; `null`: not a CUDA cell. */
export function magicEnd(head: string): number | null {
  return magicLine.exec(head)?.[0].length ?? null;
}
