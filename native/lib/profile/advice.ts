// What a profile tells its reader to look at: at most three sentences, each with the number that it is drawn from, the
// one with most time at stake first.
import { counted, countText, duration, percent, rateText, sizeText } from "../figures.ts";
import type { DeviceTime, Reason } from "./idle.ts";
import type { Drafts } from "./drafts.ts";
import { waitText } from "./stalls.ts";
import type { Advice, Detail, KernelRow, Place, ProfiledDevice, Track } from "./slices.ts";

/** Less than this of the profile is not worth a sentence. */
const worth = 0.05;
const most = 3;
/** A kernel that reaches this much of a ceiling is left alone. */
const fast = 0.6;

interface Found extends Advice {
  readonly stake: number;
}

export interface Findings {
  readonly duration: number;
  readonly times: readonly DeviceTime[];
  readonly kernels: readonly KernelRow[];
  readonly devices: readonly ProfiledDevice[];
  readonly places: readonly Place[];
  readonly drafts: Drafts;
  readonly tracks: readonly Track[];
  readonly details: readonly Detail[];
  /** By device. */
  readonly multiprocessors: ReadonlyMap<string, number>;
}

const idle: Readonly<
  Record<Exclude<Reason, "ends">, (device: string, time: string, count: number, where: string | null) => string>
> = {
  launch: (device, time, count, where) =>
    `${device} waited ${time} for TypeScript to launch what comes next (${counted(count, "gap")}${before(where)}). Give each launch more work, fuse operations with fuse(…), or launch fewer.`,
  wait: (device, time, count, where) =>
    `${device} stood idle ${time} after waits for it (${counted(count, "time")}${where === null ? "" : `, most at ${where}`}): nothing was queued after the work that was waited for. Launch more before you wait, and read results less often.`,
  compile: (device, time, count, where) =>
    `${device} waited ${time} while kernels were compiled, loaded or planned (${counted(count, "time")}${before(where)}). They will be ready next time.`,
  collector: (device, time, count) =>
    `${device} waited ${time} while JavaScript collected garbage (${counted(count, "time")}). Dispose of tensors with tidy(…) or using, and make fewer of them.`,
  latency: (device, time, count, where) =>
    `${device} spent ${time} between kernels that were queued already (${counted(count, "gap")}${before(where)}). Each kernel costs a start: use fewer, larger ones, or fuse(…).`,
};

const before = (where: string | null): string => (where === null ? "" : `, most before ${where}`);

export function adviceOf(findings: Findings): Advice[] {
  const found = [...idleTimes(findings), ...copies(findings), ...kernelsOf(findings)].filter(
    ({ stake }) => stake >= worth * findings.duration,
  );
  return found
    .sort((a, b) => b.stake - a.stake)
    .slice(0, most)
    .map(({ text, place, start, end }) => ({ text, place, start, end }));
}

function* idleTimes({ times, duration: whole, places }: Findings): Generator<Found> {
  for (const { device, gaps } of times) {
    const byReason = new Map<Reason, (typeof gaps)[number][]>();
    for (const gap of gaps) {
      const known = byReason.get(gap.reason);
      if (known === undefined) byReason.set(gap.reason, [gap]);
      else known.push(gap);
    }
    for (const [reason, these] of byReason) {
      if (reason === "ends") continue;
      const sentence = idle[reason];
      const time = these.reduce((sum, { start, end }) => sum + end - start, 0);
      const place = mostOf(these.map((gap) => [gap.place, gap.end - gap.start]));
      const longest = these.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));
      yield {
        text: sentence(
          device,
          `${duration(time)} (${percent(time / whole)} of the profile)`,
          these.length,
          places[place]?.text ?? null,
        ),
        place: place < 0 ? null : place,
        start: longest.start,
        end: longest.end,
        stake: time,
      };
    }
  }
}

function* copies({ drafts, tracks, details, times, places }: Findings): Generator<Found> {
  for (const { device, busy } of times) {
    const these: number[] = [];
    for (let index = 0; index < drafts.length; index++)
      if (details[drafts.detail[index]!]!.kind === "copy" && tracks[drafts.track[index]!]!.device === device)
        these.push(index);
    if (these.length === 0) continue;
    const lasts = (index: number) => drafts.end[index]! - drafts.start[index]!;
    const time = these.reduce((sum, index) => sum + lasts(index), 0);
    const bytes = these.reduce((sum, index) => sum + (details[drafts.detail[index]!]!.bytes ?? 0), 0);
    const place = mostOf(these.map((index) => [drafts.place[index]!, lasts(index)]));
    const longest = these.reduce((a, b) => (lasts(b) > lasts(a) ? b : a));
    const from = places[place] === undefined ? "" : `, most from ${places[place].text}`;
    const text = `Copies took ${duration(time)}, ${percent(time / busy)} of the time in which ${device} worked: ${sizeText(bytes)} in ${countText(these.length)} at ${rateText(bytes / (time / 1e9), "B")}${from}. Leave data on the device, and read only what you need.`;
    yield {
      text,
      place: place < 0 ? null : place,
      start: drafts.start[longest]!,
      end: drafts.end[longest]!,
      stake: time,
    };
  }
}

function* kernelsOf({ kernels, devices, multiprocessors, drafts }: Findings): Generator<Found> {
  for (const [row, kernel] of kernels.entries()) {
    // What the library launches, its users cannot mend.
    if (kernel.operation !== null) continue;
    const text = slowness(
      kernel,
      devices.find(({ device }) => device === kernel.device),
      multiprocessors.get(kernel.device) ?? 0,
    );
    if (text === null) continue;
    const first = drafts.kernel.indexOf(row);
    yield {
      text,
      place: kernel.places[0] ?? null,
      start: drafts.start[first]!,
      end: drafts.end[first]!,
      stake: kernel.total,
    };
  }
}

function slowness(
  { name, share, device, grid, mean, bytes, flops, dtype, theoreticalOccupancy, limiter, samples }: KernelRow,
  rates: ProfiledDevice | undefined,
  multiprocessors: number,
): string | null {
  const opening = `Kernel ${name} took ${percent(share)} of the time of all kernels`;
  const blocks = grid.reduce((product, length) => product * length, 1);
  if (blocks > 0 && blocks < multiprocessors)
    return `${opening} with ${counted(blocks, "block")}, but ${device} runs ${countText(multiprocessors)} at once. Cut the work into more blocks.`;
  const ofCopy = bytes === null || rates?.copy == null ? null : bytes / (mean / 1e9) / rates.copy;
  const product = dtype === null ? undefined : rates?.product[dtype];
  const ofProduct = flops === null || product === undefined ? null : flops / (mean / 1e9) / product;
  const waiting = waitText(samples);
  const where = waiting === null ? "" : ` ${waiting}: kernel.asm shows at which lines.`;
  if (ofCopy === null && waiting !== null) return `${opening}.${where}`;
  if (ofCopy === null || Math.max(ofCopy, ofProduct ?? 0) >= fast) return null;
  const reached = `${rateText(bytes! / (mean / 1e9), "B")}, ${percent(ofCopy)} of what ${device} copies${ofProduct === null ? "" : `, and ${percent(ofProduct)} of its arithmetic`}`;
  const hint =
    theoreticalOccupancy !== null && theoreticalOccupancy < 50
      ? ` Only ${digitsOf(theoreticalOccupancy)} % of its warps fit a multiprocessor, by ${limiter}.`
      : " Read neighbouring addresses with neighbouring threads, and each value once.";
  return `${opening} at ${reached}.${where}${hint}`;
}

const digitsOf = (value: number): string => value.toFixed(0);

/** The number with the largest sum. */
function mostOf(amounts: readonly (readonly [number, number])[]): number {
  const sums = new Map<number, number>();
  for (const [key, amount] of amounts) sums.set(key, (sums.get(key) ?? 0) + amount);
  return [...sums].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [-1, -1])[0];
}
