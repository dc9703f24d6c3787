// A profile as it travels and lies in files, its columns in base64; and back, with every size and index checked.
import { FormatError } from "../errors.ts";
import type { SliceColumns, TracePayload, WindowReply } from "../payloads.ts";
import type { SampledKernel } from "./samples.ts";
import { emptySlices, type Counter, type KernelRow, type ProfileData, type Slices } from "./slices.ts";
import { windowOf, type Window } from "./window.ts";

/** A profile of more slices leaves the rest in the kernel; the overview is as wide as a large screen. */
const travellingSlices = 20_000;
const overviewWidth = 2000;

/** Columns in the order in which they travel. */
const columns = ["start", "duration", "track", "depth", "name", "place", "detail", "cause", "kernel"] as const;
const tables = { name: "names", place: "places", detail: "details", kernel: "kernels" } as const;

/** `id` is asked for only where the payload does not have all slices. Samples stay behind: rows have their sums. */
export function payloadOf(
  data: ProfileData,
  id: () => string,
  isWhole = data.slices.length <= travellingSlices,
): TracePayload {
  const { slices, counters, samples: _, ...rest } = data;
  const overview = isWhole ? null : windowOf(data, 0, data.duration, overviewWidth);
  return {
    version: 1,
    ...rest,
    slices:
      overview === null
        ? encoded(slices)
        : { ...encoded(overview.slices), merged: base64(overview.merged), busy: base64(overview.busy) },
    complete: isWhole,
    count: slices.length,
    ...(isWhole ? {} : { id: id() }),
    counters: counters.map(({ name, unit, time, value }) => ({
      name,
      unit,
      length: time.length,
      time: base64(time),
      value: base64(value),
    })),
  };
}

/** All of it, for a file. */
export function fileOf(data: ProfileData) {
  return { ...payloadOf(data, () => "", true), samples: data.samples };
}

/** What a reply to the question for a window has besides its number, and its buffer. */
type Packed = Pick<WindowReply, "length" | "columns" | "complete"> & { readonly buffer: Uint8Array };

/** The columns of a window as one buffer, each from a multiple of 8 bytes on. */
export function packed({ slices, merged, busy, complete }: Window): Packed {
  const parts = [
    ...columns.map((name) => ({ name, column: slices[name] as ArrayBufferView })),
    { name: "merged" as const, column: merged },
    { name: "busy" as const, column: busy },
  ];
  let bytes = 0;
  const placed = parts.map(({ name, column }) => {
    const offset = bytes;
    bytes += Math.ceil(column.byteLength / 8) * 8;
    return { name, column, offset };
  });
  const buffer = new Uint8Array(bytes);
  for (const { column, offset } of placed)
    buffer.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), offset);
  return { length: slices.length, columns: placed.map(({ name, offset }) => ({ name, offset })), complete, buffer };
}

/** Throws FormatError with what is wrong. */
export function dataOf(payload: unknown, where: string): ProfileData {
  const refuse = (what: string): never => {
    throw new FormatError("FORMAT", where, `${where} is not a profile of Warpcell: ${what}.`);
  };
  if (typeof payload !== "object" || payload === null || (payload as { version?: unknown }).version !== 1)
    refuse("it has no version 1");
  const given = payload as Omit<ProfileData, "slices" | "counters"> & {
    slices: SliceColumns;
    counters: { name: string; unit: "bytes"; length: number; time: string; value: string }[];
    complete: boolean;
  };
  for (const list of [
    "devices",
    "tracks",
    "names",
    "places",
    "details",
    "counters",
    "kernels",
    "advice",
    "notes",
  ] as const)
    if (!Array.isArray(given[list])) refuse(`it has no list of ${list}`);
  if (typeof given.title !== "string" || !(given.duration >= 0)) refuse("it has no title or duration");
  if (given.complete !== true) refuse("it is an overview only");
  const length = given.slices?.length;
  if (!Number.isSafeInteger(length) || length < 0) refuse("it has no slices");
  // Before anything of that length is allocated.
  const bytes = new Map(
    columns.map((name) => [
      name,
      typeof given.slices[name] === "string"
        ? Buffer.from(given.slices[name], "base64")
        : refuse(`its slices have no ${name}`),
    ]),
  );
  if (bytes.get("depth")!.length !== length)
    refuse(`it has ${bytes.get("depth")!.length} slices where it says ${length}`);
  const slices = emptySlices(length);
  for (const name of columns) {
    const column = slices[name] as Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;
    if (bytes.get(name)!.length !== column.byteLength)
      refuse(`column ${name} of its slices has ${bytes.get(name)!.length} bytes instead of ${column.byteLength}`);
    new Uint8Array(column.buffer).set(bytes.get(name)!);
  }
  checkIndices(slices, given, refuse);
  const { title, duration, devices, tracks, names, places, details, advice, notes } = given;
  // Files of before have neither.
  const operations = given.operations ?? [];
  if (!Array.isArray(operations)) refuse("its operations are no list");
  const samples = given.samples ?? [];
  if (!Array.isArray(samples) || !samples.every(isSampled))
    refuse("its samples are not a list of kernels with instructions");
  const kernels = given.kernels.map((row) => ({ ...row, samples: (row as Partial<KernelRow> | null)?.samples ?? {} }));
  return {
    title,
    duration,
    devices,
    tracks,
    names,
    places,
    details,
    slices,
    counters: given.counters.map((counter) => counterOf(counter, refuse)),
    kernels,
    operations,
    advice,
    notes,
    samples,
  };
}

function isSampled(kernel: unknown): kernel is SampledKernel {
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
  return (
    isRecord(kernel) &&
    [kernel.device, kernel.name, kernel.symbol].every((text) => typeof text === "string") &&
    Array.isArray(kernel.instructions) &&
    kernel.instructions.every(
      (instruction) =>
        isRecord(instruction) &&
        isCount(instruction.offset) &&
        isRecord(instruction.samples) &&
        Object.values(instruction.samples).every(isCount),
    )
  );
}

function checkIndices(
  slices: Slices,
  given: Pick<ProfileData, "tracks" | "names" | "places" | "details" | "kernels">,
  refuse: (what: string) => never,
): void {
  for (let index = 0; index < slices.length; index++) {
    if (slices.track[index]! >= given.tracks.length) refuse(`slice ${index} is on a track that is not there`);
    for (const [column, table] of Object.entries(tables) as [
      keyof typeof tables,
      (typeof tables)[keyof typeof tables],
    ][]) {
      const from = column === "name" || column === "detail" ? 0 : 1;
      if (slices[column][index]! >= given[table].length + from)
        refuse(`slice ${index} has a ${column} that is not there`);
    }
    if (slices.cause[index]! > slices.length) refuse(`slice ${index} has a cause that is not there`);
    if (!(slices.duration[index]! >= 0) || !Number.isFinite(slices.start[index])) refuse(`slice ${index} has no time`);
  }
}

function counterOf(
  { name, unit, length, time, value }: { name: string; unit: "bytes"; length: number; time: string; value: string },
  refuse: (what: string) => never,
): Counter {
  const [times, values] = [Buffer.from(time, "base64"), Buffer.from(value, "base64")];
  if (times.length !== 8 * length || values.length !== 8 * length)
    refuse(`counter ${name} does not have ${length} values`);
  const numbers = (bytes: Buffer): Float64Array => new Float64Array(new Uint8Array(bytes).buffer);
  return { name, unit, time: numbers(times), value: numbers(values) };
}

function encoded(slices: Slices): SliceColumns {
  return {
    length: slices.length,
    ...Object.fromEntries(columns.map((name) => [name, base64(slices[name])])),
  } as SliceColumns;
}

function base64({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}
