// Triangles, factors L · Lᵀ and L · U of matrices, and systems of equations that are solved with them.
import type { Execution } from "../../device/execution.ts";
import { TensorError } from "../../errors.ts";
import { DeviceArray, viewOf } from "../../memory/array.ts";
import { formatShape, type Shape } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import { takes } from "../core/dispatch.ts";
import type { Computation, None } from "../core/operation.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { onDevice } from "../kernels/blocks.ts";
import { sameShape } from "../kernels/map.ts";
import { diagonalOf } from "../shape/shaping.ts";
import { copy, fill, withFlat } from "../shape/copy.ts";
import {
  columnMajor,
  copyTurned,
  keepingNan,
  matricesOf,
  matrixDType,
  runCall,
  squaresOf,
  tellingZeros,
  triangleInto,
  turned,
  type Explain,
  type Matrices,
  type MatrixDType,
} from "./matrices.ts";
import { isForKernel, smallCholesky, smallFactored, smallFactors, smallTriangular } from "./small.ts";
import { conj, flip, half, lower, product, swapped, toDType, upper } from "./terms.ts";

const indefinite = (matrix: string, order: number) =>
  new TensorError(
    "NOT_POSITIVE_DEFINITE",
    `${matrix} that cholesky was given is not positive definite: its leading minor of order ${order} is not positive. Add to its diagonal, or use linalg.eigh.`,
  );
const singular = (name: string) => (matrix: string, column: number) =>
  new TensorError(
    "SINGULAR",
    `${matrix} that ${name} was given is singular: its column ${column - 1} depends on those before it. Use linalg.lstsq or linalg.pinv.`,
  );

/** Runs a library's call, which is the path that is taken. */
const runSolver: typeof runCall = (on, sizes, call) => {
  const chosen = runCall(on, sizes, call);
  takes(on, "linalg", "library", chosen);
  return chosen;
};

/** `cubes`: multiplications and additions for n³. */
const costOf = (cubes: number) => (inputs: readonly DeviceArray[], outputs: readonly DeviceArray[]) => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: cubes * inputs[0]!.size * inputs[0]!.shape.at(-1)!,
});

/** Elements on and below a diagonal (`isLower`), or on and above it; 0 elsewhere. */
const triangle: Computation<[x: DeviceArray], { readonly isLower: boolean; readonly offset: number }> = {
  inPlace: false,
  infer: ([{ shape, dtype }]) => [{ shape, dtype }],
  run: ([out], [x], { isLower, offset }, on) => triangleInto(on, out!, x, isLower, offset),
  gradient: ([g], { attributes }) => [call("triangle", [g!], attributes)],
  cost: (inputs, outputs) => ({ bytes: bytesMoved(inputs) + bytesMoved(outputs), flops: 0 }),
};

const cholesky: Computation<[x: DeviceArray], None> = {
  inPlace: false,
  infer([x]) {
    squaresOf("cholesky", x);
    return [{ shape: x.shape, dtype: matrixDType("cholesky", x) }];
  },
  run([out], [x], _, on) {
    const sizes = squaresOf("cholesky", x);
    if (isForKernel(on, "cholesky", sizes, out!.dtype)) return smallCholesky(on, out!, x, sizes, indefinite);
    const dtype = out!.dtype as MatrixDType;
    using work = columnMajor(on, x, dtype);
    const text = `cholesky n=${sizes.rows}`;
    runSolver(on, sizes, { text, dtype, places: [work], written: [work], explain: indefinite });
    using factor = turned(work);
    triangleInto(on, out!, factor, true);
  },
  // Murray 2016, "Differentiation of the Cholesky decomposition", section 3.
  gradient([g], { inputs: [x], outputs: [l] }) {
    const inner = product(flip(l!), g!);
    const part = half(call("add", [lower(inner), lower(inner, -1)]));
    const left = (b: DeviceArray) =>
      conj(call("solveTriangular", [l!, conj(b)], { isUpper: false, isTransposed: true, isUnit: false }));
    const s = flip(left(flip(left(part))));
    return [toDType(half(call("add", [s, flip(s)])), x)];
  },
  cost: costOf(1 / 3),
};

const withoutInverse = (matrix: string, column: number) =>
  new TensorError(
    "SINGULAR",
    `${matrix} that choleskyInverse was given is singular: its diagonal is 0 in row ${column - 1}. Give it a factor that linalg.cholesky made.`,
  );

/** Input l [B…, n, n], whose lower triangle is looked at; output the lower triangle of the inverse of l · lᵀ. */
const choleskyInverse: Computation<[l: DeviceArray], None> = {
  inPlace: false,
  infer([l]) {
    squaresOf("choleskyInverse", l);
    return [{ shape: l.shape, dtype: matrixDType("choleskyInverse", l) }];
  },
  run([out], [l], _, on) {
    const sizes = squaresOf("choleskyInverse", l);
    const dtype = out!.dtype as MatrixDType;
    using work = columnMajor(on, l, dtype);
    const call = { text: `cholesky_inverse n=${sizes.rows}`, dtype, places: [work], written: [work] };
    if (onDevice(on.device, { serial: true, threads: false })) {
      runSolver(on, sizes, { ...call, explain: withoutInverse });
    } else {
      // The library of GPUs does not say so.
      if (out!.size > 0) tellingZeros(on, work, sizes, withoutInverse);
      runSolver(on, sizes, { ...call, text: `${call.text} unchecked=1` });
    }
    using inverse = turned(work);
    triangleInto(on, out!, inverse, true);
  },
  // d(l · lᵀ)⁻¹ = −w · (dl · lᵀ + l · dlᵀ) · w for the whole inverse w.
  gradient([g], { inputs: [l], outputs: [part] }) {
    const whole = call("add", [part!, flip(lower(part!, -1))]);
    const inner = product(product(whole, lower(g!)), whole);
    const above = product(call("add", [inner, flip(inner)]), lower(l));
    return [toDType(call("neg", [lower(above)]), l)];
  },
  cost: costOf(2 / 3),
};

/** Factors of matrices, as LAPACK's getrf makes them of the transposes. */
interface Factors {
  readonly factors: DeviceArray;
  readonly pivots: DeviceArray;
}

/** Fills `factors`; without `explain` a matrix without a pivot is none the worse. */
export function factorise(
  on: Execution,
  { factors, pivots }: Factors,
  x: DeviceArray,
  sizes: Matrices,
  explain?: Explain,
): void {
  if (isForKernel(on, "lu", sizes, factors.dtype)) return smallFactors(on, { factors, pivots }, x, sizes, explain);
  copy(on, factors, x);
  const text = `lu m=${sizes.rows} n=${sizes.rows}`;
  const places = [factors, pivots];
  const call = { text, dtype: factors.dtype, places, written: places };
  if (onDevice(on.device, { serial: true, threads: false })) {
    const unchecked = { ...call, text: `${text} unchecked=1` };
    return void runSolver(on, sizes, explain === undefined ? unchecked : { ...call, explain });
  }
  // The library of GPUs loses NaN, so that it cannot say either which matrix is singular.
  keepingNan(on, factors, sizes, explain, () => runSolver(on, sizes, { ...call, text: `${text} unchecked=1` }));
}

/** Solves a · x = b, or aᵀ · x = b, for the columns of a column-major b, in its place. */
function solveWith(
  on: Execution,
  { factors, pivots }: Factors,
  b: DeviceArray,
  columns: number,
  isTransposed: boolean,
  sizes: Matrices,
): void {
  const text = `lu_solve n=${sizes.rows} columns=${columns}${isTransposed ? "" : " transposed=1"}`;
  runSolver(on, sizes, { text, dtype: factors.dtype, places: [factors, pivots, b], written: [b] });
}

/** `outputs` where they are kept, or arrays of the same kind that end with `use`. */
export function withFactors(
  on: Execution,
  [factors, pivots]: readonly DeviceArray[],
  dtype: MatrixDType,
  { batch, rows }: Matrices,
  use: (factors: Factors) => void,
): void {
  if (factors !== undefined) return use({ factors, pivots: pivots! });
  using own = DeviceArray.allocate(on.device, dtype, [...batch, rows, rows]);
  using exchanged = DeviceArray.allocate(on.device, "int32", [...batch, rows]);
  use({ factors: own, pivots: exchanged });
}

/** What is kept for a gradient: the factors and pivots. */
export const factorFacts = (keep: boolean, shape: Shape, dtype: MatrixDType) =>
  keep
    ? ([
        { shape, dtype },
        { shape: shape.slice(0, -1), dtype: "int32" },
      ] as const)
    : [];

function checkSystem(name: string, a: DeviceArray, b: DeviceArray): Matrices {
  const sizes = squaresOf(name, a);
  const other = matricesOf(name, b);
  if (other.rows !== sizes.rows || !sameShape(other.batch, sizes.batch))
    throw new TensorError(
      "SHAPE",
      `${name} takes matrices n × n and n × k but got shapes ${formatShape(a.shape)} and ${formatShape(b.shape)}.`,
    );
  return sizes;
}

/** Fills `out` with the solution for b by factors. */
function solveInto(
  on: Execution,
  out: DeviceArray,
  b: DeviceArray,
  factors: Factors,
  isTransposed: boolean,
  sizes: Matrices,
): void {
  if (isForKernel(on, "lu_solve", sizes, out.dtype)) return smallFactored(on, out, factors, b, isTransposed, sizes);
  const columns = out.shape.at(-1)!;
  if (columns === 1) {
    copy(on, out, b);
    return solveWith(on, factors, out, columns, isTransposed, sizes);
  }
  using sides = columnMajor(on, b, out.dtype);
  solveWith(on, factors, sides, columns, isTransposed, sizes);
  copyTurned(on, out, sides);
}

/** `keep`: the factors become results, for the gradient. */
export interface Keeping {
  readonly keep: boolean;
}

/** Inputs a [B…, n, n] and b [B…, n, k]; outputs x of a · x = b and, where they are kept, the factors of a. */
const solve: Computation<[a: DeviceArray, b: DeviceArray], Keeping> = {
  inPlace: false,
  infer([a, b], { keep }) {
    checkSystem("solve", a, b);
    const dtype = matrixDType("solve", a);
    return [{ shape: b.shape, dtype }, ...factorFacts(keep, a.shape, dtype)];
  },
  run([out, ...kept], [a, b], _, on) {
    const sizes = squaresOf("solve", a);
    if (sizes.rows === 0 || sizes.count === 0) return;
    withFactors(on, kept, out!.dtype as MatrixDType, sizes, (factors) => {
      factorise(on, factors, a, sizes, singular("solve"));
      if (out!.size > 0) solveInto(on, out!, b, factors, false, sizes);
    });
  },
  gradient([g], { inputs: [a, b], outputs: [x, factors, pivots], wanted, isDifferentiated }) {
    const above =
      isDifferentiated || factors === undefined
        ? call("solve", [flip(a), g!], { keep: isDifferentiated })
        : conj(call("solveFactored", [factors, pivots!, conj(g!)], { isTransposed: true }));
    return [
      wanted[0] ? toDType(call("neg", [product(above, flip(x!))]), a) : null,
      wanted[1] ? toDType(above, b) : null,
    ];
  },
  cost: costOf(2),
};

/** Inputs the factors and pivots that `solve` keeps, and b; output x of a · x = b, or aᵀ · x = b. */
const solveFactored: Computation<
  [factors: DeviceArray, pivots: DeviceArray, b: DeviceArray],
  { readonly isTransposed: boolean }
> = {
  inPlace: false,
  infer: ([factors, , b]) => [{ shape: b.shape, dtype: factors.dtype }],
  run([out], [factors, pivots, b], { isTransposed }, on) {
    solveInto(on, out!, b, { factors, pivots }, isTransposed, matricesOf("solve", factors));
  },
  gradient: null,
  cost: costOf(2),
};

const inverse: Computation<[x: DeviceArray], None> = {
  inPlace: false,
  infer([x]) {
    squaresOf("inv", x);
    return [{ shape: x.shape, dtype: matrixDType("inv", x) }];
  },
  run([out], [x], _, on) {
    const sizes = squaresOf("inv", x);
    withFactors(on, [], out!.dtype as MatrixDType, sizes, (factors) => {
      factorise(on, factors, x, sizes, singular("inv"));
      if (isForKernel(on, "lu_solve", sizes, out!.dtype)) return smallFactored(on, out!, factors, null, false, sizes);
      const rank = x.shape.length;
      fill(on, out!, 0);
      using line = viewOf(out!, diagonalOf(out!, { offset: 0, axes: [rank - 2, rank - 1] }));
      fill(on, line, 1);
      // The factors are those of the transpose, column-major; so is its inverse.
      solveWith(on, factors, out!, sizes.rows, true, sizes);
    });
  },
  gradient([g], { inputs: [x], outputs: [y] }) {
    const back = flip(y!);
    return [toDType(call("neg", [product(product(back, g!), back)]), x)];
  },
  cost: costOf(2),
};

export interface TriangularSystem {
  readonly isUpper: boolean;
  readonly isTransposed: boolean;
  readonly isUnit: boolean;
}

/** Inputs a [B…, n, n], of which one triangle is looked at, and b [B…, n, k]; output x of a · x = b, or aᵀ · x = b. */
const solveTriangular: Computation<[a: DeviceArray, b: DeviceArray], TriangularSystem> = {
  inPlace: false,
  infer([a, b]) {
    checkSystem("solveTriangular", a, b);
    return [{ shape: b.shape, dtype: matrixDType("solveTriangular", a) }];
  },
  run([out], [a, b], { isUpper, isTransposed, isUnit }, on) {
    const sizes = squaresOf("solveTriangular", a);
    if (isForKernel(on, "triangular_solve", sizes, out!.dtype))
      return smallTriangular(on, out!, a, b, { upper: isUpper, transposed: isTransposed, unit: isUnit }, sizes);
    copy(on, out!, b);
    // A triangle that lies transposed is the other one, transposed.
    using other = turned(a);
    const isTurned = !a.isContiguous && other.isContiguous;
    const flags = { upper: isUpper !== isTurned, transposed: isTransposed !== isTurned, unit: isUnit };
    const terms = Object.entries(flags).flatMap(([name, flag]) => (flag ? [` ${name}=1`] : []));
    withFlat(on, isTurned ? other : a, out!.dtype, (matrix) => {
      const text = `triangular_solve n=${sizes.rows} columns=${out!.shape.at(-1)}${terms.join("")}`;
      runSolver(on, sizes, { text, dtype: out!.dtype, places: [matrix, out!], written: [out!] });
    });
  },
  gradient([g], { inputs: [a, b], outputs: [x], attributes, wanted }) {
    const { isUpper, isTransposed, isUnit } = attributes;
    const above = conj(call("solveTriangular", [a, conj(g!)], { ...attributes, isTransposed: !isTransposed }));
    const square = () => call("neg", [isTransposed ? product(conj(x!), swapped(above)) : product(above, flip(x!))]);
    const part = (whole: DeviceArray) => (isUpper ? upper(whole, isUnit ? 1 : 0) : lower(whole, isUnit ? -1 : 0));
    return [wanted[0] ? toDType(part(square()), a) : null, wanted[1] ? toDType(above, b) : null];
  },
  cost: costOf(1),
};

export const solvingRows = {
  triangle,
  cholesky,
  choleskyInverse,
  solve,
  solveFactored,
  inverse,
  solveTriangular,
} as const;
