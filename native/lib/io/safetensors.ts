// safetensors: its JSON header into checked places of named tensors, and named tensors into a file
// (github.com/huggingface/safetensors, "Format").
import { FormatError } from "../errors.ts";
import { factsOf, type DType } from "../memory/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { checkedStoredShape, contents, storedBytes, type Stored } from "./stored.ts";
import type { Source } from "./source.ts";

const maxHeader = 100_000_000;
const names: Record<DType, string> = {
  float32: "F32",
  float64: "F64",
  float16: "F16",
  bfloat16: "BF16",
  float8_e4m3: "F8_E4M3",
  float8_e5m2: "F8_E5M2",
  int8: "I8",
  uint8: "U8",
  int16: "I16",
  uint16: "U16",
  int32: "I32",
  uint32: "U32",
  int64: "I64",
  uint64: "U64",
  bool: "BOOL",
  complex64: "C64",
  complex128: "C128",
};
const dtypesByName = new Map(Object.entries(names).map(([dtype, name]) => [name, dtype as DType]));

export interface SafetensorsHeader {
  readonly tensors: ReadonlyMap<string, Stored>;
  readonly metadata: Record<string, string>;
}

export function isSafetensors(source: Source): boolean {
  return source.size > 8 && source.read(8, 1)[0] === 0x7b;
}

/** Throws FormatError unless the tensors fill the rest of the file, each its own part, without gaps. */
export function safetensorsHeader(source: Source): SafetensorsHeader {
  const { name: file, size } = source;
  if (size < 8) throw new FormatError("TRUNCATED", file, `${file} has ${size} bytes, too few for a .safetensors file.`);
  const length = Number(Buffer.from(source.read(0, 8)).readBigUInt64LE(0));
  if (length > maxHeader)
    throw new FormatError(
      "HEADER",
      file,
      `${file} has a header of ${length} bytes, but at most ${maxHeader} are allowed.`,
    );
  const fields = parsed(source.read(8, length), file);
  const start = 8 + length;
  let metadata: Record<string, string> = {};
  const parts: { name: string; begin: number; end: number; stored: Stored }[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (name === "__metadata__") metadata = checkedMetadata(value, file);
    else parts.push({ name, ...partOf(name, value, file, start) });
  }
  parts.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let end = 0;
  for (const part of parts) {
    if (part.begin !== end)
      throw new FormatError(
        "OFFSET",
        file,
        `Tensor ${JSON.stringify(part.name)} of ${file} begins at byte ${part.begin} of the data, but the one before it ends at ${end}: tensors lie one after another.`,
      );
    end = part.end;
  }
  if (start + end !== size)
    throw new FormatError(
      "OFFSET",
      file,
      `The tensors of ${file} take ${end} bytes, but ${size - start} follow its header. It is damaged, or was cut off.`,
    );
  return { tensors: new Map(parts.map(({ name, stored }) => [name, stored])), metadata };
}

function parsed(bytes: Uint8Array, file: string): Record<string, unknown> {
  const wrong = (why: string, cause?: unknown) =>
    new FormatError("HEADER", file, `The header of ${file} ${why}.`, { cause });
  if (bytes[0] !== 0x7b) throw wrong("is not a JSON object");
  // Deeper ones could not be right, and would take many times their bytes.
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (isText) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) isText = false;
    } else if (byte === 0x22) isText = true;
    else if ((byte === 0x7b || byte === 0x5b) && ++depth > 3) throw wrong("is nested too deeply");
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Record<string, unknown>;
  } catch (error) {
    throw wrong("cannot be read as JSON", error);
  }
}

function checkedMetadata(value: unknown, file: string): Record<string, string> {
  if (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === "string")
  )
    return value as Record<string, string>;
  throw new FormatError("HEADER", file, `The metadata of ${file} should be an object of texts.`);
}

function partOf(
  name: string,
  value: unknown,
  file: string,
  start: number,
): { begin: number; end: number; stored: Stored } {
  const called = `Tensor ${JSON.stringify(name.slice(0, 100))} of ${file}`;
  const {
    dtype: code,
    shape,
    data_offsets: offsets,
  } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  if (typeof code !== "string" || !Array.isArray(shape) || !Array.isArray(offsets) || offsets.length !== 2)
    throw new FormatError("HEADER", file, `${called} should have dtype, shape and data_offsets.`);
  const dtype = dtypesByName.get(code);
  if (dtype === undefined)
    throw new FormatError(
      "DTYPE",
      file,
      `${called} has the dtype ${JSON.stringify(code.slice(0, 40))}. These are read: ${[...dtypesByName.keys()].join(", ")}.`,
    );
  const [begin, end] = offsets as [number, number];
  const sizes = checkedStoredShape(shape, file);
  const bytes = storedBytes({ dtype, shape: sizes });
  if (!Number.isSafeInteger(begin) || !Number.isSafeInteger(end) || begin < 0 || end - begin !== bytes) {
    throw new FormatError(
      "OFFSET",
      file,
      `${called}, ${dtype} of shape [${sizes.join(", ")}], has ${bytes} bytes, but its offsets are ${String(begin)} and ${String(end)}.`,
    );
  }
  return { begin, end, stored: { dtype, shape: sizes, at: start + begin } };
}

/** The file in parts: wide elements first, so that each is aligned. */
export function* safetensorsParts(
  tensors: Readonly<Record<string, Tensor>>,
  metadata: Readonly<Record<string, string>>,
  file: string,
): Generator<Uint8Array> {
  const wrong = Object.values(metadata).find((value) => typeof value !== "string");
  if (wrong !== undefined)
    throw new FormatError(
      "HEADER",
      file,
      `The metadata of a .safetensors file must be text, but one entry is ${worded(wrong)}.`,
    );
  if (Object.hasOwn(tensors, "__metadata__"))
    throw new FormatError("HEADER", file, `No tensor of ${file} can be named "__metadata__".`);
  const sorted = Object.entries(tensors).sort(([, a], [, b]) => factsOf(b.dtype).bytes - factsOf(a.dtype).bytes);
  let end = 0;
  const fields = sorted.map(
    ([name, { dtype, shape, bytes }]) =>
      [name, { dtype: names[dtype as DType], shape, data_offsets: [end, (end += bytes)] }] as const,
  );
  const text = Buffer.from(
    JSON.stringify(
      Object.fromEntries([
        ...(Object.keys(metadata).length > 0 ? [["__metadata__", metadata] as const] : []),
        ...fields,
      ]),
    ),
    "utf8",
  );
  const header = Buffer.alloc(8 + Math.ceil(text.length / 8) * 8, " ");
  header.writeBigUInt64LE(BigInt(header.length - 8), 0);
  text.copy(header, 8);
  yield header;
  for (const [, tensor] of sorted) yield contents(tensor);
}
