// NumPy's .npy: its header, versions 1 to 3, into dtype, shape and order, and back (numpy.lib.format).
import { FormatError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { contents, checkedStoredShape, checkStored, type Stored } from "./stored.ts";
import type { Source } from "./source.ts";

const magic = Buffer.from("\x93NUMPY", "latin1");
// What an array of numbers needs is some hundred bytes.
const maxHeader = 64 * 1024;

// Kind and bytes of an element, as NumPy writes them.
const codes: Partial<Record<DType, string>> = {
  float32: "f4",
  float64: "f8",
  float16: "f2",
  int8: "i1",
  uint8: "u1",
  int16: "i2",
  uint16: "u2",
  int32: "i4",
  uint32: "u4",
  int64: "i8",
  uint64: "u8",
  bool: "b1",
  complex64: "c8",
  complex128: "c16",
};
const dtypesByCode = new Map(Object.entries(codes).map(([dtype, code]) => [code, dtype as DType]));

export function isNpy(source: Source): boolean {
  return source.size >= magic.length && magic.equals(source.read(0, magic.length));
}

/** Throws FormatError for anything but an array of numbers or booleans that the source holds whole. */
export function npyHeader(source: Source): Stored {
  const { name } = source;
  if (!isNpy(source)) throw new FormatError("FORMAT", name, `${name} is not a .npy file: those begin with \\x93NUMPY.`);
  const start = Buffer.from(source.read(0, Math.min(12, source.size)));
  const version = start[6] ?? 0;
  if (version < 1 || version > 3)
    throw new FormatError(
      "UNSUPPORTED",
      name,
      `${name} is a .npy file of version ${version}. Versions 1 to 3 can be read.`,
    );
  const at = version === 1 ? 10 : 12;
  if (start.length < at)
    throw new FormatError("TRUNCATED", name, `${name} ends within its header, after ${source.size} bytes.`);
  const length = version === 1 ? start.readUInt16LE(8) : start.readUInt32LE(8);
  if (length > maxHeader)
    throw new FormatError(
      "HEADER",
      name,
      `${name} has a header of ${length} bytes. That of an array of numbers has at most ${maxHeader}.`,
    );
  const fields = dictionary(Buffer.from(source.read(at, length)).toString(version === 3 ? "utf8" : "latin1"), name);
  const { dtype, isBigEndian } = elementType(fields.descr, name);
  const stored = {
    dtype,
    shape: checkedStoredShape(fields.shape, name),
    at: at + length,
    isBigEndian,
    isColumnMajor: fields.isColumnMajor,
  };
  checkStored(source, stored);
  return stored;
}

interface Fields {
  descr: string;
  isColumnMajor: boolean;
  shape: number[];
}

/**
 * `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`: a dictionary of Python with these three keys in any
 * order.
 */
function dictionary(text: string, name: string): Fields {
  const wrong = (why: string) =>
    new FormatError(
      "HEADER",
      name,
      `The header of ${name} ${why}. It should read like {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}.`,
    );
  const body = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1];
  if (body === undefined) throw wrong("is not a dictionary");
  const found: Partial<Record<string, string>> = {};
  const entry = /\s*(?:'(\w+)'|"(\w+)")\s*:\s*('[^']*'|"[^"]*"|True|False|\([\d\s,L]*\)|\[.*\])\s*(?:,|$)/sy;
  while (entry.lastIndex < body.length && body.slice(entry.lastIndex).trim() !== "") {
    const match = entry.exec(body);
    if (match === null) throw wrong("cannot be read");
    found[match[1] ?? match[2]!] = match[3]!;
  }
  const { descr, fortran_order: order, shape, ...rest } = found;
  if (descr === undefined || order === undefined || shape === undefined || Object.keys(rest).length > 0)
    throw wrong(`has the keys ${Object.keys(found).join(", ").slice(0, 100) || "none"}`);
  if (descr.startsWith("["))
    throw new FormatError(
      "DTYPE",
      name,
      `${name} holds records of several fields. Save each field as an array of its own.`,
    );
  if (!/^['"]/.test(descr) || !/^(True|False)$/.test(order) || !/^\(\s*(\d+L?\s*(,\s*\d+L?\s*)*,?\s*)?\)$/.test(shape))
    throw wrong("has values of other types");
  return { descr: descr.slice(1, -1), isColumnMajor: order === "True", shape: (shape.match(/\d+/g) ?? []).map(Number) };
}

function elementType(descr: string, name: string): { dtype: DType; isBigEndian: boolean } {
  const match = /^([<>|=]?)(\w+)$/.exec(descr);
  const dtype = match === null ? undefined : dtypesByCode.get(match[2]!);
  if (dtype !== undefined) return { dtype, isBigEndian: match![1] === ">" };
  const why = /^\|?O/.test(descr)
    ? "Python objects, which only Python can read, and which may run code there"
    : `elements of type "${descr.slice(0, 40)}"`;
  throw new FormatError(
    "DTYPE",
    name,
    `${name} holds ${why}. Numbers and booleans can be read: ${[...dtypesByCode.keys()].join(", ")}.`,
  );
}

/** The file of a tensor, in parts. Throws FormatError for a dtype that NumPy does not have. */
export function npyParts(tensor: Tensor, name: string): Uint8Array[] {
  const code = codes[tensor.dtype as DType];
  if (code === undefined)
    throw new FormatError(
      "DTYPE",
      name,
      `NumPy has no ${tensor.dtype}: save ${name} as .safetensors, or convert the tensor, e.g. with .to("float32").`,
    );
  const order = factsOf(tensor.dtype).bytes === 1 ? "|" : "<";
  const shape = tensor.shape.length === 1 ? `${tensor.shape[0]},` : tensor.shape.join(", ");
  const text = `{'descr': '${order}${code}', 'fortran_order': False, 'shape': (${shape}), }`;
  // The elements begin at a multiple of 64.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const header = Buffer.alloc(10 + length, " ");
  magic.copy(header);
  header.writeUInt16LE(1, 6);
  header.writeUInt16LE(length, 8);
  header.write(text, 10, "latin1");
  header[10 + length - 1] = 10;
  return [header, contents(tensor)];
}
