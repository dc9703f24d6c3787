// A tensor as a file holds it: turns dtype, shape and place, once checked against the file, into a tensor, part by
// part.
import { deviceNamed } from "../device/choice.ts";
import { FormatError } from "../errors.ts";
import { factsOf, type DType, type TypedArrayOf } from "../memory/dtype.ts";
import { maxRank, type Shape } from "../memory/shape.ts";
import { upload } from "../memory/transfer.ts";
import { Tensor } from "../tensor/tensor.ts";
import type { Source } from "./source.ts";

export interface Stored {
  readonly dtype: DType;
  readonly shape: Shape;
  /** First byte in the source. */
  readonly at: number;
  readonly isBigEndian?: boolean;
  /** The first axis is the densest. */
  readonly isColumnMajor?: boolean;
}

/** Bytes that are read and swapped at a time; a multiple of every element. */
const stepBytes = 4 * 2 ** 20;

/** A shape that a file names. Throws FormatError for what no tensor has. */
export function checkedStoredShape(shape: readonly unknown[], file: string): number[] {
  if (!shape.every((size): size is number => Number.isSafeInteger(size) && (size as number) >= 0)) {
    throw new FormatError(
      "SHAPE",
      file,
      `${file} names the shape [${shape.map(String).join(", ").slice(0, 100)}], but sizes are whole numbers ≥ 0.`,
    );
  }
  const sizes = shape as readonly number[];
  if (sizes.length > maxRank)
    throw new FormatError(
      "SHAPE",
      file,
      `${file} has an array of ${sizes.length} axes, but a tensor has at most ${maxRank}.`,
    );
  // Sizes beside a 0 count too: strides are made of them.
  if (!Number.isSafeInteger(sizes.reduce((product, size) => product * Math.max(size, 1), 8)))
    throw new FormatError(
      "SHAPE",
      file,
      `${file} names the shape [${sizes.join(", ")}], which is larger than any memory.`,
    );
  return [...sizes];
}

export function storedBytes({ dtype, shape }: Pick<Stored, "dtype" | "shape">): number {
  return shape.reduce((product, size) => product * size, factsOf(dtype).bytes);
}

/** Throws FormatError when the source is too short for it. */
export function checkStored(source: Source, stored: Stored): void {
  const bytes = storedBytes(stored);
  if (stored.at + bytes <= source.size) return;
  throw new FormatError(
    "TRUNCATED",
    source.name,
    `${source.name} promises ${stored.dtype} of shape [${stored.shape.join(", ")}], ${bytes} bytes from byte ${stored.at} on, but has only ${Math.max(0, source.size - stored.at)} there. It is damaged, or was cut off.`,
  );
}

/** Reads it into a new tensor. Throws FormatError, OutOfMemory. */
export function tensorOf(source: Source, stored: Stored, device: string | undefined): Tensor {
  checkStored(source, stored);
  const { dtype, shape, at } = stored;
  const bytes = storedBytes(stored);
  const out = Tensor.empty(deviceNamed(device), dtype, stored.isColumnMajor === true ? [...shape].reverse() : shape);
  try {
    for (let done = 0; done < bytes; done += stepBytes)
      upload(out.living(), done, asElements(source.read(at + done, Math.min(stepBytes, bytes - done)), stored));
  } catch (error) {
    out.dispose();
    throw error;
  }
  if (stored.isColumnMajor !== true || shape.length < 2) return out;
  using rows = out;
  return rows.transpose([...shape.keys()].reverse());
}

/** Bytes of a file as they lie in a tensor: little-endian, and booleans 0 or 1. */
export function asElements(
  part: Uint8Array,
  { dtype, isBigEndian }: Pick<Stored, "dtype" | "isBigEndian">,
): Uint8Array {
  const { kind, parts } = factsOf(dtype);
  const { bytes } = factsOf(parts ?? dtype);
  // Another byte than 0 and 1 in a bool is undefined behaviour in C++.
  if (kind === "bool") return part.every((value) => value <= 1) ? part : part.map((value) => (value === 0 ? 0 : 1));
  if (isBigEndian !== true || bytes === 1) return part;
  const copy = Buffer.from(part);
  return bytes === 2 ? copy.swap16() : bytes === 4 ? copy.swap32() : copy.swap64();
}

/** The elements of a tensor as they go into a file: row-major, little-endian. Waits. */
export function contents(tensor: Tensor): Uint8Array {
  const { buffer, byteOffset, byteLength } = shown(tensor);
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The elements, only to be read, and before the tensor changes: without a copy where there need be none. */
export function shown<D extends DType>(tensor: Tensor<D>): TypedArrayOf<D> {
  return tensor.deviceProcess.kind === "cpu" && tensor.isContiguous ? tensor.memory() : tensor.data();
}
