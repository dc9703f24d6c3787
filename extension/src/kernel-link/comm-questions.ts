// Asks the kernel of a notebook questions over one comm and matches each answer to its question by number.
import { trans } from "../drawing/trans.ts";
import type { Kernel } from "@jupyterlab/services";
import type { Checked } from "./fields.ts";

export interface Answer {
  readonly data: unknown;
  readonly buffers: readonly (ArrayBuffer | ArrayBufferView)[];
}

type Resolve = (answer: Checked<Answer>) => void;

const unnumbered = () => trans.__("The kernel answered without saying which question: it may be of another version.");

/** After one of these the kernel knows none of the comms it had. */
const forgetting: ReadonlySet<Kernel.Status> = new Set(["restarting", "autorestarting", "dead"]);

export class CommQuestions {
  private readonly target: string;
  private readonly gone: () => string;
  private readonly kernelOf: () => Kernel.IKernelConnection | null;
  private kernel: Kernel.IKernelConnection | null = null;
  private comm: Kernel.IComm | null = null;
  private readonly waiting = new Map<number, Resolve>();
  private requests = 0;

  /** `gone`: the answer where there is no kernel, or none that knows the target. */
  constructor(target: string, gone: () => string, kernelOf: () => Kernel.IKernelConnection | null) {
    this.target = target;
    this.gone = gone;
    this.kernelOf = kernelOf;
  }

  /** Lets the kernel know that it will be asked. */
  prepare(): void {
    this.open();
  }

  /** The kernel's answer to `fields`, unchecked but for its `problem`, or the sentence that says why there is none. */
  ask(fields: object): Promise<Checked<Answer>> {
    const comm = this.open();
    if (!comm) return Promise.resolve({ ok: false, problem: this.gone() });
    const request = this.requests++;
    return new Promise((resolve) => {
      this.waiting.set(request, resolve);
      comm.send({ request, ...fields });
    });
  }

  /** Tells the kernel that nothing more is asked, until something is. */
  close(): void {
    const { comm, kernel } = this;
    this.forget();
    if (!comm || comm.isDisposed || !kernel || kernel.isDisposed) return;
    comm.onClose = () => undefined;
    comm.close();
  }

  private open(): Kernel.IComm | null {
    const kernel = this.kernelOf();
    if (kernel !== this.kernel) this.forget();
    if (!kernel || kernel.isDisposed || !kernel.handleComms || kernel.status === "dead") return null;
    if (this.comm) return this.comm;
    const comm = kernel.createComm(this.target);
    comm.onMsg = ({ content, buffers = [] }) => this.answer(content.data, buffers);
    // A kernel that does not know the target closes at once.
    comm.onClose = () => this.forget();
    if (kernel !== this.kernel) kernel.statusChanged.connect(this.onStatus, this);
    this.kernel = kernel;
    this.comm = comm;
    comm.open();
    return comm;
  }

  private onStatus(kernel: Kernel.IKernelConnection, status: Kernel.Status): void {
    if (kernel === this.kernel && forgetting.has(status)) this.forget();
  }

  private answer(data: unknown, buffers: Answer["buffers"]): void {
    const { request, problem } = Object(data) as { request?: unknown; problem?: unknown };
    // Whoever waited for it would wait for ever: a kernel of another's making may send anything.
    if (typeof request !== "number") return this.refuse(unnumbered());
    const resolve = this.waiting.get(request);
    this.waiting.delete(request);
    resolve?.(typeof problem === "string" ? { ok: false, problem } : { ok: true, value: { data, buffers } });
  }

  private forget(): void {
    this.comm = null;
    this.refuse(this.gone());
  }

  private refuse(problem: string): void {
    const resolves = [...this.waiting.values()];
    this.waiting.clear();
    for (const resolve of resolves) resolve({ ok: false, problem });
  }
}
