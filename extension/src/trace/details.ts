// What there is to say about one slice.
import { trans } from "../drawing/trans.ts";
import type { TracePlace, TraceTrack } from "../../../kernel/mime.ts";
import { formatBytes, formatPoint, formatRate, formatTime, grouped } from "../drawing/quantity.ts";
import type { TimelineModel } from "./model.ts";

export interface Details {
  readonly name: string;
  /** The name's index, which has a colour. */
  readonly index: number;
  readonly kind: string;
  readonly duration: string;
  /** "stream 7 of cuda:0, at 1.2 ms" */
  readonly where: string;
  readonly place: TracePlace | null;
  readonly facts: readonly (readonly [string, string])[];
  /** What it follows from, as a name. */
  readonly cause: string | null;
  readonly effects: number;
  readonly stack: readonly string[];
}

export function detailsOf({ slices, trace }: TimelineModel, index: number): Details {
  const { names, places, details, tracks } = trace.payload;
  const { columns } = slices;
  const detail = details[columns.detail[index]!]!;
  const track = tracks[columns.track[index]!]!;
  const duration = columns.duration[index]!;
  const stands = slices.countOf(index);
  // What the program spends on a launch is not the time in which a device moves its bytes.
  const onDevice = track.kind === "stream";
  const facts: (readonly [string, string])[] = [];
  if (stands > 1)
    facts.push(
      [trans.__("stands for"), trans._n("%2 slice", "%2 slices", stands, grouped(stands))],
      [trans.__("busy"), formatTime(columns.busy?.[index] ?? duration)],
    );
  else
    facts.push(
      ...detail.facts,
      ...work("bytes", detail.bytes, onDevice ? duration : null),
      ...work("operations", detail.flops, onDevice ? duration : null),
    );
  const cause = slices.causeOf(index);
  return {
    name: names[columns.name[index]!]!,
    index: columns.name[index]!,
    kind: detail.kind,
    duration: formatTime(duration),
    where: placeOf(track, formatPoint(columns.start[index]!, Math.max(1, duration / 100))),
    place: columns.place[index]! > 0 ? places[columns.place[index]! - 1]! : null,
    facts,
    cause: cause === null ? null : names[columns.name[cause]!]!,
    effects: slices.effectsOf(index, 0).count,
    stack: detail.stack,
  };
}

/** On which track, and when. */
const placeOf = ({ name, device }: TraceTrack, time: string): string =>
  device === null || name.includes(device)
    ? trans.__("%1, at %2", name, time)
    : trans.__("%1 of %2, at %3", name, device, time);

/** An amount and, of what took `nanoseconds`, how much of it a second there was. */
function work(kind: "bytes" | "operations", amount: number | null, nanoseconds: number | null): [string, string][] {
  if (amount === null) return [];
  const noun = kind === "bytes" ? trans.__("bytes") : trans.__("operations");
  const whole = kind === "bytes" ? formatBytes(amount) : formatRate(amount, "FLOP");
  if (nanoseconds === null || nanoseconds === 0) return [[noun, whole]];
  return [[noun, `${whole}, ${formatRate((amount / nanoseconds) * 1e9, kind === "bytes" ? "B/s" : "FLOP/s")}`]];
}

/** As one sentence, to be read aloud. */
export function sentenceOf({ name, kind, duration, where, place, facts, cause, effects }: Details): string {
  const parts = [`${kind} ${name}`, duration, where];
  if (place) parts.push(place.text);
  parts.push(...facts.map(([key, value]) => `${key} ${value}`));
  if (cause !== null) parts.push(trans.__("follows from %1", cause));
  if (effects > 0) parts.push(trans._n("%2 slice follows", "%2 slices follow", effects, grouped(effects)));
  return parts.join(", ");
}
