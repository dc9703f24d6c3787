// Lets an element in an output keep plain keys, such as arrows, for itself, while JupyterLab's shortcuts (Ctrl+S, the
// palette) work as everywhere.

/**
 * JupyterLab looks at a key before the element that has the focus does, and leaves it alone where that says so. Whether
 * it says so is decided key by key: those with Ctrl, Alt or Cmd are JupyterLab's.
 */
export function keepKeys(node: HTMLElement | SVGElement): void {
  const decide = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): void => {
    if (ctrlKey || metaKey || altKey) delete node.dataset["lmSuppressShortcuts"];
    else node.dataset["lmSuppressShortcuts"] = "true";
  };
  node.dataset["lmSuppressShortcuts"] = "true";
  // Before the document, where JupyterLab listens.
  node.addEventListener("focusin", () => window.addEventListener("keydown", decide, true));
  node.addEventListener("focusout", () => window.removeEventListener("keydown", decide, true));
}

/** Gives the focus back to the cell that an output is of, so that keys are the notebook's again. */
export function leaveToCell(node: HTMLElement): void {
  const cell = node.closest<HTMLElement>(".jp-Cell") ?? node.closest<HTMLElement>(".jp-Notebook");
  node.blur();
  cell?.focus({ preventScroll: true });
}
