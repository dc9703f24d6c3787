// Pseudo-inverses and least squares by singular values, with gradients that need no values that lie apart.
import type { Execution } from "../../device/execution.ts";
import { GradientError } from "../../errors.ts";
import { DeviceArray } from "../../memory/array.ts";
import { call, callAll } from "../core/calls.ts";
import { recording } from "../core/hooks.ts";
import type { Computation, None, Operand } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { copy, fill } from "../shape/copy.ts";
import { matricesOf, matrixDType, sizeDType } from "./matrices.ts";
import { asColumn, flip, product, toDType, total } from "./terms.ts";

/** Singular values up to `rcond` times the largest count as 0. */
export interface Cutoff {
  readonly rcond: number;
}

const cost = (inputs: readonly DeviceArray[], outputs: readonly DeviceArray[]) => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: 14 * inputs[0]!.size * Math.min(inputs[0]!.shape.at(-1)!, inputs[0]!.shape.at(-2)!),
});

/** The reciprocals of singular values [B…, k]; 0 of those that count as 0. `rcond`: one for all, or [B…]. */
function reciprocals(s: DeviceArray, rcond: Operand): DeviceArray {
  const largest = call("max", [s], { axes: [s.shape.length - 1], keepdims: true });
  const limit = call("mul", [largest, rcond instanceof DeviceArray ? asColumn(rcond) : rcond]);
  return call("where", [call("gt", [s, limit]), call("reciprocal", [s]), 0]);
}

/** Fills `out` with V · S⁺ · Uᵀ · b, or without b with V · S⁺ · Uᵀ, and `values` with S, by operations that nothing records. */
function solveInto(
  on: Execution,
  out: DeviceArray,
  values: DeviceArray | null,
  a: DeviceArray,
  b: DeviceArray | null,
  rcond: Operand,
): void {
  recording.run(null, () => {
    const [s, u, vt] = callAll("svd", [a], { vectors: "thin" }) as [DeviceArray, DeviceArray, DeviceArray];
    using weights = reciprocals(s, rcond);
    using back = flip(u);
    using inside = b === null ? call("clone", [back]) : product(back, b);
    using scaled = call("mul", [inside, asColumn(weights)]);
    using found = product(flip(vt), scaled);
    copy(on, out, found);
    if (values !== null) copy(on, values, s);
    for (const each of [s, u, vt]) each.dispose();
  });
}

/** `rcond`: one for all matrices, or [B…]. */
const pseudoInverse: Computation<[x: DeviceArray, rcond: Operand], None> = {
  inPlace: false,
  infer([x]) {
    const { batch, rows, columns } = matricesOf("pinv", x);
    return [{ shape: [...batch, columns, rows], dtype: matrixDType("pinv", x) }];
  },
  run: ([out], [x, rcond], _, on) => solveInto(on, out!, null, x, null, rcond),
  // Golub and Pereyra 1973, "The differentiation of pseudo-inverses and nonlinear least squares problems", of constant
  // rank.
  gradient([g], { inputs: [x], outputs: [p] }) {
    const [a, back] = [x, flip(g!)];
    const left = product(back, product(p!, flip(p!)));
    const right = product(product(flip(p!), p!), back);
    const parts = [
      call("neg", [product(product(flip(p!), g!), flip(p!))]),
      call("sub", [left, product(a, product(p!, left))]),
      call("sub", [right, product(product(right, p!), a)]),
    ];
    return [toDType(total(...parts)!, x), null];
  },
  cost: ([x], outputs) => cost([x], outputs),
};

/** Outputs the shortest x of those for which |a · x − b| is least, and the singular values of a. */
const leastSquares: Computation<[a: DeviceArray, b: DeviceArray], Cutoff> = {
  inPlace: false,
  infer([a, b]) {
    const { batch, rows, columns } = matricesOf("lstsq", a);
    const dtype = matrixDType("lstsq", a);
    return [
      { shape: [...batch, columns, b.shape.at(-1)!], dtype },
      { shape: [...batch, Math.min(rows, columns)], dtype: sizeDType(dtype) },
    ];
  },
  run([x, values], [a, b], { rcond }, on) {
    if (a.size === 0) return fill(on, x!, 0);
    solveInto(on, x!, values!, a, b, rcond);
  },
  // That of pseudoInverse, multiplied by b.
  gradient([g, gValues], { inputs: [a, b], outputs: [x], attributes, wanted }) {
    if (gValues)
      throw new GradientError(
        "NO_GRADIENT",
        "The singular values that lstsq gives have no gradient: use linalg.svdvals.",
      );
    const p = call("pseudoInverse", [a, attributes.rcond]);
    const above = product(flip(p), g!);
    const parts = () => [
      call("neg", [product(above, flip(x!))]),
      product(call("sub", [b, product(a, x!)]), flip(product(p, above))),
      product(product(flip(p), x!), flip(call("sub", [g!, product(flip(a), above)]))),
    ];
    return [wanted[0] ? toDType(total(...parts())!, a) : null, wanted[1] ? toDType(above, b) : null];
  },
  cost,
};

export const leastSquaresRows = { pseudoInverse, leastSquares } as const;
