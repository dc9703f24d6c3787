// What answers need of the checker: documents that it sees, questions about them, and places in them.
import { lineStarts, placeIn, type Place } from "../diagnostics.ts";
import type { Module, Wrapped } from "../cells-program.ts";
import { fromHover, nameAt, nothing, type Inspection } from "../inspect.ts";

/** Who has documents shown: each has its own, and they may be the same. */
export type Group = "mistakes" | "editor";

export interface Documents {
  /** Where the notebook is. */
  readonly directory: string;
  /** Has the checker see the cells that ran, these, and no others that the group had shown before. */
  show(group: Group, modules: readonly Module[]): void;
  /** Has it see these modules of linked cells, which import from each other, and no others. */
  link(modules: readonly Module[]): void;
  request(method: string, parameters: object): Promise<unknown>;
  uri(name: string): string;
  /** Files that the code imports may have changed. */
  notice(code: string): void;
}

export interface Range {
  readonly start: Place;
  readonly end: Place;
}

/** A place in a document, as the protocol says it. */
export function placeOf(
  documents: Pick<Documents, "uri">,
  { name, firstLine }: Pick<Wrapped, "name" | "firstLine">,
  code: string,
  offset: number,
): { textDocument: { uri: string }; position: Place } {
  const lines = code.slice(0, offset).split("\n");
  return {
    textDocument: { uri: documents.uri(name) },
    position: { line: firstLine + lines.length - 1, character: lines.at(-1)!.length },
  };
}

/** Offsets in a cell's code of a range in its document; `null`: it lies in the lines around the code. */
export function offsetsOf(
  code: string,
  wrapped: Pick<Wrapped, "firstLine">,
  range: Range,
): { start: number; end: number } | null {
  return placeIn(code, lineStarts(code), wrapped, { range });
}

/** A cell that is asked about, and what wraps a text in its stead. */
export interface Asked {
  readonly code: string;
  readonly wrap: (code: string) => Wrapped;
  readonly modules: readonly Module[];
}

/** What the checker says of a place, and where that is. */
export async function hoverAt(
  documents: Documents,
  { code, wrap, modules }: Asked,
  offset: number,
): Promise<Inspection & { range: Range | null }> {
  const wrapped = wrap(code);
  documents.show("editor", [...modules, wrapped]);
  const result = await documents.request("textDocument/hover", placeOf(documents, wrapped, code, offset));
  const found = fromHover(result);
  if (found.found) return { ...found, range: (result as { range?: Range }).range ?? null };
  return { ...(await typeAt(documents, { code, wrap, modules }, offset)), range: null };
}

/** Where a value may stand, the checker says nothing of a name that is only a type. */
async function typeAt(documents: Documents, { code, wrap, modules }: Asked, offset: number): Promise<Inspection> {
  const name = nameAt(code, offset);
  if (name === null) return nothing;
  const text = `${code}\n;type $asked = ${name}`;
  const wrapped = wrap(text);
  documents.show("editor", [...modules, wrapped]);
  const place = placeOf(documents, wrapped, text, text.length);
  const found = fromHover(await documents.request("textDocument/hover", place));
  documents.show("editor", [...modules, wrap(code)]);
  return found.text.endsWith("= /*unresolved*/ any") ? nothing : found;
}
