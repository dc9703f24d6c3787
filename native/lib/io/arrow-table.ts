// Tensors as a table of the package apache-arrow and back. The package is loaded when it is first needed: it takes as
// long as the library itself.
import type { Data, Field, Table } from "apache-arrow";
import { deviceNamed } from "../device/choice.ts";
import { FormatError, TensorError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import { upload } from "../memory/transfer.ts";
import { Tensor } from "../tensor/tensor.ts";
import { extension, tensorExtension, type Column } from "./arrow.ts";
import type { Source } from "./source.ts";
import { asElements, shown } from "./stored.ts";

type Arrow = typeof import("apache-arrow");

const arrowTypes: Partial<
  Record<
    DType,
    | "Float16"
    | "Float32"
    | "Float64"
    | "Int8"
    | "Uint8"
    | "Int16"
    | "Uint16"
    | "Int32"
    | "Uint32"
    | "Int64"
    | "Uint64"
    | "Bool"
  >
> = {
  float16: "Float16",
  float32: "Float32",
  float64: "Float64",
  int8: "Int8",
  uint8: "Uint8",
  int16: "Int16",
  uint16: "Uint16",
  int32: "Int32",
  uint32: "Uint32",
  int64: "Int64",
  uint64: "Uint64",
  bool: "Bool",
};

/** Bits, the first in the lowest place, of bytes that are 0 or 1. */
function packed(bytes: Uint8Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(bytes.length / 64) * 8);
  bytes.forEach((byte, index) => {
    bits[index >> 3]! |= byte << (index & 7);
  });
  return bits;
}

function unpacked(bits: Uint8Array, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, index) => (bits[index >> 3]! >> (index & 7)) & 1);
}

/**
 * A column and its field. Rows are the first axis; what is behind is a list of one length, whose shape the field tells
 * where it has several axes.
 */
function columnOf(
  arrow: Arrow,
  tensor: Tensor,
  name: string,
  used: Set<ArrayBufferLike>,
): { data: Data; field: Field } {
  const element = arrowTypes[tensor.dtype as DType];
  if (element === undefined)
    throw new FormatError(
      "DTYPE",
      name,
      `Arrow has no ${tensor.dtype}: save ${name} as .safetensors, or convert the tensor, e.g. with .to("float32").`,
    );
  if (tensor.shape.length === 0)
    throw new TensorError("SHAPE", `A column has rows, but ${name} is a tensor without axes: reshape it to [1].`);
  const own = shown(tensor);
  // The package takes two columns in the same memory for one range when it writes them.
  const elements = used.has(own.buffer) ? own.slice() : own;
  used.add(own.buffer);
  const data = arrow.makeData({
    type: new arrow[element]() as never,
    length: tensor.size,
    nullCount: 0,
    data: (tensor.dtype === "bool" ? packed(elements as Uint8Array) : elements) as never,
  }) as Data;
  if (tensor.shape.length === 1) return { data, field: new arrow.Field(name, data.type, false) };
  const [rows, ...axes] = tensor.shape;
  const type = new arrow.FixedSizeList(
    axes.reduce((product, size) => product * size, 1),
    new arrow.Field("item", data.type, false),
  );
  const metadata = new Map(
    axes.length === 1
      ? []
      : [
          [extension.name, tensorExtension],
          [extension.metadata, JSON.stringify({ shape: axes })],
        ],
  );
  return {
    data: arrow.makeData({ type, length: rows!, nullCount: 0, child: data as never }) as unknown as Data,
    field: new arrow.Field(name, type, false, metadata),
  };
}

/**
 * A table with a column for each tensor: rows are the first axis, further axes lists of one length. Throws TensorError
 * when they have different numbers of rows, FormatError for a dtype that Arrow lacks.
 * @example
 * const table = await io.toArrow({ x: tensor([1, 2, 3]) });
 * table.numRows; // → 3
 */
export async function toArrow(tensors: Readonly<Record<string, Tensor>>): Promise<Table> {
  const rows = new Set(Object.values(tensors).map(({ shape }) => shape[0]));
  if (rows.size > 1)
    throw new TensorError(
      "SHAPE",
      `The columns of a table must have the same number of rows, but these tensors have ${[...rows].join(" and ")} along their first axis.`,
    );
  const arrow = await import("apache-arrow");
  const used = new Set<ArrayBufferLike>();
  const columns = Object.entries(tensors).map(([name, tensor]) => columnOf(arrow, tensor, name, used));
  const schema = new arrow.Schema(columns.map(({ field }) => field));
  const struct = arrow.makeData({
    type: new arrow.Struct(schema.fields),
    length: [...rows][0] ?? 0,
    nullCount: 0,
    children: columns.map(({ data }) => data) as never,
  });
  return new arrow.Table(schema, new arrow.RecordBatch(schema, struct));
}

/** The bytes of an Arrow file or stream. */
export async function arrowBytes(
  tensors: Readonly<Record<string, Tensor>>,
  form: "file" | "stream",
): Promise<Uint8Array> {
  const table = await toArrow(tensors);
  return (await import("apache-arrow")).tableToIPC(table, form);
}

/** The bytes of a table as a stream. Throws TensorError for what is no table. */
export async function bytesOfTable(table: unknown): Promise<Uint8Array> {
  const arrow = await import("apache-arrow");
  if (!(table instanceof arrow.Table))
    throw new TensorError(
      "OPERANDS",
      "fromArrow takes a Table of the package apache-arrow. Bytes of an Arrow file or stream are read with io.load.",
    );
  return arrow.tableToIPC(table, "stream");
}

/** A multiple of every element, and of eight bits. */
const stepElements = 2 ** 19;

/** The texts of a column; a missing one is empty. Throws FormatError for offsets that lie outside of them. */
export function textsOfColumn(source: Source, { name, texts, isBigEndian }: Column): string[] {
  const all: string[] = [];
  for (const { rows, offsetsAt, offsetBytes, at, bytes } of texts) {
    if (rows === 0) continue;
    const offsets = Buffer.from(source.read(offsetsAt, (rows + 1) * offsetBytes));
    const data = Buffer.from(source.read(at, bytes));
    const offset = (row: number): number => {
      const place = row * offsetBytes;
      if (offsetBytes === 4) return isBigEndian ? offsets.readInt32BE(place) : offsets.readInt32LE(place);
      return Number(isBigEndian ? offsets.readBigInt64BE(place) : offsets.readBigInt64LE(place));
    };
    for (let row = 0, begin = offset(0); row < rows; row++) {
      const end = offset(row + 1);
      if (begin < 0 || end < begin || end > bytes)
        throw new FormatError(
          "OFFSET",
          source.name,
          `Text ${all.length} of column ${JSON.stringify(name)} of ${source.name} lies outside of the column.`,
        );
      all.push(data.toString("utf8", begin, end));
      begin = end;
    }
  }
  return all;
}

export function tensorOfColumn(
  source: Source,
  { dtype: declared, shape, pieces, isBigEndian }: Column,
  device: string | undefined,
): Tensor {
  const dtype = declared!;
  const out = Tensor.empty(deviceNamed(device), dtype, shape);
  const { bytes } = factsOf(dtype);
  let to = 0;
  try {
    for (const { at, elements } of pieces) {
      for (let done = 0; done < elements; done += stepElements) {
        const count = Math.min(stepElements, elements - done);
        const part =
          dtype === "bool"
            ? unpacked(source.read(at + done / 8, Math.ceil(count / 8)), count)
            : asElements(source.read(at + done * bytes, count * bytes), { dtype, isBigEndian });
        upload(out.living(), to, part);
        to += count * bytes;
      }
    }
  } catch (error) {
    out.dispose();
    throw error;
  }
  return out;
}
