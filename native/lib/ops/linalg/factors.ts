// Factors P · L · U of matrices of any sides as results, with what exchanges of rows make of their order.
import { DeviceArray } from "../../memory/array.ts";
import { call } from "../core/calls.ts";
import { takes } from "../core/dispatch.ts";
import type { Computation, None } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { blocksFor, onDevice } from "../kernels/blocks.ts";
import { KernelFamily } from "../kernels/library.ts";
import { columnMajor, copyTurned, keepingNan, matricesOf, matrixDType, runCall, turned } from "./matrices.ts";
import { factorise } from "./solving.ts";
import { asColumn, conj, flip, lower, product, toDType, total, upper } from "./terms.ts";

const orders = new KernelFamily("linalg", ["int32"], () => "row_orders", ["place", "out", "i64", "i64", "i64", "i32"]);

const unitLower = { isUpper: false, isTransposed: true, isUnit: true } as const;
const upperTurned = { isUpper: true, isTransposed: false, isUnit: false } as const;

/**
 * Outputs L, without its diagonal of ones, and U in one matrix [B…, m, n], and int32 pivots [B…, min(m, n)]: row i was
 * exchanged with row pivots[i] − 1, one after the other. A matrix without a pivot is none the worse.
 */
const luFactors: Computation<[x: DeviceArray], None> = {
  inPlace: false,
  infer([x]) {
    const { batch, rows, columns } = matricesOf("lu", x);
    const dtype = matrixDType("lu", x);
    return [
      { shape: x.shape, dtype },
      { shape: [...batch, Math.min(rows, columns)], dtype: "int32" },
    ];
  },
  run([out, pivots], [x], _, on) {
    const sizes = matricesOf("lu", x);
    const { batch, rows, columns } = sizes;
    if (out!.size === 0) return;
    const dtype = matrixDType("lu", x);
    if (rows === columns) {
      // What is made of the transposes of those that are given, row-major, is theirs, column-major.
      using factors = DeviceArray.allocate(on.device, dtype, [...batch, rows, rows]);
      using other = turned(x);
      factorise(on, { factors, pivots: pivots! }, other, sizes);
      return copyTurned(on, out!, factors);
    }
    using work = columnMajor(on, x, dtype);
    const places = [work, pivots!];
    const text = `lu m=${rows} n=${columns} unchecked=1`;
    const run = () => takes(on, "linalg", "library", runCall(on, sizes, { text, dtype, places, written: places }));
    if (onDevice(on.device, { serial: true, threads: false })) run();
    else keepingNan(on, work, sizes, undefined, run);
    copyTurned(on, out!, work);
  },
  // With x = P · L · U of a square x: P · L⁻ᵀ (tril(Lᵀ · gL, −1) + triu(gU · Uᵀ)) U⁻ᵀ. Where x is wider, its right part is
  // P · L · U₂, where it is higher, its lower part L₂ · U, and what they add to gL and gU comes before.
  gradient([g], { inputs: [x], outputs: [packed, pivots] }) {
    const lead = Array<null>(x.shape.length - 2).fill(null);
    const [rows, columns] = [x.shape.at(-2)!, x.shape.at(-1)!];
    const count = Math.min(rows, columns);
    if (x.size === 0) return [call("fullLike", [x], { value: 0 })];
    const part = (of: DeviceArray, down: readonly [number, number], along: readonly [number, number]) =>
      call("slice", [of], { slices: [...lead, down, along] });
    const [first, below, right] = [
      [0, count],
      [count, rows],
      [count, columns],
    ] as const;
    const square = part(packed!, first, first);
    // L⁻ᵀ · y and y · U⁻ᵀ, which is (U⁻¹ · yᵀ)ᵀ.
    const overL = (y: DeviceArray) => conj(call("solveTriangular", [square, conj(y)], unitLower));
    const overU = (y: DeviceArray) => flip(call("solveTriangular", [square, flip(y)], upperTurned));
    const gSquare = part(g!, first, first);
    let [gL, gU] = [lower(gSquare, -1), upper(gSquare)];
    let beside: DeviceArray | null = null;
    if (columns > rows) {
      beside = overL(part(g!, first, right));
      gL = total(gL, call("neg", [product(beside, flip(part(packed!, first, right)))]))!;
    }
    if (rows > columns) {
      beside = overU(part(g!, below, first));
      gU = total(gU, call("neg", [product(flip(part(packed!, below, first)), beside)]))!;
    }
    // Lᵀ · gL with the ones of L's diagonal.
    const inner = call("add", [
      lower(call("add", [product(flip(lower(square, -1)), gL), gL]), -1),
      upper(product(gU, flip(upper(square)))),
    ]);
    const corner = overU(overL(inner));
    const whole =
      beside === null ? corner : call("cat", [corner, beside], { axis: x.shape.length - (columns > rows ? 1 : 2) });
    const order = call("rowOrder", [pivots!], { rows, isInverse: true });
    const places = call("expand", [asColumn(order)], { shape: whole.shape });
    return [toDType(call("takeAlong", [whole, places], { axis: x.shape.length - 2 }), x)];
  },
  cost: (inputs, outputs) => ({
    bytes: bytesMoved(inputs) + bytesMoved(outputs),
    flops: inputs[0]!.size * Math.min(inputs[0]!.shape.at(-1)!, inputs[0]!.shape.at(-2)!),
  }),
};

/**
 * What exchanges by pivots make of 0 … rows − 1, int64 [B…, rows]: row i of L · U is row order[i] of x; or, inverse,
 * row i of x is row order[i] of L · U.
 */
const rowOrder: Computation<[pivots: DeviceArray], { readonly rows: number; readonly isInverse: boolean }> = {
  inPlace: false,
  infer: ([{ shape }], { rows }) => [{ shape: [...shape.slice(0, -1), rows], dtype: "int64" }],
  run([out], [pivots], { rows, isInverse }, on) {
    if (out!.size === 0) return;
    const count = out!.size / rows;
    const blocks = blocksFor(on.device, count, { serial: Math.ceil(4096 / rows), each: 1 });
    orders.launch(on, "int32", blocks, [pivots, out!, count, pivots.shape.at(-1)!, rows, Number(isInverse)]);
  },
  gradient: null,
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 0 }),
};

export const factorRows = { luFactors, rowOrder } as const;
