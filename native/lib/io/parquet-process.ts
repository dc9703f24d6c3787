// The process that reads Parquet files with the package hyparquet: where a damaged file makes it take all memory, it
// ends and not the session, and other work goes on meanwhile.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { decompress } from "fzstd";
import {
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  snappyUncompress,
  type AsyncBuffer,
  type Compressors,
  type DecodedArray,
  type FileMetaData,
} from "hyparquet";
import { factsOf, type DType, type TypedArray } from "../memory/dtype.ts";
import { columnTypeOf, type ColumnType } from "./parquet-types.ts";

/** Opens the file at a path or of these bytes, or reads columns of what is open, each into that dtype or as texts. */
export type ToParquet =
  | { readonly use: "open"; readonly file: string | Uint8Array; readonly maxRatio: number }
  | {
      readonly use: "read";
      readonly columns: readonly { readonly name: string; readonly dtype: DType | null }[];
    };
/** A run of a column. `width`: of its lists; `gaps`: rows that lack a value which the dtype cannot. */
export interface Part {
  readonly elements: TypedArray | null;
  readonly texts: readonly string[] | null;
  readonly rows: number;
  readonly width: number | null;
  readonly gaps: number;
}
export type FromParquet =
  | { readonly answer: "opened"; readonly columns: readonly ColumnType[]; readonly rows: number }
  | { readonly answer: "part"; readonly column: number; readonly part: Part }
  | { readonly answer: "done" }
  | { readonly answer: "failed"; readonly reason: string; readonly kind: "damaged" | "ratio" | "unsupported" };

/** What a file may hold beside what it says of its size: packed pages, and rows that are all alike. */
const harmlessBytes = 2 ** 24;
const harmlessRows = 2 ** 20;
const rowsPerByte = 10;

/** How many values a page may say that it has. */
let mostValues = harmlessRows;
/**
 * The package makes arrays as long as a page says, and writes runs into them that may be longer than that: those for a
 * small file do not grow, so that a damaged length is an error and no loop through all numbers. Such arrays are slow.
 */
let isSmall = true;
const smallBytes = 2 ** 22;
globalThis.Array = new Proxy(Array, {
  construct(Original, given: [unknown]) {
    if (typeof given[0] === "number" && given[0] > mostValues)
      throw new Refused("ratio", `a page of it says that it has ${given[0]} values`);
    const made = new Original(...given);
    return isSmall && given.length === 1 && typeof given[0] === "number"
      ? Object.preventExtensions(made.fill(undefined))
      : made;
  },
});

class Refused extends Error {
  readonly kind: "ratio" | "unsupported";
  constructor(kind: "ratio" | "unsupported", reason: string) {
    super(reason);
    this.kind = kind;
  }
}

interface Opened {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly compressors: Compressors;
  close(): void;
}
let opened: Opened | null = null;

function sourceOf(given: string | Uint8Array): { file: AsyncBuffer; close(): void } {
  const checked = (size: number, start: number, end: number) => {
    if (!(start >= 0 && start <= end && end <= size))
      throw new RangeError(`it has ${size} bytes, but says that something lies in bytes ${start} to ${end}`);
  };
  if (typeof given !== "string") {
    const size = given.byteLength;
    const slice = (start: number, end = size) => {
      checked(size, start, end);
      return Uint8Array.from(given.subarray(start, end)).buffer;
    };
    return { file: { byteLength: size, slice }, close: () => undefined };
  }
  const descriptor = openSync(given, "r");
  const { size } = fstatSync(descriptor);
  const slice = (start: number, end = size) => {
    checked(size, start, end);
    const bytes = new Uint8Array(end - start);
    for (let done = 0; done < bytes.length; ) {
      const got = readSync(descriptor, bytes, done, Math.min(bytes.length - done, 2 ** 30), start + done);
      if (got === 0) throw new RangeError("it became shorter while it was read");
      done += got;
    }
    return bytes.buffer;
  };
  return { file: { byteLength: size, slice }, close: () => closeSync(descriptor) };
}

/** What unpacks pages, each no larger than it says and than `maxRatio` allows. */
function compressorsOf(maxRatio: number): Compressors {
  const within = (unpack: (input: Uint8Array, size: number) => Uint8Array) => (input: Uint8Array, size: number) => {
    if (size > harmlessBytes && size > input.length * maxRatio)
      throw new Refused("ratio", `a page of it would grow from ${input.length} to ${size} bytes`);
    return size === 0 ? new Uint8Array(0) : unpack(input, size);
  };
  return {
    SNAPPY: within((input, size) => {
      const output = new Uint8Array(size);
      snappyUncompress(input, output);
      return output;
    }),
    GZIP: within((input, size) => new Uint8Array(gunzipSync(input, { maxOutputLength: size }))),
    BROTLI: within((input, size) => new Uint8Array(brotliDecompressSync(input, { maxOutputLength: size }))),
    ZSTD: within((input, size) => decompress(input, new Uint8Array(size))),
  };
}

async function open(given: string | Uint8Array, maxRatio: number): Promise<FromParquet> {
  opened?.close();
  opened = null;
  const { file, close } = sourceOf(given);
  try {
    // The package takes a number that is too large for a plan, and an option for one that is left out.
    const metadata = await parquetMetadataAsync(file, { geoparquet: false });
    const rows = Number(metadata.num_rows);
    const inGroups = metadata.row_groups.reduce((sum, { num_rows: count }) => sum + Number(count), 0);
    if (!Number.isSafeInteger(rows) || rows < 0 || rows !== inGroups)
      throw new Error(`it says that it has ${rows} rows, and ${inGroups} in its groups`);
    if (rows > harmlessRows && rows > file.byteLength * maxRatio * rowsPerByte)
      throw new Refused("ratio", `it says that ${file.byteLength} bytes hold ${rows} rows`);
    isSmall = file.byteLength <= smallBytes;
    mostValues = Math.max(harmlessRows, file.byteLength * maxRatio * rowsPerByte);
    const compressors = compressorsOf(maxRatio);
    opened = { file, metadata, compressors, close };
    return { answer: "opened", columns: parquetSchema(metadata).children.map(columnTypeOf), rows };
  } catch (error) {
    if (opened === null) close();
    throw error;
  }
}

async function read(
  { file, metadata, compressors }: Opened,
  columns: readonly { readonly name: string; readonly dtype: DType | null }[],
): Promise<FromParquet> {
  checkPacking(metadata, new Set(columns.map(({ name }) => name)), compressors);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    for (const [column, { name, dtype }] of columns.entries()) {
      const runs: DecodedArray[] = [];
      if (rowEnd > rowStart)
        await parquetRead({
          file,
          metadata,
          compressors,
          columns: [name],
          rowStart,
          rowEnd,
          onChunk: ({ columnData }) => runs.push(columnData),
        });
      const rows = runs.reduce((sum, { length }) => sum + length, 0);
      if (rows !== rowEnd - rowStart)
        throw new Error(`column ${JSON.stringify(name)} has ${rows} values where ${rowEnd - rowStart} are expected`);
      for (const run of runs) {
        const part = dtype === null ? textsOf(run) : numbersOf(run, dtype, name);
        say({ answer: "part", column, part });
      }
    }
    rowStart = rowEnd;
  }
  return { answer: "done" };
}

function checkPacking(metadata: FileMetaData, wanted: ReadonlySet<string>, compressors: Compressors): void {
  for (const { columns } of metadata.row_groups)
    for (const { meta_data: column } of columns) {
      if (column === undefined || !wanted.has(column.path_in_schema[0]!)) continue;
      if (column.codec === "UNCOMPRESSED" || column.codec in compressors) continue;
      throw new Refused(
        "unsupported",
        `it is compressed with ${column.codec}. Write it with snappy, gzip, brotli, zstd or none`,
      );
    }
}

function textsOf(run: DecodedArray): Part {
  const texts = Array.from(run as ArrayLike<unknown>, (each) => (typeof each === "string" ? each : ""));
  return { elements: null, texts, rows: texts.length, width: null, gaps: 0 };
}

/** In memory of its own. */
function numbersOf(run: DecodedArray, dtype: DType, name: string): Part {
  const { array: Elements, kind, bytes } = factsOf(dtype);
  const list = run as ArrayLike<unknown>;
  if (ArrayBuffer.isView(run) && run.constructor === Elements)
    return { elements: (run as TypedArray).slice(), texts: null, rows: run.length, width: null, gaps: 0 };
  const first = Array.from({ length: Math.min(list.length, 1) }, () => list[0])[0];
  const width = Array.isArray(first) ? first.length : null;
  const elements = new Elements(list.length * (width ?? 1)) as { length: number; [at: number]: unknown };
  const isLong = kind === "int" && bytes === 8;
  let gaps = 0;
  let to = 0;
  const put = (value: unknown) => {
    const isMissing = value === null || value === undefined;
    if (isMissing && kind !== "float") gaps += 1;
    else elements[to] = isLong ? BigInt(value as bigint) : isMissing ? Number.NaN : Number(value);
    to += 1;
  };
  for (let row = 0; row < list.length; row++) {
    const value = list[row];
    if (width === null && !Array.isArray(value)) put(value);
    else if (Array.isArray(value) && value.length === width) for (const each of value) put(each);
    else throw new Refused("unsupported", `lists of its column ${JSON.stringify(name)} have different lengths`);
  }
  return { elements: elements as unknown as TypedArray, texts: null, rows: list.length, width, gaps };
}

const say = (answer: FromParquet): void => void process.send!(answer);

process.on("message", (message: ToParquet) => {
  const work = message.use === "open" ? open(message.file, message.maxRatio) : read(opened!, message.columns);
  void work
    .catch(
      (error: unknown): FromParquet => ({
        answer: "failed",
        // The package finds out by using what is not there.
        reason: error instanceof TypeError ? "its parts do not fit together" : (error as Error).message,
        kind: error instanceof Refused ? error.kind : "damaged",
      }),
    )
    .then(say);
});
// A file that is read for ever keeps this process from hearing that the other one is gone: a thread looks.
new Worker(
  `const { ppid } = process; setInterval(() => process.ppid === ppid || process.kill(process.pid, "SIGKILL"), 1000);`,
  { eval: true },
).unref();
// An interrupt is for the session, which may share its terminal with this process.
process.on("SIGINT", () => undefined);
