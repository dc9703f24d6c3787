// Asks the kernel of a notebook for slices of its tensors.
import { trans } from "../drawing/trans.ts";
import type { Kernel } from "@jupyterlab/services";
import type { SliceReply, SliceRequest } from "../../../kernel/mime.ts";
import { tensorTarget } from "../../../kernel/mime.ts";
import { CommQuestions } from "../kernel-link/comm-questions.ts";
import type { Checked } from "../kernel-link/fields.ts";

const gone = () => trans.__("The kernel that made this tensor is gone. Run its cell again to see its slices.");

export class SliceSource {
  private readonly questions: CommQuestions;

  constructor(kernelOf: () => Kernel.IKernelConnection | null) {
    this.questions = new CommQuestions(tensorTarget, gone, kernelOf);
  }

  /** Lets the kernel get ready for requests. */
  prepare(): void {
    this.questions.prepare();
  }

  /**
   * The picture of the last two axes at `index` of the others, unchecked, and whether it may still be changing; or the
   * sentence that says why there is none.
   */
  async request(id: string, index: number[]): Promise<Checked<{ tile: unknown; unfinished: boolean }>> {
    const answer = await this.questions.ask({ id, index } satisfies Omit<SliceRequest, "request">);
    if (!answer.ok) return answer;
    const { tile, unfinished } = answer.value.data as { [Name in keyof SliceReply]?: unknown };
    return { ok: true, value: { tile, unfinished: unfinished === true } };
  }
}
