// Gives the line after an opened block its indentation, which the C++ parser that JupyterLab brings loses while the
// block is not closed.
import type { IndentContext } from "@codemirror/language";
import { indentService } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

/**
 * A line that opens a block and is whole: the last line of a parameter list is not, and says nothing of the block's own
 * indentation.
 */
function opensBlock(line: string): boolean {
  return /\{\s*$/.test(line) && line.split("(").length === line.split(")").length;
}

/** One unit deeper than the line before, where that opens a block; `undefined` leaves the rest to the language. */
function indentation(context: IndentContext, position: number): number | undefined {
  const here = context.lineAt(position, -1);
  const before = here.from === position && position > 0 ? context.lineAt(position - 1, -1) : here;
  if (!opensBlock(before.text)) return undefined;
  const closes = context.textAfterPos(position).trimStart().startsWith("}");
  return context.countColumn(before.text, before.text.search(/\S/)) + (closes ? 0 : context.unit);
}

export const blockIndentation: Extension = indentService.of(indentation);
