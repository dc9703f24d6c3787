// Products of sparse matrices in compressed rows with dense ones, and their gradients (device/ops/sparse.cu). What a
// user holds is tensor/csr.ts.
import { DeviceArray } from "../../memory/array.ts";
import { factsOf, type DType } from "../../memory/dtype.ts";
import { promoted } from "../../memory/promotion.ts";
import { call } from "../core/calls.ts";
import type { Computation } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor, onDevice, type Blocks } from "../kernels/blocks.ts";
import { kernelFacts } from "../kernels/kernel-facts.ts";
import { KernelFamily } from "../kernels/library.ts";
import { bySize, withFlat } from "../shape/copy.ts";

/**
 * Where the elements of a sparse matrix are: indptr [rows + 1] and indices [elements], int32; and, where a gradient
 * needs it, the same of its transpose, the places of the transpose's elements among the matrix's, and the other way
 * round.
 */
export type Pattern = [indptr: DeviceArray, indices: DeviceArray, ...turned: DeviceArray[]];

const floats: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
const kinds = ["place", "place", "place", "place", "out", "i64", "i64"] as const;
const products = new KernelFamily("sparse", floats, (type) => `sparse_product<${type}>`, [...kinds, "i32", "i32"]);
const sampled = new KernelFamily("sparse", floats, (type) => `sampled_product<${type}>`, kinds);
const facts = kernelFacts("sparse", { warps: "kSparseWarps", columns: "kSparseColumns" });

const toDType = (gradient: DeviceArray, { dtype }: DeviceArray) =>
  gradient.dtype === dtype ? gradient : call("convert", [gradient], { dtype });

/** The pattern of the transpose, whose own transpose is this one. */
function turnedOf([indptr, indices, ...turned]: Pattern): Pattern {
  const [turnedIndptr, turnedIndices, places, back] = turned as [DeviceArray, DeviceArray, DeviceArray, DeviceArray];
  return [turnedIndptr, turnedIndices, indptr, indices, back, places];
}
const none = (pattern: readonly unknown[]) => pattern.map(() => null);

/** The product of the transpose: its elements are the matrix's in another order. */
function turnedProduct(values: DeviceArray, dense: DeviceArray, pattern: Pattern): DeviceArray {
  const inOrder = call("takeAxis", [values, pattern[4]!], { axis: 0, isShared: true });
  return call("sparseMatmul", [inOrder, dense, ...turnedOf(pattern)]);
}

const rowsOf = ([indptr]: Pattern) => indptr.shape[0]! - 1;

/** Blocks whose warps, or threads of a processor, have `items`; `work` of each row. */
const blocksOf = (device: Parameters<typeof blocksFor>[0], rows: number, items: number, work: number) =>
  onDevice<Blocks>(device, {
    serial: blocksFor(device, rows, { serial: Math.max(1, Math.floor(16384 / Math.max(1, work))) }),
    threads: { grid: Math.ceil(items / facts().warps), block: 32 * facts().warps },
  });

/** Inputs values [elements], dense [columns of the sparse matrix, n] and a pattern; their product [rows, n]. */
const sparseMatmul: Computation<[values: DeviceArray, dense: DeviceArray, ...Pattern], object> = {
  inPlace: false,
  infer: ([values, dense, ...pattern]) => [
    { shape: [rowsOf(pattern), dense.shape[1]!], dtype: promoted(values.dtype, dense.dtype) },
  ],
  run([out], [values, dense, ...pattern], _, on) {
    const [indptr, indices] = pattern;
    const rows = rowsOf(pattern);
    const columns = dense.shape[1]!;
    const { columns: ofLane } = facts();
    const width = Math.min(32, 2 ** Math.ceil(Math.log2(Math.max(1, Math.ceil(columns / ofLane)))));
    const tiles = Math.ceil(columns / (width * ofLane));
    withFlat(on, values, out!.dtype, (elements) =>
      withFlat(on, dense, out!.dtype, (matrix) =>
        products.launch(on, out!.dtype, blocksOf(on.device, rows, rows * tiles, (values.size / rows) * columns), [
          elements,
          indptr,
          indices,
          matrix,
          out!,
          rows,
          columns,
          width,
          Number(columns % ofLane === 0 && matrix.placeLow % (ofLane * factsOf(matrix.dtype).bytes) === 0),
        ]),
      ),
    );
  },
  gradient([g], { inputs: [values, dense, ...pattern], wanted }) {
    return [
      wanted[0] ? toDType(call("sparseSampled", [g!, dense, ...pattern]), values) : null,
      wanted[1] ? toDType(turnedProduct(values, g!, pattern), dense) : null,
      ...none(pattern),
    ];
  },
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: 2 * inputs[0].size * outputs[0]!.shape[1]!,
  }),
};

/**
 * Inputs left [rows, n], right [columns, n] and a pattern; of left · rightᵀ the elements that the pattern has.
 */
const sparseSampled: Computation<[left: DeviceArray, right: DeviceArray, ...Pattern], object> = {
  inPlace: false,
  infer: ([left, right, , indices]) => [{ shape: indices.shape, dtype: promoted(left.dtype, right.dtype) }],
  run([out], [left, right, ...pattern], _, on) {
    const [indptr, indices] = pattern;
    const rows = rowsOf(pattern);
    const columns = left.shape[1]!;
    withFlat(on, left, out!.dtype, (x) =>
      withFlat(on, right, out!.dtype, (y) =>
        sampled.launch(on, out!.dtype, blocksOf(on.device, rows, rows, (out!.size / rows) * columns), [
          x,
          y,
          indptr,
          indices,
          out!,
          rows,
          columns,
        ]),
      ),
    );
  },
  gradient([h], { inputs: [left, right, ...pattern], wanted }) {
    return [
      wanted[0] ? toDType(call("sparseMatmul", [h!, right, ...pattern]), left) : null,
      wanted[1] ? toDType(turnedProduct(h!, left, pattern), right) : null,
      ...none(pattern),
    ];
  },
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: 2 * outputs[0]!.size * inputs[0].shape[1]!,
  }),
};

const expanding = new KernelFamily(
  "sparse",
  ["uint8", "uint16", "uint32", "uint64"],
  (type) => `expand_pairs<${type}>`,
  ["place", "place", "out", "i64"],
);
/** Inputs values [rows, columns / 2] and places [rows, columns / 8]: see expand_pairs of device/ops/sparse.cu. */
const expandPairs: Computation<[values: DeviceArray, places: DeviceArray], object> = {
  inPlace: false,
  infer: ([values]) => [{ shape: [values.shape[0]!, 2 * values.shape[1]!], dtype: values.dtype }],
  run([out], [values, places], _, on) {
    const groups = out!.size / 4;
    withFlat(on, values, values.dtype, (kept) =>
      withFlat(on, places, "uint8", (where) => {
        const blocks = blocksFor(on.device, groups, { threads: 32 * facts().warps });
        expanding.launch(on, bySize[factsOf(out!.dtype).bytes]!, blocks, [kept, where, out!, groups]);
      }),
    );
  },
  gradient: null,
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 0 }),
};

export const sparseRows = { sparseMatmul, sparseSampled, expandPairs } as const;
