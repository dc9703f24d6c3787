// One line of text that changes: an output below a cell, or the last line of a terminal.
import { randomUUID } from "node:crypto";

/** Each text takes the place of the one before. */
export interface StatusLine {
  readonly columns: number;
  write(text: string): void;
  /** The last text, which stays. */
  end(text: string): void;
  /** Nothing stays. */
  clear(): void;
}

/** The global of cells. */
interface Display {
  (value: unknown, options: { readonly display_id: string }): Promise<unknown>;
  update(id: string, value: unknown): Promise<void>;
}

const displayKey = Symbol.for("Jupyter.display");

/** `null` where nobody would read it: in pipes and files. */
export function openStatusLine(): StatusLine | null {
  const { display } = globalThis as { display?: Display };
  if (typeof display === "function" && typeof display.update === "function") return belowCell(display);
  return process.stdout.isTTY ? inTerminal(process.stdout) : null;
}

function belowCell(display: Display): StatusLine {
  const id = randomUUID();
  let isShown = false;
  const show = (bundle: Record<string, string>): void => {
    const value = { [displayKey]: () => bundle };
    // Sent at once: a loop without an await lets nothing else run.
    void (isShown ? display.update(id, value) : display(value, { display_id: id }));
    isShown = true;
  };
  const write = (text: string): void => show({ "text/plain": text });
  return {
    columns: 100,
    write,
    end: write,
    // An output of no type has no height, and stays out of exported documents.
    clear: () => show({}),
  };
}

function inTerminal(out: NodeJS.WriteStream): StatusLine {
  const clear = "\r\u001b[K";
  return {
    columns: Math.max(20, (out.columns ?? 80) - 1),
    write: (text) => void out.write(`${clear}${text}`),
    end: (text) => void out.write(`${clear}${text}\n`),
    clear: () => void out.write(clear),
  };
}
