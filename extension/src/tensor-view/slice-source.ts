// Asks the kernel of a notebook for slices of its tensors, over one comm.
import type { Kernel } from "@jupyterlab/services";
import type { SliceReply, SliceRequest } from "../../../kernel/mime.ts";
import { tensorTarget } from "../../../kernel/mime.ts";
import type { Checked } from "../fields.ts";

type Answer = (reply: Checked<unknown>) => void;

const gone = "The kernel that made this tensor is gone. Run its cell again to see its slices.";

export class SliceSource {
  private readonly kernelOf: () => Kernel.IKernelConnection | null;
  private kernel: Kernel.IKernelConnection | null = null;
  private comm: Kernel.IComm | null = null;
  private readonly waiting = new Map<number, Answer>();
  private requests = 0;

  constructor(kernelOf: () => Kernel.IKernelConnection | null) {
    this.kernelOf = kernelOf;
  }

  /** The picture of the last two axes at `index` of the others, unchecked, or the sentence that says why there is none. */
  request(id: string, index: number[]): Promise<Checked<unknown>> {
    const comm = this.open();
    if (!comm) return Promise.resolve({ ok: false, problem: gone });
    const request = this.requests++;
    return new Promise((resolve) => {
      this.waiting.set(request, resolve);
      comm.send({ request, id, index } satisfies SliceRequest);
    });
  }

  private open(): Kernel.IComm | null {
    const kernel = this.kernelOf();
    if (kernel !== this.kernel) this.forget();
    if (!kernel || kernel.isDisposed || !kernel.handleComms || kernel.status === "dead") return null;
    if (this.comm) return this.comm;
    const comm = kernel.createComm(tensorTarget);
    comm.onMsg = ({ content }) => this.answer(content.data as unknown as SliceReply);
    // A kernel that does not know the target closes at once.
    comm.onClose = () => this.forget();
    if (kernel !== this.kernel) kernel.statusChanged.connect(this.onStatus, this);
    this.kernel = kernel;
    this.comm = comm;
    comm.open();
    return comm;
  }

  private onStatus(kernel: Kernel.IKernelConnection, status: Kernel.Status): void {
    if (kernel === this.kernel && (status === "restarting" || status === "autorestarting" || status === "dead")) this.forget();
  }

  private answer({ request, tile, problem }: SliceReply): void {
    const answer = this.waiting.get(request);
    this.waiting.delete(request);
    answer?.(problem === null ? { ok: true, value: tile } : { ok: false, problem });
  }

  private forget(): void {
    this.comm = null;
    const answers = [...this.waiting.values()];
    this.waiting.clear();
    for (const answer of answers) answer({ ok: false, problem: gone });
  }
}
