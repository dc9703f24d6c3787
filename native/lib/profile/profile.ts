// A profile in a notebook's hands: what ran where and when, as tables, a timeline, advice, and files.
import { readFileSync, writeFileSync } from "node:fs";
import { isPresent, presenceOf, type Presence } from "../device/presence.ts";
import { WeakIds } from "../device/weak-ids.ts";
import { FormatError, WarpcellError } from "../errors.ts";
import { traceMime } from "../payloads.ts";
import { displayKey } from "../tensor/display.ts";
import { worded } from "../wording.ts";
import { chromeTraceOf, type ChromeTrace } from "./chrome-trace.ts";
import { dataOf, fileOf, packed, payloadOf } from "./payload.ts";
import { Profiling } from "./profiling.ts";
import { sumOf, type SampleCounts } from "./samples.ts";
import type { KernelRow, ProfileData, Slices } from "./slices.ts";
import { htmlOf, textOf } from "./text.ts";
import { windowOf as windowIn } from "./window.ts";

/**
 * `trace`: keep the timeline, true when left out; without it there are the table and the advice. `counters`: measure
 * what the device counts, where it is permitted; kernels then run slower. `samples`: have a GPU look at which
 * instructions its warps are, for `kernel.asm` and {@link Profile.samples}. `typescript`: look every half millisecond at
 * which functions of the program run, and draw them as a flame chart.
 */
export interface ProfileOptions {
  readonly trace?: boolean;
  readonly counters?: boolean;
  readonly samples?: boolean;
  readonly typescript?: boolean;
}

/** A kernel's launches. Times are milliseconds of the device; rates are of the mean launch. */
export interface ProfileRow extends Omit<KernelRow, "places"> {
  readonly gbPerSecond: number | null;
  readonly tflopPerSecond: number | null;
  /** The lines that launched it. */
  readonly lines: string[];
}

/** A slice of the timeline, in milliseconds since the profile's start. */
export interface ProfileEvent {
  readonly track: string;
  readonly device: string | null;
  /** launch, operation, kernel, copy, fill, wait, compile, collector, cell, range, function, worker … */
  readonly kind: string;
  readonly name: string;
  readonly start: number;
  readonly duration: number;
  /** "Cell [3]:4"; `null`: not from a cell. */
  readonly line: string | null;
  readonly facts: Readonly<Record<string, string>>;
  readonly bytes: number | null;
  readonly flops: number | null;
  readonly stack: readonly string[];
}

/** An instruction at which warps of a kernel were found. */
export interface ProfileSample {
  readonly device: string;
  readonly kernel: string;
  /** Bytes from the kernel's first instruction, as listings of SASS have them. */
  readonly offset: number;
  readonly samples: number;
  /**
   * How many of them by what the warp waited for: "long scoreboard", "barrier" …; "selected" where it ran, "not
   * selected" where it could have.
   */
  readonly reasons: SampleCounts;
}

/** A profile whose output has not all of it, for another thread: plain data and shared memory. */
export interface ShownProfile {
  readonly what: "profile";
  readonly id: string;
  readonly presence: Presence;
  readonly slices: Slices;
}

const ids = new WeakIds<Profile>();
const told = new WeakSet<Profile>();
let tell: ((shown: ShownProfile) => void) | null = null;

/** Calls `listener` with every profile that gets an id from here on. */
export function whenProfileShown(listener: (shown: ShownProfile) => void): void {
  tell = listener;
}

/** A window of a profile of another thread, packed. Throws WarpcellError when it is gone. */
export function viewedWindow({ presence, slices }: ShownProfile, start: number, end: number, width: number) {
  if (!isPresent(presence)) throw goneProfile();
  return packed(windowIn({ slices }, start, end, width));
}

export function goneProfile(): WarpcellError {
  return new WarpcellError("GONE", "This profile is no longer in memory. Run its cell again to see more of it.");
}

/** Front ends may still ask for these, though no variable holds them. */
const recent: Profile[] = [];
const mostRecent = 4;

/**
 * What {@link profile} saw: kernels, copies, gaps and calls, as a table, as a timeline and as advice.
 * @example
 * const p = await profile(() => ones([1024]).exp().sum().item());
 * p.save("step.profile");
 * Profile.load("step.profile").table().length === p.table().length; // → true
 */
export class Profile {
  readonly #data: ProfileData;

  /** For the library: use {@link profile} or {@link Profile.load}. */
  constructor(data: ProfileData) {
    this.#data = data;
  }

  /** Milliseconds, from the start to the end of all that was launched. */
  get duration(): number {
    return this.#data.duration / 1e6;
  }

  /** The share of the time in which each device worked, 0 … 1. */
  get busy(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#data.devices.map(({ device, busy }) => [device, busy]));
  }

  /** Sentences about what is slow and why, each with its number; empty where nothing is. */
  get advice(): readonly string[] {
    return this.#data.advice.map(({ text }) => text);
  }

  /** What a reader must know about the data: records that were lost, what was not permitted. */
  get notes(): readonly string[] {
    return this.#data.notes;
  }

  /** A row for each kernel, the one that took most time first. */
  table(): ProfileRow[] {
    const { kernels, places } = this.#data;
    return kernels.map(({ places: launched, ...row }) => {
      const perSecond = (amount: number | null, unit: number) =>
        amount === null || row.mean === 0 ? null : amount / row.mean / unit;
      const [total, mean, deviation, min, max] = [row.total, row.mean, row.deviation, row.min, row.max].map(
        (time) => time / 1e6,
      ) as [number, number, number, number, number];
      return {
        ...row,
        total,
        mean,
        deviation,
        min,
        max,
        gbPerSecond: perSecond(row.bytes, 1),
        tflopPerSecond: perSecond(row.flops, 1e3),
        lines: launched.map((place) => places[place]!.text),
      };
    });
  }

  /** Every slice of the timeline, by track and start; none after `profile(fn, { trace: false })`. */
  events(): ProfileEvent[] {
    const { slices, tracks, names, places, details } = this.#data;
    return Array.from({ length: slices.length }, (_, index) => {
      const { name: track, device } = tracks[slices.track[index]!]!;
      const { kind, facts, bytes, flops, stack } = details[slices.detail[index]!]!;
      const line = slices.place[index] === 0 ? null : places[slices.place[index]! - 1]!.text;
      return {
        track,
        device,
        kind,
        name: names[slices.name[index]!]!,
        start: slices.start[index]! / 1e6,
        duration: slices.duration[index]! / 1e6,
        line,
        facts: Object.fromEntries(facts),
        bytes,
        flops,
        stack,
      };
    });
  }

  /**
   * A row for each instruction that was sampled, by kernel; none but after `profile(fn, { samples: true })` of a GPU.
   */
  samples(): ProfileSample[] {
    return this.#data.samples.flatMap(({ device, name, instructions }) =>
      instructions.map(({ offset, samples }) => ({
        device,
        kernel: name,
        offset,
        samples: sumOf(samples),
        reasons: samples,
      })),
    );
  }

  /** The timeline as JSON in the Trace Event Format, which Perfetto and chrome://tracing open. */
  chromeTrace(): ChromeTrace {
    return chromeTraceOf(this.#data);
  }

  /** Writes {@link chromeTrace} to a file. */
  exportChromeTrace(file: string): void {
    writeFileSync(file, JSON.stringify(this.chromeTrace()));
  }

  /** Writes all of it to a file, for {@link Profile.load}. */
  save(file: string): void {
    writeFileSync(file, JSON.stringify(fileOf(this.#data)));
  }

  /** Reads what {@link save} wrote. Throws FormatError for another file. */
  static load(file: string): Profile {
    const text = readFileSync(file, "utf8");
    let payload: unknown;
    try {
      payload = JSON.parse(text);
    } catch (error) {
      throw new FormatError("FORMAT", file, `${file} is not a profile of Warpcell: it is not JSON.`, { cause: error });
    }
    return new Profile(dataOf(payload, file));
  }

  /** The table, the advice and the notes as text. */
  toString(): string {
    return textOf(this.#data);
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  [displayKey](): Record<string, unknown> {
    const payload = payloadOf(this.#data, () => this.#show());
    if (!payload.complete) keep(this);
    return { "text/plain": this.toString(), "text/html": htmlOf(this.#data), [traceMime]: payload };
  }

  #show(): string {
    const id = ids.of(this);
    if (tell === null || told.has(this)) return id;
    told.add(this);
    tell({ what: "profile", id, presence: presenceOf(this), slices: this.#data.slices });
    return id;
  }

  /** For the kernel: a window of the profile with that id, packed. Throws WarpcellError when it is gone. */
  static window(id: string, start: number, end: number, width: number) {
    const found = ids.find(id);
    if (found === null) throw goneProfile();
    return packed(windowIn(found.#data, start, end, width));
  }
}

function keep(profile: Profile): void {
  const known = recent.indexOf(profile);
  if (known >= 0) recent.splice(known, 1);
  recent.push(profile);
  if (recent.length > mostRecent) recent.shift();
}

const optionNames: ReadonlySet<string> = new Set<keyof ProfileOptions>(["trace", "counters", "samples", "typescript"]);

function checkOptions(options: unknown): asserts options is ProfileOptions {
  if (typeof options !== "object" || options === null)
    throw new WarpcellError(
      "OPTIONS",
      `The options of a profile must be an object such as { counters: true }, but got ${worded(options)}.`,
    );
  for (const [key, value] of Object.entries(options)) {
    if (!optionNames.has(key))
      throw new WarpcellError(
        "OPTIONS",
        `A profile has no option ${worded(key)}. It has trace, counters, samples and typescript.`,
      );
    if (typeof value !== "boolean" && value !== undefined)
      throw new WarpcellError("OPTIONS", `${key} of a profile must be true or false, but got ${worded(value)}.`);
  }
}

/**
 * Runs `fn` and returns what the devices and this program did in that time: `const p = await profile(() => step())`.
 * All that was launched ends before it returns. Throws what `fn` throws, and WarpcellError for wrong options or a
 * profile within another one.
 * @example
 * const x = ones([1024]);
 * const p = await profile(() => x.mul(2).sum().item());
 * p.table().length > 0; // → true
 */
export async function profile(fn: () => unknown, options: ProfileOptions = {}): Promise<Profile> {
  if (typeof fn !== "function")
    throw new WarpcellError(
      "OPERANDS",
      `profile takes a function, as in profile(() => step()), but got ${worded(fn)}.`,
    );
  checkOptions(options);
  const profiling = Profiling.begin(options);
  let isDone = false;
  try {
    await fn();
    isDone = true;
  } finally {
    if (!isDone) profiling.abandon();
  }
  return new Profile(await profiling.end());
}

/**
 * Marks what `fn` does on the timeline of a profile. Ranges nest; without a profile it just runs `fn`. Returns
 * its result.
 * @example
 * const p = await profile(() => range("forward", () => ones([8]).sum().item()));
 * p.events().some(({ name }) => name === "forward"); // → true
 */
export function range<T>(name: string, fn: () => T): T {
  if (typeof name !== "string" || typeof fn !== "function")
    throw new WarpcellError(
      "OPERANDS",
      `range takes a name and a function, as in range("forward", () => model(x)), but got ${worded(name)} and ${worded(fn)}.`,
    );
  return Profiling.ranged(name, fn);
}
