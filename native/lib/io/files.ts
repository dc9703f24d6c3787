// Tensors into files and back: chooses the format by the name of the file, or by how its bytes begin.
import { renameSync, rmSync, openSync, writeSync, closeSync } from "node:fs";
import { extname } from "node:path";
import { FormatError, TensorError } from "../errors.ts";
import { atLeast, device, optionsOf, text, type Kind } from "../tensor/arguments.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { arrowColumns, isArrowFile, isArrowStream } from "./arrow.ts";
import { arrowBytes, bytesOfTable, tensorOfColumn } from "./arrow-table.ts";
import { chosenNames, madeOf, type Naming, type Rename } from "./names.ts";
import { isNpy, npyHeader, npyParts } from "./npy.ts";
import { isSafetensors, safetensorsHeader, safetensorsParts } from "./safetensors.ts";
import { checkpointAt, isIndex, loadShards } from "./shards.ts";
import { sourceOfBytes, withFile, type Source } from "./source.ts";
import { tensorOf } from "./stored.ts";
import { entriesOf, zipParts } from "./zip.ts";

/** Kinds of files: one tensor (.npy), several with names, or columns of a table (.arrow, and as a stream .arrows). */
export type FileFormat = "npy" | "npz" | "safetensors" | "arrow" | "arrows";
/** Tensors by their names. */
export type TensorRecord = Record<string, Tensor>;

/**
 * `device`: where the tensors go, the default one when left out. `format`: when neither the name nor the first bytes
 * say it. `only`: names of those to load, as the file has them. `rename`: what a tensor of the file is called here, or
 * `null` to leave it out. `maxRatio`: how many times its packed size an entry of an .npz may have, 100 when left out.
 */
export interface LoadOptions {
  readonly device?: string;
  readonly format?: FileFormat;
  readonly only?: readonly string[];
  readonly rename?: (name: string) => string | null;
  readonly maxRatio?: number;
}
/**
 * `format`: when the name does not say it. `compress`: deflate the entries of an .npz. `metadata`: texts for a
 * .safetensors file.
 */
export interface SaveOptions {
  readonly format?: FileFormat;
  readonly compress?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
}

interface Reading extends Naming {
  readonly device: string | undefined;
  readonly maxRatio: number;
}
interface Format {
  readonly extensions: readonly string[];
  is(source: Source): boolean;
  load(source: Source, reading: Reading): Tensor | TensorRecord;
  parts(
    value: Tensor | TensorRecord,
    options: SaveOptions,
    file: string,
  ): Iterable<Uint8Array> | Promise<Iterable<Uint8Array>>;
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
    parts: (value, { metadata = {} }, file) => safetensorsParts(recordOf(value, "safetensors"), metadata, file),
  },
  arrow: {
    extensions: [".arrow", ".feather"],
    is: isArrowFile,
    load: loadColumns,
    parts: async (value) => [await arrowBytes(recordOf(value, "arrow"), "file")],
  },
  arrows: {
    extensions: [".arrows"],
    is: isArrowStream,
    load: loadColumns,
    parts: async (value) => [await arrowBytes(recordOf(value, "arrows"), "stream")],
  },
};
const formatNames = Object.keys(formats) as FileFormat[];

function loadColumns(source: Source, { device, ...naming }: Reading): TensorRecord {
  const { columns, names } = arrowColumns(source, naming.only);
  chosenNames(source.name, names, { only: naming.only, rename: null });
  return madeOf(
    source.name,
    columns.map(({ name }) => name),
    naming,
    (index) => tensorOfColumn(source, columns[index]!, device),
  );
}

function* lazily<T>(tensors: TensorRecord, use: (name: string, tensor: Tensor) => T): Generator<T> {
  for (const [name, tensor] of Object.entries(tensors)) yield use(name, tensor);
}

function recordOf(value: Tensor | TensorRecord, format: FileFormat): TensorRecord {
  if (value instanceof Tensor)
    throw new TensorError(
      "OPERANDS",
      `A .${format} file holds tensors under names: save { x }, an object, or save one tensor as .npy.`,
    );
  return value;
}

function checkedValue(value: unknown): Tensor | TensorRecord {
  if (value instanceof Tensor) return value;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TensorError("OPERANDS", `save takes a tensor, or an object of tensors, but got ${worded(value)}.`);
  for (const [name, tensor] of Object.entries(value)) {
    if (!(tensor instanceof Tensor))
      throw new TensorError(
        "OPERANDS",
        `save takes an object of tensors, but ${JSON.stringify(name)} is ${worded(tensor)}.`,
      );
  }
  return value as TensorRecord;
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

const names: Kind<readonly string[]> = {
  wanted: "a list of names",
  has: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
};
const rename: Kind<Rename> = { wanted: "a function of a name", has: (value) => typeof value === "function" };
const loadOptions = { device, format: text as Kind<FileFormat>, only: names, rename, maxRatio: atLeast(1) };

function readAll(source: Source, path: string | null, format: FileFormat | undefined, reading: Reading) {
  const found = formatNamed(format, path) ?? Object.values(formats).find((each) => each.is(source));
  if (found === undefined)
    throw new FormatError(
      "FORMAT",
      source.name,
      `${source.name} is not in a known format. Known formats are ${formatNames.join(", ")}.`,
    );
  return found.load(source, reading);
}

/**
 * The tensor of a .npy file, or the tensors of another one under their names. A folder, or an index that ends in
 * ".safetensors.index.json", is a checkpoint of the package transformers, in one file or in shards. Bytes are read as they are, and may be
 * part of a larger buffer. Sizes are checked against the file before anything is allocated. Throws FormatError for a
 * file that is damaged or of another kind, TensorError for a name that is not in it, OutOfMemory, and the system's
 * error for one that cannot be opened.
 * @example
 * await io.save("weights.safetensors", { w: tensor([1, 2]) });
 * (await io.load("weights.safetensors")).w; // → tensor([1, 2], shape [2], float32, cpu)
 * Object.keys(await io.load("weights.safetensors", { rename: (name) => `head.${name}` })); // → [ 'head.w' ]
 */
export function load(source: `${string}.npy`, options?: LoadOptions): Promise<Tensor>;
export function load(
  source: `${string}.${"npz" | "safetensors" | "safetensors.index.json" | "arrow" | "arrows" | "feather"}`,
  options?: LoadOptions,
): Promise<TensorRecord>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options: LoadOptions & { readonly format: "npy" },
): Promise<Tensor>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options: LoadOptions & { readonly format: Exclude<FileFormat, "npy"> },
): Promise<TensorRecord>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options: LoadOptions & ({ readonly only: readonly string[] } | { readonly rename: (name: string) => string | null }),
): Promise<TensorRecord>;
export function load(
  source: string | ArrayBuffer | ArrayBufferView,
  options?: LoadOptions,
): Promise<Tensor | TensorRecord>;
export async function load(source: unknown, options?: LoadOptions): Promise<Tensor | TensorRecord> {
  const { device, format, only, rename = null, maxRatio = 100 } = optionsOf("load", loadOptions, options);
  const reading = { device, only: only === undefined ? null : new Set(only), rename, maxRatio };
  if (typeof source !== "string")
    return readAll(sourceOfBytes(bytesOf(source, "load"), "the file"), null, format, reading);
  const path = checkpointAt(source);
  if (isIndex(path)) return loadShards(path, reading, device);
  return withFile(path, (file) => readAll(file, path, format, reading));
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
  value: Tensor | TensorRecord,
  format: Format | null,
  options: SaveOptions,
  file: string,
): Promise<Iterable<Uint8Array>> {
  if (format === null)
    throw new TensorError(
      "OPTIONS",
      `${JSON.stringify(file)} does not say which format to save in: end it in ${formatNames.map((name) => `.${name}`).join(", ")}, or pass { format }.`,
    );
  return format.parts(checkedValue(value), options, file);
}

/**
 * Writes a tensor to a .npy file, or an object of tensors to one that holds several. The file appears once it is whole.
 * Throws FormatError for a dtype that the format does not have.
 * @example
 * await io.save("x.npy", tensor([1, 2]));
 * await io.load("x.npy"); // → tensor([1, 2], shape [2], float32, cpu)
 */
export async function save(path: string, value: Tensor | TensorRecord, options: SaveOptions = {}): Promise<void> {
  if (typeof path !== "string")
    throw new TensorError("OPERANDS", `save takes the path of a file first, but got ${worded(path)}.`);
  const parts = await partsOf(value, formatNamed(options.format, path), options, path);
  const unfinished = `${path}.${process.pid}.unfinished`;
  const descriptor = openSync(unfinished, "w");
  try {
    try {
      for (const part of parts)
        for (let done = 0; done < part.length; )
          done += writeSync(descriptor, part, done, Math.min(part.length - done, 2 ** 30));
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
  value: Tensor | TensorRecord,
  options: Omit<SaveOptions, "format"> = {},
): Promise<Uint8Array> {
  return Buffer.concat([...(await partsOf(value, formatNamed(format, null), options, `the .${format} file`))]);
}

export { toArrow } from "./arrow-table.ts";

/**
 * The columns of a table of the package apache-arrow as tensors. Throws FormatError for a column that is not of
 * numbers, booleans or lists of one length, or lacks values.
 * @example
 * const table = await io.toArrow({ x: tensor([1, 2]) }); // or one of the package apache-arrow
 * (await io.fromArrow(table)).x; // → tensor([1, 2], shape [2], float32, cpu)
 */
export async function fromArrow(
  table: unknown,
  options: Omit<LoadOptions, "format" | "maxRatio"> = {},
): Promise<TensorRecord> {
  return load(await bytesOfTable(table), { ...options, format: "arrows" });
}
