// Completes names as the kernel knows them, also those of cells that have not run; a name that has to be imported brings its
// import, in the same step.
import type { CompletionHandler, ICompletionContext, ICompletionProvider } from "@jupyterlab/completer";
import type { Extension } from "@codemirror/state";
import { EditorState, Transaction } from "@codemirror/state";
import type { EditorEdit } from "../../../kernel/mime.ts";
import type { Help } from "./help.ts";
import { labelOf } from "./labels.ts";

interface Offered {
  /** Where the name begins. */
  start: number;
  edits: ReadonlyMap<string, readonly EditorEdit[]>;
}

export class Completions implements ICompletionProvider {
  readonly identifier = "CompletionProvider:warpcell";
  /** Before the kernel's own, which knows less; what both say is shown once. */
  readonly rank = 600;
  readonly renderer = null;
  private readonly help: Help;
  /** What was offered last in each cell. */
  private readonly offered = new WeakMap<object, Offered>();

  constructor(help: Help) {
    this.help = help;
  }

  isApplicable({ editor }: ICompletionContext): Promise<boolean> {
    const isAsked = this.help.settings.completion && (this.help.of(editor?.model)?.isAnswered ?? false);
    return Promise.resolve(isAsked);
  }

  async fetch(
    { offset }: CompletionHandler.IRequest,
    { editor }: ICompletionContext,
  ): Promise<CompletionHandler.ICompletionItemsReply> {
    const model = editor?.model;
    const found = model ? await this.help.ask("complete", model, offset) : null;
    if (!model || !found) return { start: offset, end: offset, items: [] };
    const { start, end, matches } = found.answer;
    const edits = new Map(matches.flatMap((match) => (match.edits.length > 0 ? [[match.text, match.edits]] : [])));
    this.offered.set(model, { start, edits });
    return {
      start,
      end,
      items: matches.map((match) => ({
        label: labelOf(match),
        insertText: match.text,
        type: match.type,
        documentation: [match.signature, match.documentation].filter((text) => text !== "").join("\n\n"),
      })),
    };
  }

  /** Writes the import of a name that is completed in an editor of `model`. */
  imports(model: object): Extension {
    return EditorState.transactionFilter.of((transaction) => {
      const edits = this.importOf(model, transaction);
      if (edits === null) return transaction;
      // They stand before the name.
      const changes = edits.map(({ start, end, text }) => ({ from: start, to: end, insert: text }));
      return [transaction, { changes, sequential: true }];
    });
  }

  /** What is completed is no key and no paste, begins where it was offered, and is what was offered. */
  private importOf(model: object, transaction: Transaction): readonly EditorEdit[] | null {
    const offered = this.offered.get(model);
    if (!transaction.docChanged || offered === undefined) return null;
    if (transaction.annotation(Transaction.userEvent) !== undefined) return null;
    let edits: readonly EditorEdit[] | null = null;
    let changes = 0;
    transaction.changes.iterChanges((from, _to, _start, _end, inserted) => {
      changes += 1;
      if (from === offered.start) edits = offered.edits.get(inserted.toString()) ?? null;
    });
    if (changes !== 1 || edits === null) return null;
    this.offered.delete(model);
    return edits;
  }
}
