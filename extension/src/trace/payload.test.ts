// Which profiles the views trust, what they say about the others, and that hostile text becomes short and harmless.
import { expect, test } from "vitest";
import { encoded, payloadOf, trainingSlices } from "../../ui-tests/tests/trace-payload.ts";
import { checkTrace } from "./payload.ts";

const payload = payloadOf(trainingSlices(1));
const count = payload.slices.length;

test("a payload as kernel/mime.ts describes it is trusted", () => {
  const checked = checkTrace(payload);
  expect(checked).toMatchObject({
    ok: true,
    value: { payload: { title: "five steps of training" }, columns: { length: count } },
  });
  expect(checkTrace({ ...payload, later: "field" }).ok).toBe(true);
  expect(checkTrace({ ...payloadOf([]), counters: [], kernels: [], advice: [] }).ok).toBe(true);
});

const column = (name: string, values: Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array) => ({
  ...payload,
  slices: { ...payload.slices, [name]: encoded(values) },
});
const first = <T extends { fill(value: number): T; [index: number]: number }>(values: T, value: number): T => {
  values[0] = value;
  return values;
};

test.each<[string, unknown, string]>([
  ["nothing", undefined, "A profile is missing but should be a record of fields."],
  [
    "another version",
    { ...payload, version: 2 },
    '"version" of a profile is 2 but should be 1. Bring the kernel and the JupyterLab extension to the same version.',
  ],
  ["no slices", { ...payload, slices: [] }, '"slices" of a profile is [] but should be a record of fields.'],
  [
    "a name that is no text",
    { ...payload, names: [1] },
    '"names" of a profile is [1] but should be a list of strings.',
  ],
  [
    "a track of another kind",
    { ...payload, tracks: [{ name: "a", kind: "thread", device: null, depth: 1 }] },
    '"kind" of track 1 of a profile is "thread" but should be one of host, range, stream, worker.',
  ],
  [
    "a track without depth",
    { ...payload, tracks: [{ name: "a", kind: "host", device: null, depth: 0 }] },
    '"depth" of track 1 of a profile is 0 but should be a whole number from 1 to 255.',
  ],
  [
    "a device too busy",
    { ...payload, devices: [{ ...payload.devices[0], busy: 7 }] },
    '"busy" of device 1 of a profile is 7 but should be a number from 0 to 1.',
  ],
  [
    "too many levels",
    { ...payload, tracks: Array.from({ length: 100 }, () => ({ name: "a", kind: "host", device: null, depth: 255 })) },
    "Expected the tracks of a profile to have at most 20000 levels but got 25500.",
  ],
  [
    "too many tracks",
    { ...payload, tracks: Array.from({ length: 65_536 }, () => ({ name: "a", kind: "host", device: null, depth: 1 })) },
    "Expected a profile to have at most 65535 tracks but got 65536.",
  ],
  [
    "a duration below zero",
    { ...payload, duration: -1 },
    'Expected "duration" of a profile to be 0 or more but got -1.',
  ],
  [
    "advice that leads nowhere",
    { ...payload, advice: [{ text: "a", place: 4, start: 0, end: 1 }] },
    "Advice 1 of a profile names place 4 but there are 4, counted from 0.",
  ],
  [
    "a kernel that leads nowhere",
    { ...payload, kernels: [{ ...payload.kernels[0], places: [9] }] },
    "Kernel 1 of a profile names place 9 but there are 4, counted from 0.",
  ],
  [
    "a length below zero",
    { ...payload, slices: { ...payload.slices, length: -3 } },
    "Expected a profile of 0 to 50000000 slices but got -3.",
  ],
  [
    "a length as text",
    { ...payload, slices: { ...payload.slices, length: "9" } },
    "Expected a profile of 0 to 50000000 slices but got 9.",
  ],
  [
    "a column too short",
    { ...payload, slices: { ...payload.slices, depth: "AAAA" } },
    `Expected the column "depth" of a profile to be ${count} bytes as base64 but got 4 characters.`,
  ],
  [
    "a column of another alphabet",
    { ...payload, slices: { ...payload.slices, depth: "!".repeat(Math.ceil(count / 3) * 4) } },
    'Expected the column "depth" of a profile to be base64 text.',
  ],
  [
    "a column that is no text",
    { ...payload, slices: { ...payload.slices, track: 7 } },
    'Expected the column "track" of a profile to be base64 text.',
  ],
  [
    "a start that is no number",
    column("start", first(new Float64Array(count), NaN)),
    'Expected "start" of slice 0 of a profile to be a finite number but got NaN.',
  ],
  [
    "an endless slice",
    column("duration", first(new Float32Array(count), Infinity)),
    'Expected "duration" of slice 0 of a profile to be a finite number of 0 or more but got Infinity.',
  ],
  [
    "a track that is not there",
    column("track", first(new Uint16Array(count), 8)),
    'Expected "track" of slice 0 of a profile to be below 8 but got 8.',
  ],
  [
    "a depth that its track has not",
    column("depth", first(new Uint8Array(count), 3)),
    'Expected "depth" of slice 0 of a profile to be below 3 but got 3.',
  ],
  [
    "a name that is not there",
    column("name", first(new Uint32Array(count), 1e9)),
    `Expected "name" of slice 0 of a profile to be below ${payload.names.length} but got 1000000000.`,
  ],
  [
    "a place that is not there",
    column("place", first(new Uint32Array(count), 5)),
    'Expected "place" of slice 0 of a profile to be at most 4 but got 5.',
  ],
  [
    "a detail that is not there",
    column("detail", first(new Uint32Array(count), 1e9)),
    `Expected "detail" of slice 0 of a profile to be below ${payload.details.length} but got 1000000000.`,
  ],
  [
    "a cause that is not there",
    column("cause", first(new Uint32Array(count), count + 1)),
    `Expected "cause" of slice 0 of a profile to be at most ${count} but got ${count + 1}.`,
  ],
  [
    "a kernel that is not there",
    column("kernel", first(new Uint32Array(count), 4)),
    'Expected "kernel" of slice 0 of a profile to be at most 3 but got 4.',
  ],
  [
    "slices out of order",
    column(
      "start",
      Float64Array.from({ length: count }, (_, index) => -index),
    ),
    "Expected the slices of a profile to be in the order of track and start but slice 1 is not.",
  ],
  [
    "a counter out of order",
    {
      ...payload,
      counters: [
        {
          name: "m",
          unit: "bytes",
          length: 2,
          time: encoded(Float64Array.of(2, 1)),
          value: encoded(Float64Array.of(0, 0)),
        },
      ],
    },
    "Expected the counter of a profile to have finite values in the order of time but item 1 is not.",
  ],
  [
    "a counter too short",
    { ...payload, counters: [{ name: "m", unit: "bytes", length: 9, time: "", value: "" }] },
    "Expected the times of a counter of a profile to be 72 bytes as base64 but got 0 characters.",
  ],
])("%s is one sentence", (_name, value, problem) => expect(checkTrace(value)).toEqual({ ok: false, problem }));

test("random bytes in any column are a sentence or a profile, never an exception", () => {
  for (const name of ["start", "duration", "track", "depth", "name", "place", "detail", "cause", "kernel"]) {
    const bytes = atob((payload.slices as unknown as Record<string, string>)[name]!).length;
    for (let round = 0; round < 20; round++)
      expect(
        checkTrace(
          column(
            name,
            Uint8Array.from({ length: bytes }, () => 256 * Math.random()),
          ),
        ),
      ).toHaveProperty("ok");
  }
});

test("hostile text becomes one short line of visible characters, wherever it stands", () => {
  const hostile = `<img src=x onerror=alert(1)>\u0000\u202e\u001b[31m${"x".repeat(10_000_000)}`;
  const { names, tracks, places, details, kernels, advice } = payload;
  const checked = checkTrace({
    ...payload,
    title: hostile,
    names: names.map(() => hostile),
    tracks: tracks.map((track) => ({ ...track, name: hostile })),
    places: places.map((place) => ({ ...place, text: hostile })),
    details: details.map((detail) => ({ ...detail, kind: hostile, facts: [[hostile, hostile]], stack: [hostile] })),
    kernels: kernels.map((kernel) => ({ ...kernel, name: hostile, counters: { [hostile]: 1, __proto__: 2 } })),
    advice: advice.map((item) => ({ ...item, text: hostile })),
    notes: [hostile],
  });
  expect(checked.ok).toBe(true);
  if (!checked.ok) return;
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) collect(key), collect(item);
  };
  collect(checked.value.payload);
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(600);
  expect(
    texts.filter((text) => /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/.test(text)),
  ).toEqual([]);
});
