// What a preview says of a tensor: reduces figures and a small picture on the device and reads only those.
import { launchLibrary } from "./operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { read } from "../memory/transfer.ts";

/** Over finite elements; `null` where there are none. */
export interface Figures { min: number | null; max: number | null; mean: number | null; nan: number; inf: number; }

/** Cells of a picture, row-major; `values` are means of the finite elements under each within float32's range, NaN where there are none. */
export interface Picture { rows: number; columns: number; rowStep: number; columnStep: number; values: Float32Array; }

const threads = 256;
const maxBlocks = 64;
const maxRows = 64;
const maxColumns = 256;
/** A cell beyond it would become infinite, and be taken for one that has no finite element. */
const maxFloat32 = (2 - 2 ** -23) * 2 ** 127;
/** Threads that make a picture together, about. */
const pictureThreads = 65536;
const figureFields = 6;

/** Figures of a contiguous tensor. */
export function figuresOf(tensor: Tensor): Figures {
  if (tensor.size === 0) return { min: null, max: null, mean: null, nan: 0, inf: 0 };
  const device = tensor.storage!.device;
  const chunk = Math.max(Math.ceil(tensor.size / maxBlocks), 16 * threads);
  const blocks = Math.ceil(tensor.size / chunk);
  using parts = Tensor.empty(device, "float64", [blocks * threads, figureFields]);
  using bytes = asBytes(parts);
  launchLibrary(device, { file: "statistics", name: "figures", template: [{ dtype: tensor.dtype }] }, { grid: blocks, block: threads }, [tensor, tensor.size, chunk, bytes]);

  const data = numbersOf(parts);
  const total = { min: Infinity, max: -Infinity, sum: 0, finite: 0, nan: 0, inf: 0 };
  for (let at = 0; at < data.length; at += figureFields) {
    const [min = 0, max = 0, sum = 0, finite = 0, nan = 0, inf = 0] = data.subarray(at, at + figureFields);
    if (finite > 0) {
      total.min = Math.min(total.min, min);
      total.max = Math.max(total.max, max);
    }
    total.sum += sum;
    total.finite += finite;
    total.nan += nan;
    total.inf += inf;
  }
  const { finite, nan, inf } = total;
  return finite === 0 ? { min: null, max: null, mean: null, nan, inf } : { min: total.min, max: total.max, mean: total.sum / finite, nan, inf };
}

/** The last two axes of a contiguous tensor, the first slice of all others; a vector is one row. `null` for a tensor without elements. */
export function pictureOf(tensor: Tensor): Picture | null {
  if (tensor.size === 0) return null;
  const device = tensor.storage!.device;
  const matrixRows = tensor.shape.at(-2) ?? 1;
  const matrixColumns = tensor.shape.at(-1) ?? 1;
  const rowStep = Math.ceil(matrixRows / maxRows);
  const columnStep = Math.ceil(matrixColumns / maxColumns);
  const rows = Math.ceil(matrixRows / rowStep);
  const columns = Math.ceil(matrixColumns / columnStep);
  const splits = Math.max(1, Math.min(columnStep, Math.floor(pictureThreads / (rows * columns))));

  using parts = Tensor.empty(device, "float64", [rows * columns, splits, 2]);
  using bytes = asBytes(parts);
  launchLibrary(device, { file: "statistics", name: "tile", template: [{ dtype: tensor.dtype }] }, rows * columns * splits, [tensor, matrixRows, matrixColumns, rows, columns, rowStep, columnStep, splits, bytes]);

  const data = numbersOf(parts);
  const values = Float32Array.from({ length: rows * columns }, (_, cell) => {
    let sum = 0;
    let count = 0;
    for (let at = cell * splits * 2; at < (cell + 1) * splits * 2; at += 2) {
      sum += data[at]!;
      count += data[at + 1]!;
    }
    return count === 0 ? NaN : Math.max(-maxFloat32, Math.min(maxFloat32, sum / count));
  });
  return { rows, columns, rowStep, columnStep, values };
}

/** A copy, so that the memory is free again at once. */
function numbersOf(parts: Tensor<"float64">): Float64Array {
  const numbers = new Float64Array(parts.size);
  read(parts.storage!, 0, parts.bytes, (part, at) => new Uint8Array(numbers.buffer).set(part, at));
  return numbers;
}

/** Structs are bytes to a launch. */
function asBytes(tensor: Tensor): Tensor<"uint8"> {
  const { storage } = tensor;
  return new Tensor(storage!.hold(), "uint8", { shape: [tensor.bytes], strides: [1], offset: 0 });
}
