// Paths of files beside a notebook, as JupyterLab names them.

/** The path of a file that is given relative to a notebook's folder; `null`: it lies above all folders. */
export function besides(notebook: string, file: string): string | null {
  const parts = notebook.split("/").slice(0, -1);
  for (const part of file.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return null;
    } else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
