// Asks the kernel of a notebook for slices of its tensors.
import type { Kernel } from "@jupyterlab/services";
import type { SliceRequest } from "../../../kernel/mime.ts";
import { tensorTarget } from "../../../kernel/mime.ts";
import { CommQuestions } from "../kernel-link/comm-questions.ts";
import type { Checked } from "../kernel-link/fields.ts";

const gone = "The kernel that made this tensor is gone. Run its cell again to see its slices.";

export class SliceSource {
  private readonly questions: CommQuestions;

  constructor(kernelOf: () => Kernel.IKernelConnection | null) {
    this.questions = new CommQuestions(tensorTarget, gone, kernelOf);
  }

  /**
   * The picture of the last two axes at `index` of the others, unchecked, or the sentence that says why there is none.
   */
  async request(id: string, index: number[]): Promise<Checked<unknown>> {
    const answer = await this.questions.ask({ id, index } satisfies Omit<SliceRequest, "request">);
    return answer.ok ? { ok: true, value: (answer.value.data as { tile?: unknown }).tile } : answer;
  }
}
