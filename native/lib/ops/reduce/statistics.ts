// What a preview says of a tensor: reduces figures and a small picture on the device and reads only those.
import type { Execution } from "../../device/execution.ts";
import type { DeviceProcess } from "../../device/process.ts";
import { DeviceArray } from "../../memory/array.ts";
import { dtypeNames, factsOf, type DType } from "../../memory/dtype.ts";
import { onDevice, threadsOf } from "../kernels/blocks.ts";
import { kernelFacts, offsetIn } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { read } from "../../memory/transfer.ts";

/** Over finite elements; `null` where there are none. */
export interface Figures {
  min: number | null;
  max: number | null;
  mean: number | null;
  nan: number;
  inf: number;
}

/**
 * Cells of a picture, row-major; `values` are means of the finite elements under each within float32's range; where
 * there are none NaN if there is a NaN, else the infinity that there is more of.
 */
export interface Picture {
  rows: number;
  columns: number;
  rowStep: number;
  columnStep: number;
  values: Float32Array;
}

/** Cells of a picture at most, in all and along an axis. */
export interface PictureLimit {
  readonly cells: number;
  readonly along: number;
}

const threads = 256;
const maxBlocks = 64;
/** What a notebook file keeps of each tensor that it shows. */
const kept: PictureLimit = { cells: 128 * 192, along: 256 };
/** An axis keeps at least this many cells, if it is so long, when the other one is far longer. */
const minAlong = 32;
/** A cell beyond it would become infinite, and be taken for one that has no finite element. */
const maxFloat32 = (2 - 2 ** -23) * 2 ** 127;
/** Threads that make a picture together, about. */
const pictureThreads = 65536;
const doubles = (struct: string) => `sizeof(${struct}) / sizeof(double)`;
const fieldsOf = <N extends string>(struct: string, ...names: N[]) =>
  Object.fromEntries(names.map((name) => [name, `${offsetIn(struct, name)} / sizeof(double)`])) as Record<N, string>;
/** How many numbers blocks tell, and which is where. */
const ofFigures = kernelFacts("statistics", {
  count: doubles("Figures"),
  ...fieldsOf("Figures", "min", "max", "sum", "finite", "nan", "inf"),
});
const ofCells = kernelFacts("statistics", {
  fields: doubles("Cell"),
  ...fieldsOf("Cell", "sum", "count", "nan", "positive", "negative"),
});

const numbers = dtypeNames.filter((dtype) => factsOf(dtype).kind !== "complex");
const figures = new KernelFamily("statistics", numbers, (type) => `figures<${type}>`, ["place", "i64", "i64", "out"]);
const tiles = new KernelFamily("statistics", numbers, (type) => `tile<${type}>`, [
  "place",
  "i64",
  "i64",
  "i64",
  "i64",
  "i64",
  "i64",
  "i64",
  "out",
]);

/** Figures of a contiguous tensor. */
export function figuresOf(on: Execution, tensor: DeviceArray): Figures {
  if (tensor.size === 0) return { min: null, max: null, mean: null, nan: 0, inf: 0 };
  const { device } = on;
  const at = ofFigures();
  const block = threadsOf(device, threads);
  const chunk = Math.max(Math.ceil(tensor.size / maxBlocks), 16 * threads);
  const grid = Math.ceil(tensor.size / chunk);
  using parts = DeviceArray.allocate(device, "float64", [grid * block, at.count]);
  figures.launch(on, tensor.dtype, { grid, block }, [tensor, tensor.size, chunk, parts]);

  const data = numbersOf(on, parts);
  const total = { min: Infinity, max: -Infinity, sum: 0, finite: 0, nan: 0, inf: 0 };
  for (let first = 0; first < data.length; first += at.count) {
    const finite = data[first + at.finite]!;
    if (finite > 0) {
      total.min = Math.min(total.min, data[first + at.min]!);
      total.max = Math.max(total.max, data[first + at.max]!);
    }
    total.sum += data[first + at.sum]!;
    total.finite += finite;
    total.nan += data[first + at.nan]!;
    total.inf += data[first + at.inf]!;
  }
  const { finite, nan, inf } = total;
  return finite === 0
    ? { min: null, max: null, mean: null, nan, inf }
    : { min: total.min, max: total.max, mean: total.sum / finite, nan, inf };
}

/** Loads what {@link pictureOf} runs, so that the first picture does not wait for it. */
export function preparePictures(device: DeviceProcess, dtype: DType): void {
  tiles.on(device, dtype);
}

/**
 * The last two axes of a contiguous tensor, the first slice of all others; a vector is one row. `null` for a tensor
 * without elements.
 */
export function pictureOf(on: Execution, tensor: DeviceArray, limit = kept): Picture | null {
  if (tensor.size === 0) return null;
  const { device } = on;
  const matrixRows = tensor.shape.at(-2) ?? 1;
  const matrixColumns = tensor.shape.at(-1) ?? 1;
  const { rows, columns, rowStep, columnStep } = gridOf(matrixRows, matrixColumns, limit);
  const splits = onDevice(device, {
    serial: 1,
    threads: Math.max(1, Math.min(columnStep, Math.floor(pictureThreads / (rows * columns)))),
  });

  const at = ofCells();
  using parts = DeviceArray.allocate(device, "float64", [rows * columns, splits, at.fields]);
  const blocks = onDevice(device, {
    serial: { grid: rows * Math.max(1, Math.min(columns, Math.floor(maxBlocks / rows))), block: 1 },
    threads: { grid: Math.ceil((rows * columns * splits) / threads), block: threads },
  });
  tiles.launch(on, tensor.dtype, blocks, [
    tensor,
    matrixRows,
    matrixColumns,
    rows,
    columns,
    rowStep,
    columnStep,
    splits,
    parts,
  ]);

  const data = numbersOf(on, parts);
  const values = Float32Array.from({ length: rows * columns }, (_, cell) => {
    const total = (field: number) => {
      let sum = 0;
      for (let split = cell * splits; split < (cell + 1) * splits; split++) sum += data[split * at.fields + field]!;
      return sum;
    };
    const count = total(at.count);
    if (count > 0) return Math.max(-maxFloat32, Math.min(maxFloat32, total(at.sum) / count));
    if (total(at.nan) > 0) return NaN;
    return total(at.positive) >= total(at.negative) ? Infinity : -Infinity;
  });
  return { rows, columns, rowStep, columnStep, values };
}

/**
 * Both axes in the same steps, so that a picture has the proportions of its matrix; a short axis beside a long one in
 * smaller ones.
 */
function gridOf(
  matrixRows: number,
  matrixColumns: number,
  { cells, along: most }: PictureLimit,
): Omit<Picture, "values"> {
  for (let step = Math.ceil(Math.max(matrixRows, matrixColumns) / most); ; step++) {
    const along = (length: number) => Math.max(1, Math.min(step, Math.floor(length / minAlong)));
    const [rowStep, columnStep] = [along(matrixRows), along(matrixColumns)];
    const [rows, columns] = [Math.ceil(matrixRows / rowStep), Math.ceil(matrixColumns / columnStep)];
    if (rows * columns <= cells && rows <= most && columns <= most) return { rows, columns, rowStep, columnStep };
  }
}

/** A copy, so that the memory is free again at once. */
function numbersOf(on: Execution, parts: DeviceArray<"float64">): Float64Array {
  const numbers = new Float64Array(parts.size);
  read(on, parts.living(), 0, parts.bytes, (part, at) => new Uint8Array(numbers.buffer).set(part, at));
  return numbers;
}
