// Asks the kernel of a notebook about its cells as they are written; where the kernel is another one, nothing is asked.
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { Kernel } from "@jupyterlab/services";
import { type EditorAnswers, type EditorQuestion, editorTarget } from "../../../kernel/mime.ts";
import { CommQuestions } from "../kernel-link/comm-questions.ts";
import { fits } from "./answers.ts";

export type NotebookCell = NotebookPanel["content"]["widgets"][number];
export type CellModel = NotebookCell["model"];

/** Kernels that understand the target; others are left alone. */
const implementation = "warpcell";

/** On a notebook whose kernel answers: what keys of ours are for. */
const markedAs = "warpcell-editor";

export interface Answered<Question extends EditorQuestion> {
  answer: EditorAnswers[Question];
  /** The cells that were asked about, with the texts that the answer is of. */
  cells: readonly { cell: NotebookCell; text: string }[];
}

export class NotebookQuestions {
  readonly panel: NotebookPanel;
  private kernel: Kernel.IKernelConnection | null = null;
  private readonly comm: CommQuestions;
  private readonly whenReady: () => void;

  /** `ready`: a kernel answers, which may be another than before. */
  constructor(panel: NotebookPanel, ready: () => void) {
    this.panel = panel;
    this.whenReady = ready;
    this.comm = new CommQuestions(
      editorTarget,
      () => "",
      () => this.kernel,
    );
    panel.sessionContext.kernelChanged.connect(() => void this.recognise());
    void this.recognise();
  }

  get isAnswered(): boolean {
    return this.kernel !== null && this.kernel.status !== "dead";
  }

  get cells(): NotebookCell[] {
    return this.panel.content.widgets.filter(({ model }) => model.type === "code");
  }

  has(model: unknown): boolean {
    return this.panel.content.widgets.some((widget) => widget.model === model);
  }

  /** Makes the cell of a model the active one. */
  choose(model: unknown): void {
    const { content } = this.panel;
    content.activeCellIndex = content.widgets.findIndex((widget) => widget.model === model);
  }

  /** `null`: there is no answer, or none that fits. */
  async ask<Question extends EditorQuestion>(
    question: Question,
    model: unknown,
    offset: number,
    more: { name?: string; indent?: number; all?: boolean } = {},
  ): Promise<Answered<Question> | null> {
    const cells = this.cells.map((cell) => ({ cell, text: cell.model.sharedModel.getSource() }));
    const index = cells.findIndex(({ cell }) => cell.model === model);
    if (index < 0 || !this.isAnswered) return null;
    const answer = await this.comm.ask({
      question,
      cells: cells.map(({ text }) => text),
      cell: index,
      offset: Math.min(offset, cells[index]!.text.length),
      ...more,
    });
    if (!answer.ok) return null;
    const given = (answer.value.data as { answer?: unknown }).answer;
    return fits(question, given) ? { answer: given, cells } : null;
  }

  private async recognise(): Promise<void> {
    const kernel = this.panel.sessionContext.session?.kernel ?? null;
    this.kernel = null;
    this.panel.content.node.classList.remove(markedAs);
    const info = await kernel?.info;
    if (kernel !== this.panel.sessionContext.session?.kernel || info?.implementation !== implementation) return;
    this.kernel = kernel;
    this.panel.content.node.classList.add(markedAs);
    this.whenReady();
  }
}
