// Turns the JSON of an output into a profile that its views can trust and whose texts people can read, or one sentence.
import type { SliceColumns, TraceAdvice, TraceCounter, TraceDetail, TraceDevice, TraceKernel, TracePayload, TracePlace, TraceTrack } from "../../../kernel/mime.ts";
import type { Checked, Expectation, Expectations } from "../fields.ts";
import { between, checkFields, count, counts, exactly, finite, flag, list, optional, orNull, record, text } from "../fields.ts";
import type { Columns, Tables } from "./columns.ts";
import { decodeColumns, decodeNumbers } from "./columns.ts";
import { readable } from "./readable.ts";

export interface Counter {
  readonly name: string;
  readonly time: Float64Array;
  readonly value: Float64Array;
}

export interface Trace {
  readonly payload: TracePayload;
  readonly columns: Columns;
  readonly counters: readonly Counter[];
  readonly tables: Tables;
}

const version = 1;
const mostTracks = 65_535;
const mostLevels = 255;
/** Of all tracks together; each is a line of the picture. */
const mostRows = 20_000;
const mostPoints = 20_000_000;

const oneOf = (...values: string[]): Expectation => ({ expected: `one of ${values.join(", ")}`, holds: (value) => typeof value === "string" && values.includes(value) });
const texts: Expectation = { expected: "a list of strings", holds: (value) => Array.isArray(value) && value.every((item) => typeof item === "string") };
const pairs: Expectation = { expected: "a list of pairs of strings", holds: (value) => Array.isArray(value) && value.every((pair) => texts.holds(pair) && (pair as string[]).length === 2) };
const numbersByName: Expectation = { expected: "a record of numbers", holds: (value) => record.holds(value) && Object.values(value as object).every((item) => finite.holds(item)) };
const share: Expectation = { expected: "a number from 0 to 1", holds: (value) => typeof value === "number" && value >= 0 && value <= 1 };

const payloadFields: Expectations<TracePayload> = {
  version: exactly(version),
  title: text,
  duration: finite,
  devices: list,
  tracks: list,
  names: texts,
  places: list,
  details: list,
  slices: record,
  complete: flag,
  count,
  id: optional(text),
  counters: list,
  kernels: list,
  advice: list,
  notes: texts,
};
const deviceFields: Expectations<TraceDevice> = { device: text, name: text, copy: orNull(finite), product: numbersByName, busy: share };
const trackFields: Expectations<TraceTrack> = { name: text, kind: oneOf("host", "range", "stream", "worker"), device: orNull(text), depth: between(1, mostLevels) };
const placeFields: Expectations<TracePlace> = { text, cell: orNull(text), count, line: count };
const detailFields: Expectations<TraceDetail> = { kind: text, facts: pairs, bytes: orNull(finite), flops: orNull(finite), stack: texts };
const counterFields: Expectations<TraceCounter> = { name: text, unit: oneOf("bytes"), length: between(0, mostPoints), time: text, value: text };
const kernelFields: Expectations<TraceKernel> = {
  name: text,
  operation: orNull(text),
  device: text,
  calls: count,
  total: finite,
  mean: finite,
  deviation: finite,
  min: finite,
  max: finite,
  share: finite,
  grid: counts,
  block: counts,
  registers: orNull(finite),
  shared: orNull(finite),
  local: orNull(finite),
  theoreticalOccupancy: orNull(finite),
  achievedOccupancy: orNull(finite),
  limiter: orNull(text),
  bytes: orNull(finite),
  flops: orNull(finite),
  dtype: orNull(text),
  counters: numbersByName,
  places: counts,
};

/** Checks an output of type `application/vnd.warpcell.trace.v1+json` against kernel/mime.ts, and its parts against each other. */
export function checkTrace(value: unknown): Checked<Trace> {
  const checked = checkFields("a profile", value, payloadFields);
  if (!checked.ok) return withHint(checked, value);
  const payload = checked.value;
  const problem = partsProblem(payload);
  if (problem) return { ok: false, problem };
  const { tracks, names, places, details, kernels } = payload;
  const tables: Tables = { depths: tracks.map(({ depth }) => depth), names: names.length, places: places.length, details: details.length, kernels: kernels.length };
  const columns = decodeColumns(payload.slices, tables);
  if (!columns.ok) return columns;
  const counters: Counter[] = [];
  for (const counter of payload.counters) {
    const decoded = decodeCounter(counter);
    if (!decoded.ok) return decoded;
    counters.push(decoded.value);
  }
  return { ok: true, value: { payload: inReadableText(payload), columns: columns.value, counters, tables } };
}

function partsProblem(payload: TracePayload): string | null {
  const { devices, tracks, places, details, counters, kernels, advice } = payload;
  const adviceFields: Expectations<TraceAdvice> = { text, place: orNull(below(places.length, "places")), start: finite, end: finite };
  const parts: [what: string, items: unknown[], fields: Record<string, Expectation>][] = [
    ["a device of a profile", devices, deviceFields],
    ["a track of a profile", tracks, trackFields],
    ["a place of a profile", places, placeFields],
    ["a detail of a profile", details, detailFields],
    ["a counter of a profile", counters, counterFields],
    ["a kernel of a profile", kernels, kernelFields],
    ["advice of a profile", advice, adviceFields],
  ];
  for (const [what, items, fields] of parts) {
    for (const item of items) {
      const checked = checkFields<Record<string, unknown>>(what, item, fields);
      if (!checked.ok) return checked.problem;
    }
  }
  if (payload.duration < 0) return `Expected "duration" of a profile to be 0 or more but got ${payload.duration}.`;
  if (tracks.length > mostTracks) return `Expected a profile to have at most ${mostTracks} tracks but got ${tracks.length}.`;
  const rows = tracks.reduce((sum, { depth }) => sum + depth, 0);
  if (rows > mostRows) return `Expected the tracks of a profile to have at most ${mostRows} levels but got ${rows}.`;
  const stray = kernels.flatMap((kernel) => kernel.places).find((place) => place >= places.length);
  if (stray !== undefined) return `Expected a kernel of a profile to name places below ${places.length} but got ${stray}.`;
  return null;
}

const below = (length: number, table: string): Expectation => ({ expected: `an index of the ${length} ${table}`, holds: (value) => count.holds(value) && Number(value) < length });

function decodeCounter({ name, length, time, value }: TraceCounter): Checked<Counter> {
  const times = decodeNumbers("the times of a counter of a profile", time, length);
  if (!times.ok) return times;
  const values = decodeNumbers("the values of a counter of a profile", value, length);
  if (!values.ok) return values;
  for (let index = 0; index < length; index++) {
    if (!Number.isFinite(times.value[index]) || !Number.isFinite(values.value[index]) || (index > 0 && times.value[index]! < times.value[index - 1]!)) {
      return { ok: false, problem: `Expected the counter of a profile to have finite values in the order of time but item ${index} is not.` };
    }
  }
  return { ok: true, value: { name: readable(name), time: times.value, value: values.value } };
}

/** Nothing but text changes, and texts stay where they are. */
function inReadableText(payload: TracePayload): TracePayload {
  const { devices, tracks, names, places, details, kernels, advice, counters, notes } = payload;
  const orNothing = (value: string | null): string | null => (value === null ? null : readable(value));
  const empty: SliceColumns = { length: payload.slices.length, start: "", duration: "", track: "", depth: "", name: "", place: "", detail: "", cause: "", kernel: "" };
  return {
    ...payload,
    title: readable(payload.title),
    devices: devices.map((device) => ({ ...device, device: readable(device.device), name: readable(device.name), product: readableKeys(device.product) })),
    tracks: tracks.map((track) => ({ ...track, name: readable(track.name), device: orNothing(track.device) })),
    names: names.map(readable),
    places: places.map((place) => ({ ...place, text: readable(place.text) })),
    details: details.map((detail) => ({ ...detail, kind: readable(detail.kind), facts: detail.facts.map(([key, value]) => [readable(key), readable(value)] as [string, string]), stack: detail.stack.map(readable) })),
    kernels: kernels.map((kernel) => ({
      ...kernel,
      name: readable(kernel.name),
      operation: orNothing(kernel.operation),
      device: readable(kernel.device),
      limiter: orNothing(kernel.limiter),
      dtype: orNothing(kernel.dtype),
      counters: readableKeys(kernel.counters),
    })),
    advice: advice.map((item) => ({ ...item, text: readable(item.text) })),
    notes: notes.map(readable),
    // Their decoded form is kept, and nothing of the text.
    counters: counters.map((counter) => ({ ...counter, name: readable(counter.name), time: "", value: "" })),
    slices: empty,
  };
}

const readableKeys = (record: Record<string, number>): Record<string, number> => Object.fromEntries(Object.entries(record).map(([key, value]) => [readable(key), value]));

/** A profile of another version is the one mismatch that a reader can mend. */
function withHint(checked: { ok: false; problem: string }, value: unknown): { ok: false; problem: string } {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)["version"] : undefined;
  if (typeof found !== "number" || found === version) return checked;
  return { ok: false, problem: `${checked.problem} Bring the kernel and the JupyterLab extension to the same version.` };
}
