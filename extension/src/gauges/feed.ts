// Keeps the gauges comm of one kernel open over its restarts and passes on every message that is not stale.
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import type { GaugesPayload, ReopenPayload } from "../../../kernel/mime.ts";
import { gaugesTarget } from "../../../kernel/mime.ts";
import type { Checked } from "../kernel-link/fields.ts";
import { checkGauges } from "./reading.ts";

/** What a feed reports; `null` while the kernel sends nothing. */
export type Report = Checked<GaugesPayload> | null;

/** Kernels that understand the target; others are left alone. */
const implementation = "warpcell";

/** A kernel in one of these states answers; in the others its last figures are no longer true. */
const answering: ReadonlySet<Kernel.Status> = new Set(["idle", "busy"]);

/** After one of these the kernel knows none of the comms it had. */
const forgetting: ReadonlySet<Kernel.Status> = new Set(["restarting", "autorestarting"]);

export class GaugeFeed {
  private readonly kernel: Kernel.IKernelConnection;
  private readonly report: (report: Report) => void;
  private comm: Kernel.IComm | null = null;
  private ours = false;
  private disposed = false;

  constructor(kernel: Kernel.IKernelConnection, report: (report: Report) => void) {
    this.kernel = kernel;
    this.report = report;
    kernel.statusChanged.connect(this.onStatus, this);
    kernel.connectionStatusChanged.connect(this.onConnection, this);
    void this.recognise();
  }

  /** Closes the comm, so that the kernel stops measuring. */
  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.kernel.statusChanged.disconnect(this.onStatus, this);
    this.kernel.connectionStatusChanged.disconnect(this.onConnection, this);
    this.close();
  }

  private async recognise(): Promise<void> {
    const info = await this.kernel.info;
    this.ours = info.implementation === implementation;
    this.openIfDue();
  }

  private onStatus(_kernel: Kernel.IKernelConnection, status: Kernel.Status): void {
    if (forgetting.has(status)) this.comm = null;
    if (answering.has(status)) this.openIfDue();
    else this.report(null);
  }

  /**
   * A restart ends with a new connection: a comm from before may have been opened on the kernel that was about to go.
   */
  private onConnection(_kernel: Kernel.IKernelConnection, status: Kernel.ConnectionStatus): void {
    if (status !== "connected") return;
    this.close();
    this.openIfDue();
  }

  private close(): void {
    if (this.comm && !this.comm.isDisposed && !this.kernel.isDisposed) {
      this.comm.onClose = ignore;
      this.comm.close();
    }
    this.comm = null;
  }

  private openIfDue(): void {
    if (this.disposed || !this.ours || this.kernel.isDisposed || !this.kernel.handleComms || this.comm) return;
    let last = -1;
    const comm = this.kernel.createComm(gaugesTarget);
    comm.onMsg = (message: KernelMessage.ICommMsgMsg) => {
      const checked = checkGauges(message.content.data);
      if (checked.ok && checked.value.sequence <= last) return;
      if (checked.ok) last = checked.value.sequence;
      this.report(checked);
    };
    comm.onClose = ({ content }) => {
      if (!asksToReopen(content.data)) return this.report(null);
      this.comm = null;
      this.openIfDue();
    };
    this.comm = comm;
    comm.open();
  }
}

const asksToReopen = (data: unknown): boolean => (data as Partial<ReopenPayload> | null)?.reopen === true;

const ignore = (): void => undefined;
