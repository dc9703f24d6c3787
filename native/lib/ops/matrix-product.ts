// Matrix products of tensors of any rank: turns their axes into batches of strided matrices for device/ops/matmul.cu.
import { TensorError } from "../errors.ts";
import { launchLibrary } from "./operand.ts";
import type { DeviceProcess } from "../device/process.ts";
import { broadcast, formatShape, merged, sizeOf, stretch, type Shape, type View } from "../memory/shape.ts";
import { Tensor } from "../tensor/tensor.ts";

// Rows and columns that a block of the kernel makes, and its threads along each side.
const tile = 64;
const side = 16;

/** Rows × depth times depth × columns; a vector is a row on the left and a column on the right, and its axis goes. */
export function matmulShape(a: Shape, b: Shape): number[] {
  const depths = [a.at(-1), b.length === 1 ? b[0] : b.at(-2)];
  if (depths[0] === undefined || depths[1] === undefined || depths[0] !== depths[1]) {
    throw new TensorError("SHAPE", `Expected matrices m × k and k × n for matmul but got shapes ${formatShape(a)} and ${formatShape(b)}.`);
  }
  const batch = broadcast(a.slice(0, -2), b.slice(0, -2));
  return [...batch, ...(a.length === 1 ? [] : [a.at(-2)!]), ...(b.length === 1 ? [] : [b.at(-1)!])];
}

/** `struct Matrix` of matmul.cu. */
interface Matrix { batch: number; row: number; column: number; }

/** An operand with one stride for all batches: a copy where its own strides have none. */
function batched(input: Tensor, batch: Shape, isLeft: boolean): { tensor: Tensor; matrix: Matrix; rows: number; columns: number } {
  const asMatrix: View = input.shape.length > 1 ? input : isLeft
    ? { shape: [1, input.shape[0]!], strides: [0, input.strides[0]!], offset: input.offset }
    : { shape: [input.shape[0]!, 1], strides: [input.strides[0]!, 0], offset: input.offset };
  const [rows, columns] = [asMatrix.shape.at(-2)!, asMatrix.shape.at(-1)!];
  const batches = stretch({ shape: asMatrix.shape.slice(0, -2), strides: asMatrix.strides.slice(0, -2), offset: 0 }, batch);
  const joined = merged([batches]);
  if (joined.shape.length <= 1) {
    const view = new Tensor(input.storage!.hold(), input.dtype, asMatrix);
    return { tensor: view, matrix: { batch: joined.strides[0]![0] ?? 0, row: asMatrix.strides.at(-2)!, column: asMatrix.strides.at(-1)! }, rows, columns };
  }
  using stretched = new Tensor(input.storage!.hold(), input.dtype, stretch(asMatrix, [...batch, rows, columns]));
  return { tensor: stretched.clone(), matrix: { batch: rows * columns, row: columns, column: 1 }, rows, columns };
}

/** Fills `out` with the product. */
export function matmulInto(device: DeviceProcess, out: Tensor, a: Tensor, b: Tensor): void {
  const batch = broadcast(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const left = batched(a, batch, true);
  const right = batched(b, batch, false);
  const [m, n, k] = [left.rows, right.columns, left.columns];
  const [, mostRows, mostBatches] = device.properties.maxGrid.map((most, axis) => (axis === 1 ? most * tile : most)) as [number, number, number];
  const part = (tensor: Tensor, elements: number) => new Tensor(tensor.storage!.hold(), tensor.dtype, { shape: [1], strides: [1], offset: tensor.offset + elements });

  // Rows beyond a grid make launches of their own, and then one for each batch: the kernel takes batches to be m · n apart.
  const step = { rows: Math.min(m, mostRows), batches: m > mostRows ? 1 : mostBatches };
  for (let first = 0; first < sizeOf(batch); first += step.batches) {
    for (let row = 0; row < m; row += step.rows) {
      using x = part(left.tensor, first * left.matrix.batch + row * left.matrix.row);
      using y = part(right.tensor, first * right.matrix.batch);
      using z = part(out, (first * m + row) * n);
      const rows = Math.min(step.rows, m - row);
      const grid = [Math.ceil(n / tile), Math.ceil(rows / tile), Math.min(step.batches, sizeOf(batch) - first)] as const;
      launchLibrary(device, { file: "matmul", name: "matmul", template: [{ dtype: out.dtype }] }, { grid, block: [side, side] }, [x, left.matrix, y, right.matrix, z, rows, n, k]);
    }
  }
  left.tensor.dispose();
  right.tensor.dispose();
}
