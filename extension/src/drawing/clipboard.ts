// Copies text to the clipboard of the system, also on pages without TLS, where the browser's own interface is missing.
import { trans } from "./trans.ts";

/** Rejects with a sentence when the browser does not let it. */
export async function copyText(text: string): Promise<void> {
  // Left out by browsers on pages that came without TLS from another machine, whatever its type says.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard) {
    await clipboard.writeText(text).catch((error: unknown) => {
      throw new Error(
        trans.__(trans.__("The browser did not let this page write to the clipboard: %1"), (error as Error).message),
      );
    });
    return;
  }
  const copied = copyWith((event) => event.clipboardData?.setData("text/plain", text));
  if (!copied)
    throw new Error(
      trans.__("The browser did not let this page write to the clipboard. Open JupyterLab over HTTPS or on localhost."),
    );
}

/** The older way: the browser asks what to copy, and is answered. */
function copyWith(answer: (event: ClipboardEvent) => void): boolean {
  const onCopy = (event: ClipboardEvent) => {
    answer(event);
    event.preventDefault();
    // Before JupyterLab takes it for a copied cell.
    event.stopImmediatePropagation();
  };
  document.addEventListener("copy", onCopy, true);
  try {
    return document.execCommand("copy");
  } finally {
    document.removeEventListener("copy", onCopy, true);
  }
}
