// Arrow's files and streams: columns of numbers, of booleans and of lists of one length, as checked places of tensors
// (Arrow Columnar Format, "Serialization and Interprocess Communication").
import { FormatError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { FlatTable } from "./flatbuffer.ts";
import type { Source } from "./source.ts";
import { checkedStoredShape } from "./stored.ts";
import { checkText, type TableReading } from "./table.ts";

/** A piece of a column: the bytes of its elements, or their bits. */
export interface Piece {
  readonly at: number;
  readonly elements: number;
}
/** A piece of a column of texts: where its offsets lie, how many bytes each has, and where the bytes of the texts. */
export interface TextPiece {
  readonly rows: number;
  readonly offsetsAt: number;
  readonly offsetBytes: 4 | 8;
  readonly at: number;
  readonly bytes: number;
}
export interface Column {
  readonly name: string;
  /** `null`: texts. */
  readonly dtype: DType | null;
  readonly texts: readonly TextPiece[];
  readonly shape: readonly number[];
  readonly pieces: readonly Piece[];
  readonly isBigEndian: boolean;
}

interface Field {
  readonly name: string;
  readonly dtype: DType | null;
  readonly typeName: string /** Lengths of lists in lists, and the axes behind the rows that they are to be. */;
  readonly lists: readonly number[];
  readonly shape: readonly number[];
  readonly buffers: number;
  readonly nodes: number;
}

const magic = Buffer.from("ARROW1\0\0", "latin1");
/** Keys of a field's metadata, and the canonical extension type for tensors in a column. */
export const extension = { name: "ARROW:extension:name", metadata: "ARROW:extension:metadata" } as const;
export const tensorExtension = "arrow.fixed_shape_tensor";
const headers = { schema: 1, recordBatch: 3 } as const;

// Numbers of the union Type in Schema.fbs: the name, and how many buffers a column has besides those of its children.
const types: Record<number, readonly [name: string, buffers: number]> = {
  1: ["null", 0],
  2: ["int", 2],
  3: ["float", 2],
  4: ["binary", 3],
  5: ["text", 3],
  6: ["bool", 2],
  7: ["decimal", 2],
  8: ["date", 2],
  9: ["time", 2],
  10: ["timestamp", 2],
  11: ["interval", 2],
  12: ["list", 2],
  13: ["struct", 1],
  15: ["fixed size binary", 2],
  16: ["fixed size list", 1],
  17: ["map", 2],
  18: ["duration", 2],
  19: ["large binary", 3],
  20: ["large text", 3],
  21: ["large list", 2],
  22: ["run-end encoded", 0],
};

export function isArrowFile(source: Source): boolean {
  return source.size >= 8 && magic.equals(source.read(0, 8));
}

export function isArrowStream(source: Source): boolean {
  return source.size >= 8 && Buffer.from(source.read(0, 4)).readInt32LE(0) === -1;
}

function elementOf(code: number, type: FlatTable | null): DType | null {
  if (code === 6) return "bool";
  if (code === 3) return (["float16", "float32", "float64"] as const)[type?.short(0) ?? 0] ?? null;
  if (code !== 2 || type === null) return null;
  const name = `${type.byte(1) === 0 ? "u" : ""}int${type.int(0)}`;
  return (
    (["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"] as const).find(
      (each) => each === name,
    ) ?? null
  );
}

/** What the extension type arrow.fixed_shape_tensor says of the axes in a list; without it, the lists are the axes. */
function tensorShape(field: FlatTable, lists: readonly number[], file: string): readonly number[] {
  const metadata = new Map(field.tables(6).map((pair) => [pair.text(0), pair.text(1)]));
  if (metadata.get(extension.name) !== tensorExtension) return lists;
  const wrong = (cause?: unknown) =>
    new FormatError("HEADER", file, `A column of ${file} has a shape that cannot be read.`, { cause });
  let said: { shape?: unknown; permutation?: readonly number[] };
  try {
    said = JSON.parse(metadata.get(extension.metadata) ?? "") as typeof said;
  } catch (error) {
    throw wrong(error);
  }
  if (!Array.isArray(said?.shape)) throw wrong();
  const shape = checkedStoredShape(said.shape, file);
  if (Array.isArray(said.permutation) && said.permutation.some((axis, index) => axis !== index))
    throw new FormatError(
      "UNSUPPORTED",
      file,
      `A column of ${file} has its axes in another order than in memory, which is not supported.`,
    );
  if (shape.reduce((product, size) => product * size, 1) !== lists[0] || lists.length > 1) throw wrong();
  return shape;
}

/** `left`: how many more fields the metadata has room for; tables may be referred to more than once. */
function fieldOf(table: FlatTable, file: string, left: { fields: number }, depth = 0): Field {
  if (--left.fields < 0 || depth > 64)
    throw new FormatError("HEADER", file, `${file} describes more columns than its metadata have room for.`);
  const code = table.byte(2);
  const known = types[code];
  const [typeName, own] = table.table(4) !== null ? (["dictionary", 2] as const) : (known ?? []);
  if (typeName === undefined || own === undefined)
    throw new FormatError("UNSUPPORTED", file, `${file} has a column of Arrow's type ${code}, which is not supported.`);
  const children =
    typeName === "dictionary" ? [] : table.tables(5).map((child) => fieldOf(child, file, left, depth + 1));
  const buffers = own + children.reduce((sum, child) => sum + child.buffers, 0);
  const nodes = 1 + children.reduce((sum, child) => sum + child.nodes, 0);
  const [child] = children;
  if (typeName === "fixed size list" && children.length === 1) {
    const lists = [table.table(3)?.int(0) ?? 0, ...child!.lists];
    return {
      name: table.text(0),
      dtype: child!.dtype,
      typeName: `lists of ${child!.typeName}`,
      lists,
      shape: tensorShape(table, lists, file),
      buffers,
      nodes,
    };
  }
  return {
    name: table.text(0),
    dtype: typeName === "dictionary" ? null : elementOf(code, table.table(3)),
    typeName,
    lists: [],
    shape: [],
    buffers,
    nodes,
  };
}

/** The table at the end of a file, which has the schema: some writers leave it out at the beginning. */
function footerOf(source: Source): { schema: FlatTable | null; bytes: number; at: number } {
  const { name, size } = source;
  const end = Buffer.from(source.read(Math.max(8, size - 10), Math.min(10, size - 8)));
  if (end.length < 10 || !end.subarray(4).equals(magic.subarray(0, 6)))
    throw new FormatError("TRUNCATED", name, `The end of ${name} is missing.`);
  const bytes = end.readInt32LE(0);
  const at = size - 10 - bytes;
  if (bytes < 8 || at < 8) throw new FormatError("HEADER", name, `${name} has a footer of ${bytes} bytes.`);
  return { schema: FlatTable.root(Buffer.from(source.read(at, bytes))).table(1), bytes, at };
}

/** Calls `use` for each message with its header and where its body begins and ends. */
function eachMessage(
  source: Source,
  stop: number,
  use: (kind: number, header: FlatTable, body: { begin: number; end: number }, metadataBytes: number) => void,
): void {
  let at = isArrowFile(source) ? 8 : 0;
  while (at + 4 <= stop) {
    const first = Buffer.from(source.read(at, 4)).readInt32LE(0);
    // Before 0.15 there was no mark before the length.
    const start = first === -1 ? at + 8 : at + 4;
    const length = first === -1 ? Buffer.from(source.read(at + 4, 4)).readInt32LE(0) : first;
    if (length === 0) return;
    if (length < 8)
      throw new FormatError(
        "HEADER",
        source.name,
        `${source.name} has a message with ${length} bytes of metadata at byte ${at}.`,
      );
    const message = FlatTable.root(Buffer.from(source.read(start, length)));
    const [begin, bytes] = [start + length, message.long(3)];
    if (begin + bytes > source.size)
      throw new FormatError(
        "TRUNCATED",
        source.name,
        `${source.name} promises ${bytes} bytes of columns from byte ${begin} on, but has ${source.size}. It is damaged, or was cut off.`,
      );
    const header = message.table(2);
    if (header !== null) use(message.byte(1), header, { begin, end: begin + bytes }, length);
    at = begin + bytes;
  }
}

/**
 * The columns, or those of `only`, with the places of all of their elements. Throws FormatError.
 */
export function arrowColumns(
  source: Source,
  only: ReadonlySet<string> | null,
  reading: TableReading,
): { columns: Column[]; names: string[] } {
  const { name: file } = source;
  let fields: Field[] | null = null;
  let isBigEndian = false;
  let rows = 0;
  const pieces = new Map<string, Piece[]>();
  const textPieces = new Map<string, TextPiece[]>();
  const describe = (schema: FlatTable, metadataBytes: number) => {
    isBigEndian = schema.short(0) === 1;
    const left = { fields: metadataBytes / 8 };
    fields = schema.tables(1).map((table) => fieldOf(table, file, left));
    if (new Set(fields.map(({ name }) => name)).size < fields.length)
      throw new FormatError("HEADER", file, `${file} has two columns with the same name.`);
    for (const field of fields) if (only?.has(field.name) ?? true) checkField(field, file, reading);
  };
  try {
    const footer = isArrowFile(source) ? footerOf(source) : null;
    if (footer !== null && footer.schema !== null) describe(footer.schema, footer.bytes);
    eachMessage(source, footer?.at ?? source.size, (kind, header, body, metadataBytes) => {
      if (kind === headers.schema && fields === null) describe(header, metadataBytes);
      if (kind !== headers.recordBatch) return;
      if (fields === null) throw new FormatError("HEADER", file, `${file} has columns before it says which.`);
      rows += addBatch(header, body, fields, only, { pieces, textPieces }, file);
    });
  } catch (error) {
    if (error instanceof RangeError)
      throw new FormatError("HEADER", file, `The metadata of ${file} are damaged.`, { cause: error });
    throw error;
  }
  if (fields === null) throw new FormatError("HEADER", file, `${file} does not say which columns it has.`);
  const all = fields as Field[];
  const columns = all
    .filter(({ name }) => only?.has(name) ?? true)
    .map(({ name, dtype, shape }) => ({
      name,
      dtype,
      texts: textPieces.get(name) ?? [],
      shape: checkedStoredShape([rows, ...shape], file),
      pieces: pieces.get(name) ?? [],
      isBigEndian,
    }));
  return { columns, names: all.map(({ name }) => name) };
}

const isText = ({ typeName }: Field): boolean => typeName === "text" || typeName === "large text";

function checkField(field: Field, file: string, reading: TableReading): void {
  const { name, dtype, typeName } = field;
  if (isText(field)) return checkText(file, name, reading);
  if (reading.texts.has(name))
    throw new FormatError("DTYPE", file, `Column ${JSON.stringify(name)} of ${file} holds ${typeName}, not text.`);
  if (dtype === null)
    throw new FormatError(
      "DTYPE",
      file,
      `Column ${JSON.stringify(name)} of ${file} holds ${typeName}. Numbers, booleans, text and lists of one length can be read; name the ones to load: { only: ["…"] }.`,
    );
}

/** Adds what one batch has of each column; returns its rows. */
function addBatch(
  batch: FlatTable,
  body: { begin: number; end: number },
  fields: readonly Field[],
  only: ReadonlySet<string> | null,
  { pieces, textPieces }: { readonly pieces: Map<string, Piece[]>; readonly textPieces: Map<string, TextPiece[]> },
  file: string,
): number {
  const [rows, nodes, buffers] = [batch.long(0), batch.pairs(1), batch.pairs(2)];
  if (batch.table(3) !== null)
    throw new FormatError(
      "UNSUPPORTED",
      file,
      `${file} is compressed. Write it uncompressed: pyarrow.feather.write_feather(table, path, compression="uncompressed").`,
    );
  if (
    nodes.length !== fields.reduce((sum, field) => sum + field.nodes, 0) ||
    buffers.length !== fields.reduce((sum, field) => sum + field.buffers, 0)
  )
    throw new FormatError("HEADER", file, `A batch of ${file} has other columns than the file declares.`);
  // Columns that share their bytes make a small file a large one.
  let end = 0;
  for (const [offset, length] of buffers) {
    if (length > 0 && offset < end) throw new FormatError("OFFSET", file, `Columns of ${file} overlap.`);
    end = Math.max(end, offset + length);
  }
  if (body.begin + end > body.end)
    throw new FormatError("OFFSET", file, `Columns of ${file} reach beyond their batch.`);
  let [node, buffer] = [0, 0];
  for (const field of fields) {
    if ((only?.has(field.name) ?? true) && isText(field)) {
      const piece = textPieceOf(field, rows, buffers.slice(buffer, buffer + field.buffers), body.begin, file);
      textPieces.set(field.name, [...(textPieces.get(field.name) ?? []), piece]);
    } else if (only?.has(field.name) ?? true) {
      const piece = pieceOf(
        field,
        rows,
        nodes.slice(node, node + field.nodes),
        buffers[buffer + field.buffers - 1]!,
        body.begin,
        file,
      );
      const known = pieces.get(field.name);
      if (known === undefined) pieces.set(field.name, [piece]);
      else known.push(piece);
    }
    node += field.nodes;
    buffer += field.buffers;
  }
  return rows;
}

function textPieceOf(
  { name, typeName }: Field,
  rows: number,
  [, offsets, texts]: readonly (readonly [number, number])[],
  begin: number,
  file: string,
): TextPiece {
  const offsetBytes = typeName === "text" ? 4 : 8;
  // Of no rows there may be no offsets.
  if (rows > 0 && offsets![1] < (rows + 1) * offsetBytes)
    throw new FormatError(
      "TRUNCATED",
      file,
      `Column ${JSON.stringify(name)} of ${file} promises ${rows} texts, but has ${offsets![1]} bytes that say where they are.`,
    );
  return { rows, offsetsAt: begin + offsets![0], offsetBytes, at: begin + texts![0], bytes: texts![1] };
}

function pieceOf(
  { name, dtype, lists }: Field,
  rows: number,
  nodes: readonly (readonly [number, number])[],
  [offset, length]: readonly [number, number],
  begin: number,
  file: string,
): Piece {
  const called = `Column ${JSON.stringify(name)} of ${file}`;
  let elements = rows;
  for (const [level, [count, nulls]] of nodes.entries()) {
    if (level > 0) elements *= lists[level - 1]!;
    if (nulls > 0)
      throw new FormatError(
        "DTYPE",
        file,
        `${called} has ${nulls} missing values. A tensor has none: fill them before the file is written.`,
      );
    if (count !== elements)
      throw new FormatError("SHAPE", file, `${called} has ${count} elements where ${elements} are expected.`);
  }
  const needed = dtype === "bool" ? Math.ceil(elements / 8) : elements * factsOf(dtype!).bytes;
  if (needed > length)
    throw new FormatError(
      "TRUNCATED",
      file,
      `${called} promises ${elements} elements of ${dtype}, ${needed} bytes, but has ${length}.`,
    );
  return { at: begin + offset, elements };
}
