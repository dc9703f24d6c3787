// What the parts of the editor's help share: the notebooks, what is wanted, and how Markdown becomes a page's text.
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import type { EditorQuestion } from "../../../kernel/mime.ts";
import { type Answered, NotebookQuestions } from "./notebook-questions.ts";
import { type EditorSettings, everything } from "./settings.ts";

const textTags =
  "a b blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i li ol p pre span strong sub sup table tbody td th thead tr ul".split(
    " ",
  );

export class Help {
  settings: EditorSettings = everything;
  private readonly rendermime: IRenderMimeRegistry;
  private readonly notebooks = new Set<NotebookQuestions>();
  private readonly listeners = new Set<() => void>();

  constructor(rendermime: IRenderMimeRegistry) {
    this.rendermime = rendermime;
  }

  serve(panel: NotebookPanel): void {
    const questions = new NotebookQuestions(panel, () => this.changed());
    this.notebooks.add(questions);
    panel.disposed.connect(() => this.notebooks.delete(questions));
  }

  /** The notebook of a cell's model. */
  of(model: unknown): NotebookQuestions | null {
    return [...this.notebooks].find((notebook) => notebook.has(model)) ?? null;
  }

  ofPanel(panel: unknown): NotebookQuestions | null {
    return [...this.notebooks].find((notebook) => notebook.panel === panel) ?? null;
  }

  async ask<Question extends EditorQuestion>(
    question: Question,
    model: unknown,
    offset: number,
  ): Promise<Answered<Question> | null> {
    return (await this.of(model)?.ask(question, model, offset)) ?? null;
  }

  /** Calls `listener` when what is known of cells may be another: a kernel, a cell that ran, a setting. */
  whenChanged(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** Documentation of a package must not have the page load its pictures. */
  private readonly textOnly: IRenderMime.ISanitizer = {
    sanitize: (dirty, options) => this.rendermime.sanitizer.sanitize(dirty, { ...options, allowedTags: textTags }),
  };

  /** What comes from a kernel is not trusted. */
  async render(markdown: string): Promise<HTMLElement> {
    const renderer = this.rendermime.clone({ sanitizer: this.textOnly }).createRenderer("text/markdown");
    await renderer.renderModel(this.rendermime.createModel({ data: { "text/markdown": markdown }, trusted: false }));
    return renderer.node;
  }
}
