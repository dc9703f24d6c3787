// What an editor is told of a place in a TypeScript cell, behind the cells above it as they are written now.
import type {
  EditorHint,
  EditorHover,
  EditorMatch,
  EditorMatches,
  EditorSignature,
  EditorSignatures,
} from "warpcell/payloads";
import { basename } from "node:path";
import { choose, completionOf, prefixAt, type Completion, type CompletionItem } from "../complete.ts";
import type { CellsProgram } from "../cells-program.ts";
import { readable, lineStarts } from "../diagnostics.ts";
import type { Drafts } from "../drafts.ts";
import { hoverAt, offsetsOf, placeOf, type Asked, type Documents } from "./documents.ts";
import { importEdit, itemsIn, offerOf, withBestOffers } from "./imports-offered.ts";
import type { WrittenCell } from "./written-cells.ts";

/** Signatures cost a request each; more than so many matches are not read anyway. */
const signaturesShown = 16;

/** The part of the protocol's `SignatureHelp` that is read (Language Server Protocol 3.17). */
interface SignatureHelp {
  signatures: {
    label: string;
    documentation?: string | { value: string };
    parameters?: { label: string | [number, number]; documentation?: string | { value: string } }[];
    activeParameter?: number;
  }[];
  activeSignature?: number;
  activeParameter?: number;
}

interface InlayHint {
  position: { line: number; character: number };
  label: string | { value: string; location?: { uri: string } }[];
}

export class TypeScriptAnswers {
  readonly #drafts: Drafts;
  readonly #documents: Documents;

  constructor(drafts: Drafts, documents: Documents) {
    this.#drafts = drafts;
    this.#documents = documents;
  }

  async hover({ code }: WrittenCell, before: readonly string[], offset: number): Promise<EditorHover | null> {
    const asked = this.#asked(code, before);
    const { found, markdown, range } = await hoverAt(this.#documents, asked, offset);
    if (!found) return null;
    const place = range === null ? null : offsetsOf(code, asked.wrap(code), range);
    return { ...(place ?? wordAround(code, offset)), markdown };
  }

  async signature({ code }: WrittenCell, before: readonly string[], offset: number): Promise<EditorSignatures | null> {
    const { wrap, modules } = this.#asked(code, before);
    const wrapped = wrap(code);
    this.#documents.show("editor", [...modules, wrapped]);
    const help = (await this.#documents.request("textDocument/signatureHelp", {
      ...placeOf(this.#documents, wrapped, code, offset),
      context: { triggerKind: 1, isRetrigger: false },
    })) as SignatureHelp | null;
    if (help === null || help.signatures.length === 0) return null;
    return {
      signatures: help.signatures.map((signature) =>
        signatureOf(signature, signature.activeParameter ?? help.activeParameter ?? 0),
      ),
      active: help.activeSignature ?? 0,
    };
  }

  async complete(
    { code, text }: WrittenCell,
    before: readonly string[],
    offset: number,
    withKind: (match: Completion, program: CellsProgram) => Completion,
  ): Promise<EditorMatches> {
    const { wrap, modules, program } = this.#asked(code, before, prefixAt(code, offset));
    const wrapped = wrap(code);
    this.#documents.notice(code);
    this.#documents.show("editor", [...modules, wrapped]);
    const result = await this.#documents.request("textDocument/completion", {
      ...placeOf(this.#documents, wrapped, code, offset),
      context: { triggerKind: 1 },
    });
    const { items, start } = choose(code, offset, withBestOffers(itemsIn(result)));
    const isShort = items.length <= 4 * signaturesShown;
    const matches = await Promise.all(
      items.map(async (item, index): Promise<EditorMatch> => {
        const offer = offerOf(item);
        const isDetailed = offer === null && isShort && index < signaturesShown;
        const detailed = isDetailed ? await this.#documents.request("completionItem/resolve", item) : null;
        const known = withKind(completionOf((detailed as CompletionItem | null) ?? item, start, offset), program);
        return {
          text: known.text,
          type: known.type,
          signature: offer === null ? known.signature : `import from "${offer.moduleSpecifier}"`,
          documentation: known.documentation ?? "",
          from: offer?.moduleSpecifier ?? null,
          edits: offer === null ? [] : [importEdit(code, text, known.text, offer)],
        };
      }),
    );
    return { start, end: offset, matches };
  }

  /** The names of the parameters in calls of kernels. */
  async hints({ code }: WrittenCell, before: readonly string[]): Promise<EditorHint[]> {
    // Nothing else of a kernel takes its parameters.
    if (!/\.\s*(?:launch|over)\b/.test(code)) return [];
    const { wrap, modules, program } = this.#asked(code, before);
    const wrapped = wrap(code);
    this.#documents.show("editor", [...modules, wrapped]);
    const lines = code.split("\n");
    const result = (await this.#documents.request("textDocument/inlayHint", {
      textDocument: { uri: this.#documents.uri(wrapped.name) },
      range: {
        start: { line: wrapped.firstLine, character: 0 },
        end: { line: wrapped.firstLine + lines.length - 1, character: lines.at(-1)!.length },
      },
    })) as InlayHint[] | null;
    const starts = lineStarts(code);
    return (result ?? []).flatMap(({ position, label }) => {
      const [name] = typeof label === "string" ? [] : label;
      const line = position.line - wrapped.firstLine;
      if (name?.location === undefined || line < 0 || line >= starts.length) return [];
      const isOfKernel = program.isOfDevice(basename(name.location.uri));
      return isOfKernel ? [{ offset: starts[line]! + position.character, text: `${name.value}:` }] : [];
    });
  }

  #asked(code: string, before: readonly string[], prefix = ""): Asked & { program: CellsProgram } {
    const program = this.#drafts.after(before);
    return { code, program, modules: program.draftModules(), wrap: (text) => program.forEdit(text, prefix) };
  }
}

function signatureOf(
  { label, documentation, parameters = [] }: SignatureHelp["signatures"][number],
  active: number,
): EditorSignature {
  const shown = readable(label);
  // A parameter of the rest takes all that follow.
  const last = parameters.at(-1);
  const isRest = last !== undefined && textOf(label, last.label).startsWith("...");
  const index = isRest ? Math.min(active, parameters.length - 1) : active;
  const own = parameters[index];
  const texts = [documentation, own?.documentation].map((text) =>
    readable((typeof text === "string" ? text : (text?.value ?? "")).trim()),
  );
  return {
    label: shown,
    parameter:
      own === undefined
        ? null
        : rangeOf(
            shown,
            label,
            parameters.map((each) => textOf(label, each.label)),
            index,
          ),
    markdown: texts.filter((text) => text !== "").join("\n\n"),
  };
}

function textOf(label: string, parameter: string | [number, number]): string {
  return typeof parameter === "string" ? parameter : label.slice(...parameter);
}

/** Where parameter `index` stands in a label, whose types may have been made readable. */
function rangeOf(shown: string, label: string, parameters: readonly string[], index: number): [number, number] | null {
  let at = shown === label ? label.indexOf("(") : 0;
  for (const [place, parameter] of parameters.entries()) {
    const text = readable(parameter);
    const start = shown.indexOf(text, at);
    if (start < 0) return null;
    at = start + text.length;
    if (place === index) return [start, at];
  }
  return null;
}

/** The name around an offset. */
function wordAround(code: string, offset: number): { start: number; end: number } {
  const start = offset - prefixAt(code, offset).length;
  return { start, end: offset + /^[\p{ID_Continue}$\u200c\u200d]*/u.exec(code.slice(offset))![0].length };
}
