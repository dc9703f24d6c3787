// A profile while it is on: has this process and its devices record, and turns what they recorded into a profile's
// data.
import { Scoped } from "../scoped.ts";
import { clock } from "../device/activity.ts";
import { defaultDevice } from "../device/choice.ts";
import { callerPlace, origin, placeText } from "../device/origins.ts";
import { DeviceProcess } from "../device/process.ts";
import { DeviceError, OutOfMemory, WarpcellError } from "../errors.ts";
import type { DType } from "../memory/dtype.ts";
import { ProfileRecords } from "../wire/profile-records.ts";
import { adviceOf } from "./advice.ts";
import { countText } from "../figures.ts";
import { deviceTimes } from "./idle.ts";
import type { Launch } from "./launches.ts";
import { EventKind } from "./log.ts";
import { operationRows } from "./operations.ts";
import { FunctionSampler, type FunctionRun } from "./functions.ts";
import { copyRate, productRate } from "./rates.ts";
import { Recorder } from "./recorder.ts";
import { slicesOf } from "./drafts.ts";
import { keepForListings, withSamples, type SampledKernel } from "./samples.ts";
import { emptySlices, type KernelRow, type ProfileData, type ProfiledDevice } from "./slices.ts";
import { TimelineBuilder, type DeviceRecords } from "./timeline.ts";

/** What a device process says at the end of a profile, besides the records. */
interface Summary {
  readonly names: string[];
  readonly dropped: number;
  readonly notes: string[];
  readonly counters: { sequence: number; metrics: Record<string, number> }[];
  readonly samples: Omit<SampledKernel, "device">[];
}

/** What a profile is asked for; `counters` and `samples` are the devices' to permit. */
interface Wishes {
  readonly trace?: boolean;
  readonly counters?: boolean;
  readonly samples?: boolean;
  readonly typescript?: boolean;
  readonly title?: string;
}

const underWay = new Scoped<Profiling | null>(null);
const listeners: ((latest: readonly Launch[]) => void)[] = [];

export class Profiling {
  readonly #recorder: Recorder;
  readonly #devices: DeviceProcess[] = [];
  readonly #notes: string[] = [];
  readonly #title: string;
  readonly #hasTrace: boolean;
  readonly #extras: { readonly counters: boolean; readonly samples: boolean };
  readonly #sampled: SampledKernel[] = [];
  /** Nanoseconds of the clock of records at the recorder's start. */
  #base = 0n;
  #hook: Disposable | null = null;
  #functions: FunctionSampler | null = null;

  private constructor({ trace = true, counters = false, samples = false }: Wishes, title: string) {
    this.#recorder = new Recorder((device) => this.#start(device));
    this.#hasTrace = trace;
    this.#extras = { counters, samples };
    this.#title = title;
  }

  /**
   * The default device records, and all that work already or come later. Throws WarpcellError within another profile,
   * and what a device refuses with.
   */
  static begin(wishes: Wishes = {}): Profiling {
    if (underWay.current !== null)
      throw new WarpcellError(
        "PROFILING",
        "A profile is already running, and only one can run at a time. Mark parts of it with range(name, fn).",
      );
    if (wishes.counters === true && wishes.samples === true)
      throw new WarpcellError(
        "OPTIONS",
        "A profile counts or takes samples, because GPUs do not do both at once: take two profiles, one with counters and one with samples.",
      );
    const place = callerPlace();
    const title = place === undefined ? "Profile" : `Profile of ${placeText(place)}`;
    const profiling = new Profiling(wishes, wishes.title ?? title);
    try {
      for (const device of new Set([defaultDevice().device, ...DeviceProcess.all()])) profiling.#start(device);
    } catch (error) {
      for (const device of profiling.#devices) stop(device);
      throw error;
    }
    profiling.#hook = underWay.begin(profiling);
    profiling.#recorder.begin();
    profiling.#base = monotonicAt(profiling.#recorder.start);
    if (wishes.typescript === true) profiling.#functions = new FunctionSampler();
    return profiling;
  }

  #start(device: DeviceProcess): void {
    const { notes } = device.request("profile_start", this.#extras);
    this.#devices.push(device);
    for (const note of (JSON.parse(notes) as { notes: string[] }).notes) this.#notes.push(`${device.name}: ${note}`);
  }

  /** The profile that is on. */
  static get current(): Profiling | null {
    return underWay.current;
  }

  /** Tells `listener`, at the end of every profile, of the last launch of each kernel in it. */
  static whenEnded(listener: (latest: readonly Launch[]) => void): void {
    listeners.push(listener);
  }

  /** Marks what `fn` does. */
  static ranged<R>(name: string, fn: () => R): R {
    const profiling = underWay.current;
    if (profiling === null) return fn();
    const [start, site] = [clock(), origin.current];
    const ended = () => {
      if (underWay.current === profiling) profiling.#recorder.ranged(name, start, site);
    };
    let result: R;
    try {
      result = fn();
    } catch (error) {
      ended();
      throw error;
    }
    if (!(result instanceof Promise)) {
      ended();
      return result;
    }
    return result.finally(ended) as R;
  }

  /** Notes a cell that began when the profile did. */
  cell(label: string): void {
    this.#recorder.ranged(label, this.#recorder.start, 0, EventKind.cell);
  }

  /** Ends it without a result, as when what was profiled has failed. */
  abandon(): void {
    this.#recorder.conclude();
    this.#functions?.stop();
    this.#hook?.[Symbol.dispose]();
    for (const device of this.#devices) stop(device);
  }

  /** Waits for the devices. Throws what the work failed with. */
  async end(): Promise<ProfileData> {
    try {
      for (const device of this.#devices) await device.synchronizeAsync();
    } catch (error) {
      this.abandon();
      throw error;
    }
    return this.conclude();
  }

  /** {@link end} once all work is done. */
  conclude(): ProfileData {
    const runs = this.#functions?.stop() ?? [];
    this.#recorder.conclude();
    this.#hook?.[Symbol.dispose]();
    const recorded = this.#devices.flatMap((device) => this.#collect(device));
    return this.#data(recorded, runs);
  }

  #collect(device: DeviceProcess): DeviceRecords[] {
    try {
      const { summary, records } = device.request("profile_stop", {});
      const { names, dropped, notes, counters, samples } = JSON.parse(summary) as Summary;
      this.#notes.push(...notes.map((note) => `${device.name}: ${note}`));
      this.#sampled.push(...samples.map((kernel) => ({ device: device.name, ...kernel })));
      if (dropped > 0)
        this.#notes.push(
          `${device.name} dropped ${countText(dropped)} records: there was no room for them. Profile less at a time.`,
        );
      return [
        {
          device,
          names,
          records: new ProfileRecords(records, this.#base),
          counters: bySequence(counters),
        },
      ];
    } catch (error) {
      if (!isNotProfiling(error)) throw error;
      this.#notes.push(`${device.name} was started again during the profile, which lacks what it did.`);
      return [];
    }
  }

  #data(recorded: readonly DeviceRecords[], runs: readonly FunctionRun[]): ProfileData {
    const duration = (this.#recorder.end - this.#recorder.start) * 1e6;
    const { drafts, tracks, names, places, details, launches } = new TimelineBuilder(this.#recorder).build(
      recorded,
      runs,
      Number(this.#base),
    );
    const kernels = withSamples(launches.rows(drafts), this.#sampled);
    const launched = this.#recorder.launched();
    for (const { device } of recorded) this.#notes.push(...keepForListings(device, this.#sampled, launched));
    for (const listener of listeners) listener(launches.latest());
    const times = deviceTimes(
      drafts,
      tracks,
      details.map(({ kind }) => kind),
      duration,
    );
    const devices = recorded.map(({ device }) =>
      profiled(
        device,
        kernels,
        duration === 0 ? 0 : (times.find((time) => time.device === device.name)?.busy ?? 0) / duration,
      ),
    );
    const advice = adviceOf({
      duration,
      times,
      kernels,
      devices,
      places,
      drafts,
      tracks,
      details,
      multiprocessors: new Map(recorded.map(({ device }) => [device.name, device.properties.multiprocessors])),
    });
    const operations = operationRows({ drafts, tracks, details, names });
    const counters = [...this.#recorder.memory].map(([device, { times: at, bytes }]) => ({
      name: `memory of ${device.name}`,
      unit: "bytes" as const,
      time: Float64Array.from(at, (time) => (time - this.#recorder.start) * 1e6),
      value: Float64Array.from(bytes),
    }));
    const kept = this.#hasTrace
      ? { tracks, slices: slicesOf(drafts, tracks), counters }
      : { tracks: [], slices: emptySlices(0), counters: [] };
    return {
      title: this.#title,
      duration,
      devices,
      names,
      places,
      details,
      kernels,
      operations,
      advice,
      notes: this.#notes,
      samples: this.#sampled,
      ...kept,
    };
  }
}

function profiled(device: DeviceProcess, kernels: readonly KernelRow[], busy: number): ProfiledDevice {
  const rows = kernels.filter((row) => row.device === device.name);
  const result: ProfiledDevice = { device: device.name, name: device.properties.name, copy: null, product: {}, busy };
  try {
    if (rows.some(({ bytes, flops }) => bytes !== null || flops !== null)) result.copy = copyRate(device);
    for (const { dtype, flops } of rows)
      if (dtype !== null && flops !== null && flops > 0) result.product[dtype] ??= productRate(device, dtype as DType);
  } catch (error) {
    // A full device has no room for a measurement.
    if (!(error instanceof OutOfMemory)) throw error;
  }
  return result;
}

/** What is thrown is of the work that failed, which is told by others. */
function stop(device: DeviceProcess): void {
  try {
    device.request("profile_stop", {});
  } catch (error) {
    if (!(error instanceof WarpcellError)) throw error;
  }
}

/** The counts of each command's kernels, in their order. */
function bySequence(counters: Summary["counters"]): Map<number, Record<string, number>[]> {
  const found = new Map<number, Record<string, number>[]>();
  for (const { sequence, metrics } of counters) {
    const known = found.get(sequence);
    if (known === undefined) found.set(sequence, [metrics]);
    else known.push(metrics);
  }
  return found;
}

function isNotProfiling(error: unknown): boolean {
  return error instanceof DeviceError && error.code === "NOT_PROFILING";
}

/** Nanoseconds of `process.hrtime` at a time of {@link clock}: of three looks at both, the one that took least time. */
function monotonicAt(time: number): bigint {
  const looks = [0, 1, 2].map(() => {
    const before = clock();
    const nanoseconds = process.hrtime.bigint();
    const after = clock();
    return { spread: after - before, offset: nanoseconds - BigInt(Math.round(((before + after) / 2) * 1e6)) };
  });
  const { offset } = looks.reduce((best, look) => (look.spread < best.spread ? look : best));
  return offset + BigInt(Math.round(time * 1e6));
}
