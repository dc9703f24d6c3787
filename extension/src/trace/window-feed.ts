// Keeps a timeline whose output has an overview alone supplied with the slices of what it shows, asked of the kernel
// one window at a time.
import { trans } from "../drawing/trans.ts";
import type { Kernel } from "@jupyterlab/services";
import type { WindowReply, WindowRequest } from "../../../kernel/mime.ts";
import { traceTarget } from "../../../kernel/mime.ts";
import { CommQuestions } from "../kernel-link/comm-questions.ts";
import type { Checked, Expectations } from "../kernel-link/fields.ts";
import { checkFields, count, flag, list, orNull, text } from "../kernel-link/fields.ts";
import type { Columns } from "./columns.ts";
import { readColumns } from "./columns.ts";
import type { TimelineModel } from "./model.ts";
import type { Span } from "./span.ts";
import { around, covers, lengthOf } from "./span.ts";

const gone = () =>
  trans.__("The kernel that made this profile is gone. Run its cell again to see more than an overview.");

/** Milliseconds that a view stays still before its slices are asked for. */
const pause = 120;
/** What is asked for on each side of the view, as a share of it. */
const room = 0.5;
/** How much coarser than its pixels a window may be. */
const coarsest = 1.6;

const replyFields: Expectations<WindowReply> = {
  request: count,
  length: count,
  columns: list,
  complete: flag,
  problem: orNull(text),
};

export interface Window {
  readonly columns: Columns;
  readonly complete: boolean;
}

/** Asks for the slices of one window of time. */
export type AskWindow = (request: Omit<WindowRequest, "request">) => Promise<Checked<Window>>;

/** Asks the kernel of a notebook. */
export function windowsOf(
  kernelOf: () => Kernel.IKernelConnection | null,
): (tables: Parameters<typeof readColumns>[2]) => AskWindow {
  const questions = new CommQuestions(traceTarget, gone, kernelOf);
  return (tables) => async (request) => {
    const answer = await questions.ask(request);
    if (!answer.ok) return answer;
    const { data, buffers } = answer.value;
    const reply = checkFields(trans.__("the kernel's reply on a profile"), data, replyFields);
    if (!reply.ok) return reply;
    if (buffers[0] === undefined)
      return {
        ok: false,
        problem: trans.__("Expected the kernel's reply on a profile to have one buffer but got none."),
      };
    const columns = readColumns(reply.value, buffers[0], tables);
    return columns.ok ? { ok: true, value: { columns: columns.value, complete: reply.value.complete } } : columns;
  };
}

export class WindowFeed {
  private readonly model: TimelineModel;
  private readonly id: string;
  private readonly ask: AskWindow;
  private readonly pixels: () => number;
  private readonly say: (problem: string) => void;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private underWay = false;
  private have: { span: Span; perPixel: number; complete: boolean } | null = null;
  private disposed = false;

  /**
   * `pixels`: the width that is shown. `say`: takes the sentence that says why there is no more than the overview, or
   * nothing.
   */
  constructor(model: TimelineModel, id: string, ask: AskWindow, pixels: () => number, say: (problem: string) => void) {
    this.model = model;
    this.id = id;
    this.ask = ask;
    this.pixels = pixels;
    this.say = say;
  }

  dispose(): void {
    this.disposed = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  /** To be called when the view has changed. */
  consider(): void {
    if (this.disposed || this.underWay || !this.lacks()) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.fetch(), pause);
  }

  private lacks(): boolean {
    const { view, whole } = this.model;
    // The overview is made for the whole.
    if (lengthOf(view) >= 0.98 * lengthOf(whole)) return false;
    if (this.have === null || !covers(this.have.span, view)) return true;
    return !this.have.complete && this.have.perPixel > (coarsest * lengthOf(view)) / this.pixels();
  }

  private async fetch(): Promise<void> {
    this.timer = null;
    if (this.disposed || this.underWay || !this.lacks()) return;
    const span = around(this.model.view, this.model.whole, room);
    const width = Math.ceil((this.pixels() * lengthOf(span)) / lengthOf(this.model.view));
    const asked = this.model.view;
    this.underWay = true;
    const reply = await this.ask({ id: this.id, start: span.start, end: span.end, width });
    this.underWay = false;
    if (this.disposed) return;
    this.say(reply.ok ? "" : reply.problem);
    if (reply.ok) {
      this.have = { span, perPixel: lengthOf(span) / width, complete: reply.value.complete };
      this.model.receive(reply.value.columns, span, reply.value.complete);
    }
    // Where the view is now, it may lack more; what failed is asked again only when it moves.
    if (this.model.view !== asked) this.consider();
  }
}
