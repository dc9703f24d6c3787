// What each command with a message asks, and what it is answered, field by field: the table of protocol/messages.h, in
// the order in which the fields travel. A test compares the two.
import { WarpcellError } from "../errors.ts";
import { Op } from "./commands.ts";

/** A field as it travels: text, or bytes. */
export type Field = string | Uint8Array;

/**
 * What fields hold. A List is a field for each of its elements, up to the end of the message; MaybeLines may be missing
 * there.
 */
interface Kinds {
  readonly Text: string;
  readonly Bytes: Uint8Array;
  readonly Number: number;
  readonly Flag: boolean;
  readonly Lines: readonly string[];
  readonly List: readonly Field[];
  readonly MaybeLines: readonly string[] | null;
}
type Kind = keyof Kinds;
type FieldKinds = Readonly<Record<string, Kind>>;
type AnswerKinds = Readonly<Record<string, Exclude<Kind, "List">>>;

export const messages = {
  segment_create: { request: { segment: "Number", bytes: "Number" }, answer: {} },
  segment_import: { request: { segment: "Number", memory: "Text", bytes: "Number" }, answer: {} },
  hello: { request: {}, answer: { properties: "Text" } },
  compile: {
    request: { source: "Text", name: "Text", headers: "Text", expressions: "Lines", options: "List" },
    answer: { log: "Text", artifact: "Bytes", lowered: "Lines", dependencies: "MaybeLines" },
  },
  module_load: {
    request: { module: "Number", firstKernel: "Number", artifact: "Bytes", lowered: "Lines" },
    answer: { kernels: "Lines" },
  },
  variables_find: {
    request: { module: "Number", first: "Number", symbols: "Lines", values: "List" },
    answer: { bytes: "Lines" },
  },
  variable_write: { request: { variable: "Number", value: "Bytes" }, answer: {} },
  variable_read: { request: { variable: "Number" }, answer: { value: "Bytes" } },
  occupancy: { request: { kernel: "Number", threads: "Number", shared: "Number" }, answer: { figures: "Text" } },
  time: {
    request: { repeats: "Number", warmup: "Number", launch: "Bytes" },
    answer: { milliseconds: "Lines" },
  },
  check: {
    request: {
      launch: "Bytes",
      arguments: "Lines",
      blocks: "Lines",
      hasAddresses: "Flag",
      counts: "Flag",
      followed: "Text",
    },
    answer: { findings: "Lines", subjects: "Lines", reached: "Lines", counts: "Lines", steps: "Lines" },
  },
  host_load: { request: { module: "Number", object: "Bytes", kernels: "Lines", device: "Lines" }, answer: {} },
  host_call: {
    request: { module: "Number", function: "Text", name: "Text", values: "List" },
    answer: { events: "Text", payload: "Bytes" },
  },
  host_resume: { request: { values: "List" }, answer: { events: "Text", payload: "Bytes" } },
  texture_create: { request: { texture: "Number", array: "Number", place: "Number", terms: "Text" }, answer: {} },
  disassemble: { request: { artifact: "Bytes", form: "Text", headers: "Text" }, answer: { listing: "Text" } },
  address: { request: { place: "Number" }, answer: { address: "Text" } },
  plan: {
    request: { plan: "Number", call: "Text", choice: "Bytes", trial: "Bytes" },
    answer: {
      workspace: "Number",
      hostWorkspace: "Number",
      kept: "Number",
      hasStatus: "Flag",
      chosen: "Text",
      choice: "Bytes",
    },
  },
  known_libraries: { request: {}, answer: { libraries: "Lines" } },
  graph_create: { request: { graph: "Number", records: "Bytes" }, answer: {} },
  event_elapsed: { request: { first: "Number", second: "Number" }, answer: { milliseconds: "Text" } },
  profile_start: { request: { counters: "Flag", samples: "Flag" }, answer: { notes: "Text" } },
  profile_stop: { request: {}, answer: { summary: "Text", records: "Bytes" } },
} as const satisfies Partial<Record<keyof typeof Op, { request: FieldKinds; answer: AnswerKinds }>>;

export type MessageName = keyof typeof messages;
type Values<T extends FieldKinds> = { readonly [N in keyof T]: Kinds[T[N]] };
export type RequestOf<N extends MessageName> = Values<(typeof messages)[N]["request"]>;
export type AnswerOf<N extends MessageName> = Values<(typeof messages)[N]["answer"]>;

const written: { readonly [K in Kind]: (value: Kinds[K]) => readonly Field[] } = {
  Text: (value) => [value],
  Bytes: (value) => [value],
  Number: (value) => [String(value)],
  Flag: (value) => [value ? "1" : "0"],
  Lines: (value) => [value.join("\n")],
  List: (value) => value,
  MaybeLines: (value) => (value === null ? [] : [value.join("\n")]),
};

/** The fields of a request. */
export function requestFields<N extends MessageName>(name: N, request: RequestOf<N>): Field[] {
  const values = request as Readonly<Record<string, Kinds[Kind]>>;
  return Object.entries(messages[name].request as FieldKinds).flatMap(([field, kind]) =>
    (written[kind] as (value: Kinds[Kind]) => readonly Field[])(values[field]!),
  );
}

const text = new TextDecoder();
const linesOf = (field: Uint8Array) => (field.length === 0 ? [] : text.decode(field).split("\n"));

const read: { readonly [K in Exclude<Kind, "List">]: (field: Uint8Array) => Kinds[K] } = {
  Text: (field) => text.decode(field),
  Bytes: (field) => field,
  Number: (field) => Number(text.decode(field)),
  Flag: (field) => text.decode(field) === "1",
  Lines: linesOf,
  MaybeLines: linesOf,
};

/** What an answer says in the fields after "ok". Throws WarpcellError where it has others. */
export function answerOf<N extends MessageName>(name: N, fields: readonly Uint8Array[]): AnswerOf<N> {
  const kinds = Object.entries(messages[name].answer as AnswerKinds);
  const least = kinds.filter(([, kind]) => kind !== "MaybeLines").length;
  if (fields.length < least || fields.length > kinds.length)
    throw new WarpcellError(
      "PROTOCOL",
      `The answer to ${name} must have the fields ${listed(kinds)}, but has ${fields.length} of them: its parts are from different versions. Build the library again: npm run build.`,
    );
  return Object.fromEntries(
    kinds.map(([field, kind], at) => [field, fields[at] === undefined ? null : read[kind](fields[at])]),
  ) as AnswerOf<N>;
}

const listed = (kinds: readonly (readonly [string, Kind])[]) =>
  `[${kinds.map(([field, kind]) => (kind === "MaybeLines" ? `${field}?` : field)).join(", ")}]`;
