// Answers what an editor asks of the cells of a notebook as they are written: a row for each question, in both languages.
import type { EditorAnswers, EditorChanges, EditorEdit, EditorQuestion, EditorRequest } from "warpcell/payloads";
import type { CellsProgram } from "../cells-program.ts";
import type { Completion } from "../complete.ts";
import { completeMagic } from "../complete-magic.ts";
import { hoverOf, matchesOf, signaturesOf } from "../cuda/answers.ts";
import { CudaNotebook } from "../cuda/notebook.ts";
import type { Drafts } from "../drafts.ts";
import type { Documents } from "./documents.ts";
import { formatOf, layoutOf } from "./format.ts";
import { formatOfCuda } from "./format-cuda.ts";
import { Naming, refused } from "./naming.ts";
import { TypeScriptAnswers } from "./typescript.ts";
import { writtenCell, type WrittenCell } from "./written-cells.ts";

/** Without the numbers that lead an answer to its question. */
export type Asked = Omit<EditorRequest, "request">;

export const unanswered: EditorAnswers = {
  hover: null,
  signature: null,
  complete: { start: 0, end: 0, matches: [] },
  definition: null,
  references: null,
  rename: { cells: [], refused: null },
  format: { cells: [], refused: null },
  hints: [],
};

type Answers = { [Question in EditorQuestion]: (asked: Asked) => Promise<EditorAnswers[Question]> };

export class CellEditor {
  readonly #typescript: TypeScriptAnswers;
  readonly #documents: Documents;
  readonly #withKind: (match: Completion, program: CellsProgram) => Completion;

  constructor(
    drafts: Drafts,
    documents: Documents,
    withKind: (match: Completion, program: CellsProgram) => Completion,
  ) {
    this.#typescript = new TypeScriptAnswers(drafts, documents);
    this.#documents = documents;
    this.#withKind = withKind;
  }

  answer<Question extends EditorQuestion>(question: Question, asked: Asked): Promise<EditorAnswers[Question]> {
    return this.#answers[question](asked);
  }

  readonly #answers: Answers = {
    hover: (asked) =>
      this.#either(asked, null, (cell, before) => this.#typescript.hover(cell, before, asked.offset), hoverOf),
    signature: (asked) =>
      this.#either(asked, null, (cell, before) => this.#typescript.signature(cell, before, asked.offset), signaturesOf),
    complete: async (asked) => {
      const magic = completeMagic(asked.cells[asked.cell]!, asked.offset);
      if (magic !== null) {
        const matches = magic.matches.map(({ text, type, signature }) => ({ ...plain, text, type, signature }));
        return { ...magic, matches };
      }
      const nothing = { start: asked.offset, end: asked.offset, matches: [] };
      return this.#either(
        asked,
        nothing,
        (cell, before) => this.#typescript.complete(cell, before, asked.offset, this.#withKind),
        matchesOf,
      );
    },
    definition: async (asked) => {
      if (!this.#isCode(asked)) return null;
      const found = await this.#naming(asked).definition(asked.cell, asked.offset);
      if (found === null) return null;
      return { ...found, hover: found.places.length === 0 ? await this.answer("hover", asked) : null };
    },
    references: async (asked) =>
      this.#isCode(asked) ? this.#naming(asked).references(asked.cell, asked.offset) : null,
    rename: async (asked) =>
      this.#isCode(asked)
        ? this.#naming(asked).rename(asked.cell, asked.offset, asked.name ?? "")
        : refused("This cell is a file's text, in which nothing is renamed."),
    format: (asked) => this.#format(asked),
    hints: (asked) =>
      this.#either<EditorAnswers["hints"]>(
        asked,
        [],
        (cell, before) => this.#typescript.hints(cell, before),
        () => [],
      ),
  };

  async #either<Answer>(
    { cells, cell, offset }: Asked,
    nothing: Answer,
    typescript: (cell: WrittenCell, before: readonly string[]) => Promise<Answer>,
    cuda: (notebook: CudaNotebook, cell: number, offset: number) => Answer,
  ): Promise<Answer> {
    const written = writtenCell(cells[cell]!);
    if (written.language === "typescript") return typescript(written, cells.slice(0, cell));
    if (written.language === "other") return nothing;
    const texts = cells.map((text, index) => [index, writtenCell(text)] as const);
    const ofDevice = texts.filter(([, { language }]) => language === "cuda");
    return cuda(new CudaNotebook(new Map(ofDevice.map(([index, { code }]) => [index, code]))), cell, offset);
  }

  /** A file's text that is written by a cell is none. */
  #isCode({ cells, cell }: Asked): boolean {
    return writtenCell(cells[cell]!).language !== "other";
  }

  #naming({ cells }: Asked): Naming {
    return new Naming(cells.map(writtenCell), this.#documents);
  }

  async #format({ cells, cell, all = false, indent = 4 }: Asked): Promise<EditorChanges> {
    const changed: EditorChanges["cells"][number][] = [];
    for (const [index, text] of cells.entries()) {
      if (!all && index !== cell) continue;
      const edits = await this.#laidOut(writtenCell(text), indent);
      if (typeof edits !== "string") {
        if (edits.length > 0) changed.push({ cell: index, edits });
      } else if (!all) return refused(edits);
    }
    return { cells: changed, refused: null };
  }

  /** What is to be changed in a cell, or the sentence that says why nothing can be. */
  async #laidOut(cell: WrittenCell, indent: number): Promise<EditorEdit[] | string> {
    const { directory } = this.#documents;
    if (cell.language === "other") return "This cell is a file's text, which is not formatted.";
    if (cell.language === "cuda") return formatOfCuda(cell, layoutOf(directory, indent, "cu"), directory);
    const edits = await formatOf(cell, layoutOf(directory, indent, "ts"), this.#documents);
    return edits ?? "This cell cannot be parsed: mend what is underlined, then format it.";
  }
}

const plain = { text: "", type: "", signature: "", documentation: "", from: null, edits: [] };
