// Tensors and tables into files and back: chooses the format by the name of the file, or by how its bytes begin.
import { renameSync, rmSync, openSync, writeSync, closeSync } from "node:fs";
import { basename, extname } from "node:path";
import { FormatError, TensorError } from "../errors.ts";
import { atLeast, device, flag, optionsOf, text, type Kind } from "../tensor/arguments.ts";
import { Tensor } from "../tensor/tensor.ts";
import { LongWork } from "../long-work.ts";
import { worded } from "../wording.ts";
import { arrowColumns, isArrowFile, isArrowStream } from "./arrow.ts";
import { arrowBytes, bytesOfTable, tensorOfColumn, textsOfColumn } from "./arrow-table.ts";
import { csvTable } from "./csv.ts";
import { csvParts } from "./csv-write.ts";
import { chosenNames, entriesMade, madeOf, type Naming, type Rename } from "./names.ts";
import type {
  FileFormat,
  LoadOptions,
  PictureOptions,
  SaveOptions,
  TableOptions,
  TableRecord,
  TensorRecord,
} from "./file-options.ts";
import { isNpy, npyHeader, npyParts } from "./npy.ts";
import { isParquet, parquetTable } from "./parquet.ts";
import {
  foreignPicture,
  isJpeg,
  isPng,
  jpegOptions,
  jpegParts,
  jpegPicture,
  pictureOptions,
  pngParts,
  pngPicture,
} from "./pictures.ts";
import { isSafetensors, safetensorsHeader, safetensorsParts } from "./safetensors.ts";
import { checkedValue, recordOf, type Saved } from "./saved.ts";
import { checkpointAt, isIndex, loadShards } from "./shards.ts";
import { sourceOfBytes, withFile, type Source } from "./source.ts";
import { tensorOf } from "./stored.ts";
import { checkAsked, csvOptions, converted, dtypeAsked, names, tableMade, tableOptions } from "./table.ts";
import type { Column, TableReading } from "./table.ts";
import { entriesOf, zipParts } from "./zip.ts";

export type { TableInput } from "./saved.ts";
export type * from "./file-options.ts";

/** Bytes that are written at a time: a line tells of each. */
const stepBytes = 64 * 2 ** 20;

interface Reading extends Naming, TableReading {
  readonly device: string | undefined;
  readonly maxRatio: number;
  readonly channels: 1 | 3 | 4 | undefined;
}
type Loaded = Tensor | Record<string, Column>;
interface Format {
  readonly extensions: readonly string[];
  is(source: Source): boolean;
  /** Options of {@link TableOptions} and {@link PictureOptions} that it takes; none when left out. */
  readonly takes?: readonly string[];
  load(source: Source, reading: Reading): Loaded | Promise<Loaded>;
  /** Options of {@link SaveOptions} that it takes; none when left out. */
  readonly gives?: readonly string[];
  /** Of one that is written, too. */
  parts?(value: Saved, options: SaveOptions, file: string): Iterable<Uint8Array> | Promise<Iterable<Uint8Array>>;
}

const formats: Record<FileFormat, Format> = {
  npy: {
    extensions: [".npy"],
    is: isNpy,
    load(source, { device, only, rename }) {
      if (only !== null || rename !== null)
        throw new TensorError(
          "OPTIONS",
          `${source.name} is a .npy file, which holds one tensor without a name: leave out ${only === null ? "rename" : "only"}.`,
        );
      return tensorOf(source, npyHeader(source), device);
    },
    parts(value, _, file) {
      if (value instanceof Tensor) return npyParts(value, file);
      throw new TensorError("OPERANDS", `A .npy file holds one tensor: save several as .npz or .safetensors.`);
    },
  },
  npz: {
    extensions: [".npz"],
    is: (source) =>
      source.size >= 4 && [0x04034b50, 0x06054b50].includes(Buffer.from(source.read(0, 4)).readUInt32LE(0)),
    load(source, { device, maxRatio, ...naming }) {
      const entries = entriesOf(source, maxRatio).map((entry) => ({ entry, name: entry.name.replace(/\.npy$/, "") }));
      return madeOf(
        source.name,
        entries.map(({ name }) => name),
        naming,
        (index) => {
          const { entry } = entries[index]!;
          if (!entry.name.endsWith(".npy"))
            throw new FormatError(
              "UNSUPPORTED",
              source.name,
              `${source.name} has an entry ${JSON.stringify(entry.name)}, which is not an array. Name the ones to load: { only: ["…"] }.`,
            );
          const opened = entry.open();
          return tensorOf(opened, npyHeader(opened), device);
        },
      );
    },
    gives: ["compress"],
    parts: (value, { compress = false }, file) =>
      zipParts(
        lazily(
          recordOf(value, "npz"),
          (name, tensor) => [`${name}.npy`, npyParts(tensor, `${name} of ${file}`)] as const,
        ),
        compress,
      ),
  },
  safetensors: {
    extensions: [".safetensors"],
    is: isSafetensors,
    load(source, { device, ...naming }) {
      const stored = [...safetensorsHeader(source).tensors];
      return madeOf(
        source.name,
        stored.map(([name]) => name),
        naming,
        (index) => tensorOf(source, stored[index]![1], device),
      );
    },
    gives: ["metadata"],
    parts: (value, { metadata = {} }, file) => safetensorsParts(recordOf(value, "safetensors"), metadata, file),
  },
  arrow: {
    extensions: [".arrow", ".feather"],
    takes: Object.keys(tableOptions),
    is: isArrowFile,
    load: loadColumns,
    parts: async (value) => [await arrowBytes(recordOf(value, "arrow"), "file")],
  },
  arrows: {
    extensions: [".arrows"],
    takes: Object.keys(tableOptions),
    is: isArrowStream,
    load: loadColumns,
    parts: async (value) => [await arrowBytes(recordOf(value, "arrows"), "stream")],
  },
  parquet: {
    extensions: [".parquet"],
    takes: Object.keys(tableOptions),
    is: isParquet,
    load: async (source, reading) => tableOf(source, reading, (choose) => parquetTable(source, reading, choose)),
  },
  csv: textTable([".csv"], ","),
  tsv: textTable([".tsv"], "\t"),
  png: {
    extensions: [".png"],
    takes: Object.keys(pictureOptions),
    is: isPng,
    load: (source, { device, channels }) => pngPicture(source, device, channels),
    parts: pngParts,
  },
  jpg: {
    extensions: [".jpg", ".jpeg"],
    takes: Object.keys(pictureOptions),
    is: isJpeg,
    load: (source, { device, channels }) => jpegPicture(source, device, channels),
    gives: Object.keys(jpegOptions),
    parts: (value, { quality }) => jpegParts(value, quality),
  },
};
const formatNames = Object.keys(formats) as FileFormat[];
const writtenNames = formatNames.filter((name) => formats[name].parts !== undefined);

/** A table as text; its bytes do not say that they are one. */
function textTable(extensions: readonly string[], delimiter: string): Format {
  return {
    extensions,
    takes: [...Object.keys(tableOptions), ...Object.keys(csvOptions)],
    is: () => false,
    load: async (source, reading) => {
      const described = { ...reading, delimiter: reading.delimiter ?? (delimiter === "," ? undefined : delimiter) };
      return tableOf(source, reading, (choose) => csvTable(source, described, choose));
    },
    gives: ["header", "delimiter"],
    parts: (value, { header, ...given }, file) =>
      csvParts(value, { header, delimiter: given.delimiter ?? delimiter }, file),
  };
}

/** A table that is read once it is known which columns are wanted. */
async function tableOf(
  source: Source,
  reading: Reading,
  read: (
    choose: (names: readonly string[]) => ReadonlySet<number>,
  ) => Promise<{ readonly names: readonly string[]; column(index: number): Column }>,
): Promise<Loaded> {
  const { only, rename, texts } = reading;
  const naming = { only: only === null ? null : new Set([...only, ...texts]), rename, noun: "column" };
  const table = await read((present) => {
    checkAsked(source.name, present, reading);
    return new Set(chosenNames(source.name, present, naming).map(({ index }) => index));
  });
  const columns = entriesMade(source.name, table.names, naming, (index) => table.column(index));
  return tableMade(source.name, reading, columns);
}

function loadColumns(source: Source, reading: Reading): Loaded {
  const { rename, texts } = reading;
  const only = reading.only === null ? null : new Set([...reading.only, ...texts]);
  const { columns, names } = arrowColumns(source, only, reading);
  chosenNames(source.name, names, { only, rename: null });
  checkAsked(source.name, names, reading);
  const made = entriesMade<Column>(
    source.name,
    columns.map(({ name }) => name),
    { only, rename },
    (index) => {
      const column = columns[index]!;
      if (column.dtype === null) return textsOfColumn(source, column);
      return converted(tensorOfColumn(source, column, reading.device), dtypeAsked(reading, column.name));
    },
  );
  return tableMade(source.name, reading, made);
}

function* lazily<T>(tensors: TensorRecord, use: (name: string, tensor: Tensor) => T): Generator<T> {
  for (const [name, tensor] of Object.entries(tensors)) yield use(name, tensor);
}

function formatNamed(format: FileFormat | undefined, path: string | null): Format | null {
  if (format !== undefined) {
    if (Object.hasOwn(formats, format)) return formats[format];
    throw new TensorError(
      "OPTIONS",
      `There is no format ${worded(format)}. Known formats are ${formatNames.join(", ")}.`,
    );
  }
  const extension = extname(path ?? "").toLowerCase();
  return Object.values(formats).find(({ extensions }) => extensions.includes(extension)) ?? null;
}

const rename: Kind<Rename> = { wanted: "a function of a name", has: (value) => typeof value === "function" };
const loadOptions = { device, format: text as Kind<FileFormat>, only: names, rename, maxRatio: atLeast(1) };
const optionsOfSome = { ...tableOptions, ...csvOptions, ...pictureOptions };
const texts: Kind<Readonly<Record<string, string>>> = {
  wanted: "an object of texts",
  has: (value) => typeof value === "object" && value !== null,
};
const saveOptions = {
  format: text as Kind<FileFormat>,
  compress: flag,
  metadata: texts,
  header: names,
  delimiter: csvOptions.delimiter,
  ...jpegOptions,
};
const insteadOfSaving = { sep: "Write delimiter.", columns: "Write header.", index: "A column of its own holds it." };
const instead = {
  columns: "Write only.",
  usecols: "Write only.",
  names: "Write header.",
  sep: "Write delimiter.",
  skiprows: "Write skip.",
  parse_dates: "Dates are lists of texts, which plot takes as x.",
};

async function readAll(
  source: Source,
  path: string | null,
  format: FileFormat | undefined,
  reading: Reading,
  given: readonly string[],
): Promise<Loaded> {
  const found = formatNamed(format, path) ?? Object.values(formats).find((each) => each.is(source));
  if (found === undefined)
    throw new FormatError(
      "FORMAT",
      source.name,
      foreignPicture(source) ?? `${source.name} is not in a known format. Known formats are ${formatNames.join(", ")}.`,
    );
  const odd = given.find((option) => found.takes?.includes(option) !== true);
  if (odd !== undefined)
    throw new TensorError(
      "OPTIONS",
      `${source.name} is a ${found.extensions[0]} file, for which there is no option ${odd}.`,
    );
  return found.load(source, reading);
}

/**
 * The tensor of a .npy file, or the tensors of another one under their names. A folder, or an index that ends in
 * ".safetensors.index.json", is a checkpoint of the package transformers, in one file or in shards. Bytes are read as
 * they are, and may be part of a larger buffer. Sizes are checked against the file before anything is allocated.
 *
 * Of a table (.csv, .tsv, .parquet, .arrow) it is the columns: in the dtypes that the file declares; of text, int64
 * for whole numbers, bool for true and false, float64 for other numbers, else a list of texts, in which a missing one
 * is empty. A missing number is NaN, which makes a column of whole numbers in text float64, and is refused where a file
 * declares whole numbers, and in Arrow. What else a column may hold (dates, structures) is refused by name, and so is a
 * text in a column whose dtype is named, or in a matrix. See {@link TableOptions}.
 *
 * Of a picture (.png, .jpg) it is [height, width, channels], 1, 3 or 4 as the file has them, in uint8, or in int32
 * 0 … 65535 of a .png with 16 bits a sample; a .jpg is turned as the camera was held. See {@link PictureOptions}.
 *
 * Throws FormatError for a file that is damaged or of another kind, TensorError for a name that is not in it,
 * OutOfMemory, and the system's error for one that cannot be opened.
 * @example
 * await io.save("weights.safetensors", { w: tensor([1, 2]) });
 * (await io.load("weights.safetensors")).w; // → tensor([1, 2], shape [2], float32, cpu)
 * Object.keys(await io.load("weights.safetensors", { rename: (name) => `head.${name}` })); // → [ 'head.w' ]
 * @example
 * await io.save("people.csv", { name: ["Ann", "Bo"], age: tensor([31, 44]) });
 * const people = await io.load("people.csv", { dtype: "float32" });
 * people.age; // → tensor([31, 44], shape [2], float32, cpu)
 * people.name; // → [ 'Ann', 'Bo' ]
 * (await io.load("people.csv", { only: ["age"], matrix: true })).shape; // → [ 2, 1 ]
 * @example
 * await io.save("red.png", tensor([[[255, 0, 0]]], { dtype: "uint8" }));
 * await io.load("red.png"); // → tensor([[[255, 0, 0]]], shape [1, 1, 3], uint8, cpu)
 * (await io.load("red.png", { channels: 1 })).item(); // → 76
 */
export function load(source: `${string}.npy`, options?: LoadOptions): Promise<Tensor>;
export function load(source: `${string}.${"png" | "jpg" | "jpeg"}`, options?: PictureOptions): Promise<Tensor>;
export function load(
  source: `${string}.${"npz" | "safetensors" | "safetensors.index.json"}`,
  options?: LoadOptions,
): Promise<TensorRecord>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options: TableOptions & { readonly matrix: true },
): Promise<Tensor>;
export function load<const T extends string>(
  source: string | ArrayBuffer | ArrayBufferView,
  options: TableOptions & { readonly texts: readonly T[] },
): Promise<TableRecord & { [Name in T]: string[] }>;
export function load(
  source: `${string}.${"arrow" | "arrows" | "feather" | "parquet" | "csv" | "tsv"}`,
  options?: TableOptions,
): Promise<TableRecord>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options: LoadOptions & { readonly format: "npy" },
): Promise<Tensor>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options: PictureOptions & { readonly format: "png" | "jpg" },
): Promise<Tensor>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options: LoadOptions & { readonly format: "npz" | "safetensors" },
): Promise<TensorRecord>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options: TableOptions & { readonly format: Exclude<FileFormat, "npy" | "png" | "jpg"> },
): Promise<TableRecord>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options: LoadOptions & ({ readonly only: readonly string[] } | { readonly rename: (name: string) => string | null }),
): Promise<TensorRecord>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options?: TableOptions,
): Promise<Tensor | TensorRecord>;
export async function load(source: unknown, options?: TableOptions | PictureOptions): Promise<Loaded> {
  const given = optionsOf("load", { ...loadOptions, ...optionsOfSome }, options, { instead });
  const { device, format, only, rename = null, maxRatio = 100 } = given;
  const ofSome = Object.keys(given).filter((option) => option in optionsOfSome);
  const reading: Reading = {
    device,
    only: only === undefined ? null : new Set(only),
    rename,
    maxRatio,
    dtype: given.dtype,
    texts: new Set(given.texts),
    isMatrix: given.matrix === true,
    header: given.header,
    delimiter: given.delimiter,
    skip: given.skip ?? 0,
    missing: given.missing ?? [],
    channels: given.channels,
  };
  if (typeof source !== "string")
    return readAll(sourceOfBytes(bytesOf(source, "load"), "the file"), null, format, reading, ofSome);
  if (/^https?:/.test(source))
    throw new TensorError(
      "OPERANDS",
      `load reads files and bytes, not ${JSON.stringify(source)}: write await io.load(await (await fetch(url)).arrayBuffer(), { format: "csv" }).`,
    );
  const path = checkpointAt(source);
  if (isIndex(path)) return loadShards(path, reading, device);
  return withFile(path, (file) => readAll(file, path, format, reading, ofSome));
}

/**
 * The texts that a .safetensors file carries beside its tensors, by name. Throws FormatError for another file.
 * @example
 * await io.save("model.safetensors", { w: zeros([2]) }, { metadata: { step: "100" } });
 * await io.metadata("model.safetensors"); // → { step: '100' }
 */
export async function metadata(source: string | ArrayBuffer | ArrayBufferView): Promise<Record<string, string>> {
  if (typeof source === "string") return withFile(source, (file) => safetensorsHeader(file).metadata);
  return safetensorsHeader(sourceOfBytes(bytesOf(source, "metadata"), "the file")).metadata;
}

function bytesOf(source: unknown, use: string): Uint8Array {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (source instanceof ArrayBuffer || source instanceof SharedArrayBuffer) return new Uint8Array(source);
  throw new TensorError("OPERANDS", `${use} takes the path of a file or its bytes but got ${worded(source)}.`);
}

async function partsOf(
  value: Saved,
  format: Format | null,
  options: SaveOptions,
  file: string,
): Promise<Iterable<Uint8Array>> {
  if (format === null)
    throw new TensorError(
      "OPTIONS",
      `${JSON.stringify(file)} does not say which format to save in: end it in ${writtenNames.map((name) => `.${name}`).join(", ")}, or pass { format }.`,
    );
  if (format.parts === undefined)
    throw new TensorError(
      "OPTIONS",
      `${format.extensions[0]} files are read, but not written: save a table as .arrow, which pandas reads, too, or as .csv.`,
    );
  const odd = Object.keys(options).find((option) => option !== "format" && format.gives?.includes(option) !== true);
  if (odd !== undefined)
    throw new TensorError("OPTIONS", `A ${format.extensions[0]} file is written without an option ${odd}.`);
  return format.parts(checkedValue(value), options, file);
}

/**
 * Writes a tensor to a .npy file, or an object of tensors to one that holds several. The file appears once it is whole.
 * A picture (.png, .jpg) is [height, width] or [height, width, 1, 3 or 4], of uint8, bool, or floating point from 0 to
 * 1.
 * Throws FormatError for a dtype that the format does not have, TensorError for what is no picture.
 * @example
 * await io.save("x.npy", tensor([1, 2]));
 * await io.load("x.npy"); // → tensor([1, 2], shape [2], float32, cpu)
 */
export async function save(path: string, value: Saved, options?: SaveOptions): Promise<void> {
  if (typeof path !== "string")
    throw new TensorError("OPERANDS", `save takes the path of a file first, but got ${worded(path)}.`);
  const given = optionsOf("save", saveOptions, options, { instead: insteadOfSaving });
  const parts = await partsOf(value, formatNamed(given.format, path), given, path);
  const unfinished = `${path}.${process.pid}.unfinished`;
  const descriptor = openSync(unfinished, "w");
  try {
    try {
      using work = new LongWork(`Writing ${basename(path)}`, { total: null, unit: "bytes" });
      for (const part of parts)
        for (let done = 0; done < part.length; ) {
          const count = writeSync(descriptor, part, done, Math.min(part.length - done, stepBytes));
          done += count;
          work.advance(count);
        }
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/**
 * The bytes of the file that {@link save} would write. Throws FormatError for a dtype that the format does not have.
 * @example
 * (await io.encode("npy", tensor([1, 2]))).length; // → 136
 */
export async function encode(
  format: FileFormat,
  value: Saved,
  options?: Omit<SaveOptions, "format">,
): Promise<Uint8Array> {
  const given = optionsOf("encode", saveOptions, options, { instead: insteadOfSaving });
  return Buffer.concat([...(await partsOf(value, formatNamed(format, null), given, `the .${format} file`))]);
}

export { toArrow } from "./arrow-table.ts";
export { categories, type Categories } from "./categories.ts";

/**
 * The columns of a table of the package apache-arrow as tensors, and of text as lists. Throws FormatError for a column
 * that is not of text, numbers, booleans or lists of one length, or lacks numbers.
 * @example
 * const table = await io.toArrow({ x: tensor([1, 2]) }); // or one of the package apache-arrow
 * (await io.fromArrow(table)).x; // → tensor([1, 2], shape [2], float32, cpu)
 */
export async function fromArrow(
  table: unknown,
  options: Omit<LoadOptions, "format" | "maxRatio"> = {},
): Promise<TableRecord> {
  return load(await bytesOfTable(table), { ...options, format: "arrows" });
}
