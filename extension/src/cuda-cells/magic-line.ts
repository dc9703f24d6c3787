// Tells from a cell's text whether it is a CUDA cell and where its magic line ends; knows nothing of editors.

/** The kernel takes a cell for CUDA when its first line begins so. */
const cudaMagic = /^%%cuda(?![\w-])/;

/** Whether a cell that begins with this line is compiled as CUDA C++. */
export function isCudaMagic(firstLine: string): boolean {
  return cudaMagic.test(firstLine);
}

/** The length of the first line of `text`, without its line break. */
export function firstLineLength(text: string): number {
  const end = text.indexOf("\n");
  return end < 0 ? text.length : end;
}
