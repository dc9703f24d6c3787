// Checks the JSON of an output: a profile that its views can trust and whose texts people can read, or one sentence.
import { trans } from "../drawing/trans.ts";
import type { SliceColumns, TraceCounter, TraceDetail, TracePayload, TraceTrack } from "../../../kernel/mime.ts";
import type { Checked, Expectation, Expectations } from "../kernel-link/fields.ts";
import {
  between,
  checkOutput,
  count,
  exactly,
  finite,
  flag,
  list,
  optional,
  orNull,
  problemIn,
  record,
  text,
  texts,
} from "../kernel-link/fields.ts";
import { problemWith } from "../kernels/payload.ts";
import { mostCharacters, shownText } from "../drawing/shown-text.ts";
import type { Columns, Tables } from "./columns.ts";
import { decodeColumns, decodeNumbers } from "./columns.ts";

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

const mostTracks = 65_535;
const mostLevels = 255;
/** Of all tracks together; each is a line of the picture. */
const mostRows = 20_000;
const mostPoints = 20_000_000;

const oneOf = (...values: string[]): Expectation => ({
  expected: () => trans.__("one of %1", values.join(", ")),
  holds: (value) => typeof value === "string" && values.includes(value),
});
const pairs: Expectation = {
  expected: () => trans.__("a list of pairs of strings"),
  holds: (value) => Array.isArray(value) && value.every((pair) => texts.holds(pair) && (pair as string[]).length === 2),
};

const payloadFields: Expectations<TracePayload> = {
  version: exactly(1),
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
  operations: optional(list),
  advice: list,
  notes: texts,
};
const trackFields: Expectations<TraceTrack> = {
  name: text,
  kind: oneOf("host", "range", "stream", "worker"),
  device: orNull(text),
  depth: between(1, mostLevels),
};
const detailFields: Expectations<TraceDetail> = {
  kind: text,
  facts: pairs,
  bytes: orNull(finite),
  flops: orNull(finite),
  stack: texts,
};
const counterFields: Expectations<TraceCounter> = {
  name: text,
  unit: oneOf("bytes"),
  length: between(0, mostPoints),
  time: text,
  value: text,
};
/**
 * Checks an output of type `application/vnd.warpcell.trace.v1+json` against kernel/mime.ts, and its parts against each
 * other.
 */
export function checkTrace(value: unknown): Checked<Trace> {
  const checked = checkOutput(trans.__("a profile"), value, payloadFields);
  if (!checked.ok) return checked;
  const payload = checked.value;
  const problem = partsProblem(payload);
  if (problem) return { ok: false, problem };
  const { tracks, names, places, details, kernels } = payload;
  const tables: Tables = {
    depths: tracks.map(({ depth }) => depth),
    names: names.length,
    places: places.length,
    details: details.length,
    kernels: kernels.length,
  };
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
  const { tracks, details, counters } = payload;
  const problem =
    problemWith(payload) ??
    problemIn(trans.__("track"), trans.__("a profile"), tracks, trackFields) ??
    problemIn(trans.__("detail"), trans.__("a profile"), details, detailFields) ??
    problemIn(trans.__("counter"), trans.__("a profile"), counters, counterFields);
  if (problem) return problem;
  if (payload.duration < 0)
    return trans.__('Expected "duration" of a profile to be 0 or more but got %1.', payload.duration);
  if (tracks.length > mostTracks)
    return trans.__("Expected a profile to have at most %1 tracks but got %2.", mostTracks, tracks.length);
  const rows = tracks.reduce((sum, { depth }) => sum + depth, 0);
  if (rows > mostRows)
    return trans.__("Expected the tracks of a profile to have at most %1 levels but got %2.", mostRows, rows);
  return null;
}

function decodeCounter({ name, length, time, value }: TraceCounter): Checked<Counter> {
  const times = decodeNumbers(trans.__("the times of a counter of a profile"), time, length);
  if (!times.ok) return times;
  const values = decodeNumbers(trans.__("the values of a counter of a profile"), value, length);
  if (!values.ok) return values;
  for (let index = 0; index < length; index++) {
    if (
      !Number.isFinite(times.value[index]) ||
      !Number.isFinite(values.value[index]) ||
      (index > 0 && times.value[index]! < times.value[index - 1]!)
    ) {
      return {
        ok: false,
        problem: trans.__(
          "Expected the counter of a profile to have finite values in the order of time but item %1 is not.",
          index,
        ),
      };
    }
  }
  return { ok: true, value: { name: readable(name), time: times.value, value: values.value } };
}

const readable = (text: string): string => shownText(text, mostCharacters);

/** Nothing but text changes, and texts stay where they are. */
function inReadableText(payload: TracePayload): TracePayload {
  const { devices, tracks, names, places, details, kernels, operations = [], advice, counters, notes } = payload;
  const orNothing = (value: string | null): string | null => (value === null ? null : readable(value));
  const empty: SliceColumns = {
    length: payload.slices.length,
    start: "",
    duration: "",
    track: "",
    depth: "",
    name: "",
    place: "",
    detail: "",
    cause: "",
    kernel: "",
  };
  return {
    ...payload,
    title: readable(payload.title),
    devices: devices.map((device) => ({
      ...device,
      device: readable(device.device),
      name: readable(device.name),
      product: readableKeys(device.product),
    })),
    tracks: tracks.map((track) => ({ ...track, name: readable(track.name), device: orNothing(track.device) })),
    names: names.map(readable),
    places: places.map((place) => ({ ...place, text: readable(place.text) })),
    details: details.map((detail) => ({
      ...detail,
      kind: readable(detail.kind),
      facts: detail.facts.map(([key, value]) => [readable(key), readable(value)] as [string, string]),
      stack: detail.stack.map(readable),
    })),
    kernels: kernels.map((kernel) => ({
      ...kernel,
      name: readable(kernel.name),
      operation: orNothing(kernel.operation),
      device: readable(kernel.device),
      limiter: orNothing(kernel.limiter),
      dtype: orNothing(kernel.dtype),
      counters: readableKeys(kernel.counters),
    })),
    operations: operations.map((operation) => ({
      ...operation,
      name: readable(operation.name),
      shapes: readable(operation.shapes),
      device: readable(operation.device),
    })),
    advice: advice.map((item) => ({ ...item, text: readable(item.text) })),
    notes: notes.map(readable),
    // Their decoded form is kept, and nothing of the text.
    counters: counters.map((counter) => ({ ...counter, name: readable(counter.name), time: "", value: "" })),
    slices: empty,
  };
}

const readableKeys = (record: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [readable(key), value]));
