// Reads the columns of slices, base64 in an output or bytes of a comm: typed arrays that a view can trust, or one
// sentence.
import { trans } from "../drawing/trans.ts";
import type { SliceColumns, WindowReply } from "../../../kernel/mime.ts";
import type { Checked } from "../kernel-link/fields.ts";

type Column = Exclude<keyof SliceColumns, "length">;
type Values = Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array;

export interface Columns {
  readonly length: number;
  readonly start: Float64Array;
  readonly duration: Float32Array;
  readonly track: Uint16Array;
  readonly depth: Uint8Array;
  readonly name: Uint32Array;
  readonly place: Uint32Array;
  readonly detail: Uint32Array;
  readonly cause: Uint32Array;
  readonly kernel: Uint32Array;
  /** How many slices one stands for, and the sum of their durations; `null`: one each. */
  readonly merged: Uint32Array | null;
  readonly busy: Float32Array | null;
}

/** What the columns point into. */
export interface Tables {
  /** Levels of nesting of each track. */
  readonly depths: readonly number[];
  readonly names: number;
  readonly places: number;
  readonly details: number;
  readonly kernels: number;
}

const formats = {
  start: Float64Array,
  duration: Float32Array,
  track: Uint16Array,
  depth: Uint8Array,
  name: Uint32Array,
  place: Uint32Array,
  detail: Uint32Array,
  cause: Uint32Array,
  kernel: Uint32Array,
  merged: Uint32Array,
  busy: Float32Array,
} as const satisfies Record<
  Column,
  { new (buffer: ArrayBuffer, offset: number, length: number): Values; BYTES_PER_ELEMENT: number }
>;

const optional: ReadonlySet<string> = new Set(["merged", "busy"]);
const all = Object.keys(formats) as Column[];

/** More than fits a page's memory. */
const mostSlices = 50_000_000;

type WithFromBase64 = typeof Uint8Array & { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

/** The bytes of base64 text; `null`: it is none. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const native = (Uint8Array as WithFromBase64).fromBase64;
    if (native) return native.call(Uint8Array, text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
    return bytes;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DOMException) return null;
    throw error;
  }
}

/** `length` values of float64 from base64, or a sentence about `what`. */
export function decodeNumbers(what: string, text: unknown, length: number): Checked<Float64Array> {
  return decode(what, text, length, Float64Array) as Checked<Float64Array>;
}

function decode(what: string, text: unknown, length: number, Type: (typeof formats)[Column]): Checked<Values> {
  if (typeof text !== "string") return { ok: false, problem: trans.__("Expected %1 to be base64 text.", what) };
  const size = length * Type.BYTES_PER_ELEMENT;
  // Before it is decoded: a text of the wrong size may be a very large one.
  if (Math.abs(text.length - (size * 4) / 3) > 4)
    return {
      ok: false,
      problem: trans.__("Expected %1 to be %2 bytes as base64 but got %3 characters.", what, size, text.length),
    };
  const bytes = bytesOf(text);
  if (bytes === null) return { ok: false, problem: trans.__("Expected %1 to be base64 text.", what) };
  if (bytes.length !== size)
    return { ok: false, problem: trans.__("Expected %1 to have %2 bytes but got %3.", what, size, bytes.length) };
  return { ok: true, value: new Type(bytes.buffer, 0, length) };
}

/** The columns of an output. */
export function decodeColumns(slices: SliceColumns, tables: Tables): Checked<Columns> {
  const problem = badLength(slices.length);
  if (problem) return { ok: false, problem };
  const columns: Partial<Record<Column, Values>> = {};
  for (const name of all) {
    if (slices[name] === undefined && optional.has(name)) continue;
    const values = decode(trans.__('the column "%1" of a profile', name), slices[name], slices.length, formats[name]);
    if (!values.ok) return values;
    columns[name] = values.value;
  }
  return trusted(columns, slices.length, tables);
}

/** The columns of a reply of the kernel; `buffer` may be a view of a larger one. */
export function readColumns(
  reply: WindowReply,
  buffer: ArrayBuffer | ArrayBufferView,
  tables: Tables,
): Checked<Columns> {
  const problem = badLength(reply.length);
  if (problem) return { ok: false, problem };
  const [whole, first, size] = ArrayBuffer.isView(buffer)
    ? [buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength]
    : [buffer, 0, buffer.byteLength];
  const columns: Partial<Record<Column, Values>> = {};
  for (const { name, offset } of reply.columns) {
    const Type = Object.hasOwn(formats, name) ? formats[name] : null;
    // A newer kernel may send more.
    if (Type === null) continue;
    const bytes = reply.length * Type.BYTES_PER_ELEMENT;
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + bytes > size)
      return {
        ok: false,
        problem: trans.__(
          'Expected the column "%1" of a profile within %2 bytes but got bytes %3 to %4.',
          name,
          size,
          offset,
          offset + bytes,
        ),
      };
    const from = first + offset;
    columns[name] =
      from % Type.BYTES_PER_ELEMENT === 0
        ? new Type(whole, from, reply.length)
        : new Type(whole.slice(from, from + bytes), 0, reply.length);
  }
  const missing = all.find((name) => !columns[name] && !optional.has(name));
  if (missing) return { ok: false, problem: trans.__('Expected the column "%1" of a profile but got none.', missing) };
  return trusted(columns, reply.length, tables);
}

function badLength(length: number): string | null {
  const fits = Number.isSafeInteger(length) && length >= 0 && length <= mostSlices;
  return fits ? null : trans.__("Expected a profile of 0 to %1 slices but got %2.", mostSlices, length);
}

function trusted(found: Partial<Record<Column, Values>>, length: number, tables: Tables): Checked<Columns> {
  const columns = { merged: null, busy: null, ...found, length } as unknown as Columns;
  const problem = problemOf(columns, tables);
  return problem ? { ok: false, problem } : { ok: true, value: columns };
}

/** Every index is in its table and slices are in order: what reads them need not look again. */
function problemOf(columns: Columns, { depths, names, places, details, kernels }: Tables): string | null {
  const { length, start, duration, track, depth, name, place, detail, cause, kernel, busy } = columns;
  const wrong = (index: number, column: string, value: number, expected: string): string =>
    trans.__('Expected "%1" of slice %2 of a profile to be %3 but got %4.', column, index, expected, value);
  for (let index = 0; index < length; index++) {
    if (!Number.isFinite(start[index])) return wrong(index, "start", start[index]!, trans.__("a finite number"));
    if (!(duration[index]! >= 0 && duration[index]! < Infinity))
      return wrong(index, "duration", duration[index]!, trans.__("a finite number of 0 or more"));
    if (track[index]! >= depths.length)
      return wrong(index, "track", track[index]!, trans.__("below %1", depths.length));
    if (depth[index]! >= depths[track[index]!]!)
      return wrong(index, "depth", depth[index]!, trans.__("below %1", depths[track[index]!]));
    if (name[index]! >= names) return wrong(index, "name", name[index]!, trans.__("below %1", names));
    if (place[index]! > places) return wrong(index, "place", place[index]!, trans.__("at most %1", places));
    if (detail[index]! >= details) return wrong(index, "detail", detail[index]!, trans.__("below %1", details));
    if (cause[index]! > length) return wrong(index, "cause", cause[index]!, trans.__("at most %1", length));
    if (kernel[index]! > kernels) return wrong(index, "kernel", kernel[index]!, trans.__("at most %1", kernels));
    if (busy && !(busy[index]! >= 0 && busy[index]! < Infinity))
      return wrong(index, "busy", busy[index]!, trans.__("a finite number of 0 or more"));
    if (
      index > 0 &&
      (track[index]! < track[index - 1]! || (track[index] === track[index - 1] && start[index]! < start[index - 1]!))
    )
      return trans.__(
        "Expected the slices of a profile to be in the order of track and start but slice %1 is not.",
        index,
      );
  }
  return null;
}
