// The cells of a notebook as an editor has them: which language each is in, and its code, whose offsets are the text's.
import { isCuda } from "../cell.ts";
import { withoutMagics } from "../complete-magic.ts";
import { isWriteFile } from "../write-file.ts";

export interface WrittenCell {
  /** "other": a file's text, which is no code of the notebook. */
  readonly language: "typescript" | "cuda" | "other";
  readonly text: string;
  /** With magics as spaces. */
  readonly code: string;
}

export function writtenCell(text: string): WrittenCell {
  const head = /^\s*\S[^\n]*/.exec(text)?.[0] ?? "";
  const line = head.trimStart();
  if (isWriteFile(line)) return { language: "other", text, code: "" };
  if (!isCuda(line)) return { language: "typescript", text, code: withoutMagics(text) };
  return { language: "cuda", text, code: head.replace(/[^\n]/g, " ") + text.slice(head.length) };
}
