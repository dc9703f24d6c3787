// The notebook in front and its kernel, where that is one of ours: what panels beside notebooks are about.
import type { INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import { Signal } from "@lumino/signaling";

/** Kernels that understand our targets; others are left alone. */
const implementation = "warpcell";

export class NotebookInFront {
  /** Another notebook, or another kernel; also one that has restarted. */
  readonly changed = new Signal<this, void>(this);
  /** A cell begins, true, or has ended, false. */
  readonly ran = new Signal<this, boolean>(this);
  panel: NotebookPanel | null = null;
  /** `null`: there is none, or it is another's. */
  kernel: Kernel.IKernelConnection | null = null;
  isBusy = false;
  private known: Kernel.IKernelConnection | null = null;

  constructor(tracker: INotebookTracker) {
    tracker.currentChanged.connect((_tracker, panel) => this.follow(panel));
    this.follow(tracker.currentWidget);
  }

  private follow(panel: NotebookPanel | null): void {
    if (panel === this.panel) return;
    this.panel?.sessionContext.kernelChanged.disconnect(this.onKernel, this);
    this.panel = panel;
    panel?.sessionContext.kernelChanged.connect(this.onKernel, this);
    this.onKernel();
  }

  private onKernel(): void {
    const known = this.panel?.sessionContext.session?.kernel ?? null;
    if (known === this.known) return;
    this.known?.iopubMessage.disconnect(this.onMessage, this);
    this.known?.statusChanged.disconnect(this.onStatus, this);
    this.known?.connectionStatusChanged.disconnect(this.onConnection, this);
    this.known = known;
    this.kernel = null;
    this.isBusy = false;
    known?.iopubMessage.connect(this.onMessage, this);
    known?.statusChanged.connect(this.onStatus, this);
    known?.connectionStatusChanged.connect(this.onConnection, this);
    this.changed.emit();
    void this.recognise(known);
  }

  private async recognise(kernel: Kernel.IKernelConnection | null): Promise<void> {
    const info = await kernel?.info;
    if (kernel !== this.known || info?.implementation !== implementation) return;
    this.kernel = kernel;
    this.changed.emit();
  }

  private onStatus(_: unknown, status: Kernel.Status): void {
    if (status !== "restarting" && status !== "autorestarting" && status !== "dead") return;
    this.isBusy = false;
    this.kernel = null;
    this.changed.emit();
    // Whoever comes back has another process behind it, and says what it is.
    if (status !== "dead") void this.recognise(this.known);
  }

  /** A restart ends with a new connection: what was asked before may have been lost with the old one. */
  private onConnection(_: unknown, status: Kernel.ConnectionStatus): void {
    if (status === "connected" && this.kernel !== null) this.changed.emit();
  }

  /** Questions make a kernel busy, too: cells alone count. */
  private onMessage(_: unknown, message: KernelMessage.IIOPubMessage): void {
    const parent = message.parent_header as { msg_type?: string };
    if (message.header.msg_type !== "status" || parent.msg_type !== "execute_request") return;
    const { execution_state: state } = message.content as { execution_state: string };
    this.isBusy = state === "busy";
    this.ran.emit(this.isBusy);
  }
}
