// Asks the kernel of a notebook for the mistakes in its cells, one question at a time: the cell that is written first,
// the others while no cell runs.
import { NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import type { Kernel } from "@jupyterlab/services";
import { type CellMistake, mistakesTarget } from "../../../kernel/mime.ts";
import { headLength, magicEnd } from "../cuda-cells/magic-line.ts";
import { CommQuestions } from "../kernel-link/comm-questions.ts";
import { between, checkFields, count, oneOf, text } from "../kernel-link/fields.ts";
import type { KnownMistakes } from "./known-mistakes.ts";

type CellModel = NotebookPanel["content"]["widgets"][number]["model"];

/** So long nothing is asked after a key, in ms: in the middle of a word everything is a mistake. */
const pause = 120;

/** So often a question without an answer is put again. */
const mostUnanswered = 10;

/** Kernels that understand the target; others are left alone. */
const implementation = "warpcell";

const expectations = {
  start: count,
  end: count,
  code: text,
  severity: oneOf("error", "warning"),
  message: text,
};

export class NotebookChecks {
  private readonly panel: NotebookPanel;
  private readonly known: KnownMistakes;
  private readonly questions: CommQuestions;
  /** The text that a cell had when there was no answer, and how often. */
  private readonly unanswered = new WeakMap<CellModel, { readonly code: string; readonly times: number }>();
  private readonly listened = new WeakSet<CellModel>();
  /** Cells whose mistakes are not known. */
  private readonly due = new Set<CellModel>();
  /** The one that is written; `null` until a pause. */
  private written: CellModel | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private kernel: Kernel.IKernelConnection | null = null;
  private asking = false;

  constructor(panel: NotebookPanel, known: KnownMistakes) {
    this.panel = panel;
    this.known = known;
    this.questions = new CommQuestions(
      mistakesTarget,
      () => "",
      () => this.kernel,
    );
    const { content, sessionContext } = panel;
    const follow = () => {
      content.model?.cells.changed.connect(this.onCells, this);
      this.onCells();
    };
    const recognise = () => void this.recognise();
    const whenExecuted = (_: unknown, { notebook }: { notebook: unknown }) => {
      if (notebook === content) this.all();
    };
    content.modelChanged.connect(follow);
    sessionContext.kernelChanged.connect(recognise);
    sessionContext.statusChanged.connect(this.onStatus, this);
    NotebookActions.executed.connect(whenExecuted);
    panel.disposed.connect(() => {
      clearTimeout(this.timer);
      NotebookActions.executed.disconnect(whenExecuted);
    });
    follow();
    recognise();
  }

  private get cells(): CellModel[] {
    return [...(this.panel.content.model?.cells ?? [])].filter(({ type }) => type === "code");
  }

  private async recognise(): Promise<void> {
    const kernel = this.panel.sessionContext.session?.kernel ?? null;
    this.kernel = null;
    const info = await kernel?.info;
    if (kernel !== this.panel.sessionContext.session?.kernel || info?.implementation !== implementation) return;
    this.kernel = kernel;
    this.all();
  }

  private onStatus(_: unknown, status: Kernel.Status): void {
    if (status === "restarting" || status === "autorestarting") this.all();
    else if (status === "idle") void this.next();
  }

  private onCells(): void {
    for (const cell of this.cells) {
      if (this.listened.has(cell)) continue;
      this.listened.add(cell);
      cell.contentChanged.connect(this.onContent, this);
    }
    this.all();
  }

  /** What a cell declares those below may use. */
  private onContent(cell: CellModel): void {
    const { cells } = this;
    this.areDue(cells.slice(cells.indexOf(cell)));
    this.written = null;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.written = cell;
      void this.next();
    }, pause);
  }

  private all(): void {
    this.areDue(this.cells);
    void this.next();
  }

  /** A CUDA cell has the mistakes of its own text alone. */
  private areDue(cells: readonly CellModel[]): void {
    for (const cell of cells) {
      const source = cell.sharedModel.getSource();
      if (magicEnd(source.slice(0, headLength)) === null || !this.known.areOf(cell, source)) this.due.add(cell);
    }
  }

  /** While the user types or a cell runs, only what is written counts. */
  private choose(): CellModel | undefined {
    const { cells } = this;
    for (const cell of this.due) if (!cells.includes(cell)) this.due.delete(cell);
    if (this.written && this.due.has(this.written)) return this.written;
    if (this.kernel?.status !== "idle" || this.timer !== undefined) return undefined;
    const { activeCell } = this.panel.content;
    return activeCell && this.due.has(activeCell.model) ? activeCell.model : cells.find((cell) => this.due.has(cell));
  }

  private async next(): Promise<void> {
    if (this.asking || this.panel.isDisposed || !this.kernel) return;
    const cell = this.choose();
    if (!cell) return;
    this.asking = true;
    const { cells } = this;
    const [code, ...before] = [cell, ...cells.slice(0, cells.indexOf(cell))].map(({ sharedModel }) =>
      sharedModel.getSource(),
    );
    this.due.delete(cell);
    const answer = await this.questions.ask({ code, before });
    this.asking = false;
    if (answer.ok && cell.sharedModel.getSource() === code)
      this.known.set(cell, code!, mistakesIn(answer.value.data, code!.length));
    if (answer.ok) return void this.next();
    // A kernel that has just started may need longer than it is given, and is asked anew. Then a change or run asks.
    const known = this.unanswered.get(cell);
    const times = known?.code === code ? known!.times + 1 : 1;
    if (times > mostUnanswered) return;
    this.unanswered.set(cell, { code: code!, times });
    this.due.add(cell);
    void this.next();
  }
}

/** Those that fit the text; a kernel of another version may send others. */
function mistakesIn(data: unknown, length: number): CellMistake[] {
  const { mistakes } = data as { mistakes?: unknown };
  if (!Array.isArray(mistakes)) return [];
  return mistakes.flatMap((mistake: unknown) => {
    const checked = checkFields<CellMistake>("a mistake", mistake, expectations);
    return checked.ok && between(0, length).holds(checked.value.start) ? [checked.value] : [];
  });
}
