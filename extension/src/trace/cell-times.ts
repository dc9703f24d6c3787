// How long each cell of a profile ran: on the device where it launched something, else on the host.
import type { TracePlace, TraceTrack } from "../../../kernel/mime.ts";
import type { Slices } from "./slices.ts";

export interface CellTime {
  readonly cell: string | null;
  readonly count: number;
  /** Indices of the profile's places that are in it. */
  readonly places: readonly number[];
  /** Nanoseconds. */
  readonly time: number;
  readonly onDevice: boolean;
}

/** The time of slices of one kind of track; where they nest or overlap within a track it counts once. */
class Covered {
  total = 0;
  private track = -1;
  private reach = -Infinity;

  add(track: number, start: number, end: number): void {
    if (track !== this.track) this.reach = -Infinity;
    this.track = track;
    this.total += Math.max(0, end - Math.max(start, this.reach));
    this.reach = Math.max(this.reach, end);
  }
}

export function cellTimesOf(slices: Slices, places: readonly TracePlace[], tracks: readonly TraceTrack[]): CellTime[] {
  const { length, place, track, start, duration } = slices.columns;
  const keyOf = ({ cell, count }: TracePlace): string => cell ?? `[${count}]`;
  const cells = new Map<string, { first: TracePlace; places: number[]; host: Covered; device: Covered }>();
  const ofPlace = places.map((item, index) => {
    // A place outside any cell.
    if (item.cell === null && item.count === 0) return null;
    const key = keyOf(item);
    if (!cells.has(key)) cells.set(key, { first: item, places: [], host: new Covered(), device: new Covered() });
    const cell = cells.get(key)!;
    cell.places.push(index);
    return cell;
  });
  for (let index = 0; index < length; index++) {
    const cell = place[index]! === 0 ? null : ofPlace[place[index]! - 1]!;
    const { kind } = tracks[track[index]!]!;
    // What workers do, the stream that they work for says too.
    if (cell === null || kind === "worker") continue;
    (kind === "stream" ? cell.device : cell.host).add(track[index]!, start[index]!, start[index]! + duration[index]!);
  }
  return [...cells.values()].flatMap(({ first, places: own, host, device }) => {
    const time = device.total > 0 ? device.total : host.total;
    return time > 0 ? [{ cell: first.cell, count: first.count, places: own, time, onDevice: device.total > 0 }] : [];
  });
}
