// The gauges of one kernel and what they were in the last minutes: one feed for all who show them.
import type { Kernel } from "@jupyterlab/services";
import { Signal } from "@lumino/signaling";
import type { DeviceGauge } from "../../../kernel/mime.ts";
import type { Report } from "./feed.ts";
import { GaugeFeed } from "./feed.ts";

/** What a device said at a time, in ms since the epoch. */
export interface GaugeSample {
  readonly time: number;
  readonly gauge: DeviceGauge;
}

/** So far back, in ms, and so many samples. */
export const longestHistory = 60 * 60_000;
const mostSamples = 8000;

const histories = new WeakMap<Kernel.IKernelConnection, GaugeHistory>();

export class GaugeHistory {
  readonly reported = new Signal<this, Report>(this);
  /** By device. */
  readonly samples = new Map<string, GaugeSample[]>();
  last: Report = null;
  private readonly kernel: Kernel.IKernelConnection;
  private feed: GaugeFeed | null = null;
  private users = 0;

  private constructor(kernel: Kernel.IKernelConnection) {
    this.kernel = kernel;
  }

  /** What is known of a kernel's gauges; they are asked for while anybody uses them. */
  static of(kernel: Kernel.IKernelConnection): GaugeHistory {
    const known = histories.get(kernel) ?? new GaugeHistory(kernel);
    histories.set(kernel, known);
    return known;
  }

  /** Returns what ends the use. */
  use(report: (report: Report) => void): () => void {
    const listener = (_: unknown, each: Report): void => report(each);
    this.reported.connect(listener);
    this.users += 1;
    this.feed ??= new GaugeFeed(this.kernel, (each) => this.take(each));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.reported.disconnect(listener);
      this.users -= 1;
      if (this.users > 0) return;
      this.feed?.dispose();
      this.feed = null;
    };
  }

  private take(report: Report): void {
    this.last = report;
    if (report?.ok) for (const gauge of report.value.devices) this.note({ time: Date.now(), gauge });
    this.reported.emit(report);
  }

  private note(sample: GaugeSample): void {
    const samples = this.samples.get(sample.gauge.device) ?? [];
    samples.push(sample);
    const first = samples.findIndex(({ time }) => time >= sample.time - longestHistory);
    samples.splice(0, Math.max(first, samples.length - mostSamples));
    this.samples.set(sample.gauge.device, samples);
  }
}
